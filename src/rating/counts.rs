//! How often each pair met, and how it went.

use serde::{Deserialize, Serialize};

use super::battle::{Battle, Winner};

/// Results between two systems, seen from the one with the smaller number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    pub wins: u32,
    pub losses: u32,
    pub ties: u32,
}

impl Pair {
    pub fn battles(self) -> u32 {
        self.wins + self.losses + self.ties
    }

    /// Points of the system with the smaller number: a tie is half a win.
    pub fn points(self) -> f64 {
        f64::from(self.wins) + f64::from(self.ties) / 2.0
    }

    #[must_use]
    pub fn swapped(self) -> Self {
        Self { wins: self.losses, losses: self.wins, ties: self.ties }
    }
}

/// Results of all pairs: (0, 1), (0, 2), (1, 2), (0, 3), … so that a new system only adds at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    systems: usize,
    pairs: Vec<Pair>,
}

impl PairCounts {
    pub fn new(systems: usize) -> Self {
        Self { systems, pairs: vec![Pair::default(); systems * systems.saturating_sub(1) / 2] }
    }

    pub fn of<'a>(systems: usize, battles: impl IntoIterator<Item = &'a Battle>) -> Self {
        let mut counts = Self::new(systems);
        for battle in battles {
            counts.add(battle.first as usize, battle.second as usize, battle.winner, 1);
        }
        counts
    }

    /// How many systems there are, also those without a battle.
    pub fn systems(&self) -> usize {
        self.systems
    }

    pub fn battles(&self) -> u64 {
        self.pairs.iter().map(|pair| u64::from(pair.battles())).sum()
    }

    /// Battles of one system.
    pub fn battles_of(&self, system: usize) -> u64 {
        let others = (0..self.systems).filter(|other| *other != system);
        others.map(|other| u64::from(self.between(system, other).battles())).sum()
    }

    /// Where a pair stands in [`Self::pairs`]; `low` is the smaller number.
    pub fn place(low: usize, high: usize) -> usize {
        debug_assert!(low < high);
        high * (high - 1) / 2 + low
    }

    /// All pairs, the smaller number first.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, Pair)> {
        let numbers = (1..self.systems).flat_map(|high| (0..high).map(move |low| (low, high)));
        numbers.zip(&self.pairs).map(|((low, high), pair)| (low, high, *pair))
    }

    /// Results between two systems, seen from the first. Nothing where both are one.
    pub fn between(&self, first: usize, second: usize) -> Pair {
        match first.cmp(&second) {
            std::cmp::Ordering::Less => self.pairs[Self::place(first, second)],
            std::cmp::Ordering::Equal => Pair::default(),
            std::cmp::Ordering::Greater => self.pairs[Self::place(second, first)].swapped(),
        }
    }

    /// The table of these systems alone, numbered by their place in the list. None may be listed twice.
    #[must_use]
    pub fn only(&self, systems: &[usize]) -> Self {
        let numbers = (1..systems.len()).flat_map(|high| (0..high).map(move |low| (low, high)));
        let pairs = numbers.map(|(low, high)| self.between(systems[low], systems[high])).collect();
        Self { systems: systems.len(), pairs }
    }

    /// Counts results. A system against itself is nothing to count.
    pub fn add(&mut self, first: usize, second: usize, winner: Winner, times: u32) {
        if first == second {
            return;
        }
        let (low, high) = (first.min(second), first.max(second));
        let winner = if first < second { winner } else { winner.swapped() };
        let pair = &mut self.pairs[Self::place(low, high)];
        match winner {
            Winner::First => pair.wins += times,
            Winner::Second => pair.losses += times,
            Winner::Tie => pair.ties += times,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The conformance vector of four models: wins, losses, ties of each pair.
    pub(in crate::rating) fn four() -> PairCounts {
        let mut counts = PairCounts::new(4);
        for (first, second, [wins, losses, ties]) in [
            (0, 1, [6, 2, 0]),
            (1, 2, [5, 3, 0]),
            (0, 2, [7, 1, 0]),
            (2, 3, [4, 2, 2]),
            (0, 3, [6, 1, 1]),
            (1, 3, [5, 2, 1]),
        ] {
            counts.add(first, second, Winner::First, wins);
            counts.add(first, second, Winner::Second, losses);
            counts.add(first, second, Winner::Tie, ties);
        }
        counts
    }

    #[test]
    fn both_sides_see_the_same() {
        let mut counts = PairCounts::new(3);
        counts.add(2, 0, Winner::First, 3);
        counts.add(0, 2, Winner::First, 1);
        counts.add(0, 2, Winner::Tie, 2);
        counts.add(1, 1, Winner::First, 9);
        assert_eq!(counts.between(0, 2), Pair { wins: 1, losses: 3, ties: 2 });
        assert_eq!(counts.between(2, 0), Pair { wins: 3, losses: 1, ties: 2 });
        assert_eq!((counts.battles(), counts.battles_of(0), counts.battles_of(1)), (6, 6, 0));
        let met: Vec<_> =
            counts.pairs().map(|(low, high, pair)| (low, high, pair.battles())).collect();
        assert_eq!(met, [(0, 1, 0), (0, 2, 6), (1, 2, 0)]);
        let turned = counts.only(&[2, 0]);
        assert_eq!((turned.systems(), turned.between(0, 1)), (2, counts.between(2, 0)));
    }
}
