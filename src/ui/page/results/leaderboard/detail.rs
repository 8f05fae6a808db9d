//! What stands beside the ratings, to unfold: resamples, and other ways to read the same battles.

use leptos::prelude::*;

use crate::metrics::leaderboard::{Diagnostics, Rated, Resampled};
use crate::metrics::{Leaderboard, Mode};
use crate::rating::Limit;
use crate::report::number;
use crate::report::rating as words;
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::pairs::is_open;

fn with_rated<T>(session: &Session, read: impl FnOnce(&Rated) -> T) -> Option<T> {
    session.ratings.board.with(|it| match it.ready() {
        Some(Leaderboard::Rated(it)) => Some(read(it)),
        _ => None,
    })
}

/// Median, mean, spread and percentiles of resamples.
#[component]
pub fn Resamples() -> impl IntoView {
    let session = expect_context::<Session>();
    let title = move || with_rated(&session, |it| format!("Resamples {}", drawn(it.mode)));
    let open = RwSignal::new(false);
    view! {
        <details on:toggle=move |event| open.set(is_open(&event))>
            <summary>{title}</summary>
            {move || {
                open.get().then(|| with_rated(&session, |it| draw_resamples(it).into_any()))
            }}
        </details>
    }
    .into_any()
}

fn drawn(mode: Mode) -> &'static str {
    match mode {
        Mode::Recommended => "by query",
        Mode::Paper => "by battle",
        Mode::Released => "by doubled rows",
    }
}

fn draw_resamples(rated: &Rated) -> impl IntoView + use<> {
    let rows = rated.rows.iter().map(|row| {
        let figure =
            |pick: fn(&Resampled) -> Limit| words::limit_or_none(row.resampled.as_ref().map(pick));
        let std = words::spread(row.resampled.map(|it| it.std));
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">{row.name.clone()}</th>
                <td role="cell" class="r key">{figure(|it| it.median)}</td>
                <td role="cell" class="r" data-label="Mean">{figure(|it| it.mean)}</td>
                <td role="cell" class="r second" data-label="Std">{std}</td>
                <td role="cell" class="r second" data-label="2.5%">{figure(|it| it.low)}</td>
                <td role="cell" class="r second" data-label="97.5%">{figure(|it| it.high)}</td>
                <td role="cell" class="r" data-label="First in %">{number::or_none(row.first, number::percent1)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let heads = ["Median", "Mean", "Std", "2.5%", "97.5%", "First in %"].map(|name| {
        view! { <th role="columnheader" scope="col" class="r">{name}</th> }
    });
    let what = match rated.mode {
        Mode::Recommended => {
            "Queries drawn with replacement, as many as each domain has, each with all its battles."
        }
        Mode::Paper => "Single battles drawn with replacement, as if each were independent.",
        Mode::Released => {
            "Every battle stands in the table twice, a tie as a win and a loss, and as many rows are drawn: \
             spreads come out too small by about √2."
        }
    };
    let foot = format!(
        "{what} {} resamples, seed {}; {} of them without a finite answer.",
        rated.rounds, rated.seed, rated.separated
    );
    view! {
        <table class="table table--fold" role="table" aria-label="Resamples">
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"System"</th>
                    {heads.collect_view()}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table>
        <p class="table-foot">{foot}</p>
    }
}

/// Named as diagnostics, for that is all they are.
#[component]
pub fn Others() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || with_rated(&session, |it| it.diagnostics.is_some()) == Some(true));
    let open = RwSignal::new(false);
    let found = move || {
        with_rated(&session, |it| it.diagnostics.as_ref().map(|it| draw(it).into_any())).flatten()
    };
    view! {
        <Show when=move || any.get()>
            <details on:toggle=move |event| open.set(is_open(&event))>
                <summary>"Diagnostics: online Elo, a model of ties"</summary>
                {move || open.get().then(found)}
            </details>
        </Show>
    }
    .into_any()
}

fn draw(found: &Diagnostics) -> impl IntoView + use<> {
    let rows = found.rows.iter().map(|row| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">{row.name.clone()}</th>
                <td role="cell" class="r key">{words::rating(row.rating)}</td>
                <td role="cell" class="r" data-label="Davidson">
                    {number::or_none(row.davidson, words::rating)}
                </td>
                <td role="cell" class="r" data-label="Online Elo">{words::rating(row.online)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let heads = ["Maximum likelihood", "Davidson", "Online Elo"].map(|name| {
        view! { <th role="columnheader" scope="col" class="r">{name}</th> }
    });
    let ties = found.davidson.map_or_else(
        || "It has no likeliest answer here.".to_owned(),
        |it| {
            let tie = number::percent1(it.ties / (2.0 + it.ties));
            format!("Of 100 battles between equal systems it expects {tie} ties.")
        },
    );
    let foot = format!(
        "Beside the ratings, never in their place, and without intervals. Davidson: a tie is a result of its \
         own, not half a win; if its distances are far from those of the ratings, ties matter. {ties} Online \
         Elo: K = 4, from 1000, in the order of the file, on which it depends."
    );
    view! {
        <table class="table table--fold" role="table" aria-label="Diagnostics">
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"System"</th>
                    {heads.collect_view()}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table>
        <p class="table-foot">{foot}</p>
    }
}
