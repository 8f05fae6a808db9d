//! The coverage table as cells of plain text, before any format's escaping.

use crate::metrics::{CoverageRow, CoverageTable, Figure};
use crate::protocol::Reading;
use crate::report::number;

pub(super) struct Grid {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Whether the last column is text. The first is, and all others are numbers.
    pub(super) ends_in_text: bool,
}

impl Grid {
    pub(super) fn coverage(table: &CoverageTable, practice: bool) -> Self {
        let figure = if practice { "Word overlap %" } else { "Coverage %" };
        let answers = format!("Answers, of {}", table.n_queries);
        let is_recommended = table.reading == Reading::Recommended;
        let head: Vec<&str> = if is_recommended {
            let first =
                if practice { "Word overlap % (all asked)" } else { "Coverage % (all asked)" };
            vec!["System", first, "SE", "95% interval", "n", "Answered only %", "n", &answers]
        } else {
            vec!["System", figure, "SE", "95% interval", "n", &answers, "Left out"]
        };
        // Closed ranges repeat the mean, so the column comes with the first open one.
        let is_open = table.rows.iter().any(|row| row.main(table.reading).is_open());
        let head = head
            .into_iter()
            .chain(["Scored", "Asked"])
            .chain(is_open.then_some("Range"))
            .chain(["Median words"])
            .map(str::to_owned)
            .collect();

        let rows = in_order(table)
            .into_iter()
            .map(|row| {
                let main = row.main(table.reading);
                let mut cells = vec![row.name.clone()];
                cells.extend(doubted(main));
                if is_recommended {
                    cells.push(number::or_none(row.answered.mean, number::percent1));
                    cells.push(number::count(row.answered.n));
                    cells.push(number::count(row.matched));
                } else {
                    cells.push(number::count(row.matched));
                    cells.push(number::count(row.left_out.undefined() + row.left_out.waiting));
                }
                cells.push(number::count(row.tally.scored));
                cells.push(number::count(row.tally.asked()));
                if is_open {
                    cells.push(range(main));
                }
                let over = if row.over_250 { "*" } else { "" };
                cells.push(format!("{}{over}", number::or_none(row.median_words, number::words)));
                cells
            })
            .collect();
        Self { head, rows, ends_in_text: false }
    }
}

/// Mean, SE, interval, n.
fn doubted(figure: &Figure) -> [String; 4] {
    [
        number::or_none(figure.mean, number::percent1),
        number::or_none(figure.se, number::se2),
        number::bounds_or_none(figure.low, figure.high, number::interval),
        number::count(figure.n),
    ]
}

/// Where the mean could lie, if missing verdicts leave that open.
fn range(figure: &Figure) -> String {
    let (low, high) = (figure.range_low, figure.range_high);
    let bounds = |it: Option<f64>| it.filter(|_| figure.is_open());
    number::bounds_or_none(bounds(low), bounds(high), number::interval)
}

/// Highest main figure first. An interim table stays in the order the systems were brought: to sort it
/// would be to rank it.
pub(super) fn in_order(table: &CoverageTable) -> Vec<&CoverageRow> {
    let mut rows: Vec<&CoverageRow> = table.rows.iter().collect();
    if table.complete {
        // Shares are never below zero, so rows without one come last.
        let key = |row: &CoverageRow| row.main(table.reading).mean.unwrap_or(-1.0);
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
    }
    rows
}
