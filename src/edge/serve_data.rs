//! The data worker.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::lock::Mutex;
use js_sys::Uint8Array;
use wasm_bindgen_futures::spawn_local;

use crate::dataset::text::is_parquet;
use crate::edge::message;
use crate::edge::parquet::Readers;
use crate::edge::serve::{notice, on_message, post};
use crate::edge::storage::{Files, Kept};
use crate::worker::data::{Desk, RawFile};
use crate::worker::{DataJob, DataReply, Notice, Workspace};

#[derive(Default)]
struct State {
    desk: RefCell<Desk>,
    /// Why files cannot be kept, once that is known.
    not_kept: RefCell<Option<String>>,
    /// Jobs in the order they came: what is brought while the last visit is still being read back
    /// must not be overwritten by it.
    turn: Mutex<()>,
}

pub(super) fn serve() {
    let state = Rc::new(State::default());
    on_message(move |data| {
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        let state = state.clone();
        spawn_local(async move {
            let (reply, bytes) = match message::read(envelope.body) {
                Ok(job) => {
                    let _turn = state.turn.lock().await;
                    state.handle(job, &envelope.bytes).await
                }
                Err(error) => (DataReply::Failed(notice(&error)), Vec::new()),
            };
            post(envelope.id, &reply, &bytes);
        });
    });
}

impl State {
    async fn handle(&self, job: DataJob, bytes: &[Uint8Array]) -> (DataReply, Vec<Uint8Array>) {
        let mut out = Vec::new();
        let reply = match job {
            DataJob::Restore => {
                self.restore().await;
                DataReply::Workspace(self.workspace())
            }
            DataJob::Ingest { names, brought } => {
                let files = converted(raw(names, bytes)).await;
                let taken = self.desk.borrow_mut().ingest(files, brought);
                self.keep_files().await;
                DataReply::Ingested { workspace: self.workspace(), taken }
            }
            DataJob::Sample { names } => {
                self.desk.borrow_mut().sample(raw(names, bytes));
                self.keep_files().await;
                DataReply::Workspace(self.workspace())
            }
            DataJob::RenameSystem { system, name } => {
                let renamed = self.desk.borrow_mut().rename(system, &name);
                match renamed {
                    Ok(()) => {
                        self.keep_edits().await;
                        DataReply::Workspace(self.workspace())
                    }
                    Err(notice) => DataReply::Failed(notice),
                }
            }
            DataJob::RemoveSystem { system } => {
                self.desk.borrow_mut().remove(system);
                self.keep_files().await;
                DataReply::Workspace(self.workspace())
            }
            DataJob::RemoveDataset => {
                self.desk.borrow_mut().remove_dataset();
                self.keep_files().await;
                DataReply::Workspace(self.workspace())
            }
            DataJob::Browse { filter, start, len } => {
                let (total, rows) = self.desk.borrow().browse(&filter, start, len);
                DataReply::Browsed { total, rows }
            }
            DataJob::Plan { judge, choice } => match self.desk.borrow().plan(&judge, choice) {
                Ok(plan) => DataReply::Plan(plan),
                Err(notice) => DataReply::Failed(notice),
            },
            DataJob::Frame { choice } => match self.desk.borrow().frame(choice) {
                Ok(frame) => match postcard::to_allocvec(&frame) {
                    Ok(bytes) => {
                        out.push(message::buffer(&bytes));
                        DataReply::Bytes
                    }
                    Err(error) => DataReply::Failed(Notice::new(
                        "The questions could not be handed to the judge",
                        error.to_string(),
                        "Reload the page and try again.",
                    )),
                },
                Err(notice) => DataReply::Failed(notice),
            },
            DataJob::HandOut { choice, format } => {
                DataReply::Text(self.desk.borrow().hand_out(choice, format))
            }
            DataJob::Forget => {
                self.desk.replace(Desk::default());
                match Files::open().await {
                    Ok(files) => match files.clear().await {
                        Ok(()) => DataReply::Workspace(self.workspace()),
                        Err(error) => DataReply::Failed(notice(&error)),
                    },
                    // Where nothing can be stored there is nothing to forget.
                    Err(_) => DataReply::Workspace(self.workspace()),
                }
            }
        };
        (reply, out)
    }

    fn workspace(&self) -> Box<Workspace> {
        let mut workspace = self.desk.borrow().workspace();
        workspace.not_kept.clone_from(&self.not_kept.borrow());
        Box::new(workspace)
    }

    async fn restore(&self) {
        let kept = match Files::open().await {
            Ok(files) => files.load().await,
            Err(error) => Err(error),
        };
        match kept {
            Ok(kept) => {
                let dataset = converted(kept.dataset).await;
                let answers = converted(kept.answers).await;
                self.desk.borrow_mut().restore(dataset, answers, kept.edits, kept.is_sample);
            }
            Err(error) => {
                self.not_kept.replace(Some(error.to_string()));
            }
        }
    }

    async fn keep_files(&self) {
        let kept = {
            let desk = self.desk.borrow();
            let (dataset, answers, edits, is_sample) = desk.kept();
            Kept {
                dataset: dataset.into_iter().cloned().collect(),
                answers: answers.into_iter().cloned().collect(),
                edits: edits.to_vec(),
                is_sample,
            }
        };
        let result = match Files::open().await {
            Ok(files) => files.save(&kept).await,
            Err(error) => Err(error),
        };
        self.not_kept.replace(result.err().map(|error| error.to_string()));
    }

    async fn keep_edits(&self) {
        let (edits, is_sample) = {
            let desk = self.desk.borrow();
            let (_, _, edits, is_sample) = desk.kept();
            (edits.to_vec(), is_sample)
        };
        let result = match Files::open().await {
            Ok(files) => files.save_edits(&edits, is_sample).await,
            Err(error) => Err(error),
        };
        self.not_kept.replace(result.err().map(|error| error.to_string()));
    }
}

fn raw(names: Vec<String>, bytes: &[Uint8Array]) -> Vec<RawFile> {
    names.into_iter().zip(bytes).map(|(name, bytes)| RawFile::new(name, bytes.to_vec())).collect()
}

/// Parquet files with what their worker reads from them; the others as they are.
///
/// The worker is started for the first such file and ended after the last.
async fn converted(mut files: Vec<RawFile>) -> Vec<RawFile> {
    let mut readers = Readers::default();
    for file in files.iter_mut().filter(|file| is_parquet(&file.bytes)) {
        let bytes = message::buffer(&file.bytes);
        file.converted = Some(readers.convert(&file.name, &bytes).await);
    }
    files
}
