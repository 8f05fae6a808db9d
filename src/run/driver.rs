//! The only loop that awaits. Generic over [`Effects`], so it runs under test without a browser.
//!
//! It decides what is asked next, how many at once, what is repeated after which wait, and when to
//! stop. It is moved by completions, never by a timer, so that a hidden tab goes on.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::judge::retry::RetryPolicy;
use crate::judge::{Again, Attempt, ErrorKind, Outcome};
use crate::ledger::{Ledger, Pass};
use crate::observation::{Mark, Tally, Unscored};
use crate::protocol::{Form, Pending, Request, Task};
use crate::run::money::{Admission, Money, Prices, Purse, Tokens};
use crate::run::pace::Pace;

/// What a run needs of the world. The browser is the real one; tests script theirs.
pub trait Effects {
    /// Exactly one exchange: no retries, no waits.
    fn perform(&self, request: &Request) -> impl Future<Output = Exchange>;
    /// The attempt that was cut short by Cancel: the request had left, and what it would have said is
    /// not known.
    fn cancelled(&self, request: &Request, began: f64) -> Attempt;
    /// Writes an attempt down for good. Only this may end a run: what cannot be kept is not asked for.
    fn append(
        &self,
        key: Digest,
        attempt: &Attempt,
    ) -> impl Future<Output = Result<(), StorageError>>;
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()>;
    /// UTC, milliseconds since the epoch.
    fn now(&self) -> f64;
    /// Anything in `0.0..1.0`.
    fn jitter(&self) -> f64;
    /// The most tokens that asking this can take. Asked only where prices are known.
    fn bound(&self, request: &Request) -> Tokens;
}

/// What one exchange gave, and the wait the server asked for, where the page could read it.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub attempt: Attempt,
    pub retry_after: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a judgement could not be stored: {0}")]
pub struct StorageError(pub String);

/// What a person wants of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wish {
    Run,
    /// Nothing new is asked; what is in flight finishes and is kept.
    Pause,
    /// As `Pause`, and the run ends.
    Stop,
    /// What is in flight is dropped, and the run ends.
    Cancel,
}

/// The hand on a run: read by the driver, set from outside while it runs.
pub struct Control {
    wish: Cell<Wish>,
    limit: Cell<usize>,
    bell: Bell,
}

impl Control {
    pub fn new(limit: usize) -> Self {
        Self { wish: Cell::new(Wish::Run), limit: Cell::new(limit.max(1)), bell: Bell::default() }
    }

    pub fn wish(&self) -> Wish {
        self.wish.get()
    }

    pub fn set(&self, wish: Wish) {
        self.wish.set(wish);
        self.bell.ring();
    }

    /// Requests at the same time, at most: the host may make it fewer. Takes effect with the next one.
    pub fn set_limit(&self, limit: usize) {
        self.limit.set(limit.max(1));
        self.bell.ring();
    }

    async fn until(&self, met: impl Fn(Wish) -> bool) {
        loop {
            let seen = self.bell.rung.get();
            if met(self.wish.get()) {
                return;
            }
            self.bell.since(seen).await;
        }
    }
}

/// Wakes whoever waits for a change.
#[derive(Default)]
struct Bell {
    rung: Cell<u64>,
    /// By slot: each waiting future has one, however often it is polled.
    wakers: RefCell<BTreeMap<u64, Waker>>,
    slots: Cell<u64>,
}

impl Bell {
    fn ring(&self) {
        self.rung.set(self.rung.get() + 1);
        for (_, waker) in self.wakers.take() {
            waker.wake();
        }
    }

    /// Comes back once it has rung since `rung` read `seen`. Taking the number before looking at what
    /// may change means that no change is slept through.
    fn since(&self, seen: u64) -> Since<'_> {
        let slot = self.slots.get();
        self.slots.set(slot + 1);
        Since { bell: self, seen, slot }
    }
}

/// See [`Bell::since`].
struct Since<'a> {
    bell: &'a Bell,
    seen: u64,
    slot: u64,
}

impl Future for Since<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.bell.rung.get() != self.seen {
            return Poll::Ready(());
        }
        self.bell.wakers.borrow_mut().insert(self.slot, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Since<'_> {
    fn drop(&mut self) {
        // A waker keeps its whole task alive, and a long run makes many.
        self.bell.wakers.borrow_mut().remove(&self.slot);
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    #[default]
    Idle,
    Running,
    Paused,
    Stopped,
    Done,
    DoneWithFailures,
}

impl Phase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::DoneWithFailures => "done with failures",
        }
    }

    pub fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }
}

