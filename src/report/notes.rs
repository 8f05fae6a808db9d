//! The sentences below a table: denominators, doubt, ranges, lengths, origin. Plain text, to be escaped
//! as a whole by the format that prints it.

use crate::metrics::{CoverageRow, CoverageTable};
use crate::observation::Tally;
use crate::protocol::Reading;
use crate::report::number::{self, counted};
use crate::report::{FEW_CAPTION, INTERVAL_CAPTION, NOT_CORRECTNESS, Provenance};
use crate::run::record::Extension;

/// All of them, in the order a reader needs them.
pub(super) fn all(table: &CoverageTable, provenance: &Provenance) -> Vec<String> {
    let mut notes = status(table, provenance);
    notes.push(denominators(table.reading, table.n_queries));
    notes.push(format!(
        "SE: standard deviation of answer coverage over queries, divided by the square root of n. \
         Interval: 95% t-interval. {INTERVAL_CAPTION}"
    ));
    notes.extend(few(table));
    notes.push(format!("Verdicts: {}.", sum(&table.tally)));
    notes.extend(ranges(table));
    notes.extend(selection(table));
    notes.extend(lengths(table));
    notes.push(origin(provenance, table.reading));
    notes.extend(provenance.notes.iter().cloned());
    notes.push(NOT_CORRECTNESS.to_owned());
    notes
}

/// That a run grew after it was begun: `Extended on 2026-11-30: 10 to 20 queries, 3 to 4 systems.`
pub fn extended(date: &str, extension: &Extension) -> String {
    let (before, after) = (extension.before, extension.after);
    let parts: Vec<String> = [
        (before.queries, after.queries, "queries"),
        (before.systems, after.systems, "systems"),
        (before.battles, after.battles, "battles"),
    ]
    .into_iter()
    .filter(|(before, after, _)| before != after)
    .map(|(before, after, what)| format!("{before} to {after} {what}"))
    .collect();
    format!("Extended on {date}: {}.", parts.join(", "))
}

/// Whether there is a result, and whether it is final.
pub(super) fn status(table: &CoverageTable, provenance: &Provenance) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reason) = &table.aborted {
        notes.push(format!("No result as in the authors’ code: {reason}"));
    }
    if !(table.complete && provenance.complete) {
        notes.push(
            "Interim: not everything planned has come back, so nothing is ranked.".to_owned(),
        );
    }
    notes
}

pub(super) fn denominators(reading: Reading, n_queries: u64) -> String {
    let queries = counted(n_queries, "query", "queries");
    match reading {
        Reading::Recommended => format!(
            "All asked: mean over the {queries}; a missing or empty answer counts 0. Answered only: mean \
             over the queries a system answered. Items without a verdict are in neither; they widen the \
             range. n: queries in the mean to its left."
        ),
        Reading::Paper => format!(
            "Mean over the answered ones of {queries}; a missing answer is skipped, and an answer with an \
             item without a verdict is left out. n: queries in the mean."
        ),
        Reading::Released => format!(
            "Mean over the answered ones of {queries}; a missing answer is skipped, and an answer with a \
             failed batch is dropped whole. n: queries in the mean."
        ),
    }
}

/// Whether any interval rests on so few queries that it is hardly one.
pub(super) fn few(table: &CoverageTable) -> Option<String> {
    let is_guess = |row: &CoverageRow| {
        let main = row.main(table.reading);
        main.low.is_some() && main.is_few()
    };
    table.rows.iter().any(is_guess).then(|| FEW_CAPTION.to_owned())
}

/// `asked 10 = scored 7 + …`: every verdict asked for is in exactly one addend.
pub(super) fn sum(tally: &Tally) -> String {
    let Tally { scored, unparsed, truncated, refused, failed, in_flight } = tally;
    format!(
        "asked {} = scored {scored} + unparsed {unparsed} + truncated {truncated} + refused {refused} + \
         failed {failed} + in flight {in_flight}",
        tally.asked()
    )
}

/// One sentence a system whose figure could still move.
pub(super) fn ranges(table: &CoverageTable) -> Vec<String> {
    table.rows.iter().filter_map(|row| range(table, row)).collect()
}

fn range(table: &CoverageTable, row: &CoverageRow) -> Option<String> {
    let figure = row.main(table.reading);
    let (low, high) = figure.range_low.zip(figure.range_high)?;
    if !figure.is_open() {
        return None;
    }
    let silent = row.tally.unscored() + row.tally.in_flight;
    let items = match silent {
        // Planned items are not asked yet, so no tally holds them.
        0 => "items still to be asked".to_owned(),
        n => format!("{} without a verdict", counted(n, "item", "items")),
    };
    let left_out = match row.left_out.undefined() {
        0 => String::new(),
        n => format!("; {} left out", counted(n, "answer", "answers")),
    };
    Some(format!(
        "{}: {items}{left_out}, so its figure lies between {} and {}.",
        row.name,
        number::percent1(low),
        number::percent1(high)
    ))
}

/// Which queries the table holds.
pub(super) fn selection(table: &CoverageTable) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(common) = table.common.filter(|common| common.applied) {
        let doubt = if common.low { ", too small a part to stand for the rest" } else { "" };
        notes.push(format!(
            "Only the {} of {} queries that every system answered{doubt}.",
            common.n, common.of
        ));
    }
    if 0 < table.without_items {
        notes.push(format!(
            "Left out: {} without such rubric items.",
            counted(table.without_items, "query", "queries")
        ));
    }
    notes
}

pub(super) fn lengths(table: &CoverageTable) -> Vec<String> {
    let mut notes = Vec::new();
    if table.rows.iter().any(|row| row.over_250) {
        notes.push("* over the 250 words asked for.".to_owned());
    }
    if let Some(apart) = &table.longest {
        notes.push(format!(
            "{} writes {} times as much as {} (median {} against {} words); longer answers tend to cover more.",
            apart.longest,
            number::ratio(apart.ratio),
            apart.shortest,
            number::words(apart.longest_words),
            number::words(apart.shortest_words)
        ));
    }
    notes
}

/// Where the numbers come from. The reading is the table's own: it is what the numbers were computed under.
pub(super) fn origin(provenance: &Provenance, reading: Reading) -> String {
    let Provenance { app_version, dataset, judge, how, seed, created_utc, .. } = provenance;
    format!(
        "Source: {dataset}, {}, {}, seed {seed}. Judge: {judge}, {how}. Reading: {}. Viva {app_version}, \
         {created_utc}.",
        counted(provenance.n_cases, "query", "queries"),
        per_field(provenance.queries_per_field),
        reading.as_str()
    )
}

pub(super) fn per_field(limit: Option<u32>) -> String {
    match limit {
        Some(limit) => format!("at most {limit} a field"),
        None => "all fields in full".to_owned(),
    }
}
