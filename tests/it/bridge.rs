//! What one judge judged, judged again by another; and two runs side by side.

use viva::ids::{Digest, SystemName};
use viva::judge::JudgeSpec;
use viva::ledger::Ledger;
use viva::metrics::compare::Agreement;
use viva::metrics::{Statistic, Undefined, compare};
use viva::protocol::{Reading, Task};
use viva::report::Block;
use viva::report::block::Table;
use viva::rubric::Label;
use viva::run::frame::CaseText;
use viva::run::record::{Record, Settings};
use viva::run::{AnswerState, Frame, Texts, file};
use viva::worker::{RunReply, runs::Book};

use crate::world::{answered, frame, lines, record};

fn other() -> JudgeSpec {
    JudgeSpec::ByHand { person: "Ada".to_owned() }
}

fn texts(frame: &Frame) -> Texts {
    let text = |case: usize, system: usize| {
        frame.systems[system].answers[case].is_answered().then(|| format!("{system} {case}"))
    };
    Texts {
        cases: frame
            .cases
            .iter()
            .map(|case| CaseText {
                query: case.id.to_string(),
                date: None,
                items: case.items.iter().map(|_| "item".to_owned()).collect(),
            })
            .collect(),
        answers: (0..frame.systems.len())
            .map(|system| (0..frame.cases.len()).map(|case| text(case, system)).collect())
            .collect(),
    }
}

/// A book with one run by the practice judge, all of it judged.
fn judged(n_cases: usize) -> (Book, Ledger, String) {
    let run = record(JudgeSpec::Practice, frame(&vec![2; n_cases], &["a", "b"]));
    let ledger = answered(&run, |_| Some(lines(&[1, 3])));
    let mut book = Book::default();
    let id = run.id.clone();
    book.texts.insert(id.clone(), texts(&run.frame));
    book.records.insert(id.clone(), run);
    (book, ledger, id)
}

fn settings() -> Settings {
    Settings::of_coverage(other(), 7)
}

#[test]
fn a_bridge_is_a_run_of_its_own_over_a_sample() {
    let (mut book, ledger, from) = judged(30);
    let full = book
        .begin(settings(), book.records[&from].frame.clone(), book.texts[&from].clone(), 1.0)
        .clone();
    let bridge = book.bridge(&ledger, &from, settings(), 8, 2.0).unwrap();
    assert_ne!(bridge, full.id);
    assert_eq!(book.record(&full.id).unwrap(), &full, "the full run by that judge is left alone");
    let run = book.record(&bridge).unwrap();
    assert_eq!((run.frame.cases.len(), run.frame.systems.len()), (8, 2));
    assert_eq!(run.bridge.as_deref(), Some(from.as_str()));
    assert_eq!(run.id, run.own_id());
    assert!(book.texts(&bridge).unwrap().fits(&run.frame));
    let text = &book.texts(&bridge).unwrap().answers[1][0];
    let place =
        book.records[&from].frame.cases.iter().position(|it| it.id == run.frame.cases[0].id);
    assert_eq!(text.as_deref(), Some(format!("1 {}", place.unwrap()).as_str()));
    assert_eq!(book.summary(run, &ledger).bridge.as_deref(), Some(from.as_str()));
    let read = file::read(file::write(run, &ledger, None).concat().as_bytes()).unwrap();
    assert_eq!(&read.record, run);
}

#[test]
fn a_larger_sample_holds_the_smaller_and_a_smaller_takes_nothing() {
    let (mut book, ledger, from) = judged(30);
    let ids = |book: &Book, run: &str| {
        let cases = &book.records[run].frame.cases;
        cases.iter().map(|it| it.id.clone()).collect::<Vec<_>>()
    };
    let bridge = book.bridge(&ledger, &from, settings(), 5, 1.0).unwrap();
    let few = ids(&book, &bridge);
    assert_eq!(book.bridge(&ledger, &from, settings(), 12, 2.0).unwrap(), bridge);
    let many = ids(&book, &bridge);
    assert_eq!(many.len(), 12);
    assert!(few.iter().all(|id| many.contains(id)));
    book.bridge(&ledger, &from, settings(), 3, 3.0).unwrap();
    assert_eq!(ids(&book, &bridge), many);
}

