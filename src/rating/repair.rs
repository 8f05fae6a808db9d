//! What would mend a tournament without ratings: the fewest wins that connect it.
//!
//! As many directed wins as the condensed win graph has sources or sinks, whichever is more, a component
//! that never met another being both; none for a single component (Eswaran and Tarjan 1976, with the
//! search for pairs as Raghavan 1995 corrected it). A tie would do at least what a win does.

use serde::{Deserialize, Serialize};

use super::counts::PairCounts;
use super::gate::Condensed;

/// A win that is missing. At least as many battles are needed as there are repairs, and they suffice if
/// each ends like this or in a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    pub winner: usize,
    pub loser: usize,
}

/// The fewest wins after which every system reaches every other. Empty where that already holds.
///
/// Within a component any system serves: the one with the fewest wins added here fights, then the one with
/// the fewest battles, then the one with the smallest number, so that no one carries all.
pub fn repairs(counts: &PairCounts) -> Vec<Repair> {
    let condensed = Condensed::of(counts);
    let mut added = vec![0_u32; counts.systems()];
    let battles: Vec<u64> = (0..counts.systems()).map(|at| counts.battles_of(at)).collect();
    let mut pick = |component: usize| {
        let systems = condensed.systems[component].iter().copied();
        let system = systems.min_by_key(|at| (added[*at], battles[*at], *at)).unwrap_or_default();
        added[system] += 1;
        system
    };
    let edges = edges(&condensed.beats);
    edges.into_iter().map(|(from, to)| Repair { winner: pick(from), loser: pick(to) }).collect()
}

/// The fewest edges (from, to) that make a graph without cycles strongly connected.
fn edges(beats: &[Vec<bool>]) -> Vec<(usize, usize)> {
    let n = beats.len();
    if n < 2 {
        return Vec::new();
    }
    let wins = |at: usize| beats[at].iter().any(|wins| *wins);
    let loses = |at: usize| beats.iter().any(|row| row[at]);
    let alone: Vec<usize> = (0..n).filter(|at| !wins(*at) && !loses(*at)).collect();
    let sources: Vec<usize> = (0..n).filter(|at| wins(*at) && !loses(*at)).collect();
    let sinks: Vec<usize> = (0..n).filter(|at| !wins(*at) && loses(*at)).collect();
    if sinks.len() < sources.len() {
        // The same with every edge turned.
        let turned: Vec<Vec<bool>> =
            (0..n).map(|from| (0..n).map(|to| beats[to][from]).collect()).collect();
        let edges = paired(&turned, &sinks, &sources, &alone);
        return edges.into_iter().map(|(from, to)| (to, from)).collect();
    }
    paired(beats, &sources, &sinks, &alone)
}

/// As [`edges`], where there are at least as many sinks as sources.
fn paired(
    beats: &[Vec<bool>],
    sources: &[usize],
    sinks: &[usize],
    alone: &[usize],
) -> Vec<(usize, usize)> {
    let mut seen = vec![false; beats.len()];
    let mut pairs = Vec::new();
    let mut lone_sources = Vec::new();
    for source in sources {
        match unseen_sink(beats, *source, &mut seen) {
            Some(sink) => pairs.push((*source, sink)),
            None => lone_sources.push(*source),
        }
    }
    let taken = |sink: &usize| pairs.iter().any(|(_, taken)| taken == sink);
    let lone_sinks: Vec<usize> = sinks.iter().copied().filter(|sink| !taken(sink)).collect();

    // Every lone source leads to a pair, and every lone sink comes from one: a pair of them closes a ring
    // through the pairs, and what is left over goes into the great ring.
    let mut edges: Vec<_> = lone_sinks.iter().copied().zip(lone_sources.iter().copied()).collect();
    // Stations of the great ring: where one enters, and where one leaves.
    let left_over = lone_sinks.iter().skip(lone_sources.len()).chain(alone);
    let ring: Vec<(usize, usize)> =
        pairs.iter().copied().chain(left_over.map(|at| (*at, *at))).collect();
    for (place, (_, leave)) in ring.iter().enumerate() {
        let (enter, _) = ring[(place + 1) % ring.len()];
        edges.push((*leave, enter));
    }
    edges
}

