//! Labels that were given elsewhere.

use viva::dataset::judgements::{ImportedSet, read_judgements};

use super::{check_told, fixture};

fn one(name: &str, bytes: &[u8]) -> ImportedSet {
    let (mut sets, problems) = read_judgements(name, bytes);
    check_told(&problems, &[]);
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

#[test]
fn the_published_layout_is_read() {
    let set = one("coverage.json", &fixture("coverage.json"));
    assert_eq!(set.name.as_str(), "coverage");
    assert_eq!(set.cases.len(), 2);
    let scores: Vec<_> = set.cases[0].items.iter().map(|item| item.score.as_str()).collect();
    assert_eq!(scores, ["Completely", "Not at all"]);
    assert!(set.cases[0].items[0].text.as_ref().unwrap().contains("pore width"));
}

#[test]
fn the_internal_layout_is_read_and_keeps_the_place_of_a_missing_label() {
    let name = "sonar_judge_gpt4.1mini.json";
    let set = one(name, &fixture(name));
    assert_eq!(set.name.as_str(), "sonar");
    let scores: Vec<_> = set.cases[0].items.iter().map(|item| item.score.as_str()).collect();
    assert_eq!(scores, ["Mostly", ""]);
    assert_eq!(set.cases[0].items[0].text, None);
}

#[test]
fn faults_are_named() {
    let (sets, problems) = read_judgements(
        "x.json",
        br#"{
            "a": [{"score": "Barely"}],
            "a": [{"score": 4}],
            "b": [],
            "c": "Barely",
            "d": [{"score": ["x"]}],
            "": [{"score": "Barely"}],
            "e": [{"score": "Barely" "rubric": "x"}],
            "f": ["Mostly"]
        }"#,
    );
    let ids: Vec<_> = sets[0].cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["a", "d", "f"]);
    assert_eq!(sets[0].duplicates, 1);
    assert_eq!(sets[0].cases[0].items[0].score, "4");
    check_told(
        &problems,
        &[
            "x.json: line 4: b has no list of labels.",
            "x.json: line 5: c has no list of labels.",
            "x.json: line 6: Label 1 of d is a list.",
            "x.json: line 7: This record has no id.",
            "x.json: line 8: This record is not valid JSON",
        ],
    );
}

#[test]
fn other_files_are_one_problem() {
    for bytes in [fixture("researchqa.json"), fixture("model.json"), b"id,answer\na,b\n".to_vec()] {
        let (sets, problems) = read_judgements("x.json", &bytes);
        assert!(sets.is_empty());
        check_told(&problems, &["x.json: whole file: No judgements were found in this file."]);
    }
}