/// Why a run ended before its plan was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Halt {
    ByHand,
    /// The call cap is reached.
    Cap,
    /// The next call could pass the budget.
    Budget,
    /// Several requests in a row met the same wall.
    Wall(ErrorKind),
    /// A judgement could not be stored.
    Storage(String),
}

/// A snapshot for people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub phase: Phase,
    pub halt: Option<Halt>,
    /// Distinct requests of the plan, and those that have come to an end.
    pub calls: u64,
    pub calls_done: u64,
    /// Exchanges of this run, as many as the server saw.
    pub attempts: u64,
    pub in_flight: u64,
    /// Requests at the same time that the host is given now; 0 where nothing is going on.
    pub pace: u64,
    /// Until when new requests wait because the host asked for it: UTC, milliseconds since the epoch.
    pub held_until: Option<f64>,
    /// What it costs; `None` where prices are not known.
    pub money: Option<Money>,
    /// Verdicts of the plan, asked or not.
    pub planned: u64,
    pub tally: Tally,
    /// Calls a minute over the last few dozen.
    pub per_minute: Option<f64>,
    /// What failed, most frequent kind first, with the last words of the other side.
    pub failures: Vec<Failures>,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    pub kind: ErrorKind,
    pub attempts: u64,
    pub detail: String,
}

/// What to drive.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub tasks: &'a [Task],
    pub form: Form,
    pub policy: RetryPolicy,
    pub run: &'a str,
    pub pass: u32,
    /// Exchanges this run may make in all, those before included.
    pub call_cap: Option<u64>,
    /// `None`: nobody knows what a call costs.
    pub prices: Option<&'a Prices>,
    /// Of what was asked in batches.
    pub batch_prices: Option<&'a Prices>,
    /// US dollars this run may cost in all, what was spent before included.
    pub budget: Option<f64>,
    /// US dollars of it that batches may still be charged for.
    pub set_aside: f64,
}

impl Job<'_> {
    fn purse(&self) -> Option<Purse> {
        (self.prices.is_some() || self.batch_prices.is_some()).then(|| {
            Purse::new(self.prices.cloned(), self.batch_prices.cloned(), self.budget)
                .setting_aside(self.set_aside)
        })
    }

    fn pass<'l>(&'l self, ledger: &'l Ledger) -> Pass<'l> {
        Pass { ledger, run: self.run, number: self.pass }
    }
}

/// How one request ended.
enum End {
    Answered,
    /// The last try failed.
    Failed(ErrorKind),
    /// Not to be asked now: paused, stopped or cancelled.
    Dropped,
    /// Not to be asked in this run as it is set.
    Halted(Halt),
}

/// The state of a run as the ledger tells it, without asking anything.
pub fn survey(job: &Job<'_>, ledger: &Ledger) -> Progress {
    let mut progress = Progress::default();
    let mut seen = HashSet::new();
    let mut purse = job.purse();
    for task in job.tasks {
        let pass = job.pass(ledger);
        for mark in task.settle(job.form, &pass) {
            progress.tally.add(mark);
            progress.planned += 1;
        }
        if seen.insert(task.key()) {
            progress.calls += 1;
            let open = task.evaluate(job.form, &pass, &job.policy).is_err();
            progress.calls_done += u64::from(!open);
            for attempt in ledger.attempts(task.key()).iter().filter(|it| it.run == job.run) {
                count(&mut progress, attempt);
                // Without its text nobody knows how large an uncounted call was.
                if let Some(purse) = &mut purse {
                    purse.charge(None, attempt);
                }
            }
        }
    }
    progress.money = purse.map(|it| it.money(progress.calls_done, progress.calls));
    progress
}

fn count(progress: &mut Progress, attempt: &Attempt) {
    progress.attempts += 1;
    // A file can say anything.
    let add = |sum: &mut u64, told: Option<u64>| *sum = sum.saturating_add(told.unwrap_or(0));
    add(&mut progress.tokens_in, attempt.usage.input);
    add(&mut progress.tokens_out, attempt.usage.output);
    let Outcome::Failure { kind, detail, .. } = &attempt.outcome else {
        return;
    };
    match progress.failures.iter_mut().find(|it| it.kind == *kind) {
        Some(entry) => {
            entry.attempts += 1;
            entry.detail.clone_from(detail);
        }
        None => {
            progress.failures.push(Failures { kind: *kind, attempts: 1, detail: detail.clone() });
        }
    }
    progress.failures.sort_by_key(|it| std::cmp::Reverse(it.attempts));
}

