//! The leaderboard: ratings with their doubt, or what battles say where no rating exists.
//!
//! One function for every source of battles and every slice. What it draws at random is in an order that
//! comes from results alone: other names, other places in a file and other ids give the same digits.

mod diagnostics;
mod exploratory;
mod rated;
mod resampled;
mod taken;
mod withheld;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::rating::Pair;
use crate::rating::Tournament;
use crate::rating::bootstrap::ROUNDS;
use crate::rating::examine;

pub use diagnostics::{Davidson, Diagnosed, Diagnostics};
pub use exploratory::{FieldOutcome, FieldRating, FieldRatings, FieldRow, exploratory_by_field};
pub use rated::{PairRow, Rated, Row, Simultaneous};
pub use resampled::Resampled;
pub use withheld::{Group, Member, Missing, Next, Unsettled, Withheld};

use self::taken::Taken;

/// More systems than this, and a table of every one against every other is no longer read by anybody.
const MOST_IN_GRID: usize = 60;

/// What a person chose to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingView {
    pub mode: Mode,
    pub undecided: UndecidedAs,
    /// Only battles of this domain, by name.
    pub domain: Option<String>,
    /// Systems left out with all their battles, by their numbers in the tournament.
    pub hidden: Vec<usize>,
    /// A system's number, and the rating that is written for it, in Elo points.
    pub anchor: Option<(usize, f64)>,
    /// Resamples.
    pub rounds: usize,
    /// Of resamples and simulated intervals.
    pub seed: u64,
    pub diagnostics: Wanted,
}

impl Default for RatingView {
    fn default() -> Self {
        Self {
            mode: Mode::Recommended,
            undecided: UndecidedAs::LeftOut,
            domain: None,
            hidden: Vec::new(),
            anchor: None,
            rounds: ROUNDS,
            seed: 0,
            diagnostics: Wanted::No,
        }
    }
}

/// Whose arithmetic. Never two of them in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// The rating by maximum likelihood, with a standard error that lets battles over one query go
    /// together and a 95 % interval by Student's t with queries − 1 degrees of freedom.
    Recommended,
    /// Median ∓ standard deviation over resamples of single battles.
    Paper,
    /// Mean ∓ standard deviation over resamples of doubled rows: too small by about √2.
    Released,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Recommended, Self::Paper, Self::Released];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recommended => "Recommended",
            Self::Paper => "As in the paper",
            Self::Released => "As in the authors’ code",
        }
    }
}

/// What a battle without a result counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UndecidedAs {
    LeftOut,
    Ties,
    /// A win of this system, by its number in the tournament; those of others are left out.
    ForSystem(usize),
    /// A loss of this system.
    AgainstSystem(usize),
}

/// Whether something beside the ratings is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    Yes,
    No,
}

/// What there is to say of a view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Leaderboard {
    Rated(Rated),
    /// No rating across all systems exists.
    Withheld(Withheld),
    Nothing(Nothing),
}

impl Leaderboard {
    /// The same while battles are still to come.
    #[must_use]
    pub fn interim(mut self) -> Self {
        if let Self::Rated(rated) = &mut self {
            rated.make_interim();
        }
        self
    }

    /// What it was made from.
    pub fn amounts(&self) -> &Amounts {
        match self {
            Self::Rated(it) => &it.amounts,
            Self::Withheld(it) => &it.amounts,
            Self::Nothing(it) => &it.amounts,
        }
    }
}

/// Neither a rating nor anything in its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nothing {
    pub amounts: Amounts,
    pub why: NothingWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NothingWhy {
    /// No battle is known to be of the domain.
    OtherDomain,
    /// Fewer than two systems are shown.
    FewSystems,
    /// Nothing is decided in this view.
    NoBattles,
}

/// Counts in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amounts {
    /// Battles asked or listed.
    pub asked: u64,
    /// Those with a result.
    pub decided: u64,
    /// Those without, whatever they count as.
    pub undecided: u64,
    /// Queries with a battle that counts.
    pub queries: u64,
    pub systems: u64,
    /// Strata with a battle that counts, such as domains.
    pub domains: u64,
}

/// Wins, losses and ties of each against each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub names: Vec<String>,
    /// `cells[row][column]`, seen from the row. Nothing on the diagonal.
    pub cells: Vec<Vec<Pair>>,
}

impl Grid {
    /// `None` where nobody could read it.
    fn of(taken: &Taken) -> Option<Self> {
        let n = taken.names.len();
        let row = |row: usize| (0..n).map(|column| taken.counts.between(row, column)).collect();
        (n <= MOST_IN_GRID)
            .then(|| Self { names: taken.names.clone(), cells: (0..n).map(row).collect() })
    }
}

/// Rates what is in view. `progress` hears how many resamples of how many are done, and may stop it all:
/// then there is nothing.
pub fn leaderboard(
    tournament: &Tournament,
    view: &RatingView,
    progress: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Leaderboard> {
    let taken = Taken::of(tournament, view);
    if let Some(why) = taken.nothing(tournament, view) {
        return Some(Leaderboard::Nothing(Nothing { amounts: taken.amounts, why }));
    }
    // A rating needs the gate's pass, which looks at the counts for as long as it is used.
    let counts = taken.counts.clone();
    match examine(&counts) {
        Err(gate) => Some(Leaderboard::Withheld(Withheld::of(&taken, &gate))),
        Ok(connected) => Rated::of(connected, taken, view, progress).map(Leaderboard::Rated),
    }
}
