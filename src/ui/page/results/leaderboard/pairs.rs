//! One system against another, to unfold.

use leptos::prelude::*;

use crate::edge::page;
use crate::metrics::leaderboard::{PairRow, Rated};
use crate::rating::Verdict;
use crate::report::number;
use crate::report::rating as words;
use crate::ui::format::counted;
use crate::ui::part::field::SelectField;
use crate::ui::part::number::Count;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::BoardView;

/// Pairs up to which all are shown at first.
const ALL_AT_FIRST: usize = 60;

/// Which pairs are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    All,
    /// Those of a system, by its number.
    Of(usize),
}

/// Absent where errors are unknown.
#[component]
pub fn Pairs() -> impl IntoView {
    let session = expect_context::<Session>();
    let wish = RwSignal::new(None::<Chosen>);
    let with = move |read: &mut dyn FnMut(&Rated)| {
        session.ratings.board.with(|it| {
            if let Some(BoardView::Rated { rated: it, .. }) = it.ready() {
                read(it);
            }
        });
    };
    let systems = memo(move || {
        let mut systems: Vec<(usize, String)> = Vec::new();
        with(&mut |it| {
            systems = it.rows.iter().map(|row| (row.system, row.name.clone())).collect();
        });
        systems
    });
    let n = memo(move || {
        let mut n = 0;
        with(&mut |it| n = it.pairs.len());
        n
    });
    let chosen = memo(move || {
        let first = systems.with(|it| it.first().map(|it| it.0));
        let usual = match first {
            Some(first) if ALL_AT_FIRST < n.get() => Chosen::Of(first),
            _ => Chosen::All,
        };
        // A system may have left the table.
        match wish.get() {
            Some(Chosen::Of(at)) if systems.with(|it| it.iter().all(|it| it.0 != at)) => usual,
            Some(wish) => wish,
            None => usual,
        }
    });
    let options = memo(move || {
        let mut options = vec![("all".to_owned(), "All".to_owned())];
        options.extend(systems.get().into_iter().map(|(at, name)| (at.to_string(), name)));
        options
    });
    let choose = Callback::new(move |value: String| {
        wish.set(Some(value.parse().map_or(Chosen::All, Chosen::Of)));
    });
    let body = move || {
        let mut body = None;
        with(&mut |it| body = Some(draw(it, chosen.get()).into_any()));
        body
    };
    // Thousands of rows that nobody unfolds would hold up the page.
    let open = RwSignal::new(false);
    view! {
        <Show when=move || { 0 < n.get() }>
            <details on:toggle=move |event| open.set(page::is_open(&event))>
                <summary>{move || format!("Pairs: {}", n.get())}</summary>
                <Show when=move || open.get()>
                    <div class="stack">
                        <SelectField
                            id="rating-pairs"
                            label="Pairs of"
                            inline=true
                            options=options
                            value=Signal::derive(move || match chosen.get() {
                                Chosen::All => "all".to_owned(),
                                Chosen::Of(at) => at.to_string(),
                            })
                            on_change=choose
                        />
                        {body}
                    </div>
                </Show>
            </details>
        </Show>
    }
    .into_any()
}

/// What a row shows, as text.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    first: String,
    second: String,
    difference: String,
    error: String,
    interval: String,
    verdict: &'static str,
    wins: String,
    battles: u64,
}

impl Line {
    /// Seen from one of the two.
    fn of(pair: &PairRow, from: Option<usize>) -> Self {
        let turned = from == Some(pair.second);
        let sign = if turned { -1.0 } else { 1.0 };
        let (low, high) = (pair.simultaneous.low, pair.simultaneous.high);
        let (low, high) = if turned { (-high, -low) } else { (low, high) };
        let share = |share: f64| number::percent1(if turned { 1.0 - share } else { share });
        let (worse, better) = (share(pair.win_interval.low), share(pair.win_interval.high));
        let (worse, better) = if turned { (better, worse) } else { (worse, better) };
        let (first, second) = (pair.first_name.clone(), pair.second_name.clone());
        let (first, second) = if turned { (second, first) } else { (first, second) };
        Self {
            first,
            second,
            difference: number::signed(sign * pair.difference, 0),
            error: number::fixed(pair.standard_error, 1),
            interval: format!("{} to {}", number::signed(low, 0), number::signed(high, 0)),
            verdict: words::verdict(match (pair.verdict, turned) {
                (Verdict::Above, true) => Verdict::Below,
                (Verdict::Below, true) => Verdict::Above,
                (verdict, _) => verdict,
            }),
            wins: format!("{} ({worse}–{better})", share(pair.win)),
            battles: pair.battles,
        }
    }
}

