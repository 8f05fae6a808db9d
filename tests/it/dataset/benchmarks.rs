//! Questions with rubrics: the shapes that are read, and the faults that are named.

use viva::dataset::sample::choose;
use viva::dataset::{Benchmark, FileKind, Problems, TypeCount, detect, read_benchmark};
use viva::rubric::{Citation, ItemType};

use super::{cases, check_told, fixture, gzip, ids, read};

/// Reads a list with this record between two good ones, and expects exactly this problem.
#[track_caller]
fn check_bad(record: &str, what: &str) {
    let good = |id: &str| format!(r#"{{"id":"{id}","query":"Why?","rubric":["One?"]}}"#);
    let list = format!("[\n{},\n{record},\n{}\n]", good("first"), good("last"));
    let (benchmark, problems) = read("list.json", &list);
    assert_eq!(ids(&benchmark), ["first", "last"], "{record}");
    check_told(&problems, &[&format!("list.json: line 3: {what}")]);

    let lines = format!("{}\n\n{record}\n{}\n", good("first"), good("last"));
    let (benchmark, problems) = read("lines.jsonl", &lines);
    assert_eq!(ids(&benchmark), ["first", "last"], "{record}");
    let what = what.replace("This record is not valid", "This line is not valid");
    let what = what.replace("This record holds", "This line holds");
    check_told(&problems, &[&format!("lines.jsonl: line 3: {what}")]);

    let row = format!("[{},{record},{}]", good("first"), good("last"));
    let (benchmark, problems) = read("row.json", &row);
    assert_eq!(ids(&benchmark), ["first", "last"], "{record}");
    assert_eq!(problems.total(), 1, "{record}");
    assert_eq!(problems.list()[0].place.to_string(), "record 2", "{record}");
}

fn researchqa() -> Benchmark {
    read_benchmark(&[("researchqa.json".to_owned(), fixture("researchqa.json"))]).0
}

#[test]
fn researchqa_is_read_in_full() {
    let (benchmark, problems) =
        read_benchmark(&[("researchqa.json".to_owned(), fixture("researchqa.json"))]);
    check_told(&problems, &[]);
    assert_eq!(benchmark.name, "ResearchQA");
    assert_eq!(benchmark.files()[0].name, "researchqa.json");
    assert_eq!(benchmark.files()[0].bytes, fixture("researchqa.json").len() as u64);
    let first = &cases(&benchmark)[0];
    assert_eq!(first.domain, "Physical & Theoretical Sciences");
    assert_eq!(first.subdomain, "Chemical Sciences");
    assert_eq!(first.field, "Materials Chemistry");
    assert_eq!(first.date.as_deref(), Some("2021-05-03"));
    assert_eq!(first.items[1].types, [ItemType::Citation, ItemType::Example]);
    assert_eq!(
        first.items[1].citation,
        Some(Citation {
            first_author: Some("Doe".to_owned()),
            title: Some("Ordered carbons".to_owned()),
            url: None,
            year: Some(2014),
        })
    );
    assert_eq!(cases(&benchmark)[1].date, None);
    assert_eq!(cases(&benchmark)[1].items[0].types, [ItemType::Limitation]);
    assert_eq!(cases(&benchmark)[2].date.as_deref(), Some("2021-05-03"));
    assert!(
        cases(&benchmark)
            .iter()
            .all(|case| case.items.iter().all(|item| (item.weight - 1.0).abs() < f64::EPSILON))
    );
}

#[test]
fn the_summary_counts_what_is_there() {
    let benchmark = researchqa();
    let summary = benchmark.summary();
    assert_eq!((summary.queries, summary.items, summary.fields, summary.domains), (3, 5, 2, 2));
    assert_eq!(benchmark.n_items(), 5);
    let geology = summary.by_field.iter().find(|facet| facet.name == "Geology").unwrap();
    assert_eq!((geology.queries, geology.items), (2, 3));
    assert_eq!(summary.by_type.last(), Some(&TypeCount { kind: None, queries: 1, items: 1 }));
    assert_eq!(summary.by_type.len(), 6);

    let (nameless, _) = read("own.json", r#"[{"id":"a","query":"Why?","rubric":["One?"]}]"#);
    let summary = nameless.summary();
    assert_eq!((summary.fields, summary.domains), (0, 0));
    assert_eq!(summary.by_field[0].queries, 1);
}

#[test]
fn the_same_questions_in_any_container_are_the_same() {
    let array = String::from_utf8(fixture("researchqa.json")).unwrap();
    let values: Vec<serde_json::Value> = serde_json::from_str(&array).unwrap();
    let digest = researchqa().digest();
    let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
    let commas: String = values.iter().map(|value| format!("{value},\n")).collect();
    let stream: String = values.iter().map(|v| format!("{v:#}\n")).collect();
    let rows: Vec<_> =
        values.iter().map(|value| serde_json::json!({"row_idx": 0, "row": value})).collect();
    let map: serde_json::Map<_, _> = values
        .iter()
        .map(|value| {
            let mut value = value.clone();
            let id = value["id"].take().as_str().unwrap().to_owned();
            (id, value)
        })
        .collect();
    let reversed: Vec<_> = values.iter().rev().collect();
    for text in [
        array.clone(),
        array.replace('\n', "\r\n"),
        array.replace('\n', ""),
        lines.clone(),
        lines.replace('\n', "\r\n\r\n"),
        commas.clone(),
        stream,
        serde_json::json!({"meta": {"version": 1}, "data": values}).to_string(),
        format!("{:#}", serde_json::json!({"records": values})),
        serde_json::json!({"rows": rows}).to_string(),
        format!("{{\"data\": [\n{}\n]}}", commas.trim_end().trim_end_matches(',')),
        format!("{:#}", serde_json::Value::Object(map)),
        serde_json::to_string(&reversed).unwrap(),
        format!(
            "{}\n{}",
            serde_json::json!([values[0]]),
            serde_json::json!([values[1], values[2]])
        ),
    ] {
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let (benchmark, problems) = read_benchmark(&[("any.json".to_owned(), bytes)]);
            check_told(&problems, &[]);
            assert_eq!(benchmark.digest(), digest, "{text}");
        }
    }
    for value in [&values[0], &values[1]] {
        for text in [value.to_string(), format!("{value:#}"), format!("{value}\n")] {
            let (benchmark, problems) = read("one.jsonl", &text);
            check_told(&problems, &[]);
            assert_eq!(benchmark.len(), 1, "{text}");
        }
    }
}

#[test]
fn other_spellings_are_understood() {
    let (benchmark, problems) = read(
        "my questions.json",
        r#"[
            {"corpusid_sectionid": 7, "domain": " D ", "question": "Q1?", "rubrics": [
                "bare", {"item": "one", "type": "comparison"}, {"criterion": "two", "weight": "2.5"},
                {"point": "three", "type": "Comparison, Example", "weight": null}]},
            {"ID": 8.0, "Query": "Q2?", "date": "2020-01-02T03:04:05Z", "rubric": [
                {"rubric_item": "a", "citation_metadata": "Some title"},
                {"rubric_item": "b", "citation_metadata": "{\"title\": \"T\", \"year\": \"1999\"}"},
                {"rubric_item": "c", "citation_metadata": {"year": null}},
                {"rubric_item": "d", "citation_metadata": 7, "type": null}]}
        ]"#,
    );
    check_told(&problems, &[]);
    assert_eq!(ids(&benchmark), ["7", "8"]);
    let [first, second] = &cases(&benchmark)[..] else { panic!() };
    assert_eq!(first.domain, "D");
    let texts: Vec<_> = first.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["bare", "one", "two", "three"]);
    let weights: Vec<_> = first.items.iter().map(|item| item.weight).collect();
    assert_eq!(weights, [1.0, 1.0, 2.5, 1.0]);
    assert_eq!(first.items[3].types, [ItemType::Comparison, ItemType::Example]);
    assert_eq!(second.date.as_deref(), Some("2020-01-02"));
    let titles: Vec<_> = second
        .items
        .iter()
        .map(|item| item.citation.as_ref().and_then(|c| c.title.as_deref()))
        .collect();
    assert_eq!(titles, [Some("Some title"), Some("T"), None, None]);
    assert_eq!(second.items[1].citation.as_ref().unwrap().year, Some(1999));
}

