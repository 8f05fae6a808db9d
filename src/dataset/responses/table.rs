//! Answers as a table: CSV, TSV, and the semicolons of a European spreadsheet.

use csv::{ReaderBuilder, StringRecord};

use super::super::benchmark::ID;
use super::super::handout;
use super::super::items::Flaw;
use super::super::names;
use super::super::problem::{Place, Problems};
use super::super::text::excerpt;
use super::{ANSWER, MODEL, Row, SYSTEM};
use crate::ids::CaseId;

/// Whether the first line names a column of ids and one of answers.
pub(crate) fn has_answer_columns(name: &str, text: &str) -> bool {
    Columns::find(&header(text, delimiter(name, text))).is_some()
}

pub(crate) fn read(name: &str, text: &str, problems: &mut Problems) -> Vec<Row> {
    let delimiter = delimiter(name, text);
    let header = header(text, delimiter);
    let Some(columns) = Columns::find(&header) else {
        let found: Vec<_> = header.iter().take(20).map(excerpt).collect();
        problems.report(
            name,
            Place::File,
            format!(
                "The table has the columns {}, and no answers can be found in it.",
                found.join(", ")
            ),
            "It needs a first row with `id` and `answer` (or `response`), and may have `system`.",
        );
        return Vec::new();
    };
    let open_quote = opens_and_never_closes(text);
    let mut reader = builder(delimiter).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut rows = Vec::new();
    let mut empty = 0_u64;
    for number in 0_u64.. {
        let place = Place::Row(number);
        match reader.read_record(&mut record) {
            // The header comes first, as one more record.
            Ok(true) if number == 0 => continue,
            Ok(true) => {}
            Ok(false) => break,
            // Text is UTF-8 and rows may be of any length, so this is not met; reading on might not end.
            Err(error) => {
                let what = format!("The table cannot be read from here on ({error}).");
                problems.report(name, place, what, "Export it again as CSV (UTF-8).");
                break;
            }
        }
        let is_last = text.len() as u64 <= reader.position().byte();
        if open_quote && is_last && record.iter().any(|cell| cell.contains('\n')) {
            problems.report(
                name,
                place,
                "A quotation mark in this row is opened and never closed, so that all after it reads \
                 as one cell. This row and the rest were left out.",
                "Close it, or write a quotation mark inside a cell twice.",
            );
            break;
        }
        if record.iter().all(|cell| cell.trim().is_empty()) {
            empty += 1;
            continue;
        }
        match columns.row(&record) {
            Ok(row) => rows.push(row),
            Err((what, cure)) => problems.report(name, place, what, cure),
        }
    }
    if 0 < empty {
        let what = format!("{empty} empty rows were left out.");
        problems.report(name, Place::File, what, "Nothing needs to be done.");
    }
    rows
}

struct Columns {
    count: usize,
    id: usize,
    answer: usize,
    system: Option<usize>,
    model: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord) -> Option<Self> {
        Some(Self {
            count: header.len(),
            id: find(header, &ID)?,
            answer: find(header, &ANSWER)?,
            system: find(header, &SYSTEM),
            model: find(header, &MODEL),
        })
    }

    fn row(&self, record: &StringRecord) -> Result<Row, Flaw> {
        let cells = record.len();
        if record.iter().skip(self.count).any(|cell| !cell.is_empty()) {
            return Err((
                format!(
                    "This row has {cells} cells where the first row names {}. It was left out.",
                    self.count
                ),
                "Put quotation marks around a cell with commas or line breaks in it.",
            ));
        }
        let id = record.get(self.id).unwrap_or_default();
        if id.trim().is_empty() {
            let what = "This row has no id. It was left out.".to_owned();
            return Err((what, "Give it the id of its question."));
        }
        let Some(text) = record.get(self.answer) else {
            return Err((
                format!(
                    "This row has {cells} cells where the first row names {}, so its answer is not \
                     there. It was left out.",
                    self.count
                ),
                "Leave a cell empty rather than out.",
            ));
        };
        let name_in = |column: Option<usize>| {
            let cell = record.get(column?)?.trim();
            (!cell.is_empty()).then(|| cell.to_owned())
        };
        Ok(Row {
            id: CaseId::new(handout::unguarded(id)),
            text: text.to_owned(),
            system: name_in(self.system),
            model: name_in(self.model),
        })
    }
}

fn builder(delimiter: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter);
    builder
}

fn header(text: &str, delimiter: u8) -> StringRecord {
    let mut record = StringRecord::new();
    // A record that cannot be read has no columns, which is what is then reported.
    builder(delimiter).from_reader(text.as_bytes()).read_record(&mut record).ok();
    record.trim();
    record
}

fn find(columns: &StringRecord, names: &[&str]) -> Option<usize> {
    names
        .iter()
        .find_map(|name| columns.iter().position(|column| column.eq_ignore_ascii_case(name)))
}

/// The one that finds both columns. Where none does, the one the file's name promises.
fn delimiter(name: &str, text: &str) -> u8 {
    let fallback = if names::has_extension(name, &["tsv"]) { b'\t' } else { b',' };
    [fallback, b',', b'\t', b';']
        .into_iter()
        .find(|delimiter| Columns::find(&header(text, *delimiter)).is_some())
        .unwrap_or(fallback)
}

/// In a table that follows the rules the number of quotation marks is even, since those inside a cell
/// are doubled.
fn opens_and_never_closes(text: &str) -> bool {
    !text.bytes().filter(|byte| *byte == b'"').count().is_multiple_of(2)
}