/// Asks what the tasks need until all have come to an end or somebody stops it.
///
/// `seen` gets a snapshot after every change.
///
/// # Errors
/// When an attempt cannot be stored. Everything stored before stays good.
pub async fn drive(
    job: &Job<'_>,
    ledger: &RefCell<Ledger>,
    effects: &impl Effects,
    control: &Control,
    mut seen: impl FnMut(&Progress),
) -> Result<Progress, StorageError> {
    let mut board = Board::new(job, &ledger.borrow());
    let lane = Lane::new(job, ledger, effects, control, board.progress.attempts);
    let mut in_flight = FuturesUnordered::new();
    let mut wall: (Option<ErrorKind>, u32) = (None, 0);
    let mut unstored = None;

    loop {
        let looked = control.bell.rung.get();
        lane.keep_to_ceiling();
        board.progress.phase = match control.wish() {
            Wish::Run => Phase::Running,
            Wish::Pause => Phase::Paused,
            Wish::Stop | Wish::Cancel => Phase::Stopped,
        };
        while control.wish() == Wish::Run && in_flight.len() < lane.pace.get().limit() {
            let Some(request) = board.queue.pop_front() else {
                break;
            };
            board.mark(job, &ledger.borrow(), request.key(), true);
            in_flight.push(lane.ask(request));
        }
        board.progress.in_flight = in_flight.len() as u64;
        lane.tell(&mut board.progress);
        seen(&board.progress);

        let stopped = matches!(control.wish(), Wish::Stop | Wish::Cancel);
        if in_flight.is_empty() && (stopped || board.queue.is_empty()) {
            break;
        }
        if in_flight.is_empty() {
            control.bell.since(looked).await;
            continue;
        }
        let changed = pin!(control.bell.since(looked));
        let next = select(in_flight.next(), changed).await;
        let (request, end) = match next {
            Either::Left((Some(Ok(done)), _)) => done,
            Either::Left((Some(Err(error)), _)) => {
                // What is in flight is paid for: it may still be kept, and the server counts it.
                unstored.get_or_insert(error);
                control.set(Wish::Stop);
                continue;
            }
            Either::Left((None, _)) | Either::Right(_) => continue,
        };
        board.finish(job, &ledger.borrow(), effects.now(), request, &end);
        match end {
            End::Answered => wall = (None, 0),
            End::Failed(kind) => {
                if let Some(enough) = job.policy.wall(kind) {
                    let row = if wall.0 == Some(kind) { wall.1 + 1 } else { 1 };
                    wall = (Some(kind), row);
                    if enough <= row && !board.queue.is_empty() {
                        board.progress.halt = Some(Halt::Wall(kind));
                        control.set(Wish::Stop);
                    }
                }
            }
            End::Dropped => {}
            End::Halted(halt) => {
                board.progress.halt = Some(halt);
                control.set(Wish::Stop);
            }
        }
    }

    if let Some(error) = unstored {
        return Err(error);
    }
    let progress = &mut board.progress;
    (progress.pace, progress.held_until) = (0, None);
    if progress.calls_done == progress.calls {
        progress.halt = None;
    }
    progress.phase = if progress.calls_done < progress.calls {
        progress.halt.get_or_insert(Halt::ByHand);
        Phase::Stopped
    } else if progress.tally.unscored() == 0 {
        Phase::Done
    } else {
        Phase::DoneWithFailures
    };
    seen(progress);
    Ok(board.progress)
}

/// What all requests of a run share on their way to one host.
struct Lane<'a, E> {
    job: &'a Job<'a>,
    ledger: &'a RefCell<Ledger>,
    effects: &'a E,
    control: &'a Control,
    attempts: Cell<u64>,
    /// Exchanges that have left and not come back.
    sending: Cell<usize>,
    pace: Cell<Pace>,
    purse: RefCell<Option<Purse>>,
    /// Rings whenever an exchange comes back.
    back: Bell,
}

impl<'a, E: Effects> Lane<'a, E> {
    fn new(
        job: &'a Job<'a>,
        ledger: &'a RefCell<Ledger>,
        effects: &'a E,
        control: &'a Control,
        attempts: u64,
    ) -> Self {
        let mut purse = job.purse();
        if let Some(purse) = &mut purse {
            let ledger = ledger.borrow();
            let mut seen = HashSet::new();
            for task in job.tasks.iter().filter(|task| seen.insert(task.key())) {
                for attempt in own(job, &ledger, task.key()) {
                    let told = attempt.usage.input.is_some() && attempt.usage.output.is_some();
                    let with = Again::of_sent(&attempt.sent);
                    let bound =
                        (!told).then(|| effects.bound(&Request { task: *task, again: 0, with }));
                    purse.charge(bound, attempt);
                }
            }
        }
        Self {
            job,
            ledger,
            effects,
            control,
            attempts: Cell::new(attempts),
            sending: Cell::new(0),
            pace: Cell::new(Pace::new(control.limit.get())),
            purse: RefCell::new(purse),
            back: Bell::default(),
        }
    }

