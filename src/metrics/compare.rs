//! Two runs over the same answers, side by side: how far apart their coverage is, and how far their
//! labels agree.
//!
//! What belongs together is found by content: the query's id, the answer's fingerprint, the item's place
//! and fingerprint. Names decide nothing. What has no counterpart is counted and left out, with why.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::observation::Tally;
use crate::protocol::Reading;
use crate::rubric::Label;
use crate::run::{AnswerState, JudgeStamp, Sheet};

use super::agreement::{self, LABELS, Statistic, Sums};
use super::answer;
use super::interval::Clustered;

/// Runs A and B, compared on what both hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub reading: Reading,
    pub judge_a: JudgeStamp,
    pub judge_b: JudgeStamp,
    /// Queries of each run, and those in both with the same items.
    pub queries_a: u64,
    pub queries_b: u64,
    pub queries_both: u64,
    /// Over all systems that have a counterpart.
    pub overall: Agreement,
    /// In the order of A.
    pub systems: Vec<SystemAgreement>,
    pub left_out: Apart,
    /// Whether everything planned has come back in both.
    pub complete: bool,
}

/// One system, by the answers that it has in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemAgreement {
    /// What it is called in A.
    pub name_a: String,
    /// What it is called in B, which may differ.
    pub name_b: String,
    pub agreement: Agreement,
}

/// How far two judges agree on the same items of the same answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Queries with an answer in both.
    pub queries: u64,
    pub answers: u64,
    /// Rubric items of these answers: put to both judges, or planned to be.
    pub items: u64,
    /// What became of them in each run; [`Tally::asked`] falls short of `items` by what was not asked.
    pub tally_a: Tally,
    pub tally_b: Tally,
    /// Items scored in both. All that follows is over them alone.
    pub scored: u64,
    /// Mean over answers of the coverage of the items scored in both, a share of full coverage. `None`
    /// where there are none.
    pub coverage_a: Option<f64>,
    pub coverage_b: Option<f64>,
    /// Mean over answers of B − A. `None` where there are no items scored in both.
    pub offset: Option<Offset>,
    /// Share of items with the same label in both, `0.0..=1.0`.
    pub same: Statistic,
    /// Cohen's κ with quadratic weights; 1 is perfect, 0 is what the two judges' frequencies of labels
    /// give by chance.
    pub kappa: Statistic,
    /// `confusion[a][b]`: items by label, in the order of the labels.
    pub confusion: [[u64; LABELS]; LABELS],
    /// What agreement is worth nothing: with who always gives A's most frequent label.
    pub majority: Option<Majority>,
}

/// B − A, in shares of full coverage: 0.01 is one point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offset {
    pub mean: f64,
    /// 95 % t-interval with queries − 1 degrees of freedom, by an error that lets the answers to one
    /// query go together. `None` with fewer than two queries, or where every answer's offset is the same.
    pub bounds: Option<(f64, f64)>,
    pub answers: u64,
    pub queries: u64,
}

/// A judge that looks at nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Majority {
    pub label: Label,
    /// Share of items that A gave this label: the agreement that always giving it would reach.
    pub share: f64,
}

/// What stands in one run and has no counterpart in the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// Queries in A alone, and in B alone.
    pub queries_a: u64,
    pub queries_b: u64,
    /// Queries in both whose rubric items differ.
    pub other_items: u64,
    /// Systems none of whose answers is in the other run.
    pub systems_a: Vec<String>,
    pub systems_b: Vec<String>,
    /// Over queries in both, of systems in both: answers to the same query with another text.
    pub other_answers: u64,
    /// Likewise, answered in A alone, and in B alone.
    pub answers_a: u64,
    pub answers_b: u64,
}

