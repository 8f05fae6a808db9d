//! Whether a tournament has ratings at all.
//!
//! Maximum likelihood has a finite answer, and one only, exactly when every system can be reached from
//! every other along wins (Ford 1957); a tie is a way in both directions.

use super::counts::PairCounts;

/// Results in which every system is reached from every other along wins.
#[derive(Clone, Copy, Debug)]
pub struct Connected<'a>(&'a PairCounts);

impl<'a> Connected<'a> {
    /// `None` where no rating across all systems exists, also without a system.
    pub fn of(counts: &'a PairCounts) -> Option<Self> {
        let all = |forward| reached(counts, forward).into_iter().all(|found| found);
        (0 < counts.systems() && all(true) && all(false)).then_some(Self(counts))
    }

    pub fn counts(self) -> &'a PairCounts {
        self.0
    }
}

/// Which systems are reached from the first along wins, or against them.
fn reached(counts: &PairCounts, forward: bool) -> Vec<bool> {
    let mut found = vec![false; counts.systems()];
    let mut open = Vec::new();
    if let Some(first) = found.first_mut() {
        *first = true;
        open.push(0);
    }
    while let Some(at) = open.pop() {
        for (other, found) in found.iter_mut().enumerate() {
            let pair = counts.between(at, other);
            let beats = if forward { pair.wins } else { pair.losses };
            if !*found && 0 < beats + pair.ties {
                *found = true;
                open.push(other);
            }
        }
    }
    found
}
