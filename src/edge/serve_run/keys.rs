//! The run worker and its key: the vault, the lock for want of use, examinations, which host got what, and
//! what may not be in a file.

use std::rc::Rc;
use std::time::Duration;

use js_sys::Uint8Array;
use wasm_bindgen_futures::spawn_local;

use crate::edge::message::UNASKED;
use crate::edge::serve::{VaultWord, notice, post_dense};
use crate::edge::serve_run::{Answered, State, plain, today};
use crate::edge::storage::Store;
use crate::edge::vault::{self, OpenError};
use crate::edge::{clock, examine, fetch, message};
use crate::judge::doctor::{Case, KeyHeld, Surroundings};
use crate::judge::http;
use crate::judge::keyring::{self, Idle};
use crate::judge::{ApiKey, Endpoint, JudgeSpec, leak, signin};
use crate::report;
use crate::run::Wish;
use crate::run::file;
use crate::run::hosts::{self, HostCalls};
use crate::worker::{Keys, Notice, RunEvent, RunReply, VaultWish};

/// How often it is looked whether a key is used.
const LOOK: Duration = Duration::from_secs(20);

/// For a request that needs no thinking.
const PATIENCE: Duration = Duration::from_secs(20);

const SIGN_IN_AGAIN: &str = "Sign in once more: a code holds for some minutes and for one use. A key can be pasted as well.";

/// A fresh secret, and where to go with its fingerprint.
pub(super) fn sign_in(base_url: &str, back: &str) -> Result<Answered, Notice> {
    let failed =
        |why: &str| Notice::new("Signing in is not possible here", why, "Paste a key instead.");
    let random = vault::random().map_err(|error| failed(&error.to_string()))?;
    let verifier = signin::verifier(&random);
    let address = signin::address(base_url, back, &signin::challenge(&verifier))
        .ok_or_else(|| failed("The base URL is no address."))?;
    plain(RunReply::SignIn { address, verifier })
}

impl State {
    /// Takes a key that the page hands over; none where it is of no use.
    pub(super) fn take_key(&self, key: Option<ApiKey>) {
        self.idle.replace(None);
        self.key.replace(key.map(Rc::new));
    }

    pub(super) fn drop_key(&self) {
        self.take_key(None);
    }

    /// A call was made with the key.
    pub(super) fn used(&self) {
        if let Some(idle) = self.idle.borrow_mut().as_mut() {
            idle.touch(clock::now());
        }
    }

    /// Drops a key from the vault that nobody used for long, also where a timer was late: a page that was
    /// frozen must not wake with it. A run that goes on uses it, even while it waits.
    pub(super) fn lock_when_due(&self) {
        let runs = self.active.borrow().as_ref().is_some_and(|it| it.control.wish() == Wish::Run);
        if runs {
            self.used();
        }
        let is_due =
            self.idle.borrow_mut().as_mut().is_some_and(|it| it.left(clock::now()).is_none());
        if is_due {
            self.drop_key();
            post_dense(UNASKED, &RunEvent::Locked, &[]);
        }
    }

    /// Holds a key as one of the vault's: until nobody has used it for some minutes.
    fn hold(self: &Rc<Self>, minutes: u32) {
        self.idle.replace(Some(Idle::new(minutes, clock::now())));
        // One watch is enough; it ends with what it watches.
        if self.watching_idle.replace(true) {
            return;
        }
        let state = self.clone();
        spawn_local(async move {
            loop {
                state.lock_when_due();
                let left = state.idle.borrow_mut().as_mut().and_then(|it| it.left(clock::now()));
                match left {
                    Some(left) => clock::sleep(left.min(LOOK)).await,
                    None => break,
                }
            }
            state.watching_idle.set(false);
        });
    }

    pub(super) async fn vault_word(self: &Rc<Self>, word: VaultWord) -> Result<RunReply, Notice> {
        let store = self.store().await;
        match word.wish {
            VaultWish::Seal => self.seal(&store, &word).await?,
            VaultWish::Open => self.open(&store, &word).await?,
        }
        Ok(RunReply::Keys(self.keys(&store).await?))
    }

