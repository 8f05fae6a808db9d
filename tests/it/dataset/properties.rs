//! On inputs nobody chose: nothing panics, and what was good before the fault stays.

use proptest::collection::vec;
use proptest::prelude::*;
use viva::dataset::handout::{csv, jsonl, prompt_pack};
use viva::dataset::judgements::read_judgements;
use viva::dataset::responses::read_answers;
use viva::dataset::{Answer, AnswerSet, Benchmark, Case, detect, read_benchmark};
use viva::ids::CaseId;

use super::{cases, fixture, gzip};

const FIXTURES: [&str; 7] = [
    "researchqa.json",
    "rubric.json",
    "questions.json",
    "answers.json",
    "model.json",
    "coverage.json",
    "sonar_judge_gpt4.1mini.json",
];

/// All readers on the same bytes. What they find is theirs to say.
fn read_as_everything(name: &str, bytes: &[u8]) -> (Benchmark, Vec<AnswerSet>) {
    detect(name, bytes);
    read_judgements(name, bytes);
    let (answers, problems) = read_answers(name, bytes);
    assert!(!answers.is_empty() || !problems.is_empty(), "nothing read and nothing said");
    let (benchmark, problems) = read_benchmark(&[(name.to_owned(), bytes.to_vec())]);
    assert!(!benchmark.is_empty() || !problems.is_empty(), "nothing read and nothing said");
    for case in cases(&benchmark) {
        assert!(!case.query.trim().is_empty() && !case.items.is_empty());
        assert!(case.items.iter().all(|item| item.weight.is_finite() && 0.0 < item.weight));
    }
    (benchmark, answers)
}

fn lines_and_list() -> (String, String) {
    let list = String::from_utf8(fixture("researchqa.json")).unwrap();
    let values: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap();
    (values.iter().map(|value| format!("{value}\n")).collect(), list)
}

/// Text that is likely to be mistaken for structure.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof!["[\"',;\t\r\n{}\\[\\]:=+@a \\\\-]{0,12}", any::<String>(),]
}

