//! A scripted world for runs: replies from a closure, a virtual clock, a log of what was stored.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use viva::ids::{CaseId, Digest, SystemName};
use viva::judge::{
    Attempt, Endpoint, ErrorKind, Finish, JudgeSpec, Outcome, OutputFormat, Prompt, ProviderId,
    Usage,
};
use viva::ledger::Ledger;
use viva::protocol::{CoverageTask, Request, Task};
use viva::rubric::Label;
use viva::run::driver::Exchange;
use viva::run::record::{Origin, Record, Settings};
use viva::run::{
    AnswerState, DatasetStamp, Effects, Frame, FrameCase, FrameItem, FrameSystem, Phase,
    StorageError, Tokens,
};

/// What the scripted judge says to the n-th exchange (from 0) about a request.
pub(crate) enum Say {
    Text(String),
    Cut(String),
    Fail(ErrorKind),
}

pub(crate) struct Scripted<F> {
    pub(crate) script: F,
    pub(crate) run: String,
    pub(crate) pass: u32,
    pub(crate) log: RefCell<Vec<(Digest, Attempt)>>,
    pub(crate) performed: Cell<usize>,
    pub(crate) together: Cell<usize>,
    pub(crate) most_together: Cell<usize>,
    pub(crate) waited: Cell<Duration>,
    pub(crate) full_after: Cell<Option<usize>>,
    clock: Cell<f64>,
    /// Milliseconds that an exchange takes; less than nothing where the clock is set back.
    pub(crate) step: Cell<f64>,
}

impl<F: Fn(usize, &Request) -> Say> Scripted<F> {
    pub(crate) fn new(record: &Record, script: F) -> Self {
        Self {
            script,
            run: record.id.clone(),
            pass: record.pass,
            log: RefCell::default(),
            performed: Cell::new(0),
            together: Cell::new(0),
            most_together: Cell::new(0),
            waited: Cell::new(Duration::ZERO),
            full_after: Cell::new(None),
            clock: Cell::new(1_000_000.0),
            step: Cell::new(10.0),
        }
    }
}

impl<F: Fn(usize, &Request) -> Say> Effects for Scripted<F> {
    async fn perform(&self, request: &Request) -> Exchange {
        let nth = self.performed.get();
        self.performed.set(nth + 1);
        self.together.set(self.together.get() + 1);
        self.most_together.set(self.most_together.get().max(self.together.get()));
        // Some take longer, so that calls are on their way when something else happens.
        for _ in 0..=nth % 3 {
            yield_once().await;
        }
        self.together.set(self.together.get() - 1);
        self.clock.set(self.clock.get() + self.step.get());
        let outcome = match (self.script)(nth, request) {
            Say::Text(text) => Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() },
            Say::Cut(text) => Outcome::Reply { text, finish: Finish::Length, evidence: Vec::new() },
            Say::Fail(kind) => Outcome::failure(kind, "scripted"),
        };
        Exchange {
            attempt: attempt(&self.run, self.pass, self.clock.get(), outcome),
            retry_after: None,
        }
    }

    fn cancelled(&self, _: &Request, began: f64) -> Attempt {
        attempt(&self.run, self.pass, began, Outcome::failure(ErrorKind::Cancelled, "cancelled"))
    }

    async fn append(&self, key: Digest, attempt: &Attempt) -> Result<(), StorageError> {
        if self.full_after.get().is_some_and(|full| full <= self.log.borrow().len()) {
            return Err(StorageError("disk full".to_owned()));
        }
        self.log.borrow_mut().push((key, attempt.clone()));
        Ok(())
    }

    async fn sleep(&self, duration: Duration) {
        self.waited.set(self.waited.get() + duration);
        self.clock.set(self.clock.get() + duration.as_secs_f64() * 1000.0);
    }

    fn now(&self) -> f64 {
        self.clock.get()
    }

    fn jitter(&self) -> f64 {
        0.5
    }

    fn bound(&self, _: &Request) -> Tokens {
        Tokens { input: 1000, output: Some(100) }
    }
}