#[test]
fn only_what_has_a_verdict_and_a_text_is_judged_again() {
    let (mut book, _, from) = judged(6);
    let run = book.records[&from].clone();
    // Only the even queries have a verdict.
    let ledger = answered(&run, |task| task.case().is_multiple_of(2).then(|| lines(&[0, 4])));
    let bridge = book.bridge(&ledger, &from, settings(), 99, 1.0).unwrap();
    let ids: Vec<String> =
        book.records[&bridge].frame.cases.iter().map(|it| it.id.to_string()).collect();
    assert_eq!(ids, ["q0", "q2", "q4"]);
    // An answer without its text would be judged as if it were empty.
    book.texts.get_mut(&from).unwrap().answers[1][2] = None;
    book.records.remove(&bridge);
    book.bridge(&ledger, &from, settings(), 99, 1.0).unwrap();
    assert_eq!(book.records[&bridge].frame.cases.len(), 2);
    // A system known by its labels alone is left out.
    book.texts.get_mut(&from).unwrap().answers[1] = vec![None; 6];
    book.records.remove(&bridge);
    book.bridge(&ledger, &from, settings(), 99, 1.0).unwrap();
    assert_eq!(book.records[&bridge].frame.systems.len(), 1);
    book.texts.get_mut(&from).unwrap().answers[0] = vec![None; 6];
    assert!(book.bridge(&ledger, &from, settings(), 99, 1.0).is_err());
}

#[test]
fn what_cannot_be_bridged_is_told() {
    let (mut book, ledger, from) = judged(3);
    let practice = Settings::of_coverage(JudgeSpec::Practice, 7);
    assert!(book.bridge(&ledger, &from, practice, 3, 1.0).is_err(), "the same judge");
    assert!(book.bridge(&ledger, &from, settings(), 0, 1.0).is_err());
    assert!(book.bridge(&Ledger::default(), &from, settings(), 3, 1.0).is_err(), "no verdict");
    assert!(book.bridge(&ledger, "gone", settings(), 3, 1.0).is_err());
    let unknown = String::new;
    let imported = JudgeSpec::Imported { judge: unknown(), prompt: unknown(), date: unknown() };
    assert!(book.bridge(&ledger, &from, Settings::of_coverage(imported, 7), 3, 1.0).is_err());
    book.texts.clear();
    assert!(book.bridge(&ledger, &from, settings(), 3, 1.0).is_err());
}

// ------------------------------------------------------------------ two runs

/// Labels of A and B by system and query, in quarters.
const A: [[&[u8]; 3]; 2] =
    [[&[4, 3, 0], &[2, 2], &[1, 4, 3, 0]], [&[0, 1, 2], &[4, 4], &[3, 3, 2, 1]]];
const B: [[&[u8]; 3]; 2] =
    [[&[3, 3, 1], &[2, 3], &[1, 4, 2, 2]], [&[0, 2, 2], &[4, 3], &[4, 3, 1, 1]]];

