//! Keys: given, kept as a person chose, locked and forgotten. No signal holds one.

use leptos::prelude::*;

use crate::edge::{page, signin, tab_key};
use crate::judge::keyring::{IDLE_MINUTES, Keeping};
use crate::judge::{ApiKey, JudgeSpec, ProviderId, http};
use crate::run::record::Settings;
use crate::ui::draft::Draft;
use crate::ui::route::Route;
use crate::ui::session::{Outcome, Session, Tone, edge};
use crate::worker::{Keys, KeysJob, Notice, Role, RunJob, RunReply, VaultWish};

/// What is known of keys, and how the next one is to be kept.
#[derive(Clone, Copy)]
pub struct KeySession {
    /// Which there are. None of them is in it.
    pub held: RwSignal<Keys>,
    pub keep: RwSignal<Keeping>,
    /// Why what was typed cannot be used, as a clause.
    pub error: RwSignal<Option<String>>,
}

impl KeySession {
    pub(super) fn new() -> Self {
        Self {
            held: RwSignal::new(Keys::default()),
            keep: RwSignal::new(Keeping::Memory),
            error: RwSignal::new(None),
        }
    }

    /// Host of the key in memory.
    pub fn host(&self) -> Option<String> {
        self.held.with(|it| Some(http::host(it.open.as_deref()?)?.to_owned()))
    }
}

impl Session {
    /// What the last visit left, and what a person comes back with who went to sign in.
    pub(super) fn find_keys(self) {
        let arrival = signin::arrive();
        self.task(None, async move {
            if let Some(key) = tab_key::find() {
                self.keys.keep.set(Keeping::Tab);
                self.hand(&key).await?;
            }
            self.ask_keys(KeysJob::List).await?;
            if self.keys.held.with_untracked(|it| it.open.is_none() && !it.sealed.is_empty()) {
                self.keys.keep.set(Keeping::Vault);
            }
            Ok(())
        });
        let Some(arrival) = arrival else {
            return;
        };
        self.draft.update(|it| it.choose(ProviderId::OpenRouter, &arrival.base_url));
        page::go(&Route::Judge.href());
        self.task(Some("Signing in"), async move {
            let signin::Arrival { code, verifier, base_url } = arrival;
            self.ask_keys(KeysJob::SignedIn { base_url, code, verifier }).await
        });
    }

    /// The host of the fields, where it can be one.
    fn key_base(self) -> String {
        match self.draft.with_untracked(Draft::settings) {
            Ok(Settings { judge: JudgeSpec::Endpoint(endpoint), .. }) => endpoint.base_url,
            _ => self.draft.with_untracked(|it| it.base_url.trim().to_owned()),
        }
    }

    pub(super) fn set_key(self, text: &str) {
        if text.trim().is_empty() {
            self.forget_key();
            return;
        }
        let key = match ApiKey::new(text, &self.key_base()) {
            Ok(key) => key,
            Err(error) => {
                // Who enters another key does not mean the one before it.
                self.forget_key();
                self.keys.held.update(|it| it.open = None);
                self.keys.error.set(Some(error.to_string()));
                return;
            }
        };
        self.keys.error.set(None);
        // Known at once: the field empties itself by it.
        self.keys.held.update(|it| it.open = Some(key.origin().to_owned()));
        let in_tab = self.keys.keep.get_untracked() == Keeping::Tab;
        self.task(None, async move {
            self.hand(&key).await?;
            if in_tab && !tab_key::keep(&key) {
                let what = Notice::new(
                    "The key stays in memory",
                    "This browser gives the tab no storage of its own.",
                    "It is asked for again after a reload.",
                );
                self.notice.set(Some((Tone::Warn, what)));
            }
            self.ask_keys(KeysJob::List).await
        });
    }

    /// Hands a key to the worker that asks with it: in a message of its own, and to nobody else.
    async fn hand(self, key: &ApiKey) -> Outcome<()> {
        let secret = key.reveal_for(key.origin()).unwrap_or_default();
        let pool = self.pool()?;
        pool.hand_key(Role::Run, secret, key.origin()).await.map_err(|error| edge(&error))
    }

    /// Drops the key in memory and in this tab. What is sealed stays.
    pub(super) fn forget_key(self) {
        tab_key::forget();
        self.keys.error.set(None);
        self.keys_job(KeysJob::Lock);
    }

    /// Drops every key and deletes everything sealed.
    pub(super) fn forget_keys(self) {
        tab_key::forget();
        self.keys.keep.set(Keeping::Memory);
        self.keys.error.set(None);
        self.keys_job(KeysJob::Forget);
    }

    pub(super) fn keep_keys(self, keeping: Keeping) {
        if keeping != Keeping::Tab {
            tab_key::forget();
        }
        self.keys.keep.set(keeping);
    }

    pub(super) fn keys_job(self, job: KeysJob) {
        self.task(None, async move { self.ask_keys(job).await });
    }

    async fn ask_keys(self, job: KeysJob) -> Outcome<()> {
        if let (RunReply::Keys(keys), _) = self.runner(RunJob::Keys(job), &[]).await? {
            self.keys.held.set(keys);
        }
        Ok(())
    }

    /// Seals the key in memory for the host of the fields, or opens what is sealed for it.
    pub(super) fn vault(self, wish: VaultWish, passphrase: String) {
        let base = self.key_base();
        let label = match wish {
            VaultWish::Seal => "Sealing the key",
            VaultWish::Open => "Opening the vault",
        };
        self.task(Some(label), async move {
            let pool = self.pool()?;
            let asked = pool.vault(wish, &passphrase, &base, IDLE_MINUTES).await;
            match asked.map_err(|error| edge(&error))? {
                RunReply::Keys(keys) => self.keys.held.set(keys),
                RunReply::Failed(notice) => return Err(notice),
                _ => {}
            }
            Ok(())
        });
    }

    /// The worker dropped a key of the vault for want of use.
    pub(super) fn vault_locked(self) {
        self.keys_job(KeysJob::List);
        let notice = Notice::new(
            "The vault locked itself",
            format!("No call was made for {IDLE_MINUTES} minutes."),
            "Open it with its passphrase on the Judge page when the key is needed again.",
        );
        self.notice.set(Some((Tone::Plain, notice)));
    }

    /// Leaves for the host of the fields, to come back with a code.
    pub(super) fn sign_in(self) {
        if self.active.with_untracked(Option::is_some) {
            self.fail(&Notice::new(
                "A run is going on",
                "Signing in leaves this page, and the run would stop in the middle of its calls.",
                "Stop the run first, or let it finish.",
            ));
            return;
        }
        let base_url = self.key_base();
        self.task(Some("Going to sign in"), async move {
            let back = signin::back().unwrap_or_default();
            let job = KeysJob::SignIn { base_url: base_url.clone(), back };
            if let (RunReply::SignIn { address, verifier }, _) =
                self.runner(RunJob::Keys(job), &[]).await?
            {
                signin::depart(&address, &verifier, &base_url).map_err(|error| edge(&error))?;
            }
            Ok(())
        });
    }
}