/// Two sheets of one benchmark, under one reading.
pub fn compare(a: &Sheet, b: &Sheet) -> Comparison {
    let mut left_out = Apart::default();
    let cases = common_cases(a, b, &mut left_out);
    let pairs = common_systems(a, b, &cases, &mut left_out);
    let mut overall = Counter::default();
    let mut systems = Vec::with_capacity(pairs.len());
    for (system_a, system_b) in pairs {
        let mut own = Counter::default();
        for &(case_a, case_b) in &cases {
            let states = (answer::state(a, system_a, case_a), answer::state(b, system_b, case_b));
            match states {
                (
                    AnswerState::Answered { digest: one, .. },
                    AnswerState::Answered { digest: other, .. },
                ) if one == other => {
                    let at = ((a, system_a, case_a), (b, system_b, case_b));
                    own.add(at);
                    overall.add(at);
                }
                (AnswerState::Answered { .. }, AnswerState::Answered { .. }) => {
                    left_out.other_answers += 1;
                }
                (AnswerState::Answered { .. }, _) => left_out.answers_a += 1,
                (_, AnswerState::Answered { .. }) => left_out.answers_b += 1,
                _ => {}
            }
        }
        systems.push(SystemAgreement {
            name_a: a.frame.systems[system_a].name.to_string(),
            name_b: b.frame.systems[system_b].name.to_string(),
            agreement: own.agreement(),
        });
    }
    Comparison {
        reading: a.reading,
        judge_a: a.judge.clone(),
        judge_b: b.judge.clone(),
        queries_a: a.frame.cases.len() as u64,
        queries_b: b.frame.cases.len() as u64,
        queries_both: cases.len() as u64,
        overall: overall.agreement(),
        systems,
        left_out,
        complete: a.complete && b.complete,
    }
}

/// Places of the queries that both hold with the same items, in the order of A.
pub(super) fn common_cases(a: &Sheet, b: &Sheet, left_out: &mut Apart) -> Vec<(usize, usize)> {
    let places: HashMap<&str, usize> =
        b.frame.cases.iter().enumerate().map(|(at, case)| (case.id.as_str(), at)).collect();
    let mut out = Vec::new();
    for (at, case) in a.frame.cases.iter().enumerate() {
        let Some(&other) = places.get(case.id.as_str()) else {
            left_out.queries_a += 1;
            continue;
        };
        let items = |sheet: &Sheet, at: usize| -> Vec<_> {
            sheet.frame.cases[at].items.iter().map(|item| item.digest).collect()
        };
        if items(a, at) == items(b, other) {
            out.push((at, other));
        } else {
            left_out.other_items += 1;
        }
    }
    let shared = out.len() as u64 + left_out.other_items;
    left_out.queries_b = (b.frame.cases.len() as u64).saturating_sub(shared);
    out
}

/// Which system of A is which of B: the one with the most answers in common, each once.
pub(super) fn common_systems(
    a: &Sheet,
    b: &Sheet,
    cases: &[(usize, usize)],
    left_out: &mut Apart,
) -> Vec<(usize, usize)> {
    let mut candidates = Vec::new();
    for (at, one) in a.frame.systems.iter().enumerate() {
        for (other_at, other) in b.frame.systems.iter().enumerate() {
            let same = |&&(case_a, case_b): &&(usize, usize)| {
                let digest = |sheet: &Sheet, system, case| match answer::state(sheet, system, case)
                {
                    AnswerState::Answered { digest, .. } => Some(digest),
                    AnswerState::Missing | AnswerState::Empty => None,
                };
                let own = digest(a, at, case_a);
                own.is_some() && own == digest(b, other_at, case_b)
            };
            let shared = cases.iter().filter(same).count();
            if 0 < shared {
                let identity = one.identity == other.identity;
                // Two systems with the same answers are told apart by name only.
                let name = one.name == other.name;
                candidates.push((shared, identity, name, at, other_at));
            }
        }
    }
    candidates.sort_by(|x, y| {
        (y.0, y.1, y.2).cmp(&(x.0, x.1, x.2)).then(x.3.cmp(&y.3)).then(x.4.cmp(&y.4))
    });
    let (mut of_a, mut of_b) =
        (vec![None; a.frame.systems.len()], vec![false; b.frame.systems.len()]);
    for (_, _, _, at, other) in candidates {
        if of_a[at].is_none() && !of_b[other] {
            of_a[at] = Some(other);
            of_b[other] = true;
        }
    }
    let name = |sheet: &Sheet, at: usize| sheet.frame.systems[at].name.to_string();
    left_out.systems_a = of_a
        .iter()
        .enumerate()
        .filter(|(_, found)| found.is_none())
        .map(|(at, _)| name(a, at))
        .collect();
    left_out.systems_b = (0..of_b.len()).filter(|&at| !of_b[at]).map(|at| name(b, at)).collect();
    of_a.iter().enumerate().filter_map(|(at, found)| Some((at, (*found)?))).collect()
}

