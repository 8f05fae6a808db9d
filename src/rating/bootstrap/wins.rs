//! Whether a round has ratings: who is reached from whom along wins, and what is true of those who are not.

use super::random::LANES;
use super::resample::{Met, Tally};
use crate::rating::counts::PairCounts;

/// Arcs along which every system reaches every other. Where a round drew a win, or a tie, on each of them,
/// it has ratings, and nothing else needs a look.
#[derive(Clone, Debug)]
pub(super) struct Skeleton(Vec<Arc>);

/// A pair that met, by its number, and who beats whom.
#[derive(Clone, Copy, Debug)]
struct Arc {
    met: u32,
    low_beats_high: bool,
}

impl Skeleton {
    /// Of all ways from the first system to all and from all to the first, those whose rarest arc is as
    /// frequent as it can be (Prim 1957, with arcs).
    pub(super) fn of(counts: &PairCounts, met: &[Met]) -> Self {
        let n = counts.systems();
        let mut places = vec![None; n * n];
        for (at, met) in met.iter().enumerate() {
            let (low, high) = (met.low as usize, met.high as usize);
            places[low * n + high] = Some(at);
            places[high * n + low] = Some(at);
        }
        let mut arcs = Vec::new();
        for outwards in [true, false] {
            // The best arc that joins each system to those already reached.
            let mut best: Vec<(u32, usize)> = vec![(0, 0); n];
            let mut open: Vec<usize> = (1..n).collect();
            let mut reached = 0;
            while !open.is_empty() {
                for other in &open {
                    let pair = counts.between(reached, *other);
                    let beats = if outwards { pair.wins } else { pair.losses };
                    if best[*other].0 < beats + pair.ties {
                        best[*other] = (beats + pair.ties, reached);
                    }
                }
                let next = open.iter().enumerate().max_by_key(|(_, other)| best[**other].0);
                let Some(at) = next.map(|(at, _)| at) else { break };
                let joined = open.swap_remove(at);
                let from = best[joined].1;
                if let Some(met) = places[from * n + joined] {
                    let low_beats_high = (from < joined) == outwards;
                    arcs.push(Arc { met: met as u32, low_beats_high });
                }
                reached = joined;
            }
        }
        Self(arcs)
    }

    /// For eight rounds, whether each arc was drawn.
    pub(super) fn whole(&self, tallies: &[Tally]) -> [bool; LANES] {
        let mut least = [f64::INFINITY; LANES];
        for arc in &self.0 {
            let tally = &tallies[arc.met as usize];
            for (lane, least) in least.iter_mut().enumerate() {
                let points = tally.points[lane];
                let drawn = if arc.low_beats_high { points } else { tally.battles[lane] - points };
                *least = least.min(drawn);
            }
        }
        least.map(|least| 0.0 < least)
    }
}

/// What a round without ratings says about a system's distance from the mean of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Infinitely far above.
    Above,
    /// Infinitely far below.
    Below,
    /// Anywhere.
    Open,
}

/// `None` where one round's wins lead from everyone to everyone, and it has ratings.
///
/// A distance from the mean is the mean of distances from all. Of two systems, the distance is finite where
/// wins lead from each to the other; infinite where they lead one way only; and anything where they lead
/// neither way. So a system is above where it is infinitely far above some and anything from none, and
/// below likewise; else it may be anywhere.
pub(super) fn standings(
    systems: usize,
    met: &[Met],
    tallies: &[Tally],
    lane: usize,
) -> Option<Vec<Standing>> {
    let words = systems.div_ceil(64);
    let mut reach = vec![0_u64; systems * words];
    let mut back = reach.clone();
    let mut mark = |from: usize, to: usize| {
        reach[from * words + to / 64] |= 1 << (to % 64);
        back[to * words + from / 64] |= 1 << (from % 64);
    };
    for system in 0..systems {
        mark(system, system);
    }
    for (met, tally) in met.iter().zip(tallies) {
        let (low, high) = (met.low as usize, met.high as usize);
        if 0.0 < tally.points[lane] {
            mark(low, high);
        }
        if tally.points[lane] < tally.battles[lane] {
            mark(high, low);
        }
    }
    // Most rounds are told by two searches, which cost far less than everyone's reach.
    if all_from_first(&reach, systems, words) && all_from_first(&back, systems, words) {
        return None;
    }
    close(&mut reach, systems, words);
    let reaches = |from: usize, to: usize| reach[from * words + to / 64] >> (to % 64) & 1 == 1;
    let of = |system: usize| {
        let (mut above, mut below, mut open) = (false, false, false);
        for other in 0..systems {
            match (reaches(system, other), reaches(other, system)) {
                (true, true) => {}
                (true, false) => above = true,
                (false, true) => below = true,
                (false, false) => open = true,
            }
        }
        match (above, below, open) {
            (false, false, false) => None,
            (true, false, false) => Some(Standing::Above),
            (false, true, false) => Some(Standing::Below),
            _ => Some(Standing::Open),
        }
    };
    (0..systems).map(of).collect()
}

