//! Rubric coverage of each system, with every denominator in its row.

use leptos::prelude::*;

use crate::metrics::{CoverageRow, CoverageTable, Figure};
use crate::protocol::Reading;
use crate::report::number::{self, NONE};
use crate::report::{FEW_CAPTION, INTERVAL_CAPTION, measure};
use crate::ui::format::counted;
use crate::ui::order::{put, put_before};
use crate::ui::part::number::Count;
use crate::ui::part::plot::{Axis, Plot, Scale};
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::Session;
use crate::worker::Tables;

/// The table, what restricts it, its foot and its margin.
#[component]
pub fn CoverageSection(title: Signal<&'static str>, practice: Memo<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let interim =
        memo(move || session.tables.with(|it| it.ready().is_some_and(|it| !it.coverage.complete)));
    let hidden = memo(move || session.tables.with(|it| it.ready().is_some_and(all_hidden)));
    view! {
        <section class="section section--noted" aria-labelledby="results-coverage">
            <header>
                <h2 id="results-coverage">
                    {move || title.get()} {move || interim.get().then_some(" ")}
                    {move || {
                        interim.get().then(|| view! { <span class="chip chip--warn">"interim"</span> })
                    }}
                </h2>
                <Common />
            </header>
            <Show when=move || practice.get()>
                <div class="notice notice--warn notice--slim">
                    <p>
                        <strong>"Practice."</strong>
                        " These figures count shared words. They show how the page works and say nothing about the systems."
                    </p>
                </div>
            </Show>
            <Warnings />
            <div class="with-margin">
                <div>
                    <Show
                        when=move || !hidden.get()
                        fallback=|| view! { <p role="status">{ALL_HIDDEN}</p> }
                    >
                        {move || {
                            session.tables.with(|it| it.ready().map(|it| draw(&it.coverage)))
                        }}
                        <Foot />
                    </Show>
                    <SystemsShown />
                </div>
                <Margin practice=practice />
            </div>
        </section>
    }
}

/// What to do where no system is left to show.
pub const ALL_HIDDEN: &str = "All systems are hidden. Show one under “Systems shown”.";

/// Whether there are systems, and none of them is in view.
pub fn all_hidden(tables: &Tables) -> bool {
    tables.coverage.rows.is_empty() && !tables.systems.is_empty()
}

/// Restricts all tables to what every visible system answered.
#[component]
fn Common() -> impl IntoView {
    let session = expect_context::<Session>();
    let common = memo(move || session.tables.with(|it| it.ready()?.coverage.common));
    let label = move || match common.get() {
        Some(note) => format!("Only the {} everyone answered", counted(note.n, "query", "queries")),
        None => "Only the queries everyone answered".to_owned(),
    };
    view! {
        <div class="check check--inline">
            <input
                type="checkbox"
                id="results-common"
                prop:checked=move || session.view.with(|it| it.common)
                on:change=move |event| {
                    session.view.update(|it| it.common = event_target_checked(&event));
                }
            />
            <label for="results-common">{label}</label>
        </div>
    }
}

/// What keeps the table from being taken at its word.
#[component]
fn Warnings() -> impl IntoView {
    let session = expect_context::<Session>();
    let aborted = memo(move || {
        session.tables.with(|it| it.ready().and_then(|it| it.coverage.aborted.clone()))
    });
    let few = memo(move || {
        let note = session.tables.with(|it| it.ready()?.coverage.common)?;
        (note.applied && note.low).then(|| {
            format!(
                "Everyone answered {} of {} queries, under 80%. They may not stand for the rest.",
                note.n, note.of
            )
        })
    });
    view! {
        {move || {
            aborted
                .get()
                .map(|reason| {
                    view! {
                        <div class="notice notice--warn" role="status">
                            <h3>"No result as in the authors’ code"</h3>
                            <p>
                                {reason}
                                " Choose the recommended reading to keep what was judged."
                            </p>
                        </div>
                    }
                })
        }}
        {move || {
            few.get()
                .map(|text| {
                    view! {
                        <div class="notice notice--warn notice--slim" role="status">
                            <p>{text}</p>
                        </div>
                    }
                })
        }}
    }
}

