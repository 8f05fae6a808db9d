//! The pure halves of the workers: files in, runs begun, labels by hand, imports, merges.

use std::fs;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use viva::dataset::explore::Filter;
use viva::dataset::judgements::read_judgements;
use viva::judge::{Again, Bias, Duel, DuelPrompt, JudgeSpec, Outcome};
use viva::ledger::Ledger;
use viva::metrics::{View, coverage};
use viva::observation::Mark;
use viva::protocol::{Reading, Request, Task};
use viva::rubric::Label;
use viva::run::record::{Preference, Record, Settings};
use viva::run::{Choice, merge};
use viva::worker::data::{Desk, RawFile};
use viva::worker::runs::Book;
use viva::worker::tabs::TabWord;
use viva::worker::{
    Brought, DataJob, DataReply, HandOut, Notice, RunEvent, RunJob, RunReply, StatsJob, StatsReply,
    Taken,
};

const QUESTIONS: &str = r#"[
 {"id":"a","general_domain":"D1","subdomain":"s","field":"F1","query":"Why is ice slippery?","date":"2024-01-01",
  "rubric":[{"rubric_item":"Does the response name the quasi-liquid layer?","type":["Other"]},
            {"rubric_item":"Does the response cite Faraday?","type":["Citation"]}]},
 {"id":"b","general_domain":"D2","subdomain":"s","field":"F2","query":"What is a p-value?","date":"2024-01-01",
  "rubric":[{"rubric_item":"Does the response say what is assumed?","type":["Limitation","Other"]}]}
]"#;

fn file(name: &str, text: &str) -> RawFile {
    RawFile::new(name, text.as_bytes().to_vec())
}

