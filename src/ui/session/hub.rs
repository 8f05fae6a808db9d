//! Loading from a Hub: what the fields say, how far the download is, and what came of it.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::hub::{Base, RESEARCHQA};
use crate::judge::ApiKey;
use crate::ui::command::Command;
use crate::ui::session::{Session, Tone, edge};
use crate::worker::{DataJob, DataReply, DownloadState, HubWish, KeptDownload, Notice, Role};

/// The signals of this part of the page.
#[derive(Clone, Copy)]
pub struct HubSession {
    pub wish: RwSignal<HubWish>,
    /// Splits to choose from.
    pub splits: RwSignal<Vec<String>>,
    /// How far a download is. `None` when nothing is being loaded.
    pub download: RwSignal<Option<DownloadState>>,
    pub outcome: RwSignal<Option<(Tone, Notice)>>,
    /// The newest commit, where an older one is in use.
    pub newer: RwSignal<Option<String>>,
    pub kept: RwSignal<Vec<KeptDownload>>,
    /// Hub that the token in memory belongs to. The token itself is in no signal.
    pub token_host: RwSignal<Option<String>>,
    pub token_error: RwSignal<Option<String>>,
}

/// Those of the benchmark that the page is made for.
const SPLITS: [&str; 5] = ["test", "valid", "full", "train", "test_mini"];

impl HubSession {
    pub(super) fn new() -> Self {
        let wish = HubWish {
            dataset: RESEARCHQA.to_owned(),
            base: Base::PUBLIC.to_owned(),
            revision: "main".to_owned(),
            split: SPLITS[0].to_owned(),
            newest: false,
        };
        Self {
            wish: RwSignal::new(wish),
            splits: RwSignal::new(SPLITS.map(str::to_owned).to_vec()),
            download: RwSignal::new(None),
            outcome: RwSignal::new(None),
            newer: RwSignal::new(None),
            kept: RwSignal::new(Vec::new()),
            token_host: RwSignal::new(None),
            token_error: RwSignal::new(None),
        }
    }
}

impl Session {
    pub(super) fn load_from_hub(self, newest: bool) {
        let hub = self.hub;
        if hub.download.with_untracked(Option::is_some) {
            return;
        }
        let is_sample = self
            .workspace
            .with_untracked(|it| it.ready().is_none_or(|it| it.is_sample || it.dataset.is_none()));
        let question = "The questions from the Hub take the place of those loaded now. Answers and runs \
                        stay. Go on?";
        let same = self.workspace.with_untracked(|it| {
            it.ready().and_then(|it| it.dataset.as_ref()).is_some_and(|it| it.source.is_some())
        });
        if !is_sample && !same && !crate::edge::page::confirm(question) {
            return;
        }
        hub.download.set(Some(DownloadState::default()));
        hub.outcome.set(None);
        hub.newer.set(None);
        let wish = HubWish { newest, ..hub.wish.get_untracked() };
        spawn_local(async move {
            let reply = self.data(DataJob::HubLoad(wish), &[]).await;
            hub.download.set(None);
            match reply {
                Ok((DataReply::HubLoaded { workspace, newer, notes }, _)) => {
                    let found = workspace.dataset.is_some();
                    self.set_workspace(*workspace);
                    hub.newer.set(newer);
                    if !notes.is_empty() {
                        let notice = Notice::new(
                            "Loaded from this device",
                            notes.join(" "),
                            "Load again when you are online.",
                        );
                        hub.outcome.set(Some((Tone::Warn, notice)));
                    } else if !found {
                        let notice = Notice::new(
                            "The files hold no questions",
                            "They were loaded, and nothing in them is a question with a checklist.",
                            "The reasons are in the list of problems. Choose another split, or another dataset.",
                        );
                        hub.outcome.set(Some((Tone::Bad, notice)));
                    }
                    self.list_kept();
                }
                Ok((DataReply::HubFailed { notice, splits }, _)) => {
                    if !splits.is_empty() {
                        let first = splits[0].clone();
                        hub.splits.set(splits);
                        hub.wish.update(|it| it.split = first);
                    }
                    hub.outcome.set(Some((Tone::Bad, notice)));
                }
                Ok(_) => {}
                Err(notice) => hub.outcome.set(Some((Tone::Bad, notice))),
            }
        });
    }

    pub(super) fn cancel_download(self) {
        self.task(None, async move { self.data(DataJob::HubCancel, &[]).await.map(drop) });
    }

    /// What is kept of Hubs.
    pub(super) fn list_kept(self) {
        self.task(None, async move { self.kept_job(DataJob::HubKept).await });
    }

    pub(super) fn delete_download(self, kept: KeptDownload) {
        self.task(None, async move {
            let KeptDownload { base, repo, commit, .. } = kept;
            self.kept_job(DataJob::HubDelete { base, repo, commit }).await
        });
    }

    async fn kept_job(self, job: DataJob) -> Result<(), Notice> {
        if let (DataReply::Kept(kept), _) = self.data(job, &[]).await? {
            self.hub.kept.set(kept);
        }
        Ok(())
    }

    /// Takes the token out of its field, for the Hub in the fields.
    pub(super) fn set_token(self, text: &str) {
        let hub = self.hub;
        if text.trim().is_empty() {
            self.send(Command::ForgetToken);
            return;
        }
        let base = hub.wish.with_untracked(|it| Base::read(&it.base));
        let key = match base {
            Ok(base) => ApiKey::new(text, base.as_str()).map_err(|it| it.to_string()),
            Err(told) => Err(told.why),
        };
        match key {
            Ok(key) => {
                hub.token_error.set(None);
                self.task(None, async move {
                    let origin = key.origin().to_owned();
                    if let Some(secret) = key.reveal_for(&origin) {
                        let pool = self.pool()?;
                        pool.hand_key(Role::Data, secret, &origin).await.map_err(|it| edge(&it))?;
                        hub.token_host.set(Some(origin));
                    }
                    Ok(())
                });
            }
            Err(why) => {
                hub.token_host.set(None);
                hub.token_error.set(Some(why));
            }
        }
    }

    pub(super) fn forget_token(self) {
        self.hub.token_host.set(None);
        self.hub.token_error.set(None);
        self.task(None, async move {
            self.pool()?.hand_key(Role::Data, "", "").await.map_err(|error| edge(&error))
        });
    }
}
