//! The run worker: queue, driver, storage, and the only sender of requests to judges.

mod batches;
mod keys;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::lock::Mutex;
use js_sys::Uint8Array;
use wasm_bindgen_futures::spawn_local;

use crate::dataset::judgements::read_judgements;
use crate::dataset::{Place, Problems};
use crate::edge::fetch::{self, NoResponse};
use crate::edge::lock::{self, Lock};
use crate::edge::message::{self, UNASKED};
use crate::edge::serve::{key_of, notice, on_message, post_dense, vault_word};
use crate::edge::storage::{Store, entry_of};
use crate::edge::tabs::Tabs;
use crate::edge::{EdgeError, clock};
use crate::ids::Digest;
use crate::judge::keyring::Idle;
use crate::judge::provider::{self, Decoded};
use crate::judge::{ApiKey, Attempt, Capabilities, Endpoint, ErrorKind, JudgeSpec, Outcome};
use crate::judge::{ProviderId, Usage, http, leak};
use crate::ledger::Ledger;
use crate::protocol::{Reading, Request, Task};
use crate::report;
use crate::report::number::counted;
use crate::report::reference::coverage_json;
use crate::rubric::Label;
use crate::run::batches::is_bounded;
use crate::run::driver::{Exchange, Halt};
use crate::run::hosts::HostCalls;
use crate::run::money::{MoneyError, Prices, Tokens};
use crate::run::record::{Limits, Record, Settings};
use crate::run::{Control, Effects, Frame, Phase, Progress, StorageError, Texts, Wish, drive};
use crate::run::{file, merge, spend};
use crate::worker::runs::{Book, Reply};
use crate::worker::tabs::{TabWord, lock_name, locked_run};
use crate::worker::{BatchJob, KeysJob, Notice, RunEvent, RunJob, RunReply, RunSummary, TableJob};

/// Milliseconds between two snapshots for the page.
const FRAME: f64 = 60.0;

struct State {
    tabs: Rc<Tabs>,
    /// Whether another tab has said anything: what is in memory may then be older than storage.
    accompanied: Cell<bool>,
    /// Runs that other tabs drive, and how far they said they are.
    elsewhere: RefCell<BTreeMap<String, Option<Progress>>>,
    /// Runs that another tab said it is giving up.
    leaving: RefCell<BTreeSet<String>>,
    book: RefCell<Book>,
    ledger: RefCell<Ledger>,
    store: RefCell<Option<Rc<Store>>>,
    /// Set while storage is being read for the first time.
    loaded: Cell<bool>,
    active: RefCell<Option<Active>>,
    /// Shared by the calls in flight, for none of which it may change.
    key: RefCell<Option<Rc<ApiKey>>>,
    /// Set while the key is one of the vault's: when it is dropped for want of use.
    idle: RefCell<Option<Idle>>,
    watching_idle: Cell<bool>,
    /// Calls that no run made, since this worker began.
    beside: RefCell<Vec<HostCalls>>,
    /// Jobs that change runs, one after the other: two starts at once would pay for everything twice.
    turn: Mutex<()>,
}

#[derive(Clone)]
struct Active {
    run: String,
    control: Rc<Control>,
    parting: Rc<Cell<Parting>>,
}

/// Whether a run is going to another tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parting {
    Stays,
    /// It was asked for: calls in flight finish first.
    Asked,
    /// It was taken while this tab said nothing: whatever is written of it now is the other tab's.
    Taken,
}

type Answered = (RunReply, Vec<Uint8Array>);

pub(super) fn serve() {
    let state = Rc::<State>::new_cyclic(|state| {
        let state = state.clone();
        let hear = move |word| {
            if let Some(state) = state.upgrade() {
                state.hear(word);
            }
        };
        State {
            tabs: Rc::new(Tabs::open(hear)),
            accompanied: Cell::new(false),
            elsewhere: RefCell::default(),
            leaving: RefCell::default(),
            book: RefCell::default(),
            ledger: RefCell::default(),
            store: RefCell::default(),
            loaded: Cell::new(false),
            active: RefCell::default(),
            key: RefCell::default(),
            idle: RefCell::default(),
            watching_idle: Cell::new(false),
            beside: RefCell::default(),
            turn: Mutex::default(),
        }
    });
    on_message(move |data| {
        if let Some((key, base)) = key_of(&data) {
            // An unusable key was refused at the field already; here it only means there is none.
            state.take_key(ApiKey::new(&key, &base).ok());
            return;
        }
        if let Some(word) = vault_word(&data) {
            let state = state.clone();
            spawn_local(async move {
                let id = word.id;
                let reply = state.vault_word(word).await.unwrap_or_else(RunReply::Failed);
                post_dense(id, &reply, &[]);
            });
            return;
        }
        let Ok(envelope) = message::unpack(&data) else {
            return;
        };
        let state = state.clone();
        spawn_local(async move {
            let answered = match message::read_dense(&envelope.body) {
                Ok(job) => state.handle(job, &envelope.bytes).await,
                Err(error) => Err(notice(&error)),
            };
            let (reply, bytes) =
                answered.unwrap_or_else(|notice| (RunReply::Failed(notice), Vec::new()));
            post_dense(envelope.id, &reply, &bytes);
        });
    });
}

