//! What is judged more than once: which queries, under which keys, and what it says of a judge.

use viva::ids::SystemName;
use viva::judge::{Again, Bias, Duel, DuelPrompt, JudgeSpec, Outcome};
use viva::ledger::Ledger;
use viva::metrics::repeats::{JudgeNoise, RepeatReport};
use viva::metrics::{Statistic, Undefined};
use viva::protocol::{Reading, Request, Task};
use viva::run::record::{Preference, Record, Settings};
use viva::run::repeats::Repeats;
use viva::run::{Frame, Plan, Texts, file, matchups};
use viva::worker::runs::Book;

use crate::world::{answered, frame, lines, record};

fn repeated(sample: u32, times: u32, frame: Frame) -> Record {
    let mut record = record(JudgeSpec::Practice, frame);
    record.settings.repeats = Some(Repeats { sample, times });
    record
}

fn with_battles(mut record: Record) -> Record {
    let duel = Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() };
    record.settings.preference = Some(Preference { duel, per_pair: 9, no_answer_loses: false });
    let matching = record.settings.matching().unwrap();
    record.battles = matchups::plan(&record.frame, matching, &[]).battles;
    record.id = record.own_id();
    record
}

fn report(record: &Record, ledger: &Ledger) -> RepeatReport {
    let mut book = Book::default();
    book.records.insert(record.id.clone(), record.clone());
    book.repeats(ledger, &record.id).unwrap()
}

/// The repeat of a task, and what it is about.
fn repeat(task: &Task) -> u32 {
    match task {
        Task::Coverage(task) => task.repeat,
        Task::Preference(task) => task.repeat,
    }
}

#[test]
fn the_first_time_keeps_its_keys_and_repeats_have_their_own() {
    let once = with_battles(record(JudgeSpec::Practice, frame(&[3, 9, 2], &["a", "b"])));
    let mut thrice = once.clone();
    thrice.settings.repeats = Some(Repeats { sample: 2, times: 3 });
    assert_eq!(thrice.own_id(), once.id, "repeats extend a run");
    let first: Vec<Task> =
        thrice.all_tasks().into_iter().filter(|task| repeat(task) == 0).collect();
    assert_eq!(first, once.all_tasks());
    let mut keys: Vec<_> = thrice.all_tasks().iter().map(Task::key).collect();
    let n = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), n, "every repeat is another request");
    assert!(once.all_tasks().len() < n);
    // As the formula of before repeats gives it, in Python with hashlib.
    assert_eq!(once.tasks()[0].key.to_string(), "086ec8f784b9a19e8e0c5e7b645d29c6");
}

#[test]
fn neither_order_nor_names_choose_and_more_holds_fewer() {
    let all = frame(&[1; 40], &["a", "b"]);
    let ids = |frame: &Frame, sample| {
        let cases = Repeats { sample, times: 2 }.cases(frame, 7);
        cases.iter().map(|at| frame.cases[*at as usize].id.clone()).collect::<Vec<_>>()
    };
    let few = ids(&all, 5);
    assert_eq!(few.len(), 5);
    let many = ids(&all, 20);
    assert!(few.iter().all(|id| many.contains(id)));
    let mut turned = all.clone();
    turned.cases.reverse();
    turned.systems[0].name = SystemName::new("z");
    let mut again = ids(&turned, 5);
    again.reverse();
    assert_eq!(again, few);
    assert_ne!(
        Repeats { sample: 5, times: 2 }.cases(&all, 8),
        Repeats { sample: 5, times: 2 }.cases(&all, 7)
    );
    assert!(Repeats { sample: 5, times: 1 }.cases(&all, 7).is_empty());
    assert_eq!(ids(&all, 99).len(), 40);
}

