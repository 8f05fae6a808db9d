//! A panel: several judges over the same answers. How far each two agree, and what they say together.
//!
//! A panel is a set of runs over the same questions, one a judge. Everything here is over the answers that
//! all of them hold, found by content as in [`compare`](super::compare), so that all pairs of judges are
//! compared on the same ground.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::protocol::Reading;
use crate::rubric::Label;
use crate::run::{AnswerState, JudgeStamp, Sheet};

use super::agreement::{self, LABELS, Moments, Statistic, Sums};
use super::answer;
use super::compare::{Apart, common_cases, common_systems};
use super::interval::Estimate;

/// What several judges say of the same answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    pub reading: Reading,
    /// In the order of the runs.
    pub judges: Vec<JudgeStamp>,
    /// Each judge with each that comes after it.
    pub pairs: Vec<PanelPair>,
    /// In the order of the first run.
    pub systems: Vec<PanelSystem>,
    /// What all runs have in common.
    pub queries: u64,
    pub answers: u64,
    pub items: u64,
    /// Items on which most judges of the panel agree; the others have no verdict of a majority.
    pub with_majority: u64,
    pub left_out: PanelApart,
    /// Whether everything planned has come back in all runs.
    pub complete: bool,
}

/// What is not in all runs, and stands in nothing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelApart {
    /// Of the first run: queries that another lacks or asks otherwise.
    pub queries: u64,
    /// Systems of the first run of whose answers another has none.
    pub systems: u64,
    /// Answers to common queries, of common systems, that are not the same in all runs.
    pub answers: u64,
}

/// How far two judges agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PanelPair {
    /// Places among the judges.
    pub a: usize,
    pub b: usize,
    /// Share of the items scored by both that have the same label.
    pub same: Statistic,
    /// Cohen's κ with quadratic weights, over the same items.
    pub kappa: Statistic,
    /// Pearson's correlation of answers' coverage, each over the items scored by both.
    pub pearson: Statistic,
    /// Items scored by both, and answers that have one.
    pub items: u64,
    pub answers: u64,
}

/// Coverage of one system by each judge and by the panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PanelSystem {
    /// What it is called in the first run.
    pub name: String,
    /// In the order of the judges.
    pub judges: Vec<PanelFigure>,
    /// By the label that more than half of all judges gave. Judges without a verdict count as judges, so
    /// no label wins for want of opponents; an item without such a label is unscored, and never a tie
    /// that something else decides.
    pub majority: PanelFigure,
    /// By the mean of the shares that judges gave an item, where at least half of them scored it.
    pub mean: PanelFigure,
}

/// Coverage with its denominators: of all asked under the recommended reading, else of those answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PanelFigure {
    /// Mean over queries, a share of full coverage. `None` without a query.
    pub mean: Option<f64>,
    /// 95 % t-interval over queries.
    pub bounds: Option<(f64, f64)>,
    /// Queries in the mean.
    pub n: u64,
    /// Items of the answers in common, and those with a verdict.
    pub asked: u64,
    pub scored: u64,
}

