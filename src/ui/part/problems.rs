//! One line a problem: file, place, what, cure.

use leptos::prelude::*;

use crate::dataset::Problems;

/// Nothing where nothing is wrong.
#[component]
pub fn ProblemList(
    #[prop(into)] problems: Signal<Problems>,
    testid: &'static str,
    label: &'static str,
) -> impl IntoView {
    move || {
        let problems = problems.get();
        if problems.is_empty() {
            return None;
        }
        let more = problems.more();
        let lines = problems
            .list()
            .iter()
            .map(|it| {
                view! {
                    <li>
                        <span class="at">{format!("{}, {}", it.file, it.place)}</span>
                        " "
                        <span>{it.what.clone()} " " {it.cure.clone()}</span>
                    </li>
                }
            })
            .collect_view();
        let rest = (0 < more).then(|| {
            view! {
                <li>
                    <span class="at"></span>
                    <span>{format!("and {more} more")}</span>
                </li>
            }
        });
        Some(view! {
            <div class="problems" tabindex="0" role="region" aria-label=label data-testid=testid>
                <ol>{lines} {rest}</ol>
            </div>
        })
    }
}
