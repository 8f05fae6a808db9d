//! Answers of systems: the shapes that are read, the faults that are named, and the join.

use viva::dataset::responses::{merge_sets, read_answers};
use viva::dataset::{AnswerSet, Problems, answer_digest, join, read_benchmark, words};

use super::{check_told, fixture, gzip};

fn read(name: &str, text: &str) -> (Vec<AnswerSet>, Problems) {
    read_answers(name, text.as_bytes())
}

fn pairs(set: &AnswerSet) -> Vec<(&str, &str)> {
    set.answers.iter().map(|answer| (answer.id.as_str(), answer.text.as_str())).collect()
}

/// One system with these answers and no problem.
#[track_caller]
fn check(name: &str, text: &str, system: &str, expected: &[(&str, &str)]) {
    for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        let (sets, problems) = read_answers(name, &bytes);
        check_told(&problems, &[]);
        assert_eq!(sets.len(), 1, "{text}");
        assert_eq!(sets[0].name.as_str(), system, "{text}");
        assert_eq!(pairs(&sets[0]), expected, "{text}");
        assert_eq!(sets[0].files, [name]);
    }
}

/// No other answers than the good one of `a`, and this problem.
#[track_caller]
fn check_bad(name: &str, text: &str, told: &str) {
    let (sets, problems) = read(name, text);
    assert_eq!(sets.len(), 1, "{text}");
    assert_eq!(pairs(&sets[0]), [("a", "A")], "{text}");
    check_told(&problems, &[&format!("{name}: {told}")]);
}

