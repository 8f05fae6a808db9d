//! Whether a tournament has ratings at all, and what it has where it has none.
//!
//! Maximum likelihood has a finite answer, and one only, exactly when every system can be reached from
//! every other along wins (Ford 1957); a tie is a way in both directions.

use super::counts::PairCounts;
use super::fit::{Fit, fit};

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

/// Why no rating across all systems exists: the parts that results do hold together, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The largest sets of systems that reach one another along wins and ties. Islands follow one another
    /// by their smallest number; within an island no component lost to, or tied with, one that comes later.
    pub components: Vec<Component>,
    /// Sets of systems between which no battle was fought. One alone: all hang together somehow.
    pub islands: Vec<Vec<usize>>,
    /// Fought, and won every battle: no rating is high enough.
    pub never_beaten: Vec<usize>,
    /// Fought, and lost every battle: no rating is low enough.
    pub never_won: Vec<usize>,
    /// Without a battle.
    pub never_compared: Vec<usize>,
}

/// Systems with ratings among themselves, if there is more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// In ascending order.
    pub systems: Vec<usize>,
    /// How it stands to the next one in the list. `None` for the last.
    pub next: Option<Order>,
}

/// What results say of a component and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They met, and this one won every battle.
    Above,
    /// They never met, and no chain of wins leads from one to the other, though other battles tie both
    /// into one island.
    Unordered,
    /// They are on different islands.
    Apart,
}

/// Ratings inside one component.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentFit {
    /// In ascending order.
    pub systems: Vec<usize>,
    /// Strengths in the order of `systems`. Their mean is zero, so the mean rating is 1000 in each
    /// component, and ratings of different components must not be compared.
    pub fit: Fit,
}

impl Gate {
    /// Ratings within each component of two systems or more. `counts` must be what was examined.
    pub fn inside(&self, counts: &PairCounts) -> Vec<ComponentFit> {
        let several = self.components.iter().filter(|component| 1 < component.systems.len());
        let fits = several.filter_map(|component| {
            let part = counts.only(&component.systems);
            let fit = fit(Connected::of(&part)?);
            Some(ComponentFit { systems: component.systems.clone(), fit })
        });
        fits.collect()
    }
}

/// Either what a fit needs, or what stands in its way.
pub fn examine(counts: &PairCounts) -> Result<Connected<'_>, Gate> {
    if let Some(connected) = Connected::of(counts) {
        return Ok(connected);
    }
    let condensed = Condensed::of(counts);
    let islands = islands(counts);
    let mut island_of = vec![0; counts.systems()];
    for (number, island) in islands.iter().enumerate() {
        for system in island {
            island_of[*system] = number;
        }
    }
    let order = condensed.ordered(|component| island_of[condensed.systems[component][0]]);
    let components = order.iter().enumerate().map(|(place, component)| {
        let next = order.get(place + 1).map(|next| {
            let island = |component: usize| island_of[condensed.systems[component][0]];
            if island(*component) != island(*next) {
                Order::Apart
            } else if condensed.beats[*component][*next] {
                Order::Above
            } else {
                // A chain of wins would need a component between the two.
                Order::Unordered
            }
        });
        Component { systems: condensed.systems[*component].clone(), next }
    });
    let components = components.collect();
    let mut gate = Gate {
        components,
        islands,
        never_beaten: Vec::new(),
        never_won: Vec::new(),
        never_compared: Vec::new(),
    };
    for system in 0..counts.systems() {
        let all = (0..counts.systems()).map(|other| counts.between(system, other));
        let [wins, losses, ties] = all.fold([false; 3], |[wins, losses, ties], pair| {
            [wins || 0 < pair.wins, losses || 0 < pair.losses, ties || 0 < pair.ties]
        });
        match (wins, losses, ties) {
            (true, false, false) => gate.never_beaten.push(system),
            (false, true, false) => gate.never_won.push(system),
            (false, false, false) => gate.never_compared.push(system),
            _ => {}
        }
    }
    Err(gate)
}

/// Strongly connected components, and which beat which.
pub(super) struct Condensed {
    /// Systems of each component, ascending; components by their smallest system.
    pub(super) systems: Vec<Vec<usize>>,
    /// `beats[a][b]`: a system of `a` won against one of `b`. Never both ways.
    pub(super) beats: Vec<Vec<bool>>,
}

impl Condensed {
    pub(super) fn of(counts: &PairCounts) -> Self {
        let systems = components(counts);
        let mut component_of = vec![0; counts.systems()];
        for (number, component) in systems.iter().enumerate() {
            for system in component {
                component_of[*system] = number;
            }
        }
        let mut beats = vec![vec![false; systems.len()]; systems.len()];
        for (low, high, pair) in counts.pairs() {
            let (a, b) = (component_of[low], component_of[high]);
            if a != b {
                beats[a][b] |= 0 < pair.wins;
                beats[b][a] |= 0 < pair.losses;
            }
        }
        Self { systems, beats }
    }

    /// Components so that none is beaten by a later one, those of one group together: of those that could
    /// come next, the one with the smallest system.
    fn ordered(&self, group: impl Fn(usize) -> usize) -> Vec<usize> {
        let n = self.systems.len();
        let mut above: Vec<usize> =
            (0..n).map(|at| (0..n).filter(|other| self.beats[*other][at]).count()).collect();
        // Wins never leave an island, so that none is left before it is done.
        let mut open: std::collections::BTreeSet<_> =
            (0..n).filter(|at| above[*at] == 0).map(|at| (group(at), at)).collect();
        let mut order = Vec::with_capacity(n);
        while let Some((_, at)) = open.pop_first() {
            order.push(at);
            for below in (0..n).filter(|below| self.beats[at][*below]) {
                above[below] -= 1;
                if above[below] == 0 {
                    open.insert((group(below), below));
                }
            }
        }
        order
    }
}

