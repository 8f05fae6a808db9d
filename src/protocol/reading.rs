//! How replies are read and failures are counted: three named presets, never mixed in one table.

use serde::{Deserialize, Serialize};

/// A preset of the toggles by which the paper, its released code and careful practice differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Tolerant of list markers, case and a trailing period; an unknown label loses only its item;
    /// failures are left out of the mean and widen the stated range. Both denominators are shown.
    Recommended,
    /// Labels exactly as spelled. An item without a verdict leaves its answer undefined. Missing
    /// answers are skipped.
    Paper,
    /// As the authors' released code: an answer with a failed batch is dropped, missing answers are
    /// skipped, and an unknown label ends the whole run without a result.
    Released,
}

impl Reading {
    pub const ALL: [Self; 3] = [Self::Recommended, Self::Paper, Self::Released];

    /// The name a person reads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recommended => "Recommended",
            Self::Paper => "As in the paper",
            Self::Released => "As in the authors’ code",
        }
    }
}
