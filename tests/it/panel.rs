//! Several judges in one panel: agreement of each two, what they say together, and what each costs.

use viva::judge::{Endpoint, JudgeSpec, OutputFormat};
use viva::ledger::Ledger;
use viva::metrics::panel::{Panel, PanelFigure};
use viva::metrics::{Statistic, Undefined, View, compare, coverage, panel};
use viva::protocol::{Reading, Task};
use viva::report::{self, Block};
use viva::run::money::{PriceSource, Prices};
use viva::run::record::Record;
use viva::run::{AnswerState, Frame, Sheet};
use viva::worker::runs::Book;

use crate::world::{answered, endpoint, frame, lines, record};

/// A judge of the panel, by number.
fn judge(at: usize) -> JudgeSpec {
    let JudgeSpec::Endpoint(it) = endpoint(OutputFormat::Lines) else { unreachable!() };
    JudgeSpec::Endpoint(Endpoint { model: format!("judge-{at}"), ..it })
}

/// A run of each judge over the frame, with the labels that `says` gives by judge, system, query and item;
/// `None` is a word that is no label.
fn runs<Q: Into<Option<u8>>>(
    n: usize,
    frame: &Frame,
    says: impl Fn(usize, u32, u32, u32) -> Q,
) -> (Vec<Record>, Ledger) {
    let mut all = Ledger::default();
    let mut records = Vec::new();
    for at in 0..n {
        let run = record(judge(at), frame.clone());
        let ledger = answered(&run, |task| {
            let Task::Coverage(it) = task else { return None };
            let label = |item: u32| match says(at, it.system, it.case, it.first + item).into() {
                Some(quarters) => lines(&[quarters]),
                None => "Perhaps".to_owned(),
            };
            Some((0..it.len).map(label).collect::<Vec<_>>().join("\n"))
        });
        for task in run.all_tasks() {
            for attempt in ledger.attempts(task.key()) {
                let mut attempt = attempt.clone();
                (attempt.usage.input, attempt.usage.output) = (Some(1000), Some(10));
                all.admit(task.key(), attempt);
            }
        }
        records.push(run);
    }
    (records, all)
}

fn sheets(records: &[Record], ledger: &Ledger, reading: Reading) -> Vec<Sheet> {
    records.iter().map(|it| it.sheet(ledger, reading)).collect()
}

fn of(sheets: &[Sheet]) -> Panel {
    panel(&sheets.iter().collect::<Vec<_>>())
}

/// Something that differs by judge, system, query and item, without a pattern.
fn mixed(judge: usize, system: u32, case: u32, item: u32) -> u8 {
    let n = 7 * system + 3 * case + 5 * item;
    let base = (n * n % 5) as usize;
    let moved = (judge * (case as usize + item as usize)).is_multiple_of(3);
    ((base + usize::from(moved) * judge) % 5) as u8
}

#[test]
fn a_judges_figure_is_that_of_its_own_table() {
    let mut frame = frame(&[9, 3, 2, 8, 1, 4, 6, 2, 3, 5, 7], &["a", "b", "c"]);
    frame.systems[1].answers[2] = AnswerState::Missing;
    frame.systems[2].answers[4] = AnswerState::Empty;
    for (at, item) in frame.cases.iter_mut().flat_map(|it| &mut it.items).enumerate() {
        item.weight = [1.0, 3.0, 0.5][at % 3];
    }
    // One item of one answer has no label by one judge.
    let says = |judge, system, case, item| {
        ((judge, system, case, item) != (1, 0, 3, 2)).then(|| mixed(judge, system, case, item))
    };
    let (records, ledger) = runs(3, &frame, says);
    for reading in Reading::ALL {
        let sheets = sheets(&records, &ledger, reading);
        if sheets.iter().any(|it| it.aborted.is_some()) {
            continue;
        }
        let found = of(&sheets);
        assert_eq!((found.queries, found.answers), (11, 31));
        for (at, sheet) in sheets.iter().enumerate() {
            let table = coverage(sheet, &View::default());
            for (system, row) in found.systems.iter().zip(&table.rows) {
                let (own, main) = (system.judges[at], row.main(reading));
                assert!((own.mean.unwrap() - main.mean.unwrap()).abs() < 1e-12, "{reading:?}");
                assert_eq!(own.n, main.n);
                assert_eq!((own.asked, own.scored), (row.tally.asked(), row.tally.scored));
            }
        }
        for pair in &found.pairs {
            let two = compare(&sheets[pair.a], &sheets[pair.b]).overall;
            assert_eq!((pair.same, pair.kappa, pair.items), (two.same, two.kappa, two.scored));
        }
        assert_eq!(found.pairs.len(), 3);
    }
}

#[test]
fn a_majority_and_a_mean_speak_for_the_panel() {
    // One query, three items: all agree, two of three agree, none agree.
    let says = |judge: usize, _: u32, _: u32, item: u32| match (item, judge) {
        (0, _) => Some(4),
        (1, 0) | (2, 2) => Some(0),
        (1, _) | (2, 0) => Some(2),
        _ => Some(3),
    };
    let (records, ledger) = runs(3, &frame(&[3], &["a"]), says);
    let found = of(&sheets(&records, &ledger, Reading::Recommended));
    let system = &found.systems[0];
    let near = |figure: &PanelFigure, mean: f64, scored: u64| {
        assert!((figure.mean.unwrap() - mean).abs() < 1e-12, "{figure:?}");
        assert_eq!((figure.asked, figure.scored, figure.n), (3, scored, 1));
    };
    near(&system.majority, f64::midpoint(1.0, 0.5), 2);
    near(&system.mean, (1.0 + 1.0 / 3.0 + 1.25 / 3.0) / 3.0, 3);
    assert_eq!((found.items, found.with_majority), (3, 2));
    // Under the other readings an answer with an unscored item has no value.
    let paper = of(&sheets(&records, &ledger, Reading::Paper));
    assert_eq!((paper.systems[0].majority.mean, paper.systems[0].majority.scored), (None, 2));
    assert!(paper.systems[0].mean.mean.is_some());
    let undefined = Statistic::Undefined(Undefined::TooFew);
    assert!(found.pairs.iter().all(|it| it.pearson == undefined), "one answer is no correlation");
}

