//! What outlives the tab beside the browser's own storage: a copy in a picked file, and a word when the
//! browser has deleted what was kept.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;

use crate::edge::copy::{self, Copy};
use crate::edge::{clock, page};
use crate::ui::session::{Session, Tone};
use crate::worker::{Notice, RunJob};

/// Shortest time between two copies, in milliseconds.
const PAUSE: f64 = 60_000.0;
/// Writing may take this part of the time at most.
const SHARE: f64 = 20.0;
/// The setting that says how many runs were kept when the page was last open.
const KEPT: &str = "kept-runs";

/// The copy of a run in a file, as pages show it.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyState {
    pub run: String,
    pub file: String,
    /// When it was last written: UTC, milliseconds since the epoch.
    pub written: Option<f64>,
    /// Why it could not be written the last time.
    pub failed: Option<String>,
}

#[derive(Clone, Copy)]
pub struct KeepingSession {
    pub copy: RwSignal<Option<CopyState>>,
}

/// What no signal holds.
#[derive(Default)]
pub(super) struct Keeping {
    file: RefCell<Option<Copy>>,
    writing: Cell<bool>,
    /// Whether the run has come further, or to its end, while it was being written.
    again: Cell<bool>,
    /// When the last copy was begun, and how long it took, in milliseconds.
    began: Cell<f64>,
    took: Cell<f64>,
}

impl KeepingSession {
    pub(super) fn new() -> Self {
        Self { copy: RwSignal::new(None) }
    }

    pub fn is_offered(self) -> bool {
        copy::is_offered()
    }
}

impl Session {
    /// Lets the person pick a file, and writes the run to it now and as it goes on.
    pub(super) fn keep_copy(self, run: String) {
        self.task(None, async move {
            let name = run_file_name(&run);
            let picked = Copy::pick(&name).await.map_err(|error| {
                Notice::new(
                    "No file was chosen",
                    error.to_string(),
                    "Write the run file by hand on the Report page.",
                )
            })?;
            let Some(file) = picked else {
                return Ok(());
            };
            let state = CopyState { run, file: file.name.clone(), written: None, failed: None };
            self.inner().keeping.file.replace(Some(file));
            self.keeping.copy.set(Some(state));
            self.copy_now().await;
            Ok(())
        });
    }

    pub(super) fn leave_copy(self) {
        self.inner().keeping.file.take();
        self.keeping.copy.set(None);
    }

    /// Writes the copy again if `run` has one and it is time.
    pub(super) fn copy_in_time(self, run: &str, ended: bool) {
        if self.keeping.copy.with_untracked(|it| it.as_ref().is_none_or(|it| it.run != run)) {
            return;
        }
        let inner = self.inner();
        let keeping = &inner.keeping;
        let pause = PAUSE.max(keeping.took.get() * SHARE);
        if ended || pause <= clock::now() - keeping.began.get() {
            leptos::task::spawn_local(self.copy_now());
        }
    }

    async fn copy_now(self) {
        let Some(state) = self.keeping.copy.get_untracked() else {
            return;
        };
        let inner = self.inner();
        let keeping = &inner.keeping;
        if keeping.writing.replace(true) {
            // What is being written is older than what is asked for now.
            keeping.again.set(true);
            return;
        }
        keeping.began.set(clock::now());
        let result = async {
            let job = RunJob::Export { run: state.run.clone(), texts: false };
            let (_, parts) = self.runner(job, &[]).await?;
            let file = keeping.file.take();
            let Some(file) = file else {
                return Ok(());
            };
            let written = file.write(&parts).await.map_err(|it| super::edge(&it));
            // Another may have been picked meanwhile, or none be wanted any more.
            let wanted = self.keeping.copy.with_untracked(|it| {
                it.as_ref().is_some_and(|it| it.run == state.run && it.file == state.file)
            });
            if wanted && keeping.file.borrow().is_none() {
                keeping.file.replace(Some(file));
            }
            written
        }
        .await;
        keeping.took.set(clock::now() - keeping.began.get());
        keeping.writing.set(false);
        self.keeping.copy.update(|it| {
            if let Some(it) = it.as_mut().filter(|it| it.run == state.run) {
                match result {
                    Ok(()) => (it.written, it.failed) = (Some(clock::now()), None),
                    Err(Notice { why, .. }) => it.failed = Some(why),
                }
            }
        });
        if keeping.again.replace(false) {
            leptos::task::spawn_local(self.copy_now());
        }
    }

    /// Remembers how many runs are kept, so that the next visit can tell when the browser deleted them.
    pub(super) fn note_kept(self) {
        let kept = self.runs.with(|runs| runs.iter().filter(|it| it.stored).count());
        let text = kept.to_string();
        page::set_setting(KEPT, (0 < kept).then_some(text.as_str()));
    }

    /// Says so where runs were kept at the last visit and none is there now. Where the browser deleted
    /// that memory as well, nobody can know.
    pub(super) fn tell_removed(self) {
        let before = page::setting(KEPT).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        if before == 0 || self.runs.with_untracked(|it| !it.is_empty()) {
            return;
        }
        let runs = crate::ui::format::counted(before, "run was", "runs were");
        self.notice.set(Some((
            Tone::Bad,
            Notice::new(
                "What this page had kept was removed by the browser",
                format!(
                    "At your last visit {runs} kept here. Browsers delete a page’s data when room \
                     runs out, and Safari after seven days of use without a visit."
                ),
                "Reopen the run files you saved, on the Report page. “Keep a copy in a file” on the Judge page guards the next run.",
            ),
        )));
    }
}

/// The name a run file is offered under.
pub(super) fn run_file_name(run: &str) -> String {
    format!("viva-run-{}.json", &run[..8.min(run.len())])
}