/// Anywhere in the second of three records. All places are tried, so that this fails always or never.
#[test]
fn a_broken_record_costs_no_other() {
    let (lines, list) = lines_and_list();
    let row = format!("[{}]", lines.trim_end().replace('\n', ", "));
    for text in [list, row] {
        let start = text.find("100000000000000002").unwrap();
        let start = text[..start].rfind('{').unwrap() + 1;
        let end = text.find("100000000000000003").unwrap();
        let end = text[..end].rfind('}').unwrap();
        for at in start..=end {
            for inserted in ["\"", "{", "}", "[", "]", ",", ":", "\\", "x", "\0", "\n"] {
                let mut broken = text.clone();
                broken.insert_str(at, inserted);
                let (benchmark, _) = read_as_everything("x.json", broken.as_bytes());
                let has = |id: &str| cases(&benchmark).iter().any(|case| case.id.as_str() == id);
                assert!(has("100000000000000001-s1"), "{broken}");
                assert!(has("100000000000000003-s2"), "{broken}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(
        which in 0..FIXTURES.len(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        packed: bool,
    ) {
        let mut bytes = fixture(FIXTURES[which]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if packed {
            bytes = gzip(&bytes);
        }
        read_as_everything("x.json", &bytes);
    }

    #[test]
    fn inserted_structure_never_panics(
        which in 0..FIXTURES.len(),
        at: prop::sample::Index,
        inserted in hostile(),
        removed in 0..40_usize,
    ) {
        let mut bytes = fixture(FIXTURES[which]);
        let at = at.index(bytes.len());
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, inserted.bytes());
        for name in ["x.json", "x.jsonl", "x.csv"] {
            read_as_everything(name, &bytes);
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in vec(any::<u8>(), 0..200), name in any::<String>()) {
        read_as_everything(&name, &bytes);
        let text: String = bytes.iter().map(|b| char::from(b"{}[]\",:\\\n a1e.-"[usize::from(*b) % 15])).collect();
        read_as_everything(&name, text.as_bytes());
    }

    #[test]
    fn a_cut_keeps_every_whole_record_before_it(cut: prop::sample::Index, packed: bool) {
        let (lines, list) = lines_and_list();
        // In the list, a record is whole up to the line `  }`.
        for (text, end) in [(lines, "}\n"), (list, "\n  }")] {
            let cut = cut.index(text.len());
            let bytes = &text.as_bytes()[..cut];
            let whole = text[..cut].matches(end).count();
            let bytes = if packed { gzip(bytes) } else { bytes.to_vec() };
            let (benchmark, _) = read_as_everything("cut.json", &bytes);
            // A line may be whole without its end.
            prop_assert!(whole <= benchmark.len() && benchmark.len() <= whole + 1);
        }
    }

    #[test]
    fn a_cut_gzip_keeps_a_first_part(cut: prop::sample::Index) {
        let (lines, list) = lines_and_list();
        for text in [lines, list] {
            let whole = read_as_everything("x.json", text.as_bytes()).0;
            let packed = gzip(text.as_bytes());
            let (benchmark, _) = read_as_everything("x.json", &packed[..cut.index(packed.len())]);
            prop_assert!(cases(&whole).starts_with(&cases(&benchmark)));
        }
    }

    #[test]
    fn maps_lines_and_tables_say_the_same(
        entries in vec(("[a-d]", hostile()), 1..12),
    ) {
        // Kept by hand: the last that is not empty, in the order of the first.
        let mut kept: Vec<(String, String)> = Vec::new();
        for (id, text) in &entries {
            match kept.iter_mut().find(|(known, _)| known == id) {
                None => kept.push((id.clone(), text.clone())),
                Some((_, old)) if !text.trim().is_empty() || old.trim().is_empty() => old.clone_from(text),
                Some(_) => {}
            }
        }
        let duplicates = (entries.len() - kept.len()) as u64;
        let json = |text: &str| serde_json::to_string(text).unwrap();
        let map: Vec<_> = entries.iter().map(|(id, text)| format!("{}: {}", json(id), json(text))).collect();
        let map = format!("{{{}}}", map.join(","));
        let lines: String = entries
            .iter()
            .map(|(id, text)| format!("{{\"id\":{},\"answer\":{}}}\n", json(id), json(text)))
            .collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["id", "answer"]).unwrap();
        for (id, text) in &entries {
            writer.write_record([id, text]).unwrap();
        }
        let table = writer.into_inner().unwrap();
        for (name, bytes) in
            [("s.json", map.into_bytes()), ("s.jsonl", lines.into_bytes()), ("s.csv", table)]
        {
            let (sets, problems) = read_answers(name, &bytes);
            prop_assert!(problems.is_empty(), "{} {:?}", name, problems);
            prop_assert_eq!(sets.len(), 1);
            let found: Vec<_> =
                sets[0].answers.iter().map(|a| (a.id.to_string(), a.text.clone())).collect();
            prop_assert_eq!(&found, &kept, "{}", name);
            prop_assert_eq!(sets[0].duplicates, duplicates);
        }
    }

    #[test]
    fn what_is_handed_out_comes_back(
        cases in proptest::collection::btree_map(
            hostile().prop_filter("an id is not blank", |id| !id.trim().is_empty()),
            hostile(),
            1..6,
        ),
    ) {
        let cases: Vec<Case> = cases
            .into_iter()
            .map(|(id, query)| Case {
                id: CaseId::new(id),
                domain: String::new(),
                subdomain: String::new(),
                field: String::new(),
                query,
                date: None,
                items: Vec::new(),
            })
            .collect();
        let cases: Vec<&Case> = cases.iter().collect();
        for (name, text) in [("t.jsonl", jsonl(&cases, 250)), ("t.csv", csv(&cases, 250))] {
            let (sets, problems) = read_answers(name, text.as_bytes());
            prop_assert!(problems.is_empty(), "{} {:?}", text, problems);
            let ids: Vec<_> = sets[0].answers.iter().map(|answer| &answer.id).collect();
            let expected: Vec<_> = cases.iter().map(|case| &case.id).collect();
            prop_assert_eq!(ids, expected, "{}", text);
            prop_assert!(sets[0].answers.iter().all(Answer::is_empty));
        }
        prompt_pack(&cases, 250);
    }
}
