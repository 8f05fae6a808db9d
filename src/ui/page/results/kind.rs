//! Which types of rubric items systems fall short on.

use leptos::prelude::*;

use crate::metrics::TypeTable;
use crate::report::number;
use crate::ui::format::counted;
use crate::ui::part::number::Count;
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::group::ScrollHint;

/// How common each type is, and how often each system does not cover it in full.
#[component]
pub fn TypeSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || {
        session.tables.with(|it| {
            it.ready().is_some_and(|it| 0 < it.by_type.labels && !it.by_type.rows.is_empty())
        })
    });
    let systems =
        memo(move || session.tables.with(|it| it.ready().map_or(0, |it| it.by_type.rows.len())));
    let foot = memo(move || {
        session.tables.with(|it| it.ready().map(|it| foot(&it.by_type)).unwrap_or_default())
    });
    view! {
        <Show when=move || any.get()>
            <section class="section section--noted" aria-labelledby="results-types">
                <h2 id="results-types">"By rubric type"</h2>
                <div class="with-margin">
                    <div>
                        <ScrollHint systems=systems />
                        <div class="wide-table" tabindex="0" role="region" aria-label="Table of rubric types">
                            {move || session.tables.with(|it| it.ready().map(|it| draw(&it.by_type)))}
                        </div>
                        <p class="table-foot">{move || foot.get()}</p>
                    </div>
                    <div class="note" role="note">
                        <p>
                            <b>"Not in full"</b>
                            ": of the items of a type with a verdict, the share not rated “Completely”. Lower is better."
                        </p>
                        <p>
                            "A rubric type chosen above is set aside here, for it would leave one row."
                        </p>
                    </div>
                </div>
            </section>
        </Show>
    }
}

/// What is counted.
fn foot(table: &TypeTable) -> String {
    let untyped = match table.untyped {
        0 => String::new(),
        n => format!(" {} without a type in no share here.", counted(n, "item is", "items are")),
    };
    format!(
        "{} with {}: an item can carry several, so its shares of items can sum to more than 100.{untyped} \
         n: items with a verdict.",
        counted(table.items, "item", "items"),
        counted(table.labels, "type assigned", "types assigned")
    )
}

/// What a row shows, as text.
struct Row {
    name: &'static str,
    items: u64,
    of_items: String,
    of_labels: String,
    /// Figure, n, and whether n is small.
    cells: Vec<(String, u64, bool)>,
}

fn rows(table: &TypeTable) -> Vec<Row> {
    table
        .frequencies
        .iter()
        .enumerate()
        .filter(|(_, kind)| 0 < kind.items)
        .map(|(at, kind)| Row {
            name: kind.item_type.as_str(),
            items: kind.items,
            of_items: number::or_none(kind.share_of_items, number::percent1),
            of_labels: number::or_none(kind.share_of_labels, number::percent1),
            cells: table
                .rows
                .iter()
                .filter_map(|row| row.cells.get(at))
                .map(|cell| (number::or_none(cell.error, number::percent1), cell.n, cell.few))
                .collect(),
        })
        .collect()
}

fn draw(table: &TypeTable) -> impl IntoView + use<> {
    let heads = table
        .rows
        .iter()
        .map(|row| {
            view! { <th scope="col" class="r">{row.name.clone()} " " <br /> "not in full %"</th> }
        })
        .collect_view();
    let body = rows(table).into_iter().map(|row| view! { <Line row=row /> }).collect_view();
    view! {
        <table class="table" aria-label="By rubric type">
            <thead>
                <tr>
                    <th scope="col">"Type"</th>
                    <th scope="col" class="r">"Items"</th>
                    <th scope="col" class="r">"% of items " <br /> "with a type"</th>
                    <th scope="col" class="r">"% of types " <br /> "assigned"</th>
                    {heads}
                </tr>
            </thead>
            <tbody>{body}</tbody>
        </table>
    }
}

/// One type.
#[component]
fn Line(row: Row) -> impl IntoView {
    let cells = row
        .cells
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
            <th scope="row">{row.name}</th>
            <td class="r"><Count n=row.items /></td>
            <td class="r">{row.of_items}</td>
            <td class="r">{row.of_labels}</td>
            {cells}
        </tr>
    }
}