/// What a row shows, as text.
struct Row {
    name: String,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    ring: Option<f64>,
    said: String,
    all_asked: String,
    se: String,
    interval: String,
    /// Queries in the key figure.
    n: u64,
    answered: String,
    matched: u64,
    scored: u64,
    asked: u64,
    range: String,
    words: String,
    over: bool,
    /// Whether the key figure is the one over all asked.
    leads: bool,
}

impl Row {
    fn of(row: &CoverageRow, reading: Reading) -> Self {
        let main = row.main(reading);
        let percent = |share: Option<f64>| share.map(|it| it * 100.0);
        let leads = reading == Reading::Recommended;
        let differs = number::or_none(row.answered.mean, number::percent1)
            != number::or_none(main.mean, number::percent1);
        Self {
            name: row.name.clone(),
            value: percent(main.mean),
            low: percent(main.low),
            high: percent(main.high),
            ring: percent(row.answered.mean).filter(|_| leads && differs),
            said: said(main),
            all_asked: number::or_none(row.all_asked.mean, number::percent1),
            se: number::or_none(main.se, number::se2),
            interval: number::bounds_or_none(main.low, main.high, number::interval),
            n: main.n,
            answered: number::or_none(row.answered.mean, number::percent1),
            matched: row.matched,
            scored: row.tally.scored,
            asked: row.tally.asked(),
            range: range(main).unwrap_or_else(|| NONE.to_owned()),
            words: number::or_none(row.median_words, number::words),
            over: row.over_250,
            leads,
        }
    }
}

/// `64.4–69.1` where missing verdicts could move the mean.
fn range(figure: &Figure) -> Option<String> {
    let (low, high) = figure.range_low.zip(figure.range_high).filter(|_| figure.is_open())?;
    Some(number::interval(low, high))
}

/// The mark in words.
fn said(figure: &Figure) -> String {
    let Some(mean) = figure.mean else {
        return "no figure".to_owned();
    };
    match figure.low.zip(figure.high) {
        Some((low, high)) => format!(
            "{}, interval {} to {}",
            number::percent1(mean),
            number::percent1(low),
            number::percent1(high)
        ),
        None => number::percent1(mean),
    }
}

/// Highest first once everything is in; before that nothing is ranked.
fn ordered(table: &CoverageTable) -> Vec<&CoverageRow> {
    if !table.complete {
        return table.rows.iter().collect();
    }
    let mean = |row: &CoverageRow| row.main(table.reading).mean.unwrap_or(f64::NEG_INFINITY);
    let mut rows = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        put_before(&mut rows, row, |it| mean(it) < mean(row));
    }
    rows
}

/// A tick, with a decimal only where it has one.
pub fn tick(value: f64) -> String {
    number::fixed(value, usize::from(1e-6 < (value - value.round()).abs()))
}

fn draw(table: &CoverageTable) -> impl IntoView + use<> {
    let rows: Vec<Row> = ordered(table).into_iter().map(|it| Row::of(it, table.reading)).collect();
    let scale =
        Scale::of_whole(rows.iter().flat_map(|it| [it.value, it.low, it.high, it.ring]).flatten());
    let (all_sort, answered_sort) = match (table.complete, table.reading) {
        (false, _) => (None, None),
        (true, Reading::Recommended) => (Some("descending"), None),
        (true, Reading::Paper | Reading::Released) => (None, Some("descending")),
    };
    let of = format!("of {}", table.n_queries);
    let body = rows
        .into_iter()
        .map(|row| view! { <Line row=row scale=scale.clone() of=table.n_queries /> })
        .collect_view();
    // A caption inside the table would part the axis from its rows where the table folds.
    view! {
        <p class="above-table">{caption(table)}</p>
        <Axis scale=scale.clone() label=tick class="axis axis--phone" />
        <table class="table table--fold table--close" role="table" aria-label="Rubric coverage">
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"System"</th>
                    <th role="columnheader" scope="col" class="plot-cell">
                        <span class="sr-only">"Dot and interval"</span>
                        <Axis scale=scale label=tick />
                    </th>
                    <Head first="Coverage %" second="(all asked)" sort=all_sort />
                    <Head first="SE" />
                    <Head first="95% interval" />
                    <Head first="Queries" />
                    <Head first="Answered" second="only %" sort=answered_sort />
                    <th role="columnheader" scope="col" class="r">"Answers, " <br /> {of}</th>
                    <Head first="Scored" />
                    <Head first="Asked" />
                    <Head first="Range" />
                    <Head first="Median" second="words" />
                </tr>
            </thead>
            <tbody role="rowgroup">{body}</tbody>
        </table>
    }
}

