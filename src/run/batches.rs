//! Batches that were submitted from here: which there are, and how far each is.

use serde::{Deserialize, Serialize};

/// One batch of a run, from the moment before its first request leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentBatch {
    /// Of its file.
    pub name: String,
    /// Requests in it.
    pub n: u64,
    /// UTC, milliseconds since the epoch.
    pub at: f64,
    pub stage: BatchStage,
    /// What the provider last said of it, in its own words.
    #[serde(default)]
    pub word: String,
    /// US dollars that it can cost at most; `None` where nobody knows.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// Requests done and requests in all, where the provider says so.
    #[serde(default)]
    pub done: Option<(u64, u64)>,
}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStage {
    /// Its file is on its way, or was when this page was closed. A file alone costs nothing.
    Uploading,
    /// It is being begun, or was when this page was closed, so that nobody here knows whether it was.
    Beginning,
    /// Under way, with the id that the provider gave it.
    Waiting(String),
    /// It came to its end, and what there was of results was read. Without an id where they were brought.
    Read(String),
    /// Nothing came of it, and nothing will; or nobody waits for it any more.
    Failed,
}

impl SentBatch {
    pub fn new(name: &str, n: u64, at: f64, stage: BatchStage) -> Self {
        Self { name: name.to_owned(), n, at, stage, word: String::new(), at_most: None, done: None }
    }

    /// Ends the wait for it. What comes of it all the same can be brought by hand, so its id stays to be read.
    pub fn give_up(&mut self) {
        if let BatchStage::Waiting(id) = &self.stage {
            self.word = format!("no longer waited for: {id}");
        }
        if self.is_out() {
            self.stage = BatchStage::Failed;
        }
    }

    /// Whether both tell of the same batch.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.at.total_cmp(&other.at).is_eq()
    }

    /// Whether its requests are out, or may be: to ask them again would be to pay twice.
    pub fn is_out(&self) -> bool {
        match self.stage {
            BatchStage::Beginning | BatchStage::Waiting(_) => true,
            BatchStage::Uploading | BatchStage::Read(_) | BatchStage::Failed => false,
        }
    }
}

/// Whether what may still be charged for batches that are out has a bound.
pub fn is_bounded(batches: &[SentBatch]) -> bool {
    batches.iter().all(|it| !it.is_out() || it.at_most.is_some())
}

/// US dollars that may still be charged for batches that are out, as far as anybody knows.
pub fn at_most(batches: &[SentBatch]) -> f64 {
    batches.iter().filter(|it| it.is_out()).filter_map(|it| it.at_most).sum()
}

/// Requests that are out, or may be.
pub fn out(batches: &[SentBatch]) -> u64 {
    batches.iter().filter(|it| it.is_out()).map(|it| it.n).sum()
}