    async fn seal(self: &Rc<Self>, store: &Store, word: &VaultWord) -> Result<(), Notice> {
        let failed = |why: String, next: &str| Notice::new("The key was not sealed", why, next);
        if let Some(why) = &store.refused {
            return Err(failed(
                why.clone(),
                "Allow this page to store data, or keep it in memory.",
            ));
        }
        keyring::check_passphrase(&word.passphrase).map_err(|why| {
            failed(format!("About the passphrase: {why}."), "Choose a longer one.")
        })?;
        let key = self.key.borrow().clone();
        let key =
            key.filter(|it| Some(it.origin()) == http::origin(&word.base)).ok_or_else(|| {
                failed(
                    "There is no key for this host in memory.".to_owned(),
                    "Enter the key first.",
                )
            })?;
        let sealed = vault::seal(&key, &word.passphrase)
            .await
            .map_err(|error| failed(error.to_string(), "Keep it in memory instead."))?;
        let mut vault = store.vault().await.map_err(|error| notice(&error))?;
        vault.put(sealed);
        store.save_vault(&vault).await.map_err(|error| notice(&error))?;
        self.hold(word.minutes);
        Ok(())
    }

    async fn open(self: &Rc<Self>, store: &Store, word: &VaultWord) -> Result<(), Notice> {
        let failed = |why: &str, next: &str| Notice::new("The vault was not opened", why, next);
        let vault = store.vault().await.map_err(|error| notice(&error))?;
        let sealed = http::origin(&word.base).and_then(|it| vault.of(it)).ok_or_else(|| {
            failed("No key is sealed for this host.", "Enter the key and seal it.")
        })?;
        let key = vault::open(sealed, &word.passphrase).await.map_err(|error| match error {
            OpenError::Passphrase => failed(
                "The passphrase is another one, or what was stored is damaged.",
                "Try again. Who has forgotten the passphrase deletes the sealed key and enters it anew.",
            ),
            OpenError::Edge(error) => failed(&error.to_string(), "Enter the key instead."),
        })?;
        self.take_key(Some(key));
        self.hold(word.minutes);
        Ok(())
    }

    pub(super) async fn keys(&self, store: &Store) -> Result<Keys, Notice> {
        let sealed = store.vault().await.map_err(|error| notice(&error))?.origins();
        let locks_in = self.idle.borrow_mut().as_mut().and_then(|it| it.left(clock::now()));
        Ok(Keys {
            open: self.key.borrow().as_ref().map(|it| it.origin().to_owned()),
            locks_in: locks_in.map(|it| it.as_secs()),
            sealed,
            can_seal: vault::is_there() && store.refused.is_none(),
        })
    }

    pub(super) async fn delete_sealed(&self, store: &Store, origin: &str) -> Result<(), Notice> {
        let mut vault = store.vault().await.map_err(|error| notice(&error))?;
        vault.remove(origin);
        store.save_vault(&vault).await.map_err(|error| notice(&error))?;
        if self.key.borrow().as_ref().is_some_and(|it| it.origin() == origin) {
            self.drop_key();
        }
        Ok(())
    }

    pub(super) async fn forget_keys(&self, store: &Store) -> Result<(), Notice> {
        self.drop_key();
        store.save_vault(&keyring::Vault::default()).await.map_err(|error| notice(&error))
    }

    /// Refuses to ask a host whose key lies locked away: every call would be refused for want of it.
    pub(super) async fn unlocked(&self, store: &Store, judge: &JudgeSpec) -> Result<(), Notice> {
        match judge {
            JudgeSpec::Endpoint(endpoint) => self.unlocked_at(store, &endpoint.base_url).await,
            JudgeSpec::Practice
            | JudgeSpec::ByHand { .. }
            | JudgeSpec::Imported { .. }
            | JudgeSpec::Merged { .. } => Ok(()),
        }
    }

    pub(super) async fn unlocked_at(&self, store: &Store, base_url: &str) -> Result<(), Notice> {
        let Some(origin) = http::origin(base_url) else {
            return Ok(());
        };
        if self.key.borrow().as_ref().is_some_and(|it| it.origin() == origin) {
            return Ok(());
        }
        let vault = store.vault().await.map_err(|error| notice(&error))?;
        if vault.of(origin).is_none() {
            return Ok(());
        }
        Err(Notice::new(
            "The key for this host is locked",
            format!(
                "It lies in the vault on this device, and {} would be asked without it.",
                http::host(base_url).unwrap_or(base_url)
            ),
            "Open the vault with its passphrase, or delete the sealed key, then try again.",
        ))
    }

