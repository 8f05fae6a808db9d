//! What battles say where they allow no rating across all systems.

use serde::{Deserialize, Serialize};

use crate::rating::Gate;
use crate::rating::Order;
use crate::rating::{at_least, repairs};

use super::taken::Taken;
use super::{Amounts, Grid};

/// Why there is no rating, what can be said, and what would mend it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Withheld {
    pub amounts: Amounts,
    /// Won every battle: no rating is high enough.
    pub never_beaten: Vec<Unsettled>,
    /// Lost every battle: no rating is low enough.
    pub never_won: Vec<Unsettled>,
    /// Without a battle.
    pub never_compared: Vec<Unsettled>,
    /// Names of the sets of systems between which no battle was fought. Empty where all hang together.
    pub islands: Vec<Vec<String>>,
    /// Systems that reach one another along wins and ties. On an island, higher ones come first.
    pub groups: Vec<Group>,
    pub grid: Option<Grid>,
    /// The fewest wins that would connect all. Battles made for them must be marked as added after seeing
    /// results: whoever looks first can choose what to ask.
    pub missing: Vec<Missing>,
    /// Calls that as many battles take at least, two a battle: one for each order of the two answers.
    pub calls: u64,
}

/// A system that no number fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsettled {
    /// Number in the tournament.
    pub system: usize,
    pub name: String,
    pub battles: u64,
}

/// Systems with ratings among themselves, if there is more than one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Highest first.
    pub members: Vec<Member>,
    /// How it stands to the next group. `None` for the last.
    pub next: Option<Next>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Number in the tournament.
    pub system: usize,
    pub name: String,
    /// In Elo points, the group's mean being 1000: not to be compared across groups. `None` for a system
    /// alone.
    pub rating: Option<f64>,
}

/// A group and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Next {
    /// They met, and the upper one won every battle. With 95 % confidence the mean rating of the upper one
    /// is at least so many Elo points higher; below zero, at most so many lower. `None` where the bound
    /// could not be computed.
    Above { at_least: Option<f64> },
    /// They never met, and no chain of wins orders them.
    Unordered,
    /// No battle of any kind links them.
    Apart,
}

/// A win that is missing, by numbers in the tournament and names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub winner: usize,
    pub loser: usize,
    pub winner_name: String,
    pub loser_name: String,
}

impl Withheld {
    pub(super) fn of(taken: &Taken, gate: &Gate) -> Self {
        let counts = &taken.counts;
        let name = |at: usize| taken.names[at].clone();
        let unsettled = |systems: &[usize]| {
            systems
                .iter()
                .map(|at| Unsettled {
                    system: taken.numbers[*at],
                    name: name(*at),
                    battles: counts.battles_of(*at),
                })
                .collect()
        };
        let mut ratings = vec![None; taken.names.len()];
        for part in gate.inside(counts) {
            for (system, rating) in part.systems.iter().zip(part.fit.ratings()) {
                ratings[*system] = Some(rating);
            }
        }
        let groups = gate.components.iter().enumerate().map(|(place, component)| {
            let mut members: Vec<Member> = component
                .systems
                .iter()
                .map(|at| Member {
                    system: taken.numbers[*at],
                    name: name(*at),
                    rating: ratings[*at],
                })
                .collect();
            members.sort_by(|one, other| {
                let key = |it: &Member| (it.rating.unwrap_or_default() * 1e6).round() as i64;
                key(other).cmp(&key(one)).then_with(|| one.name.cmp(&other.name))
            });
            let next = component.next.map(|order| match order {
                Order::Above => {
                    let below = gate.components.get(place + 1);
                    let bound =
                        below.and_then(|it| at_least(counts, &component.systems, &it.systems));
                    Next::Above { at_least: bound.filter(|it| it.is_finite()) }
                }
                Order::Unordered => Next::Unordered,
                Order::Apart => Next::Apart,
            });
            Group { members, next }
        });
        let missing: Vec<Missing> = repairs(counts)
            .into_iter()
            .map(|it| Missing {
                winner: taken.numbers[it.winner],
                loser: taken.numbers[it.loser],
                winner_name: name(it.winner),
                loser_name: name(it.loser),
            })
            .collect();
        let islands = if gate.islands.len() < 2 {
            Vec::new()
        } else {
            gate.islands.iter().map(|it| it.iter().map(|at| name(*at)).collect()).collect()
        };
        Self {
            never_beaten: unsettled(&gate.never_beaten),
            never_won: unsettled(&gate.never_won),
            never_compared: unsettled(&gate.never_compared),
            islands,
            groups: groups.collect(),
            grid: Grid::of(taken),
            calls: 2 * missing.len() as u64,
            missing,
            amounts: taken.amounts.clone(),
        }
    }
}
