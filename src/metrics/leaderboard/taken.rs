//! What a view takes from a tournament, and an order of it that comes from results alone.

use crate::rating::Battle;
use crate::rating::PairCounts;
use crate::rating::Tournament;
use crate::rating::Undecided;
use crate::rating::Winner;

use super::{Amounts, NothingWhy, RatingView, UndecidedAs};

/// Battles in view. Systems are numbered by their place in `numbers` and `names`.
pub(super) struct Taken {
    /// Numbers in the tournament.
    pub(super) numbers: Vec<usize>,
    pub(super) names: Vec<String>,
    /// That count, in the order of the tournament; undecided ones that count come last.
    pub(super) battles: Vec<Battle>,
    pub(super) undecided: Vec<Undecided>,
    pub(super) counts: PairCounts,
    pub(super) amounts: Amounts,
}

impl Taken {
    pub(super) fn of(tournament: &Tournament, view: &RatingView) -> Self {
        let numbers: Vec<usize> =
            (0..tournament.systems.len()).filter(|at| !view.hidden.contains(at)).collect();
        let mut place = vec![None; tournament.systems.len()];
        for (at, number) in numbers.iter().enumerate() {
            place[*number] = Some(at as u32);
        }
        let strata: Option<Vec<bool>> = view
            .domain
            .as_ref()
            .map(|domain| tournament.strata.iter().map(|name| name == domain).collect());
        let is_seen = |stratum: u32| {
            strata.as_ref().is_none_or(|seen| seen.get(stratum as usize).copied().unwrap_or(false))
        };
        let placed = |number: u32| place.get(number as usize).copied().flatten();
        let seated = |first: u32, second: u32, stratum: u32| {
            let (first, second) = (placed(first)?, placed(second)?);
            (first != second && is_seen(stratum)).then_some((first, second))
        };
        let battles = tournament.battles.iter().filter_map(|it| {
            let (first, second) = seated(it.first, it.second, it.stratum)?;
            Some(Battle { first, second, ..*it })
        });
        let mut battles: Vec<Battle> = battles.collect();
        let undecided = tournament.undecided.iter().filter_map(|it| {
            let (first, second) = seated(it.first, it.second, it.stratum)?;
            Some(Undecided { first, second, ..*it })
        });
        let undecided: Vec<Undecided> = undecided.collect();
        let decided = battles.len() as u64;
        let counted = |it: &Undecided| {
            let Undecided { first, second, query, stratum } = *it;
            let winner = worth(view.undecided, first, second, &placed)?;
            Some(Battle { first, second, winner, query, stratum })
        };
        battles.extend(undecided.iter().filter_map(counted));
        let names = numbers.iter().map(|at| tournament.systems[*at].clone()).collect();
        let amounts = Amounts {
            asked: decided + undecided.len() as u64,
            decided,
            undecided: undecided.len() as u64,
            queries: distinct(battles.iter().map(|it| it.query)),
            domains: distinct(battles.iter().map(|it| it.stratum)),
            systems: numbers.len() as u64,
        };
        let counts = PairCounts::of(numbers.len(), &battles);
        Self { numbers, names, battles, undecided, counts, amounts }
    }

    /// Why there is nothing to examine.
    pub(super) fn nothing(&self, tournament: &Tournament, view: &RatingView) -> Option<NothingWhy> {
        if view.domain.as_ref().is_some_and(|domain| !tournament.strata.contains(domain)) {
            Some(NothingWhy::OtherDomain)
        } else if self.numbers.len() < 2 {
            Some(NothingWhy::FewSystems)
        } else if self.battles.is_empty() {
            Some(NothingWhy::NoBattles)
        } else {
            None
        }
    }

