//! Coverage by domain, as cells of one hue.

use leptos::prelude::*;

use crate::metrics::{Figure, Group};
use crate::report::number;
use crate::ui::format::counted;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::Tables;

/// Lowest tenth of a per cent of each step but the first.
const STEPS: [u32; 5] = [400, 500, 580, 640, 700];

/// The heat table with its key. Absent where the data name no domain.
#[component]
pub fn DomainSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || {
        session.tables.with(|it| {
            it.ready().is_some_and(|it| {
                !it.coverage.rows.is_empty()
                    && it.by_domain.iter().any(|group| !group.name.is_empty())
            })
        })
    });
    let coloured = memo(move || {
        session.tables.with(|it| it.ready().is_some_and(|it| is_coloured(&it.by_domain)))
    });
    let practice =
        memo(move || session.tables.with(|it| it.ready().is_some_and(|it| it.coverage.practice)));
    let cells = move || {
        session.tables.with(|it| {
            it.ready()
                .map_or(0, |it| it.by_domain.iter().map(|group| group.cells.len()).sum::<usize>())
        })
    };
    view! {
        <Show when=move || any.get()>
            <section class="section section--noted" aria-labelledby="results-domains">
                <h2 id="results-domains">"By domain"</h2>
                <div class="with-margin">
                    <div>
                        {move || session.tables.with(|it| it.ready().map(draw))}
                        <Show when=move || coloured.get()>
                            <Key practice=practice />
                        </Show>
                    </div>
                    <div class="note" role="note">
                        <p>
                            {move || {
                                if !coloured.get() {
                                    return NO_COLOUR.to_owned();
                                }
                                format!(
                                    "Under each figure: half the width of its 95% interval. No domain is called best or worst, because {} will always have a highest one.",
                                    counted(cells() as u64, "cell", "cells"),
                                )
                            }}
                        </p>
                    </div>
                </div>
            </section>
        </Show>
    }
}

/// Stands for the colours where no cell has one.
const NO_COLOUR: &str = "No cell has a colour: none has the 10 queries that a fair interval takes.";

/// Whether any cell has a step of the scale.
fn is_coloured(groups: &[Group]) -> bool {
    groups
        .iter()
        .flat_map(|group| &group.cells)
        .any(|cell| cell.answered.mean.is_some() && !cell.answered.is_few())
}

/// What the figures are called in legends and captions.
pub fn measured(practice: bool) -> &'static str {
    if practice { "Word overlap" } else { "Coverage" }
}

/// What a cell shows, as text.
struct Cell {
    step: String,
    figure: String,
    below: String,
    /// Queries, where they are fewer than the row's.
    roomy: Option<String>,
    said: String,
}

impl Cell {
    fn of(figure: &Figure, system: &str, group: &Group, name: &str) -> Self {
        // Of the figure shown, which need not be the main one of the reading.
        let few = figure.is_few();
        let half = figure.low.zip(figure.high).map(|(low, high)| (high - low) / 2.0);
        let n = counted(figure.n, "query", "queries");
        let doubt = if few { ", too few for a fair interval" } else { "" };
        Self {
            step: match figure.mean {
                Some(mean) if !few => step(mean).to_string(),
                _ => "few".to_owned(),
            },
            figure: number::or_none(figure.mean, number::percent1),
            below: if few {
                format!("n = {}", figure.n)
            } else {
                half.map_or_else(String::new, |half| format!("±{}", number::percent1(half)))
            },
            roomy: (!few && figure.n != group.n).then(|| format!(", n = {}", figure.n)),
            said: format!(", {system}, {name}, {n}{doubt}"),
        }
    }
}

/// Of the figure as printed, so that 40.0 never stands in the step under 40.
fn step(share: f64) -> usize {
    let tenths = number::percent1(share).replace('.', "").parse().unwrap_or(0);
    STEPS.into_iter().filter(|low| *low <= tenths).count()
}

/// The name, or that there is none.
pub fn named(name: &str, what: &str) -> String {
    if name.is_empty() { format!("no {what} named") } else { name.to_owned() }
}

fn draw(tables: &Tables) -> impl IntoView + use<> {
    let names: Vec<String> = tables.coverage.rows.iter().map(|row| row.name.clone()).collect();
    let cols = names.len().to_string();
    let label = format!("{} by domain", measured(tables.coverage.practice));
    let rows = tables
        .by_domain
        .iter()
        .map(|group| {
            let name = named(&group.name, "domain");
            let cells: Vec<Cell> = group
                .cells
                .iter()
                .zip(&names)
                .map(|(cell, system)| Cell::of(&cell.answered, system, group, &name))
                .collect();
            view! { <Line name=name n=group.n cells=cells /> }
        })
        .collect_view();
    let heads = names
        .into_iter()
        .map(|name| view! { <th role="columnheader" scope="col">{name}</th> })
        .collect_view();
    view! {
        <table class="table heat" role="table" aria-label=label data-cols=cols>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"Domain"</th>
                    {heads}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table>
    }
}

/// One domain.
#[component]
fn Line(name: String, n: u64, cells: Vec<Cell>) -> impl IntoView {
    let cells = cells
        .into_iter()
        .map(|cell| {
            view! {
                <td role="cell">
                    <div class="heat__cell" data-step=cell.step>
                        <b>{cell.figure}</b>
                        <small>
                            {cell.below}
                            {cell.roomy.map(|it| view! { <span class="roomy">{it}</span> })}
                        </small>
                        <span class="sr-only">{cell.said}</span>
                    </div>
                </td>
            }
        })
        .collect_view();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                {name} " " <span class="n">{format!("n = {n}")}</span>
            </th>
            {cells}
        </tr>
    }
}

/// What the colours stand for.
#[component]
fn Key(practice: Memo<bool>) -> impl IntoView {
    view! {
        <div class="heat-key">
            <span>{move || measured(practice.get())} " %, answered only"</span>
            <ol aria-label="Colour key">
                <li>"under 40"</li>
                <li>"40"</li>
                <li>"50"</li>
                <li>"58"</li>
                <li>"64"</li>
                <li>"70 up"</li>
            </ol>
            <span class="few">"fewer than 10 queries: no colour"</span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_what_is_printed() {
        assert_eq!(step(0.0), 0);
        assert_eq!(step(0.3994), 0);
        assert_eq!(step(0.3996), 1, "printed as 40.0");
        assert_eq!(step(0.64), 4);
        assert_eq!(step(1.0), 5);
    }

    #[test]
    fn few_queries_take_no_colour() {
        let group = Group { name: "Economics".to_owned(), n: 2, cells: Vec::new() };
        let figure = Figure { mean: Some(0.6875), n: 2, ..Figure::default() };
        let cell = Cell::of(&figure, "alder", &group, "Economics");
        assert_eq!((cell.step.as_str(), cell.below.as_str()), ("few", "n = 2"));
        assert!(cell.said.ends_with("too few for a fair interval"));
    }
}
