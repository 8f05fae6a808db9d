//! Coverage by field, as a plain table to unfold.

use leptos::prelude::*;

use crate::report::number;
use crate::ui::format::counted;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::Tables;

use super::heat::{measured, named};

/// Folded away: dozens of fields, few queries in each.
#[component]
pub fn FieldSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let fields = memo(move || {
        session.tables.with(|it| {
            it.ready()
                .map_or(0, |it| it.by_field.iter().filter(|group| !group.name.is_empty()).count())
        })
    });
    let practice =
        memo(move || session.tables.with(|it| it.ready().is_some_and(|it| it.coverage.practice)));
    let systems =
        memo(move || session.tables.with(|it| it.ready().map_or(0, |it| it.coverage.rows.len())));
    view! {
        <Show when=move || { 0 < fields.get() && 0 < systems.get() }>
            <section class="section" aria-labelledby="results-fields">
                <h2 id="results-fields">"By field"</h2>
                <details>
                    <summary>{move || format!("Fields: {}", fields.get())}</summary>
                    <ScrollHint systems=systems />
                    <div class="wide-table" tabindex="0" role="region" aria-labelledby="results-fields">
                        {move || session.tables.with(|it| it.ready().map(draw))}
                    </div>
                    <p class="table-foot">
                        {move || measured(practice.get())}
                        " %, answered only, and the queries in it. Fewer than 10 queries allow no claim about a field."
                    </p>
                </details>
            </section>
        </Show>
    }
}

/// Says on a narrow screen that there is more to the right.
#[component]
pub fn ScrollHint(systems: Memo<usize>) -> impl IntoView {
    view! {
        <p class="small quiet scroll-hint">
            {move || {
                let systems = counted(systems.get() as u64, "system", "systems");
                format!("Scroll the table sideways for {systems}.")
            }}
        </p>
    }
}

fn draw(tables: &Tables) -> impl IntoView + use<> {
    let heads = tables
        .coverage
        .rows
        .iter()
        .map(|row| view! { <th scope="col" class="r">{row.name.clone()}</th> })
        .collect_view();
    let rows = tables
        .by_field
        .iter()
        .map(|group| {
            let cells: Vec<(String, u64, bool)> = group
                .cells
                .iter()
                .map(|cell| {
                    let figure = &cell.answered;
                    (number::or_none(figure.mean, number::percent1), figure.n, figure.is_few())
                })
                .collect();
            view! { <Line name=named(&group.name, "field") n=group.n cells=cells /> }
        })
        .collect_view();
    let label = format!("{} by field", measured(tables.coverage.practice));
    view! {
        <table class="table" aria-label=label>
            <thead>
                <tr>
                    <th scope="col">"Field"</th>
                    <th scope="col" class="r">"Queries"</th>
                    {heads}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// One field: figure and n a system.
#[component]
fn Line(name: String, n: u64, cells: Vec<(String, u64, bool)>) -> impl IntoView {
    let cells = cells
        .into_iter()
        .map(|(figure, n, few)| {
            let class = if few { "r second" } else { "r" };
            view! {
                <td class=class>
                    {figure} " " <span class="n">{format!("n = {n}")}</span>
                </td>
            }
        })
        .collect_view();
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="r">{n}</td>
            {cells}
        </tr>
    }
}