/// Whether a job waits for its turn. Pause, stop and reading never do.
fn changes_runs(job: &RunJob) -> bool {
    match job {
        RunJob::Start { .. }
        | RunJob::Continue { .. }
        | RunJob::RetryFailed { .. }
        | RunJob::TakeOver { .. }
        | RunJob::HandLabel { .. }
        | RunJob::Reopen { .. }
        | RunJob::Merge { .. }
        | RunJob::Import { .. }
        | RunJob::Bridge { .. }
        | RunJob::Batch(
            BatchJob::Prepare { .. }
            | BatchJob::Results { .. }
            | BatchJob::Submit { .. }
            | BatchJob::Poll { .. }
            | BatchJob::GiveUp { .. },
        )
        | RunJob::Rename { .. }
        | RunJob::Delete { .. }
        | RunJob::Forget => true,
        RunJob::List
        | RunJob::Hand { .. }
        | RunJob::SetConcurrency { .. }
        | RunJob::Sheet { .. }
        | RunJob::Inspect { .. }
        | RunJob::HandTask { .. }
        | RunJob::Export { .. }
        | RunJob::Reference { .. }
        | RunJob::Models { .. }
        | RunJob::Doctor { .. }
        | RunJob::Batch(BatchJob::Files { .. } | BatchJob::List { .. })
        | RunJob::Table(_)
        | RunJob::Keys(_) => false,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the last word of every arm that can fail before")]
fn plain(reply: RunReply) -> Result<Answered, Notice> {
    Ok((reply, Vec::new()))
}

impl State {
    async fn handle(
        self: &Rc<Self>,
        job: RunJob,
        bytes: &[Uint8Array],
    ) -> Result<Answered, Notice> {
        self.lock_when_due();
        let store = self.store().await;
        self.load(&store).await.map_err(|error| notice(&error))?;
        let _turn = if changes_runs(&job) { Some(self.turn.lock().await) } else { None };
        // Boxed where it is large: one future of all of them takes the optimiser minutes.
        match job {
            RunJob::List => plain(RunReply::Runs(self.list())),
            RunJob::Start { settings } => {
                let (frame, texts) = frame(bytes.first())?;
                self.begin(settings, frame, texts, true).await
            }
            RunJob::Continue { run, limits } => self.resume(&run, limits, false).await,
            RunJob::RetryFailed { run, limits } => self.resume(&run, limits, true).await,
            RunJob::TakeOver { run, limits } => Box::pin(self.take_over(&run, limits)).await,
            RunJob::Hand { run, wish } => {
                self.wish(run, wish);
                plain(RunReply::Done)
            }
            RunJob::SetConcurrency { run, concurrency } => {
                self.set_concurrency(run, concurrency);
                plain(RunReply::Done)
            }
            RunJob::Sheet { run, reading } => {
                let sheet = self.book.borrow().record(&run)?.sheet(&self.ledger.borrow(), reading);
                let bytes = postcard::to_allocvec(&sheet).map_err(|error| unexpected(&error))?;
                Ok((RunReply::Bytes, vec![message::buffer(&bytes)]))
            }
            RunJob::Inspect { run, case } => {
                self.need_texts(&store, &run).await?;
                let view = self.book.borrow().inspect(&self.ledger.borrow(), &run, case)?;
                plain(RunReply::Inspect(Box::new(view)))
            }
            RunJob::HandTask { run, at } => {
                self.need_texts(&store, &run).await?;
                let view = self.book.borrow().hand_task(&self.ledger.borrow(), &run, at)?;
                plain(RunReply::HandTask(Box::new(view)))
            }
            RunJob::HandLabel { run, at, key, label } => {
                Box::pin(self.hand_label(&store, &run, (at, key), label)).await
            }
            RunJob::Export { run, texts } => {
                if texts {
                    self.need_texts(&store, &run).await?;
                }
                self.export(&run, texts)
            }
            RunJob::Reference { run, system, reading } => {
                self.need_texts(&store, &run).await?;
                self.reference(&run, system, reading)
            }
            RunJob::Reopen { names } => Box::pin(self.reopen(&store, names, bytes)).await,
            RunJob::Merge { runs } => Box::pin(self.merge(&store, &runs)).await,
            RunJob::Import { names, judge, prompt, date } => {
                let judge = JudgeSpec::Imported { judge, prompt, date };
                Box::pin(self.import(&store, judge, names, bytes)).await
            }
            RunJob::Bridge { from, settings, sample } => {
                Box::pin(self.bridge(&from, settings, sample)).await
            }
            RunJob::Batch(job) => Box::pin(self.batch(&store, job, bytes)).await,
            RunJob::Table(job) => self.compose(job),
            RunJob::Models { provider, capabilities, base_url } => {
                self.unlocked_at(&store, &base_url).await?;
                Box::pin(self.models(provider, capabilities, &base_url)).await
            }
            RunJob::Doctor { endpoint, around, longest } => {
                Box::pin(self.examine(&store, *endpoint, *around, longest)).await
            }
            RunJob::Keys(job) => Box::pin(self.keep_keys(&store, job)).await,
            RunJob::Rename { run, name } => self.rename(&store, &run, &name).await,
            RunJob::Delete { run } => self.delete(&store, &run).await,
            RunJob::Forget => self.forget(&store).await,
        }
    }

    /// Takes a person's label, and gives the next item.
    async fn hand_label(
        &self,
        store: &Rc<Store>,
        run: &str,
        (at, key): (u64, Digest),
        label: Label,
    ) -> Result<Answered, Notice> {
        self.need_texts(store, run).await?;
        let reply = self.book.borrow().hand_reply(
            &self.ledger.borrow(),
            run,
            (at, key),
            label,
            clock::now(),
        )?;
        self.admit(store, vec![reply]).await?;
        self.touch(store, run).await?;
        let view = self.book.borrow().hand_task(&self.ledger.borrow(), run, None)?;
        plain(RunReply::HandTask(Box::new(view)))
    }

    /// What is wanted of a run that goes on, here or in another tab.
    fn wish(&self, run: String, wish: Wish) {
        match self.control_of(&run) {
            Some(control) => control.set(wish),
            None => self.tabs.say(&TabWord::Hand { run, wish }),
        }
    }

    fn set_concurrency(&self, run: String, concurrency: u32) {
        match self.control_of(&run) {
            Some(control) => control.set_limit(concurrency as usize),
            None => self.tabs.say(&TabWord::SetConcurrency { run, concurrency }),
        }
    }

    /// What has to do with batches.
    async fn batch(
        self: &Rc<Self>,
        store: &Rc<Store>,
        job: BatchJob,
        bytes: &[Uint8Array],
    ) -> Result<Answered, Notice> {
        match job {
            BatchJob::Prepare { settings } => {
                let (frame, texts) = frame(bytes.first())?;
                self.begin(*settings, frame, texts, false).await
            }
            BatchJob::Files { run } => {
                self.need_texts(store, &run).await?;
                self.batch_files(&run)
            }
            BatchJob::Results { names } => self.batch_results(store, names, bytes).await,
            BatchJob::Submit { run, limits } => self.batch_submit(store, &run, *limits).await,
            BatchJob::Poll { run } => self.batch_poll(store, &run).await,
            BatchJob::GiveUp { run } => self.batch_give_up(store, &run).await,
            BatchJob::List { run } => self.batches(&run),
        }
    }

    /// Keys, and who got how many calls.
    async fn keep_keys(&self, store: &Rc<Store>, job: KeysJob) -> Result<Answered, Notice> {
        match job {
            KeysJob::Hosts => return plain(self.hosts()),
            KeysJob::SignIn { base_url, back } => return keys::sign_in(&base_url, &back),
            KeysJob::SignedIn { base_url, code, verifier } => {
                self.signed_in(&base_url, &code, &verifier).await?;
            }
            KeysJob::Lock => self.drop_key(),
            KeysJob::DeleteSealed { origin } => self.delete_sealed(store, &origin).await?,
            KeysJob::Forget => self.forget_keys(store).await?,
            KeysJob::Clean { text } => {
                let clean = self.clean(&text);
                let note = leak::told(clean.taken).unwrap_or_default();
                return plain(RunReply::Text { text: clean.text.into_owned(), note });
            }
            KeysJob::List => {}
        }
        plain(RunReply::Keys(self.keys(store).await?))
    }

    /// What stands beside tables, composed as it is to be set.
    fn compose(&self, job: TableJob) -> Result<Answered, Notice> {
        match job {
            TableJob::Spent { run } => {
                let book = self.book.borrow();
                let lines = spend::spent(book.record(&run)?, &self.ledger.borrow());
                plain(RunReply::Blocks(report::spend::blocks(&lines)))
            }
            TableJob::Compare { a, b, reading } => {
                let compared =
                    self.book.borrow().compare(&self.ledger.borrow(), &a, &b, reading)?;
                plain(RunReply::Blocks(report::compare::blocks(&compared)))
            }
            TableJob::Panel { runs, reading } => {
                let found = self.book.borrow().panel(&self.ledger.borrow(), &runs, reading)?;
                plain(RunReply::Blocks(report::panel::blocks(&found)))
            }
            TableJob::Repeats { run } => {
                let found = self.book.borrow().repeats(&self.ledger.borrow(), &run)?;
                plain(RunReply::Blocks(report::repeats::blocks(&found)))
            }
            TableJob::Provider { endpoint, around, system } => {
                plain(RunReply::Blocks(report::provider::blocks(&endpoint, &around, system)))
            }
            TableJob::Power { run, sketch, prices, max_tokens } => {
                let money = (prices.as_ref(), max_tokens);
                let mut book = self.book.borrow_mut();
                let (start, blocks) = book.outlook(&self.ledger.borrow(), run, sketch, money)?;
                plain(RunReply::Outlook { start, blocks })
            }
        }
    }

    /// The hand on a run that goes on here.
    fn control_of(&self, run: &str) -> Option<Rc<Control>> {
        let active = self.active.borrow();
        active.as_ref().filter(|active| active.run == run).map(|active| active.control.clone())
    }

    /// What another tab said.
    fn hear(self: &Rc<Self>, word: TabWord) {
        self.accompanied.set(true);
        match word {
            TabWord::Stored(entries) => {
                let mut ledger = self.ledger.borrow_mut();
                for (key, value) in entries {
                    if let Some((key, attempt)) = entry_of(&key, &value) {
                        ledger.admit(key, attempt);
                    }
                }
            }
            TabWord::Progress { run, progress } => {
                if self.control_of(&run).is_some() {
                    return;
                }
                self.watch(&run);
                self.elsewhere.borrow_mut().insert(run.clone(), Some((*progress).clone()));
                post_dense(UNASKED, &RunEvent::Progress { run, progress }, &[]);
            }
            TabWord::Changed { run } => {
                let state = self.clone();
                spawn_local(async move {
                    let store = state.store().await;
                    if state.loaded.get() && state.reload(&store, &run).await.is_ok() {
                        state.tell_list();
                    }
                });
            }
            TabWord::Forgotten => {
                self.book.replace(Book::default());
                self.ledger.replace(Ledger::default());
                self.tell_list();
            }
            TabWord::Hand { run, wish } => {
                if let Some(control) = self.control_of(&run) {
                    control.set(wish);
                }
            }
            TabWord::SetConcurrency { run, concurrency } => {
                if let Some(control) = self.control_of(&run) {
                    control.set_limit(concurrency as usize);
                }
            }
            TabWord::GiveUp { run } => {
                if self.part(&run, Parting::Asked) {
                    self.tabs.say(&TabWord::Leaving { run });
                }
            }
            TabWord::Leaving { run } => {
                self.leaving.borrow_mut().insert(run);
            }
        }
    }

    /// Lets a run go to another tab; says whether it goes on here at all.
    fn part(&self, run: &str, how: Parting) -> bool {
        let active = self.active.borrow();
        let Some(active) = active.as_ref().filter(|active| active.run == run) else {
            return false;
        };
        active.parting.set(how);
        active.control.set(match how {
            Parting::Taken => Wish::Cancel,
            Parting::Asked | Parting::Stays => Wish::Stop,
        });
        true
    }

    fn tell_list(&self) {
        post_dense(UNASKED, &RunEvent::Listed(self.list()), &[]);
    }

    /// Knows a run as one that another tab drives, for as long as that tab does.
    fn watch(self: &Rc<Self>, run: &str) {
        if self.elsewhere.borrow().contains_key(run) {
            return;
        }
        self.elsewhere.borrow_mut().insert(run.to_owned(), None);
        let (state, run) = (self.clone(), run.to_owned());
        spawn_local(async move {
            state.tell_list();
            // Granted once the other tab has ended the run, or has ended itself.
            drop(lock::hold(&lock_name(&run), || {}).await);
            state.elsewhere.borrow_mut().remove(&run);
            if state.control_of(&run).is_some() {
                return;
            }
            let store = state.store().await;
            state.reload(&store, &run).await.ok();
            if let Ok(summary) = state.summary(&run) {
                post_dense(UNASKED, &RunEvent::Ended { summary, notice: None }, &[]);
            }
        });
    }

    /// Reads a run again as storage has it.
    async fn reload(&self, store: &Store, run: &str) -> Result<(), EdgeError> {
        if store.refused.is_some() {
            return Ok(());
        }
        let found = store.run(run).await?;
        let mut book = self.book.borrow_mut();
        let Some((record, has_texts)) = found else {
            book.remove(run);
            return Ok(());
        };
        // Texts go by place, so those of another frame would be read in the wrong places.
        if book.records.get(run).is_none_or(|before| before.frame != record.frame) {
            book.texts.remove(run);
        }
        if has_texts {
            book.stored_texts.insert(run.to_owned());
        } else {
            book.stored_texts.remove(run);
        }
        book.records.insert(run.to_owned(), record);
        Ok(())
    }

    /// Brings a run and all replies up to what other tabs have stored: what they paid for is not asked
    /// for again.
    async fn refresh(&self, store: &Store, run: &str) -> Result<(), Notice> {
        if !self.accompanied.get() {
            return Ok(());
        }
        self.reload(store, run).await.map_err(|error| notice(&error))?;
        let replies = store.replies().await.map_err(|error| notice(&error))?;
        let mut ledger = self.ledger.borrow_mut();
        for (key, attempt) in replies {
            ledger.admit(key, attempt);
        }
        Ok(())
    }

    /// What happens when another tab takes the lock on `run` away.
    fn when_lost(self: &Rc<Self>, run: &str) -> impl FnOnce() + 'static {
        let (state, run) = (Rc::downgrade(self), run.to_owned());
        move || {
            if let Some(state) = state.upgrade() {
                state.part(&run, Parting::Taken);
            }
        }
    }

    /// The lock on a run: one tab drives it.
    async fn seize(self: &Rc<Self>, run: &str) -> Result<Lock, Notice> {
        match lock::try_hold(&lock_name(run), self.when_lost(run)).await {
            Some(lock) => Ok(lock),
            None => {
                self.accompanied.set(true);
                self.watch(run);
                Err(elsewhere())
            }
        }
    }

    /// Asks the tab that drives a run for it, and takes it where that tab says nothing.
    async fn take_over(self: &Rc<Self>, run: &str, limits: Limits) -> Result<Answered, Notice> {
        /// For the other tab to say that it heard.
        const ANSWER: Duration = Duration::from_secs(3);
        self.free()?;
        self.accompanied.set(true);
        self.leaving.borrow_mut().remove(run);
        self.tabs.say(&TabWord::GiveUp { run: run.to_owned() });
        let name = lock_name(run);
        let lock = {
            let mut granted = pin!(lock::hold(&name, self.when_lost(run)));
            let mut lock = first(granted.as_mut(), ANSWER).await;
            if lock.is_none() && self.leaving.borrow().contains(run) {
                // Its calls in flight are paid for: they are waited for as long as they may take.
                lock = first(granted, fetch::DEADLINE + ANSWER).await;
            }
            lock
        };
        let lock = match lock {
            Some(lock) => lock,
            None => lock::steal(&name, self.when_lost(run)).await,
        };
        self.elsewhere.borrow_mut().remove(run);
        self.resume_with(lock, run, limits, false).await
    }

    async fn models(
        &self,
        provider: ProviderId,
        capabilities: Option<Capabilities>,
        base_url: &str,
    ) -> Result<Answered, Notice> {
        const PATIENCE: Duration = Duration::from_secs(20);
        // Whoever typed an address may still have typed a known provider’s.
        let provider = match provider {
            ProviderId::Custom => provider::by_address(base_url),
            named => named,
        };
        let can = provider::can(provider, capabilities, base_url);
        let request = provider::list_models(base_url, &can);
        let key = self.key.borrow().clone();
        let usable = key.as_deref().filter(|it| it.is_for(&request.url));
        let none = |why: String, next: &str| Notice::new("No list of models came back", why, next);
        let began = clock::now();
        let heard = fetch::send(&request, usable, PATIENCE).await;
        self.note(http::host(base_url).unwrap_or(base_url), began, heard.is_ok());
        match heard {
            Ok(response) if (200..300).contains(&response.status) => {
                plain(RunReply::Models(provider::read_models(provider, &response.body, &today())))
            }
            Ok(response) => Err(none(
                format!("The host answered {}.", response.status),
                "The model’s name can be typed all the same.",
            )),
            Err(why) => {
                let (kind, _, words) = told(&why);
                Err(none(format!("The browser’s words: {words}."), kind.cure()))
            }
        }
    }

    async fn rename(&self, store: &Store, run: &str, name: &str) -> Result<Answered, Notice> {
        if let Some(record) = self.book.borrow_mut().records.get_mut(run) {
            name.trim().clone_into(&mut record.name);
        }
        self.save(store, run).await?;
        plain(RunReply::Runs(self.list()))
    }

    async fn delete(&self, store: &Store, run: &str) -> Result<Answered, Notice> {
        self.not_running(run)?;
        store.delete_run(run).await.map_err(|error| notice(&error))?;
        self.book.borrow_mut().remove(run);
        self.tabs.say(&TabWord::Changed { run: run.to_owned() });
        plain(RunReply::Runs(self.list()))
    }

    async fn forget(&self, store: &Store) -> Result<Answered, Notice> {
        if !self.elsewhere.borrow().is_empty() {
            return Err(elsewhere());
        }
        // What is in flight writes its last word; only then is there nothing left to forget.
        let control = self.active.borrow().as_ref().map(|active| active.control.clone());
        if let Some(control) = control {
            control.set(Wish::Cancel);
            while self.active.borrow().is_some() {
                clock::sleep(Duration::from_millis(20)).await;
            }
        }
        self.forget_keys(store).await?;
        store.clear().await.map_err(|error| notice(&error))?;
        self.book.replace(Book::default());
        self.ledger.replace(Ledger::default());
        self.tabs.say(&TabWord::Forgotten);
        plain(RunReply::Runs(self.list()))
    }

    async fn store(&self) -> Rc<Store> {
        let known = self.store.borrow().clone();
        match known {
            Some(store) => store,
            None => {
                let opened = Store::open(self.tabs.clone()).await;
                // Another message may have opened it meanwhile; the first one stays, unless it was refused and
                // nobody has read from it.
                let mut known = self.store.borrow_mut();
                let is_better = opened.refused.is_none() && !self.loaded.get();
                if known.as_ref().is_some_and(|it| it.refused.is_some() && is_better) {
                    *known = None;
                }
                known.get_or_insert(opened).clone()
            }
        }
    }

    /// Reads everything on record, once.
    async fn load(self: &Rc<Self>, store: &Store) -> Result<(), EdgeError> {
        if self.loaded.get() {
            return Ok(());
        }
        let (runs, texts, replies) =
            (store.runs().await?, store.runs_with_texts().await?, store.replies().await?);
        let held = lock::held().await;
        if self.loaded.replace(true) {
            return Ok(());
        }
        for run in held.iter().filter_map(|name| locked_run(name)) {
            self.watch(run);
        }
        let mut book = self.book.borrow_mut();
        book.records = runs.into_iter().map(|record| (record.id.clone(), record)).collect();
        book.stored_texts = texts.into_iter().collect::<BTreeSet<_>>();
        let mut ledger = self.ledger.borrow_mut();
        for (key, attempt) in replies {
            ledger.admit(key, attempt);
        }
        Ok(())
    }

    fn list(&self) -> Vec<RunSummary> {
        let mut runs = self.book.borrow().summaries(&self.ledger.borrow());
        for run in &mut runs {
            self.complete(run);
            if let Some(control) = self.control_of(&run.id) {
                run.progress.phase = phase_of(control.wish());
            }
        }
        runs
    }

    /// Adds what only this worker knows: where the run is kept, and who drives it.
    fn complete(&self, summary: &mut RunSummary) {
        summary.stored = self.is_stored();
        if let Some(heard) = self.elsewhere.borrow().get(&summary.id) {
            summary.elsewhere = true;
            match heard {
                Some(progress) => summary.progress.clone_from(progress),
                None => summary.progress.phase = Phase::Running,
            }
        }
    }

    fn is_stored(&self) -> bool {
        self.store.borrow().as_ref().is_some_and(|store| store.refused.is_none())
    }

    fn summary(&self, run: &str) -> Result<Box<RunSummary>, Notice> {
        let book = self.book.borrow();
        let mut summary = book.summary(book.record(run)?, &self.ledger.borrow());
        self.complete(&mut summary);
        Ok(Box::new(summary))
    }

    fn not_running(&self, run: &str) -> Result<(), Notice> {
        if self.elsewhere.borrow().contains_key(run) {
            return Err(elsewhere());
        }
        if self.active.borrow().as_ref().is_some_and(|active| active.run == run) {
            return Err(Notice::new(
                "This run is going on",
                "What is in flight would be lost.",
                "Press “Stop” on the Judge page first.",
            ));
        }
        Ok(())
    }

    async fn need_texts(&self, store: &Store, run: &str) -> Result<(), Notice> {
        let here = {
            let book = self.book.borrow();
            book.texts.contains_key(run) || !book.stored_texts.contains(run)
        };
        if here {
            return Ok(());
        }
        let texts = store.texts(run).await.map_err(|error| notice(&error))?;
        let mut book = self.book.borrow_mut();
        let fits = texts.filter(|it| book.records.get(run).is_some_and(|run| it.fits(&run.frame)));
        book.texts.extend(fits.map(|texts| (run.to_owned(), texts)));
        Ok(())
    }

    /// Stores replies and only then counts them.
    async fn admit(&self, store: &Rc<Store>, replies: Vec<Reply>) -> Result<(), Notice> {
        let fresh: Vec<Reply> = replies
            .into_iter()
            .filter(|(key, attempt)| !self.ledger.borrow().attempts(*key).contains(attempt))
            .collect();
        let writes = fresh.iter().map(|(key, attempt)| store.append(*key, attempt));
        futures_util::future::try_join_all(writes).await.map_err(|error| {
            Notice::new(
                "The judgements could not be stored",
                error.to_string(),
                "Free some space, or delete old runs on the Settings page.",
            )
        })?;
        let mut ledger = self.ledger.borrow_mut();
        for (key, attempt) in fresh {
            ledger.admit(key, attempt);
        }
        Ok(())
    }

    async fn save(&self, store: &Store, run: &str) -> Result<(), Notice> {
        let record = self.book.borrow().record(run)?.clone();
        store.save_run(&record).await.map_err(|error| notice(&error))?;
        self.tabs.say(&TabWord::Changed { run: run.to_owned() });
        Ok(())
    }

    /// Record and texts together: one without the other would be read in the wrong places.
    async fn save_all(&self, store: &Store, run: &str) -> Result<(), Notice> {
        let (record, texts, stored) = {
            let book = self.book.borrow();
            let stored = book.stored_texts.contains(run);
            (book.record(run)?.clone(), book.texts.get(run).cloned(), stored)
        };
        if texts.is_none() && stored {
            return self.save(store, run).await;
        }
        store.save_run_with_texts(&record, texts.as_ref()).await.map_err(|it| notice(&it))?;
        self.tabs.say(&TabWord::Changed { run: run.to_owned() });
        if texts.is_some() {
            self.book.borrow_mut().stored_texts.insert(run.to_owned());
        }
        Ok(())
    }

    /// Notes that a run by hand has moved.
    async fn touch(&self, store: &Store, run: &str) -> Result<(), Notice> {
        let progress = {
            let book = self.book.borrow();
            book.record(run)?.progress(&self.ledger.borrow())
        };
        {
            let mut book = self.book.borrow_mut();
            if let Some(record) = book.records.get_mut(run) {
                record.updated = clock::now();
                record.phase = progress.phase;
            }
        }
        self.save(store, run).await?;
        let summary = self.summary(run)?;
        post_dense(UNASKED, &RunEvent::Ended { summary, notice: None }, &[]);
        Ok(())
    }

    async fn begin(
        self: &Rc<Self>,
        mut settings: Settings,
        frame: Frame,
        texts: Texts,
        drive: bool,
    ) -> Result<Answered, Notice> {
        self.free()?;
        settings.check_money().map_err(unkept)?;
        date(settings.prices.as_mut());
        date(settings.batch_prices.as_mut());
        let store = self.store().await;
        self.unlocked(&store, &settings.judge).await?;
        let known = Record::id_of(&settings, frame.dataset.digest);
        let lock = if settings.judge.is_driven() { Some(self.seize(&known).await?) } else { None };
        self.refresh(&store, &known).await?;
        if drive {
            self.bounded(&known, settings.budget)?;
        }
        self.need_texts(&store, &known).await?;
        let run = {
            let mut book = self.book.borrow_mut();
            let (frame, texts) = book.with_judged(&self.ledger.borrow(), &settings, frame, texts);
            book.begin(settings, frame, texts, clock::now()).id.clone()
        };
        if drive {
            return self.set_off(lock, store, &run).await;
        }
        self.save_all(&store, &run).await?;
        drop(lock);
        plain(RunReply::Run(self.summary(&run)?))
    }

    /// Judges answers of another run again.
    async fn bridge(
        self: &Rc<Self>,
        from: &str,
        mut settings: Settings,
        sample: u32,
    ) -> Result<Answered, Notice> {
        self.free()?;
        settings.check_money().map_err(unkept)?;
        date(settings.prices.as_mut());
        date(settings.batch_prices.as_mut());
        let store = self.store().await;
        self.unlocked(&store, &settings.judge).await?;
        self.refresh(&store, from).await?;
        self.need_texts(&store, from).await?;
        let driven = settings.judge.is_driven();
        let run = self.book.borrow_mut().bridge(
            &self.ledger.borrow(),
            from,
            settings,
            sample,
            clock::now(),
        )?;
        let lock = if driven { Some(self.seize(&run).await?) } else { None };
        self.set_off(lock, store, &run).await
    }

    /// Stores a run that was begun, and drives it if somebody is asked.
    async fn set_off(
        self: &Rc<Self>,
        lock: Option<Lock>,
        store: Rc<Store>,
        run: &str,
    ) -> Result<Answered, Notice> {
        self.save_all(&store, run).await?;
        if let Some(lock) = lock {
            self.go(lock, store, run)?;
        }
        plain(RunReply::Run(self.started(run)?))
    }

    async fn resume(
        self: &Rc<Self>,
        run: &str,
        limits: Limits,
        retry: bool,
    ) -> Result<Answered, Notice> {
        self.free()?;
        let lock = self.seize(run).await?;
        self.resume_with(lock, run, limits, retry).await
    }

    async fn resume_with(
        self: &Rc<Self>,
        lock: Lock,
        run: &str,
        mut limits: Limits,
        retry: bool,
    ) -> Result<Answered, Notice> {
        let store = self.store().await;
        self.refresh(&store, run).await?;
        let mut wanted = self.book.borrow().record(run)?.settings.clone();
        wanted.set_limits(limits.clone());
        wanted.check_money().map_err(unkept)?;
        self.bounded(run, wanted.budget)?;
        self.unlocked(&store, &wanted.judge).await?;
        date(limits.prices.as_mut());
        date(limits.batch_prices.as_mut());
        self.need_texts(&store, run).await?;
        self.book.borrow().texts(run)?;
        {
            let mut book = self.book.borrow_mut();
            if let Some(record) = book.records.get_mut(run) {
                record.pass = record.pass.saturating_add(u32::from(retry));
                record.settings.set_limits(limits);
            }
        }
        self.save(&store, run).await?;
        if self.book.borrow().record(run)?.settings.judge.is_driven() {
            self.go(lock, store, run)?;
        }
        plain(RunReply::Run(self.started(run)?))
    }

    /// Refuses a budget that could not hold: while a batch is out that may cost anything.
    fn bounded(&self, run: &str, budget: Option<f64>) -> Result<(), Notice> {
        let book = self.book.borrow();
        let holds = book.record(run).map_or(true, |it| is_bounded(&it.batches));
        if budget.is_none() || holds {
            return Ok(());
        }
        Err(Notice::new(
            "The budget cannot hold now",
            "A batch of this run is out, and nobody here knows what it can cost: it was submitted without prices for batches.",
            "Look for its results first, or go on without a budget.",
        ))
    }

    fn free(&self) -> Result<(), Notice> {
        if self.active.borrow().is_some() {
            return Err(Notice::new(
                "Another run is going on",
                "One run at a time uses your key and your quota.",
                "Stop it first, or wait until it is done.",
            ));
        }
        Ok(())
    }

    fn started(&self, run: &str) -> Result<Box<RunSummary>, Notice> {
        let mut summary = self.summary(run)?;
        if self.active.borrow().is_some() {
            summary.progress.phase = Phase::Running;
        }
        Ok(summary)
    }

    /// Drives a run in the background.
    fn go(self: &Rc<Self>, lock: Lock, store: Rc<Store>, run: &str) -> Result<(), Notice> {
        let record = self.book.borrow().record(run)?.clone();
        let active = Active {
            run: run.to_owned(),
            control: Rc::new(Control::new(record.settings.concurrency as usize)),
            parting: Rc::new(Cell::new(Parting::Stays)),
        };
        self.active.replace(Some(active.clone()));
        let state = self.clone();
        spawn_local(async move {
            let (halt, problem) = state.drive(store, record, &active).await;
            state.active.replace(None);
            drop(lock);
            let parted = active.parting.get() != Parting::Stays;
            if parted {
                state.watch(&active.run);
            }
            if let Ok(mut summary) = state.summary(&active.run) {
                summary.progress.halt = halt.filter(|_| !parted);
                let notice = if parted { Some(handed_on()) } else { problem };
                post_dense(UNASKED, &RunEvent::Ended { summary, notice }, &[]);
            }
        });
        Ok(())
    }

    /// Why it came to a stand, and what there is to say.
    async fn drive(
        self: &Rc<Self>,
        store: Rc<Store>,
        record: Record,
        active: &Active,
    ) -> (Option<Halt>, Option<Notice>) {
        let run = record.id.clone();
        let tasks = record.all_tasks();
        let browser = Browser {
            state: self.clone(),
            store: store.clone(),
            record: record.clone(),
            turns: Cell::new(0),
        };
        let teller = Rc::new(Teller::new(run.clone(), self.tabs.clone()));
        let job = record.job(&tasks);
        let result = drive(&job, &self.ledger, &browser, &active.control, |progress| {
            teller.hear(progress);
        })
        .await;
        teller.silence();

        let (phase, halt, problem) = match result {
            Ok(progress) => (progress.phase, progress.halt.clone(), halted(&progress)),
            Err(StorageError(why)) => (
                Phase::Stopped,
                Some(Halt::Storage(why.clone())),
                Some(Notice::new(
                    "The run stopped: a judgement could not be stored",
                    why,
                    "Free some space, then press “Start run” again. What was stored before is kept.",
                )),
            ),
        };
        {
            let mut book = self.book.borrow_mut();
            if let Some(record) = book.records.get_mut(&run) {
                record.phase = phase;
                record.updated = clock::now();
            }
        }
        // What was taken is the other tab's to write.
        let saved = match active.parting.get() {
            Parting::Taken => None,
            Parting::Stays | Parting::Asked => self.save(&store, &run).await.err(),
        };
        (halt, problem.or(saved))
    }

    fn reference(&self, run: &str, system: usize, reading: Reading) -> Result<Answered, Notice> {
        let book = self.book.borrow();
        let sheet = book.record(run)?.sheet(&self.ledger.borrow(), reading);
        let export = coverage_json(&sheet, system, &book.item_texts(run)?).map_err(|error| {
            Notice::new("No coverage file was written", error.to_string(), "Choose another run.")
        })?;
        let note = match export.left_out {
            0 => String::new(),
            1 => "1 answer is left out: an item of it has no verdict.".to_owned(),
            n => format!("{n} answers are left out: an item of each has no verdict."),
        };
        plain(RunReply::Text { text: export.json, note })
    }

    async fn reopen(
        &self,
        store: &Rc<Store>,
        names: Vec<String>,
        bytes: &[Uint8Array],
    ) -> Result<Answered, Notice> {
        let mut problems = Problems::default();
        let mut opened = Vec::new();
        let mut notes = Vec::new();
        for (name, bytes) in names.iter().zip(bytes) {
            let read = match file::read(&bytes.to_vec()) {
                Ok(read) => read,
                Err(error) => {
                    problems.report(
                        name,
                        Place::File,
                        format!("This file could not be reopened: {error}."),
                        "Nothing of it was taken in.",
                    );
                    continue;
                }
            };
            let run = read.record.id.clone();
            if self.not_running(&run).is_err() {
                notes.push(format!(
                    "{name}: this run is going on here, so the file was left alone."
                ));
                continue;
            }
            // A file speaks for its own run only.
            let own: HashSet<Digest> = read.record.all_tasks().iter().map(Task::key).collect();
            let replies: Vec<Reply> =
                read.replies.into_iter().filter(|(key, _)| own.contains(key)).collect();
            let n = replies.len();
            self.admit(store, replies).await?;
            notes.push(self.book.borrow_mut().reopen(name, n, read.record, read.texts));
            self.save_all(store, &run).await?;
            opened.push(run);
        }
        plain(RunReply::Reopened { runs: self.list(), opened, problems, notes })
    }

    async fn merge(&self, store: &Rc<Store>, runs: &[String]) -> Result<Answered, Notice> {
        for run in runs {
            self.need_texts(store, run).await?;
        }
        let (record, replies) = {
            let book = self.book.borrow();
            let ledger = self.ledger.borrow();
            let records: Vec<&Record> =
                runs.iter().map(|run| book.record(run)).collect::<Result<_, _>>()?;
            let pairs: Vec<(&Record, &Ledger)> =
                records.into_iter().map(|record| (record, &*ledger)).collect();
            merge::merge(&pairs, clock::now()).map_err(|error| {
                Notice::new(
                    "These runs cannot be merged",
                    error.to_string(),
                    "Choose runs that were labelled by hand on the same benchmark.",
                )
            })?
        };
        self.admit(store, replies).await?;
        let run = record.id.clone();
        {
            let mut book = self.book.borrow_mut();
            // Texts go by place, so only those of an equal frame fit.
            let texts = runs
                .iter()
                .filter(|it| book.record(it).is_ok_and(|it| it.frame == record.frame))
                .find_map(|it| book.texts.get(it).cloned());
            book.texts.remove(&run);
            book.stored_texts.remove(&run);
            book.texts.extend(texts.map(|texts| (run.clone(), texts)));
            book.records.insert(run.clone(), record);
        }
        self.save_all(store, &run).await?;
        plain(RunReply::Run(self.summary(&run)?))
    }

    async fn import(
        &self,
        store: &Rc<Store>,
        judge: JudgeSpec,
        names: Vec<String>,
        bytes: &[Uint8Array],
    ) -> Result<Answered, Notice> {
        let parts = frame(bytes.first())?;
        let earlier: Vec<String> = self.book.borrow().records.keys().cloned().collect();
        for run in earlier {
            let same = self.book.borrow().record(&run).is_ok_and(|it| it.settings.judge == judge);
            if same {
                self.need_texts(store, &run).await?;
            }
        }
        let mut problems = Problems::default();
        let mut sets = Vec::new();
        for (name, bytes) in names.iter().zip(bytes.iter().skip(1)) {
            let (read, found) = read_judgements(name, &bytes.to_vec());
            sets.extend(read);
            problems.extend(found);
        }
        let (run, replies, misfits) =
            self.book.borrow_mut().import(&sets, judge, parts, clock::now());
        problems.extend(misfits);
        let n_files = counted(names.len() as u64, "file", "files");
        let given = replies.iter().filter(|(_, attempt)| attempt.is_reply()).count();
        let absent = replies.len() - given;
        self.admit(store, replies).await?;
        self.save_all(store, &run).await?;
        let batches = counted(given as u64, "batch", "batches");
        let mut notes = vec![format!("{batches} of labels read from {n_files}.")];
        if 0 < absent {
            let batches = counted(absent as u64, "batch", "batches");
            notes.push(format!("{batches} without labels: asked, and no verdict."));
        }
        plain(RunReply::Reopened { runs: self.list(), opened: vec![run], problems, notes })
    }
}

/// What comes first: the end of `work`, or `patience` over.
async fn first<T>(work: impl Future<Output = T> + Unpin, patience: Duration) -> Option<T> {
    match select(work, pin!(clock::sleep(patience))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

fn elsewhere() -> Notice {
    Notice::new(
        "This run is going on in another tab",
        "Two tabs would ask, and pay, for the same judgements.",
        "Watch it here on the Judge page, stop it, or press “Take over here”.",
    )
}

fn handed_on() -> Notice {
    Notice::new(
        "The run goes on in another tab",
        "It was taken over there. What was judged here is stored.",
        "This tab shows how far it is.",
    )
}

/// Prices as typed are those of today.
fn date(prices: Option<&mut Prices>) {
    if let Some(prices) = prices.filter(|it| it.as_of.is_empty()) {
        prices.as_of = today();
    }
}

fn today() -> String {
    clock::rfc3339(clock::now()).chars().take(10).collect()
}

fn unkept(error: MoneyError) -> Notice {
    Notice::new(
        "The budget cannot be kept",
        format!("{error}."),
        "Fill in what is missing on the Judge page, or empty “Budget (USD)”.",
    )
}

fn phase_of(wish: Wish) -> Phase {
    match wish {
        Wish::Run => Phase::Running,
        Wish::Pause => Phase::Paused,
        Wish::Stop | Wish::Cancel => Phase::Stopped,
    }
}

fn unexpected(error: &postcard::Error) -> Notice {
    Notice::new("The marks could not be handed over", error.to_string(), "Reload the page.")
}

fn frame(bytes: Option<&Uint8Array>) -> Result<(Frame, Texts), Notice> {
    bytes.and_then(|it| postcard::from_bytes(&it.to_vec()).ok()).ok_or_else(|| {
        Notice::new(
            "The questions did not reach the judge",
            "Page and worker are of different builds.",
            "Reload the page.",
        )
    })
}

/// Why a run stopped early, in words; nothing for one that a person stopped.
fn halted(progress: &Progress) -> Option<Notice> {
    match progress.halt.as_ref()? {
        Halt::ByHand | Halt::Storage(_) => None,
        Halt::Cap => Some(Notice::new(
            "The call cap is reached",
            format!("{} made.", counted(progress.attempts, "attempt was", "attempts were")),
            "Raise “Call cap” and press “Start run” to go on.",
        )),
        Halt::Budget => Some(Notice::new(
            "The run stopped before its budget could be passed",
            "What is spent, what is set aside for batches that are out, and what the next call may cost at most are more than “Budget (USD)”.",
            "Raise it, or look for the batches’ results, and press “Start run” to go on.",
        )),
        Halt::Wall(kind) => {
            let words = progress
                .failures
                .iter()
                .find(|it| it.kind == *kind)
                .map_or_else(String::new, |it| it.detail.clone());
            Some(Notice::new(
                format!("The run stopped: {}", kind.what()),
                if *kind == ErrorKind::DailyQuota {
                    format!("The server’s words: {words}")
                } else {
                    format!("Several calls in a row ended like this. The server’s words: {words}")
                },
                kind.cure(),
            ))
        }
    }
}

/// Passes snapshots on, at most one a frame, and never loses the last one.
struct Teller {
    run: String,
    tabs: Rc<Tabs>,
    last: Cell<f64>,
    next: RefCell<Option<Progress>>,
    waiting: Cell<bool>,
}

impl Teller {
    fn new(run: String, tabs: Rc<Tabs>) -> Self {
        Self {
            run,
            tabs,
            last: Cell::new(0.0),
            next: RefCell::default(),
            waiting: Cell::new(false),
        }
    }

    fn hear(self: &Rc<Self>, progress: &Progress) {
        self.next.replace(Some(progress.clone()));
        let since = clock::now() - self.last.get();
        // Less than nothing: the clock was set back, and says nothing of when this is due.
        if !(0.0..FRAME).contains(&since) {
            self.tell();
        } else if !self.waiting.replace(true) {
            let this = self.clone();
            spawn_local(async move {
                clock::sleep(Duration::from_millis((FRAME - since) as u64 + 1)).await;
                this.waiting.set(false);
                this.tell();
            });
        }
    }

    fn tell(&self) {
        if let Some(progress) = self.next.take() {
            self.last.set(clock::now());
            let (run, progress) = (self.run.clone(), Box::new(progress));
            self.tabs.say(&TabWord::Progress { run: run.clone(), progress: progress.clone() });
            post_dense(UNASKED, &RunEvent::Progress { run, progress }, &[]);
        }
    }

    /// The summary at the end says more than a late snapshot would.
    fn silence(&self) {
        self.next.take();
    }
}

/// The real world of a run.
struct Browser {
    state: Rc<State>,
    store: Rc<Store>,
    record: Record,
    turns: Cell<u32>,
}

impl Browser {
    fn attempt(&self, began: f64, outcome: Outcome) -> Attempt {
        Attempt {
            run: self.record.id.clone(),
            pass: self.record.pass,
            at: began,
            took: clock::now() - began,
            model_asked: String::new(),
            model_answered: None,
            sent: Vec::new(),
            dropped: Vec::new(),
            usage: Usage::default(),
            outcome,
        }
    }

    fn failure(&self, began: f64, kind: ErrorKind, detail: &str) -> Attempt {
        self.attempt(began, Outcome::failure(kind, detail))
    }

    async fn practise(&self, request: &Request) -> Attempt {
        // Now and then the worker must hear what the page says.
        self.turns.set(self.turns.get() + 1);
        if self.turns.get().is_multiple_of(32) {
            clock::sleep(Duration::ZERO).await;
        }
        let began = clock::now();
        let reply = self.state.book.borrow().practice_reply(&self.record.id, request, began);
        match reply {
            Ok(mut attempt) => {
                attempt.pass = self.record.pass;
                attempt.took = clock::now() - began;
                attempt
            }
            Err(notice) => self.failure(began, ErrorKind::BadRequest, &notice.why),
        }
    }

    async fn call(&self, endpoint: &Endpoint, request: &Request) -> Exchange {
        let began = clock::now();
        let prompt = match self.state.book.borrow().prompt(&self.record, &request.task) {
            Ok(prompt) => prompt,
            Err(why) => {
                let attempt = self.failure(began, ErrorKind::BadRequest, why);
                return Exchange { attempt, retry_after: None };
            }
        };
        let estimate = prompt.chars().count() as u64 / 4;
        let encoded = provider::encode(
            endpoint,
            &prompt,
            self.record.settings.wanted(&request.task),
            request.with,
        );
        let key = self.state.key.borrow().clone();
        self.state.used();
        // A key for another host is no key for this one.
        let usable = key.as_deref().filter(|it| it.is_for(&encoded.request.url));
        let result = fetch::send(&encoded.request, usable, fetch::DEADLINE).await;
        let decoded = match result {
            Ok(mut response) => {
                if let Some(key) = &key {
                    response.body = key.blot(&response.body);
                }
                provider::decode(endpoint, &response, estimate)
            }
            Err(why) => no_response(&why),
        };
        let mut attempt = self.attempt(began, decoded.outcome);
        attempt.model_asked.clone_from(&endpoint.model);
        attempt.model_answered = decoded.model;
        attempt.usage = decoded.usage;
        attempt.sent = encoded.sent;
        attempt.dropped = encoded.dropped;
        if let Some(key) = &key {
            attempt.blot(key);
        }
        Exchange { attempt, retry_after: decoded.wait.map(Duration::from_secs) }
    }
}

fn no_response(why: &NoResponse) -> Decoded {
    let (kind, status, detail) = told(why);
    Decoded {
        outcome: Outcome::Failure { kind, status, detail, body: String::new() },
        model: None,
        usage: Usage::default(),
        wait: None,
        thought: false,
    }
}

/// What is known of a response that is not there: its kind, the status, and words.
fn told(why: &NoResponse) -> (ErrorKind, Option<u16>, String) {
    match why {
        NoResponse::Unreachable(words) => (ErrorKind::Unreachable, None, words.clone()),
        NoResponse::Timeout => (
            ErrorKind::Timeout,
            None,
            format!("no complete reply within {} s", fetch::DEADLINE.as_secs()),
        ),
        NoResponse::Cut { status, detail } => {
            (ErrorKind::Malformed, Some(*status), format!("the body broke off: {detail}"))
        }
        NoResponse::KeyElsewhere => {
            (ErrorKind::KeyUnusable, None, "the key was given for another host".to_owned())
        }
    }
}

impl Effects for Browser {
    async fn perform(&self, request: &Request) -> Exchange {
        match &self.record.settings.judge {
            JudgeSpec::Endpoint(endpoint) => self.call(endpoint, request).await,
            _ => Exchange { attempt: self.practise(request).await, retry_after: None },
        }
    }

    fn cancelled(&self, request: &Request, began: f64) -> Attempt {
        let mut attempt =
            self.failure(began, ErrorKind::Cancelled, "cancelled while waiting for a reply");
        if let JudgeSpec::Endpoint(endpoint) = &self.record.settings.judge {
            let encoded = provider::encode(
                endpoint,
                "",
                self.record.settings.wanted(&request.task),
                request.with,
            );
            attempt.model_asked.clone_from(&endpoint.model);
            attempt.sent = encoded.sent;
            attempt.dropped = encoded.dropped;
        }
        attempt
    }

    async fn append(&self, key: Digest, attempt: &Attempt) -> Result<(), StorageError> {
        self.store.append(key, attempt).await
    }

    async fn sleep(&self, duration: Duration) {
        clock::sleep(duration).await;
    }

    fn now(&self) -> f64 {
        clock::now()
    }

    fn jitter(&self) -> f64 {
        clock::chance()
    }

    fn bound(&self, request: &Request) -> Tokens {
        /// Marks of turns and roles that a chat template puts around one message.
        const AROUND: u64 = 64;
        let JudgeSpec::Endpoint(endpoint) = &self.record.settings.judge else {
            return Tokens { input: 0, output: Some(0) };
        };
        // A request without its text is never sent.
        let prompt =
            self.state.book.borrow().prompt(&self.record, &request.task).unwrap_or_default();
        let encoded = provider::encode(
            endpoint,
            &prompt,
            self.record.settings.wanted(&request.task),
            request.with,
        );
        Tokens {
            input: encoded.request.body.len() as u64 + AROUND,
            output: encoded.cap.map(u64::from),
        }
    }
}
