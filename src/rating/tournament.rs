//! Battles with the names behind their numbers: what a leaderboard is made from, wherever they came from.

use serde::{Deserialize, Serialize};

use super::battle::Battle;

/// Battles between systems over queries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tournament {
    /// Names, by the numbers in [`Battle::first`] and [`Battle::second`].
    pub systems: Vec<String>,
    /// Ids, by [`Battle::query`].
    pub queries: Vec<String>,
    /// Names of domains, by [`Battle::stratum`]; empty names where none is known.
    pub strata: Vec<String>,
    pub battles: Vec<Battle>,
    /// Asked or listed, yet without a result. Never quietly a tie or a loss.
    pub undecided: Vec<Undecided>,
}

/// A battle nobody has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Undecided {
    pub first: u32,
    pub second: u32,
    pub query: u32,
    pub stratum: u32,
}
