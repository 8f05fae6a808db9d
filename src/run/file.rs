//! The run file: all that is needed to recompute every number without a single call.
//!
//! Written in parts, so that no string holds the whole. Each reply stands once, under its key.
//! Never holds a key to a provider: no type it is made of can.

use serde::{Deserialize, Serialize};

use crate::dataset::RUN_FORMAT;
use crate::ids::Digest;
use crate::judge::Attempt;
use crate::ledger::Ledger;
use crate::metrics::{CoverageTable, Difference, TypeTable, View};
use crate::protocol::{Battling, Reading, Task};
use crate::run::frame::Texts;
use crate::run::record::Record;

/// Marks a file of the practice judge for whoever opens it elsewhere. The same words as in every report.
pub const WATERMARK: &str = "Practice scores: word overlap, not a judgement";

/// Raised when an older reader could misread a newer file.
pub const VERSION: u32 = 2;

/// Why a file is no run file this version reads.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    #[error("it is not a run file: {0}. Save it again from the Report page")]
    NotRead(String),
    #[error(
        "it was written by a newer version (format {0}). Reload this page to get the newest Viva"
    )]
    Newer(u32),
    #[error("it does not fit together: {0}. Save it again from the Report page")]
    Inconsistent(String),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Replies {
    key: Digest,
    attempts: Vec<Attempt>,
}

/// Tables as they stood when the file was written: for readers without this program, and to check
/// that reopening gives the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    pub reading: Reading,
    pub coverage: CoverageTable,
    pub differences: Vec<Difference>,
    pub by_type: TypeTable,
}

impl Tables {
    /// Over all questions, each system against the first in order of coverage.
    pub fn of(record: &Record, ledger: &Ledger, reading: Reading) -> Self {
        let sheet = record.sheet(ledger, reading);
        let view = View::default();
        let coverage = crate::metrics::coverage(&sheet, &view);
        let baseline = crate::metrics::leader(&coverage);
        Self {
            reading,
            differences: baseline
                .map(|it| crate::metrics::differences(&sheet, &view, it))
                .unwrap_or_default(),
            by_type: crate::metrics::by_type(&sheet, &view),
            coverage,
        }
    }
}

/// What a run file gives back.
#[derive(Debug)]
pub struct RunFile {
    pub record: Record,
    pub texts: Option<Texts>,
    pub replies: Vec<(Digest, Attempt)>,
    pub tables: Vec<Tables>,
}

/// The file in parts of some hundred kilobytes. Texts of questions and answers go along only if given.
pub fn write(record: &Record, ledger: &Ledger, texts: Option<&Texts>) -> Vec<String> {
    const PART: usize = 256 * 1024;
    let mut parts = Vec::new();
    let mut part = format!(
        "{{\n\"format\":{},\n\"version\":{VERSION},\n\"written_by\":{},\n\"watermark\":{},\n\"record\":{},\n\"texts\":{},\n\"tables\":[",
        json(&RUN_FORMAT),
        json(&concat!("viva ", env!("CARGO_PKG_VERSION"))),
        json(&record.settings.judge.is_practice().then_some(WATERMARK)),
        json(record),
        texts.map_or_else(|| "null".to_owned(), json),
    );
    let readings: &[Reading] = if record.settings.judge.allows_all_readings() {
        &Reading::ALL
    } else {
        &[Reading::Recommended]
    };
    for (index, reading) in readings.iter().enumerate() {
        part.push_str(if index == 0 { "\n" } else { ",\n" });
        part.push_str(&json(&Tables::of(record, ledger, *reading)));
    }
    part.push_str("\n],\n\"replies\":[");
    let mut keys: Vec<Digest> = record.all_tasks().iter().map(Task::key).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut first = true;
    for key in keys {
        let attempts = ledger.attempts(key);
        if attempts.is_empty() {
            continue;
        }
        part.push_str(if first { "\n" } else { ",\n" });
        first = false;
        part.push_str(&json(&Replies { key, attempts: attempts.to_vec() }));
        if PART < part.len() {
            parts.push(std::mem::take(&mut part));
        }
    }
    part.push_str("\n]\n}\n");
    parts.push(part);
    parts
}

