//! CSV by RFC 4180: one row a system, every number in full precision, its origin in the same row.

use csv::{Terminator, WriterBuilder};

use crate::metrics::{CoverageRow, CoverageTable, Figure};
use crate::report::{Provenance, WATERMARK, grid, measure};

/// Whether the file starts with a byte order mark. Excel reads UTF-8 only with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bom {
    With,
    Without,
}

/// The coverage table. Shares are in per cent, SE and bounds too; nothing is rounded, and an empty cell
/// means that there is no number. Columns say of what, so rows stay true when they are copied elsewhere:
/// the practice watermark is a column for that reason.
pub fn coverage(table: &CoverageTable, provenance: &Provenance, bom: Bom) -> String {
    let practice = table.practice || provenance.practice;
    let mut writer =
        WriterBuilder::new().terminator(Terminator::CRLF).flexible(true).from_writer(Vec::new());
    let rows = grid::in_order(table);
    let columns: Vec<Vec<(String, String)>> =
        rows.iter().map(|row| record(row, table, provenance, practice)).collect();
    // Without a system there is still a head, so that a reader sees an empty table and not an empty file.
    let head: Vec<String> = match columns.first() {
        Some(first) => first.iter().map(|(name, _)| name.clone()).collect(),
        None => vec!["system".to_owned(), "measure".to_owned()],
    };
    // Writing to memory cannot fail.
    writer.write_record(&head).ok();
    for cells in &columns {
        writer.write_record(cells.iter().map(|(_, value)| value)).ok();
    }
    let bytes = writer.into_inner().unwrap_or_default();
    let mut text = String::from_utf8(bytes).unwrap_or_default();
    if bom == Bom::With {
        text.insert(0, '\u{feff}');
    }
    text
}

/// Text that no spreadsheet takes for a formula: what would start one gets an apostrophe before it.
pub fn guard(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn record(
    row: &CoverageRow,
    table: &CoverageTable,
    provenance: &Provenance,
    practice: bool,
) -> Vec<(String, String)> {
    let text = |name: &str, value: &str| (name.to_owned(), guard(value));
    let count = |name: &str, value: u64| (name.to_owned(), value.to_string());
    let mut cells = vec![text("system", &row.name), text("measure", measure(practice))];
    cells.extend(figure("all_asked", &row.all_asked));
    cells.extend(figure("answered_only", &row.answered));
    cells.extend([
        count("queries", table.n_queries),
        count("answers_matched", row.matched),
        count("answers_missing", row.missing),
        count("answers_empty", row.empty),
        count("answers_left_out_unparsed", row.left_out.unparsed),
        count("answers_left_out_truncated", row.left_out.truncated),
        count("answers_left_out_refused", row.left_out.refused),
        count("answers_left_out_failed", row.left_out.failed),
        count("answers_waiting", row.left_out.waiting),
        count("asked", row.tally.asked()),
        count("scored", row.tally.scored),
        count("unparsed", row.tally.unparsed),
        count("truncated", row.tally.truncated),
        count("refused", row.tally.refused),
        count("failed", row.tally.failed),
        count("in_flight", row.tally.in_flight),
        ("median_words".to_owned(), plain(row.median_words)),
        text("over_250_words", yes_no(row.over_250)),
        text("reading", table.reading.as_str()),
        text("judge", &provenance.judge),
        text("how", &provenance.how),
        text("practice", if practice { WATERMARK } else { "" }),
        text("complete", yes_no(table.complete && provenance.complete)),
        text("no_result_because", table.aborted.as_deref().unwrap_or_default()),
        text("dataset", &provenance.dataset),
        count("queries_in_run", provenance.n_cases),
        (
            "queries_per_field".to_owned(),
            provenance.queries_per_field.map_or_else(|| "all".to_owned(), |n| n.to_string()),
        ),
        count("seed", provenance.seed),
        text("viva_version", &provenance.app_version),
        text("created_utc", &provenance.created_utc),
        text("notes", &provenance.notes.join(" ")),
    ]);
    cells
}

/// Numbers are written by us, so a minus at their start is no formula and stays a number.
fn figure(of: &str, figure: &Figure) -> [(String, String); 7] {
    let percent = |share: Option<f64>| plain(share.map(|share| share * 100.0));
    [
        (format!("{of}_percent"), percent(figure.mean)),
        (format!("{of}_se"), percent(figure.se)),
        (format!("{of}_low"), percent(figure.low)),
        (format!("{of}_high"), percent(figure.high)),
        (format!("{of}_n"), figure.n.to_string()),
        (format!("{of}_range_low"), percent(figure.range_low)),
        (format!("{of}_range_high"), percent(figure.range_high)),
    ]
}

/// The shortest digits that read back as the same number.
fn plain(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn yes_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