fn desk() -> Desk {
    let mut desk = Desk::default();
    let taken = desk.ingest(vec![
        file("one.json", r#"{"a":{"answer":"A quasi-liquid layer, said Faraday."},"b":{"answer":""},"zz":{"answer":"?"}}"#),
        file("questions.json", QUESTIONS),
        file("two.jsonl", "{\"id\":\"a\",\"answer\":\"It just is.\"}\n"),
    ], Brought::Anything);
    assert_eq!(taken, [Taken::Answers, Taken::Questions, Taken::Answers]);
    desk
}

fn all() -> Choice {
    Choice { per_field: None, seed: 7 }
}

fn settings(judge: JudgeSpec) -> Settings {
    Settings { concurrency: 2, ..Settings::of_coverage(judge, 7) }
}

#[test]
fn files_find_their_reader_in_any_order() {
    let workspace = desk().workspace();
    let dataset = workspace.dataset.unwrap();
    assert_eq!((dataset.summary.queries, dataset.summary.items), (2, 3));
    let names: Vec<&str> = workspace.systems.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let join = workspace.systems[0].join.as_ref().unwrap();
    assert_eq!((join.matched, join.missing, join.unknown, join.empty), (2, 0, 1, 1));
    assert_eq!(workspace.systems[1].join.as_ref().unwrap().missing, 1);
}

#[test]
fn a_mended_answer_file_replaces_the_first() {
    let mut desk = desk();
    desk.ingest(
        vec![file(
            "two.jsonl",
            "{\"id\":\"a\",\"answer\":\"Mended.\"}\n{\"id\":\"b\",\"answer\":\"Also.\"}\n",
        )],
        Brought::Anything,
    );
    let workspace = desk.workspace();
    let join = workspace.systems.iter().find(|it| it.name == "two").unwrap().join.clone().unwrap();
    assert_eq!((join.matched, join.duplicates), (2, 0));
}

#[test]
fn renaming_and_removing_outlive_a_restart() {
    let mut desk = desk();
    desk.rename(0, "alder").unwrap();
    assert!(desk.rename(0, "two").is_err(), "two systems of one name");
    assert!(desk.rename(0, "  ").is_err());
    desk.remove(1);
    let (dataset, answers, edits, _) = desk.kept();
    let mut again = Desk::default();
    again.restore(
        dataset.into_iter().cloned().collect(),
        None,
        answers.into_iter().cloned().collect(),
        edits.to_vec(),
        false,
    );
    assert_eq!(again.workspace(), desk.workspace());
    assert_eq!(again.workspace().systems.len(), 1);
    assert_eq!(again.workspace().systems[0].name, "alder");
}

#[test]
fn renaming_changes_no_identity_and_no_key() {
    let mut desk = desk();
    let (before, _) = desk.frame(all()).unwrap();
    desk.rename(0, "another name").unwrap();
    let (after, _) = desk.frame(all()).unwrap();
    assert_eq!(before.systems[0].identity, after.systems[0].identity);
    let keys = |frame| {
        let record = record(JudgeSpec::Practice, frame);
        record.tasks().into_iter().map(|task| task.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(before), keys(after));
}

fn record(judge: JudgeSpec, frame: viva::run::Frame) -> Record {
    crate::world::record(judge, frame)
}

#[test]
fn other_pages_files_are_passed_on() {
    let mut desk = Desk::default();
    let taken = desk.ingest(
        vec![
            file("questions.json", QUESTIONS),
            file("cov.json", r#"{"a":[{"rubric":"x","score":"Mostly"}]}"#),
            file("run.json", r#"{"format":"viva-run","version":1}"#),
        ],
        Brought::Anything,
    );
    assert_eq!(taken, [Taken::Questions, Taken::Judgements, Taken::RunFile]);
}

#[test]
fn rubbish_is_told_where_it_was_brought() {
    let mut desk = Desk::default();
    desk.ingest(
        vec![file("page.json", "<!doctype html><title>Sign in</title>")],
        Brought::Anything,
    );
    let workspace = desk.workspace();
    assert!(workspace.dataset.is_none());
    assert_eq!(workspace.dataset_problems.total(), 1);
    assert_eq!(workspace.dataset_problems.list()[0].file, "page.json");
}

#[test]
fn browsing_filters_and_pages() {
    let desk = desk();
    let mut desk = desk;
    let mut found = |domain: &str, text: &str| {
        let filter =
            Filter { domain: domain.to_owned(), text: text.to_owned(), ..Filter::default() };
        let found = desk.explore(&filter);
        let rows = desk.rows(found.view, 0, 10);
        assert_eq!(rows.len() as u64, found.total);
        assert!(desk.rows(found.view - 1, 0, 10).is_empty(), "an older view has no rows");
        rows.iter().map(|row| desk.question(row.place, text).unwrap().id).collect::<Vec<_>>()
    };
    assert_eq!(found("", ""), ["a", "b"]);
    assert_eq!(found("D2", ""), ["b"]);
    assert_eq!(found("", "FARADAY"), ["a"]);
}

#[test]
fn handed_out_queries_come_back_as_answers() {
    let desk = desk();
    for format in [HandOut::Jsonl, HandOut::Csv] {
        let text = desk.hand_out(all(), format);
        let name = if format == HandOut::Csv { "filled.csv" } else { "filled.jsonl" };
        let mut other = Desk::default();
        other.ingest(vec![file("questions.json", QUESTIONS), file(name, &text)], Brought::Anything);
        let join = other.workspace().systems[0].join.clone().unwrap();
        assert_eq!((join.matched, join.empty, join.unknown), (2, 2, 0), "{text}");
    }
    assert!(desk.hand_out(all(), HandOut::PromptPack).contains("Why is ice slippery?"));
}

#[test]
fn the_plan_counts_what_is_asked_and_what_never_is() {
    let plan = desk().plan(&settings(JudgeSpec::Practice)).unwrap();
    assert_eq!((plan.calls, plan.verdicts, plan.answers), (2, 4, 2));
    assert_eq!((plan.missing, plan.empty), (1, 1));
    let by_hand = JudgeSpec::ByHand { person: "Ada".to_owned() };
    assert_eq!(desk().plan(&settings(by_hand)).unwrap().calls, 4, "one item at a time");
    assert!(Desk::default().plan(&settings(JudgeSpec::Practice)).is_err());
}

fn begun(judge: JudgeSpec) -> (Book, String) {
    let mut book = Book::default();
    let (frame, texts) = desk().frame(all()).unwrap();
    let run = book.begin(settings(judge), frame, texts, 1.0).id.clone();
    (book, run)
}

#[test]
fn the_practice_judge_answers_from_ids() {
    let (book, run) = begun(JudgeSpec::Practice);
    let record = book.record(&run).unwrap();
    let task = record.tasks()[0];
    let request = Request { task: Task::Coverage(task), again: 0, with: Again::Plain };
    let attempt = book.practice_reply(&run, &request, 5.0).unwrap();
    match attempt.outcome {
        Outcome::Reply { text, evidence, .. } => {
            assert_eq!(text, "Completely\nCompletely");
            assert_eq!(evidence.len(), 2);
        }
        Outcome::Failure { .. } => panic!("failed"),
    }
}

/// What a worker says crosses in bytes that name nothing: a part left out would shift all behind it.
#[test]
fn a_question_with_its_battles_crosses_in_bytes_as_it_is() {
    let mut settings = settings(JudgeSpec::Practice);
    settings.preference = Some(Preference {
        duel: Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() },
        per_pair: 9,
        no_answer_loses: true,
    });
    let mut book = Book::default();
    let (frame, texts) = desk().frame(all()).unwrap();
    let run = book.begin(settings, frame, texts, 1.0).id.clone();
    let mut ledger = Ledger::default();
    let record = book.record(&run).unwrap().clone();
    for (at, task) in record.all_tasks().into_iter().enumerate() {
        let request = Request { task, again: 0, with: Again::Plain };
        let mut attempt = book.practice_reply(&run, &request, at as f64).unwrap();
        if at.is_multiple_of(3) {
            attempt.outcome = Outcome::failure(viva::judge::ErrorKind::Timeout, "slow");
            attempt.sent = vec!["x=1".to_owned()];
        }
        ledger.record(task.key(), attempt);
    }
    let inspection = book.inspect(&ledger, &run, 0).unwrap();
    assert!(!inspection.battles.is_empty());
    for reply in [RunReply::Inspect(Box::new(inspection)), RunReply::Runs(book.summaries(&ledger))]
    {
        let bytes = postcard::to_allocvec(&reply).unwrap();
        let back: RunReply = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(format!("{back:?}"), format!("{reply:?}"));
    }
}

/// One label, as the panel gives it. The clock stands still: order must not need it.
fn hand(
    book: &Book,
    ledger: &Ledger,
    run: &str,
    at: u64,
    label: Label,
) -> (viva::ids::Digest, viva::judge::Attempt) {
    let key = book.hand_task(ledger, run, Some(at)).unwrap().key;
    book.hand_reply(ledger, run, (at, key), label, 1.0).unwrap()
}

#[test]
fn a_label_for_an_item_that_has_moved_is_refused() {
    let (book, run) = begun(JudgeSpec::ByHand { person: "Ada".to_owned() });
    let ledger = Ledger::default();
    let other = book.hand_task(&ledger, &run, Some(1)).unwrap().key;
    assert!(book.hand_reply(&ledger, &run, (0, other), Label::Mostly, 1.0).is_err());
}

#[test]
fn labels_by_hand_are_blind_stored_and_told_again() {
    let (book, run) = begun(JudgeSpec::ByHand { person: "Ada".to_owned() });
    let mut ledger = Ledger::default();
    let first = book.hand_task(&ledger, &run, None).unwrap();
    assert_eq!((first.at, first.of, first.labelled), (0, 4, 0));
    let json = serde_json::to_string(&first).unwrap();
    assert!(
        !json.contains("\"one\"") && !json.contains("two"),
        "the system's name is hidden: {json}"
    );
    for at in 0..4 {
        let (key, attempt) = hand(&book, &ledger, &run, at, Label::Mostly);
        ledger.record(key, attempt);
    }
    let (key, attempt) = hand(&book, &ledger, &run, 0, Label::Barely);
    ledger.record(key, attempt);
    let again = book.hand_task(&ledger, &run, Some(0)).unwrap();
    assert_eq!((again.label, again.labelled), (Some(Label::Barely), 4), "the last word counts");
    let tally = book.record(&run).unwrap().sheet(&ledger, Reading::Recommended).tally();
    assert_eq!((tally.scored, tally.unscored()), (4, 0));
}

fn labelled(person: &str, labels: &[(u64, Label)]) -> (Record, Ledger) {
    let (book, run) = begun(JudgeSpec::ByHand { person: person.to_owned() });
    let mut ledger = Ledger::default();
    for (at, label) in labels {
        let (key, attempt) = hand(&book, &ledger, &run, *at, *label);
        ledger.record(key, attempt);
    }
    (book.record(&run).unwrap().clone(), ledger)
}

#[test]
fn two_peoples_labels_merge_and_conflicts_are_listed() {
    let ada = labelled("Ada", &[(0, Label::Mostly), (1, Label::Barely)]);
    let ben = labelled("Ben", &[(1, Label::Completely), (2, Label::NotAtAll)]);
    let (record, replies) = merge::merge(&[(&ada.0, &ada.1), (&ben.0, &ben.1)], 2.0).unwrap();
    let mut ledger = Ledger::default();
    for (key, attempt) in replies {
        ledger.record(key, attempt);
    }
    assert_eq!(record.conflicts.len(), 1);
    assert_eq!(record.conflicts[0].labels.len(), 2);
    let tally = record.sheet(&ledger, Reading::Recommended).tally();
    assert_eq!((tally.scored, tally.unparsed), (2, 1), "a conflict is no verdict");
    assert_eq!(record.sheet(&ledger, Reading::Recommended).judge.name, "By hand: Ada, Ben");
}

#[test]
fn only_hand_labels_of_one_benchmark_merge() {
    let ada = labelled("Ada", &[]);
    let ben = labelled("Ben", &[]);
    assert_eq!(merge::merge(&[(&ada.0, &ada.1)], 0.0).unwrap_err(), merge::MergeError::TooFew);
    let mut other = ben.0.clone();
    other.frame.dataset.digest = viva::ids::Digest::of_texts(["another"]);
    let result = merge::merge(&[(&ada.0, &ada.1), (&other, &ben.1)], 0.0);
    assert!(matches!(result, Err(merge::MergeError::OtherBenchmark(_))));
    let mut model = ben.0;
    model.settings.judge = JudgeSpec::Practice;
    let result = merge::merge(&[(&ada.0, &ada.1), (&model, &ben.1)], 0.0);
    assert!(matches!(result, Err(merge::MergeError::NotByHand(_))));
}

fn imported(text: &str) -> (Record, Ledger, viva::dataset::Problems) {
    let (book, run, ledger, misfits) = book_of_imported(text);
    (book.record(&run).unwrap().clone(), ledger, misfits)
}

fn book_of_imported(text: &str) -> (Book, String, Ledger, viva::dataset::Problems) {
    let (sets, problems) = read_judgements("one.json", text.as_bytes());
    assert!(problems.is_empty(), "{problems:?}");
    let judge = JudgeSpec::Imported {
        judge: "gpt-4.1-mini".to_owned(),
        prompt: "unknown".to_owned(),
        date: "unknown".to_owned(),
    };
    let mut book = Book::default();
    let parts = desk().frame(all()).unwrap();
    let (run, replies, misfits) = book.import(&sets, judge, parts, 1.0);
    let mut ledger = Ledger::default();
    for (key, attempt) in replies {
        ledger.record(key, attempt);
    }
    (book, run, ledger, misfits)
}

#[test]
fn a_bridge_reaches_from_imported_judgements_to_a_judge_of_ones_own() {
    let (mut book, imported, mut ledger, _) = book_of_imported(
        r#"{"a":[{"rubric":"Does the response name the quasi-liquid layer?","score":"Mostly"},
                 {"rubric":"Does the response cite Faraday?","score":"Barely"}]}"#,
    );
    let practice = settings(JudgeSpec::Practice);
    let bridge = book.bridge(&ledger, &imported, practice, 5, 2.0).unwrap();
    let tasks = book.record(&bridge).unwrap().tasks();
    assert_eq!(tasks.len(), 1, "only what has a verdict is judged again");
    for task in tasks {
        let request = Request { task: Task::Coverage(task), again: 0, with: Again::Plain };
        let attempt = book.practice_reply(&bridge, &request, 3.0).unwrap();
        ledger.record(task.key, attempt);
    }
    let found = book.compare(&ledger, &imported, &bridge, Reading::Recommended).unwrap();
    let overall = &found.comparison.overall;
    assert_eq!((overall.queries, overall.items, overall.scored), (1, 2, 2));
    assert_eq!(found.b.bridge.as_deref(), Some(imported.as_str()));
    assert!(overall.offset.is_some_and(|it| it.bounds.is_none()), "one query has no interval");
}

#[test]
fn systems_judged_before_stay_when_others_are_brought() {
    let (mut book, run) = begun(JudgeSpec::Practice);
    let mut ledger = Ledger::default();
    let only_one = |desk: &mut Desk| desk.remove(1);
    let mut fewer = desk();
    only_one(&mut fewer);
    let (frame, texts) = fewer.frame(all()).unwrap();
    let settings = settings(JudgeSpec::Practice);
    let (kept, _) = book.with_judged(&ledger, &settings, frame.clone(), texts.clone());
    assert_eq!(kept.systems.len(), 1, "what was never judged is not dragged along");
    for task in book.record(&run).unwrap().tasks() {
        let request = Request { task: Task::Coverage(task), again: 0, with: Again::Plain };
        let attempt = book.practice_reply(&run, &request, 0.0).unwrap();
        ledger.record(task.key, attempt);
    }
    let (kept, kept_texts) = book.with_judged(&ledger, &settings, frame, texts);
    let names: Vec<&str> = kept.systems.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert!(kept_texts.fits(&kept));
    let again = book.begin(settings, kept, kept_texts, 5.0).clone();
    assert_eq!(
        again.progress(&ledger).calls_done,
        again.progress(&ledger).calls,
        "nothing more is asked"
    );
    assert!(again.extensions.is_empty(), "it has not grown");
}

#[test]
fn what_a_run_grew_by_is_on_record() {
    let judge = JudgeSpec::Practice;
    let mut fewer = desk();
    fewer.remove(1);
    let (frame, texts) = fewer.frame(all()).unwrap();
    let mut book = Book::default();
    let run = book.begin(settings(judge.clone()), frame, texts, 1.0).id.clone();
    assert!(book.record(&run).unwrap().extensions.is_empty());
    let (frame, texts) = desk().frame(all()).unwrap();
    let grown = book.begin(settings(judge), frame, texts, 2.0);
    let [extension] = grown.extensions.as_slice() else { panic!("{:?}", grown.extensions) };
    assert_eq!((extension.before.systems, extension.after.systems, extension.at), (1, 2, 2.0));
    let words = viva::report::extended("2026-11-30", extension);
    assert_eq!(words, "Extended on 2026-11-30: 1 to 2 systems.");
}

#[test]
fn imported_labels_become_a_run_of_their_own() {
    let (record, ledger, misfits) = imported(
        r#"{"a":[{"rubric":"Does the response name the quasi-liquid layer?","score":"Mostly"},
                 {"rubric":"Does the response cite Faraday?","score":"Maybe"}]}"#,
    );
    assert!(misfits.is_empty(), "{misfits:?}");
    let sheet = record.sheet(&ledger, Reading::Recommended);
    assert_eq!(sheet.judge.name, "Imported: gpt-4.1-mini");
    assert!(sheet.judge.how.contains("unknown"), "unknown stays unknown");
    assert_eq!(sheet.frame.systems.len(), 1);
    assert_eq!(sheet.marks[0][0][0], Mark::Scored(Label::Mostly));
    assert!(sheet.marks[0][0][1].label().is_none(), "a word that is no label is no verdict");
    let table = coverage(&sheet, &View::default());
    assert_eq!((table.rows[0].tally.scored, table.rows[0].tally.unparsed), (1, 1));
}

