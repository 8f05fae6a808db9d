//! Coverage files of the reference implementation: labels that were given elsewhere.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::ids::{CaseId, SystemName};

use super::benchmark::id;
use super::detect::{FileKind, sniff};
use super::json::{self, Entry, Expect, Json};
use super::names;
use super::problem::{Place, Problems};
use super::text::{self, excerpt};

/// Keys that hold the list of labels in the internal layout.
pub(crate) const JUDGES: [&str; 1] = ["rubric_judges_gpt"];
/// Keys that hold one label.
pub(crate) const SCORE: [&str; 2] = ["score", "label"];
const ITEM: [&str; 2] = ["rubric", "rubric_item"];

const EXPECT: Expect = Expect {
    record: |keys| keys.iter().any(|key| JUDGES.contains(&key.as_str())),
    wrappers: &["data", "records", "results"],
};

/// The labels one system was given elsewhere. Whether they are labels is for the protocol to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedSet {
    /// By the file's name. Whose answers were judged is not in the file.
    pub name: SystemName,
    pub file: String,
    /// In file order, ids unique.
    pub cases: Vec<ImportedCase>,
    /// Ids seen more than once. The last one is kept.
    pub duplicates: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedCase {
    pub id: CaseId,
    /// In the order of the file, which is the order of the rubric.
    pub items: Vec<ImportedItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedItem {
    /// What the item asks, where the file says so.
    pub text: Option<String>,
    /// As it was written. Empty where the file has none: the place of an item counts.
    pub score: String,
}

/// Reads a coverage file. It gives one set, or none where nothing could be read.
pub fn read_judgements(name: &str, bytes: &[u8]) -> (Vec<ImportedSet>, Problems) {
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
    let mut set =
        ImportedSet { name: system(name), file: name.to_owned(), cases: Vec::new(), duplicates: 0 };
    let mut by_id: HashMap<CaseId, usize> = HashMap::new();
    json::walk(name, &decoded.text, &EXPECT, &mut problems, &mut |entry, problems| {
        let Some(case) = record(name, entry, problems) else { return };
        if let Some(&at) = by_id.get(&case.id) {
            set.duplicates += 1;
            set.cases[at] = case;
        } else {
            by_id.insert(case.id.clone(), set.cases.len());
            set.cases.push(case);
        }
    });
    if !set.cases.is_empty() {
        return (vec![set], problems);
    }
    let kind = sniff(name, &decoded.text);
    if problems.is_empty() || kind != FileKind::Judgements {
        problems = Problems::default();
        problems.report(
            name,
            Place::File,
            "No judgements were found in this file.",
            "A coverage file is an object that gives each query id a list of `rubric` and `score`.",
        );
    }
    (Vec::new(), problems)
}

/// The internal files are called `<provider>_judge_<model>.json`.
fn system(name: &str) -> SystemName {
    let (system, _) = names::system(name);
    match system.as_str().split_once("_judge_") {
        Some((provider, _)) if !provider.is_empty() => SystemName::new(provider),
        _ => system,
    }
}

fn record(file: &str, entry: Entry, problems: &mut Problems) -> Option<ImportedCase> {
    let Entry { place, key, value } = entry;
    let id = match (key, id(&value)) {
        (Some(key), _) if !key.trim().is_empty() => CaseId::new(key),
        (None, Ok(Some(id))) => id,
        (None, Err((what, cure))) => {
            problems.report(file, place, format!("{what} It was left out."), cure);
            return None;
        }
        _ => {
            problems.report(
                file,
                place,
                "This record has no id. It was left out.",
                "Give it the id of its question.",
            );
            return None;
        }
    };
    let list = match &value {
        Json::List(list) => Some(list),
        _ => match value.get(&JUDGES) {
            Some(Json::List(list)) => Some(list),
            _ => None,
        },
    };
    let Some(list) = list.filter(|list| !list.is_empty()) else {
        let what = format!("{} has no list of labels. It was left out.", excerpt(id.as_str()));
        problems.report(file, place, what, "Give it a list of objects with `score`.");
        return None;
    };
    let mut items = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        let score = match item {
            Json::Object(_) => item.get(&SCORE).unwrap_or(&Json::Null),
            other => other,
        };
        let score = match score {
            Json::Text(text) => text.clone(),
            Json::Int(number) => number.to_string(),
            Json::Float(number) => number.to_string(),
            Json::Null => String::new(),
            other => {
                let what = format!(
                    "Label {} of {} is {}. It counts as a label that cannot be read.",
                    index + 1,
                    excerpt(id.as_str()),
                    other.kind()
                );
                problems.report(file, place, what, "Write the label as text in quotes.");
                String::new()
            }
        };
        let text = item.get(&ITEM).and_then(Json::text).map(str::to_owned);
        items.push(ImportedItem { text, score });
    }
    Some(ImportedCase { id, items })
}