fn lines(rated: &Rated, chosen: Chosen) -> Vec<Line> {
    let pairs = rated.pairs.iter();
    match chosen {
        Chosen::All => pairs.map(|it| Line::of(it, None)).collect(),
        Chosen::Of(at) => pairs
            .filter(|it| it.first == at || it.second == at)
            .map(|it| Line::of(it, Some(at)))
            .collect(),
    }
}

fn draw(rated: &Rated, chosen: Chosen) -> impl IntoView + use<> {
    let rows = lines(rated, chosen).into_iter().map(|line| view! { <Entry line=line /> });
    let rows = rows.collect_view();
    let foot = foot(rated);
    let heads = ["Difference", "SE", "95%, all pairs at once"].map(|name| {
        view! { <th role="columnheader" scope="col" class="r">{name}</th> }
    });
    view! {
        <div>
            <table class="table table--fold" role="table" aria-label="Pairs">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">"System"</th>
                        <th role="columnheader" scope="col">"Against"</th>
                        {heads.collect_view()}
                        <th role="columnheader" scope="col">"Reading"</th>
                        <th role="columnheader" scope="col" class="r">"Wins in 100"</th>
                        <th role="columnheader" scope="col" class="r">"Battles"</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
            <p class="table-foot">{foot}</p>
        </div>
    }
}

fn foot(rated: &Rated) -> String {
    let mut text = "By maximum likelihood in every mode. SE: of the difference, paired over queries, so that \
                    what is hard or easy for both cancels. Reading: from intervals that hold for all pairs at \
                    once. Wins in 100: how many the system would win, a tie being half, with the 95% interval \
                    of this pair alone."
        .to_owned();
    if 0 < rated.pairs_left_out {
        let n = rated.pairs_left_out;
        text += " Only neighbours in the table are listed; ";
        text += &counted(n, "other pair is not.", "other pairs are not.");
    }
    text
}

/// One pair.
#[component]
fn Entry(line: Line) -> impl IntoView {
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{line.first}</th>
            <td role="cell" data-label="Against">{line.second}</td>
            <td role="cell" class="r key">{line.difference}</td>
            <td role="cell" class="r second" data-label="SE">{line.error}</td>
            <td role="cell" class="r second" data-label="95%, all pairs">{line.interval}</td>
            <td role="cell" data-label="Reading">{line.verdict}</td>
            <td role="cell" class="r" data-label="Wins in 100">{line.wins}</td>
            <td role="cell" class="r" data-label="Battles"><Count n=line.battles /></td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::Interval;

    #[test]
    fn a_pair_reads_the_same_from_both_sides() {
        let pair = PairRow {
            first: 4,
            second: 2,
            first_name: "alder".to_owned(),
            second_name: "birch".to_owned(),
            difference: 172.3,
            standard_error: 40.0,
            simultaneous: Interval { low: 60.0, high: 285.0 },
            verdict: Verdict::Above,
            win: 0.73,
            win_interval: Interval { low: 0.62, high: 0.81 },
            battles: 24,
        };
        let line = Line::of(&pair, Some(4));
        assert_eq!((line.difference.as_str(), line.verdict), ("+172", "above"));
        assert_eq!(
            (line.interval.as_str(), line.wins.as_str()),
            ("+60 to +285", "73.0 (62.0–81.0)")
        );
        assert_eq!(Line::of(&pair, None), line);
        let line = Line::of(&pair, Some(2));
        assert_eq!((line.first.as_str(), line.second.as_str()), ("birch", "alder"));
        assert_eq!((line.difference.as_str(), line.verdict), ("−172", "below"));
        assert_eq!(
            (line.interval.as_str(), line.wins.as_str()),
            ("−285 to −60", "27.0 (19.0–38.0)")
        );
    }
}
