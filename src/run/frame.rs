//! The frame of a run: questions, items and systems, with fingerprints in place of texts.
//!
//! A [`Frame`] and the replies are all that the tables need, so a run file without texts recomputes
//! every number. [`Texts`] are needed only to ask, and to read.

use serde::{Deserialize, Serialize};

use crate::ids::{CaseId, Digest, SystemName};
use crate::rubric::ItemType;

/// Which benchmark the questions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetStamp {
    pub name: String,
    /// File names with fingerprints, or the repository with its commit.
    pub source: String,
    /// Over ids, queries and rubrics of all questions loaded, in id order.
    pub digest: Digest,
    /// Questions and rubric items in the benchmark, of which the run may use fewer.
    pub n_cases: u64,
    pub n_items: u64,
}

impl DatasetStamp {
    /// `owner/name@0123456 (test)` where the questions came from a Hub.
    pub fn on_hub(&self) -> Option<String> {
        let (address, _files) = self.source.split_once("): ")?;
        let (_base, named) = address.split_once("/datasets/")?;
        let (repo, rest) = named.split_once('@')?;
        let (commit, split) = rest.split_once(' ')?;
        let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_commit.then(|| format!("{repo}@{} {split})", &commit[..7]))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub dataset: DatasetStamp,
    /// The chosen questions, in benchmark order.
    pub cases: Vec<FrameCase>,
    /// In the order a person brought them.
    pub systems: Vec<FrameSystem>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameCase {
    pub id: CaseId,
    pub domain: String,
    pub subdomain: String,
    pub field: String,
    /// Of the question's text. `None` in runs of before, which had no use for it.
    #[serde(default)]
    pub query: Option<Digest>,
    pub items: Vec<FrameItem>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameItem {
    /// Of the item's text.
    pub digest: Digest,
    pub types: Vec<ItemType>,
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameSystem {
    pub name: SystemName,
    /// Over the sorted (query id, answer fingerprint) pairs of all its answers: who the system is,
    /// whatever it is called.
    pub identity: Digest,
    /// One entry a case of the frame.
    pub answers: Vec<AnswerState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerState {
    /// The system has no entry for this question.
    Missing,
    /// An entry of white space only. Never sent to a judge.
    Empty,
    Answered {
        digest: Digest,
        /// White-space separated tokens.
        words: u32,
    },
}

impl AnswerState {
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Answered { .. })
    }
}

/// What a judge and a reader need beside the frame. Same order as the frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    pub cases: Vec<CaseText>,
    /// `answers[system][case]`; `None` where nothing was answered.
    pub answers: Vec<Vec<Option<String>>>,
}

impl Texts {
    /// Whether every place of the frame has its text here. Places are trusted everywhere else.
    pub fn fits(&self, frame: &Frame) -> bool {
        self.cases.len() == frame.cases.len()
            && self.answers.len() == frame.systems.len()
            && self.answers.iter().all(|answers| answers.len() == frame.cases.len())
            && self.cases.iter().zip(&frame.cases).all(|(a, b)| a.items.len() == b.items.len())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseText {
    pub query: String,
    pub date: Option<String>,
    pub items: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_told_short() {
        let told = |source: &str| {
            DatasetStamp {
                name: String::new(),
                source: source.to_owned(),
                digest: Digest::of_texts([]),
                n_cases: 0,
                n_items: 0,
            }
            .on_hub()
        };
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let source = format!("https://huggingface.co/datasets/a/b@{commit} (test): x.parquet 12ab");
        assert_eq!(told(&source).as_deref(), Some("a/b@0123456 (test)"));
        assert_eq!(told("questions.json 12ab 34cd"), None);
        assert_eq!(told("x/datasets/y@z (q): r"), None);
    }
}
