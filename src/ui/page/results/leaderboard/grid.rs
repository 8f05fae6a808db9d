//! Wins, ties and losses of each against each.

use leptos::prelude::*;

use crate::metrics::Leaderboard;
use crate::metrics::leaderboard::Grid;
use crate::rating::Pair;
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::pairs::is_open;

/// Folded away below ratings.
#[component]
pub fn GridDetails() -> impl IntoView {
    let session = expect_context::<Session>();
    let grid = memo(move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(Leaderboard::Rated(it)) => it.grid.clone(),
            _ => None,
        })
    });
    let open = RwSignal::new(false);
    view! {
        <Show when=move || grid.with(Option::is_some)>
            <details on:toggle=move |event| open.set(is_open(&event))>
                <summary>"Win–tie–loss grid"</summary>
                {move || { open.get().then(|| grid.get().map(|it| view! { <GridTable grid=it /> })) }}
            </details>
        </Show>
    }
    .into_any()
}

/// Rows against columns.
#[component]
pub fn GridTable(grid: Grid) -> impl IntoView {
    let heads = grid.names.iter().map(|name| {
        view! { <th role="columnheader" scope="col" class="r">{name.clone()}</th> }
    });
    let heads = heads.collect_view();
    let names = grid.names;
    let rows = grid.cells.into_iter().enumerate().map(|(row, cells)| {
        let all = all_of(&cells);
        let cells = cells.into_iter().enumerate().map(|(column, pair)| {
            let label = format!("v. {}", names[column]);
            if row == column {
                view! { <td role="cell" class="r self"><span class="n">"–"</span></td> }.into_any()
            } else {
                view! { <td role="cell" class="r" data-label=label>{result(pair)}</td> }.into_any()
            }
        });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">{names[row].clone()}</th>
                {cells.collect_view()}
                <td role="cell" class="r second" data-label="All">{result(all)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div>
            <div class="wide-table" tabindex="0" role="region" aria-label="Grid of wins, ties and losses">
                <table class="table table--fold table--grid" role="table" aria-label="Wins, ties and losses">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">"Row against column"</th>
                            {heads}
                            <th role="columnheader" scope="col" class="r">"All"</th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
            <p class="table-foot">"Wins–ties–losses of the row against the column."</p>
        </div>
    }
}

fn all_of(cells: &[Pair]) -> Pair {
    cells.iter().fold(Pair::default(), |sum, it| Pair {
        wins: sum.wins + it.wins,
        losses: sum.losses + it.losses,
        ties: sum.ties + it.ties,
    })
}

/// `2–0–1`: wins, ties, losses.
fn result(pair: Pair) -> String {
    format!("{}–{}–{}", pair.wins, pair.ties, pair.losses)
}