    /// The same with systems in the given order, and queries and strata numbered by what happened in them,
    /// so that no name and no place in a file reaches what is drawn at random.
    #[must_use]
    pub(super) fn in_order(self, order: &[usize]) -> Self {
        let mut place = vec![0_u32; order.len()];
        for (at, old) in order.iter().enumerate() {
            place[*old] = at as u32;
        }
        let mut battles: Vec<Battle> = self
            .battles
            .into_iter()
            .map(|it| {
                let (first, second) = (place[it.first as usize], place[it.second as usize]);
                if first < second {
                    Battle { first, second, ..it }
                } else {
                    let winner = it.winner.swapped();
                    Battle { first: second, second: first, winner, ..it }
                }
            })
            .collect();
        number_by_content(&mut battles);
        let undecided = self.undecided.into_iter().map(|it| Undecided {
            first: place[it.first as usize],
            second: place[it.second as usize],
            ..it
        });
        Self {
            numbers: order.iter().map(|old| self.numbers[*old]).collect(),
            names: order.iter().map(|old| self.names[*old].clone()).collect(),
            counts: self.counts.only(order),
            battles,
            undecided: undecided.collect(),
            amounts: self.amounts,
        }
    }
}

/// What an undecided battle counts as, if it counts.
fn worth(
    as_what: UndecidedAs,
    first: u32,
    second: u32,
    placed: &impl Fn(u32) -> Option<u32>,
) -> Option<Winner> {
    let won_by = |system: usize| {
        let system = placed(system as u32)?;
        match (system == first, system == second) {
            (true, _) => Some(Winner::First),
            (_, true) => Some(Winner::Second),
            _ => None,
        }
    };
    match as_what {
        UndecidedAs::LeftOut => None,
        UndecidedAs::Ties => Some(Winner::Tie),
        UndecidedAs::ForSystem(system) => won_by(system),
        UndecidedAs::AgainstSystem(system) => won_by(system).map(Winner::swapped),
    }
}

pub(super) fn distinct(numbers: impl Iterator<Item = u32>) -> u64 {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() as u64
}

/// Sorts battles, and numbers strata and queries anew by the results in them. Of two with the same results
/// it makes no difference which comes first.
fn number_by_content(battles: &mut [Battle]) {
    let key = |it: &Battle| (it.first, it.second, it.winner);
    battles.sort_unstable_by_key(|it| (it.stratum, it.query, key(it)));
    let results: Vec<_> = battles.iter().map(key).collect();
    // Ranges of battles: queries, and the queries of each stratum.
    let mut strata: Vec<Vec<std::ops::Range<usize>>> = Vec::new();
    let mut start = 0;
    for stratum in battles.chunk_by(|one, other| one.stratum == other.stratum) {
        let mut queries = Vec::new();
        for query in stratum.chunk_by(|one, other| one.query == other.query) {
            queries.push(start..start + query.len());
            start += query.len();
        }
        queries.sort_by(|one, other| results[one.clone()].cmp(&results[other.clone()]));
        strata.push(queries);
    }
    strata.sort_by(|one, other| {
        let content =
            |queries: &[std::ops::Range<usize>], at: usize| results[queries[at].clone()].to_vec();
        let compared = (0..one.len().min(other.len()))
            .map(|at| content(one, at).cmp(&content(other, at)))
            .find(|order| order.is_ne());
        compared.unwrap_or_else(|| one.len().cmp(&other.len()))
    });
    // A query that occurs in two strata stays one query: its battles go together.
    let mut known = std::collections::BTreeMap::new();
    let mut sorted = Vec::with_capacity(battles.len());
    for (stratum, queries) in (0..).zip(strata) {
        for range in queries {
            let next = known.len() as u32;
            let query = *known.entry(battles[range.start].query).or_insert(next);
            sorted.extend(battles[range].iter().map(|it| Battle { query, stratum, ..*it }));
        }
    }
    battles.copy_from_slice(&sorted);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn battle(first: u32, second: u32, query: u32, stratum: u32) -> Battle {
        Battle { first, second, winner: Winner::First, query, stratum }
    }

    #[test]
    fn numbers_of_queries_and_strata_leave_no_trace() {
        let mut one =
            vec![battle(0, 1, 7, 3), battle(0, 2, 7, 3), battle(0, 1, 2, 3), battle(1, 2, 5, 0)];
        let mut other =
            vec![battle(1, 2, 9, 8), battle(0, 1, 0, 1), battle(0, 2, 4, 1), battle(0, 1, 4, 1)];
        number_by_content(&mut one);
        number_by_content(&mut other);
        assert_eq!(one, other);
        assert_eq!(one[3], battle(1, 2, 2, 1));
    }
}