/// Whether a rating of `at` holds up one of `other`: it won or tied at least once.
fn holds(counts: &PairCounts, at: usize, other: usize) -> bool {
    let pair = counts.between(at, other);
    0 < pair.wins + pair.ties
}

/// Strongly connected components by their smallest system (Tarjan 1972), without recursion: the stack of
/// a browser is small.
fn components(counts: &PairCounts) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = counts.systems();
    let mut found_as = vec![NEW; n];
    let mut lowest = vec![NEW; n];
    let mut waiting = vec![false; n];
    let mut stack = Vec::new();
    let mut components = Vec::new();
    let mut found = 0;
    for root in 0..n {
        if found_as[root] != NEW {
            continue;
        }
        // A system, and which other one to look at next.
        let mut path = vec![(root, 0)];
        while let Some((at, other)) = path.last_mut() {
            let (at, looked) = (*at, *other);
            if looked == 0 && found_as[at] == NEW {
                (found_as[at], lowest[at]) = (found, found);
                found += 1;
                stack.push(at);
                waiting[at] = true;
            }
            if looked < n {
                *other += 1;
                if !holds(counts, at, looked) {
                    continue;
                }
                if found_as[looked] == NEW {
                    path.push((looked, 0));
                } else if waiting[looked] {
                    lowest[at] = lowest[at].min(found_as[looked]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                lowest[*parent] = lowest[*parent].min(lowest[at]);
            }
            if lowest[at] == found_as[at] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    waiting[member] = false;
                    component.push(member);
                    if member == at {
                        break;
                    }
                }
                component.sort_unstable();
                components.push(component);
            }
        }
    }
    components.sort_unstable();
    components
}

/// Sets of systems that battles of any result tie together, by their smallest system.
fn islands(counts: &PairCounts) -> Vec<Vec<usize>> {
    let n = counts.systems();
    let mut seen = vec![false; n];
    let mut islands = Vec::new();
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut island = vec![first];
        let mut looked = 0;
        while looked < island.len() {
            let at = island[looked];
            for (other, seen) in seen.iter_mut().enumerate() {
                if !*seen && 0 < counts.between(at, other).battles() {
                    *seen = true;
                    island.push(other);
                }
            }
            looked += 1;
        }
        island.sort_unstable();
        islands.push(island);
    }
    islands
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::Winner;

    /// `won` lists (winner, loser), once each.
    fn table(systems: usize, won: &[(usize, usize)]) -> PairCounts {
        let mut counts = PairCounts::new(systems);
        for (winner, loser) in won {
            counts.add(*winner, *loser, Winner::First, 1);
        }
        counts
    }

    fn parts(gate: &Gate) -> Vec<(Vec<usize>, Option<Order>)> {
        gate.components.iter().map(|part| (part.systems.clone(), part.next)).collect()
    }

    #[test]
    fn higher_components_come_first() {
        // 3 beats the cycle 0 → 1 → 2, which beats 4; 5 was never compared.
        let counts = table(6, &[(0, 1), (1, 2), (2, 0), (3, 1), (2, 4)]);
        let gate = examine(&counts).unwrap_err();
        assert_eq!(
            parts(&gate),
            [
                (vec![3], Some(Order::Above)),
                (vec![0, 1, 2], Some(Order::Above)),
                (vec![4], Some(Order::Apart)),
                (vec![5], None)
            ]
        );
        assert_eq!(gate.islands, [vec![0, 1, 2, 3, 4], vec![5]]);
        assert_eq!(
            (&gate.never_beaten[..], &gate.never_won[..], &gate.never_compared[..]),
            (&[3][..], &[4][..], &[5][..])
        );
        let inside = gate.inside(&counts);
        assert_eq!(inside.len(), 1);
        assert_eq!(inside[0].systems, [0, 1, 2]);
        assert!(inside[0].fit.ratings().iter().all(|rating| (rating - 1000.0).abs() < 1e-9));
    }

    #[test]
    fn two_that_beat_the_same_third_are_not_ordered() {
        let gate = examine(&table(3, &[(0, 1), (2, 1)])).unwrap_err();
        assert_eq!(
            parts(&gate),
            [(vec![0], Some(Order::Unordered)), (vec![2], Some(Order::Above)), (vec![1], None)]
        );
    }

    #[test]
    fn a_tie_leaves_no_one_unbeaten() {
        let mut counts = table(3, &[(0, 1), (1, 2)]);
        counts.add(0, 1, Winner::Tie, 1);
        let gate = examine(&counts).unwrap_err();
        assert!(gate.never_beaten.is_empty());
        assert_eq!(gate.never_won, [2]);
        assert_eq!(gate.components.len(), 2);
    }

    #[test]
    fn no_system_is_no_component() {
        assert!(examine(&PairCounts::new(0)).unwrap_err().components.is_empty());
        assert!(examine(&PairCounts::new(1)).is_ok());
    }

    /// A chain is the longest path that a search can take.
    #[test]
    fn a_thousand_systems_in_a_chain() {
        let won: Vec<_> = (1..1000).map(|at| (at, at - 1)).collect();
        let gate = examine(&table(1000, &won)).unwrap_err();
        assert_eq!(gate.components.len(), 1000);
        assert_eq!(gate.components[0].systems, [999]);
        let above = gate.components.iter().filter(|part| part.next == Some(Order::Above));
        assert_eq!(above.count(), 999);
    }
}
