//! Parquet files against what pyarrow reads from them, and damaged ones against the clock.

use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use viva::dataset::{Converted, Place, Problem};
use viva::parquet::{JsonLines, to_json_lines};
use viva::worker::data::{Desk, RawFile};
use viva::worker::{Brought, Taken};

/// Files that hold the same five questions.
const QUESTIONS: [&str; 11] = [
    "mixed",
    "snappy",
    "zstd",
    "gzip",
    "none",
    "v2",
    "v2-zstd",
    "plain",
    "delta",
    "checked",
    "item-names",
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/parquet").join(name)
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(path(&format!("{name}.parquet"))).unwrap()
}

fn read(bytes: impl Into<Bytes>) -> Result<JsonLines, Problem> {
    to_json_lines("file.parquet", bytes)
}

fn lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Reads both: what is written is as JSON has it, and so are the numbers of the expected rows.
#[track_caller]
fn check(name: &str, like: &str) -> JsonLines {
    let read = read(fixture(name)).unwrap();
    let expected = lines(&fs::read(path(&format!("{like}.jsonl"))).unwrap());
    let found = lines(&read.text);
    assert_eq!(found.len(), expected.len(), "{name}: {:?}", read.problems);
    assert_eq!(read.rows, expected.len() as u64, "{name}");
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{name}, row {}", row + 1);
    }
    read
}

#[test]
fn every_codec_encoding_and_page_version_gives_the_same_rows() {
    for name in QUESTIONS {
        assert!(check(name, "questions").problems.is_empty(), "{name}");
    }
}

#[test]
fn lists_groups_and_maps_keep_their_nulls_apart() {
    check("nested", "nested");
    check("nested-v2", "nested");
}

#[test]
fn every_kind_of_value_is_as_pyarrow_reads_it() {
    for name in ["times", "int96", "integer-decimals", "required", "empty", "delta-numbers"] {
        assert!(check(name, name).problems.is_empty(), "{name}");
    }
    let problems = check("types", "types").problems;
    let told: Vec<_> = problems.list().iter().map(|it| (it.place, it.what.as_str())).collect();
    assert_eq!(
        told,
        [
            (
                Place::Row(2),
                "The column binary has bytes that are no text. Read as null, the row counts."
            ),
            (
                Place::Row(3),
                "The column fixed has bytes that are no text. Read as null, the row counts."
            ),
        ]
    );
}

#[test]
fn row_groups_follow_each_other_and_rows_cross_pages() {
    check("groups", "groups");
    check("small-pages", "small-pages");
}

#[test]
fn shapes_of_a_rubric_come_out_as_they_are() {
    for name in ["struct-of-lists", "json-text", "criteria", "uneven", "answers"] {
        check(name, name);
    }
}

#[test]
fn what_is_not_read_is_named_with_the_way_round() {
    for codec in ["brotli", "lz4"] {
        let problem = read(fixture(codec)).unwrap_err();
        assert_eq!(problem.place, Place::File);
        let what = format!("The column id is packed with {codec}, which is not read here.");
        assert_eq!(problem.what, what);
        assert!(problem.cure.contains("compression=\"snappy\""), "{}", problem.cure);
    }
    let mut encrypted = fixture("none");
    let end = encrypted.len();
    encrypted[end - 1] = b'E';
    assert_eq!(read(encrypted).unwrap_err().what, "The file is encrypted.");
}

#[test]
fn a_cut_file_says_that_its_footer_is_missing() {
    let whole = fixture("groups");
    let problem = read(whole[..whole.len() - 100].to_vec()).unwrap_err();
    assert!(problem.what.starts_with("The file ends before its footer"), "{}", problem.what);
    assert!(problem.cure.contains("fetch it again"), "{}", problem.cure);
}

#[test]
fn a_damaged_row_group_costs_its_own_rows_only() {
    let whole = fixture("groups");
    let good = lines(&read(whole.clone()).unwrap().text);
    // Row groups of two rows each: the third starts where the fifth `id` stands.
    let id = whole.windows(7).position(|it| it == b"1004-s4").unwrap();
    let mut damaged = whole;
    // The length that stands before the text.
    damaged[id - 4..id].fill(0xff);
    let read = read(damaged).unwrap();
    let text = std::str::from_utf8(&read.text).unwrap();
    assert_eq!(read.rows, 7, "{:?}\n{text}", read.problems);
    assert_eq!(text.lines().count(), 9);
    for (row, line) in text.lines().enumerate() {
        if (4..6).contains(&row) {
            assert_eq!(line, "", "the numbers of the lines stay those of the rows");
        } else {
            assert_eq!(serde_json::from_str::<Value>(line).unwrap(), good[row]);
        }
    }
    let [problem] = read.problems.list() else { panic!("{:?}", read.problems) };
    assert_eq!(problem.place, Place::Row(5));
    assert!(problem.what.starts_with("The rows 5 to 6 could not be read ("), "{}", problem.what);
}

