//! What is kept of a run beside its replies.

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::judge::JudgeSpec;
use crate::judge::retry::RetryPolicy;
use crate::ledger::{Ledger, Pass};
use crate::observation::{Mark, Unscored};
use crate::protocol::coverage::evaluate;
use crate::protocol::{CoverageTask, Reading, coverage, settle};
use crate::run::driver::{Job, Phase, Progress, survey};
use crate::run::frame::Frame;
use crate::run::sheet::Sheet;

/// Everything a person can set. Holds no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub judge: JudgeSpec,
    pub seed: u64,
    /// `None`: all.
    pub per_field: Option<u32>,
    pub call_cap: Option<u64>,
    pub concurrency: u32,
}

/// Where a run came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Here,
    RunFile,
    Import,
    Merge,
}

/// Two people gave one item different labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub case: String,
    pub system: String,
    /// Counted from 1.
    pub item: u32,
    /// Who said what.
    pub labels: Vec<(String, String)>,
}

/// One run. Replies are kept apart, by key, and shared by all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// See [`Record::id_of`].
    pub id: String,
    pub name: String,
    /// UTC, milliseconds since the epoch.
    pub created: f64,
    pub updated: f64,
    pub origin: Origin,
    pub settings: Settings,
    pub frame: Frame,
    /// Raised by "Retry failed".
    pub pass: u32,
    pub phase: Phase,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
}

impl Record {
    /// What makes a run: judge, benchmark and seed. More systems, answers or queries extend it;
    /// anything else set differently is another run.
    pub fn id_of(settings: &Settings, dataset: Digest) -> String {
        Digest::of([
            b"run/1".as_slice(),
            settings.judge.identity().as_bytes(),
            dataset.as_bytes(),
            &settings.seed.to_le_bytes(),
        ])
        .to_string()
    }

    pub fn tasks(&self) -> Vec<CoverageTask> {
        coverage::tasks(&self.settings.judge, &self.frame)
    }

    pub fn job<'a>(&'a self, tasks: &'a [CoverageTask]) -> Job<'a> {
        Job {
            tasks,
            format: self.settings.judge.format(),
            policy: RetryPolicy::STANDARD,
            run: &self.id,
            pass: self.pass,
            call_cap: self.settings.call_cap,
        }
    }

    /// Progress as the ledger tells it, in the phase last written down.
    pub fn progress(&self, ledger: &Ledger) -> Progress {
        let tasks = self.tasks();
        let mut progress = survey(&self.job(&tasks), ledger);
        // A run that was going when the page closed is now standing still.
        progress.phase = if progress.calls_done < progress.calls {
            let untouched = self.phase == Phase::Idle && progress.attempts == 0;
            if untouched { Phase::Idle } else { Phase::Stopped }
        } else if progress.tally.unscored() == 0 {
            Phase::Done
        } else {
            Phase::DoneWithFailures
        };
        progress
    }

    /// The marks under one reading. Asks nothing.
    pub fn sheet(&self, ledger: &Ledger, reading: Reading) -> Sheet {
        let format = self.settings.judge.format();
        let pass = Pass { ledger, run: &self.id, number: self.pass };
        let mut marks: Vec<Vec<Vec<Mark>>> = self
            .frame
            .systems
            .iter()
            .map(|system| {
                self.frame
                    .cases
                    .iter()
                    .zip(&system.answers)
                    .map(|(case, answer)| {
                        let n = if answer.is_answered() { case.items.len() } else { 0 };
                        vec![Mark::Unscored(Unscored::NotAsked); n]
                    })
                    .collect()
            })
            .collect();
        let mut complete = true;
        let mut aborted = None;
        for task in self.tasks() {
            let settled = settle(&task, format, reading, &pass);
            complete &=
                evaluate(&task, format, Reading::Recommended, &pass, &RetryPolicy::STANDARD)
                    .is_ok();
            if reading == Reading::Released && aborted.is_none() {
                aborted = self.unknown_label(&task, &settled, &pass);
            }
            let row = &mut marks[task.system as usize][task.case as usize];
            let first = task.first as usize;
            row[first..first + settled.len()].copy_from_slice(&settled);
        }
        Sheet {
            frame: self.frame.clone(),
            judge: self.settings.judge.stamp(),
            reading,
            marks,
            complete,
            aborted,
        }
    }

    /// The authors' code stops at a reply of the right length with a word that is no label.
    fn unknown_label(
        &self,
        task: &CoverageTask,
        settled: &[Mark],
        pass: &Pass<'_>,
    ) -> Option<String> {
        let scored = settled.iter().any(|mark| mark.label().is_some());
        let unparsed = settled.contains(&Mark::Unscored(Unscored::Unparsed));
        let last = pass.ledger.attempts(task.key).iter().rfind(|it| it.is_reply())?;
        let crate::judge::Outcome::Reply { text, .. } = &last.outcome else {
            return None;
        };
        let right_count = matches!(
            coverage::read(
                text,
                task.len as usize,
                self.settings.judge.format(),
                Reading::Released
            ),
            coverage::Read::Labels(_)
        );
        (unparsed && (scored || right_count)).then(|| {
            format!(
                "A reply on query {} for {} holds a word that is not one of the five labels. The authors’ code stops there and saves nothing.",
                self.frame.cases[task.case as usize].id,
                self.frame.systems[task.system as usize].name
            )
        })
    }
}
