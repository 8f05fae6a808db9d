//! A provider on a virtual clock: real response bodies, many calls at once, and its own books.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use viva::ids::Digest;
use viva::judge::http::HttpResponse;
use viva::judge::{Attempt, ErrorKind, JudgeSpec, Outcome, Usage, provider};
use viva::ledger::Ledger;
use viva::protocol::Request;
use viva::run::driver::Exchange;
use viva::run::record::Record;
use viva::run::{Control, Effects, Progress, StorageError, Tokens, drive};

use crate::world::attempt;

/// What a page gets to see of one exchange.
pub(crate) enum Heard {
    Response(HttpResponse),
    /// No response, or none that the page may read.
    Nothing(ErrorKind),
}

pub(crate) struct Said {
    pub(crate) heard: Heard,
    pub(crate) took: Duration,
    /// Tokens that the provider charges, whatever it tells.
    pub(crate) charged: (u64, u64),
}

/// One exchange, as the provider wrote it down.
pub(crate) struct Entry {
    pub(crate) began: f64,
    pub(crate) ended: f64,
    pub(crate) failure: Option<ErrorKind>,
    pub(crate) retry_after: Option<Duration>,
}

/// `script` gets how often this was asked before, and what is asked.
pub(crate) struct Timed<F> {
    script: F,
    judge: JudgeSpec,
    run: String,
    pass: u32,
    now: Cell<f64>,
    sleepers: RefCell<BTreeMap<(u64, u64), Waker>>,
    slots: Cell<u64>,
    held_until: Cell<f64>,
    together: Cell<usize>,
    pub(crate) most_together: Cell<usize>,
    pub(crate) log: RefCell<BTreeMap<Digest, Vec<Entry>>>,
    pub(crate) attempts: Cell<u64>,
    pub(crate) charged: Cell<(u64, u64)>,
    pub(crate) stored: Cell<u64>,
}

/// Always the same, so that waits are known to the millisecond.
pub(crate) const JITTER: f64 = 0.5;

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<F: Fn(usize, &Request) -> Said> Timed<F> {
    pub(crate) fn new(record: &Record, script: F) -> Self {
        Self {
            script,
            judge: record.settings.judge.clone(),
            run: record.id.clone(),
            pass: record.pass,
            now: Cell::new(1e12),
            sleepers: RefCell::default(),
            slots: Cell::new(0),
            held_until: Cell::new(0.0),
            together: Cell::new(0),
            most_together: Cell::new(0),
            log: RefCell::default(),
            attempts: Cell::new(0),
            charged: Cell::new((0, 0)),
            stored: Cell::new(0),
        }
    }

    /// Drives `record`; the sum of the ledger is checked at every snapshot.
    pub(crate) fn drive(&self, record: &Record, ledger: &RefCell<Ledger>) -> Progress {
        let tasks = record.all_tasks();
        let control = Control::new(record.settings.concurrency as usize);
        let before = record.progress(&ledger.borrow()).attempts;
        let job = record.job(&tasks);
        let driven = drive(&job, ledger, self, &control, |now| {
            let tally = &now.tally;
            let sum = tally.scored
                + tally.unparsed
                + tally.truncated
                + tally.refused
                + tally.failed
                + tally.in_flight;
            assert_eq!(tally.asked(), sum);
            assert!(tally.asked() <= now.planned);
            assert!(now.pace <= u64::from(record.settings.concurrency));
        });
        let progress = self.block_on(driven).unwrap();
        assert_eq!(progress.attempts, before + self.attempts.get(), "attempts are exchanges");
        assert_eq!(self.stored.get(), self.attempts.get(), "each exchange is stored");
        assert_eq!(progress.tally.in_flight, 0);
        progress
    }

    /// Lets everything happen at one moment, then goes on to the next one at which something will.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
            if woken.0.swap(false, Ordering::Relaxed) {
                continue;
            }
            let next = self.sleepers.borrow_mut().pop_first();
            let ((at, _), waker) = next.expect("nothing will ever happen again");
            self.now.set(self.now.get().max(f64::from_bits(at)));
            waker.wake();
        }
    }
}

impl<F: Fn(usize, &Request) -> Said> Effects for Timed<F> {
    async fn perform(&self, request: &Request) -> Exchange {
        let began = self.now.get();
        assert!(self.held_until.get() <= began + 1.0, "a wait that was asked for is kept by all");
        self.attempts.set(self.attempts.get() + 1);
        self.together.set(self.together.get() + 1);
        self.most_together.set(self.most_together.get().max(self.together.get()));
        let nth = self.log.borrow().get(&request.key()).map_or(0, Vec::len);
        let said = (self.script)(nth, request);
        self.sleep(said.took).await;
        self.together.set(self.together.get() - 1);
        let (input, output) = self.charged.get();
        self.charged.set((input + said.charged.0, output + said.charged.1));
        let (outcome, usage, retry_after) = match said.heard {
            Heard::Nothing(kind) => {
                (Outcome::failure(kind, "nothing came"), Usage::default(), None)
            }
            Heard::Response(response) => {
                let JudgeSpec::Endpoint(asked) = &self.judge else { panic!("nobody to ask") };
                let decoded = provider::decode(asked, &response, 0);
                (decoded.outcome, decoded.usage, decoded.wait.map(Duration::from_secs))
            }
        };
        let mut attempt = attempt(&self.run, self.pass, began, outcome);
        attempt.usage = usage;
        attempt.sent.extend(request.with.sent().map(str::to_owned));
        let ended = self.now.get();
        if let Some(asked) = retry_after {
            let until = ended + asked.as_secs_f64() * 1000.0;
            self.held_until.set(self.held_until.get().max(until));
        }
        let entry = Entry { began, ended, failure: attempt.failure(), retry_after };
        self.log.borrow_mut().entry(request.key()).or_default().push(entry);
        Exchange { attempt, retry_after }
    }

    fn cancelled(&self, _: &Request, began: f64) -> Attempt {
        attempt(&self.run, self.pass, began, Outcome::failure(ErrorKind::Cancelled, ""))
    }

    async fn append(&self, _: Digest, _: &Attempt) -> Result<(), StorageError> {
        self.stored.set(self.stored.get() + 1);
        Ok(())
    }

    async fn sleep(&self, duration: Duration) {
        let until = self.now.get() + duration.as_secs_f64() * 1000.0;
        let slot = self.slots.get();
        self.slots.set(slot + 1);
        std::future::poll_fn(|context| {
            if until <= self.now.get() {
                return Poll::Ready(());
            }
            // Times after the epoch are ordered as their bits are.
            let waker = context.waker().clone();
            self.sleepers.borrow_mut().insert((until.to_bits(), slot), waker);
            Poll::Pending
        })
        .await;
    }

    fn now(&self) -> f64 {
        self.now.get()
    }

    fn jitter(&self) -> f64 {
        JITTER
    }

    fn bound(&self, request: &Request) -> Tokens {
        bound(request)
    }
}

/// As different as requests are, and larger with a raised cap.
pub(crate) fn bound(request: &Request) -> Tokens {
    let size = u64::from(request.key().as_bytes()[0]);
    Tokens { input: 500 + 10 * size, output: Some(u64::from(request.with.cap(100))) }
}
