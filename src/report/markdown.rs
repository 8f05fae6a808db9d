//! GitHub-flavoured Markdown.

use std::fmt::Write as _;

use crate::metrics::CoverageTable;
use crate::report::grid::Grid;
use crate::report::{Provenance, WATERMARK, clean, measure, notes};

/// The coverage table with its heading and, below it, what the numbers are made of.
pub fn table(table: &CoverageTable, provenance: &Provenance) -> String {
    let practice = table.practice || provenance.practice;
    let mut text = format!("## {}\n\n", measure(practice));
    text.push_str(&watermark(practice));
    text.push_str(&grid(&Grid::coverage(table, practice)));
    text.push('\n');
    text.push_str(&list(&notes::all(table, provenance)));
    text
}

/// Foreign text for one line: nothing in it opens a tag, a cell, an emphasis, a link, a list or a formula.
pub fn escape(text: &str) -> String {
    let line = clean::line(text);
    let mut escaped = String::with_capacity(line.len());
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    // `1. name` and `1) name` would start a list, `1.5` would not.
    let opens_list = 0 < digits
        && line[digits..].starts_with(['.', ')'])
        && line[digits + 1..].chars().next().is_none_or(char::is_whitespace);
    for (at, c) in line.char_indices() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '-' | '+' | '=' if at == 0 => {
                escaped.push('\\');
                escaped.push(c);
            }
            '.' | ')' if opens_list && at == digits => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The line that no practice score is shown without, or nothing.
pub(super) fn watermark(practice: bool) -> String {
    if practice { format!("**{WATERMARK}.**\n\n") } else { String::new() }
}

pub(super) fn grid(grid: &Grid) -> String {
    let mut text = String::new();
    line(&mut text, &grid.head);
    let last = grid.head.len().saturating_sub(1);
    let rules: Vec<&str> = (0..grid.head.len())
        .map(|at| match at {
            0 => ":---",
            at if at == last && grid.ends_in_text => ":---",
            _ => "---:",
        })
        .collect();
    writeln!(text, "| {} |", rules.join(" | ")).ok();
    for row in &grid.rows {
        line(&mut text, row);
    }
    text
}

pub(super) fn list(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        writeln!(text, "- {}", escape(sentence)).ok();
    }
    text
}

fn line(text: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    writeln!(text, "| {} |", cells.join(" | ")).ok();
}