    fn keep_to_ceiling(&self) {
        let mut pace = self.pace.get();
        pace.set_ceiling(self.control.limit.get());
        self.pace.set(pace);
    }

    /// Writes pace and money into a snapshot.
    fn tell(&self, progress: &mut Progress) {
        let pace = self.pace.get();
        progress.pace = pace.limit() as u64;
        progress.held_until = pace.held_until(self.effects.now());
        let (done, calls) = (progress.calls_done, progress.calls);
        progress.money = self.purse.borrow().as_ref().map(|purse| purse.money(done, calls));
    }

    /// One request to its end: exchanges, waits between them, each written down before it counts.
    async fn ask(&self, mut request: Request) -> Result<(Request, End), StorageError> {
        loop {
            let bound = match self.pass(&request).await {
                Ok(bound) => bound,
                Err(end) => return Ok((request, end)),
            };
            let mut exchange = self.exchange(&request, bound).await;
            self.keep_order(request.key(), &mut exchange.attempt);
            self.effects.append(request.key(), &exchange.attempt).await?;
            self.ledger.borrow_mut().record(request.key(), exchange.attempt);

            let (failures, kind) = self.job.pass(&self.ledger.borrow()).failures(request.key());
            let Some(kind) = kind else {
                return Ok((request, End::Answered));
            };
            let policy = &self.job.policy;
            if !policy.allows(kind, failures) {
                return Ok((request, End::Failed(kind)));
            }
            request.with = policy.again(kind, request.with);
            let wait = policy.wait(kind, failures, self.effects.jitter(), exchange.retry_after);
            let halted = self.control.until(|wish| wish != Wish::Run);
            if let Either::Right(_) = select(pin!(self.effects.sleep(wait)), pin!(halted)).await {
                return Ok((request, End::Dropped));
            }
        }
    }

    /// Attempts of one key are read back by their times, so none is dated before the one that it followed,
    /// however clocks were set meanwhile.
    fn keep_order(&self, key: Digest, attempt: &mut Attempt) {
        let ledger = self.ledger.borrow();
        let after = ledger.attempts(key).last().map_or(f64::NEG_INFINITY, |last| last.at + 1.0);
        attempt.at = attempt.at.max(after);
    }

    /// Waits until one more exchange may leave, and reserves what it may cost.
    async fn pass(&self, request: &Request) -> Result<Option<Tokens>, End> {
        let bound = self.purse.borrow().is_some().then(|| self.effects.bound(request));
        loop {
            let (looked, heard) = (self.control.bell.rung.get(), self.back.rung.get());
            if self.control.wish() != Wish::Run {
                return Err(End::Dropped);
            }
            if self.job.call_cap.is_some_and(|cap| cap <= self.attempts.get()) {
                return Err(End::Halted(Halt::Cap));
            }
            if let Some(wait) = self.pace.get().hold(self.effects.now()) {
                let halted = self.control.until(|wish| wish != Wish::Run);
                select(pin!(self.effects.sleep(wait)), pin!(halted)).await;
                continue;
            }
            if self.sending.get() < self.pace.get().limit() {
                let mut purse = self.purse.borrow_mut();
                let Some((purse, bound)) = purse.as_mut().zip(bound) else {
                    return Ok(bound);
                };
                match purse.admits(bound) {
                    Admission::Fits => {
                        purse.reserve(bound);
                        return Ok(Some(bound));
                    }
                    Admission::Later => {}
                    Admission::Never => return Err(End::Halted(Halt::Budget)),
                }
            }
            select(self.control.bell.since(looked), self.back.since(heard)).await;
        }
    }

