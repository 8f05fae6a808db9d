//! Files of answers, in the shapes people have them: maps, lists, lines and tables.

pub(crate) mod table;

use std::collections::{BTreeSet, HashMap};

use crate::ids::{CaseId, SystemName};

use super::benchmark::{ID, id};
use super::detect::{FileKind, is_run_file, sniff};
use super::items::Flaw;
use super::json::{self, Entry, Expect, Json};
use super::problem::{Place, Problems};
use super::text::{self, excerpt};
use super::{Answer, AnswerSet, names};

/// Keys that hold the answer.
pub(crate) const ANSWER: [&str; 4] = ["answer", "response", "text", "output"];
/// Keys that name a system.
const SYSTEM: [&str; 2] = ["system", "implementation"];
/// Keys that may name a system. Two systems can share a model, so one value alone names none.
const MODEL: [&str; 2] = ["model", "provider"];

const EXPECT: Expect = Expect {
    record: looks_like_record,
    wrappers: &["data", "rows", "records", "answers", "responses", "results"],
};

fn looks_like_record(keys: &[String]) -> bool {
    let has = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    has(&ID) && has(&ANSWER)
}

/// Reads one file of answers. It can hold several systems.
///
/// A system is named by `system` or `implementation` of its records. `model` or `provider` name it
/// only where the file has several of them. Otherwise it has the name of the file, or `mode-provider`
/// in the folder layout of ResearchQA.
pub fn read_answers(name: &str, bytes: &[u8]) -> (Vec<AnswerSet>, Problems) {
    let mut problems = Problems::default();
    let decoded = match text::open(name, bytes) {
        Ok(decoded) => decoded,
        Err(problem) => {
            problems.push(problem);
            return (Vec::new(), problems);
        }
    };
    if let Some(cut) = decoded.cut {
        problems.push(cut);
    }
    let text = decoded.text.as_ref();
    if is_run_file(name, text) {
        // Some of its values are texts under a name, as answers are.
        problems.extend(wrong_kind(name, FileKind::RunFile));
        return (Vec::new(), problems);
    }
    let mut rows = Vec::new();
    let table = names::has_extension(name, &["csv", "tsv"]);
    let is_json = !table
        && json::walk(name, text, &EXPECT, &mut problems, &mut |entry, problems| {
            rows.extend(record(name, entry, problems));
        });
    if !is_json {
        if names::has_extension(name, &["json"]) {
            problems.report(
                name,
                Place::File,
                "This is not JSON, so no answers could be read.",
                "Bring JSON, JSONL or CSV with `id` and `answer`.",
            );
        } else {
            rows = table::read(name, text, &mut problems);
        }
    }
    if rows.is_empty() {
        let wrong = wrong_kind(name, sniff(name, text));
        if !wrong.is_empty() {
            // A problem for each record would hide that it is the wrong file.
            problems = wrong;
        } else if problems.is_empty() {
            problems.report(
                name,
                Place::File,
                "The file holds no answers.",
                "Check whether it was exported in full.",
            );
        }
    }
    (group(name, rows), problems)
}

/// Joins sets of the same name, in the order in which they first come. Counts are added up.
pub fn merge_sets(sets: Vec<AnswerSet>) -> Vec<AnswerSet> {
    let mut builders: Vec<Builder> = Vec::new();
    let mut by_name: HashMap<SystemName, usize> = HashMap::new();
    for set in sets {
        let at = *by_name.entry(set.name.clone()).or_insert(builders.len());
        if at == builders.len() {
            builders.push(Builder::new(set.name));
        }
        let builder = &mut builders[at];
        for file in set.files {
            if !builder.set.files.contains(&file) {
                builder.set.files.push(file);
            }
        }
        builder.set.duplicates += set.duplicates;
        for answer in set.answers {
            builder.add(answer);
        }
    }
    builders.into_iter().map(|builder| builder.set).collect()
}

/// One answer, before it is known how the systems of the file are told apart.
pub(crate) struct Row {
    pub(crate) id: CaseId,
    pub(crate) text: String,
    pub(crate) system: Option<String>,
    pub(crate) model: Option<String>,
}

struct Builder {
    set: AnswerSet,
    by_id: HashMap<CaseId, usize>,
}

impl Builder {
    fn new(name: SystemName) -> Self {
        let set = AnswerSet { name, files: Vec::new(), answers: Vec::new(), duplicates: 0 };
        Self { set, by_id: HashMap::new() }
    }

