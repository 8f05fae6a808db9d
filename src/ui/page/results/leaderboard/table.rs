//! The table of ratings.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::edge::clock;
use crate::metrics::Mode;
use crate::metrics::leaderboard::{Rated, Row};
use crate::rating::{Limit, RankRange};
use crate::report::number::{self, NONE};
use crate::report::rating as words;
use crate::ui::part::number::Count;
use crate::ui::part::plot::{Axis, Plot, Scale};
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::BoardView;

use super::super::coverage::tick;

/// Rows drawn in one go.
const AT_ONCE: usize = 25;

/// With its caption and foot.
#[component]
pub fn Board() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.ratings.board.with(|it| match it.ready() {
            Some(BoardView::Rated { rated, .. }) => Some(draw(rated).into_any()),
            _ => None,
        })
    }} }
}

/// What a row shows, as text.
#[derive(Clone)]
struct Line {
    name: String,
    rank: String,
    value: Option<f64>,
    low_end: Option<f64>,
    high_end: Option<f64>,
    said: String,
    rating: String,
    low: String,
    high: String,
    spread: String,
    /// Recommended: the rank range, and the median of resamples.
    beside: Option<(String, String)>,
    first: String,
    battles: u64,
    undecided: u64,
    queries: u64,
}

impl Line {
    fn of(row: &Row, mode: Mode) -> Self {
        let median = row.resampled.map(|it| it.median);
        let (low, high) = (words::limit_or_none(row.low), words::limit_or_none(row.high));
        let rating = words::limit(row.rating);
        Self {
            name: row.name.clone(),
            rank: row.rank.map_or_else(|| NONE.to_owned(), |it| it.to_string()),
            value: row.rating.finite(),
            low_end: end(row.low, f64::NEG_INFINITY),
            high_end: end(row.high, f64::INFINITY),
            said: match (row.low, row.high) {
                (None, _) | (_, None) => rating.clone(),
                _ if mode == Mode::Recommended => format!("{rating}, interval {low} to {high}"),
                _ => format!("{rating}, one standard deviation from {low} to {high}"),
            },
            rating,
            low,
            high,
            spread: words::spread(row.spread),
            beside: (mode == Mode::Recommended)
                .then(|| (ranks(row.ranks), words::limit_or_none(median))),
            first: number::or_none(row.first, number::percent1),
            battles: row.battles,
            undecided: row.undecided,
            queries: row.queries,
        }
    }
}

/// What is unbounded reaches the edge of the plot.
fn end(limit: Option<Limit>, edge: f64) -> Option<f64> {
    limit.map(|it| it.finite().unwrap_or(edge))
}

fn ranks(range: Option<RankRange>) -> String {
    match range {
        None => NONE.to_owned(),
        Some(it) if it.best == it.worst => it.best.to_string(),
        Some(it) => format!("{} to {}", it.best, it.worst),
    }
}

fn draw(rated: &Rated) -> impl IntoView + use<> {
    let lines: Vec<Line> = rated.rows.iter().map(|row| Line::of(row, rated.mode)).collect();
    let scale =
        Scale::over(lines.iter().flat_map(|it| [it.value, it.low_end, it.high_end]).flatten());
    let recommended = rated.mode == Mode::Recommended;
    let undecided = 0 < rated.amounts.undecided;
    let spread = if recommended { "SE" } else { "Std" };
    let body = body(lines, &scale, spread, undecided);
    let head = |name: &'static str| {
        view! { <th role="columnheader" scope="col" class="r">{name}</th> }
    };
    view! {
        <p class="above-table">{words::caption(rated)}</p>
        <Axis scale=scale.clone() label=tick class="axis axis--phone" />
        <table class="table table--fold table--close" role="table" aria-label="Leaderboard">
            <thead role="rowgroup">
                <tr role="row">
                    {head("Rank")}
                    <th role="columnheader" scope="col">"System"</th>
                    <th role="columnheader" scope="col" class="plot-cell">
                        <span class="sr-only">"Dot and interval"</span>
                        <Axis scale=scale label=tick />
                    </th>
                    {head("Rating")}
                    {head("Low")}
                    {head("High")}
                    {head(spread)}
                    {recommended.then(|| head("Rank range"))}
                    {recommended.then(|| head("Median"))}
                    {head("First in %")}
                    {head("Battles")}
                    {undecided.then(|| head("Undecided"))}
                    {head("Queries")}
                </tr>
            </thead>
            <tbody role="rowgroup">{body}</tbody>
        </table>
        <p class="table-foot">{words::foot(rated).join(" ")}</p>
    }
}