/// Coverage and battles read the first time only, whatever the repeats say.
#[test]
fn repeats_reach_no_table() {
    let run = with_battles(repeated(9, 3, frame(&[2, 2, 2], &["a", "b"])));
    let says = |contrary: bool| {
        answered(&run, |task| {
            Some(match task {
                Task::Coverage(task) => {
                    lines(&[if contrary && 0 < task.repeat { 0 } else { 4 }; 2])
                }
                Task::Preference(task) => {
                    let seat = if contrary && 0 < task.repeat { 2 } else { 1 };
                    format!("**output: {{\"judgement\": \"Response {seat}\"}}**\nJustification: x")
                }
            })
        })
    };
    for reading in Reading::ALL {
        assert_eq!(run.sheet(&says(true), reading), run.sheet(&says(false), reading));
    }
    let (ledger, sheet) = (says(true), run.sheet(&says(true), Reading::Recommended));
    // 3 queries × 2 systems × 2 items, and 3 battles in two orders; all of it three times in the ledger.
    assert_eq!(sheet.tally().asked(), 18);
    assert_eq!(run.progress(&ledger).tally.asked(), 54);
    let found = report(&run, &ledger);
    assert_eq!((found.tally.asked(), found.not_asked, found.queries), (54, 0, 3));
    near(found.duels.flipped, 1.0);
}

#[test]
fn the_plan_counts_repeats_and_people_have_none() {
    let (frame, texts) = texts(&[3, 9]);
    let mut settings = Settings::of_coverage(JudgeSpec::Practice, 7);
    let once = Plan::of(&settings, &frame, &texts);
    settings.repeats = Some(Repeats { sample: 9, times: 4 });
    let more = Plan::of(&settings, &frame, &texts);
    assert_eq!((more.calls, more.repeat_calls), (4 * once.calls, 3 * once.calls));
    assert_eq!(more.verdicts, 4 * once.verdicts);
    settings.judge = JudgeSpec::ByHand { person: "Ada".to_owned() };
    assert_eq!(Plan::of(&settings, &frame, &texts).repeat_calls, 0);
}

fn texts(n_items: &[usize]) -> (Frame, Texts) {
    let frame = frame(n_items, &["a", "b"]);
    let cases = n_items.iter().enumerate().map(|(case, n)| viva::run::frame::CaseText {
        query: format!("query {case}"),
        date: None,
        items: (0..*n)
            .map(|at| format!("Does it name ice, water, steam {at} and glass?"))
            .collect(),
    });
    let answers = vec![vec![Some("It names ice and water.".to_owned()); n_items.len()]; 2];
    let texts = Texts { cases: cases.collect(), answers };
    (frame, texts)
}

/// Known by hand: of four items two flip, and every figure follows.
#[test]
fn figures_of_a_small_table() {
    let run = repeated(9, 2, frame(&[2, 2], &["a"]));
    let ledger = answered(&run, |task| {
        let Task::Coverage(task) = task else { return None };
        let labels: [u8; 2] = match (task.case, task.repeat) {
            (0, 0) => [0, 4],
            (0, _) => [0, 3],
            (_, 0) => [2, 2],
            (_, _) => [2, 1],
        };
        Some(lines(&labels))
    });
    let found = report(&run, &ledger);
    assert_eq!((found.items.items, found.items.twice), (4, 4));
    let flipped = found.items.flipped.found().unwrap();
    assert_eq!((flipped.value, flipped.n, flipped.queries), (0.5, 4, 2));
    assert!(flipped.is_few());
    near(found.items.agreement, 0.5);
    // `krippendorff.alpha([[0, 4, 2, 2], [0, 3, 2, 1]], level_of_measurement="ordinal")`, version 0.9.0.
    near(found.items.alpha, ALPHA);
    // Coverages 0.5, 0.375 and 0.5, 0.375: ICC(1) = (MSB − MSW) ÷ (MSB + MSW) with MSB = 0.
    near(found.answers.icc, -1.0);
    assert_eq!(found.answers.judge, JudgeNoise::Unknown, "one system has no differences");
}

/// See the test above.
const ALPHA: f64 = 0.889_240_506_329_114;

#[track_caller]
fn near(found: Statistic, expected: f64) {
    let found = found.found().unwrap().value;
    assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
}

/// The judge's part of a difference, by hand: differences 0.5 and 0 on one query have variance 0.125.
#[test]
fn the_judges_part_is_the_variance_within_queries() {
    let run = repeated(9, 2, frame(&[1, 1], &["a", "b"]));
    let ledger = answered(&run, |task| {
        let Task::Coverage(task) = task else { return None };
        let label = u8::from(task.case == 0 && task.system == 0 && task.repeat == 1);
        Some(lines(&[2 * label]))
    });
    let expected = JudgeNoise::Known { variance: 0.125 / 2.0, differences: 2, queries: 2 };
    assert_eq!(report(&run, &ledger).answers.judge, expected);
}