#[test]
fn a_benchmark_is_named_by_what_it_is_or_by_its_file() {
    let own =
        r#"[{"id":"q1","general_domain":"D","query":"Why?","rubric":[{"rubric_item":"One?"}]}]"#;
    assert_eq!(read("folder/own.set.json.gz", own).0.name, "own.set");
    assert_eq!(read("x.json", &own.replace("q1", "12-s3")).0.name, "ResearchQA");
    assert_eq!(read("x.json", &own.replace("rubric_item", "point")).0.name, "ResearcherBench");
    assert_eq!(read("x.json", "[]").0.name, "");
}

#[test]
fn researcherbench_is_joined_in_any_order() {
    let file = |name: &str| (name.to_owned(), fixture(name));
    let both = [file("rubric.json"), file("questions.json")];
    let turned = [file("questions.json"), file("rubric.json")];
    for files in [&both, &turned] {
        let (benchmark, problems) = read_benchmark(files);
        check_told(&problems, &[]);
        assert_eq!(benchmark.name, "ResearcherBench");
        assert_eq!(benchmark.files().len(), 2);
        assert_eq!(ids(&benchmark), ["1", "2"]);
        assert_eq!(cases(&benchmark)[0].domain, "Open Consulting");
        assert_eq!(cases(&benchmark)[0].field, "AI Agents");
        let weights: Vec<_> = cases(&benchmark)[0].items.iter().map(|item| item.weight).collect();
        assert_eq!(weights, [3.0, 1.0]);
    }
    let (alone, problems) = read_benchmark(&both[..1]);
    check_told(&problems, &[]);
    assert_eq!((alone.len(), cases(&alone)[0].domain.as_str()), (2, ""));

    let (none, problems) = read_benchmark(&both[1..]);
    assert!(none.is_empty());
    check_told(
        &problems,
        &["questions.json: whole file: The file holds 2 questions and no rubric"],
    );

    let more =
        String::from_utf8(fixture("questions.json")).unwrap().replace("\"id\": 2", "\"id\": 3");
    let (_, problems) =
        read_benchmark(&[both[0].clone(), ("questions.json".to_owned(), more.into_bytes())]);
    check_told(&problems, &["questions.json: line 3: Question 3 has no rubric. It was left out."]);
}

