//! What stands in the place of ratings where none exists.

use leptos::prelude::*;

use crate::metrics::Leaderboard;
use crate::metrics::leaderboard::{Group, Withheld};
use crate::report::number;
use crate::report::rating as words;
use crate::ui::session::Session;

use super::grid::GridTable;

/// Groups shown one by one.
const MOST_GROUPS: usize = 30;

/// Reason, what can be said, the grid, the remedy.
#[component]
pub fn Gate() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(Leaderboard::Withheld(it)) => Some(draw(it).into_any()),
            _ => None,
        })
    }} }
}

fn draw(withheld: &Withheld) -> impl IntoView + use<> {
    let reasons =
        words::gate_reasons(withheld).into_iter().map(|it| view! { <p>{it}</p> }).collect_view();
    let grid = withheld.grid.clone().map(|grid| view! { <GridTable grid=grid /> });
    view! {
        <div
            class="notice notice--gate"
            data-testid="rating-gate"
            role="region"
            aria-labelledby="rating-gate-title"
        >
            <h3 id="rating-gate-title">{words::gate_title(withheld)}</h3>
            {reasons}
            {said(withheld)}
            {grid}
            <p>
                <strong>"What would mend it."</strong>
                " "
                {words::repair(withheld)}
            </p>
            <p class="small quiet">{words::amounts(&withheld.amounts)} "."</p>
        </div>
    }
}

/// The groups in order, with ratings inside each and what is sure of the distance to the next.
fn said(withheld: &Withheld) -> impl IntoView + use<> {
    let groups = &withheld.groups;
    let items = groups.iter().enumerate().take(MOST_GROUPS).map(|(at, group)| {
        let order = groups.get(at + 1).and_then(|next| words::order(group, next));
        view! {
            <li>
                <p><b>{words::members(group)}</b> {inside(group)}</p>
                {order.map(|it| view! { <p class="rating-order">{it}</p> })}
            </li>
        }
    });
    let items = items.collect_view();
    let rest = groups.len().saturating_sub(MOST_GROUPS);
    let rest = (0 < rest).then(|| view! { <p>{format!("And {rest} more groups.")}</p> });
    view! {
        <div class="stack">
            <p>
                <strong>"What can be said."</strong>
                " Systems that beat one another in a ring, or tied, can be rated among themselves. From the top:"
            </p>
            <ol class="rating-groups">{items}</ol>
            {rest}
        </div>
    }
}

/// Ratings among themselves. Nothing for a system alone.
fn inside(group: &Group) -> Option<String> {
    let ratings: Vec<String> = group
        .members
        .iter()
        .filter_map(|it| Some(format!("{} {}", it.name, number::fixed(it.rating?, 0))))
        .collect();
    (!ratings.is_empty()).then(|| format!(": among themselves {}", ratings.join(", ")))
}
