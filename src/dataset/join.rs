//! Which questions a system answered, and who a system is.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::ids::{CaseId, Digest};

use super::{Answer, AnswerSet, Benchmark, CaseRef};

/// How the answers of one system fit the questions. `matched + missing` is the number of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JoinReport {
    /// Questions with an entry, be it empty.
    pub matched: u64,
    /// Questions without an entry.
    pub missing: u64,
    /// Entries whose id is in no question.
    pub unknown: u64,
    /// Questions whose entry is white space only.
    pub empty: u64,
    /// Ids that came more than once.
    pub duplicates: u64,
    /// Of the answers to questions, empty ones aside. `None` where there is none.
    pub median_words: Option<f64>,
    /// The first of the unknown ids, in the order of the answers.
    pub unknown_ids: Vec<CaseId>,
}

impl JoinReport {
    /// How many unknown ids are listed.
    pub const LISTED: usize = 5;
}

/// Joins by id, the full string, and by nothing else.
pub fn join(benchmark: &Benchmark, set: &AnswerSet) -> JoinReport {
    let answers: HashMap<&str, &Answer> =
        set.answers.iter().map(|answer| (answer.id.as_str(), answer)).collect();
    let ids: HashSet<&str> = benchmark.cases().map(CaseRef::id).collect();
    let (mut matched, mut empty) = (0, 0);
    let mut lengths = Vec::new();
    for case in benchmark.cases() {
        let Some(answer) = answers.get(case.id()) else { continue };
        matched += 1;
        if answer.is_empty() {
            empty += 1;
        } else {
            lengths.push(words(&answer.text));
        }
    }
    let unknown =
        || set.answers.iter().map(|answer| &answer.id).filter(|id| !ids.contains(id.as_str()));
    JoinReport {
        matched,
        missing: benchmark.len() as u64 - matched,
        unknown: unknown().count() as u64,
        empty,
        duplicates: set.duplicates,
        median_words: median(lengths),
        unknown_ids: unknown().take(JoinReport::LISTED).cloned().collect(),
    }
}

fn median(mut lengths: Vec<u32>) -> Option<f64> {
    lengths.sort_unstable();
    let middle = lengths.len() / 2;
    let upper = f64::from(*lengths.get(middle)?);
    if lengths.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(f64::from(lengths[middle - 1]), upper))
}

/// Tokens between Unicode white space. Says little about text without spaces, such as Chinese.
pub fn words(text: &str) -> u32 {
    u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX)
}

/// The fingerprint of one answer.
pub fn answer_digest(text: &str) -> Digest {
    Digest::of_texts([text])
}

impl AnswerSet {
    /// Over the sorted pairs of id and answer: who the system is, whatever it is called.
    pub fn identity(&self) -> Digest {
        let mut pairs: Vec<(&CaseId, Digest)> =
            self.answers.iter().map(|answer| (&answer.id, answer_digest(&answer.text))).collect();
        pairs.sort_unstable();
        let parts =
            pairs.iter().flat_map(|(id, digest)| [id.as_str().as_bytes(), digest.as_bytes()]);
        Digest::of(parts)
    }
}
