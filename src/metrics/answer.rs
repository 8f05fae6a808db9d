//! What became of one answer under the reading of its sheet.

use crate::metrics::select;
use crate::observation::{Mark, Unscored};
use crate::protocol::Reading;
use crate::rubric::ItemType;
use crate::run::{AnswerState, Sheet};

/// One answer to one query, ready for a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Missing,
    Empty,
    /// Not yet judged: outside every mean and every range until it is.
    Waiting,
    /// Judged without a usable result. The reason is that of its first item without a verdict.
    Undefined(Unscored),
    Defined(Covered),
}

/// Answer coverage, a share `0.0..=1.0`, and what it would be if the items without a verdict had got
/// nothing (`low`) or everything (`high`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Covered {
    pub(super) share: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Outcome {
    pub(super) fn share(self) -> Option<f64> {
        match self {
            Self::Defined(covered) => Some(covered.share),
            Self::Missing | Self::Empty | Self::Waiting | Self::Undefined(_) => None,
        }
    }
}

/// A system with too short a list of answers has none to the rest.
pub(super) fn state(sheet: &Sheet, system: usize, case: usize) -> AnswerState {
    sheet
        .frame
        .systems
        .get(system)
        .and_then(|system| system.answers.get(case))
        .copied()
        .unwrap_or(AnswerState::Missing)
}

/// An item without a mark has not been asked.
pub(super) fn mark(sheet: &Sheet, system: usize, case: usize, item: usize) -> Mark {
    sheet
        .marks
        .get(system)
        .and_then(|cases| cases.get(case))
        .and_then(|items| items.get(item))
        .copied()
        .unwrap_or(Mark::Unscored(Unscored::NotAsked))
}

/// Answer coverage: Σ weight × share ÷ Σ weight over the items with a label (protocols §1.4, §2.4).
///
/// As in the paper and as in the code an answer stands or falls as a whole, also when only items of
/// one type are looked at: there a failure anywhere leaves the answer without a value.
pub(super) fn outcome(
    sheet: &Sheet,
    system: usize,
    case: usize,
    only: Option<ItemType>,
) -> Outcome {
    match state(sheet, system, case) {
        AnswerState::Missing => return Outcome::Missing,
        AnswerState::Empty => return Outcome::Empty,
        AnswerState::Answered { .. } => {}
    }
    let rubric = &sheet.frame.cases[case];
    let whole = match sheet.reading {
        Reading::Recommended => None,
        Reading::Paper | Reading::Released => Some(Reasons::among(
            (0..rubric.items.len()).map(|item| mark(sheet, system, case, item)),
        )),
    };
    if let Some(reasons) = whole {
        if let Some(why) = reasons.closed {
            return Outcome::Undefined(why);
        }
        if reasons.waiting {
            return Outcome::Waiting;
        }
    }

    let marked = || {
        select::items(rubric, only)
            .map(|(index, item)| (item.weight, mark(sheet, system, case, index)))
    };
    let (mut gained, mut scored, mut silent) = (0.0, 0.0, 0.0);
    for (weight, mark) in marked() {
        match mark {
            Mark::Scored(label) => {
                gained += weight * label.share();
                scored += weight;
            }
            Mark::Unscored(_) => silent += weight,
        }
    }
    if 0.0 < scored {
        let asked = scored + silent;
        return Outcome::Defined(Covered {
            share: gained / scored,
            low: gained / asked,
            high: (gained + silent) / asked,
        });
    }
    match Reasons::among(marked().map(|(_, mark)| mark)).closed {
        Some(why) => Outcome::Undefined(why),
        None => Outcome::Waiting,
    }
}

/// Whether the judge has come to a query: some answer to it has a closed item, or none is to be judged.
///
/// Before that a missing answer must not count 0 in an interim table: it would stand against queries
/// nobody has been judged on, and pull the systems with gaps down early.
pub(super) fn is_reached(sheet: &Sheet, case: usize) -> bool {
    // Where nobody was to judge items, a missing answer is no zero either.
    if !sheet.has_coverage {
        return false;
    }
    let items = sheet.frame.cases[case].items.len();
    let mut to_judge = (0..sheet.frame.systems.len())
        .filter(|&system| state(sheet, system, case).is_answered())
        .peekable();
    if sheet.complete || to_judge.peek().is_none() {
        return true;
    }
    to_judge.any(|system| (0..items).any(|item| !is_waiting(mark(sheet, system, case, item))))
}

fn is_waiting(mark: Mark) -> bool {
    matches!(mark, Mark::Unscored(Unscored::InFlight | Unscored::NotAsked))
}

/// Why items have no verdict.
#[derive(Default)]
struct Reasons {
    /// The first reason that asking again alone could change.
    closed: Option<Unscored>,
    waiting: bool,
}

impl Reasons {
    fn among(marks: impl Iterator<Item = Mark>) -> Self {
        let mut reasons = Self::default();
        for mark in marks {
            match mark {
                Mark::Scored(_) => {}
                Mark::Unscored(Unscored::InFlight | Unscored::NotAsked) => reasons.waiting = true,
                Mark::Unscored(why) => reasons.closed = reasons.closed.or(Some(why)),
            }
        }
        reasons
    }
}