    /// Exactly one exchange, and what it tells of pace and cost.
    async fn exchange(&self, request: &Request, bound: Option<Tokens>) -> Exchange {
        self.attempts.set(self.attempts.get() + 1);
        self.sending.set(self.sending.get() + 1);
        let began = self.effects.now();
        let cancelled = self.control.until(|wish| wish == Wish::Cancel);
        let exchange = match select(pin!(self.effects.perform(request)), pin!(cancelled)).await {
            Either::Left((exchange, _)) => exchange,
            Either::Right(_) => {
                Exchange { attempt: self.effects.cancelled(request, began), retry_after: None }
            }
        };
        self.sending.set(self.sending.get() - 1);
        let mut pace = self.pace.get();
        match exchange.attempt.failure() {
            None => pace.on_reply(),
            Some(kind) if kind.slows() => {
                pace.on_rate_limited(began, self.effects.now(), exchange.retry_after);
            }
            Some(_) => {}
        }
        self.pace.set(pace);
        if let (Some(purse), Some(bound)) = (&mut *self.purse.borrow_mut(), bound) {
            purse.settle(bound, &exchange.attempt);
        }
        self.back.ring();
        exchange
    }
}

/// Who waits for what, and the count of it all.
struct Board {
    progress: Progress,
    queue: VecDeque<Request>,
    waiting: HashMap<Digest, Vec<usize>>,
    marks: Vec<Vec<Mark<()>>>,
    /// When the last few dozen requests ended.
    recent: VecDeque<f64>,
    counted: HashMap<Digest, usize>,
}

impl Board {
    const RECENT: usize = 40;

    fn new(job: &Job<'_>, ledger: &Ledger) -> Self {
        let mut board = Self {
            progress: survey(job, ledger),
            queue: VecDeque::new(),
            waiting: HashMap::new(),
            marks: Vec::with_capacity(job.tasks.len()),
            recent: VecDeque::new(),
            counted: HashMap::new(),
        };
        for (index, task) in job.tasks.iter().enumerate() {
            let pass = job.pass(ledger);
            board.marks.push(task.settle(job.form, &pass));
            match task.evaluate(job.form, &pass, &job.policy) {
                Ok(()) => {}
                Err(Pending(requests)) => {
                    let waiting = board.waiting.entry(task.key()).or_default();
                    if waiting.is_empty() {
                        board.queue.extend(requests);
                    }
                    waiting.push(index);
                }
            }
            board.counted.insert(task.key(), own(job, ledger, task.key()).count());
        }
        board
    }

    /// Counts the tasks that wait for `key` anew.
    fn mark(&mut self, job: &Job<'_>, ledger: &Ledger, key: Digest, in_flight: bool) {
        for &index in self.waiting.get(&key).into_iter().flatten() {
            let task = &job.tasks[index];
            let marks = if in_flight {
                vec![Mark::Unscored(Unscored::InFlight); task.verdicts() as usize]
            } else {
                task.settle(job.form, &job.pass(ledger))
            };
            for mark in std::mem::replace(&mut self.marks[index], marks) {
                self.progress.tally.remove(mark);
            }
            for mark in &self.marks[index] {
                self.progress.tally.add(*mark);
            }
        }
    }

    fn finish(&mut self, job: &Job<'_>, ledger: &Ledger, now: f64, request: Request, end: &End) {
        let key = request.key();
        let before = self.counted.get(&key).copied().unwrap_or(0);
        for attempt in own(job, ledger, key).skip(before) {
            count(&mut self.progress, attempt);
        }
        self.counted.insert(key, own(job, ledger, key).count());
        self.mark(job, ledger, key, false);
        if matches!(end, End::Dropped | End::Halted(_)) {
            self.queue.push_front(request);
            return;
        }
        let first = self.waiting.get(&key).and_then(|tasks| tasks.first()).copied();
        let again = first.and_then(|index| {
            let task = &job.tasks[index];
            task.evaluate(job.form, &job.pass(ledger), &job.policy).err()
        });
        match again {
            Some(Pending(requests)) => {
                for request in requests {
                    self.queue.push_front(request);
                }
            }
            None => {
                self.waiting.remove(&key);
                self.progress.calls_done += 1;
                self.recent.push_back(now);
                if Self::RECENT < self.recent.len() {
                    self.recent.pop_front();
                }
                self.progress.per_minute = self.rate();
            }
        }
    }

    fn rate(&self) -> Option<f64> {
        let span = self.recent.back()? - self.recent.front()?;
        (4 < self.recent.len() && 0.0 < span)
            .then(|| (self.recent.len() - 1) as f64 / span * 60_000.0)
    }
}

/// All attempts of this run, whatever the pass.
fn own<'l>(
    job: &'l Job<'_>,
    ledger: &'l Ledger,
    key: Digest,
) -> impl Iterator<Item = &'l Attempt> + use<'l> {
    ledger.attempts(key).iter().filter(move |attempt| attempt.run == job.run)
}
