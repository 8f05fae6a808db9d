//! What a round draws: the results of every pair that met, eight rounds at once.

use super::draw::Multinomial;
use super::random::{LANES, Random};
use crate::rating::battle::{Battle, Winner};
use crate::rating::counts::{Pair, PairCounts};

/// A number for each of eight rounds.
pub(super) type Lane = [f64; LANES];

/// One operation in all lanes. On values, not places: only so does the compiler do several at once.
#[inline]
pub(super) fn each(one: Lane, other: Lane, join: impl Fn(f64, f64) -> f64) -> Lane {
    std::array::from_fn(|lane| join(one[lane], other[lane]))
}

/// A pair that met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) low: u32,
    pub(super) high: u32,
}

/// Pairs that met, ordered as in the table of counts.
pub(super) fn met(counts: &PairCounts) -> Vec<Met> {
    let pairs = counts.pairs().filter(|(_, _, pair)| 0 < pair.battles());
    pairs.map(|(low, high, _)| Met { low: low as u32, high: high as u32 }).collect()
}

/// What eight rounds drew of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) battles: Lane,
    /// Of the system with the smaller number; a tie is half a point.
    pub(super) points: Lane,
}

/// From what rounds are drawn.
#[derive(Clone, Debug)]
pub(super) struct Source {
    kind: Kind,
    drawn: Vec<[u32; LANES]>,
}

#[derive(Clone, Debug)]
enum Kind {
    /// For each pair that met, the rows of its wins, losses and ties.
    Cells { sampler: Multinomial, rows: Vec<[u32; 3]> },
    /// Strata one after another, and what each of their queries adds.
    Queries { strata: Vec<Multinomial>, starts: Vec<u32>, parts: Vec<Part> },
}

/// What a query adds to a pair.
#[derive(Clone, Copy, Debug)]
struct Part {
    met: u32,
    battles: f64,
    points: f64,
}

impl Source {
    /// Battles one by one: as many as there are.
    pub(super) fn battles(counts: &PairCounts) -> Self {
        Self::cells(counts, |pair| [pair.wins, pair.losses, pair.ties])
    }

    /// Rows one by one of a table that holds every battle twice, a tie as a win and a loss.
    pub(super) fn doubled(counts: &PairCounts) -> Self {
        Self::cells(counts, |pair| {
            let twice = |decided: u32| decided.saturating_mul(2).saturating_add(pair.ties);
            [twice(pair.wins), twice(pair.losses), 0]
        })
    }

    fn cells(counts: &PairCounts, cells: impl Fn(Pair) -> [u32; 3]) -> Self {
        let pairs = counts.pairs().filter(|(_, _, pair)| 0 < pair.battles());
        let cells: Vec<[u32; 3]> = pairs.map(|(_, _, pair)| cells(pair)).collect();
        // Equal counts side by side, so that they share a table and a table stays in the cache.
        let mut order: Vec<(u32, usize, usize)> = Vec::new();
        for (met, cells) in cells.iter().enumerate() {
            for (kind, count) in cells.iter().enumerate() {
                if 0 < *count {
                    order.push((*count, met, kind));
                }
            }
        }
        order.sort_unstable();
        // A row behind all others is never drawn: what a pair never had points there.
        let nothing = order.len() as u32;
        let mut rows = vec![[nothing; 3]; cells.len()];
        for (row, (_, met, kind)) in order.iter().enumerate() {
            rows[*met][*kind] = row as u32;
        }
        let counts: Vec<u32> = order.iter().map(|(count, _, _)| *count).collect();
        let drawn = vec![[0; LANES]; counts.len() + 1];
        Self { kind: Kind::Cells { sampler: Multinomial::new(&counts), rows }, drawn }
    }

    /// Queries within their strata; each brings all its battles.
    ///
    /// A query number may occur in two strata: these are two queries. Battles between systems that `met`
    /// does not hold are left out.
    pub(super) fn queries(met: &[Met], battles: &[Battle]) -> Self {
        let place = |battle: &Battle| {
            let (low, high) = (battle.first.min(battle.second), battle.first.max(battle.second));
            let at = met.binary_search_by_key(&(high, low), |met| (met.high, met.low));
            at.map_or(u32::MAX, |at| at as u32)
        };
        // Sorted rather than looked up: a query's battles come together, and so do those of one pair.
        let mut sorted: Vec<((u32, u32), u32, f64)> = battles
            .iter()
            .map(|battle| {
                let kept = battle.first < battle.second;
                let points = match if kept { battle.winner } else { battle.winner.swapped() } {
                    Winner::First => 1.0,
                    Winner::Second => 0.0,
                    Winner::Tie => 0.5,
                };
                ((battle.stratum, battle.query), place(battle), points)
            })
            .collect();
        sorted.sort_unstable_by_key(|(query, met, _)| (*query, *met));
        let (mut keys, mut starts, mut parts) = (Vec::new(), vec![0], Vec::new());
        for query in sorted.chunk_by(|one, other| one.0 == other.0) {
            for pair in query.chunk_by(|one, other| one.1 == other.1) {
                let met = pair[0].1;
                if met != u32::MAX {
                    let points = pair.iter().map(|(_, _, points)| points).sum();
                    parts.push(Part { met, battles: pair.len() as f64, points });
                }
            }
            keys.push(query[0].0.0);
            starts.push(parts.len() as u32);
        }
        let sizes = keys.chunk_by(|one, other| one == other).map(<[u32]>::len);
        let strata = sizes.map(|size| Multinomial::new(&vec![1; size])).collect();
        let drawn = vec![[0; LANES]; keys.len()];
        Self { kind: Kind::Queries { strata, starts, parts }, drawn }
    }

