//! Parquet files, written out as JSON lines, which the readers of `dataset` know already.
//!
//! Columns are read as columns, a row group at a time, and rows are put together while they are written:
//! building a value for each row first would take several times as long. Everything a file declares about
//! itself is bounded before it is believed.

mod column;
mod delta;
mod footer;
mod json;
mod page;
mod rows;
mod schema;
mod thrift;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::SchemaDescriptor;

use crate::dataset::problem::{Place, Problem, Problems};
use crate::dataset::text::{LIMIT_LINES, excerpt};

use column::Column;
use json::Unwritable;
use page::{Budget, Codec, Pages};
use rows::{Rows, Stop};
use schema::Node;

/// How many rows a file may have.
const MOST_ROWS: u64 = 10_000_000;
/// How many values a row group may have, over all its columns: they are in memory at once.
const MOST_VALUES: u64 = 1 << 24;
/// How many values all row groups may have together. It ends the reading of files made to be slow.
const MOST_VALUES_IN_ALL: u64 = 1 << 28;
/// Unpacked bytes of all pages together.
const MOST_UNPACKED: u64 = LIMIT_LINES;

const FETCH_AGAIN: &str = "Fetch the file again, or write it again.";
const SMALLER: &str = "Write it in parts, or only the columns that are needed.";

/// A file as text: one JSON object a row, one row a line.
#[derive(Debug)]
pub struct JsonLines {
    /// UTF-8. Line n is row n; lines of rows that could not be read are empty.
    pub text: Vec<u8>,
    /// Rows that were read.
    pub rows: u64,
    /// What could not be read. The rest is in the text.
    pub problems: Problems,
}

/// Reads a whole file, or says why nothing of it can be read.
///
/// Row groups that are damaged are left out and reported, and so are single values that JSON cannot hold;
/// their rows stay.
pub fn to_json_lines(name: &str, bytes: impl Into<Bytes>) -> Result<JsonLines, Problem> {
    let file = bytes.into();
    let refuse = |(what, cure): (String, &str)| Problem {
        file: name.to_owned(),
        place: Place::File,
        what,
        cure: cure.to_owned(),
    };
    let (metadata, end) = footer::read(&file).map_err(refuse)?;
    check(&metadata).map_err(refuse)?;
    let schema = metadata.file_metadata().schema_descr();
    let mut reading = Reading {
        name,
        // The columns end where the footer begins.
        file: file.slice(..end),
        schema,
        root: schema::read(schema),
        unpacked: MOST_UNPACKED,
        values: MOST_VALUES_IN_ALL,
        lines: JsonLines {
            text: Vec::with_capacity(expected(&metadata, file.len())),
            rows: 0,
            problems: Problems::default(),
        },
        owed: 0,
        lost: BTreeMap::new(),
    };
    let mut first = 1;
    for group in metadata.row_groups() {
        let rows = group.num_rows().unsigned_abs();
        if !reading.group(group, first) {
            break;
        }
        first += rows;
    }
    reading.report_lost();
    Ok(reading.lines)
}

/// Refuses what is too large and what is packed in a way that is not read.
fn check(metadata: &ParquetMetaData) -> Result<(), (String, &'static str)> {
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        let declared = u64::try_from(group.num_rows()).map_err(|_| {
            ("The file says that a row group has less than no rows.".to_owned(), FETCH_AGAIN)
        })?;
        rows = rows.saturating_add(declared);
        for column in group.columns() {
            if let Err(codec) = Codec::of(column.compression()) {
                let what = format!(
                    "The column {} is packed with {codec}, which is not read here.",
                    excerpt(&column.column_path().string())
                );
                let cure =
                    "Write it again with compression=\"snappy\" or \"zstd\", or bring JSONL.";
                return Err((what, cure));
            }
        }
    }
    if MOST_ROWS < rows {
        let what = format!("The file has {rows} rows, and at most {MOST_ROWS} are read at once.");
        return Err((what, "Bring it in parts."));
    }
    Ok(())
}

/// Room for the text, so that it seldom has to move. The file's own word counts only within reason.
fn expected(metadata: &ParquetMetaData, length: usize) -> usize {
    /// Packed text is seldom smaller than this part of it.
    const TIGHTEST: usize = 16;
    let declared: u64 = metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns)
        .map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(0))
        .fold(0, u64::saturating_add);
    // Keys and quotes come on top.
    let wanted = usize::try_from(declared.saturating_add(declared / 2)).unwrap_or(usize::MAX);
    wanted.min(length.saturating_mul(TIGHTEST)).min(LIMIT_LINES as usize)
}

struct Reading<'a> {
    name: &'a str,
    file: Bytes,
    schema: &'a SchemaDescriptor,
    root: Node,
    /// How many bytes may still be unpacked.
    unpacked: u64,
    /// How many values may still be read.
    values: u64,
    lines: JsonLines,
    /// Lines of rows that were left out, written once rows follow that were not.
    owed: usize,
    /// Values written as null, by column and reason: the first row, and how many.
    lost: BTreeMap<(usize, Unwritable), (u64, u64)>,
}

