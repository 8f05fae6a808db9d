//! A one-page summary: the finding, how it was made, every table with its denominators, and the limits.

use std::fmt::Write as _;

use crate::metrics::{
    CoverageTable, Difference, Figure, Finding, Group, GroupCell, Headline, TypeCell, TypeTable,
};
use crate::protocol::Reading;
use crate::report::grid::{self, Grid};
use crate::report::number::{self, counted};
use crate::report::{
    INTERVAL_CAPTION, NOT_CORRECTNESS, Provenance, headline, markdown, measure, notes,
};

/// What a summary is made from: one reading and one view throughout.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    pub provenance: &'a Provenance,
    pub headline: &'a Headline,
    pub coverage: &'a CoverageTable,
    pub differences: &'a [Difference],
    pub domains: &'a [Group],
    pub fields: &'a [Group],
    pub types: &'a TypeTable,
}

/// The summary as Markdown.
pub fn summary(parts: &Summary<'_>) -> String {
    let practice = parts.coverage.practice || parts.provenance.practice;
    let mut text = format!("# {}\n\n{}", measure(practice), markdown::watermark(practice));
    if parts.coverage.rows.is_empty() {
        text.push_str("No system is in view.");
    } else {
        for span in headline::spans(parts.headline) {
            text.push_str(&set(&span));
        }
    }
    text.push_str("\n\n");

    section(&mut text, "How it was made", &format!("{}\n", methods(parts, practice)));
    section(&mut text, "Table", &coverage(parts, practice));
    if !parts.differences.is_empty() {
        section(&mut text, "Differences", &differences(parts.differences));
    }
    section(&mut text, "What was asked", &asked(parts.coverage));
    section(&mut text, "Ranges", &ranges(parts.coverage));
    // One group without a name is the whole table again.
    if parts.domains.iter().any(|group| !group.name.is_empty()) {
        section(&mut text, "By domain", &groups(parts, parts.domains, "Domain", "domains"));
    }
    if parts.fields.iter().any(|group| !group.name.is_empty()) {
        section(&mut text, "By field", &groups(parts, parts.fields, "Field", "fields"));
    }
    if 0 < parts.types.items {
        section(&mut text, "By type of rubric item", &types(parts.types));
    }
    section(&mut text, "Limits", &limits(parts, practice));
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    writeln!(text, "## {title}\n\n{body}").ok();
}

/// A span escaped. The blanks at its ends join sentences, so they are kept apart from the escaping,
/// which trims.
fn set(span: &headline::Span) -> String {
    let inner = span.text.trim();
    if inner.is_empty() {
        return span.text.clone();
    }
    let start = &span.text[..span.text.len() - span.text.trim_start().len()];
    let end = &span.text[span.text.trim_end().len()..];
    if span.strong {
        // A name's own blanks may be line breaks.
        return format!("**{}**", markdown::escape(inner));
    }
    format!("{start}{}{end}", markdown::escape(inner))
}

fn methods(parts: &Summary<'_>, practice: bool) -> String {
    let Provenance { app_version, dataset, n_cases, judge, how, seed, created_utc, .. } =
        parts.provenance;
    let asked = parts.coverage.tally.asked();
    let were = if asked == 1 { "was" } else { "were" };
    let act = if practice { "compared by shared words by" } else { "put to" };
    markdown::escape(&format!(
        "{} of {dataset}; {}, seed {seed}. {} {} of the answers given {were} {act} the judge {judge}, \
         {how}. Reading: {}. {} Viva {app_version}, {created_utc}.",
        counted(*n_cases, "query", "queries"),
        notes::per_field(parts.provenance.queries_per_field),
        scope(parts),
        counted(asked, "rubric item", "rubric items"),
        parts.coverage.reading.as_str(),
        rules(parts.coverage.reading)
    ))
}

/// Who answered; where a filter leaves part of the run, how much of it is in view.
fn scope(parts: &Summary<'_>) -> String {
    let Provenance { n_cases, notes, .. } = parts.provenance;
    let systems = counted(parts.coverage.rows.len() as u64, "system", "systems");
    if *n_cases == parts.coverage.n_queries && notes.is_empty() {
        return format!("Answered by {systems}.");
    }
    format!("In view: {} of the run’s {n_cases} queries, and {systems}.", parts.coverage.n_queries)
}