    /// Of equal ids the last answer that is not empty is kept.
    fn add(&mut self, answer: Answer) {
        let Some(&at) = self.by_id.get(&answer.id) else {
            self.by_id.insert(answer.id.clone(), self.set.answers.len());
            self.set.answers.push(answer);
            return;
        };
        self.set.duplicates += 1;
        let kept = &mut self.set.answers[at];
        if !answer.is_empty() || kept.is_empty() {
            *kept = answer;
        }
    }
}

fn group(file: &str, rows: Vec<Row>) -> Vec<AnswerSet> {
    let (by_file, folders_name_it) = names::system(file);
    let models: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.system.is_none())
        .filter_map(|row| row.model.as_deref())
        .collect();
    let by_model = 1 < models.len();
    let mut sets: Vec<Builder> = Vec::new();
    let mut at: HashMap<SystemName, usize> = HashMap::new();
    for row in rows {
        let named = row.system.or(row.model.filter(|_| by_model));
        let name = match named {
            Some(name) if !folders_name_it => SystemName::new(name.trim()),
            _ => by_file.clone(),
        };
        let index = *at.entry(name.clone()).or_insert(sets.len());
        if index == sets.len() {
            let mut builder = Builder::new(name);
            builder.set.files.push(file.to_owned());
            sets.push(builder);
        }
        sets[index].add(Answer { id: row.id, text: row.text });
    }
    sets.into_iter().map(|builder| builder.set).collect()
}

fn record(file: &str, entry: Entry, problems: &mut Problems) -> Option<Row> {
    let place = entry.place;
    match row(entry) {
        Ok(row) => Some(row),
        Err((what, cure)) => {
            problems.report(file, place, format!("{what} It was left out."), cure);
            None
        }
    }
}

fn row(entry: Entry) -> Result<Row, Flaw> {
    let mut value = entry.value;
    // In a map the id is the key, and an entry's `model` is one of the details that are ignored.
    let (id, system, model) = match entry.key {
        Some(key) if key.trim().is_empty() => {
            return Err((
                "This entry has an empty id.".to_owned(),
                "Give it the id of its question.",
            ));
        }
        Some(key) => (CaseId::new(key), None, None),
        None => {
            let named = |keys: &[&str]| value.get(keys).and_then(Json::name);
            (identify(&value)?, named(&SYSTEM), named(&MODEL))
        }
    };
    let who = excerpt(id.as_str());
    let answer = match value {
        Json::Object(_) if value.has(&ANSWER) => value.take(&ANSWER),
        Json::Object(_) => {
            return Err((
                format!("The record of {who} has no answer. Its keys are: {}.", value.keys()),
                "Put the answer under `answer`. An empty text counts as an empty answer.",
            ));
        }
        other => other,
    };
    let text = match answer {
        Json::Text(text) => text,
        // Nothing was answered, which is not the same as no entry.
        Json::Null => String::new(),
        other => {
            let what = format!("The answer of {who} is {}, not text.", other.kind());
            return Err((what, "Write the answer as one text in quotes."));
        }
    };
    Ok(Row { id, text, system, model })
}

fn identify(value: &Json) -> Result<CaseId, Flaw> {
    let Json::Object(_) = value else {
        let what = format!("This record is {}, not an object.", value.kind());
        return Err((what, "A record is an object with `id` and `answer`."));
    };
    match id(value)? {
        Some(id) if is_dropped(&id, value) => Err((
            "This record has the id 0, which ResearcherBench takes for none.".to_owned(),
            "Give it the id of its question.",
        )),
        Some(id) => Ok(id),
        None => Err((
            format!("This record has no id. Its keys are: {}.", value.keys()),
            "Give it the `id` of its question.",
        )),
    }
}

/// ResearcherBench drops ids that Python takes for false, and its ids start at 1. Other data may
/// count from 0.
fn is_dropped(id: &CaseId, value: &Json) -> bool {
    id.as_str() == "0" && value.has(&["question"]) && value.has(&["response"])
}

/// What to say about a file of another kind, brought to the wrong place. Nothing about answers.
fn wrong_kind(name: &str, kind: FileKind) -> Problems {
    let mut problems = Problems::default();
    let (what, cure) = match kind {
        FileKind::Benchmark | FileKind::ResearcherBenchQuestions => {
            ("These are questions, not answers.", "Bring them as a benchmark.")
        }
        FileKind::Judgements => {
            ("These are judgements, not answers.", "Bring them as judgements of a system.")
        }
        FileKind::RunFile => ("This is a run file, not answers.", "Reopen it as a run file."),
        FileKind::Answers | FileKind::Unknown => return problems,
    };
    problems.report(name, Place::File, what, cure);
    problems
}
