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
use crate::judge::{Attempt, ErrorKind, Outcome};
use crate::ledger::{Ledger, Pass};
use crate::observation::{Mark, Tally, Unscored};
use crate::protocol::{Form, Pending, Request, Task};

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
    changes: Cell<u64>,
    /// By slot: each waiting future has one, however often it is polled.
    wakers: RefCell<BTreeMap<u64, Waker>>,
    slots: Cell<u64>,
}

impl Control {
    pub fn new(limit: usize) -> Self {
        Self {
            wish: Cell::new(Wish::Run),
            limit: Cell::new(limit.max(1)),
            changes: Cell::new(0),
            wakers: RefCell::default(),
            slots: Cell::new(0),
        }
    }

    pub fn wish(&self) -> Wish {
        self.wish.get()
    }

    pub fn set(&self, wish: Wish) {
        self.wish.set(wish);
        self.notify();
    }

    /// Requests at the same time. Takes effect with the next one.
    pub fn set_limit(&self, limit: usize) {
        self.limit.set(limit.max(1));
        self.notify();
    }

    fn notify(&self) {
        self.changes.set(self.changes.get() + 1);
        for (_, waker) in self.wakers.take() {
            waker.wake();
        }
    }

    /// Comes back once something has changed since [`Control::changes`] read `seen`. Taking the
    /// number before looking at the wish means that no change is slept through.
    fn changed_since(&self, seen: u64) -> Changed<'_> {
        let slot = self.slots.get();
        self.slots.set(slot + 1);
        Changed { control: self, seen, slot }
    }

    async fn until(&self, met: impl Fn(Wish) -> bool) {
        loop {
            let seen = self.changes.get();
            if met(self.wish.get()) {
                return;
            }
            self.changed_since(seen).await;
        }
    }
}

/// See [`Control::changed_since`].
struct Changed<'a> {
    control: &'a Control,
    seen: u64,
    slot: u64,
}

impl Future for Changed<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.control.changes.get() != self.seen {
            return Poll::Ready(());
        }
        self.control.wakers.borrow_mut().insert(self.slot, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        // A waker keeps its whole task alive, and a long run makes many.
        self.control.wakers.borrow_mut().remove(&self.slot);
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
}

impl Job<'_> {
    fn pass<'l>(&'l self, ledger: &'l Ledger) -> Pass<'l> {
        Pass { ledger, run: self.run, number: self.pass }
    }
}

/// How one request ended.
enum End {
    Answered,
    /// The last try failed.
    Failed(ErrorKind),
    /// Not to be asked now: stopped, cancelled or capped.
    Dropped,
}

/// The state of a run as the ledger tells it, without asking anything.
pub fn survey(job: &Job<'_>, ledger: &Ledger) -> Progress {
    let mut progress = Progress::default();
    let mut seen = HashSet::new();
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
            }
        }
    }
    progress
}

fn count(progress: &mut Progress, attempt: &Attempt) {
    progress.attempts += 1;
    progress.tokens_in += attempt.usage.input.unwrap_or(0);
    progress.tokens_out += attempt.usage.output.unwrap_or(0);
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
    let attempts = Cell::new(board.progress.attempts);
    let mut in_flight = FuturesUnordered::new();
    let mut wall: (Option<ErrorKind>, u32) = (None, 0);
    let mut unstored = None;

    loop {
        let looked = control.changes.get();
        board.progress.phase = match control.wish() {
            Wish::Run => Phase::Running,
            Wish::Pause => Phase::Paused,
            Wish::Stop | Wish::Cancel => Phase::Stopped,
        };
        while control.wish() == Wish::Run && in_flight.len() < control.limit.get() {
            let Some(request) = board.queue.pop_front() else {
                break;
            };
            board.mark(job, &ledger.borrow(), request.key(), true);
            in_flight.push(ask(job, ledger, effects, control, &attempts, request));
        }
        board.progress.in_flight = in_flight.len() as u64;
        seen(&board.progress);

        let stopped = matches!(control.wish(), Wish::Stop | Wish::Cancel);
        if in_flight.is_empty() && (stopped || board.queue.is_empty()) {
            break;
        }
        if in_flight.is_empty() {
            control.changed_since(looked).await;
            continue;
        }
        let changed = pin!(control.changed_since(looked));
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
            End::Dropped => {
                if job.call_cap.is_some_and(|cap| cap <= attempts.get()) {
                    board.progress.halt = Some(Halt::Cap);
                    control.set(Wish::Stop);
                }
            }
        }
    }

    if let Some(error) = unstored {
        return Err(error);
    }
    let progress = &mut board.progress;
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

/// One request to its end: exchanges, waits between them, each written down before it counts.
async fn ask(
    job: &Job<'_>,
    ledger: &RefCell<Ledger>,
    effects: &impl Effects,
    control: &Control,
    attempts: &Cell<u64>,
    mut request: Request,
) -> Result<(Request, End), StorageError> {
    loop {
        if job.call_cap.is_some_and(|cap| cap <= attempts.get()) {
            return Ok((request, End::Dropped));
        }
        attempts.set(attempts.get() + 1);
        let began = effects.now();
        let cancelled = control.until(|wish| wish == Wish::Cancel);
        let exchange = match select(pin!(effects.perform(&request)), pin!(cancelled)).await {
            Either::Left((exchange, _)) => exchange,
            Either::Right(_) => {
                Exchange { attempt: effects.cancelled(&request, began), retry_after: None }
            }
        };
        effects.append(request.key(), &exchange.attempt).await?;
        ledger.borrow_mut().record(request.key(), exchange.attempt);

        let (failures, kind) = job.pass(&ledger.borrow()).failures(request.key());
        let Some(kind) = kind else {
            return Ok((request, End::Answered));
        };
        if !job.policy.allows(kind, failures) {
            return Ok((request, End::Failed(kind)));
        }
        request.with = job.policy.again(kind, request.with);
        let wait = job.policy.wait(kind, failures, effects.jitter(), exchange.retry_after);
        let stopped = control.until(|wish| matches!(wish, Wish::Stop | Wish::Cancel));
        if let Either::Right(_) = select(pin!(effects.sleep(wait)), pin!(stopped)).await {
            return Ok((request, End::Dropped));
        }
        control.until(|wish| wish != Wish::Pause).await;
        if control.wish() != Wish::Run {
            return Ok((request, End::Dropped));
        }
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
        if matches!(end, End::Dropped) {
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
