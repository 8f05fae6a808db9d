//! From judgements to battles: who won, by which rule, and how far the rules and the seats agree.

use serde::{Deserialize, Serialize};

use crate::observation::Mark;
use crate::protocol::{Battling, Ensemble, Reading};
use crate::rating::{Battle, Tournament, Undecided, Winner};
use crate::rubric::ItemType;
use crate::run::Sheet;
use crate::run::sheet::SheetBattle;

use super::interval::Clustered;

/// What decides a battle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decider {
    /// Direct verdicts and coverage together.
    #[default]
    Ensemble,
    /// The direct judge alone: a side that wins one seat order and loses the other has a tie.
    Direct,
    /// Coverage of rubric items alone, of one type or of all.
    Coverage(Option<ItemType>),
}

impl Decider {
    /// What this run can decide by, the best first.
    pub fn of(sheet: &Sheet) -> Vec<Self> {
        let mut list = Vec::new();
        if sheet.has_coverage && sheet.duel.is_some() {
            list.push(Self::Ensemble);
        }
        if sheet.duel.is_some() {
            list.push(Self::Direct);
        }
        if sheet.has_coverage && 1 < sheet.frame.systems.len() {
            list.push(Self::Coverage(None));
            let items = sheet.frame.cases.iter().flat_map(|case| &case.items);
            let types: Vec<ItemType> = items.flat_map(|item| item.types.iter().copied()).collect();
            let known = ItemType::ALL.into_iter().filter(|kind| types.contains(kind));
            list.extend(known.map(|kind| Self::Coverage(Some(kind))));
        }
        list
    }

    /// For people.
    pub fn words(self, reading: Reading) -> String {
        match self {
            Self::Ensemble => {
                let Ensemble { lowest, bonus } = Ensemble::of(reading);
                format!(
                    "Ensemble: items {lowest} to {}, and {bonus} for each seat order won",
                    lowest + 4
                )
            }
            Self::Direct => "Direct judge alone, both seat orders".to_owned(),
            Self::Coverage(None) => "Rubric coverage alone".to_owned(),
            Self::Coverage(Some(kind)) => {
                format!("Coverage of the items of type {} alone", kind.as_str())
            }
        }
    }
}

/// The battles of a run, decided. A battle with any gap is undecided, in every reading: a gap is no zero.
///
/// Where nothing was compared in pairs, all pairs meet over every question that both answered: coverage
/// decides them without another call.
pub fn tournament(sheet: &Sheet, decider: Decider) -> Tournament {
    let mut strata: Vec<String> = Vec::new();
    let by_case: Vec<u32> = sheet
        .frame
        .cases
        .iter()
        .map(|case| {
            let known = strata.iter().position(|name| *name == case.domain);
            let at = known.unwrap_or_else(|| {
                strata.push(case.domain.clone());
                strata.len() - 1
            });
            at as u32
        })
        .collect();
    let mut out = Tournament {
        systems: sheet.frame.systems.iter().map(|it| it.name.to_string()).collect(),
        queries: sheet.frame.cases.iter().map(|it| it.id.to_string()).collect(),
        strata,
        battles: Vec::new(),
        undecided: Vec::new(),
    };
    let all_pairs;
    let battles = if sheet.duel.is_some() {
        &sheet.battles
    } else {
        all_pairs = every_pair(sheet);
        &all_pairs
    };
    for it in battles {
        let Battling { case, first, second } = it.battle;
        let stratum = by_case[case as usize];
        match decide(sheet, it, decider) {
            Decision::Won(winner) => {
                out.battles.push(Battle { first, second, winner, query: case, stratum });
            }
            Decision::Open => {
                out.undecided.push(Undecided { first, second, query: case, stratum });
            }
            Decision::None => {}
        }
    }
    out
}

/// What became of a battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Won(Winner),
    /// Something is not scored.
    Open,
    /// There is nothing to decide by: no item of the type.
    None,
}

fn decide(sheet: &Sheet, it: &SheetBattle, decider: Decider) -> Decision {
    if let Decider::Coverage(Some(kind)) = decider {
        let mut items = sheet.frame.cases[it.battle.case as usize].items.iter();
        if !items.any(|item| item.types.contains(&kind)) {
            return Decision::None;
        }
    }
    if let Some(winner) = it.forfeit {
        return Decision::Won(winner);
    }
    let verdicts = [it.given, it.swapped];
    let ensemble = Ensemble::of(sheet.reading);
    let winner = match decider {
        Decider::Ensemble => ensemble.winner(items(sheet, it.battle), &verdicts),
        Decider::Direct => Ensemble::PAPER.winner([&[], &[]], &verdicts),
        Decider::Coverage(None) => ensemble.winner(items(sheet, it.battle), &[]),
        Decider::Coverage(Some(kind)) => {
            let of_kind = |marks: &[Mark]| -> Vec<Mark> {
                let items = &sheet.frame.cases[it.battle.case as usize].items;
                let marks = items.iter().zip(marks).filter(|(item, _)| item.types.contains(&kind));
                marks.map(|(_, mark)| *mark).collect()
            };
            let both = items(sheet, it.battle).map(of_kind);
            ensemble.winner([&both[0], &both[1]], &[])
        }
    };
    winner.map_or(Decision::Open, Decision::Won)
}