pub(crate) fn attempt(run: &str, pass: u32, at: f64, outcome: Outcome) -> Attempt {
    Attempt {
        run: run.to_owned(),
        pass,
        at,
        took: 1.0,
        model_asked: "scripted".to_owned(),
        model_answered: None,
        sent: Vec::new(),
        dropped: Vec::new(),
        usage: Usage::default(),
        outcome,
    }
}

/// A ledger in which all tasks of the run have the replies that `says` gives.
pub(crate) fn answered(record: &Record, says: impl Fn(&Task) -> Option<String>) -> Ledger {
    let mut ledger = Ledger::default();
    for (at, task) in record.all_tasks().iter().enumerate() {
        if let Some(text) = says(task) {
            let outcome = Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() };
            ledger.admit(task.key(), attempt(&record.id, record.pass, at as f64, outcome));
        }
    }
    ledger
}

/// One label a line, by quarters of full coverage.
pub(crate) fn lines(quarters: &[u8]) -> String {
    let labels = quarters.iter().map(|it| Label::from_quarters(*it).unwrap().as_str());
    labels.collect::<Vec<_>>().join("\n")
}

/// The batch of items that is asked about.
pub(crate) fn batch(request: &Request) -> CoverageTask {
    match request.task {
        Task::Coverage(task) => task,
        Task::Preference(_) => panic!("rubric items were to be asked about"),
    }
}

/// Lets other futures go on, once.
async fn yield_once() {
    let mut done = false;
    std::future::poll_fn(|context| {
        if done {
            return std::task::Poll::Ready(());
        }
        done = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// `n_items[case]` items a question, all answered by all systems.
pub(crate) fn frame(n_items: &[usize], systems: &[&str]) -> Frame {
    let cases: Vec<FrameCase> = n_items
        .iter()
        .enumerate()
        .map(|(case, &n)| FrameCase {
            id: CaseId::new(format!("q{case}")),
            domain: "D".to_owned(),
            subdomain: String::new(),
            field: "F".to_owned(),
            query: Some(Digest::of_texts([format!("query {case}").as_str()])),
            items: (0..n)
                .map(|item| FrameItem {
                    digest: Digest::of_texts([format!("item {case} {item}").as_str()]),
                    types: Vec::new(),
                    weight: 1.0,
                })
                .collect(),
        })
        .collect();
    let systems = systems
        .iter()
        .map(|name| FrameSystem {
            name: SystemName::new(*name),
            identity: Digest::of_texts([*name]),
            answers: (0..n_items.len())
                .map(|case| AnswerState::Answered {
                    digest: Digest::of_texts([format!("{name} {case}").as_str()]),
                    words: 10,
                })
                .collect(),
        })
        .collect();
    let dataset = DatasetStamp {
        name: "test".to_owned(),
        source: "test".to_owned(),
        digest: Digest::of_texts(["test"]),
        n_cases: n_items.len() as u64,
        n_items: n_items.iter().sum::<usize>() as u64,
    };
    Frame { dataset, cases, systems }
}

pub(crate) fn record(judge: JudgeSpec, frame: Frame) -> Record {
    let settings = Settings { concurrency: 4, ..Settings::of_coverage(judge, 7) };
    Record {
        id: Record::id_of(&settings, frame.dataset.digest),
        name: "test run".to_owned(),
        created: 0.0,
        updated: 0.0,
        origin: Origin::Here,
        settings,
        frame,
        battles: Vec::new(),
        pass: 0,
        phase: Phase::Idle,
        conflicts: Vec::new(),
        extensions: Vec::new(),
        bridge: None,
        batches: Vec::new(),
    }
}

/// A model that costs money, behind an address that is never asked.
pub(crate) fn endpoint(format: OutputFormat) -> JudgeSpec {
    JudgeSpec::Endpoint(Endpoint {
        provider: ProviderId::Custom,
        capabilities: None,
        base_url: "https://api.example.org/v1".to_owned(),
        model: "m".to_owned(),
        temperature: Some(0.1),
        max_tokens: None,
        seed: None,
        effort: None,
        format,
        prompt: Prompt::viva(),
    })
}