/// What the table measures, under which reading, by which judge.
fn caption(table: &CoverageTable) -> String {
    let interim =
        if table.complete { "" } else { " Interim: not everything planned has come back." };
    format!(
        "{}. Reading: {}. Judge: {}, {}.{interim}",
        measure(table.practice),
        table.reading.as_str(),
        table.judge.name,
        table.judge.how
    )
}

/// A column's name, over figures.
#[component]
fn Head(
    first: &'static str,
    #[prop(optional)] second: Option<&'static str>,
    #[prop(default = None)] sort: Option<&'static str>,
) -> impl IntoView {
    view! {
        <th role="columnheader" scope="col" class="r" aria-sort=sort>
            <span class="num">{first}</span>
            {second.map(|second| view! { " " <br /> <span class="num">{second}</span> })}
        </th>
    }
}

/// One system.
#[component]
fn Line(row: Row, scale: Scale, of: u64) -> impl IntoView {
    let (first, second) = if row.leads { ("r key", "r key2") } else { ("r key2", "r key") };
    let unnamed = |leads: bool, name: &'static str| (!leads).then_some(name);
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{row.name}</th>
            <td role="cell" class="plot-cell">
                <Plot
                    scale=scale
                    value=row.value
                    low=row.low
                    high=row.high
                    ring=row.ring
                    label=row.said
                />
            </td>
            <td role="cell" class=first data-label=unnamed(row.leads, "All asked %")>
                {row.all_asked}
            </td>
            <td role="cell" class="r second" data-label="SE">{row.se}</td>
            <td role="cell" class="r second" data-label="Interval">{row.interval}</td>
            <td role="cell" class="r" data-label="Queries"><Count n=row.n /></td>
            <td role="cell" class=second data-label=unnamed(!row.leads, "Answered only %")>
                {row.answered}
            </td>
            <td role="cell" class="r" data-label=format!("Answers, of {of}")>
                <Count n=row.matched />
            </td>
            <td role="cell" class="r" data-label="Scored"><Count n=row.scored /></td>
            <td role="cell" class="r" data-label="Asked"><Count n=row.asked /></td>
            <td role="cell" class="r second" data-label="Range">{row.range}</td>
            <td role="cell" class="r words" data-label="Median words">
                <span>
                    {row.words}
                    {row.over.then(|| view! { <abbr title="over 250 words">"*"</abbr> })}
                </span>
            </td>
        </tr>
    }
}

/// What the marks are, what the interval leaves out, and what each figure could still be.
#[component]
fn Foot() -> impl IntoView {
    let session = expect_context::<Session>();
    let text = memo(move || {
        let merged = session.current().is_some_and(|run| !run.conflicts.is_empty());
        session
            .tables
            .with(|it| it.ready().map(|it| foot(&it.coverage, merged)).unwrap_or_default())
    });
    view! {
        <p class="table-foot">
            {move || text.get()} " "
            <a href=Route::Inspect(0).href()>"Read the judgements"</a>
        </p>
    }
}