/// Whether everyone is reached from the first system.
fn all_from_first(reach: &[u64], systems: usize, words: usize) -> bool {
    let mut found = vec![0_u64; words];
    let mut open = Vec::new();
    if 0 < systems {
        found[0] = 1;
        open.push(0);
    }
    let mut count = open.len();
    while let Some(from) = open.pop() {
        for (word, row) in reach[from * words..(from + 1) * words].iter().enumerate() {
            let mut new = row & !found[word];
            found[word] |= new;
            while new != 0 {
                open.push(word * 64 + new.trailing_zeros() as usize);
                count += 1;
                new &= new - 1;
            }
        }
    }
    count == systems
}

/// Adds to each row what its members reach (Warshall 1962).
fn close(reach: &mut [u64], systems: usize, words: usize) {
    for through in 0..systems {
        let row = reach[through * words..(through + 1) * words].to_vec();
        for from in reach.chunks_exact_mut(words) {
            if from[through / 64] >> (through % 64) & 1 == 1 {
                for (word, more) in from.iter_mut().zip(&row) {
                    *word |= more;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Standing::{Above, Below, Open};
    use super::*;
    use crate::rating::battle::Winner;
    use crate::rating::bootstrap::resample::met;

    /// Wins as pairs of winner and loser.
    #[track_caller]
    fn check(systems: usize, wins: &[(usize, usize)], expected: Option<&[Standing]>) {
        let mut counts = PairCounts::new(systems);
        for (winner, loser) in wins {
            counts.add(*winner, *loser, Winner::First, 1);
        }
        let met = met(&counts);
        let tallies: Vec<Tally> = met
            .iter()
            .map(|met| {
                let pair = counts.between(met.low as usize, met.high as usize);
                let battles = [f64::from(pair.battles()); LANES];
                Tally { battles, points: [pair.points(); LANES] }
            })
            .collect();
        assert_eq!(standings(systems, &met, &tallies, 2).as_deref(), expected);
        let whole = Skeleton::of(&counts, &met).whole(&tallies);
        if expected.is_none() {
            assert_eq!(whole, [true; LANES]);
        }
    }

    #[test]
    fn who_is_above_and_who_below() {
        check(3, &[(0, 1), (1, 2), (2, 0)], None);
        check(4, &[(3, 1), (1, 0), (0, 2), (2, 3), (1, 2)], None);
        check(3, &[(0, 1), (1, 0), (0, 2)], Some(&[Above, Above, Below]));
        check(3, &[(2, 1), (1, 0), (0, 1)], Some(&[Below, Below, Above]));
        check(3, &[(0, 1), (1, 2)], Some(&[Above, Open, Below]));
        // Nobody says which of the first two is better.
        check(3, &[(0, 2), (1, 2)], Some(&[Open, Open, Below]));
        check(2, &[], Some(&[Open, Open]));
        let circle: Vec<_> = (0..70).map(|at| (at, (at + 1) % 70)).collect();
        check(70, &circle, None);
        let mut expected = vec![Above; 70];
        expected.push(Below);
        check(71, &[&circle[..], &[(69, 70)]].concat(), Some(&expected));
    }

    #[test]
    fn the_skeleton_takes_frequent_arcs() {
        let mut counts = PairCounts::new(3);
        for (first, second, wins, losses) in [(0, 1, 20, 20), (1, 2, 30, 30), (0, 2, 39, 1)] {
            counts.add(first, second, Winner::First, wins);
            counts.add(first, second, Winner::Second, losses);
        }
        let met = met(&counts);
        let skeleton = Skeleton::of(&counts, &met);
        let taken: Vec<_> = skeleton.0.iter().map(|arc| (arc.met, arc.low_beats_high)).collect();
        assert_eq!(taken, [(1, true), (2, false), (0, false), (2, false)]);
    }
}
