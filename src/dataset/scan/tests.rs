//! The quick reader and the tolerant one are told the same and must say the same.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::benchmark::read_tolerantly;
use super::super::{Benchmark, Blob, Case, CaseRef, Problems};
use super::read;

fn files(text: &str) -> Vec<(String, Blob)> {
    vec![("x.json".to_owned(), text.as_bytes().to_vec().into())]
}

fn cases(benchmark: &Benchmark) -> Vec<Case> {
    benchmark.cases().map(CaseRef::to_case).collect()
}

/// What both read, and whether the quick one read at all.
#[track_caller]
fn check(text: &str) -> bool {
    let files = files(text);
    let Some((quick, _)) = read(&files) else { return false };
    let (slow, problems) = read_tolerantly(&files);
    assert_eq!(problems, Problems::default(), "a problem was passed over in {text}");
    assert_eq!(cases(&quick), cases(&slow), "{text}");
    assert_eq!((quick.records, quick.digest()), (slow.records, slow.digest()));
    true
}

/// Texts that need care: escapes, pairs of surrogates, structure inside strings.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,40}",
        "[\"\\\\/\u{8}\u{c}\n\r\t{}\\[\\],:a]{1,12}",
        "\\PC{1,30}",
        "[\u{10000}-\u{10ffff}é]{1,6}",
    ]
}

fn item() -> impl Strategy<Value = Value> {
    let kinds = ["Citation", "Limitation", "Comparison", "Example", "Impact", "Other"];
    let kinds = prop_oneof![
        vec(prop::sample::select(kinds.to_vec()), 0..4).prop_map(|list| json!(list)),
        prop::sample::select(kinds.to_vec()).prop_map(|one| json!(one)),
        Just(Value::Null),
    ];
    let weight = prop_oneof![
        4 => Just(Value::Null),
        1 => (1..9_i32).prop_map(|n| json!(n)),
        1 => (0.01..1e9_f64).prop_map(|n| json!(n)),
        1 => Just(json!(-1)),
    ];
    let citation = prop_oneof![
        Just(Value::Null),
        words().prop_map(|title| json!(title)),
        (words(), 1800..2030).prop_map(|(title, year)| {
            json!({ "title": title, "year": year, "url": null, "first_author": "A. \"B\"" })
        }),
    ];
    (words(), kinds, weight, citation).prop_map(|(text, kinds, weight, citation)| {
        json!({ "rubric_item": text, "type": kinds, "weight": weight, "citation_metadata": citation })
    })
}

fn record() -> impl Strategy<Value = Value> {
    let date = prop_oneof![
        Just(Value::Null),
        Just(json!("2021-05-03")),
        Just(json!("2024-02-29T01:02:03")),
        Just(json!("NaT")),
        Just(json!("soon")),
        Just(json!(1_620_000_000)),
    ];
    let other = prop_oneof![
        Just(json!({ "a": [1, -2.5e3, true, false, null, { "b": "\u{1F600}\\" }] })),
        Just(json!(0.1)),
        words().prop_map(|text| json!(text)),
    ];
    (any::<u32>(), words(), words(), words(), date, other, vec(item(), 0..4)).prop_map(
        |(id, domain, field, query, date, other, rubric)| {
            json!({
                "id": format!("{id}-s1"), "general_domain": domain, "subdomain": null,
                "field": field, "query": query, "date": date, "other": other, "rubric": rubric,
            })
        },
    )
}

