//! Numbers from marks: what each answer covers, and what that says about each system.
//!
//! Every function maps a [`Sheet`](crate::run::Sheet) and a [`View`] to plain structs. Nothing here
//! knows a prompt, a provider or a clock, and nothing is left to chance: what is resampled is seeded, so
//! that the same sheet gives the same digits.
//! A figure never travels without the number of queries behind it, and an item without a verdict is
//! never worth 0: it is left out of the mean and widens the stated range.

mod answer;
mod interval;
mod select;

pub mod agreement;
pub mod compare;
pub mod contest;
pub mod coverage;
pub mod difference;
pub mod family;
pub mod group;
pub mod headline;
pub mod kind;
pub mod leaderboard;
pub mod panel;
pub mod power;
pub mod repeats;

use serde::{Deserialize, Serialize};

use crate::rubric::ItemType;

pub use agreement::{Found, Statistic, Undefined};
pub use compare::{Comparison, compare};
pub use contest::{Decider, Disagreement, Seats, Share, disagreement, seats, tournament};
pub use coverage::{CommonNote, CoverageRow, CoverageTable, Figure, LeftOut, LengthNote, coverage};
pub use difference::{Difference, Finding, differences};
pub use family::{Family, Kin, kin};
pub use group::{Group, GroupCell, by_domain, by_field};
pub use headline::{Contrast, Headline, Place, Standing, headline, leader};
pub use kind::{TypeCell, TypeFrequency, TypeRow, TypeTable, by_type};
pub use leaderboard::{
    Leaderboard, Mode, RatingView, UndecidedAs, exploratory_by_field, leaderboard,
};
pub use panel::{Panel, panel};
pub use power::{PlanSketch, PowerBase};
pub use repeats::{JudgeNoise, RepeatReport};

/// Below this many queries a figure is shown without a claim: an interval from so few is a guess
/// about the shape of their distribution.
pub const FEW: u64 = 10;

/// What a person chose to look at. Empty means everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Only queries of this domain.
    pub domain: Option<String>,
    /// Only queries of this field.
    pub field: Option<String>,
    /// Only rubric items of this type; queries without one drop out.
    pub item_type: Option<ItemType>,
    /// Only queries that every visible system answered.
    pub common: bool,
    /// Systems left out, as indexes into the frame.
    pub hidden: Vec<usize>,
    /// The system others are compared with, as an index into the frame.
    pub baseline: Option<usize>,
}