/// `merged`: whether what was not read is what people disagreed on.
fn foot(table: &CoverageTable, merged: bool) -> String {
    let mut notes = vec![match table.reading {
        Reading::Recommended => {
            "Dot: all asked. Ring: answered only, where it differs. Line: 95% t-interval over queries."
                .to_owned()
        }
        Reading::Paper | Reading::Released => {
            "Dot: answered only. Line: 95% t-interval over queries.".to_owned()
        }
    }];
    notes.push(INTERVAL_CAPTION.to_owned());
    if table
        .rows
        .iter()
        .map(|row| row.main(table.reading))
        .any(|it| it.low.is_some() && it.is_few())
    {
        notes.push(FEW_CAPTION.to_owned());
    }
    notes.extend(table.rows.iter().filter_map(|row| unscored(row, table.reading, merged)));
    if 0 < table.without_items {
        notes.push(format!(
            "Left out: {} without such rubric items.",
            counted(table.without_items, "query", "queries")
        ));
    }
    if table.rows.iter().any(|row| row.over_250) {
        notes.push("* over the 250 words asked for.".to_owned());
    }
    if let Some(apart) = &table.longest {
        notes.push(format!(
            "{} writes {} times as much as {}; longer answers tend to {} more.",
            apart.longest,
            number::ratio(apart.ratio),
            apart.shortest,
            if table.practice { "share words" } else { "cover" }
        ));
    }
    notes.join(" ")
}

/// Verdicts one system lacks, answers that fall out with them, and how far that could move it.
fn unscored(row: &CoverageRow, reading: Reading, merged: bool) -> Option<String> {
    let tally = &row.tally;
    let items: Vec<String> = [
        (tally.unparsed, if merged { "in conflict" } else { "unparsed" }),
        (tally.truncated, "truncated"),
        (tally.refused, "refused"),
        (tally.failed, "failed"),
        (tally.in_flight, "in flight"),
    ]
    .into_iter()
    .filter(|(n, _)| 0 < *n)
    .enumerate()
    .map(|(at, (n, word))| match at {
        0 => format!("{} {word}", counted(n, "item", "items")),
        _ => format!("{n} {word}"),
    })
    .collect();
    let mut parts: Vec<String> = Vec::new();
    if !items.is_empty() {
        parts.push(items.join(", "));
    }
    let out = row.left_out.undefined();
    if 0 < out {
        parts.push(format!("{} left out", counted(out, "answer", "answers")));
    }
    if 0 < row.left_out.waiting {
        parts.push(format!("{} waiting", counted(row.left_out.waiting, "answer", "answers")));
    }
    let figure = row.main(reading);
    let bounds = range(figure).and(figure.range_low.zip(figure.range_high)).map(|(low, high)| {
        format!(
            ", so its figure lies between {} and {}",
            number::percent1(low),
            number::percent1(high)
        )
    });
    if parts.is_empty() && bounds.is_none() {
        return None;
    }
    if parts.is_empty() {
        parts.push("items still to be asked".to_owned());
    }
    Some(format!("{}: {}{}.", row.name, parts.join("; "), bounds.unwrap_or_default()))
}

/// Which systems the tables hold.
#[component]
fn SystemsShown() -> impl IntoView {
    let session = expect_context::<Session>();
    let systems = memo(move || {
        session.tables.with(|it| it.ready().map(|it| it.systems.clone()).unwrap_or_default())
    });
    let hidden = move || session.view.with(|it| it.hidden.len());
    let summary = move || {
        let all = systems.with(Vec::len);
        format!("Systems shown: {} of {all}", all.saturating_sub(hidden()))
    };
    view! {
        <details>
            <summary>{summary}</summary>
            <fieldset class="choices">
                <legend class="sr-only">"Systems shown"</legend>
                {move || {
                    systems
                        .get()
                        .into_iter()
                        .enumerate()
                        .map(|(at, name)| view! { <SystemBox at=at name=name /> })
                        .collect_view()
                }}
            </fieldset>
        </details>
    }
}

/// Shows or hides one system.
#[component]
fn SystemBox(at: usize, name: String) -> impl IntoView {
    let session = expect_context::<Session>();
    let id = format!("results-system-{at}");
    let set = move |shown: bool| {
        session.view.update(|view| {
            view.hidden.retain(|it| *it != at);
            if !shown {
                put(&mut view.hidden, at);
            }
            // A hidden baseline would leave no differences.
            view.baseline = view.baseline.filter(|it| *it != at || shown);
        });
    };
    view! {
        <div class="check check--inline">
            <input
                type="checkbox"
                id=id.clone()
                prop:checked=move || session.view.with(|it| !it.hidden.contains(&at))
                on:change=move |event| set(event_target_checked(&event))
            />
            <label for=id>{name}</label>
        </div>
    }
}