#[test]
fn declared_sizes_are_not_believed() {
    let whole = fixture("none");
    // The bytes before the first text are the head of its page: each of its numbers as large as it gets.
    let id = whole.windows(7).position(|it| it == b"1000-s0").unwrap();
    let mut lying = whole.clone();
    for at in 4..id {
        lying[at..at + 4].fill(0xff);
        let start = now();
        read(lying.clone()).ok();
        assert!(start.elapsed() < Duration::from_secs(1), "at {at}");
        lying.copy_from_slice(&whole);
    }
    // A footer as long as the file, and one longer.
    for length in [whole.len() as u32, u32::MAX] {
        let mut lying = whole.clone();
        let end = lying.len();
        lying[end - 8..end - 4].copy_from_slice(&length.to_le_bytes());
        let what = read(lying).unwrap_err().what;
        assert!(what.contains("does not fit"), "{what}");
    }
}

/// What the readers make of it, as the data worker has them read it.
fn desk(files: &[&str]) -> (Desk, Vec<Taken>) {
    let files = files.iter().map(|name| {
        let name = format!("{name}.parquet");
        let bytes = fs::read(path(&name)).unwrap();
        let converted = match to_json_lines(&name, bytes.clone()) {
            Ok(read) => Converted { text: read.text.into(), problems: read.problems },
            Err(problem) => Converted::refused(problem),
        };
        RawFile { converted: Some(Rc::new(converted)), ..RawFile::new(name, bytes) }
    });
    let mut desk = Desk::default();
    let taken = desk.ingest(files.collect(), Brought::Anything);
    (desk, taken)
}

#[test]
fn a_benchmark_and_answers_go_to_their_readers() {
    let (desk, taken) = desk(&["mixed", "answers"]);
    assert_eq!(taken, [Taken::Questions, Taken::Answers]);
    let workspace = desk.workspace();
    let summary = workspace.dataset.unwrap().summary;
    assert_eq!((summary.queries, summary.items), (5, 11));
    assert!(workspace.dataset_problems.is_empty(), "{:?}", workspace.dataset_problems);
    let joined = workspace.systems[0].join.clone().unwrap();
    assert_eq!((workspace.systems[0].name.as_str(), joined.matched), ("one", 5));
    let first = desk.question(0, "").unwrap();
    assert_eq!(first.date.as_deref(), Some("2021-05-03"));
    let text = "Does the response say 0?\n\tTwice – 日本語 🙂".to_owned();
    assert_eq!(first.items[0].text, [(text, false)]);
}

#[test]
fn one_benchmark_in_four_shapes() {
    let of = |name: &str| {
        let (desk, taken) = desk(&[name]);
        assert_eq!(taken, [Taken::Questions], "{name}");
        let rows: Vec<_> = (0..9).filter_map(|at| desk.question(at, "")).collect();
        let items = |types: bool| -> Vec<_> {
            let rows = rows.iter().flat_map(|row| row.items.clone());
            rows.map(|it| (it.text, it.types.len() * usize::from(types), it.weight)).collect()
        };
        (items(true), items(false))
    };
    let expected = of("struct-of-lists");
    assert_eq!(expected.0.len(), 3);
    assert_eq!(of("json-text").0, expected.0);
    assert_eq!(of("criteria").1, expected.1);
}

#[test]
fn problems_are_told_by_row_and_the_good_rows_stay() {
    let (uneven, _) = desk(&["uneven"]);
    let workspace = uneven.workspace();
    let [problem] = workspace.dataset_problems.list() else { panic!("one problem") };
    assert_eq!(problem.place, Place::Row(1));
    assert!(problem.what.contains("1 of `rubric_item` and 2 of `weight`"), "{}", problem.what);
    assert_eq!(workspace.dataset.unwrap().summary.queries, 1);

    let (refused, taken) = desk(&["brotli"]);
    assert_eq!(taken, [Taken::Nothing]);
    let workspace = refused.workspace();
    let [problem] = workspace.dataset_problems.list() else { panic!("one problem") };
    assert!(problem.what.contains("brotli"), "{}", problem.what);
}

/// One column, by the writer of the crate, which writes any schema there is.
fn written<T: DataType>(
    schema: &str,
    values: &[T::T],
    definition: &[i16],
    repetition: &[i16],
) -> Vec<Value> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut file, schema, Arc::new(WriterProperties::new())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        let (definition, repetition) = (Some(definition), Some(repetition));
        column.typed::<T>().write_batch(values, definition, repetition).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    lines(&read(file).unwrap().text)
}

