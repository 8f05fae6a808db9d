//! One answer against another.

use serde::{Deserialize, Serialize};

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Winner {
    First,
    Second,
    Tie,
}

impl Winner {
    /// The same result seen from the other side.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Tie => Self::Tie,
        }
    }
}

/// A decided battle. An undecided one is none of these: whoever counts decides what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Battle {
    /// Numbers of systems, from 0. Never the same.
    pub first: u32,
    pub second: u32,
    pub winner: Winner,
    /// Number of the query, from 0: battles over one query go together.
    pub query: u32,
    /// Within which queries were drawn, such as the domain: a bootstrap by query keeps its size.
    pub stratum: u32,
}
