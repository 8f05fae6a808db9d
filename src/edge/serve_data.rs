//! The data worker.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::lock::Mutex;
use js_sys::Uint8Array;
use wasm_bindgen_futures::spawn_local;

use crate::dataset::text::is_parquet;
use crate::edge::cache::Downloads;
use crate::edge::hub::{self, Cancel};
use crate::edge::message::{self, UNASKED};
use crate::edge::parquet::Readers;
use crate::edge::serve::{key_of, notice, on_message, post_dense};
use crate::edge::storage::{Files, Kept};
use crate::judge::ApiKey;
use crate::worker::data::{Desk, RawFile, plan_notes};
use crate::worker::{DataEvent, DataJob, DataReply, HubWish, Notice, Workspace};

#[derive(Default)]
struct State {
    desk: RefCell<Desk>,
    /// For gated and private data.
    token: RefCell<Option<Rc<ApiKey>>>,
    /// The download that is going on.
    cancel: RefCell<Option<Cancel>>,
    /// Why files cannot be kept, once that is known.
    not_kept: RefCell<Option<String>>,
    /// Why the download in use is not kept, if it is not.
    download_not_kept: RefCell<Option<String>>,
    /// Jobs in the order they came: what is brought while the last visit is still being read back
    /// must not be overwritten by it.
    turn: Mutex<()>,
}

pub(super) fn serve() {
    let state = Rc::new(State::default());
    on_message(move |data| {
        if let Some((key, base)) = key_of(&data) {
            state.token.replace(ApiKey::new(&key, &base).ok().map(Rc::new));
            return;
        }
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        let state = state.clone();
        spawn_local(async move {
            let (reply, bytes) = match message::read_dense(&envelope.body) {
                // A download takes its time, and others go on meanwhile.
                Ok(DataJob::HubLoad(wish)) => (state.load(&wish).await, Vec::new()),
                Ok(DataJob::HubCancel) => {
                    if let Some(cancel) = &*state.cancel.borrow() {
                        cancel.cancel();
                    }
                    (DataReply::Workspace(state.workspace()), Vec::new())
                }
                Ok(job) => {
                    let _turn = state.turn.lock().await;
                    state.handle(job, &envelope.bytes).await
                }
                Err(error) => (DataReply::Failed(notice(&error)), Vec::new()),
            };
            post_dense(envelope.id, &reply, &bytes);
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
            DataJob::Explore { filter } => {
                DataReply::Explored(Box::new(self.desk.borrow_mut().explore(&filter)))
            }
            DataJob::Rows { view, start, len } => {
                let rows = self.desk.borrow().rows(view, start, len);
                DataReply::Rows { view, rows }
            }
            DataJob::Question { place, text } => match self.desk.borrow().question(place, &text) {
                Some(question) => DataReply::Question(Box::new(question)),
                None => DataReply::Failed(Notice::new(
                    "There is no such question",
                    "Other questions were loaded meanwhile.",
                    "Choose one from the list.",
                )),
            },
            DataJob::Plan { settings } => match self.desk.borrow().plan(&settings) {
                Ok(plan) => DataReply::Plan { notes: plan_notes(&settings, &plan), plan },
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
            // Both were answered before they came here.
            DataJob::HubLoad(_) | DataJob::HubCancel => DataReply::Workspace(self.workspace()),
            DataJob::HubKept => kept_downloads().await,
            DataJob::HubDelete { base, repo, commit } => {
                delete_download(&base, &repo, &commit).await
            }
            DataJob::Forget => {
                self.desk.replace(Desk::default());
                self.token.replace(None);
                // Where there is no cache there is nothing in it.
                Downloads::clear().await.ok();
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

    /// Downloads first, and takes its turn then.
    async fn load(&self, wish: &HubWish) -> DataReply {
        let cancel = Cancel::new();
        if let Some(earlier) = self.cancel.replace(Some(cancel.clone())) {
            earlier.cancel();
        }
        let token = self.token.borrow().clone();
        let tell = |state| post_dense(UNASKED, &DataEvent::Download(state), &[]);
        let loaded = match hub::load(wish, token, cancel, &tell).await {
            Ok(loaded) => loaded,
            Err(failed) => {
                return DataReply::HubFailed { notice: failed.notice, splits: failed.splits };
            }
        };
        let _turn = self.turn.lock().await;
        let files = converted(loaded.files).await;
        self.desk.borrow_mut().load(files, loaded.source);
        self.keep_files().await;
        self.download_not_kept.replace(loaded.not_kept);
        DataReply::HubLoaded {
            workspace: self.workspace(),
            newer: loaded.newer,
            notes: loaded.notes,
        }
    }

    fn workspace(&self) -> Box<Workspace> {
        let desk = self.desk.borrow();
        let mut workspace = desk.workspace();
        workspace.not_kept.clone_from(&self.not_kept.borrow());
        if workspace.not_kept.is_none() && desk.source().is_some() {
            workspace.not_kept.clone_from(&self.download_not_kept.borrow());
        }
        Box::new(workspace)
    }

    async fn restore(&self) {
        let kept = match Files::open().await {
            Ok(files) => files.load().await,
            Err(error) => Err(error),
        };
        match kept {
            Ok(kept) => {
                let (mut dataset, mut source) = (kept.dataset, kept.source);
                if let Some(from) = &source {
                    if let Some(files) = hub::restore(from).await {
                        dataset = files;
                    } else {
                        let gone = format!(
                            "the downloaded files of {} are no longer on this device; load them again",
                            from.words()
                        );
                        self.not_kept.replace(Some(gone));
                        source = None;
                    }
                }
                let dataset = converted(dataset).await;
                let answers = converted(kept.answers).await;
                let mut desk = self.desk.borrow_mut();
                desk.restore(dataset, source, answers, kept.edits, kept.is_sample);
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
                source: desk.source().cloned(),
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

async fn delete_download(base: &str, repo: &str, commit: &str) -> DataReply {
    let deleted = match Downloads::open().await {
        Ok(downloads) => downloads.delete(base, repo, commit).await,
        Err(error) => Err(error),
    };
    match deleted {
        Ok(()) => kept_downloads().await,
        Err(error) => DataReply::Failed(notice(&error)),
    }
}

async fn kept_downloads() -> DataReply {
    let list = match Downloads::open().await {
        Ok(downloads) => downloads.list().await,
        // Where there is no cache there is nothing in it.
        Err(_) => Ok(Vec::new()),
    };
    match list {
        Ok(list) => DataReply::Kept(list),
        Err(error) => DataReply::Failed(notice(&error)),
    }
}

/// Parquet files with what their worker reads from them; the others as they are.
///
/// The worker is started for the first such file and ended after the last.
async fn converted(mut files: Vec<RawFile>) -> Vec<RawFile> {
    let mut readers = Readers::default();
    for file in files.iter_mut().filter(|file| is_parquet(file.bytes.as_bytes())) {
        let bytes = message::buffer(file.bytes.as_bytes());
        file.converted = Some(readers.convert(&file.name, &bytes).await);
    }
    files
}