impl Reading<'_> {
    /// Reads the row group that starts with row `first`. False where no more is to be read.
    fn group(&mut self, group: &RowGroupMetaData, first: u64) -> bool {
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        if rows == 0 {
            return true;
        }
        let kept = self.lines.text.len();
        let before = self.lost.clone();
        let result = self.columns(group, rows).and_then(|mut columns| {
            self.lines.text.extend(std::iter::repeat_n(b'\n', self.owed));
            self.write(&mut columns, rows, first)
        });
        let range = format!("{first} to {}", first + rows as u64 - 1);
        match result {
            Ok(()) => {
                self.owed = 0;
                self.lines.rows += rows as u64;
                true
            }
            Err(Stop::Damaged(error)) => {
                self.lines.text.truncate(kept);
                self.lost = before;
                self.owed += rows;
                let what = format!(
                    "The rows {range} could not be read ({}). They were left out.",
                    reason(&error)
                );
                self.lines.problems.report(self.name, Place::Row(first), what, FETCH_AGAIN);
                true
            }
            Err(Stop::TooLarge) => {
                self.lines.text.truncate(kept);
                self.lost = before;
                let what = format!(
                    "With the rows {range} the file would be longer than {} MiB as text. They and \
                     what follows were left out.",
                    LIMIT_LINES >> 20
                );
                self.lines.problems.report(self.name, Place::Row(first), what, SMALLER);
                false
            }
        }
    }

    fn columns(&mut self, group: &RowGroupMetaData, rows: usize) -> Result<Vec<Column>, Stop> {
        if group.num_columns() != self.schema.num_columns() {
            return Err(damage("it lacks columns").into());
        }
        let allowed = self.values.min(MOST_VALUES);
        let budget = Budget::new(self.unpacked, allowed);
        let columns = self.within(group, rows, &budget);
        self.unpacked = budget.bytes_left();
        self.values -= allowed - budget.values_left();
        Ok(columns?)
    }

    fn within(
        &self,
        group: &RowGroupMetaData,
        rows: usize,
        budget: &Arc<Budget>,
    ) -> Result<Vec<Column>, ParquetError> {
        group
            .columns()
            .iter()
            .zip(self.schema.columns())
            .map(|(chunk, column)| {
                let fixed = column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY;
                if fixed && column.type_length() <= 0 {
                    return Err(damage("a column has values without a length"));
                }
                let codec = Codec::of(chunk.compression()).map_err(damage)?;
                let bytes = self.chunk(chunk).ok_or_else(|| damage("a column lies outside"))?;
                let pages = Pages::new(bytes, codec, column.clone(), Arc::clone(budget));
                Column::read(column.clone(), pages, rows)
                    .map_err(|error| at(&error, &column.path().string()))
            })
            .collect()
    }

    /// The bytes of a column chunk.
    fn chunk(&self, chunk: &ColumnChunkMetaData) -> Option<Bytes> {
        let data = chunk.data_page_offset();
        // Some writers give 0 for no dictionary.
        let dictionary = chunk.dictionary_page_offset().filter(|at| 0 < *at && *at < data);
        let start = usize::try_from(dictionary.unwrap_or(data)).ok()?;
        let end = start.checked_add(usize::try_from(chunk.compressed_size()).ok()?)?;
        (start <= end && end <= self.file.len()).then(|| self.file.slice(start..end))
    }

    fn write(&mut self, columns: &mut [Column], rows: usize, first: u64) -> Result<(), Stop> {
        let limit = LIMIT_LINES as usize;
        let mut writer = Rows::new(columns, &mut self.lines.text, limit);
        for row in first..first + rows as u64 {
            for lost in writer.row(&self.root)? {
                self.lost.entry(lost).or_insert((row, 0)).1 += 1;
            }
        }
        Ok(())
    }

    fn report_lost(&mut self) {
        let lost = std::mem::take(&mut self.lost);
        for ((column, why), (row, count)) in lost {
            let column = excerpt(&self.schema.column(column).path().string());
            let (what, cure) = match why {
                Unwritable::Binary => ("bytes that are no text", "Write the column as UTF-8 text."),
                Unwritable::Date => (
                    "a time outside of the years 1 to 9999",
                    "Write the column as text, or correct the time.",
                ),
                Unwritable::Decimal => {
                    ("a number of more digits than are read", "Write the column as text.")
                }
            };
            let more = match count {
                1 => String::new(),
                n => format!(" There are {n} such values, this being the first."),
            };
            let what =
                format!("The column {column} has {what}. Read as null, the row counts.{more}");
            self.lines.problems.report(self.name, Place::Row(row), what, cure);
        }
    }
}

fn damage(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

fn at(error: &ParquetError, column: &str) -> ParquetError {
    ParquetError::General(format!("column {}: {}", excerpt(column), reason(error)))
}

/// What an error says, without its kind.
fn reason(error: &ParquetError) -> String {
    let text = error.to_string();
    text.split_once(": ").map_or(text.as_str(), |(_, reason)| reason).to_owned()
}