#[test]
fn what_is_not_there_is_no_agreement() {
    let run = repeated(9, 3, frame(&[2, 2], &["a", "b"]));
    let none = report(&run, &Ledger::default());
    assert_eq!(none.items.alpha, Statistic::Undefined(Undefined::TooFew));
    assert_eq!((none.items.items, none.items.twice, none.not_asked), (8, 0, 24));
    assert_eq!(none.duels.flipped, Statistic::Undefined(Undefined::TooFew));
    let same = answered(&run, |_| Some(lines(&[3, 3])));
    let same = report(&run, &same);
    assert_eq!(same.items.alpha, Statistic::Undefined(Undefined::NoVariation));
    assert_eq!(same.answers.icc, Statistic::Undefined(Undefined::NoVariation));
    near(same.items.flipped, 0.0);
    // A reply that cannot be read is asked, counted, and no verdict.
    let odd = answered(&run, |task| {
        Some(if repeat(task) == 2 { "nothing".to_owned() } else { lines(&[3, 1]) })
    });
    let odd = report(&run, &odd);
    assert_eq!((odd.tally.scored, odd.tally.unparsed, odd.items.twice), (16, 8, 8));
    let plain = record(JudgeSpec::Practice, frame(&[2], &["a"]));
    let plain = report(&plain, &answered(&plain, |_| Some(lines(&[3, 1]))));
    assert_eq!((plain.planned, plain.queries, plain.tally.asked()), (None, 0, 0));
}

#[test]
fn the_practice_judge_wavers_when_asked_again_and_always_alike() {
    let (frame, texts) = texts(&[8; 12]);
    let mut book = Book::default();
    let settings = Settings {
        repeats: Some(Repeats { sample: 12, times: 3 }),
        ..Settings::of_coverage(JudgeSpec::Practice, 7)
    };
    let run = book.begin(settings, frame, texts, 1.0).id.clone();
    let record = book.record(&run).unwrap().clone();
    let say = |task: &Task| {
        let request = Request { task: *task, again: 0, with: Again::Plain };
        match book.practice_reply(&run, &request, 1.0).unwrap().outcome {
            Outcome::Reply { text, .. } => text,
            Outcome::Failure { .. } => panic!("it always answers"),
        }
    };
    let ledger = answered(&record, |task| Some(say(task)));
    let found = book.repeats(&ledger, &run).unwrap();
    assert!(record.all_tasks().iter().all(|task| say(task) == say(task)));
    let flipped = found.items.flipped.found().unwrap().value;
    assert!(0.0 < flipped && flipped < 0.9, "{flipped}");
    assert_eq!(found.kin, viva::metrics::Kin::default(), "it is nobody’s kin");
}

#[test]
fn repeats_go_through_a_run_file() {
    let run = repeated(1, 2, frame(&[2, 2], &["a"]));
    let ledger = answered(&run, |_| Some(lines(&[3, 1])));
    let text = file::write(&run, &ledger, None).concat();
    let read = file::read(text.as_bytes()).unwrap();
    assert_eq!(read.record, run);
    assert_eq!(read.replies.len(), 3, "two answers, and one of them again");
    let mut older: serde_json::Value = serde_json::from_str(&text).unwrap();
    older["record"]["settings"].as_object_mut().unwrap().remove("repeats");
    older["record"].as_object_mut().unwrap().remove("bridge");
    let older = file::read(older.to_string().as_bytes()).unwrap();
    assert_eq!((older.record.settings.repeats, older.record.bridge), (None, None));
    let many = text.replace("\"times\":2", "\"times\":4000000000");
    assert!(file::read(many.as_bytes()).is_err());
    // The same run without repeats takes none away.
    let mut book = Book::default();
    book.records.insert(run.id.clone(), run.clone());
    let plain =
        Record { settings: Settings { repeats: None, ..run.settings.clone() }, ..run.clone() };
    book.reopen("x.json", 0, plain, None);
    assert_eq!(book.record(&run.id).unwrap().settings.repeats, run.settings.repeats);
}