#[test]
fn a_query_may_stand_in_the_other_file_only() {
    let rubric =
        r#"[{"id":1,"rubric":[{"point":"P","weight":2}]},{"id":2,"rubric":[{"point":"P"}]}]"#;
    let questions = r#"[{"id":1,"question":"Q?","category":"C"}]"#;
    let (benchmark, problems) = read_benchmark(&[
        ("rubric.json".to_owned(), rubric.as_bytes().to_vec()),
        ("questions.json".to_owned(), questions.as_bytes().to_vec()),
    ]);
    assert_eq!(cases(&benchmark)[0].query, "Q?");
    assert_eq!(ids(&benchmark), ["1"]);
    check_told(&problems, &["rubric.json: record 2: Question 2 has no query."]);
}

#[test]
fn every_kind_of_bad_record_is_named_and_costs_no_other() {
    check_bad(r#"{"query":"Q?","rubric":["One?"]}"#, "This record has no id.");
    check_bad(r#"{"id":null,"query":"Q?","rubric":["One?"]}"#, "This record has no id.");
    check_bad(r#"{"id":"  ","query":"Q?","rubric":["One?"]}"#, "This record has no id.");
    check_bad(
        r#"{"id":true,"query":"Q?","rubric":["One?"]}"#,
        "This record has true or false as its id.",
    );
    check_bad(
        r#"{"id":1.5,"query":"Q?","rubric":["One?"]}"#,
        "This record has an id that is no whole number",
    );
    check_bad(
        r#"{"id":17453942900000000123456,"query":"Q?","rubric":["One?"]}"#,
        "This record has an id that is no whole number or too long",
    );
    check_bad(r#"{"id":"x","rubric":["One?"]}"#, "Question x has no query.");
    check_bad(r#"{"id":"x","query":null,"rubric":["One?"]}"#, "Question x has no query.");
    check_bad(r#"{"id":"x","query":" \n","rubric":["One?"]}"#, "Question x has no query.");
    check_bad(
        r#"{"id":"x","query":["Q?"],"rubric":["One?"]}"#,
        "Question x has a list as its query.",
    );
    check_bad(r#"{"id":"x","query":"Q?"}"#, "Question x has no rubric.");
    check_bad(r#"{"id":"x","query":"Q?","rubric":null}"#, "Question x has no rubric.");
    check_bad(r#"{"id":"x","query":"Q?","rubric":[]}"#, "Question x has an empty rubric.");
    check_bad(r#"{"id":"x","query":"Q?","rubric":"One?"}"#, "Question x has text as its rubric.");
    check_bad(r#"{"id":"first","query":"Q?","rubric":["One?"]}"#, "Question first is here twice");
    check_bad("7", "This record is a number, not an object.");
    check_bad("null", "This record is null, not an object.");
    check_bad("\"text\"", "This record is text, not an object.");
    check_bad("[1, 2]", "This record is a list, not an object.");
}

#[test]
fn every_kind_of_broken_json_is_named_and_costs_no_other() {
    check_bad(
        r#"{"id":"x","query":"Q?" "rubric":["One?"]}"#,
        "This record is not valid JSON (expected `,` or `}`)",
    );
    check_bad(
        r#"{"id":"x","query":"Q?","rubric":["One?",]}"#,
        "This record is not valid JSON (trailing comma)",
    );
    check_bad(r#"{"id":"x","query":"Q?","rubric":["One?"],"w":NaN}"#, "This record holds NaN");
    check_bad(
        r#"{"id":"x","query":"Q?","rubric":["One?"],"w":-Infinity}"#,
        "This record holds -Infinity",
    );
    check_bad(
        r#"{"id":"x","query":"Q?","rubric":["One?"],"w":1e999}"#,
        "This record is not valid JSON (number out of range)",
    );
    check_bad(
        r#"{"id":"x","query":"\ud800","rubric":["One?"]}"#,
        "This record is not valid JSON (",
    );
    check_bad(
        "{\"id\":\"x\",\"query\":\"a\0b\",\"rubric\":[\"One?\"]}",
        "This record is not valid JSON (control character",
    );
    check_bad(
        r#"{"id":"x","query":"\q","rubric":["One?"]}"#,
        "This record is not valid JSON (invalid escape)",
    );
    check_bad(r"{'id':'x'}", "This record is not valid JSON (key must be a string)");
    check_bad("nonsense", "This record is not valid JSON (expected ident)");
    let deep =
        format!(r#"{{"id":"x","query":"Q?","rubric":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
    check_bad(&deep, "This record is not valid JSON (recursion limit exceeded)");
}

#[test]
fn brackets_and_quotes_out_of_place_cost_one_record() {
    let good = |id: &str| format!(r#"{{"id":"{id}","query":"Why?","rubric":[{{"item":"One?"}}]}}"#);
    for bad in [
        r#"{"id":"x","query":"Say "hello?","rubric":[{"item":"One?"}]}"#,
        r#"{"id":"x","query":"Why?","rubric":[{"item":"One?"}}"#,
        r#"{"id":"x","query":"Why?","rubric":[{"item":"One?"}]"#,
        r#"{"id":"x","query":"Why?","rubric":[{"item":"One?"]}"#,
        r#"{"id":"x","query":"Why?","rubric":[{"item":"One?"}]]}"#,
        r#"{"id":"x","query":"Why?,"rubric":[{"item":"One?"}]}"#,
        r#"{"id":"x","query":"Why?","#,
    ] {
        for between in [",\n", ", ", ",\n  "] {
            let list = [good("a"), bad.to_owned(), good("b"), good("c")].join(between);
            let (benchmark, problems) = read("list.json", &format!("[{list}]"));
            assert_eq!(ids(&benchmark), ["a", "b", "c"], "{list}\n{problems:?}");
            assert_eq!(problems.total(), 1, "{list}\n{problems:?}");
        }
    }
}

#[test]
fn an_error_inside_a_record_of_many_lines_has_its_own_line() {
    let text = "[\n  {\n    \"id\": \"a\",\n    \"query\": \"Q?\"\n    \"rubric\": [\"One?\"]\n  },\n  {\n    \"id\": \"b\",\n    \"query\": \"Q?\",\n    \"rubric\": [\"One?\"]\n  }\n]";
    let (benchmark, problems) = read("list.json", text);
    assert_eq!(ids(&benchmark), ["b"]);
    check_told(&problems, &["list.json: line 5: This record is not valid JSON"]);
}

#[test]
fn a_bad_item_costs_the_item_and_not_the_question() {
    let (benchmark, problems) = read(
        "items.json",
        r#"[{"id":"x","query":"Q?","rubric":[
            {"item":"good"}, {"item":" "}, {"type":"Impact"}, {"item":7}, 7, null,
            {"item":"w","weight":0}, {"item":"w","weight":-1}, {"item":"w","weight":"heavy"},
            {"item":"w","weight":"NaN"}, {"item":"w","weight":"inf"}, {"item":"w","weight":[1]},
            {"item":"odd","type":["Impact","Vibe",3]}]}]"#,
    );
    let texts: Vec<_> = benchmark.case(0).items().map(|item| item.text().to_owned()).collect();
    assert_eq!(texts, ["good", "odd"]);
    assert_eq!(cases(&benchmark)[0].items[1].types, [ItemType::Impact]);
    let told = [
        "Rubric item 2 has no text.",
        "Rubric item 3 has no text.",
        "Rubric item 4 has a number as its text.",
        "Rubric item 5 is a number.",
        "Rubric item 6 is null.",
        "Rubric item 7 has the weight 0.",
        "Rubric item 8 has the weight -1.",
        "Rubric item 9 has the weight \"heavy\".",
        "Rubric item 10 has the weight NaN.",
        "Rubric item 11 has the weight inf.",
        "Rubric item 12 has the weight a list.",
        "Rubric item 13 has the type \"Vibe\"",
        "Rubric item 13 has the type \"a number\"",
    ]
    .map(|what| format!("items.json: line 1: Question x: {what}"));
    check_told(&problems, &told.iter().map(String::as_str).collect::<Vec<_>>());

    let (benchmark, problems) = read("items.json", r#"[{"id":"x","query":"Q?","rubric":[""]}]"#);
    assert!(benchmark.is_empty());
    assert_eq!(problems.total(), 2);
}

#[test]
fn a_bad_detail_costs_the_detail_and_not_the_question() {
    let (benchmark, problems) = read(
        "x.json",
        r#"[{"id":"x","query":"Q?","field":["F"],"date":"soon","rubric":["One?"]}]"#,
    );
    assert_eq!(benchmark.len(), 1);
    check_told(
        &problems,
        &[
            "x.json: record 1: Question x has a list in `field`",
            "x.json: record 1: Question x has a date that cannot be read.",
        ],
    );
}

#[test]
fn a_cut_list_keeps_what_came_before() {
    let text = String::from_utf8(fixture("researchqa.json")).unwrap();
    let (benchmark, problems) = read("cut.json", &text[..text.len() - 60]);
    assert_eq!(benchmark.len(), 2);
    check_told(&problems, &["cut.json: line 37: The file ends in the middle of a record."]);
    let (benchmark, problems) = read("cut.json", text.trim_end().trim_end_matches(']'));
    assert_eq!(benchmark.len(), 3);
    check_told(&problems, &["cut.json: line 49: The file ends before its closing bracket."]);
}

#[test]
fn text_after_the_list_is_told() {
    let (benchmark, problems) =
        read("x.json", "[{\"id\":\"x\",\"query\":\"Q?\",\"rubric\":[\"One?\"]}]\nDone.");
    assert_eq!(benchmark.len(), 1);
    check_told(&problems, &["x.json: line 2: There is more text after the end of the data."]);
}

#[test]
fn several_files_are_one_benchmark() {
    let one = r#"[{"id":"a","query":"Q?","rubric":["1"]},{"id":"b","query":"Q?","rubric":["1"]}]"#;
    let two = r#"{"id":"b","query":"Q?","rubric":["2"]}
{"id":"a","query":"Q?","rubric":["1"]}
{"id":"c","query":"Q?","rubric":["1"]}"#;
    let (benchmark, problems) = read_benchmark(&[
        ("one.json".to_owned(), one.as_bytes().to_vec()),
        ("two.jsonl".to_owned(), two.as_bytes().to_vec()),
    ]);
    assert_eq!(ids(&benchmark), ["a", "b", "c"]);
    assert_eq!(cases(&benchmark)[1].items[0].text, "1");
    assert_eq!(benchmark.files().len(), 2);
    check_told(
        &problems,
        &[
            "two.jsonl: whole file: 2 questions were already read from one.json and kept from there. 1 of them differ.",
        ],
    );
    let bad =
        [("bad.json".to_owned(), b"\xff\xff\xff".to_vec()), ("one.json".to_owned(), one.into())];
    let (benchmark, problems) = read_benchmark(&bad);
    assert_eq!(benchmark.len(), 2);
    assert_eq!(benchmark.files().len(), 1);
    assert_eq!(problems.total(), 1);
}

#[test]
fn the_same_id_twice_in_a_file_says_where_the_first_is() {
    let (benchmark, problems) = read(
        "x.jsonl",
        "{\"id\":\"a\",\"query\":\"1\",\"rubric\":[\"1\"]}\n{\"id\":\"a\",\"query\":\"2\",\"rubric\":[\"1\"]}\n",
    );
    assert_eq!(cases(&benchmark)[0].query, "1");
    check_told(
        &problems,
        &[
            "x.jsonl: line 2: Question a is here twice, first at line 1. The first was kept. They differ.",
        ],
    );
}

#[test]
fn two_hundred_problems_are_kept_and_all_are_counted() {
    let bad: String = (0..1234).map(|n| format!("{{\"id\":\"q{n}\",\"query\":\"\"}}\n")).collect();
    let good = r#"{"id":"good","query":"Q?","rubric":["One?"]}"#;
    let (benchmark, problems) = read("x.jsonl", &format!("{bad}{good}\n"));
    assert_eq!(ids(&benchmark), ["good"]);
    assert_eq!(problems.list().len(), Problems::KEPT);
    assert_eq!((problems.total(), problems.more()), (1234, 1034));
}

#[test]
fn the_wrong_kind_of_file_is_one_problem() {
    let many: String = (0..50).map(|n| format!("{{\"id\":\"{n}\",\"answer\":\"A\"}}\n")).collect();
    let (_, problems) = read("answers.jsonl", &many);
    check_told(&problems, &["answers.jsonl: whole file: These are answers"]);
    let (_, problems) = read("run.json", r#"{"format":"viva-run","version":1,"settings":{}}"#);
    check_told(&problems, &["run.json: whole file: This is a run file"]);
    let (_, problems) =
        read("coverage.json", std::str::from_utf8(&fixture("coverage.json")).unwrap());
    check_told(&problems, &["coverage.json: whole file: These are judgements"]);
    for empty in ["[]", "{}", "{\"data\":[]}"] {
        check_told(&read("x.json", empty).1, &["x.json: whole file: The file holds no questions."]);
    }
}

#[test]
fn hostile_names_and_texts_do_no_harm() {
    for name in [
        "",
        "/",
        "..",
        "../../etc/passwd",
        "a\0b.json",
        "\u{202e}nosj.a",
        &"x".repeat(10_000),
        ".gz",
        "C:\\",
    ] {
        let (benchmark, _) =
            read(name, r#"[{"id":"x","query":"Q?","rubric":["One?"]}, {"id":"x"}]"#);
        assert_eq!(benchmark.len(), 1, "{name:?}");
    }
    let long = format!(r#"[{{"id":"{}","query":"<script>"}}]"#, "i\\n".repeat(5000));
    let (_, problems) = read("x.json", &long);
    assert!(problems.list()[0].what.len() < 300);
    assert!(!problems.list()[0].what.contains('\n'));
}

#[test]
fn the_digest_sees_questions_and_nothing_else() {
    let text = String::from_utf8(fixture("researchqa.json")).unwrap();
    let digest = researchqa().digest();
    assert_eq!(read("other.json", &text).0.digest(), digest);
    assert_eq!(read("x.json", &text.replace("Geology", "Rocks")).0.digest(), digest);
    assert_ne!(read("x.json", &text.replace("ion transport", "flow")).0.digest(), digest);
    assert_ne!(read("x.json", &text.replace("glass", "ash")).0.digest(), digest);
    assert_ne!(read("x.json", &text.replace("0003-s2", "0003-s3")).0.digest(), digest);
    let weighed = text.replace("\"type\": []", "\"type\": [], \"weight\": 2");
    assert_ne!(read("x.json", &weighed).0.digest(), digest);
}

#[test]
fn files_go_to_the_right_reader() {
    let check = |name: &str, bytes: &[u8], kind| {
        assert_eq!(detect(name, bytes), kind, "{name}");
        assert_eq!(detect(name, &gzip(bytes)), kind, "{name} packed");
    };
    for (name, kind) in [
        ("researchqa.json", FileKind::Benchmark),
        ("rubric.json", FileKind::Benchmark),
        ("questions.json", FileKind::ResearcherBenchQuestions),
        ("answers.json", FileKind::Answers),
        ("model.json", FileKind::Answers),
        ("coverage.json", FileKind::Judgements),
        ("sonar_judge_gpt4.1mini.json", FileKind::Judgements),
    ] {
        check(name, &fixture(name), kind);
    }
    check("a.csv", b"id,answer\n", FileKind::Answers);
    check("a.csv", b"implementation_A,implementation_B,judge\n", FileKind::Unknown);
    check("a.json", br#"{"id1":"text"}"#, FileKind::Answers);
    check("a.json", br#"{"id":"x","answer":"text"}"#, FileKind::Answers);
    check(
        "run.json",
        br#"{"format": "viva-run", "answers": [{"id": 1, "answer": ""}]}"#,
        FileKind::RunFile,
    );
    check("x.json", br#"{"format":"other"}"#, FileKind::Answers);
    check("x.json", b"[1,2]", FileKind::Unknown);
    check("x.json", b"{}", FileKind::Unknown);
    check("x.json", b"[", FileKind::Unknown);
    check("x.txt", b"hello", FileKind::Unknown);
    assert_eq!(detect("x.parquet", b"PAR1...."), FileKind::Benchmark);
    assert_eq!(detect("x", b""), FileKind::Unknown);
    assert_eq!(detect("x", b"\xff\xfe\x00"), FileKind::Unknown);
}

#[test]
fn a_choice_is_stable() {
    let record = |n: usize| {
        let field = ["Physics", "Geology", ""][n % 3];
        format!(
            "{{\"id\":\"q{n}\",\"query\":\"Q?\",\"field\":\"{field}\",\"rubric\":[\"One?\"]}}\n"
        )
    };
    let few: String = (0..60).map(record).collect();
    let turned: String = (0..60).rev().map(record).collect();
    let many: String = (0..300).map(record).collect();
    let chosen = |text: &str, n, seed| -> Vec<String> {
        let (benchmark, _) = read("x.jsonl", text);
        let chosen = choose(&benchmark, n, seed);
        assert!(chosen.is_sorted());
        chosen.into_iter().map(|at| cases(&benchmark)[at].id.to_string()).collect()
    };
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    let five = chosen(&few, Some(5), 7);
    assert_eq!(five.len(), 15);
    assert_eq!(sorted(five.clone()), sorted(chosen(&turned, Some(5), 7)));
    assert_ne!(five, chosen(&few, Some(5), 8));
    let nine = chosen(&few, Some(9), 7);
    assert!(five.iter().all(|id| nine.contains(id)));
    // More questions can only push others out by rank: what stays was there before.
    let of_many = chosen(&many, Some(5), 7);
    let known = |id: &&String| id[1..].parse::<usize>().unwrap() < 60;
    assert!(of_many.iter().filter(known).all(|id| five.contains(id)));
    assert_eq!(chosen(&few, None, 7).len(), 60);
    assert_eq!(chosen(&few, Some(0), 7).len(), 0);
    assert_eq!(chosen(&few, Some(u32::MAX), 7).len(), 60);
    // A seed names a choice, so these may never change.
    assert_eq!(chosen(&few, Some(2), 1), ["q9", "q27", "q38", "q49", "q55", "q59"]);
}