fn rules(reading: Reading) -> &'static str {
    match reading {
        Reading::Recommended => {
            "List marks, case and a final period in a label are forgiven; an unknown label loses only its \
             item; failures are counted and never scored."
        }
        Reading::Paper => {
            "Labels count exactly as spelled; an item without a verdict leaves its answer without a value; \
             missing answers are skipped."
        }
        Reading::Released => {
            "An answer with a failed batch is dropped, missing answers are skipped, and an unknown label \
             ends the run without a result."
        }
    }
}

fn coverage(parts: &Summary<'_>, practice: bool) -> String {
    let mut sentences = notes::status(parts.coverage, parts.provenance);
    sentences.push(notes::denominators(parts.coverage.reading, parts.coverage.n_queries));
    sentences.push(format!("95% t-interval over queries. {INTERVAL_CAPTION}"));
    sentences.extend(notes::few(parts.coverage));
    sentences.extend(notes::selection(parts.coverage));
    sentences.extend(notes::lengths(parts.coverage));
    sentences.extend(parts.provenance.notes.iter().cloned());
    format!(
        "{}\n{}",
        markdown::grid(&Grid::coverage(parts.coverage, practice)),
        markdown::list(&sentences)
    )
}

fn differences(list: &[Difference]) -> String {
    let baseline = list.first().map(|gap| gap.baseline_name.as_str()).unwrap_or_default();
    let head =
        ["System", "Points", "95% interval", "Queries", "Reading"].map(str::to_owned).to_vec();
    let rows = list
        .iter()
        .map(|gap| {
            let reading = match gap.finding {
                Finding::Higher | Finding::Lower => {
                    format!("{} than {}", gap.finding.as_str(), gap.baseline_name)
                }
                Finding::NoClearDifference => {
                    format!("{} from {}", gap.finding.as_str(), gap.baseline_name)
                }
                Finding::TooFew | Finding::Interim => gap.finding.as_str().to_owned(),
            };
            vec![
                gap.name.clone(),
                number::or_none(gap.mean, number::points),
                number::bounds_or_none(gap.low, gap.high, number::points_interval),
                number::count(gap.n),
                reading,
            ]
        })
        .collect();
    format!(
        "{}\n{}",
        markdown::grid(&Grid { head, rows, ends_in_text: true }),
        markdown::list(&[
            format!(
                "Each system minus the baseline, {baseline}, query by query, on the queries both answered."
            ),
            "Each interval holds on its own: of many comparisons some leave out zero by chance."
                .to_owned(),
        ])
    )
}

fn asked(table: &CoverageTable) -> String {
    let head = [
        "System",
        "Queries",
        "Answered",
        "Missing",
        "Empty",
        "Asked",
        "Scored",
        "Unparsed",
        "Truncated",
        "Refused",
        "Failed",
        "In flight",
    ]
    .map(str::to_owned)
    .to_vec();
    let rows = grid::in_order(table)
        .into_iter()
        .map(|row| {
            let tally = &row.tally;
            let mut cells = vec![row.name.clone()];
            cells.extend(
                [
                    row.matched + row.missing + row.empty,
                    row.matched,
                    row.missing,
                    row.empty,
                    tally.asked(),
                    tally.scored,
                    tally.unparsed,
                    tally.truncated,
                    tally.refused,
                    tally.failed,
                    tally.in_flight,
                ]
                .map(number::count),
            );
            cells
        })
        .collect();
    format!(
        "{}\n{}",
        markdown::grid(&Grid { head, rows, ends_in_text: false }),
        markdown::list(&[
            format!("All verdicts: {}.", notes::sum(&table.tally)),
            "Queries = answered + missing + empty.".to_owned(),
        ])
    )
}

fn ranges(table: &CoverageTable) -> String {
    let sentences = notes::ranges(table);
    if !sentences.is_empty() {
        return markdown::list(&sentences);
    }
    let sentence = if table.aborted.is_some() {
        "No figure, so no range."
    } else {
        "Every item judged has a verdict, so no figure can move for want of one."
    };
    markdown::list(&[sentence.to_owned()])
}