/// An answer by its sheet, its system and its query.
type Place<'a> = (&'a Sheet, usize, usize);

struct Counter<'a> {
    queries: std::collections::BTreeSet<u32>,
    answers: u64,
    items: u64,
    tally_a: Tally,
    tally_b: Tally,
    /// Of answers with an item scored in both: query, coverage in A and in B.
    coverages: Vec<(u32, f64, f64)>,
    same: Sums<'a, 2>,
    labels: Sums<'a, { LABELS * LABELS }>,
}

impl Default for Counter<'_> {
    fn default() -> Self {
        Self {
            queries: std::collections::BTreeSet::new(),
            answers: 0,
            items: 0,
            tally_a: Tally::default(),
            tally_b: Tally::default(),
            coverages: Vec::new(),
            same: Sums::new(),
            labels: Sums::new(),
        }
    }
}

impl<'a> Counter<'a> {
    /// One answer that is in both.
    fn add(&mut self, ((a, system_a, case_a), (b, system_b, case_b)): (Place<'a>, Place<'a>)) {
        let case = &a.frame.cases[case_a];
        self.queries.insert(case_a as u32);
        self.answers += 1;
        let (mut gained_a, mut gained_b, mut of) = (0.0, 0.0, 0.0);
        for (item, rubric) in case.items.iter().enumerate() {
            let mark_a = answer::mark(a, system_a, case_a, item);
            let mark_b = answer::mark(b, system_b, case_b, item);
            self.items += 1;
            self.tally_a.add(mark_a);
            self.tally_b.add(mark_b);
            let (Some(label_a), Some(label_b)) = (mark_a.label(), mark_b.label()) else {
                continue;
            };
            gained_a += rubric.weight * label_a.share();
            gained_b += rubric.weight * label_b.share();
            of += rubric.weight;
            let query = case.id.as_str();
            self.same.add(query, |sums| {
                sums[0] += f64::from(u8::from(label_a == label_b));
                sums[1] += 1.0;
            });
            let place = |label: Label| usize::from(label.quarters());
            self.labels.add(query, |sums| sums[place(label_a) * LABELS + place(label_b)] += 1.0);
        }
        if 0.0 < of {
            self.coverages.push((case_a as u32, gained_a / of, gained_b / of));
        }
    }

    fn agreement(self) -> Agreement {
        let counts = self.labels.total();
        let mut confusion = [[0; LABELS]; LABELS];
        for (at, count) in counts.iter().enumerate() {
            confusion[at / LABELS][at % LABELS] = *count as u64;
        }
        let scored: u64 = confusion.iter().flatten().sum();
        let row = |label: &Label| confusion[usize::from(label.quarters())].iter().sum::<u64>();
        // The first of equally frequent ones.
        let most = Label::ALL.into_iter().rev().max_by_key(row);
        let n = self.coverages.len() as f64;
        let mean = |of: fn(&(u32, f64, f64)) -> f64| {
            (0.0 < n).then(|| self.coverages.iter().map(of).sum::<f64>() / n)
        };
        let offsets: Vec<(u32, f64)> =
            self.coverages.iter().map(|(query, a, b)| (*query, b - a)).collect();
        Agreement {
            queries: self.queries.len() as u64,
            answers: self.answers,
            items: self.items,
            tally_a: self.tally_a,
            tally_b: self.tally_b,
            scored,
            coverage_a: mean(|it| it.1),
            coverage_b: mean(|it| it.2),
            offset: Clustered::of(&offsets).map(|it| Offset {
                mean: it.mean,
                bounds: it.bounds,
                answers: it.n,
                queries: it.queries,
            }),
            same: self.same.statistic(agreement::share),
            kappa: self.labels.statistic(agreement::kappa_quadratic),
            confusion,
            majority: most
                .filter(|_| 0 < scored)
                .map(|label| Majority { label, share: row(&label) as f64 / scored as f64 }),
        }
    }
}
