//! What kind of file this is, so that one that is dropped on the page goes to the right reader.
//!
//! Only the start of a file is looked at. The reader itself says what is wrong with the rest.

use super::benchmark::{ID, QUERY, RUBRIC};
use super::json::{self, Expect, Json};
use super::judgements::{JUDGES, SCORE};
use super::problem::Problems;
use super::responses::{ANSWER, table};
use super::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Questions with rubrics.
    Benchmark,
    /// Questions and their categories, whose rubrics are in another file.
    ResearcherBenchQuestions,
    Answers,
    Judgements,
    /// What [`RUN_FORMAT`] marks.
    RunFile,
    Unknown,
}

/// The value of `format` in a run file.
pub const RUN_FORMAT: &str = "viva-run";

/// How many records are asked for their kind.
const VOTERS: usize = 20;

/// The kind of a file by its first records.
pub fn detect(name: &str, bytes: &[u8]) -> FileKind {
    if text::is_parquet(bytes) {
        // Its reader says what to do about it.
        return FileKind::Benchmark;
    }
    sniff(name, &text::peek(bytes))
}

pub(crate) fn sniff(name: &str, text: &str) -> FileKind {
    const WRAPPERS: [&str; 7] =
        ["data", "rows", "records", "questions", "answers", "responses", "results"];
    let text = text::start(text);
    if is_run_file(name, text) {
        return FileKind::RunFile;
    }
    let expect = Expect { record: |keys| kind_of_keys(keys).is_some(), wrappers: &WRAPPERS };
    let mut votes: Vec<FileKind> = Vec::new();
    let is_json = json::walk(name, text, &expect, &mut Problems::default(), &mut |entry, _| {
        if votes.len() < VOTERS {
            votes.extend(kind_of(&entry.value, entry.key.is_some()));
        }
    });
    if !is_json {
        let wanted = table::has_answer_columns(name, text);
        return if wanted { FileKind::Answers } else { FileKind::Unknown };
    }
    // A record with a rubric is a question, also where others lack theirs.
    [
        FileKind::Benchmark,
        FileKind::Judgements,
        FileKind::Answers,
        FileKind::ResearcherBenchQuestions,
    ]
    .into_iter()
    .find(|kind| votes.contains(kind))
    .unwrap_or(FileKind::Unknown)
}

/// Whether an outer object says so. Its lists may look like anything else.
pub(crate) fn is_run_file(name: &str, text: &str) -> bool {
    let text = text::start(text);
    if !text.contains(RUN_FORMAT) {
        return false;
    }
    let expect = Expect { record: |_| false, wrappers: &[] };
    let mut found = false;
    json::walk(name, text, &expect, &mut Problems::default(), &mut |entry, _| {
        let is_format = entry.key.as_deref() == Some("format");
        found |= is_format && entry.value.text() == Some(RUN_FORMAT);
    });
    found
}

fn kind_of(value: &Json, keyed: bool) -> Option<FileKind> {
    match value {
        Json::Object(entries) => {
            let mut keys: Vec<_> =
                entries.iter().map(|(key, _)| key.to_ascii_lowercase()).collect();
            if keyed {
                // The key is the id.
                keys.push(ID[0].to_owned());
            }
            kind_of_keys(&keys)
        }
        Json::List(list) if keyed => {
            let scored = |item: &Json| item.has(&SCORE);
            list.first().is_some_and(scored).then_some(FileKind::Judgements)
        }
        // Only names to texts: who wrote a map of other things would be told so by its reader.
        Json::Text(_) if keyed => Some(FileKind::Answers),
        _ => None,
    }
}

fn kind_of_keys(keys: &[String]) -> Option<FileKind> {
    let has = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    if has(&JUDGES) {
        return Some(FileKind::Judgements);
    }
    // Only these two names are safe beside an answer: a checklist can be a part of one.
    let has_rubric = has(&RUBRIC[..2]) || has(&RUBRIC) && !has(&ANSWER);
    if has_rubric && has(&ID) {
        return Some(FileKind::Benchmark);
    }
    if !has(&ID) {
        return None;
    }
    if has(&ANSWER) {
        return Some(FileKind::Answers);
    }
    if has(&QUERY) && has(&["category", "subject"]) {
        return Some(FileKind::ResearcherBenchQuestions);
    }
    has(&QUERY).then_some(FileKind::Benchmark)
}