#[test]
fn every_shape_is_read() {
    const TWO: [(&str, &str); 2] = [("a", "A"), ("b", "")];
    check("s.json", r#"{"a": {"answer": "A", "x": 1}, "b": {"answer": null}}"#, "s", &TWO);
    check("s.json", "{\n\"a\": \"A\",\n\"b\": null\n}", "s", &TWO);
    check("s.json", r#"{"a": {"response": "A"}, "b": {"answer": null, "text": ""}}"#, "s", &TWO);
    check(
        "s.json",
        r#"[{"id": "a", "answer": "A"}, {"corpusid_sectionid": "b", "output": ""}]"#,
        "s",
        &TWO,
    );
    check(
        "s.json",
        r#"[{"session_id": "a", "text": "A"}, {"id": "b", "response": null}]"#,
        "s",
        &TWO,
    );
    check(
        "s.json",
        r#"{"answers": [{"id": "a", "answer": "A"}, {"id": "b", "answer": ""}]}"#,
        "s",
        &TWO,
    );
    check(
        "s.jsonl",
        "{\"id\":\"a\",\"answer\":\"A\"}\r\n\r\n{\"id\":\"b\",\"answer\":null}",
        "s",
        &TWO,
    );
    check("s.csv", "id,answer\na,A\nb,\n", "s", &TWO);
    check("s.csv", "\u{feff}ID , note, Response\r\na,,A\r\nb,x,\r\n", "s", &TWO);
    check("s.csv", "id;answer\na;A\nb;\n", "s", &TWO);
    check("s.tsv", "id\tanswer\na\tA\nb\t\n", "s", &TWO);
    check("s.csv", "id\tanswer\na\tA\nb\t\n", "s", &TWO);
    check("s", "\"id\",\"answer\"\n\"a\",\"A\"\n\"b\",\"\"\n", "s", &TWO);
    check("s.json", r#"{"id": "a", "answer": "A"}"#, "s", &[("a", "A")]);
    check("s.json", r#"[{"id": 7, "answer": "A"}]"#, "s", &[("7", "A")]);
    check("s.json", r#"[{"id": 0, "answer": "A"}]"#, "s", &[("0", "A")]);
    check(
        "s.csv",
        "id,answer\na,\"One, \"\"two\"\"\nthree\"\n",
        "s",
        &[("a", "One, \"two\"\nthree")],
    );
}

#[test]
fn the_published_layouts_are_read() {
    let (sets, problems) = read_answers("answers.json", &fixture("answers.json"));
    check_told(&problems, &[]);
    assert_eq!(sets[0].answers.len(), 3);
    assert!(sets[0].answers[1].is_empty());

    let (sets, problems) = read_answers("Model.json", &fixture("model.json"));
    check_told(&problems, &["Model.json: line 3: This record has the id 0"]);
    assert_eq!(pairs(&sets[0]), [("1", "Episodic stores."), ("2", "By suites of tasks.")]);
    assert_eq!(sets[0].duplicates, 1);
}

#[test]
fn folders_name_a_system_and_its_files_are_joined() {
    let list =
        |id: &str| format!(r#"[{{"corpusid_sectionid": "{id}", "answer": "A", "model": "m"}}]"#);
    let mut sets = Vec::new();
    for (name, id) in [
        ("answers/physics/retrieval/gpt.json", "a"),
        ("answers/geology/retrieval/gpt.json", "b"),
        ("answers/geology/parametric/gpt.json", "a"),
        ("answers/again/retrieval/gpt.json", "a"),
    ] {
        sets.extend(read(name, &list(id)).0);
    }
    let merged = merge_sets(sets);
    let names: Vec<_> = merged.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["retrieval-gpt", "parametric-gpt"]);
    assert_eq!(pairs(&merged[0]), [("a", "A"), ("b", "A")]);
    assert_eq!((merged[0].files.len(), merged[0].duplicates), (3, 1));
}

#[test]
fn a_file_can_hold_several_systems() {
    let (sets, problems) = read(
        "all.json",
        r#"[{"id":"a","answer":"1","system":"x","model":"m"},{"id":"a","answer":"2","implementation":"y"},
            {"id":"b","answer":"3","system":"x"},{"id":"b","answer":"4"}]"#,
    );
    check_told(&problems, &[]);
    let names: Vec<_> = sets.iter().map(|set| (set.name.as_str(), set.answers.len())).collect();
    assert_eq!(names, [("x", 2), ("y", 1), ("all", 1)]);

    let (sets, _) = read("all.csv", "id,answer,model\na,1,m1\na,2,m2\n");
    let names: Vec<_> = sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["m1", "m2"]);
    // Two systems can use the same model, so alone it is no name.
    let (sets, _) = read("rag.csv", "id,answer,model\na,1,m1\nb,2,m1\n");
    assert_eq!(sets[0].name.as_str(), "rag");
}

#[test]
fn the_last_answer_that_is_not_empty_is_kept() {
    for (name, text) in [
        ("s.json", r#"{"a": "1", "b": "x", "a": {"answer": "A"}, "a": null}"#),
        (
            "s.jsonl",
            "{\"id\":\"a\",\"answer\":\"1\"}\n{\"id\":\"b\",\"answer\":\"x\"}\n{\"id\":\"a\",\"answer\":\"A\"}\n{\"id\":\"a\",\"answer\":\" \"}",
        ),
        ("s.csv", "id,answer\na,1\nb,x\na,A\na,\n"),
    ] {
        let (sets, problems) = read(name, text);
        check_told(&problems, &[]);
        assert_eq!(pairs(&sets[0]), [("a", "A"), ("b", "x")], "{text}");
        assert_eq!(sets[0].duplicates, 2, "{text}");
    }
}

#[test]
fn every_fault_of_a_record_is_named() {
    let list = |bad: &str| format!("[\n{{\"id\":\"a\",\"answer\":\"A\"}},\n{bad}\n]");
    for (bad, told) in [
        ("{\"answer\":\"B\"}", "This record has no id. Its keys are: answer."),
        ("{\"id\":null,\"answer\":\"B\"}", "This record has no id."),
        ("{\"id\":[],\"answer\":\"B\"}", "This record has a list as its id."),
        (
            "{\"id\":\"b\",\"reply\":\"B\"}",
            "The record of b has no answer. Its keys are: id, reply.",
        ),
        ("{\"id\":\"b\",\"answer\":7}", "The answer of b is a number, not text."),
        ("{\"id\":\"b\",\"answer\":[\"B\"]}", "The answer of b is a list, not text."),
        ("{\"id\":\"b\",\"answer\":{}}", "The answer of b is an object, not text."),
        ("7", "This record is a number, not an object."),
        ("{\"id\":\"b\",\"answer\":\"B\" 7}", "This record is not valid JSON"),
    ] {
        check_bad("s.json", &list(bad), &format!("line 3: {told}"));
    }
    let map = |bad: &str| format!("{{\n\"a\": \"A\",\n{bad}\n}}");
    for (bad, told) in [
        ("\"\": \"B\"", "This entry has an empty id."),
        ("\"b\": 7", "The answer of b is a number, not text."),
        ("\"b\": {\"reply\": \"B\"}", "The record of b has no answer."),
        ("\"b\": \"\\ud800\"", "This record is not valid JSON"),
        ("\"b\": tru", "This record is not valid JSON"),
        ("b: \"B\"", "This record is not valid JSON"),
        ("\"b\": \"B", "This record is not valid JSON (control character"),
    ] {
        let (sets, problems) = read("s.json", &map(bad));
        assert_eq!(pairs(&sets[0]), [("a", "A")], "{bad}");
        let first = &problems.list()[0];
        assert_eq!(first.place.to_string(), "line 3", "{bad} {problems:?}");
        assert!(first.what.starts_with(told), "{bad} {problems:?}");
    }
}

#[test]
fn a_broken_entry_costs_no_other() {
    let (sets, problems) = read(
        "s.json",
        "{\n  \"a\": {\"answer\": \"say \"A\"},\n  \"b\": \"B\",\n  \"c\": {\"answer\": \"C\" \"x\"},\n  \"d\": \"D\"\n}",
    );
    assert_eq!(pairs(&sets[0]), [("b", "B"), ("d", "D")], "{problems:?}");
    check_told(
        &problems,
        &["s.json: line 2: This record is not valid", "s.json: line 4: This record is not valid"],
    );
}

#[test]
fn every_fault_of_a_table_is_named() {
    check_bad("s.csv", "id,answer\na,A\n,B\n", "row 2: This row has no id.");
    check_bad(
        "s.csv",
        "id,answer\na,A\nb\n",
        "row 2: This row has 1 cells where the first row names 2",
    );
    check_bad(
        "s.csv",
        "id,answer\na,A\nb,one, two\n",
        "row 2: This row has 3 cells where the first row names 2.",
    );
    check_bad(
        "s.csv",
        "id,answer\na,A\nb,\"open\nc,C\n",
        "row 2: A quotation mark in this row is opened",
    );
    check_bad("s.csv", "id,answer\na,A\n,\n , \n\n", "whole file: 2 empty rows were left out.");

    for (name, text) in [("s.csv", "query_text,reply\na,A\n"), ("s.txt", "query_text,reply\na,A\n")]
    {
        let (sets, problems) = read(name, text);
        assert!(sets.is_empty());
        check_told(
            &problems,
            &[&format!("{name}: whole file: The table has the columns query_text, reply")],
        );
        assert!(problems.list()[0].cure.contains("`id` and `answer`"));
    }
    let (sets, problems) = read("s.csv", "id,answer\n");
    assert!(sets.is_empty());
    check_told(&problems, &["s.csv: whole file: The file holds no answers."]);
    let (_, problems) = read("s.json", "id,answer\na,A\n");
    check_told(&problems, &["s.json: whole file: This is not JSON"]);
}

#[test]
fn the_wrong_kind_of_file_is_one_problem() {
    for (name, told) in [
        ("researchqa.json", "These are questions"),
        ("questions.json", "These are questions"),
        ("coverage.json", "These are judgements"),
    ] {
        let (sets, problems) = read_answers(name, &fixture(name));
        assert!(sets.is_empty(), "{name}");
        check_told(&problems, &[&format!("{name}: whole file: {told}")]);
    }
    let (_, problems) = read("run.json", "{\"format\":\"viva-run\",\"n\":1}");
    // One of its values is text, so it reads as an answer unless it is known for what it is.
    check_told(&problems, &["run.json: whole file: This is a run file"]);
}

#[test]
fn what_stands_beside_a_list_is_no_answer() {
    let text = r#"{"name": "x", "answers": [{"id": "a", "answer": "A"}], "made by": "y"}"#;
    check("s.json", text, "s", &[("a", "A")]);
}

#[test]
fn two_hundred_problems_are_kept_and_all_are_counted() {
    let rows: String = (0..999).map(|_| ",B\n").collect();
    let (sets, problems) = read("s.csv", &format!("id,answer\na,A\n{rows}"));
    assert_eq!(sets[0].answers.len(), 1);
    assert_eq!((problems.list().len(), problems.total(), problems.more()), (200, 999, 799));
}

#[test]
fn answers_are_joined_by_the_full_id() {
    let (benchmark, _) =
        read_benchmark(&[("researchqa.json".to_owned(), fixture("researchqa.json"))]);
    let (sets, _) = read_answers("answers.json", &fixture("answers.json"));
    let report = join(&benchmark, &sets[0]);
    assert_eq!((report.matched, report.missing, report.unknown, report.empty), (2, 1, 1, 1));
    assert_eq!(report.median_words, Some(7.0));
    assert_eq!(report.unknown_ids[0].as_str(), "999-s9");

    let many: Vec<_> = (0..9).map(|n| format!("\"u{n}\": \"x\"")).collect();
    let (sets, _) = read("s.json", &format!("{{{}}}", many.join(",")));
    let report = join(&benchmark, &sets[0]);
    assert_eq!((report.unknown, report.unknown_ids.len(), report.median_words), (9, 5, None));

    let (sets, _) = read(
        "s.json",
        r#"{"100000000000000001-s1": "one two", "100000000000000002-s4": "one\u00a0two three\u3000four five", "100000000000000003-s2 ": "x"}"#,
    );
    let report = join(&benchmark, &sets[0]);
    assert_eq!((report.matched, report.unknown, report.median_words), (2, 1, Some(3.5)));
}

#[test]
fn words_are_what_stands_between_white_space() {
    assert_eq!(words(""), 0);
    assert_eq!(words(" \n\t"), 0);
    assert_eq!(words("one  two\nthree"), 3);
    assert_eq!(words("a\u{2003}b\u{a0}c"), 3);
}

#[test]
fn a_system_is_its_answers_and_not_its_name_or_their_order() {
    let identity = |name: &str, text: &str| read(name, text).0[0].identity();
    let first = identity("x.json", r#"{"a": "A", "b": "B"}"#);
    assert_eq!(first, identity("other.csv", "id,answer\nb,B\na,A\n"));
    assert_ne!(first, identity("x.json", r#"{"a": "B", "b": "A"}"#));
    assert_ne!(first, identity("x.json", r#"{"a": "A"}"#));
    assert_ne!(answer_digest("A"), answer_digest("A "));
}