/// The rows, a screenful at once and the others after it: hundreds together would hold up the page.
fn body(
    lines: Vec<Line>,
    scale: &Scale,
    spread: &'static str,
    undecided: bool,
) -> impl IntoView + use<> {
    let parts: Vec<Vec<Line>> = lines.chunks(AT_ONCE).map(<[Line]>::to_vec).collect();
    let drawn = RwSignal::new(1_usize);
    let all = parts.len();
    if 1 < all {
        spawn_local(async move {
            for next in 2..=all {
                clock::sleep(Duration::from_millis(1)).await;
                // Another table may have taken this one's place.
                if drawn.try_set(next).is_some() {
                    break;
                }
            }
        });
    }
    let parts = parts.into_iter().enumerate().map(|(at, lines)| {
        let there = memo(move || at < drawn.get());
        let kept = StoredValue::new((lines, scale.clone()));
        view! {
            <Show when=move || there.get()>
                {kept
                    .with_value(|(lines, scale)| {
                        let lines = lines.iter().cloned();
                        lines
                            .map(|line| {
                                view! {
                                    <Entry
                                        line=line
                                        scale=scale.clone()
                                        spread=spread
                                        undecided=undecided
                                    />
                                }
                            })
                            .collect_view()
                    })}
            </Show>
        }
    });
    parts.collect_view()
}

/// One system.
#[component]
fn Entry(line: Line, scale: Scale, spread: &'static str, undecided: bool) -> impl IntoView {
    let beside = line.beside.map(|(ranks, median)| {
        view! {
            <td role="cell" class="r" data-label="Rank range">{ranks}</td>
            <td role="cell" class="r second" data-label="Median">{median}</td>
        }
    });
    view! {
        <tr role="row">
            <td role="cell" class="r" data-label="Rank">{line.rank}</td>
            <th role="rowheader" scope="row">{line.name}</th>
            <td role="cell" class="plot-cell">
                <Plot
                    scale=scale
                    value=line.value
                    low=line.low_end
                    high=line.high_end
                    label=line.said
                />
            </td>
            <td role="cell" class="r key">{line.rating}</td>
            <td role="cell" class="r second" data-label="Low">{line.low}</td>
            <td role="cell" class="r second" data-label="High">{line.high}</td>
            <td role="cell" class="r second" data-label=spread>{line.spread}</td>
            {beside}
            <td role="cell" class="r" data-label="First in %">{line.first}</td>
            <td role="cell" class="r" data-label="Battles"><Count n=line.battles /></td>
            {undecided
                .then(|| {
                    view! {
                        <td role="cell" class="r" data-label="Undecided"><Count n=line.undecided /></td>
                    }
                })}
            <td role="cell" class="r" data-label="Queries"><Count n=line.queries /></td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            system: 0,
            name: "alder".to_owned(),
            rank: Some(1),
            ranks: Some(RankRange { best: 2, worst: 4 }),
            rating: Limit::At(1177.4),
            low: Some(Limit::At(1116.0)),
            high: Some(Limit::Unbounded),
            spread: Some(Limit::At(30.25)),
            resampled: None,
            battles: 120,
            wins: 80,
            ties: 0,
            losses: 40,
            undecided: 3,
            queries: 60,
            first: Some(0.971),
        }
    }

    #[test]
    fn a_row_reads_as_printed() {
        let line = Line::of(&row(), Mode::Recommended);
        assert_eq!(line.said, "1177, interval 1116 to unbounded");
        assert_eq!((line.low.as_str(), line.high.as_str()), ("1116", "unbounded"));
        assert_eq!(line.high_end, Some(f64::INFINITY));
        assert_eq!(line.beside.unwrap(), ("2 to 4".to_owned(), NONE.to_owned()));
        assert_eq!(line.first, "97.1");
        let line = Line::of(&row(), Mode::Paper);
        assert_eq!(line.said, "1177, one standard deviation from 1116 to unbounded");
        assert!(line.beside.is_none());
    }

    #[test]
    fn an_anchor_has_no_interval() {
        let line =
            Line::of(&Row { low: None, high: None, spread: None, ..row() }, Mode::Recommended);
        assert_eq!((line.said.as_str(), line.low.as_str()), ("1177", NONE));
        assert_eq!((line.low_end, line.spread.as_str()), (None, NONE));
    }
}