fn groups(parts: &Summary<'_>, list: &[Group], one: &str, many: &str) -> String {
    let names = parts.coverage.rows.iter().map(|row| row.name.clone());
    let head = [one, "Queries"].map(str::to_owned).into_iter().chain(names).collect();
    let rows = list
        .iter()
        .map(|group| {
            let name = if group.name.is_empty() { "(none named)" } else { &group.name };
            [name.to_owned(), number::count(group.n)]
                .into_iter()
                .chain(group.cells.iter().map(group_cell))
                .collect()
        })
        .collect();
    format!(
        "{}\n{}",
        markdown::grid(&Grid { head, rows, ends_in_text: false }),
        markdown::list(&[
            "Answered only, %, ± half the width of the 95% t-interval. Fewer than 10 queries are marked \
             “too few”: no interval, and no claim."
                .to_owned(),
            format!("The overall figure is the mean over queries, not over {many}."),
        ])
    )
}

fn group_cell(cell: &GroupCell) -> String {
    // Of the figure printed here, which need not be the one that `few` speaks of.
    let few = cell.answered.is_few();
    let Figure { mean, low, high, n, .. } = cell.answered;
    let Some(mean) = mean else { return number::NONE.to_owned() };
    let reach = match low.zip(high) {
        Some((low, high)) if !few => format!(" ± {}", number::percent1((high - low) / 2.0)),
        _ => String::new(),
    };
    let doubt = if few { ", too few" } else { "" };
    format!("{}{reach} (n = {n}{doubt})", number::percent1(mean))
}

fn types(table: &TypeTable) -> String {
    let names = table.rows.iter().map(|row| row.name.clone());
    let head = ["Type", "Items", "% of items", "% of types assigned"]
        .map(str::to_owned)
        .into_iter()
        .chain(names)
        .collect();
    let rows = table
        .frequencies
        .iter()
        .enumerate()
        .filter(|(_, kind)| 0 < kind.items)
        .map(|(at, kind)| {
            [
                kind.item_type.as_str().to_owned(),
                number::count(kind.items),
                number::or_none(kind.share_of_items, number::percent1),
                number::or_none(kind.share_of_labels, number::percent1),
            ]
            .into_iter()
            .chain(
                table.rows.iter().map(|row| row.cells.get(at).map(type_cell).unwrap_or_default()),
            )
            .collect()
        })
        .collect();
    let mut sentences = vec![
        "Under each system: % of scored items not rated “Completely”, pooled over answers."
            .to_owned(),
        format!(
            "{} with a type, {} in all: an item with several types counts once for each.",
            counted(table.items, "rubric item", "rubric items"),
            counted(table.labels, "label", "labels")
        ),
    ];
    if 0 < table.untyped {
        sentences.push(format!(
            "{} without a type: in none of these shares.",
            counted(table.untyped, "rubric item", "rubric items")
        ));
    }
    format!(
        "{}\n{}",
        markdown::grid(&Grid { head, rows, ends_in_text: false }),
        markdown::list(&sentences)
    )
}

fn type_cell(cell: &TypeCell) -> String {
    match cell.error {
        Some(error) => format!("{} (n = {})", number::percent1(error), cell.n),
        None => number::NONE.to_owned(),
    }
}

fn limits(parts: &Summary<'_>, practice: bool) -> String {
    let mut sentences = vec![
        format!(
            "{NOT_CORRECTNESS} A checklist says what an answer addresses, not whether it is true or well \
             sourced."
        ),
        INTERVAL_CAPTION.to_owned(),
        "One judge and one prompt. Others can move all figures, and the order too.".to_owned(),
    ];
    if practice {
        sentences.insert(
            0,
            "Practice scores count shared words. They show how the tool works and say nothing about the \
             systems."
                .to_owned(),
        );
    }
    if parts.coverage.longest.is_some() {
        sentences.push("Answer lengths differ, and longer answers tend to cover more.".to_owned());
    }
    markdown::list(&sentences)
}