fn items(sheet: &Sheet, battle: Battling) -> [&[Mark]; 2] {
    [battle.first, battle.second]
        .map(|system| sheet.marks[system as usize][battle.case as usize].as_slice())
}

fn every_pair(sheet: &Sheet) -> Vec<SheetBattle> {
    let unasked = Mark::Unscored(crate::observation::Unscored::NotAsked);
    let n_systems = sheet.frame.systems.len() as u32;
    let answered = |system: u32, case: u32| {
        sheet.frame.systems[system as usize].answers[case as usize].is_answered()
    };
    let mut out = Vec::new();
    for case in 0..sheet.frame.cases.len() as u32 {
        for second in 1..n_systems {
            for first in 0..second {
                if answered(first, case) && answered(second, case) {
                    let battle = Battling { case, first, second };
                    out.push(SheetBattle {
                        battle,
                        given: unasked,
                        swapped: unasked,
                        forfeit: None,
                    });
                }
            }
        }
    }
    out
}

/// A mean over battles, whose error lets battles over one query go together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Between −1 and 1, or 0 and 1.
    pub mean: f64,
    /// 95 %: mean ∓ t(0.975; queries − 1) × the cluster-robust error. `None` with fewer than two queries,
    /// or where nothing varies.
    pub bounds: Option<(f64, f64)>,
    pub battles: u64,
    pub queries: u64,
}

impl Share {
    /// From one value a battle, each with its query. `None` without a battle.
    fn of(values: &[(u32, f64)]) -> Option<Self> {
        let found = Clustered::of(values)?;
        Some(Self {
            mean: found.mean,
            bounds: found.bounds,
            battles: found.n,
            queries: found.queries,
        })
    }
}

/// How far the direct judge looks at seats instead of answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Seats {
    /// Nothing was compared, or nothing in both orders yet.
    Nothing,
    /// A count of words cannot depend on seats.
    NotApplicable,
    Found {
        /// Battles whose verdict turns with the seats.
        flips: Share,
        /// From −1, always the second seat, to 1, always the first; 0 is none.
        lean: Share,
    },
}

/// Position bias, over battles that were judged in both orders.
pub fn seats(sheet: &Sheet) -> Seats {
    if sheet.duel.is_none() {
        return Seats::Nothing;
    }
    if !sheet.may_have_position_bias {
        return Seats::NotApplicable;
    }
    let both = sheet
        .battles
        .iter()
        .filter_map(|it| Some((it.battle.case, it.given.verdict()?, it.swapped.verdict()?)));
    let both: Vec<(u32, Winner, Winner)> = both.collect();
    let flips: Vec<(u32, f64)> = both
        .iter()
        .map(|(case, given, swapped)| (*case, f64::from(u8::from(given != swapped))))
        .collect();
    let first_seat = |winner: Winner| match winner {
        Winner::First => 0.5,
        Winner::Tie => 0.0,
        Winner::Second => -0.5,
    };
    let lean: Vec<(u32, f64)> = both
        .iter()
        .map(|(case, given, swapped)| (*case, first_seat(*given) + first_seat(swapped.swapped())))
        .collect();
    match (Share::of(&flips), Share::of(&lean)) {
        (Some(flips), Some(lean)) => Seats::Found { flips, lean },
        _ => Seats::Nothing,
    }
}

/// How often rubric coverage and the direct judge prefer different sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Of battles in which both prefer a side.
    pub opposite: Share,
    /// Battles that both decided, but one of them as a tie.
    pub with_tie: u64,
}

/// `None` where no battle was decided by both with a side.
pub fn disagreement(sheet: &Sheet) -> Option<Disagreement> {
    let mut opposite = Vec::new();
    let mut with_tie = 0;
    for it in sheet.battles.iter().filter(|it| it.forfeit.is_none()) {
        let by = |decider| match decide(sheet, it, decider) {
            Decision::Won(winner) => Some(winner),
            Decision::Open | Decision::None => None,
        };
        let (Some(direct), Some(coverage)) = (by(Decider::Direct), by(Decider::Coverage(None)))
        else {
            continue;
        };
        if direct == Winner::Tie || coverage == Winner::Tie {
            with_tie += 1;
        } else {
            opposite.push((it.battle.case, f64::from(u8::from(direct != coverage))));
        }
    }
    Share::of(&opposite).map(|opposite| Disagreement { opposite, with_tie })
}