#[test]
fn lists_of_old_writers_are_known_by_their_structure() {
    let texts = ["a", "b", "c"].map(ByteArray::from);
    let hive = "message m { optional group l (LIST) { repeated group bag {
        optional binary array_element (UTF8); } } }";
    let found = written::<ByteArrayType>(hive, &texts, &[3, 2, 3, 1, 0, 3], &[0, 1, 1, 0, 0, 0]);
    let expected =
        [json!({"l": ["a", null, "b"]}), json!({"l": []}), json!({"l": null}), json!({"l": ["c"]})];
    assert_eq!(found, expected);

    let two_levels = "message m { optional group l (LIST) { repeated binary array (UTF8); } }";
    let found = written::<ByteArrayType>(two_levels, &texts, &[2, 2, 1, 0, 2], &[0, 1, 0, 0, 0]);
    let expected =
        [json!({"l": ["a", "b"]}), json!({"l": []}), json!({"l": null}), json!({"l": ["c"]})];
    assert_eq!(found, expected);

    let bare = "message m { repeated binary l (UTF8); }";
    let found = written::<ByteArrayType>(bare, &texts, &[1, 1, 0, 1], &[0, 1, 0, 0]);
    assert_eq!(found, [json!({"l": ["a", "b"]}), json!({"l": []}), json!({"l": ["c"]})]);

    let tuple = "message m { optional group l (LIST) { repeated group l_tuple {
        optional int32 n; } } }";
    let found = written::<Int32Type>(tuple, &[7], &[3, 2, 0], &[0, 1, 0]);
    assert_eq!(found, [json!({"l": [{"n": 7}, {"n": null}]}), json!({"l": null})]);

    let pair = "message m { optional group l (LIST) { repeated group element {
        optional int32 a; optional int32 b; } } }";
    let found = written::<Int32Type>(pair, &[1, 2], &[3, 3], &[0, 1]);
    assert_eq!(found, [json!({"l": [{"a": 1, "b": 1}, {"a": 2, "b": 2}]})]);
}

#[expect(clippy::disallowed_methods, reason = "this test runs natively only")]
fn now() -> Instant {
    Instant::now()
}

/// What happened to a file that was tampered with.
fn survive(bytes: Vec<u8>, what: &str, stopped: &mut Vec<String>) {
    let start = now();
    match catch_unwind(AssertUnwindSafe(|| read(bytes))) {
        Ok(Ok(read)) => {
            let text = std::str::from_utf8(&read.text).expect("UTF-8");
            for line in text.lines().filter(|line| !line.is_empty()) {
                serde_json::from_str::<Value>(line).expect("JSON");
            }
        }
        Ok(Err(problem)) => assert!(!problem.what.is_empty() && !problem.cure.is_empty()),
        Err(_) => stopped.push(what.to_owned()),
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{what} took {:?}", start.elapsed());
}

/// Numbers that look random and are the same each time.
fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

#[test]
fn no_cut_and_no_flip_stops_the_reader() {
    let mut stopped = Vec::new();
    let whole = fixture("required");
    for length in 0..whole.len() {
        survive(whole[..length].to_vec(), &format!("required cut to {length}"), &mut stopped);
    }
    let per_file = std::env::var("VIVA_FLIPS").ok().and_then(|it| it.parse().ok()).unwrap_or(400);
    let others = ["nested", "nested-v2", "types", "delta-numbers", "int96", "small-pages"];
    let seed = std::env::var("VIVA_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(0x5eed);
    let mut next = numbers(seed);
    for name in QUESTIONS.into_iter().chain(others) {
        let whole = fixture(name);
        for _ in 0..per_file {
            let mut bytes = whole.clone();
            let mut what = name.to_owned();
            for _ in 0..=next() % 3 {
                // Where a footer has its text, a flip changes little: as often in what precedes it.
                let at = next() as usize % whole.len();
                bytes[at] = match next() % 4 {
                    0 => bytes[at] ^ 1 << (next() % 8),
                    1 => 0xff,
                    2 => 0,
                    _ => next() as u8,
                };
                write!(what, " [{at}]={}", bytes[at]).unwrap();
            }
            survive(bytes, &what, &mut stopped);
        }
    }
    assert!(
        stopped.is_empty(),
        "{} stopped the reader: {:#?}",
        stopped.len(),
        &stopped[..stopped.len().min(40)]
    );
}

/// `VIVA_PARQUET=file cargo test --release --features parquet --test it -- --ignored --nocapture speed`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let file = std::env::var("VIVA_PARQUET").expect("VIVA_PARQUET");
    let bytes = Bytes::from(fs::read(file).unwrap());
    let mut times = Vec::new();
    for _ in 0..9 {
        let start = now();
        let read = read(bytes.clone()).unwrap();
        times.push(start.elapsed().as_millis());
        let (rows, length, capacity) = (read.rows, read.text.len(), read.text.capacity());
        eprintln!(
            "{rows} rows, {length} bytes of text in {capacity}: {} ms",
            times[times.len() - 1]
        );
    }
    times.sort_unstable();
    eprintln!("median {} ms of {}", times[times.len() / 2], times.len());
}