#[test]
fn imported_labels_that_do_not_fit_are_left_out_and_told() {
    let (record, ledger, misfits) = imported(
        r#"{"a":[{"score":"Mostly"}],"nowhere":[{"score":"Mostly"}],"b":[{"rubric":"Another wording","score":"Mostly"}]}"#,
    );
    assert_eq!(misfits.total(), 3, "{misfits:?}");
    let sheet = record.sheet(&ledger, Reading::Recommended);
    assert_eq!((sheet.tally().scored, sheet.tally().failed), (0, 2), "asked, and no verdict");
    assert!(sheet.complete, "nothing is waited for");
}

/// The bundled sample, judged by the practice judge: every system wins and loses some, so that
/// ratings will exist, and every label occurs.
#[test]
fn under_practice_every_sample_system_wins_and_loses() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public/sample");
    let read = |path: &str| {
        RawFile::new(path.rsplit('/').next().unwrap(), fs::read(folder.join(path)).unwrap())
    };
    let systems = ["alder-research", "birch", "cedar-brief", "dogwood-long", "elm-search"];
    let mut files = vec![read("questions.json")];
    files.extend(systems.iter().map(|it| read(&format!("answers/{it}.json"))));
    let mut desk = Desk::default();
    desk.sample(files);
    let workspace = desk.workspace();
    assert!(workspace.dataset_problems.is_empty() && workspace.answer_problems.is_empty());
    let summary = workspace.dataset.unwrap().summary;
    assert!(21 <= summary.queries && summary.domains == 7 && summary.fields == 14, "{summary:?}");

    let (frame, texts) = desk.frame(all()).unwrap();
    let mut book = Book::default();
    let run = book.begin(settings(JudgeSpec::Practice), frame, texts, 0.0).id.clone();
    let record = book.record(&run).unwrap().clone();
    let mut ledger = Ledger::default();
    for task in record.tasks() {
        let request = Request { task: Task::Coverage(task), again: 0, with: Again::Plain };
        ledger.record(task.key, book.practice_reply(&run, &request, 0.0).unwrap());
    }
    let sheet = record.sheet(&ledger, Reading::Recommended);
    assert!(sheet.complete);
    let sums: Vec<Vec<Option<u32>>> = sheet
        .marks
        .iter()
        .map(|cases| {
            cases
                .iter()
                .map(|marks| {
                    let labels =
                        marks.iter().map(|it| it.label().map(|it| u32::from(it.quarters())));
                    (!marks.is_empty()).then(|| labels.flatten().sum())
                })
                .collect()
        })
        .collect();
    for (system, own) in sums.iter().enumerate() {
        let (mut wins, mut losses) = (0, 0);
        for (_, other) in sums.iter().enumerate().filter(|(at, _)| *at != system) {
            for (a, b) in own.iter().zip(other) {
                if let (Some(a), Some(b)) = (a, b) {
                    wins += u32::from(b < a);
                    losses += u32::from(a < b);
                }
            }
        }
        assert!(3 <= wins && 3 <= losses, "{}: {wins} won, {losses} lost", systems[system]);
    }
    for label in Label::ALL {
        let used = sheet.marks.iter().flatten().flatten().any(|mark| mark.label() == Some(label));
        assert!(used, "{} does not occur", label.as_str());
    }
}

