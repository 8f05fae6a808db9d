//! Texts and tables that a worker composes and a page sets as they are. What nobody clicks on needs no
//! view of its own: the page carries one renderer for all of them.

use serde::{Deserialize, Serialize};

use crate::metrics::agreement::{Statistic, Undefined};
use crate::report::Span;
use crate::report::number;

/// A piece of a page, top to bottom. All text is plain: it is set as text, never as markup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    Heading(String),
    Text(String),
    /// What must be known before a figure is believed: a word, and what it is about.
    Warning(String, String),
    Table(Table),
    /// A section of a longer text, with its title.
    Part(String, Vec<Block>),
    Prose(Vec<Span>),
    List(Vec<Vec<Span>>),
    /// Its items are in order.
    Steps(Vec<Vec<Span>>),
    /// Set line by line, as it stands.
    Formula(String),
    /// Likewise, with a button that copies it.
    Copy(String),
}

/// A table whose first columns are words and whose others are figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its accessible name.
    pub label: String,
    pub head: Vec<String>,
    /// How many columns are words, from the left; the first of them names its row.
    pub words: u8,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(label: &str, words: u8, head: &[&str]) -> Self {
        Self {
            label: label.to_owned(),
            head: head.iter().map(|&it| it.to_owned()).collect(),
            words,
            rows: Vec::new(),
        }
    }
}

/// A share in per cent with its interval, `71.0 (62.5 to 79.1)`, or why there is none.
pub(super) fn share(statistic: Statistic) -> String {
    shown(statistic, number::percent1)
}

/// A coefficient of agreement with its interval, `0.71 (0.62 to 0.79)`, or why there is none.
pub(super) fn coefficient(statistic: Statistic) -> String {
    shown(statistic, |value| number::fixed(value, 2))
}

fn shown(statistic: Statistic, format: impl Fn(f64) -> String) -> String {
    let found = match statistic {
        Statistic::Found(found) => found,
        Statistic::Undefined(Undefined::TooFew) => return "too few".to_owned(),
        Statistic::Undefined(Undefined::NoVariation) => return "no variation".to_owned(),
    };
    match found.bounds {
        Some((low, high)) => {
            format!("{} ({} to {})", format(found.value), format(low), format(high))
        }
        None => format(found.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::agreement::Found;

    #[test]
    fn a_coefficient_is_shown_with_its_doubt_or_with_why_there_is_none() {
        let found = |bounds| Statistic::Found(Found { value: 0.712, bounds, n: 9, queries: 3 });
        assert_eq!(coefficient(found(Some((-0.1, 0.9)))), "0.71 (−0.10 to 0.90)");
        assert_eq!(share(found(None)), "71.2");
        assert_eq!(share(Statistic::Undefined(Undefined::TooFew)), "too few");
        assert_eq!(coefficient(Statistic::Undefined(Undefined::NoVariation)), "no variation");
    }
}