/// The same text with other characters written as escapes.
fn escape(text: &str, every: usize) -> String {
    let mut out = String::new();
    let mut units = [0; 2];
    let (mut inside, mut escaped) = (false, false);
    for (at, c) in text.chars().enumerate() {
        let key = c.is_ascii_lowercase() || c == '_'; // Keys with escapes are left to the tolerant reader.
        let plain = !inside || escaped || key || c == '"' || c == '\\' || at % every != 0;
        if plain {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
        if c == '"' && !escaped {
            inside = !inside;
        }
        escaped = inside && c == '\\' && !escaped;
    }
    out
}

/// As JSON, as indented JSON, as lines, and with escapes.
fn spellings(records: &[Value]) -> [String; 4] {
    let list = Value::Array(records.to_vec());
    let lines = records.iter().fold(String::new(), |all, it| all + &it.to_string() + "\n");
    let indented = serde_json::to_string_pretty(&list).unwrap();
    [list.to_string(), indented, lines, escape(&list.to_string(), 3)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_read_the_same(records in vec(record(), 1..5)) {
        for text in spellings(&records) {
            check(&text);
        }
    }

    #[test]
    fn both_readers_read_the_same_after_a_change(
        records in vec(record(), 1..4),
        which in 0..4_usize,
        changes in vec((any::<prop::sample::Index>(), prop::sample::select(
            b"\"\\{}[],:0123456789eE+-.tfnu \n\r\t\x01ad/".to_vec())), 1..3),
        insert: bool,
    ) {
        let mut text = spellings(&records)[which].clone().into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            if insert { text.insert(at, byte) } else { text[at] = byte }
        }
        if let Ok(text) = String::from_utf8(text) {
            check(&text);
        }
    }

    /// Against serde_json itself, with none of our own code between.
    #[test]
    fn texts_are_those_that_serde_json_reads(records in vec(record(), 1..5)) {
        for text in spellings(&records) {
            let Some((quick, _)) = read(&files(&text)) else { continue };
            prop_assert_eq!(quick.len(), records.len());
            for (case, record) in quick.cases().zip(&records) {
                prop_assert_eq!(case.id(), record["id"].as_str().unwrap());
                prop_assert_eq!(case.query(), record["query"].as_str().unwrap());
                prop_assert_eq!(case.field(), record["field"].as_str().unwrap().trim());
                let items = record["rubric"].as_array().unwrap();
                prop_assert_eq!(case.n_items(), items.len());
                for (item, expected) in case.items().zip(items) {
                    prop_assert_eq!(item.text(), expected["rubric_item"].as_str().unwrap());
                    let weight = expected["weight"].as_f64().unwrap_or(1.0);
                    prop_assert!((item.weight() - weight).abs() <= f64::EPSILON * weight);
                }
            }
        }
    }
}

/// Most of what is generated above is amiss somewhere; what is not must take the quick way.
#[test]
fn ordinary_files_take_the_quick_way() {
    let record = |n: usize| {
        json!({
            "id": format!("17453942000000000{n}-s1"), "general_domain": "Humanities", "subdomain": "Arts",
            "field": "Music", "query": "Does \"swing\" pay?", "date": "2023-01-01",
            "rubric": [{ "rubric_item": "Says \u{e9}\n?", "type": ["Example", "Other"], "citation_metadata": null }],
        })
    };
    let records = [record(0), record(1), record(2)];
    for text in spellings(&records) {
        assert!(check(&text), "{text}");
        assert!(check(&format!("\u{feff}{text}\n ")), "with a mark: {text}");
    }
}

#[test]
fn what_is_amiss_is_left_to_the_tolerant_reader() {
    let record = r#"{"id":"1-s1","query":"Q","rubric":[{"rubric_item":"I"}]}"#;
    assert!(check(&format!("[{record}]")));
    let id_twice = record.replace("{\"id\"", "{\"id\":\"0\",\"ID\"");
    let control = record.replace("\"Q\"", "\"Q\u{1}\"");
    let half_a_pair = record.replace("\"Q\"", r#""\ud83d""#);
    let number_id = record.replace("\"1-s1\"", "1");
    let too_deep = record
        .replace("{\"id\"", &format!("{{\"x\":{}{},\"id\"", "[".repeat(200), "]".repeat(200)));
    let out_of_range = record.replace("{\"id\"", "{\"x\":1e999,\"id\"");
    let leading_zero = record.replace("{\"id\"", "{\"x\":01,\"id\"");
    for text in [
        id_twice,
        control,
        half_a_pair,
        number_id,
        too_deep,
        out_of_range,
        leading_zero,
        format!("{record},{record}"),
        format!("{record} {record}"),
        format!("{record}x"),
        record[..record.len() - 1].to_owned(),
        "[]".to_owned(),
        String::new(),
    ] {
        assert!(read(&files(&text)).is_none(), "{text}");
    }
    // The same question twice has a problem to tell.
    assert!(read(&files(&format!("[{record},{record}]"))).is_none());
}