    pub(super) async fn examine(
        &self,
        store: &Store,
        endpoint: Endpoint,
        around: Surroundings,
        longest: Option<u64>,
    ) -> Result<Answered, Notice> {
        self.unlocked(store, &JudgeSpec::Endpoint(endpoint.clone())).await?;
        let key = self.key.borrow().clone();
        let held = match &key {
            None => KeyHeld::None,
            Some(key) if Some(key.origin()) == http::origin(&endpoint.base_url) => {
                KeyHeld::ForThisHost
            }
            Some(_) => KeyHeld::ForAnotherHost,
        };
        // A key for another host is no key for this one.
        let usable = key.as_deref().filter(|_| held == KeyHeld::ForThisHost);
        let host = endpoint.host().to_owned();
        let case = Case { endpoint, key: held, around, today: today(), longest };
        let mut diagnosis = examine::examine(case, usable, |at, replied| {
            self.used();
            self.note(&host, at, replied);
        })
        .await;
        // What was escaped in a body stands plain in its words.
        if let Some(key) = usable {
            diagnosis.words = key.blot(&diagnosis.words);
        }
        plain(RunReply::Examined(Box::new(diagnosis.into())))
    }

    /// Trades a code for a key and holds it: it never crosses to the page.
    pub(super) async fn signed_in(
        &self,
        base_url: &str,
        code: &str,
        verifier: &str,
    ) -> Result<(), Notice> {
        let failed = |why: String| Notice::new("Signing in failed", why, SIGN_IN_AGAIN);
        let request = signin::exchange(base_url, code, verifier);
        let began = clock::now();
        let heard = fetch::send(&request, None, PATIENCE).await;
        self.note(http::host(base_url).unwrap_or(base_url), began, heard.is_ok());
        let response = heard.map_err(|why| {
            let (_, _, words) = super::told(&why);
            failed(format!("The browser’s words: {words}."))
        })?;
        let key = signin::key_of(base_url, &response).map_err(|why| {
            // A host can repeat what it was sent.
            let why = why.replace(code, "[code]").replace(verifier, "[code]");
            failed(format!("In short: {why}."))
        })?;
        self.take_key(Some(key));
        Ok(())
    }

    /// Remembers a call that is no run's.
    pub(super) fn note(&self, host: &str, at: f64, replied: bool) {
        let one = HostCalls::one(host, at, replied);
        let mut beside = self.beside.borrow_mut();
        match beside.iter_mut().find(|it| it.host == host) {
            Some(known) => known.add(&one),
            None => beside.push(one),
        }
    }

    pub(super) fn hosts(&self) -> RunReply {
        let book = self.book.borrow();
        let found = hosts::hosts(book.records.values(), &self.ledger.borrow());
        let beside = self.beside.borrow();
        RunReply::Blocks(report::hosts::blocks(&found, &beside, clock::minute))
    }

    /// A run file without keys. A key cannot stand across two parts: they are cut between replies.
    pub(super) fn export(&self, run: &str, texts: bool) -> Result<Answered, Notice> {
        let book = self.book.borrow();
        let record = book.record(run)?;
        let texts = if texts { Some(book.texts(run)?) } else { None };
        let mut taken = 0;
        let parts: Vec<Uint8Array> = file::write(record, &self.ledger.borrow(), texts)
            .iter()
            .map(|part| {
                let clean = self.clean(part);
                taken += clean.taken;
                message::buffer(clean.text.as_bytes())
            })
            .collect();
        Ok((RunReply::File { note: leak::told(taken) }, parts))
    }

    /// Only this worker knows the very key, so what is saved passes here.
    pub(super) fn clean<'a>(&self, text: &'a str) -> leak::Clean<'a> {
        let key = self.key.borrow().clone();
        let keys: Vec<&ApiKey> = key.as_deref().into_iter().collect();
        leak::clean(text, &keys)
    }
}
