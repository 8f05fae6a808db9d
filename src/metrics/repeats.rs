//! How far a judge agrees with itself, from what it judged more than once.
//!
//! Nothing of this enters a table: coverage, battles and ratings read the first time only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::observation::{Mark, Tally};
use crate::rubric::Label;
use crate::run::repeats::{Repeated, RepeatedItem, Repeats};
use crate::run::{Frame, JudgeStamp};

use super::agreement::{self, LABELS, Statistic, Sums};
use super::family::Kin;

/// What repeats say of a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatReport {
    pub judge: JudgeStamp,
    /// What was asked for; `None` where nothing is judged twice. Then all that follows is empty.
    pub planned: Option<Repeats>,
    /// Queries sampled, of so many in the run.
    pub queries: u64,
    pub of_queries: u64,
    /// All verdicts on what is sampled, the first time included; rubric items and seat orders.
    pub tally: Tally,
    /// Of these, still to be asked.
    pub not_asked: u64,
    pub items: ItemAgreement,
    pub answers: AnswerAgreement,
    pub duels: DuelAgreement,
    pub kin: Kin,
}

/// Of rubric items.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemAgreement {
    /// Items sampled: one for each item of each answer.
    pub items: u64,
    /// Of these, with two verdicts at least. All that follows is over them, and `n` counts them.
    pub twice: u64,
    /// Share of items whose verdicts are not all the same label, `0.0..=1.0`.
    pub flipped: Statistic,
    /// Pairs of verdicts on one item with the same label, of all such pairs (protocols §1.7).
    pub agreement: Statistic,
    /// Krippendorff's α for ordered labels; 1 is perfect, 0 is chance. Missing verdicts are left out.
    pub alpha: Statistic,
}

/// Of whole answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerAgreement {
    /// Answers sampled.
    pub answers: u64,
    /// Of these, with every item scored two times at least. `icc` is over them, and its `n` counts them.
    pub twice: u64,
    /// ICC(1) of answer coverage, judged once (Shrout and Fleiss 1979). A time with a gap is left out.
    pub icc: Statistic,
    pub judge: JudgeNoise,
}

/// How much of a difference in coverage is the judge's own doing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JudgeNoise {
    Known {
        /// Variance over repeats of the difference in coverage of two systems on one query, in squared
        /// shares of full coverage: pooled over queries and pairs of systems.
        variance: f64,
        /// Differences judged two times at least, and the queries they are of.
        differences: u64,
        queries: u64,
    },
    /// No two systems have a query that was judged twice without a gap.
    Unknown,
}

/// Of battles: one a seat order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelAgreement {
    /// Seat orders sampled.
    pub duels: u64,
    /// Of these, with two verdicts at least. All that follows is over them, and `n` counts them.
    pub twice: u64,
    /// Share whose verdicts are not all the same.
    pub flipped: Statistic,
    /// Pairs of verdicts on one seat order that are the same, of all such pairs.
    pub agreement: Statistic,
}

/// What was judged more than once, in numbers.
pub fn report(frame: &Frame, repeated: &Repeated, judge: JudgeStamp, kin: Kin) -> RepeatReport {
    let mut tally = Tally::default();
    let mut all = 0;
    for mark in repeated.items.iter().flat_map(|item| &item.marks) {
        tally.add(*mark);
        all += 1;
    }
    for mark in repeated.duels.iter().flat_map(|duel| &duel.marks) {
        tally.add(*mark);
        all += 1;
    }
    RepeatReport {
        judge,
        planned: repeated.planned,
        queries: repeated.cases.len() as u64,
        of_queries: frame.cases.len() as u64,
        not_asked: all - tally.asked(),
        tally,
        items: items(frame, repeated),
        answers: answers(frame, repeated),
        duels: duels(frame, repeated),
        kin,
    }
}

fn items(frame: &Frame, repeated: &Repeated) -> ItemAgreement {
    let mut flipped = Sums::<2>::new();
    let mut agreement = Sums::<2>::new();
    let mut alpha = Sums::<{ LABELS * LABELS }>::new();
    let mut twice = 0;
    for item in &repeated.items {
        let labels: Vec<Label> = verdicts(&item.marks);
        if labels.len() < 2 {
            continue;
        }
        twice += 1;
        let query = id(frame, item.case);
        flipped.add(query, |sums| add_flip(sums, &labels));
        agreement.add(query, |sums| add_pairs(sums, &labels));
        let values: Vec<usize> = labels.iter().map(|it| usize::from(it.quarters())).collect();
        alpha.add(query, |sums| agreement::coincide(sums, &values));
    }
    ItemAgreement {
        items: repeated.items.len() as u64,
        twice,
        flipped: flipped.statistic(agreement::share),
        agreement: agreement.statistic(agreement::share),
        alpha: alpha.statistic(agreement::alpha_ordinal),
    }
}

