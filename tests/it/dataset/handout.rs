//! Questions handed out, and the same files coming back with answers in them.

use viva::dataset::Case;
use viva::dataset::handout::{csv, guarded, jsonl, prompt_pack};
use viva::dataset::responses::read_answers;
use viva::ids::CaseId;

use super::check_told;

const HOSTILE: [&str; 12] = [
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "\rx",
    "'=1",
    "'x",
    "a,\"b\"\r\nc",
    "``` ````` ```",
    "{date} {query}",
    "<b>&\u{202e}",
];

fn case(id: &str, query: &str, date: Option<&str>) -> Case {
    Case {
        id: CaseId::new(id),
        domain: String::new(),
        subdomain: String::new(),
        field: String::new(),
        query: query.to_owned(),
        date: date.map(str::to_owned),
        items: Vec::new(),
    }
}

fn hostile() -> Vec<Case> {
    HOSTILE.iter().map(|text| case(text, text, Some("2021-05-03"))).collect()
}

#[test]
fn an_untouched_template_is_empty_answers() {
    let cases = hostile();
    let cases: Vec<&Case> = cases.iter().collect();
    for (name, text) in [("t.jsonl", jsonl(&cases, 250)), ("t.csv", csv(&cases, 250))] {
        let (sets, problems) = read_answers(name, text.as_bytes());
        check_told(&problems, &[]);
        let ids: Vec<_> = sets[0].answers.iter().map(|answer| answer.id.as_str()).collect();
        assert_eq!(ids, HOSTILE, "{name}");
        assert!(sets[0].answers.iter().all(viva::dataset::Answer::is_empty));
    }
    let one = jsonl(&cases[..1], 250);
    let (sets, problems) = read_answers("one.jsonl", one.as_bytes());
    check_told(&problems, &[]);
    assert_eq!(sets[0].answers.len(), 1);
}

#[test]
fn a_filled_template_is_read() {
    let cases = [case("a", "Why?", None), case("b", "How?", Some("2021-05-03"))];
    let cases: Vec<&Case> = cases.iter().collect();
    let lines = jsonl(&cases, 250);
    assert_eq!(
        lines.lines().next(),
        Some(r#"{"id":"a","query":"Why?","date":null,"length_target_words":250,"answer":""}"#)
    );
    let filled = lines.replacen("\"answer\":\"\"", "\"answer\":\"Because.\"", 1);
    let (sets, problems) = read_answers("t.jsonl", filled.as_bytes());
    check_told(&problems, &[]);
    assert_eq!(sets[0].answers[0].text, "Because.");

    let rows = csv(&cases, 250);
    assert_eq!(
        rows,
        "id,query,date,length_target_words,answer\na,Why?,,250,\nb,How?,2021-05-03,250,\n"
    );
    let filled = rows.replace("03,250,", "03,250,\"- Thus, \"\"so\"\".\"");
    let (sets, _) = read_answers("t.csv", filled.as_bytes());
    assert_eq!(sets[0].answers[1].text, "- Thus, \"so\".");
}

#[test]
fn no_cell_starts_a_formula() {
    let cases = hostile();
    let text = csv(&cases.iter().collect::<Vec<_>>(), 250);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for record in reader.records() {
        for cell in &record.unwrap() {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
        }
    }
    assert_eq!(guarded("=1"), "'=1");
    assert_eq!(guarded("1=1"), "1=1");
}

#[test]
fn each_prompt_is_fenced_and_complete() {
    let cases = hostile();
    let text = prompt_pack(&cases.iter().collect::<Vec<_>>(), 250);
    assert!(text.starts_with("# Questions to answer"));
    assert_eq!(text.matches("about 250 words").count(), HOSTILE.len());
    assert_eq!(text.matches("public by 2021-05-03").count(), HOSTILE.len());
    // Longer than what the query brings along.
    assert!(text.contains("\n``````text\n"));
    assert!(text.contains("Question: {date} {query}\n"));

    let undated = prompt_pack(&[&case("a\nb", "Why?", None)], 300);
    assert!(undated.contains("\n## a b\n"));
    assert!(undated.contains("Question: Why?\n"));
    assert!(!undated.contains("public by"));
    assert!(!undated.contains('{'));
}
