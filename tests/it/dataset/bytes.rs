//! Bytes that are no text, or not all of one.

use viva::dataset::text::{LIMIT_JSON, LIMIT_LINES, decode, limit_for};
use viva::dataset::{Place, read_benchmark};

use super::{check_told, gzip, ids, read};

const GOOD: &str = r#"{"id":"a","query":"Why?","rubric":["One?"]}"#;

#[track_caller]
fn check_refused(bytes: &[u8], place: Place, what: &str, cure: &str) {
    let problem = decode("f", bytes, LIMIT_JSON).unwrap_err();
    assert_eq!(problem.place, place, "{problem:?}");
    assert!(problem.what.contains(what), "{problem:?}");
    assert!(problem.cure.contains(cure), "{problem:?}");
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_mark_is_removed_and_gzip_unpacked_whatever_the_name() {
    let text = format!("\u{feff}{GOOD}");
    for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
        assert_eq!(decode("f", &bytes, LIMIT_JSON).unwrap().text, GOOD);
    }
}

#[test]
fn gzip_in_several_members_is_one_text() {
    let mut bytes = gzip(GOOD.as_bytes());
    bytes.extend(gzip(b"\n"));
    bytes.extend(gzip(GOOD.replace("\"a\"", "\"b\"").as_bytes()));
    let (benchmark, problems) = read_benchmark(&[("two.jsonl.gz".to_owned(), bytes)]);
    assert_eq!(ids(&benchmark), ["a", "b"]);
    check_told(&problems, &[]);
}

#[test]
fn what_is_no_text_is_refused_with_a_cure() {
    check_refused(b"", Place::File, "empty", "another file");
    check_refused(b" \n\t\r\n", Place::File, "empty", "another file");
    check_refused(&gzip(b""), Place::File, "empty", "another file");
    check_refused(&utf16(GOOD), Place::File, "UTF-16", "Save it as UTF-8");
    check_refused(&utf16(&format!("\u{feff}{GOOD}")), Place::File, "UTF-16", "Save it as UTF-8");
    check_refused(b"\xfe\xff\0a\0b", Place::File, "UTF-16", "Save it as UTF-8");
    check_refused(b"[1,\n2,\n\"caf\xe9\"]", Place::Line(3), "0xE9", "Save it as UTF-8");
    check_refused(b"\xe9", Place::Line(1), "0xE9", "Save it as UTF-8");
    check_refused(b"  <!DOCTYPE html><p>", Place::File, "web page", "sign in");
    check_refused(b"<html>", Place::File, "web page", "sign in");
    check_refused(b"PAR1\x15\x04", Place::File, "Parquet", "JSONL");
    check_refused(b"PK\x03\x04rest", Place::File, "Excel", "CSV");
    check_refused(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        Place::File,
        "pointer",
        "git lfs pull",
    );
    check_refused(b"\x1f\x8b", Place::File, "before anything", "again");
}

#[test]
fn a_small_gzip_that_unpacks_to_much_is_refused() {
    let bomb = gzip(&vec![b' '; 3 << 20]);
    assert!(bomb.len() < 64 << 10);
    let problem = decode("bomb.gz", &bomb, 1 << 20).unwrap_err();
    assert!(problem.what.contains("larger than 1 MiB once unpacked"), "{problem:?}");
    assert!(problem.cure.contains("JSONL"), "{problem:?}");
}

#[test]
fn a_file_over_the_limit_is_told_its_size() {
    let problem = decode("big.json", &vec![b'1'; 3 << 20], 2 << 20).unwrap_err();
    assert!(problem.what.contains("3 MiB"), "{problem:?}");
    assert!(problem.what.contains("2 MiB"), "{problem:?}");
    assert!(problem.cure.contains("JSONL"), "{problem:?}");
    assert!(decode("fits.json", &vec![b'1'; 2 << 20], 2 << 20).is_ok());
}

#[test]
fn lines_and_rows_may_be_longer_than_lists() {
    let lines = format!("{GOOD}\n{GOOD}\n");
    for (text, limit) in [
        ("[1]", LIMIT_JSON),
        ("{\n\"a\": 1}", LIMIT_JSON),
        (GOOD, LIMIT_JSON),
        (&lines, LIMIT_LINES),
        ("id,answer\n", LIMIT_LINES),
    ] {
        assert_eq!(limit_for(text.as_bytes()), limit, "{text}");
        assert_eq!(limit_for(&gzip(text.as_bytes())), limit, "{text}");
    }
}

#[test]
fn a_cut_gzip_keeps_what_came_before() {
    let lines: String =
        (0..500).map(|n| format!("{}\n", GOOD.replace("\"a\"", &format!("\"q{n}\"")))).collect();
    let packed = gzip(lines.as_bytes());
    let cut = packed[..packed.len() / 2].to_vec();
    let (benchmark, problems) = read_benchmark(&[("cut.jsonl.gz".to_owned(), cut)]);
    assert!((1..500).contains(&benchmark.len()));
    assert!(problems.list()[0].what.contains("gzip file ends too early"), "{problems:?}");

    // Only the checksum is missing: all of the text is there.
    let tail = packed[..packed.len() - 4].to_vec();
    let (benchmark, problems) = read_benchmark(&[("cut.jsonl.gz".to_owned(), tail)]);
    assert_eq!(benchmark.len(), 500);
    assert_eq!(problems.total(), 1);
}

#[test]
fn a_damaged_gzip_is_not_trusted() {
    let mut bytes = gzip(GOOD.as_bytes());
    let checksum = bytes.len() - 8;
    bytes[checksum] ^= 1;
    check_refused(&bytes, Place::File, "damaged", "again");
}

#[test]
fn a_cut_inside_a_character_keeps_what_came_before() {
    let text = format!("{GOOD}\n{{\"id\":\"ü");
    let bytes = text.as_bytes()[..text.len() - 1].to_vec();
    let (benchmark, problems) = read_benchmark(&[("cut.jsonl".to_owned(), bytes)]);
    assert_eq!(ids(&benchmark), ["a"]);
    check_told(
        &problems,
        &[
            "cut.jsonl: line 2: The file ends in the middle of a character.",
            "cut.jsonl: line 2: The file ends in the middle of a record.",
        ],
    );
}

#[test]
fn text_that_is_no_json_says_so() {
    let (benchmark, problems) = read("notes.md", "# Notes\n\nNothing.");
    assert!(benchmark.is_empty() && benchmark.files().is_empty());
    check_told(&problems, &["notes.md: whole file: This is not JSON"]);
}