#[test]
fn files_of_one_name_in_one_go_are_two_files() {
    let mut desk = Desk::default();
    let both = vec![
        file("questions.json", QUESTIONS),
        file("answers.jsonl", "{\"id\":\"a\",\"answer\":\"One.\",\"system\":\"x\"}\n"),
        file("answers.jsonl", "{\"id\":\"a\",\"answer\":\"Two.\",\"system\":\"y\"}\n"),
    ];
    desk.ingest(both, Brought::Answers);
    assert_eq!(desk.workspace().systems.len(), 2);
}

#[test]
fn a_bad_file_is_told_where_it_was_brought() {
    for (brought, on_data) in [(Brought::Dataset, true), (Brought::Answers, false)] {
        let mut desk = desk();
        desk.ingest(vec![file("page.json", "<!doctype html><title>Sign in</title>")], brought);
        let workspace = desk.workspace();
        assert!(workspace.dataset.is_some(), "what was there stays");
        assert_eq!(workspace.dataset_problems.is_empty(), !on_data);
        assert_eq!(workspace.answer_problems.is_empty(), on_data);
    }
}

#[test]
fn a_second_import_of_the_same_judge_joins_the_first() {
    let mut book = Book::default();
    let judge = || JudgeSpec::Imported {
        judge: "j".to_owned(),
        prompt: "unknown".to_owned(),
        date: "unknown".to_owned(),
    };
    for name in ["first.json", "second.json"] {
        let (sets, _) = read_judgements(name, br#"{"b":[{"score":"Mostly"}]}"#);
        book.import(&sets, judge(), desk().frame(all()).unwrap(), 1.0);
    }
    assert_eq!(book.records.len(), 1);
    let record = book.records.values().next().unwrap();
    let names: Vec<&str> = record.frame.systems.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    assert_eq!(book.texts[&record.id].answers.len(), 2);
}

#[test]
fn merging_again_after_a_change_of_mind_is_another_run() {
    let ada = labelled("Ada", &[(0, Label::Mostly)]);
    let ben = labelled("Ben", &[(0, Label::Mostly)]);
    let (agreed, _) = merge::merge(&[(&ada.0, &ada.1), (&ben.0, &ben.1)], 2.0).unwrap();
    let ben = labelled("Ben", &[(0, Label::Barely)]);
    let (split, _) = merge::merge(&[(&ada.0, &ada.1), (&ben.0, &ben.1)], 3.0).unwrap();
    assert_ne!(agreed.id, split.id);
    assert_eq!((agreed.conflicts.len(), split.conflicts.len()), (0, 1));
    let third = labelled("Cem", &[(0, Label::Mostly)]);
    let ledger = Ledger::default();
    let result = merge::merge(&[(&split, &ledger), (&third.0, &third.1)], 4.0);
    assert!(matches!(result, Err(merge::MergeError::NotByHand(_))), "its conflicts would be lost");
}

#[test]
fn keys_do_not_relabel_the_last_item_when_all_is_done() {
    let (book, run) = begun(JudgeSpec::ByHand { person: "Ada".to_owned() });
    let mut ledger = Ledger::default();
    for at in 0..4 {
        assert!(!book.hand_task(&ledger, &run, None).unwrap().finished);
        let (key, attempt) = hand(&book, &ledger, &run, at, Label::Mostly);
        ledger.record(key, attempt);
    }
    assert!(book.hand_task(&ledger, &run, None).unwrap().finished);
    assert!(
        !book.hand_task(&ledger, &run, Some(3)).unwrap().finished,
        "unless one goes back to it"
    );
}

#[test]
fn reopening_never_loses_a_question_or_a_system() {
    let (book, run) = begun(JudgeSpec::Practice);
    let whole = book.record(&run).unwrap().clone();
    let only = |at: usize| {
        let mut record = whole.clone();
        record.frame.systems = vec![whole.frame.systems[at].clone()];
        record
    };
    let mut book = Book::default();
    book.reopen("a.json", 0, only(0), None);
    book.reopen("b.json", 0, only(1), None);
    assert_eq!(book.record(&run).unwrap().frame, whole.frame);
    assert!(!book.texts.contains_key(&run));
    let texts = desk().frame(all()).unwrap().1;
    book.reopen("c.json", 0, whole.clone(), Some(texts));
    assert!(book.texts.contains_key(&run));
}

/// What crosses between page, workers and tabs: garbage is an error, and whatever is no error is a
/// message, which says the same once it has crossed again.
fn crosses<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let Ok(message) = postcard::from_bytes::<T>(bytes) else {
        return Ok(false);
    };
    let once = postcard::to_allocvec(&message).unwrap();
    let again: T = postcard::from_bytes(&once).map_err(|it| TestCaseError::fail(it.to_string()))?;
    prop_assert_eq!(postcard::to_allocvec(&again).unwrap(), once);
    Ok(true)
}

