//! Verdicts in the shape of the benchmark's own coverage files (protocols §1.2).

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::observation::Mark;
use crate::run::{AnswerState, Sheet};

/// A coverage file, and what could not go into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageExport {
    /// `{ "<id>": [ {"rubric": text, "score": label}, … ] }`, ids in benchmark order.
    pub json: String,
    /// Answers left out because an item has no verdict, or there is no item. The format has no word for
    /// either, and to invent a label would be to invent a verdict.
    pub left_out: u64,
}

/// Why no coverage file is handed out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RefusedExport {
    #[error(
        "Practice scores are word overlap, not a judgement, so they are not written as judge results."
    )]
    Practice,
    #[error("The authors’ code would have stopped and saved nothing: {0}")]
    Aborted(String),
    #[error("There is no such system in this run.")]
    UnknownSystem,
    #[error("The rubric texts of {0} are not here. Load the benchmark this run was made with.")]
    TextsMissing(String),
    #[error("The file could not be written: {0}")]
    Unwritable(String),
}

/// The verdicts on one system, as `system` counts in the frame. `item_texts` holds the rubric of each
/// case, in frame order.
pub fn coverage_json(
    sheet: &Sheet,
    system: usize,
    item_texts: &[Vec<String>],
) -> Result<CoverageExport, RefusedExport> {
    if sheet.judge.practice {
        return Err(RefusedExport::Practice);
    }
    if let Some(reason) = &sheet.aborted {
        return Err(RefusedExport::Aborted(reason.clone()));
    }
    let answers = &sheet.frame.systems.get(system).ok_or(RefusedExport::UnknownSystem)?.answers;
    let marks = sheet.marks.get(system).map(Vec::as_slice).unwrap_or_default();

    let mut entries = Vec::new();
    let mut left_out = 0;
    for (index, case) in sheet.frame.cases.iter().enumerate() {
        if !answers.get(index).copied().is_some_and(AnswerState::is_answered) {
            continue;
        }
        let labels: Option<Vec<_>> =
            marks.get(index).into_iter().flatten().copied().map(Mark::label).collect();
        let Some(labels) = labels.filter(|labels| is_whole(labels.len(), case.items.len())) else {
            left_out += 1;
            continue;
        };
        let texts = item_texts
            .get(index)
            .filter(|texts| texts.len() == labels.len())
            .ok_or_else(|| RefusedExport::TextsMissing(case.id.to_string()))?;
        let verdicts = texts
            .iter()
            .zip(labels)
            .map(|(rubric, label)| Verdict { rubric, score: label.as_str() })
            .collect();
        entries.push((case.id.as_str(), verdicts));
    }
    let json = serde_json::to_string_pretty(&InOrder(entries))
        .map_err(|error| RefusedExport::Unwritable(error.to_string()))?;
    Ok(CoverageExport { json, left_out })
}

fn is_whole(labels: usize, items: usize) -> bool {
    0 < items && labels == items
}

#[derive(Serialize)]
struct Verdict<'a> {
    rubric: &'a str,
    score: &'static str,
}

/// An object whose keys stay in benchmark order, which no map of ours would keep.
struct InOrder<'a>(Vec<(&'a str, Vec<Verdict<'a>>)>);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(id, verdicts)| (id, verdicts)))
    }
}
