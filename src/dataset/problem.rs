//! What is wrong with a file: where, what, and the cure.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where in a file. Lines, rows and records are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    File,
    /// A line of text, as an editor counts it.
    Line(u64),
    /// A data row of a table; the header is not a row.
    Row(u64),
    /// An element of a JSON array or an entry of a JSON object.
    Record(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("whole file"),
            Self::Line(n) => write!(f, "line {n}"),
            Self::Row(n) => write!(f, "row {n}"),
            Self::Record(n) => write!(f, "record {n}"),
        }
    }
}

/// One thing that is wrong, in words a person can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub file: String,
    pub place: Place,
    /// What is wrong, and what it means for the record. A full sentence.
    pub what: String,
    /// What to do about it. A full sentence.
    pub cure: String,
}

/// Problems in the order they were met: the first [`Problems::KEPT`], and the count of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problems {
    list: Vec<Problem>,
    total: u64,
}

impl Problems {
    /// How many are kept word for word. More would bury the reader.
    pub const KEPT: usize = 200;

    pub fn push(&mut self, problem: Problem) {
        self.total += 1;
        if self.list.len() < Self::KEPT {
            self.list.push(problem);
        }
    }

    pub fn report(
        &mut self,
        file: &str,
        place: Place,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.push(Problem { file: file.to_owned(), place, what: what.into(), cure: cure.into() });
    }

    pub fn extend(&mut self, other: Self) {
        let uncounted = other.total - other.list.len() as u64;
        for problem in other.list {
            self.push(problem);
        }
        self.total += uncounted;
    }

    /// Counts problems of which nothing is known but that they are there.
    pub(crate) fn count_more(&mut self, more: u64) {
        self.total += more;
    }

    /// Tells the places of this file as rows: each of its lines is one.
    pub(crate) fn count_rows(&mut self, file: &str) {
        for problem in self.list.iter_mut().filter(|problem| problem.file == file) {
            if let Place::Line(n) | Place::Record(n) = problem.place {
                problem.place = Place::Row(n);
            }
        }
    }

    /// Takes out what is said about this file, as far as it was kept.
    pub(crate) fn forget(&mut self, file: &str) {
        let before = self.list.len();
        self.list.retain(|problem| problem.file != file);
        self.total -= (before - self.list.len()) as u64;
    }

    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many were counted and not kept.
    pub fn more(&self) -> u64 {
        self.total - self.list.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}