/// Messages with much in them.
fn messages() -> [Vec<u8>; 4] {
    let record = record(
        crate::world::endpoint(viva::judge::OutputFormat::Lines),
        crate::world::frame(&[2], &["a", "b"]),
    );
    let settings = Settings { budget: Some(2.5), ..record.settings.clone() };
    let progress = record.progress(&Ledger::default());
    let mut book = Book::default();
    book.records.insert(record.id.clone(), record.clone());
    let runs = book.summaries(&Ledger::default());
    [
        postcard::to_allocvec(&RunJob::Bridge { from: record.id.clone(), settings, sample: 9 }),
        postcard::to_allocvec(&RunReply::Runs(runs)),
        postcard::to_allocvec(&RunReply::Failed(Notice::new("what", "why", "next"))),
        postcard::to_allocvec(&TabWord::Progress { run: record.id, progress: Box::new(progress) }),
    ]
    .map(Result::unwrap)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_no_message_and_a_message_stays_one(
        which in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let whole = messages()[which].clone();
        let all = |bytes: &[u8]| -> Result<[bool; 9], TestCaseError> {
            Ok([
                crosses::<RunJob>(bytes)?,
                crosses::<RunReply>(bytes)?,
                crosses::<RunEvent>(bytes)?,
                crosses::<DataJob>(bytes)?,
                crosses::<DataReply>(bytes)?,
                crosses::<StatsJob>(bytes)?,
                crosses::<StatsReply>(bytes)?,
                crosses::<TabWord>(bytes)?,
                crosses::<(viva::run::Frame, viva::run::Texts)>(bytes)?,
            ])
        };
        let kind = [0, 1, 1, 7][which];
        prop_assert!(all(&whole)?[kind]);
        prop_assert!(!all(&whole[..cut.index(whole.len())])?[kind], "a message that was cut is none");
        let mut changed = whole.clone();
        for (at, byte) in changes {
            let at = at.index(changed.len());
            changed[at] = byte;
        }
        all(&changed)?;
        all(&garbage)?;
    }
}