/// By hand each item is a task of its own.
fn labels(table: [[&'static [u8]; 3]; 2]) -> impl Fn(&Task) -> Option<String> {
    move |task| match task {
        Task::Coverage(task) => {
            let all = table[task.system as usize][task.case as usize];
            Some(lines(&all[task.first as usize..(task.first + task.len) as usize]))
        }
        Task::Preference(_) => None,
    }
}

fn two() -> (Record, Ledger, Record, Ledger) {
    let a = record(JudgeSpec::Practice, frame(&[3, 2, 4], &["a", "b"]));
    let b = record(other(), frame(&[3, 2, 4], &["a", "b"]));
    let (of_a, of_b) = (answered(&a, labels(A)), answered(&b, labels(B)));
    (a, of_a, b, of_b)
}

#[track_caller]
fn check(found: &Agreement, kappa: f64, (mean, low, high): (f64, f64, f64)) {
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
    };
    near(found.kappa.found().unwrap().value, kappa);
    let offset = found.offset.unwrap();
    near(offset.mean, mean);
    near(offset.bounds.unwrap().0, low);
    near(offset.bounds.unwrap().1, high);
}

/// κ against scikit-learn 1.9.1, `cohen_kappa_score(a, b, weights="quadratic")`; offsets and their bounds
/// by `NumPy` 2.4 and `SciPy`, the overall error by Liang and Zeger's formula with clusters = queries.
#[test]
fn figures_agree_with_other_code() {
    let (a, of_a, b, of_b) = two();
    let reading = Reading::Recommended;
    let found = compare(&a.sheet(&of_a, reading), &b.sheet(&of_b, reading));
    check(
        &found.overall,
        0.794_285_714_285_714_3,
        (0.024_305_555_555_555_552, -0.029_560_538_325_093_005, 0.078_171_649_436_204_11),
    );
    check(
        &found.systems[0].agreement,
        0.707_317_073_170_731_7,
        (0.0625, -0.092_758_606_984_395_64, 0.217_758_606_984_395_64),
    );
    check(
        &found.systems[1].agreement,
        0.871_428_571_428_571_4,
        (-0.013_888_888_888_888_895, -0.274_372_617_196_212_86, 0.246_594_839_418_435_07),
    );
    let all = &found.overall;
    assert_eq!((all.queries, all.answers, all.items, all.scored), (3, 6, 18, 18));
    assert_eq!((all.tally_a.asked(), all.tally_b.asked()), (18, 18));
    assert!((all.coverage_a.unwrap() - 0.565_972_222_222_222_2).abs() < 1e-12);
    assert!((all.coverage_b.unwrap() - 0.590_277_777_777_777_8).abs() < 1e-12);
    assert!((all.same.found().unwrap().value - 0.5).abs() < 1e-12);
    assert_eq!(all.confusion.iter().flatten().sum::<u64>(), 18);
    assert_eq!(all.confusion[4], [0, 0, 0, 2, 2]);
    let majority = all.majority.unwrap();
    assert_eq!((majority.label, majority.share), (Label::Moderately, 4.0 / 18.0));
}

#[test]
fn names_and_order_change_no_digit() {
    let (a, of_a, mut b, _) = two();
    b.frame.systems.reverse();
    b.frame.systems[0].name = SystemName::new("other name");
    b.frame.cases.reverse();
    for system in &mut b.frame.systems {
        system.answers.reverse();
    }
    let turned = |task: &Task| match task {
        Task::Coverage(task) => {
            let all = B[1 - task.system as usize][2 - task.case as usize];
            Some(lines(&all[task.first as usize..(task.first + task.len) as usize]))
        }
        Task::Preference(_) => None,
    };
    let of_b = answered(&b, turned);
    let reading = Reading::Recommended;
    let found = compare(&a.sheet(&of_a, reading), &b.sheet(&of_b, reading));
    let (c, of_c, d, of_d) = two();
    let plain = compare(&c.sheet(&of_c, reading), &d.sheet(&of_d, reading));
    assert_eq!(found.overall, plain.overall);
    let names: Vec<(&str, &str)> =
        found.systems.iter().map(|it| (it.name_a.as_str(), it.name_b.as_str())).collect();
    assert_eq!(names, [("a", "a"), ("b", "other name")]);
    assert_eq!(found.left_out, plain.left_out);
}

#[test]
fn what_has_no_counterpart_is_counted_and_left_out() {
    let (a, of_a, mut b, _) = two();
    b.frame.cases[1].items[0].digest = Digest::of_texts(["worded otherwise"]);
    let digest = Digest::of_texts(["rewritten"]);
    b.frame.systems[0].answers[0] = AnswerState::Answered { digest, words: 3 };
    b.frame.systems[1].answers[2] = AnswerState::Missing;
    // Of the last answer left, one item has no label.
    let of_b = answered(&b, |task| match task {
        Task::Coverage(it) if (it.system, it.case, it.first) == (0, 2, 1) => Some("?".to_owned()),
        _ => labels(B)(task),
    });
    let found =
        compare(&a.sheet(&of_a, Reading::Recommended), &b.sheet(&of_b, Reading::Recommended));
    assert_eq!((found.queries_a, found.queries_b, found.queries_both), (3, 3, 2));
    let left = &found.left_out;
    assert_eq!(
        (left.other_items, left.other_answers, left.answers_a, left.answers_b),
        (1, 1, 1, 0)
    );
    let all = &found.overall;
    assert_eq!((all.answers, all.items, all.scored), (2, 7, 6));
    assert_eq!((all.tally_b.asked(), all.tally_b.unparsed), (7, 1));
}

#[test]
fn nothing_in_common_and_one_label_are_no_kappa() {
    let (a, of_a, mut b, _) = two();
    let same = answered(&b, |task| match task {
        Task::Coverage(it) => Some(lines(&vec![3; it.len as usize])),
        Task::Preference(_) => None,
    });
    let reading = Reading::Recommended;
    let threes = answered(&a, |task| match task {
        Task::Coverage(it) => Some(lines(&vec![3; it.len as usize])),
        Task::Preference(_) => None,
    });
    let found = compare(&a.sheet(&threes, reading), &b.sheet(&same, reading)).overall;
    assert_eq!(found.kappa, Statistic::Undefined(Undefined::NoVariation));
    assert_eq!((found.same.found().unwrap().value, found.majority.unwrap().share), (1.0, 1.0));
    assert_eq!(found.offset.unwrap().bounds, None, "where nothing varies nothing is known");
    for case in &mut b.frame.cases {
        case.id = viva::ids::CaseId::new(format!("other {}", case.id));
    }
    let none = compare(&a.sheet(&of_a, reading), &b.sheet(&Ledger::default(), reading));
    assert_eq!(none.overall.kappa, Statistic::Undefined(Undefined::TooFew));
    assert_eq!((none.overall.offset, none.overall.majority), (None, None));
    assert_eq!((none.left_out.queries_a, none.left_out.queries_b), (3, 3));
    assert_eq!(none.left_out.systems_a, ["a", "b"]);
}

#[test]
fn a_book_compares_runs_of_one_benchmark() {
    let (a, of_a, b, of_b) = two();
    let mut ledger = of_a;
    for task in b.all_tasks() {
        for attempt in of_b.attempts(task.key()) {
            ledger.admit(task.key(), attempt.clone());
        }
    }
    let mut book = Book::default();
    let mut foreign = record(JudgeSpec::Practice, frame(&[3], &["a"]));
    foreign.frame.dataset.digest = Digest::of_texts(["elsewhere"]);
    foreign.id = foreign.own_id();
    let (id_a, id_b, id_c) = (a.id.clone(), b.id.clone(), foreign.id.clone());
    for run in [a, b, foreign] {
        book.records.insert(run.id.clone(), run);
    }
    let reading = Reading::Recommended;
    let found = book.compare(&ledger, &id_a, &id_b, reading).unwrap();
    let what: Vec<&str> = found.settings.iter().map(|line| line.what.as_str()).collect();
    assert_eq!(what, ["Judge", "Items a call"]);
    assert_eq!(found.comparison.overall.scored, 18);
    // As it crosses to the page.
    let blocks = viva::report::compare::blocks(&found);
    let bytes = postcard::to_allocvec(&RunReply::Blocks(blocks.clone())).unwrap();
    match postcard::from_bytes(&bytes).unwrap() {
        RunReply::Blocks(read) => assert_eq!(read, blocks),
        other => panic!("{other:?}"),
    }
    let tables: Vec<&Table> = blocks
        .iter()
        .filter_map(|it| if let Block::Table(table) = it { Some(table) } else { None })
        .collect();
    let [settings, agreement, labels] = tables.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(settings.rows.len(), 2);
    assert!(agreement.rows.iter().all(|row| row.len() == agreement.head.len()));
    let in_both: u64 =
        labels.rows.iter().flat_map(|row| &row[1..]).map(|it| it.parse::<u64>().unwrap()).sum();
    assert_eq!(in_both, 18, "every item scored in both stands in one cell");
    assert!(book.compare(&ledger, &id_a, &id_a, reading).is_err());
    assert!(book.compare(&ledger, &id_a, &id_c, reading).is_err());
    assert!(book.compare(&ledger, &id_a, "gone", reading).is_err());
}
