//! Whole numbers with gaps between their groups.

use leptos::prelude::*;

use crate::report::number::digit_groups;

/// A count. From 10 000 on its groups stand apart, while copied text stays a plain number.
#[component]
pub fn Count(n: u64) -> impl IntoView {
    let groups = digit_groups(n);
    let last = groups.len().saturating_sub(1);
    groups
        .into_iter()
        .enumerate()
        .map(|(at, group)| {
            if at < last {
                view! { <span class="k">{group}</span> }.into_any()
            } else {
                group.into_any()
            }
        })
        .collect_view()
}
