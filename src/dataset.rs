//! Questions with their rubrics, the answers of systems, and how the two are joined.
//!
//! Bytes of a file come in, records and [`Problems`] go out. Good records are kept whatever else the
//! file holds. Nothing here fetches or stores.

pub mod problem;
pub mod text;
mod json;
mod names;
pub(crate) mod date;
mod items;
mod blob;
mod columns;
mod scan;
mod shape;
mod benchmark;
mod summary;
pub mod responses;
mod join;
pub mod judgements;
pub mod battles;
mod detect;
mod converted;
pub mod sample;
pub mod explore;
pub mod handout;

use serde::{Deserialize, Serialize};

use crate::ids::{CaseId, Digest, SystemName};
use crate::rubric::Item;

pub use benchmark::read_benchmark;
pub use blob::Blob;
pub use columns::{Benchmark, CaseRef, ItemRef, Kinds};
pub use converted::Converted;
pub use detect::{FileKind, RUN_FORMAT, detect};
pub use join::{JoinReport, answer_digest, join, words};
pub use problem::{Place, Problem, Problems};
pub use summary::{Facet, Summary, TypeCount};

/// One question with its rubric, on its own. Those in use are in a [`Benchmark`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub id: CaseId,
    /// Top level of the hierarchy, as the data name it. Empty where the data name none.
    pub domain: String,
    pub subdomain: String,
    pub field: String,
    pub query: String,
    /// Knowledge cut-off, `YYYY-MM-DD`.
    pub date: Option<String>,
    pub items: Vec<Item>,
}

/// A file as it was read: enough to recognise it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    pub name: String,
    pub bytes: u64,
    pub digest: Digest,
}

/// What one answering system said. One entry an id; ids need not be in the benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSet {
    pub name: SystemName,
    /// Where the answers came from.
    pub files: Vec<String>,
    pub answers: Vec<Answer>,
    /// Ids seen more than once. The last non-empty answer is the one kept.
    pub duplicates: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub id: CaseId,
    pub text: String,
}

impl Answer {
    /// Nothing but white space: never sent to a judge.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}
