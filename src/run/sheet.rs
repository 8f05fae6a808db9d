//! The marks of a run under one reading: what every table is computed from.

use serde::{Deserialize, Serialize};

use crate::observation::{Mark, Tally};
use crate::protocol::{Battling, Reading};
use crate::rating::Winner;
use crate::run::frame::Frame;

/// Who judged, in the words a table needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeStamp {
    /// `gpt-4.1-mini`, `Practice judge (offline)`, `By hand: Ada`.
    pub name: String,
    /// How the judge was asked: the prompt's name and fingerprint, the parameters, the output format.
    pub how: String,
    /// Words shared, nothing judged: watermarked everywhere and never in one table with a model's.
    pub practice: bool,
}

/// One battle with the direct judge's verdicts in both seat orders, each on the battle's own systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetBattle {
    pub battle: Battling,
    pub given: Mark<Winner>,
    pub swapped: Mark<Winner>,
    /// Set where a missing answer decides.
    pub forfeit: Option<Winner>,
}

/// Marks of every answered question, and the frame they belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    pub frame: Frame,
    pub judge: JudgeStamp,
    pub reading: Reading,
    /// `marks[system][case][item]`; empty where the system has no answer to the question.
    pub marks: Vec<Vec<Vec<Mark>>>,
    /// Whether rubric items were to be judged at all.
    pub has_coverage: bool,
    /// How answers were compared; `None` where they were not.
    pub duel: Option<String>,
    /// Whether who sits first can matter: not so with a count of words.
    pub may_have_position_bias: bool,
    /// In the order of the plan.
    pub battles: Vec<SheetBattle>,
    /// Whether everything planned was asked and has come back.
    pub complete: bool,
    /// Set where the authors' code would have stopped without a result, with the reason.
    pub aborted: Option<String>,
}

impl Sheet {
    /// All verdicts by state: rubric items, and seat orders of battles.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for battle in self.battles.iter().filter(|battle| battle.forfeit.is_none()) {
            tally.add(battle.given);
            tally.add(battle.swapped);
        }
        for mark in self.marks.iter().flatten().flatten() {
            tally.add(*mark);
        }
        tally
    }
}