/// Several sheets of one benchmark under one reading: two at least.
pub fn panel(sheets: &[&Sheet]) -> Panel {
    let mut left_out = PanelApart::default();
    let cases =
        in_all(sheets, sheets[0].frame.cases.len(), &mut left_out.queries, |first, other| {
            common_cases(first, other, &mut Apart::default())
        });
    let systems =
        in_all(sheets, sheets[0].frame.systems.len(), &mut left_out.systems, |first, other| {
            let cases = common_cases(first, other, &mut Apart::default());
            common_systems(first, other, &cases, &mut Apart::default())
        });
    let mut out = Panel {
        reading: sheets[0].reading,
        judges: sheets.iter().map(|it| it.judge.clone()).collect(),
        pairs: Vec::new(),
        systems: Vec::new(),
        queries: cases.len() as u64,
        answers: 0,
        items: 0,
        with_majority: 0,
        left_out,
        complete: sheets.iter().all(|it| it.complete),
    };
    let judges = 0..sheets.len();
    let mut pairs: Vec<Pair<'_>> = judges
        .clone()
        .flat_map(|a| (a + 1..sheets.len()).map(move |b| (a, b)))
        .map(|(a, b)| Pair::new(a, b))
        .collect();
    for system in &systems {
        let mut voices = vec![Voice::default(); sheets.len()];
        let (mut majority, mut mean) = (Voice::default(), Voice::default());
        for case in &cases {
            let state = |at: usize| answer::state(sheets[at], system[at], case[at]);
            if !judges.clone().all(|at| is_same(state(at), state(0))) {
                out.left_out.answers += 1;
                continue;
            }
            if !state(0).is_answered() {
                // A gap is worth 0 once the judges have come to the query, as in the table of coverage.
                let counts = out.reading == Reading::Recommended
                    && judges.clone().all(|at| answer::is_reached(sheets[at], case[at]));
                for voice in voices.iter_mut().chain([&mut majority, &mut mean]) {
                    voice.shares.extend(counts.then_some(0.0));
                }
                continue;
            }
            let rubric = &sheets[0].frame.cases[case[0]].items;
            let labels: Vec<Vec<Option<Label>>> = (0..rubric.len())
                .map(|item| {
                    let mark = |at: usize| answer::mark(sheets[at], system[at], case[at], item);
                    judges.clone().map(|at| mark(at).label()).collect()
                })
                .collect();
            let weights: Vec<f64> = rubric.iter().map(|item| item.weight).collect();
            out.answers += 1;
            out.items += rubric.len() as u64;
            out.with_majority += labels.iter().filter(|it| most(it).is_some()).count() as u64;
            let whole = out.reading != Reading::Recommended;
            let add = |voice: &mut Voice, value: &dyn Fn(&[Option<Label>]) -> Option<f64>| {
                voice.add(&weights, labels.iter().map(|it| value(it)), whole);
            };
            for (at, voice) in voices.iter_mut().enumerate() {
                add(voice, &|labels| labels[at].map(Label::share));
            }
            add(&mut majority, &|labels| most(labels).map(Label::share));
            add(&mut mean, &middle);
            let query = sheets[0].frame.cases[case[0]].id.as_str();
            for pair in &mut pairs {
                pair.add(query, &weights, &labels);
            }
        }
        out.systems.push(PanelSystem {
            name: sheets[0].frame.systems[system[0]].name.to_string(),
            judges: voices.iter().map(Voice::figure).collect(),
            majority: majority.figure(),
            mean: mean.figure(),
        });
    }
    out.pairs = pairs.iter().map(Pair::agreement).collect();
    out
}

/// Places of the first sheet, of `n`, that every other one shares: for each, its place in all of them. Counts
/// those that some other one lacks.
fn in_all(
    sheets: &[&Sheet],
    n: usize,
    lacking: &mut u64,
    shared: impl Fn(&Sheet, &Sheet) -> Vec<(usize, usize)>,
) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = (0..n).map(|at| vec![at]).collect();
    for sheet in &sheets[1..] {
        let with: HashMap<usize, usize> = shared(sheets[0], sheet).into_iter().collect();
        places.retain_mut(|place| {
            let other = with.get(&place[0]);
            place.extend(other);
            other.is_some()
        });
    }
    *lacking = (n - places.len()) as u64;
    places
}

/// Whether two runs hold the same answer, or lack it alike.
fn is_same(one: AnswerState, other: AnswerState) -> bool {
    match (one, other) {
        (AnswerState::Answered { digest: a, .. }, AnswerState::Answered { digest: b, .. }) => {
            a == b
        }
        (AnswerState::Answered { .. }, _) | (_, AnswerState::Answered { .. }) => false,
        _ => true,
    }
}

/// The label that more than half of all judges gave.
fn most(labels: &[Option<Label>]) -> Option<Label> {
    Label::ALL.into_iter().find(|label| {
        let votes = labels.iter().filter(|it| **it == Some(*label)).count();
        labels.len() < 2 * votes
    })
}

/// The mean of what judges gave, where at least half of them gave something.
fn middle(labels: &[Option<Label>]) -> Option<f64> {
    let given: Vec<f64> = labels.iter().flatten().map(|it| it.share()).collect();
    let enough = !given.is_empty() && labels.len() <= 2 * given.len();
    enough.then(|| given.iter().sum::<f64>() / given.len() as f64)
}