/// Serialising cannot fail here: every type written has string keys and finite numbers.
fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

pub fn read(bytes: &[u8]) -> Result<RunFile, RunFileError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    #[derive(Deserialize)]
    struct Body {
        record: Record,
        #[serde(default)]
        texts: Option<Texts>,
        replies: Vec<Replies>,
        #[serde(default)]
        tables: Vec<Tables>,
    }
    let head: Head =
        serde_json::from_slice(bytes).map_err(|error| RunFileError::NotRead(error.to_string()))?;
    if head.format != RUN_FORMAT {
        return Err(RunFileError::NotRead(format!("its format is “{}”", clip(&head.format))));
    }
    if VERSION < head.version {
        return Err(RunFileError::Newer(head.version));
    }
    let body: Body =
        serde_json::from_slice(bytes).map_err(|error| RunFileError::NotRead(error.to_string()))?;
    check(&body.record, body.texts.as_ref())?;
    Ok(RunFile {
        record: body.record,
        texts: body.texts,
        replies: body
            .replies
            .into_iter()
            .flat_map(|it| {
                let key = it.key;
                it.attempts.into_iter().map(move |attempt| (key, attempt))
            })
            .collect(),
        tables: body.tables,
    })
}

/// Numbers from here on would change on their way between page and worker.
const EXACT: u64 = 1 << 53;

/// More often nobody asks the same, and a file that says so would fill the memory.
const MOST_TIMES: u32 = 100;

/// Indexes are trusted everywhere else, so a file whose parts do not match is refused here.
fn check(record: &Record, texts: Option<&Texts>) -> Result<(), RunFileError> {
    let wrong = |what: &str| Err(RunFileError::Inconsistent(what.to_owned()));
    let frame = &record.frame;
    if record.id != record.own_id() {
        return wrong("its id does not belong to its settings");
    }
    if EXACT <= record.settings.seed || record.settings.call_cap.is_some_and(|it| EXACT <= it) {
        return wrong("the seed or the call cap is too large a number");
    }
    if record.settings.repeats.is_some_and(|it| MOST_TIMES < it.times) {
        return wrong("it repeats its questions more often than this program does");
    }
    if record.settings.budget.is_some_and(|it| !it.is_finite() || it < 0.0)
        || [&record.settings.prices, &record.settings.batch_prices]
            .into_iter()
            .flatten()
            .any(|it| !it.is_sound())
    {
        return wrong("a budget or a price is not a number of dollars");
    }
    let costs = record.batches.iter().filter_map(|it| it.at_most);
    if costs.into_iter().any(|it| !it.is_finite() || it < 0.0) {
        return wrong("what a batch can cost is not a number of dollars");
    }
    if frame.systems.iter().any(|system| system.answers.len() != frame.cases.len()) {
        return wrong("a system has more or fewer answers than there are questions");
    }
    let weights = frame.cases.iter().flat_map(|case| &case.items).map(|item| item.weight);
    if weights.into_iter().any(|weight| !weight.is_finite() || weight <= 0.0) {
        return wrong("an item’s weight is not a number above zero");
    }
    let (cases, systems) = (frame.cases.len() as u32, frame.systems.len() as u32);
    let stands = |it: &Battling| {
        it.case < cases && it.first < systems && it.second < systems && it.first != it.second
    };
    if !record.battles.iter().all(stands) {
        return wrong("a battle is not between two of its systems over one of its questions");
    }
    match texts {
        Some(texts) if !texts.fits(frame) => {
            wrong("the texts do not match the questions and systems")
        }
        _ => Ok(()),
    }
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}
