//! Who meets whom over which question.
//!
//! Every pair of systems meets equally often where answers exist, spread over domains as the questions
//! are; so the tournament is connected by construction. Which questions a pair meets over depends on
//! their answers and the seed alone: names and order change nothing, and another system only adds.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::ids::{CaseId, Digest};
use crate::protocol::Battling;
use crate::run::frame::Frame;

/// How many battles, and what a missing answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matching {
    /// Of each pair; fewer where there are fewer questions.
    pub per_pair: u32,
    pub seed: u64,
    /// Whether a question that only one of two systems answered is a battle, and lost by the other.
    pub no_answer_loses: bool,
}

/// Battles of each pair, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matchups {
    pub battles: Vec<Battling>,
    /// Pairs in the order (0, 1), (0, 2), (1, 2), (0, 3), … of the frame's systems.
    pub pairs: Vec<PairPlan>,
}

/// What is planned between two systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairPlan {
    pub battles: u32,
    /// Of these, decided by a missing answer, without a call.
    pub forfeits: u32,
    /// Questions over which they cannot meet, since an answer is missing or empty.
    pub skipped: u32,
}

/// Plans all battles. Those of `kept` that are still possible stay; no pair gets fewer than it had.
pub fn plan(frame: &Frame, matching: Matching, kept: &[Battling]) -> Matchups {
    let mut out = Matchups::default();
    let kept: HashSet<Battling> = kept.iter().copied().collect();
    for high in 1..frame.systems.len() {
        for low in 0..high {
            let (battles, pair) = of_pair(frame, matching, &kept, low, high);
            out.battles.extend(battles);
            out.pairs.push(pair);
        }
    }
    // Question by question, so that an unfinished run is a fair sample of pairs.
    out.battles.sort_unstable();
    out
}

fn of_pair(
    frame: &Frame,
    matching: Matching,
    kept: &HashSet<Battling>,
    low: usize,
    high: usize,
) -> (Vec<Battling>, PairPlan) {
    // Which of two sits first in the given order must not depend on names or order either.
    let (first, second) = if frame.systems[high].identity < frame.systems[low].identity {
        (high, low)
    } else {
        (low, high)
    };
    let mut pair = PairPlan::default();
    let mut by_domain: BTreeMap<&str, Vec<Digest>> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (at, case) in frame.cases.iter().enumerate() {
        let answered = |system: usize| frame.systems[system].answers[at].is_answered();
        let possible = match (answered(first), answered(second)) {
            (true, true) => true,
            (false, false) => false,
            _ => matching.no_answer_loses,
        };
        if !possible {
            pair.skipped += 1;
            continue;
        }
        let order = Digest::of([
            b"matchup/1".as_slice(),
            &matching.seed.to_le_bytes(),
            frame.systems[first].identity.as_bytes(),
            frame.systems[second].identity.as_bytes(),
            case.id.as_str().as_bytes(),
        ]);
        by_domain.entry(&case.domain).or_default().push(order);
        candidates.push((at, order));
    }
    for orders in by_domain.values_mut() {
        orders.sort_unstable();
    }
    // A question's place within its domain, as a share: taking questions by it takes every domain
    // evenly, and a longer plan holds the shorter one.
    let share = |at: usize, order: &Digest| {
        let orders = &by_domain[frame.cases[at].domain.as_str()];
        let rank = orders.partition_point(|other| other < order);
        (rank as f64 + 0.5) / orders.len() as f64
    };
    let battle =
        |at: usize| Battling { case: at as u32, first: first as u32, second: second as u32 };
    let mut ordered: Vec<(bool, f64, Digest, usize)> = candidates
        .iter()
        .map(|(at, order)| {
            let swapped = Battling { first: second as u32, second: first as u32, ..battle(*at) };
            let is_kept = kept.contains(&battle(*at)) || kept.contains(&swapped);
            (!is_kept, share(*at, order), *order, *at)
        })
        .collect();
    ordered.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.cmp(&b.3))
    });
    let n_kept = ordered.iter().filter(|(is_new, ..)| !is_new).count();
    ordered.truncate(n_kept.max(matching.per_pair as usize));
    let battles: Vec<Battling> = ordered.iter().map(|(_, _, _, at)| battle(*at)).collect();
    pair.battles = battles.len() as u32;
    let is_forfeit = |it: &&Battling| {
        let answered =
            |system: u32| frame.systems[system as usize].answers[it.case as usize].is_answered();
        !(answered(it.first) && answered(it.second))
    };
    pair.forfeits = battles.iter().filter(is_forfeit).count() as u32;
    (battles, pair)
}

/// Battles planned in another frame, by the places of this one. Those whose question or system is not
/// here are left out. A system is known by its answers, or else by its name.
pub fn carry(before: &Frame, battles: &[Battling], now: &Frame) -> Vec<Battling> {
    let places: HashMap<&CaseId, u32> =
        now.cases.iter().enumerate().map(|(at, case)| (&case.id, at as u32)).collect();
    let cases: Vec<Option<u32>> =
        before.cases.iter().map(|case| places.get(&case.id).copied()).collect();
    let systems: Vec<Option<u32>> = before
        .systems
        .iter()
        .map(|system| {
            let at = now.systems.iter().position(|it| it.identity == system.identity);
            let at = at.or_else(|| now.systems.iter().position(|it| it.name == system.name));
            at.map(|at| at as u32)
        })
        .collect();
    battles
        .iter()
        .filter_map(|battle| {
            let first = (*systems.get(battle.first as usize)?)?;
            let second = (*systems.get(battle.second as usize)?)?;
            let case = (*cases.get(battle.case as usize)?)?;
            (first != second).then_some(Battling { case, first, second })
        })
        .collect()
}