fn answers(frame: &Frame, repeated: &Repeated) -> AnswerAgreement {
    let answers = coverages(repeated);
    let mut icc = Sums::<6>::new();
    let mut twice = 0;
    for ((case, _), times) in &answers {
        let shares: Vec<f64> = times.iter().flatten().copied().collect();
        if 1 < shares.len() {
            twice += 1;
            icc.add(id(frame, *case), |sums| agreement::vary(sums, &shares));
        }
    }
    AnswerAgreement {
        answers: answers.len() as u64,
        twice,
        icc: icc.statistic(agreement::icc),
        judge: noise(&answers),
    }
}

/// Coverage of each answer, by query and system: one a time, `None` where an item has no verdict.
type Coverages = BTreeMap<(u32, u32), Vec<Option<f64>>>;

fn coverages(repeated: &Repeated) -> Coverages {
    let mut by_answer: BTreeMap<(u32, u32), Vec<&RepeatedItem>> = BTreeMap::new();
    for item in &repeated.items {
        by_answer.entry((item.case, item.system)).or_default().push(item);
    }
    let times = repeated.planned.map_or(0, |it| it.times as usize);
    let covered = |items: &[&RepeatedItem], time: usize| {
        let (mut gained, mut of) = (0.0, 0.0);
        for item in items {
            gained += item.weight * item.marks[time].label()?.share();
            of += item.weight;
        }
        (0.0 < of).then(|| gained / of)
    };
    let all = by_answer.into_iter();
    all.map(|(at, items)| (at, (0..times).map(|time| covered(&items, time)).collect())).collect()
}

/// The judge's part of the variance of paired differences.
pub(super) fn judge_noise(repeated: &Repeated) -> JudgeNoise {
    noise(&coverages(repeated))
}

fn noise(answers: &Coverages) -> JudgeNoise {
    let (mut squares, mut freedom) = (0.0, 0.0);
    let (mut differences, mut queries) = (0, 0);
    let mut last = None;
    for ((case, system), own) in answers {
        for (_, other) in answers.range((*case, 0)..(*case, *system)) {
            let both = own.iter().zip(other).filter_map(|(own, other)| Some((*own)? - (*other)?));
            let gaps: Vec<f64> = both.collect();
            if gaps.len() < 2 {
                continue;
            }
            let mean = super::interval::mean(&gaps);
            squares += gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>();
            freedom += gaps.len() as f64 - 1.0;
            differences += 1;
            queries += u64::from(last != Some(*case));
            last = Some(*case);
        }
    }
    if differences == 0 {
        return JudgeNoise::Unknown;
    }
    JudgeNoise::Known { variance: squares / freedom, differences, queries }
}

fn duels(frame: &Frame, repeated: &Repeated) -> DuelAgreement {
    let mut flipped = Sums::<2>::new();
    let mut agreement = Sums::<2>::new();
    let mut twice = 0;
    for duel in &repeated.duels {
        let winners = verdicts(&duel.marks);
        if 1 < winners.len() {
            twice += 1;
            let query = id(frame, duel.battle.case);
            flipped.add(query, |sums| add_flip(sums, &winners));
            agreement.add(query, |sums| add_pairs(sums, &winners));
        }
    }
    DuelAgreement {
        duels: repeated.duels.len() as u64,
        twice,
        flipped: flipped.statistic(agreement::share),
        agreement: agreement.statistic(agreement::share),
    }
}

fn id(frame: &Frame, case: u32) -> &str {
    frame.cases[case as usize].id.as_str()
}

fn verdicts<V: Copy>(marks: &[Mark<V>]) -> Vec<V> {
    marks.iter().filter_map(|mark| mark.verdict()).collect()
}

fn add_flip<V: PartialEq>(sums: &mut [f64; 2], verdicts: &[V]) {
    let flips = verdicts.iter().any(|it| *it != verdicts[0]);
    sums[0] += f64::from(u8::from(flips));
    sums[1] += 1.0;
}

fn add_pairs<V: PartialEq>(sums: &mut [f64; 2], verdicts: &[V]) {
    for (at, one) in verdicts.iter().enumerate() {
        for other in &verdicts[..at] {
            sums[0] += f64::from(u8::from(one == other));
            sums[1] += 1.0;
        }
    }
}