/// What the columns mean.
#[component]
fn Margin(practice: Memo<bool>) -> impl IntoView {
    let measured = move || {
        if practice.get() {
            return view! {
                <dt>"Word overlap"</dt>
                <dd>"How many words of the checklist occur in an answer. Nothing is judged."</dd>
            }
            .into_any();
        }
        view! {
            <dt>
                <button class="term" type="button" popovertarget="gloss-coverage">
                    "Coverage"
                </button>
            </dt>
            <dd>"The share of the checklist that an answer addresses."</dd>
        }
        .into_any()
    };
    let spread = move || {
        if practice.get() { "sd of answer scores / √n" } else { "sd of answer coverage / √n" }
    };
    view! {
        <div class="note" role="note">
            <dl>
                {measured}
                <dt>"All asked"</dt>
                <dd>"A missing or empty answer counts 0. A judge’s failure never does."</dd>
                <dt>"Answered only"</dt>
                <dd>"Missing answers are left out. Kind to systems that skip hard questions."</dd>
                <dt>
                    <button class="term" type="button" popovertarget="gloss-se">
                        "SE"
                    </button>
                </dt>
                <dd>"How much the mean would move with other questions."</dd>
                <dt>"Queries"</dt>
                <dd>"How many stand behind the mean, its SE and its interval."</dd>
                <dt>"Scored, asked"</dt>
                <dd>"Checklist points with a verdict, of those put to the judge."</dd>
                <dt>"Range"</dt>
                <dd>"Where the mean could lie, were missing verdicts all nothing or all in full."</dd>
            </dl>
        </div>
        <Show when=move || !practice.get()>
            <div class="gloss" id="gloss-coverage" popover="auto">
                "Coverage: the share of an expert’s checklist that an answer addresses, from 0 to 100."
                <code>"mean over queries of (sum of labels 0–4) / (4 × items)"</code>
            </div>
        </Show>
        <div class="gloss" id="gloss-se" popover="auto">
            "Standard error: how much this mean would move if other questions had been drawn."
            <code>{spread}</code>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::LeftOut;
    use crate::observation::Tally;

    fn row() -> CoverageRow {
        let figure = Figure {
            mean: Some(0.668),
            se: Some(0.012),
            low: Some(0.644),
            high: Some(0.691),
            n: 150,
            range_low: Some(0.668),
            range_high: Some(0.668),
        };
        CoverageRow {
            system: 0,
            name: "alder".to_owned(),
            all_asked: figure,
            answered: figure,
            matched: 150,
            missing: 0,
            empty: 0,
            left_out: LeftOut::default(),
            tally: Tally { scored: 1175, ..Tally::default() },
            median_words: Some(268.0),
            over_250: true,
        }
    }

    #[test]
    fn a_row_reads_as_printed() {
        let shown = Row::of(&row(), Reading::Recommended);
        assert_eq!(shown.all_asked, "66.8");
        assert_eq!(shown.se, "1.20");
        assert_eq!(shown.interval, "64.4–69.1");
        assert_eq!((shown.range.as_str(), shown.n), (NONE, 150));
        assert_eq!(shown.ring, None, "a ring only where the readings differ");
        assert_eq!(shown.said, "66.8, interval 64.4 to 69.1");
    }

    #[test]
    fn what_is_unscored_is_said_with_its_range() {
        let mut row = row();
        assert_eq!(unscored(&row, Reading::Recommended, false), None);
        row.tally.unparsed = 2;
        row.tally.refused = 1;
        row.left_out.unparsed = 1;
        row.all_asked.range_low = Some(0.557);
        row.all_asked.range_high = Some(0.559);
        assert_eq!(
            unscored(&row, Reading::Recommended, false).unwrap(),
            "alder: 2 items unparsed, 1 refused; 1 answer left out, so its figure lies between 55.7 and 55.9."
        );
        assert!(
            unscored(&row, Reading::Recommended, true)
                .unwrap()
                .starts_with("alder: 2 items in conflict,")
        );
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!(tick(40.0), "40");
        assert_eq!(tick(62.5), "62.5");
        assert_eq!(tick(-10.0), "−10");
    }
}