#[test]
fn agreement_tells_strictness_from_disagreement() {
    // B is one step stricter throughout; C says something else.
    let says = |judge: usize, system: u32, case: u32, item: u32| {
        let base = ((system + 2 * case + item) % 4) as u8;
        Some(match judge {
            0 => base + 1,
            1 => base,
            _ => ((3 * case + system) % 5) as u8,
        })
    };
    let (records, ledger) = runs(3, &frame(&[3; 12], &["a", "b"]), says);
    let found = of(&sheets(&records, &ledger, Reading::Recommended));
    let strict = found.pairs[0];
    assert_eq!((strict.a, strict.b, strict.items, strict.answers), (0, 1, 72, 24));
    assert!(strict.same.found().unwrap().value.abs() < 1e-12);
    assert!((strict.pearson.found().unwrap().value - 1.0).abs() < 1e-12);
    let apart = found.pairs[1].pearson.found().unwrap();
    assert!(apart.value < 0.9 && apart.bounds.is_some() && apart.queries == 12, "{apart:?}");
    assert_eq!(found, of(&sheets(&records, &ledger, Reading::Recommended)), "the same digits");
}

#[test]
fn only_what_all_runs_hold_alike_counts() {
    let whole = frame(&[2, 2, 2], &["a", "b"]);
    let (mut records, mut ledger) = runs(2, &whole, mixed);
    // A third run lacks a query, has another text for one answer and no answer for another.
    let mut other = frame(&[2, 2], &["a", "b"]);
    other.systems[0].answers[0] =
        AnswerState::Answered { digest: viva::ids::Digest::of_texts(["else"]), words: 3 };
    other.systems[1].answers[1] = AnswerState::Missing;
    let mut third = record(judge(2), other);
    third.id.clone_from(&third.own_id());
    for task in third.all_tasks() {
        let one = answered(&third, |_| Some(lines(&[1, 2])));
        for attempt in one.attempts(task.key()) {
            ledger.admit(task.key(), attempt.clone());
        }
    }
    records.push(third);
    let found = of(&sheets(&records, &ledger, Reading::Recommended));
    assert_eq!((found.queries, found.answers, found.items), (2, 2, 4));
    assert_eq!((found.left_out.queries, found.left_out.systems, found.left_out.answers), (1, 0, 2));
    assert!(
        found.systems.iter().all(|it| it.mean.n == 1),
        "what is left out is no zero: {found:?}"
    );
}

#[test]
fn a_panel_is_shown_with_its_costs_or_refused_with_why() {
    let (records, ledger) = runs(3, &frame(&[9, 3], &["a", "b"]), mixed);
    let mut book = Book::default();
    let ids: Vec<String> = records.iter().map(|it| it.id.clone()).collect();
    for (at, mut run) in records.into_iter().enumerate() {
        run.settings.prices = (at != 1).then(|| Prices {
            input: 1.0 + at as f64,
            output: 0.0,
            source: PriceSource::User,
            as_of: String::new(),
        });
        book.records.insert(run.id.clone(), run);
    }
    let shown = report::panel::blocks(&book.panel(&ledger, &ids, Reading::Recommended).unwrap());
    let tables: Vec<_> = shown
        .iter()
        .filter_map(|it| match it {
            Block::Table(table) => Some(table),
            _ => None,
        })
        .collect();
    assert!(tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
    let [pairs, figures, costs] = &tables[..] else { panic!("{} tables", tables.len()) };
    assert_eq!((pairs.rows.len(), figures.rows.len(), costs.rows.len()), (3, 10, 3));
    let cost: Vec<&str> = costs.rows.iter().map(|row| row[5].as_str()).collect();
    // Two batches and one, of two systems each: six calls of a thousand tokens.
    assert_eq!(cost, ["0.0060", "–", "0.0180"]);

    let refused = |runs: &[String], reading| book.panel(&ledger, runs, reading).is_err();
    assert!(refused(&ids[..1], Reading::Recommended), "one judge");
    assert!(refused(&[], Reading::Recommended));
    assert!(refused(&[ids[0].clone(), ids[0].clone()], Reading::Recommended), "one judge twice");
    assert!(refused(&[ids[0].clone(), "gone".to_owned()], Reading::Recommended));
    let mut json = record(endpoint(OutputFormat::JsonSchema), frame(&[9, 3], &["a", "b"]));
    json.id = json.own_id();
    let mut elsewhere = json.clone();
    elsewhere.frame.dataset.digest = viva::ids::Digest::of_texts(["other"]);
    elsewhere.id = elsewhere.own_id();
    let (one, other) = (json.id.clone(), elsewhere.id.clone());
    book.records.insert(one.clone(), json);
    book.records.insert(other.clone(), elsewhere);
    let refused = |run: &String, reading| {
        book.panel(&ledger, &[ids[0].clone(), run.clone()], reading).is_err()
    };
    assert!(refused(&one, Reading::Paper) && !refused(&one, Reading::Recommended));
    assert!(refused(&other, Reading::Recommended), "another benchmark");
}
