//! Tables and sentences to hand out: CSV, Markdown, LaTeX, and the reference's own JSON.
//!
//! Pure functions from the structs of [`metrics`](crate::metrics) to text. Names, file names and reasons
//! come from other people's files: every format escapes them, and none trusts them.

mod clean;
mod grid;
mod notes;

pub mod about;
pub mod batches;
pub mod battles;
pub mod block;
pub mod board;
pub mod compare;
pub mod csv;
pub mod exchange;
pub mod headline;
pub mod hosts;
pub mod kind;
pub mod latex;
pub mod markdown;
pub mod number;
pub mod panel;
pub mod power;
pub mod provider;
pub mod rating;
pub mod reference;
pub mod repeats;
pub mod spend;
pub mod summary;

use serde::{Deserialize, Serialize};

use crate::protocol::Reading;

pub use block::Block;
pub use headline::Span;
pub use notes::extended;
pub use reference::{CoverageExport, RefusedExport};
pub use summary::{Summary, summary};

/// Stands in every format as soon as a figure comes from the practice judge.
pub const WATERMARK: &str = crate::run::file::WATERMARK;

/// What the interval is about, and what it leaves out.
pub const INTERVAL_CAPTION: &str =
    "The interval covers the choice of questions, not the judge, the prompt or repeated runs.";

/// What an interval from a handful of questions is worth.
pub const FEW_CAPTION: &str =
    "Fewer than 10 questions: the interval is a guess, and may pass 0 or 100.";

/// What the figures are not.
pub const NOT_CORRECTNESS: &str = "Coverage is not correctness.";

/// Where numbers come from: travels with every file handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    pub app_version: String,
    /// Name and revision or fingerprint of the benchmark.
    pub dataset: String,
    /// Queries chosen for the run.
    pub n_cases: u64,
    pub judge: String,
    /// The prompt's name and fingerprint, the parameters, the output format.
    pub how: String,
    pub reading: Reading,
    /// Of the choice of queries.
    pub seed: u64,
    /// At most this many queries a field; `None` for all.
    pub queries_per_field: Option<u32>,
    /// As RFC 3339 writes it, `2026-01-31T12:00:00Z`.
    pub created_utc: String,
    pub practice: bool,
    pub complete: bool,
    /// Anything else a reader must know: a filter in use, a system added later. Full sentences.
    pub notes: Vec<String>,
}

/// What the figures are called. A practice score never passes for coverage.
pub fn measure(practice: bool) -> &'static str {
    if practice { "Word-overlap score (practice)" } else { "Rubric coverage" }
}
