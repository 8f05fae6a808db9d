//! The footer: where the columns lie and how they nest. Looked at with suspicion before it is decoded.

use bytes::Bytes;
use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
};

use super::thrift::{Reader, Wire};

/// Levels of nesting that are read. A rubric has three or four.
const DEEPEST: usize = 32;
/// Columns that are read, groups counted in.
const MOST_COLUMNS: usize = 4_096;
/// Length of the footer and the four letters behind it.
const TAIL: usize = 8;

/// Why a footer cannot be read, and the cure.
pub(super) type Refusal = (String, &'static str);

const FETCH_AGAIN: &str = "It was probably cut while being copied: fetch it again.";
const WRITE_AGAIN: &str = "Write it again with another program, or bring JSONL.";
const DECRYPT: &str = "Write it again without encryption, or bring JSONL.";

/// The metadata, and where the footer starts: no column reaches past there.
pub(super) fn read(file: &Bytes) -> Result<(ParquetMetaData, usize), Refusal> {
    let cut = || {
        let what = "The file ends before its footer, where Parquet keeps the list of its columns, so \
                    nothing in it can be found.";
        Err((what.to_owned(), FETCH_AGAIN))
    };
    if file.starts_with(b"PARE") || file.ends_with(b"PARE") {
        return Err(("The file is encrypted.".to_owned(), DECRYPT));
    }
    let Some((rest, tail)) = file.split_last_chunk::<TAIL>() else { return cut() };
    let [a, b, c, d, magic @ ..] = *tail;
    if magic != *b"PAR1" {
        return cut();
    }
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let Some(start) = rest.len().checked_sub(length).filter(|start| 4 <= *start) else {
        return Err((
            "The file gives its footer a length that does not fit into it.".to_owned(),
            "It is damaged: fetch it again.",
        ));
    };
    let footer = &rest[start..];
    check(footer)?;
    // Statistics are of no use here, and their decoder trusts their lengths.
    let options = ParquetMetaDataOptions::new()
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll);
    let metadata = ParquetMetaDataReader::decode_metadata_with_options(footer, Some(&options))
        .map_err(|error| damaged(&error.to_string()))?;
    Ok((metadata, start))
}

fn damaged(detail: &str) -> Refusal {
    (
        format!("The footer of the file is damaged ({detail}), so nothing in it can be found."),
        "Fetch the file again.",
    )
}

/// Refuses what the decoder would not survive: it follows the schema as deep as it goes, and reserves
/// room for as many children as are declared.
fn check(footer: &[u8]) -> Result<(), Refusal> {
    let mut encrypted = false;
    let mut schema = Ok(());
    let end = Reader::new(footer).fields(|id, wire, reader| match (id, wire) {
        (2, Wire::List) => {
            schema = check_schema(reader);
            schema.is_ok().then_some(true)
        }
        (8, _) => {
            encrypted = true;
            Some(false)
        }
        _ => Some(false),
    });
    schema?;
    if encrypted {
        return Err(("The file is encrypted.".to_owned(), DECRYPT));
    }
    end.ok_or_else(|| damaged("it does not end where it should"))
}

fn check_schema(reader: &mut Reader<'_>) -> Result<(), Refusal> {
    let Some((count, Wire::Struct)) = reader.list() else {
        return Err(damaged("its list of columns is none"));
    };
    if MOST_COLUMNS < count {
        let what = format!("The file has {count} columns, and at most {MOST_COLUMNS} are read.");
        return Err((what, "Write only the columns that are needed."));
    }
    // How many children each group above still lacks.
    let mut open: Vec<usize> = Vec::new();
    for index in 0..count {
        let (mut children, mut has_repetition, mut has_type) = (0, false, false);
        reader
            .fields(|id, wire, reader| match (id, wire) {
                (5, Wire::Int) => {
                    children = reader.int()?;
                    Some(true)
                }
                (1 | 3, Wire::Int) => {
                    has_type |= id == 1;
                    has_repetition |= id == 3;
                    Some(false)
                }
                _ => Some(false),
            })
            .ok_or_else(|| damaged("a column of it is cut"))?;
        let children =
            usize::try_from(children).map_err(|_| damaged("a column has less than no children"))?;
        let is_root = index == 0;
        if is_root != open.is_empty() || !is_root && !has_repetition {
            return Err(damaged("its columns do not form a tree"));
        }
        if let Some(last) = open.last_mut() {
            *last = last
                .checked_sub(1)
                .ok_or_else(|| damaged("it has more columns than it promises"))?;
        }
        if children == 0 && !has_type {
            let what = if is_root { "has no columns" } else { "has a column without a type" };
            return Err((format!("The file {what}, so there is nothing to read."), WRITE_AGAIN));
        }
        if count - index <= children {
            return Err(damaged("it promises more columns than it has"));
        }
        open.push(children);
        if DEEPEST < open.len() {
            let what = format!("The columns nest more than {DEEPEST} deep.");
            return Err((what, WRITE_AGAIN));
        }
        while !is_root_only(&open) && open.last() == Some(&0) {
            open.pop();
        }
    }
    if open == [0] { Ok(()) } else { Err(damaged("it lacks columns that it promises")) }
}

/// The root stays to the end, so that a second one is noticed.
fn is_root_only(open: &[usize]) -> bool {
    open.len() == 1
}
