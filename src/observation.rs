//! The rows all else speaks: one verdict on one item, or the reason why there is none.

use serde::{Deserialize, Serialize};

use crate::rubric::Label;

/// One verdict: the label of a rubric item unless said otherwise, or the winner of a battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark<V = Label> {
    Scored(V),
    Unscored(Unscored),
}

/// Why there is no verdict. Never the same thing as a bad verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Unscored {
    /// A reply came, but no label could be read for this item.
    Unparsed,
    /// The reply was cut off at the length limit, or the judge saw only part of the input.
    Truncated,
    /// The model declined.
    Refused,
    /// No reply came.
    Failed,
    /// Asked, and waiting for a reply.
    InFlight,
    /// Planned and not yet asked.
    NotAsked,
}

impl Mark {
    pub fn label(self) -> Option<Label> {
        self.verdict()
    }
}

impl<V> Mark<V> {
    pub fn verdict(self) -> Option<V> {
        match self {
            Self::Scored(verdict) => Some(verdict),
            Self::Unscored(_) => None,
        }
    }

    /// What became of it, whatever the verdict.
    pub fn state(&self) -> Mark<()> {
        match self {
            Self::Scored(_) => Mark::Scored(()),
            Self::Unscored(why) => Mark::Unscored(*why),
        }
    }
}

/// Verdicts counted by what became of them. `asked` is always the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub scored: u64,
    pub unparsed: u64,
    pub truncated: u64,
    pub refused: u64,
    pub failed: u64,
    pub in_flight: u64,
}

impl Tally {
    /// Everything that was put to the judge. What is only planned is not asked.
    pub fn asked(&self) -> u64 {
        self.scored + self.unparsed + self.truncated + self.refused + self.failed + self.in_flight
    }

    /// Asked and closed without a verdict.
    pub fn unscored(&self) -> u64 {
        self.unparsed + self.truncated + self.refused + self.failed
    }

    pub fn add<V: Copy>(&mut self, mark: Mark<V>) {
        if let Some(count) = self.slot(mark) {
            *count += 1;
        }
    }

    pub fn remove<V: Copy>(&mut self, mark: Mark<V>) {
        if let Some(count) = self.slot(mark) {
            *count -= 1;
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.scored += other.scored;
        self.unparsed += other.unparsed;
        self.truncated += other.truncated;
        self.refused += other.refused;
        self.failed += other.failed;
        self.in_flight += other.in_flight;
    }

    fn slot<V: Copy>(&mut self, mark: Mark<V>) -> Option<&mut u64> {
        match mark {
            Mark::Scored(_) => Some(&mut self.scored),
            Mark::Unscored(Unscored::Unparsed) => Some(&mut self.unparsed),
            Mark::Unscored(Unscored::Truncated) => Some(&mut self.truncated),
            Mark::Unscored(Unscored::Refused) => Some(&mut self.refused),
            Mark::Unscored(Unscored::Failed) => Some(&mut self.failed),
            Mark::Unscored(Unscored::InFlight) => Some(&mut self.in_flight),
            Mark::Unscored(Unscored::NotAsked) => None,
        }
    }
}