/// What one judge, or the panel, says of one system.
#[derive(Clone, Debug, Default)]
struct Voice {
    /// By query.
    shares: Vec<f64>,
    asked: u64,
    scored: u64,
}

impl Voice {
    /// One answer, by the value of each item. `whole`: without a value for every item it has none.
    fn add(&mut self, weights: &[f64], values: impl Iterator<Item = Option<f64>>, whole: bool) {
        let (mut gained, mut of, mut n) = (0.0, 0.0, 0);
        for (weight, value) in weights.iter().zip(values) {
            if let Some(value) = value {
                gained += weight * value;
                of += weight;
                n += 1;
            }
        }
        self.asked += weights.len() as u64;
        self.scored += n;
        if 0.0 < of && (!whole || n == weights.len() as u64) {
            self.shares.push(gained / of);
        }
    }

    fn figure(&self) -> PanelFigure {
        let estimate = Estimate::of(&self.shares);
        PanelFigure {
            mean: estimate.mean,
            bounds: estimate.bounds,
            n: estimate.n,
            asked: self.asked,
            scored: self.scored,
        }
    }
}

struct Pair<'a> {
    a: usize,
    b: usize,
    items: u64,
    answers: u64,
    same: Sums<'a, 2>,
    labels: Sums<'a, { LABELS * LABELS }>,
    coverage: Sums<'a, { size_of::<Moments>() / size_of::<f64>() }>,
}

impl<'a> Pair<'a> {
    fn new(a: usize, b: usize) -> Self {
        Self {
            a,
            b,
            items: 0,
            answers: 0,
            same: Sums::new(),
            labels: Sums::new(),
            coverage: Sums::new(),
        }
    }

    fn add(&mut self, query: &'a str, weights: &[f64], labels: &[Vec<Option<Label>>]) {
        let (mut gained_a, mut gained_b, mut of) = (0.0, 0.0, 0.0);
        for (weight, labels) in weights.iter().zip(labels) {
            let (Some(a), Some(b)) = (labels[self.a], labels[self.b]) else {
                continue;
            };
            gained_a += weight * a.share();
            gained_b += weight * b.share();
            of += weight;
            self.items += 1;
            self.same.add(query, |sums| {
                sums[0] += f64::from(u8::from(a == b));
                sums[1] += 1.0;
            });
            let place = |label: Label| usize::from(label.quarters());
            self.labels.add(query, |sums| sums[place(a) * LABELS + place(b)] += 1.0);
        }
        if 0.0 < of {
            self.answers += 1;
            self.coverage
                .add(query, |sums| agreement::correlate(sums, gained_a / of, gained_b / of));
        }
    }

    fn agreement(&self) -> PanelPair {
        PanelPair {
            a: self.a,
            b: self.b,
            same: self.same.statistic(agreement::share),
            kappa: self.labels.statistic(agreement::kappa_quadratic),
            pearson: self.coverage.statistic(agreement::pearson),
            items: self.items,
            answers: self.answers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Barely, Completely, Mostly};

    #[test]
    fn a_majority_is_more_than_half_of_all_judges() {
        let (a, b, c) = (Some(Barely), Some(Mostly), Some(Completely));
        for (labels, label, mean) in [
            (vec![a, a, b], a, Some(5.0 / 12.0)),
            (vec![a, b, c], None, Some(2.0 / 3.0)),
            // Two of four are no majority, whoever is silent.
            (vec![a, a, None, None], None, Some(0.25)),
            (vec![a, a, None], a, Some(0.25)),
            (vec![a, None, None], None, None),
            (vec![a, b], None, Some(0.5)),
            (vec![None, None], None, None),
        ] {
            assert_eq!(most(&labels), label, "{labels:?}");
            match (middle(&labels), mean) {
                (Some(found), Some(mean)) => assert!((found - mean).abs() < 1e-12, "{labels:?}"),
                (found, mean) => assert_eq!(found, mean, "{labels:?}"),
            }
        }
    }
}
