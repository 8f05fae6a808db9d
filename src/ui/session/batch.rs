//! Batches: files to download, batches that the page submits itself, and their results.

use leptos::prelude::*;
use web_sys::File;

use crate::dataset::Problems;
use crate::edge::{download, page};
use crate::judge::JudgeSpec;
use crate::ui::draft::Draft;
use crate::ui::format::counted;
use crate::ui::session::{Aside, Outcome, Read, Session, agreed, edge, unusable_fields};
use crate::worker::{BatchJob, DataJob, Notice, RunJob, RunReply, RunSummary};

/// What the last step with batches gave.
#[derive(Clone, Copy)]
pub struct BatchSession {
    pub notes: RwSignal<Vec<String>>,
    pub problems: RwSignal<Problems>,
}

/// What can be done with batches of the run that the fields name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchStep {
    Files,
    Submit,
    Poll,
    /// Nothing more will come of what is out.
    GiveUp,
}

impl BatchSession {
    pub(super) fn new() -> Self {
        Self { notes: RwSignal::new(Vec::new()), problems: RwSignal::new(Problems::default()) }
    }
}

impl Session {
    pub(super) fn batch(self, step: BatchStep) {
        match step {
            BatchStep::Files => {
                self.task(Some("Writing batch files"), async move { self.batch_files().await });
            }
            BatchStep::Submit => {
                let settings = self.draft.with_untracked(Draft::settings);
                if settings.as_ref().is_ok_and(|it| !agreed(&it.judge)) {
                    return;
                }
                self.task(Some("Submitting a batch"), async move {
                    let run = self.prepare().await?;
                    let limits = settings.map_err(|_| unusable_fields())?.limits();
                    let job = BatchJob::Submit { run: run.clone(), limits: Box::new(limits) };
                    let submitted = self.runner(RunJob::Batch(job), &[]).await;
                    self.show_batches(run).await;
                    submitted.map(drop)
                });
            }
            BatchStep::Poll => {
                self.ask_batches(|run| BatchJob::Poll { run });
            }
            BatchStep::GiveUp => {
                let sure = page::confirm(
                    "Wait no longer for what is out? What comes of it can be brought all the same, and is then paid for twice where it was asked again.",
                );
                if !sure {
                    return;
                }
                self.ask_batches(|run| BatchJob::GiveUp { run });
            }
        }
    }

    fn ask_batches(self, job: fn(String) -> BatchJob) {
        let Some(run) = untrack(|| self.batch_run()) else {
            return;
        };
        self.task(Some("Looking after the batches"), async move {
            let (reply, _) = self.runner(RunJob::Batch(job(run.clone())), &[]).await?;
            self.heard_results(reply);
            self.show_batches(run).await;
            Ok(())
        });
    }

    /// The run that the fields name, or one that was reopened and needs no other files.
    fn batch_run(self) -> Option<String> {
        let loaded = self.workspace.with(|it| it.ready().is_some_and(|it| it.dataset.is_some()));
        self.drafted().or_else(|| self.current().filter(|_| !loaded).map(|it| it.id))
    }

    /// The run that the fields name, with everything they ask for in it, and nothing asked.
    async fn prepare(self) -> Outcome<String> {
        let settings = self.draft.with_untracked(Draft::settings).map_err(|_| unusable_fields())?;
        let loaded =
            self.workspace.with_untracked(|it| it.ready().is_some_and(|it| it.dataset.is_some()));
        if !loaded {
            // A reopened run file with its texts needs no other files.
            return untrack(|| self.batch_run()).ok_or_else(|| {
                Notice::new(
                    "There is nothing to write a batch from",
                    "Questions and answers are not loaded.",
                    "Bring them on the Data and Systems pages, or reopen a run file with texts.",
                )
            });
        }
        let (_, frame) = self.data(DataJob::Frame { choice: settings.choice() }, &[]).await?;
        let (reply, _) = self
            .runner(RunJob::Batch(BatchJob::Prepare { settings: Box::new(settings) }), &frame)
            .await?;
        let RunReply::Run(summary) = reply else {
            return Err(unusable_fields());
        };
        let id = summary.id.clone();
        self.keep_summary(*summary);
        self.choose(id.clone());
        Ok(id)
    }

    async fn batch_files(self) -> Outcome<()> {
        let run = self.prepare().await?;
        let (reply, parts) = self.runner(RunJob::Batch(BatchJob::Files { run }), &[]).await?;
        if let RunReply::Files { files, mut notes } = reply {
            for (file, part) in files.iter().zip(parts) {
                download::parts(&file.name, "application/x-ndjson", &[part])
                    .map_err(|error| edge(&error))?;
            }
            let written = files
                .iter()
                .map(|it| format!("{}: {}.", it.name, counted(it.n, "request", "requests")));
            notes.splice(0..0, written);
            self.batch.notes.set(notes);
            self.batch.problems.set(Problems::default());
        }
        Ok(())
    }

    pub(super) fn batch_results(self, list: Vec<File>) {
        if list.is_empty() {
            return;
        }
        self.task(Some("Reading results"), async move {
            let Read { names, bytes, .. } = self.read_all(&list).await;
            let (reply, _) =
                self.runner(RunJob::Batch(BatchJob::Results { names }), &bytes).await?;
            self.heard_results(reply);
            if let Some(run) = untrack(|| self.batch_run()) {
                self.show_batches(run).await;
            }
            Ok(())
        });
    }

    fn heard_results(self, reply: RunReply) {
        if let RunReply::Reopened { runs, problems, notes, .. } = reply {
            self.runs.set(runs);
            self.batch.notes.set(notes);
            self.batch.problems.set(problems);
            self.raise_revision();
        }
    }

    /// The list of runs and the table of batches, as they are now.
    async fn show_batches(self, run: String) {
        if let Ok((RunReply::Runs(runs), _)) = self.runner(RunJob::List, &[]).await {
            self.runs.set(runs);
        }
        self.ask_aside(Aside::Batches(run));
    }

    /// Whether a judge may be asked live while requests to it are out in a batch: of this run, or of another
    /// over the same questions, which may be the same requests.
    pub(super) fn agreed_to_pay_twice(self, run: Option<&str>, judge: &JudgeSpec) -> bool {
        let out: u64 = self.runs.with_untracked(|runs| {
            let this = |it: &&RunSummary| Some(it.id.as_str()) == run;
            let asked = runs.iter().find(this).map(|it| it.dataset_digest);
            let asked = asked.or_else(|| {
                self.workspace.with_untracked(|it| Some(it.ready()?.dataset.as_ref()?.digest))
            });
            runs.iter()
                .filter(|it| {
                    this(it)
                        || Some(it.dataset_digest) == asked
                            && it.settings.judge.identity() == judge.identity()
                })
                .map(|it| it.batched)
                .sum()
        });
        out == 0
            || page::confirm(&format!(
                "{out} requests to this judge are out in a batch. Those of them that are asked live now are paid twice. Start all the same?"
            ))
    }
}
