//! What is asked of an answer: checklist items, their types and weights, and the five labels.

use serde::{Deserialize, Serialize};

/// How far an answer addresses one rubric item. Five steps, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Label {
    NotAtAll,
    Barely,
    Moderately,
    Mostly,
    Completely,
}

impl Label {
    pub const ALL: [Self; 5] =
        [Self::NotAtAll, Self::Barely, Self::Moderately, Self::Mostly, Self::Completely];

    /// The label as the protocol spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotAtAll => "Not at all",
            Self::Barely => "Barely",
            Self::Moderately => "Moderately",
            Self::Mostly => "Mostly",
            Self::Completely => "Completely",
        }
    }

    /// Quarters of full coverage, `0..=4`.
    pub fn quarters(self) -> u8 {
        self as u8
    }

    /// Share of full coverage, `0.0..=1.0`.
    pub fn share(self) -> f64 {
        f64::from(self.quarters()) / 4.0
    }

    /// Exactly as spelled: case counts, punctuation counts.
    pub fn exact(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str() == text)
    }

    pub fn from_quarters(quarters: u8) -> Option<Self> {
        Self::ALL.get(usize::from(quarters)).copied()
    }
}

/// What kind of point an item makes. An item can carry several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ItemType {
    Citation,
    Limitation,
    Comparison,
    Example,
    Impact,
    Other,
}

impl ItemType {
    pub const ALL: [Self; 6] = [
        Self::Citation,
        Self::Limitation,
        Self::Comparison,
        Self::Example,
        Self::Impact,
        Self::Other,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Citation => "Citation",
            Self::Limitation => "Limitation",
            Self::Comparison => "Comparison",
            Self::Example => "Example",
            Self::Impact => "Impact",
            Self::Other => "Other",
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// One point of the checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub text: String,
    /// Empty where the data name no type.
    pub types: Vec<ItemType>,
    /// `1.0` in ResearchQA; 1 to 3 in ResearcherBench. Always finite and above zero.
    pub weight: f64,
    pub citation: Option<Citation>,
}

/// The work an item wants cited. Every part may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    pub first_author: Option<String>,
    pub title: Option<String>,
    pub url: Option<String>,
    pub year: Option<i32>,
}
