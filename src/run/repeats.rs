//! Judging a sample of queries more than once: which queries, what is asked, and what came of it.
//!
//! A repeat asks the very same question again, under a key of its own. It tells how far the judge
//! agrees with itself and enters no other figure: tables, battles and ratings read the first time only.

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::observation::Mark;
use crate::protocol::{Battling, Order, Task};
use crate::rating::Winner;
use crate::run::frame::Frame;

/// How much of a run is judged more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeats {
    /// Queries; all where there are fewer.
    pub sample: u32,
    /// How often each is judged in all, the first time included. Below two nothing is repeated.
    pub times: u32,
}

impl Repeats {
    /// The places of the sampled queries in the frame, in frame order.
    ///
    /// Which they are depends on the seed and on the queries' ids alone: names and order change
    /// nothing, and a larger sample holds the smaller one. A query that joins the frame later can take
    /// the place of another.
    pub fn cases(self, frame: &Frame, seed: u64) -> Vec<u32> {
        if self.times < 2 {
            return Vec::new();
        }
        sampled(frame, seed, self.sample, |_| true)
    }

    /// The repeats of those of `tasks` whose query is sampled, one round after the other: a run that
    /// is stopped early has whole rounds.
    pub fn of(self, frame: &Frame, seed: u64, tasks: &[Task]) -> Vec<Task> {
        let mut chosen = vec![false; frame.cases.len()];
        for case in self.cases(frame, seed) {
            chosen[case as usize] = true;
        }
        let tasks: Vec<&Task> = tasks.iter().filter(|it| chosen[it.case() as usize]).collect();
        let rounds = 1..self.times.max(1);
        rounds.flat_map(|repeat| tasks.iter().map(move |task| task.repeated(repeat))).collect()
    }

    /// The larger of two wishes, by how much is asked: joining two files of one run loses none.
    #[must_use]
    pub fn larger(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let extra = |it: &Self| u64::from(it.sample) * u64::from(it.times.saturating_sub(1));
        one.into_iter().chain(other).max_by_key(extra)
    }
}

/// So many of the queries that `may` be taken, by fingerprints of seed and id; in frame order.
pub fn sampled(frame: &Frame, seed: u64, sample: u32, may: impl Fn(usize) -> bool) -> Vec<u32> {
    let order = |at: &usize| {
        let id = frame.cases[*at].id.as_str().as_bytes();
        (Digest::of([b"query sample/1".as_slice(), &seed.to_le_bytes(), id]), *at)
    };
    let mut places: Vec<usize> = (0..frame.cases.len()).filter(|at| may(*at)).collect();
    places.sort_by_cached_key(order);
    places.truncate(sample as usize);
    places.sort_unstable();
    places.into_iter().map(|at| at as u32).collect()
}

/// The key of a request that is made again on purpose. The first time keeps the key it always had.
pub fn key(first: Digest, repeat: u32) -> Digest {
    if repeat == 0 {
        return first;
    }
    Digest::of([b"repeat/1".as_slice(), first.as_bytes(), &repeat.to_le_bytes()])
}

/// All verdicts on what is judged more than once, under one reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeated {
    /// What was asked for; `None` where nothing is judged twice.
    pub planned: Option<Repeats>,
    /// Places of the sampled queries.
    pub cases: Vec<u32>,
    /// Question by question.
    pub items: Vec<RepeatedItem>,
    /// One a seat order of a battle.
    pub duels: Vec<RepeatedDuel>,
}

/// One rubric item of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedItem {
    pub case: u32,
    pub system: u32,
    pub item: u32,
    pub weight: f64,
    /// One a time it was to be judged, the first time first.
    pub marks: Vec<Mark>,
}

/// One seat order of a battle.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedDuel {
    pub battle: Battling,
    pub order: Order,
    /// On the battle's systems. One a time it was to be judged, the first time first.
    pub marks: Vec<Mark<Winner>>,
}
