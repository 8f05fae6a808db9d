//! Questions to be answered elsewhere: as lines, as a table, and as a text to paste into a chat.
//!
//! What comes back is read by [`super::responses`]: the id and the answer, and nothing else of it.

use std::fmt::Write as _;

use serde::Serialize;

use super::Case;

/// Filled in one pass, so that a query with a marker in it changes nothing.
const PROMPT: &str = include_str!("handout/answer.prompt");

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    query: &'a str,
    date: Option<&'a str>,
    length_target_words: u32,
    answer: &'static str,
}

/// One question a line, with an empty `answer` to fill in.
pub fn jsonl(cases: &[&Case], length_target_words: u32) -> String {
    let mut out = String::new();
    for case in cases {
        let line = Line {
            id: case.id.as_str(),
            query: &case.query,
            date: case.date.as_deref(),
            length_target_words,
            answer: "",
        };
        // Texts and numbers always have a JSON form.
        if let Ok(line) = serde_json::to_string(&line) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// One question a row, with an empty cell `answer` to fill in.
///
/// Cells that a spreadsheet would run as a formula are [`guarded`]. Reading back does not depend on
/// it: the query is not read, and an id is freed of its guard.
pub fn csv(cases: &[&Case], length_target_words: u32) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let words = length_target_words.to_string();
    let header = ["id", "query", "date", "length_target_words", "answer"].map(str::to_owned);
    let rows = cases.iter().map(|case| {
        let date = case.date.as_deref().unwrap_or_default();
        [
            guarded(case.id.as_str()),
            guarded(&case.query),
            guarded(date),
            words.clone(),
            String::new(),
        ]
    });
    for row in std::iter::once(header).chain(rows) {
        // Writing to memory cannot fail, and all rows have the same length.
        writer.write_record(row).ok();
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// For each question a text to paste into any assistant, each in a fence of its own.
pub fn prompt_pack(cases: &[&Case], length_target_words: u32) -> String {
    let mut out = format!(
        "# Questions to answer\n\n{} questions. Paste each block into the system under test, in a new \
         conversation, and keep the answer under its id.\n",
        cases.len()
    );
    for case in cases {
        let prompt = prompt(case, length_target_words);
        let fence = fence(&prompt);
        let id: String =
            case.id.as_str().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let date = case.date.as_deref().unwrap_or("none");
        // Writing to a string cannot fail.
        write!(out, "\n## {id}\n\nDate: {date}\n\n{fence}text\n{prompt}\n{fence}\n").ok();
    }
    out
}

fn prompt(case: &Case, words: u32) -> String {
    let words = words.to_string();
    let mut out = String::new();
    for line in PROMPT.trim_end().lines() {
        if case.date.is_none() && line.contains("{date}") {
            continue;
        }
        let mut rest = line;
        while let Some(start) = rest.find('{') {
            let (before, marker) = rest.split_at(start);
            out.push_str(before);
            let end = marker.find('}').map_or(marker.len(), |end| end + 1);
            out.push_str(match &marker[..end] {
                "{query}" => &case.query,
                "{date}" => case.date.as_deref().unwrap_or_default(),
                "{words}" => &words,
                other => other,
            });
            rest = &marker[end..];
        }
        out.push_str(rest);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// Longer than any run of backticks in the text, so that the text cannot close it.
fn fence(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

const STARTS_FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// With a leading apostrophe where a spreadsheet would run the cell, or where one would be mistaken
/// for a guard.
pub fn guarded(cell: &str) -> String {
    if cell.starts_with(STARTS_FORMULA) || cell.starts_with('\'') {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// The cell as it was before [`guarded`].
pub(crate) fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(STARTS_FORMULA) || rest.starts_with('\'') => rest,
        _ => cell,
    }
}