    /// Draws eight rounds. `tallies` has a row for each pair that met.
    pub(super) fn draw(&mut self, random: &mut Random, tallies: &mut [Tally]) {
        match &self.kind {
            Kind::Cells { sampler, rows } => {
                sampler.draw(random, &mut self.drawn[..sampler.cells()]);
                for (tally, rows) in tallies.iter_mut().zip(rows) {
                    let [wins, losses, ties] = rows.map(|row| self.drawn[row as usize]);
                    for lane in 0..LANES {
                        // Counts of battles stay far below 2³¹, and a signed number turns into a float
                        // in one instruction.
                        let battles =
                            wins[lane].wrapping_add(losses[lane]).wrapping_add(ties[lane]);
                        let halves =
                            wins[lane].wrapping_mul(2).wrapping_add(ties[lane]).cast_signed();
                        tally.battles[lane] = f64::from(battles.cast_signed());
                        tally.points[lane] = f64::from(halves) * 0.5;
                    }
                }
            }
            Kind::Queries { strata, starts, parts } => {
                let mut left = &mut *self.drawn;
                for stratum in strata {
                    let (rows, rest) = left.split_at_mut(stratum.cells());
                    left = rest;
                    stratum.draw(random, rows);
                }
                tallies.fill(Tally::default());
                for (times, ends) in self.drawn.iter().zip(starts.windows(2)) {
                    let times = times.map(|times| f64::from(times.cast_signed()));
                    for part in &parts[ends[0] as usize..ends[1] as usize] {
                        let tally = &mut tallies[part.met as usize];
                        let add = |sum: Lane, share: f64| {
                            each(sum, times, |sum, times| sum + times * share)
                        };
                        tally.battles = add(tally.battles, part.battles);
                        tally.points = add(tally.points, part.points);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn battle(first: u32, second: u32, winner: Winner, query: u32, stratum: u32) -> Battle {
        Battle { first, second, winner, query, stratum }
    }

    /// Three queries in one stratum and one in another: a round holds three and one.
    #[test]
    fn queries_bring_all_their_battles_and_strata_keep_their_size() {
        let battles = [
            battle(0, 1, Winner::First, 0, 0),
            battle(1, 0, Winner::First, 0, 0),
            battle(1, 0, Winner::Tie, 1, 0),
            battle(0, 1, Winner::Second, 2, 0),
            battle(2, 1, Winner::Second, 3, 1),
            battle(2, 0, Winner::Second, 3, 1),
        ];
        let counts = PairCounts::of(3, &battles);
        let met = met(&counts);
        let mut source = Source::queries(&met, &battles);
        let mut tallies = vec![Tally::default(); met.len()];
        let mut seen = std::collections::BTreeSet::new();
        for first in (0..80).step_by(LANES) {
            source.draw(&mut Random::of_rounds(1, first), &mut tallies);
            for lane in 0..LANES {
                let [drawn, other, last] = [0, 1, 2].map(|at| tallies[at].battles[lane]);
                assert!((3.0..=6.0).contains(&drawn));
                assert!([other, last].map(f64::to_bits) == [1.0, 1.0].map(f64::to_bits));
                seen.insert(((drawn * 2.0) as u32, (tallies[0].points[lane] * 2.0) as u32));
            }
        }
        // 3 draws of (2 battles, 1 point), (1, ½) and (1, 0): all ten combinations, two of them alike.
        assert_eq!(seen.len(), 10);
    }

    #[test]
    fn cells_sum_to_all_battles_and_doubled_rows_to_twice_as_many() {
        let mut counts = PairCounts::new(3);
        counts.add(0, 1, Winner::First, 50);
        counts.add(0, 1, Winner::Tie, 7);
        counts.add(1, 2, Winner::Second, 40);
        for (mut source, expected) in
            [(Source::battles(&counts), 97.0), (Source::doubled(&counts), 194.0)]
        {
            let mut tallies = vec![Tally::default(); 2];
            source.draw(&mut Random::of_rounds(1, 0), &mut tallies);
            for lane in 0..LANES {
                let sum: f64 = tallies.iter().map(|tally| tally.battles[lane]).sum();
                assert_eq!(sum.to_bits(), f64::to_bits(expected));
                assert!(tallies[1].points[lane].abs() < f64::EPSILON);
            }
        }
    }
}