/// A sink that is reached from `source` over unseen components only. All that was looked at is seen.
fn unseen_sink(beats: &[Vec<bool>], source: usize, seen: &mut [bool]) -> Option<usize> {
    seen[source] = true;
    // A component, and which other one to look at next. One is seen when it is entered, not when it is
    // listed: else later sources would find their way barred by what nobody went through.
    let mut path = vec![(source, 0)];
    while let Some((at, next)) = path.last_mut() {
        let row = &beats[*at];
        let Some(to) = (*next..row.len()).find(|to| row[*to] && !seen[*to]) else {
            path.pop();
            continue;
        };
        *next = to + 1;
        seen[to] = true;
        if !beats[to].iter().any(|wins| *wins) {
            return Some(to);
        }
        path.push((to, 0));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::Winner;
    use crate::rating::gate::Connected;

    fn table(systems: usize, won: &[(usize, usize)]) -> PairCounts {
        let mut counts = PairCounts::new(systems);
        for (winner, loser) in won {
            counts.add(*winner, *loser, Winner::First, 1);
        }
        counts
    }

    #[track_caller]
    fn check(mut counts: PairCounts, expected: usize) -> Vec<Repair> {
        let repairs = repairs(&counts);
        assert_eq!(repairs.len(), expected, "{repairs:?}");
        for repair in &repairs {
            counts.add(repair.winner, repair.loser, Winner::First, 1);
        }
        assert!(counts.systems() == 0 || Connected::of(&counts).is_some(), "{repairs:?}");
        repairs
    }

    #[test]
    fn as_many_as_sources_or_sinks() {
        check(table(0, &[]), 0);
        check(table(1, &[]), 0);
        check(table(2, &[]), 2);
        check(table(3, &[(0, 1), (1, 2), (2, 0)]), 0);
        // An unbeaten one, a winless one, a chain.
        assert_eq!(check(table(2, &[(0, 1)]), 1), [Repair { winner: 1, loser: 0 }]);
        check(table(4, &[(0, 1), (1, 2), (2, 3)]), 1);
        // One above three, three above one.
        check(table(4, &[(0, 1), (0, 2), (0, 3)]), 3);
        check(table(4, &[(1, 0), (2, 0), (3, 0)]), 3);
        // Two islands that are whole in themselves, and with one more.
        check(table(4, &[(0, 1), (1, 0), (2, 3), (3, 2)]), 2);
        check(table(5, &[(0, 1), (1, 0), (2, 3), (3, 2)]), 3);
        // Two sources that share a way to two sinks.
        check(table(5, &[(0, 2), (1, 2), (2, 3), (2, 4)]), 2);
    }

    /// No component wins or loses more than once here, and one that does both sends two systems.
    #[test]
    fn wins_are_spread_over_a_component() {
        let repairs = check(table(4, &[(0, 1), (1, 0), (2, 3), (3, 2)]), 2);
        assert_eq!(repairs, [Repair { winner: 0, loser: 2 }, Repair { winner: 3, loser: 1 }]);
        // A cycle of three above three others, who fight among themselves rather than all against it.
        let repairs = check(table(6, &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5)]), 3);
        for system in 0..6 {
            assert!(repairs.iter().filter(|repair| repair.winner == system).count() < 2);
            assert!(repairs.iter().filter(|repair| repair.loser == system).count() < 2);
        }
    }

    #[test]
    fn a_thousand_systems() {
        check(table(1000, &[]), 1000);
        let chain: Vec<_> = (1..1000).map(|at| (at, at - 1)).collect();
        check(table(1000, &chain), 1);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::*;
    use crate::rating::battle::Winner;
    use crate::rating::gate::Connected;

    /// Whether some `wins` added wins connect the table.
    fn enough(counts: &PairCounts, wins: usize) -> bool {
        if Connected::of(counts).is_some() {
            return true;
        }
        let n = counts.systems();
        0 < wins
            && (0..n * n).any(|at| {
                let mut more = counts.clone();
                more.add(at / n, at % n, Winner::First, 1);
                at / n != at % n && enough(&more, wins - 1)
            })
    }

    fn tournament(most: usize) -> impl Strategy<Value = PairCounts> {
        (1..=most).prop_flat_map(|systems| {
            let result = prop_oneof![
                4 => Just(Winner::First), 4 => Just(Winner::Second), 1 => Just(Winner::Tie)
            ];
            let battles = prop::collection::vec((0..systems, 0..systems, result), 0..=systems * 2);
            battles.prop_map(move |battles| {
                let mut counts = PairCounts::new(systems);
                for (first, second, winner) in battles {
                    counts.add(first, second, winner, 1);
                }
                counts
            })
        })
    }

    proptest! {
        #[test]
        fn it_mends_with_the_number_of_eswaran_and_tarjan(counts in tournament(14)) {
            let repairs = repairs(&counts);
            let beats = Condensed::of(&counts).beats;
            let n = beats.len();
            let unbeaten = (0..n).filter(|at| !beats.iter().any(|row| row[*at])).count();
            let winless = beats.iter().filter(|row| !row.iter().any(|wins| *wins)).count();
            prop_assert_eq!(repairs.len(), if n == 1 { 0 } else { unbeaten.max(winless) });
            let mut mended = counts.clone();
            for repair in &repairs {
                prop_assert_ne!(repair.winner, repair.loser);
                mended.add(repair.winner, repair.loser, Winner::First, 1);
            }
            prop_assert!(Connected::of(&mended).is_some());
        }

        #[test]
        fn no_smaller_number_mends(counts in tournament(4)) {
            let needed = repairs(&counts).len();
            prop_assert!(needed == 0 || !enough(&counts, needed - 1));
        }
    }
}
