//! What is left of a run, as batch files; and what batches gave, as replies.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::dataset::{Place, Problems, text};
use crate::ids::Digest;
use crate::judge::attempt::BATCH;
use crate::judge::batch::{self, BatchFile, BatchKind, Ended, Entry, FromPage, Oddity, Said};
use crate::judge::provider::{self, Encoded};
use crate::judge::retry::RetryPolicy;
use crate::judge::{Again, Attempt, Endpoint, JudgeSpec};
use crate::ledger::{Ledger, Pass};
use crate::protocol::{Pending, Task};
use crate::report::number::counted;
use crate::run::batches::{BatchStage, SentBatch, out};
use crate::run::record::Record;
use crate::worker::Notice;
use crate::worker::runs::{Book, Reply};

/// What is still to be asked in a run, as far as a batch can.
///
/// A batch asks plain first tries. What is asked anew in another form, such as with more tokens for the
/// reply, has the same key, so that a result could not say which it is of: that is for a live run.
pub struct BatchPlan<'a> {
    pub endpoint: &'a Endpoint,
    /// How its files' names begin.
    pub stem: String,
    tasks: Vec<Task>,
    /// Requests that only a live run can make.
    pub live_only: u64,
    /// Requests about answers whose text is not here.
    pub without_text: u64,
    /// Requests beyond the cap on calls.
    pub beyond_cap: u64,
    book: &'a Book,
    record: &'a Record,
}

impl BatchPlan<'_> {
    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The very requests that a live run would send.
    pub fn requests(&self) -> impl Iterator<Item = (Digest, Encoded)> {
        // One at a time: all prompts together are as large as all files.
        self.tasks.iter().filter_map(|task| {
            let prompt = self.book.prompt(self.record, task).ok()?;
            let wanted = self.record.settings.wanted(task);
            Some((task.key(), provider::encode(self.endpoint, &prompt, wanted, Again::Plain)))
        })
    }

    /// The most that all requests can cost, in US dollars, at the prices for batches. `None` where those are
    /// not known, or a reply has no limit.
    pub fn at_most(&self) -> Option<f64> {
        let prices = self.record.settings.batch_prices.as_ref()?;
        // A byte is at least a token.
        self.requests()
            .map(|(_, it)| Some(prices.of(it.request.body.len() as u64, u64::from(it.cap?))))
            .sum()
    }

    /// The same of one of its files: its bytes hold those of its requests.
    pub fn at_most_of(&self, file: &BatchFile) -> Option<f64> {
        let prices = self.record.settings.batch_prices.as_ref()?;
        let cap = self.requests().next()?.1.cap?;
        Some(prices.of(file.text.len() as u64, file.n.saturating_mul(u64::from(cap))))
    }

    /// Whether the budget allows all of it at once.
    ///
    /// # Errors
    /// In a sentence, where it does not, or where nobody can know.
    pub fn affordable(&self, spent: Option<f64>) -> Result<(), String> {
        let Some(budget) = self.record.settings.budget else {
            return Ok(());
        };
        let most = self.at_most().ok_or_else(|| {
            "A budget holds for batches only where their prices and the reply’s limit are known."
                .to_owned()
        })?;
        let all = spent.unwrap_or(0.0) + most;
        if budget < all {
            return Err(format!(
                "It could cost ${most:.2} at most, and with what is spent ${all:.2}: more than the budget of ${budget:.2}."
            ));
        }
        Ok(())
    }

    /// What to know of the files, in full sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![FromPage::of(self.endpoint).words().to_owned()];
        let settings = &self.record.settings;
        let waiting = out(&self.record.batches);
        if 0 < waiting {
            notes.push(format!(
                "{} out in a batch already: what is submitted again is paid twice.",
                counted(waiting, "request is", "requests are")
            ));
        }
        if let Some(most) = self.at_most() {
            notes.push(format!("All of it costs ${most:.2} at most, at the prices for batches."));
        }
        if settings.batch_prices.is_none() {
            notes.push(
                "Without prices for batches nobody here knows what they will cost.".to_owned(),
            );
        }
        if settings.budget.is_some() {
            notes.push(
                "The budget holds for live calls: what is submitted by hand is not held by it."
                    .to_owned(),
            );
        }
        let mut left = |n: u64, why: &str| {
            if 0 < n {
                notes
                    .push(format!("{} left out: {why}.", counted(n, "request is", "requests are")));
            }
        };
        left(
            self.live_only,
            "they must be made in another form than the first time, which a live run does",
        );
        left(self.without_text, "the texts of these answers are not here");
        left(self.beyond_cap, "the call cap would be passed");
        notes
    }
}

/// What a file of results held, by what became of each entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCounts {
    pub replies: u64,
    pub errors: u64,
    /// The batch ended before it came to them.
    pub unasked: u64,
    /// Of no run here.
    pub unknown: u64,
    /// Read before, from this file or another.
    pub repeated: u64,
    /// Of a run that is going on.
    pub busy: u64,
    /// No results.
    pub odd: u64,
}

/// What a file of results gave.
#[derive(Debug, Default)]
pub struct BatchRead {
    /// To be stored, and then counted.
    pub replies: Vec<Reply>,
    /// Whose they are.
    pub runs: BTreeSet<String>,
    pub counts: BatchCounts,
    pub problems: Problems,
}

impl BatchRead {
    /// In one sentence.
    pub fn note(&self, file: &str) -> String {
        let it = &self.counts;
        let mut parts = vec![format!("{} read", counted(it.replies, "reply", "replies"))];
        let mut told = |n: u64, one: &str, more: &str| {
            if 0 < n {
                parts.push(counted(n, one, more));
            }
        };
        told(it.errors, "error", "errors");
        told(
            it.unasked,
            "request that the batch did not come to",
            "requests that the batch did not come to",
        );
        told(it.repeated, "result that was here already", "results that were here already");
        told(it.unknown, "result of no run here", "results of no run here");
        told(
            it.busy,
            "result of a run that is going on, left for later",
            "results of a run that is going on, left for later",
        );
        told(it.odd, "line that is no result", "lines that are no results");
        format!("{file}: {}.", parts.join(", "))
    }
}

impl Book {
    /// What the ledger lacks of a run, as requests of a batch. Asks nothing.
    ///
    /// # Errors
    /// In words, where there is nobody to ask, nothing to ask with, or nothing left.
    pub fn batch_plan<'a>(&'a self, ledger: &Ledger, run: &str) -> Result<BatchPlan<'a>, Notice> {
        let record = self.record(run)?;
        let JudgeSpec::Endpoint(endpoint) = &record.settings.judge else {
            return Err(Notice::new(
                "There is nobody to ask in batches",
                "This run is not judged by a provider’s model.",
                "Choose an endpoint on the Judge page.",
            ));
        };
        self.texts(run)?;
        let mut plan = BatchPlan {
            endpoint,
            stem: format!("viva-{}", &record.id[..record.id.len().min(8)]),
            tasks: Vec::new(),
            live_only: 0,
            without_text: 0,
            beyond_cap: 0,
            book: self,
            record,
        };
        let cap = record.settings.call_cap.map(|cap| {
            let made = record.progress(ledger).attempts;
            usize::try_from(cap.saturating_sub(made)).unwrap_or(usize::MAX)
        });
        let pass = Pass { ledger, run, number: record.pass };
        let mut seen = HashSet::new();
        for task in record.all_tasks() {
            if !seen.insert(task.key()) {
                continue;
            }
            let form = record.settings.form();
            let Err(Pending(asks)) = task.evaluate(form, &pass, &RetryPolicy::STANDARD) else {
                continue;
            };
            if asks.iter().any(|it| 0 < it.again || it.with != Again::Plain) {
                plan.live_only += 1;
            } else if cap.is_some_and(|cap| cap <= plan.tasks.len()) {
                plan.beyond_cap += 1;
            } else if self.prompt(record, &task).is_ok() {
                plan.tasks.push(task);
            } else {
                plan.without_text += 1;
            }
        }
        if plan.is_empty() {
            let why = match (plan.live_only, plan.without_text, plan.beyond_cap) {
                (0, 0, 0) => "Everything planned has come back.",
                _ => "What is left can only be asked live, or not at all.",
            };
            return Err(Notice::new(
                "There is nothing left for a batch",
                why,
                "Press “Start run” to ask the rest, or extend the run.",
            ));
        }
        Ok(plan)
    }

    /// Of what is left of a run, how much is out in batches of other runs that ask the same.
    pub fn out_elsewhere(&self, ledger: &Ledger, run: &str) -> Result<u64, Notice> {
        let record = self.record(run)?;
        let open = |record: &Record| -> HashSet<Digest> {
            let pass = Pass { ledger, run: &record.id, number: record.pass };
            let (form, policy) = (record.settings.form(), &RetryPolicy::STANDARD);
            let tasks = record.all_tasks().into_iter();
            tasks
                .filter(|it| it.evaluate(form, &pass, policy).is_err())
                .map(|it| it.key())
                .collect()
        };
        let waiting = |it: &&Record| it.id != record.id && 0 < out(&it.batches);
        let elsewhere: HashSet<Digest> =
            self.records.values().filter(waiting).flat_map(open).collect();
        if elsewhere.is_empty() {
            return Ok(0);
        }
        Ok(open(record).intersection(&elsewhere).count() as u64)
    }

    /// Ends the wait for batches of which nobody knew whether they began, where all their results are here:
    /// they were brought, so they began. Results that other batches of the run may have given do not count
    /// for them.
    pub fn settle(&mut self, ledger: &Ledger, run: &str) -> Result<(), Notice> {
        /// Milliseconds that the clocks of a provider and of this device may differ.
        const SKEW: f64 = 300_000.0;
        let record = self.record(run)?;
        if record.batches.iter().all(|it| it.stage != BatchStage::Beginning) {
            return Ok(());
        }
        let keys: HashSet<Digest> = record.all_tasks().iter().map(Task::key).collect();
        let mut came: HashMap<&str, f64> = HashMap::new();
        for attempt in keys.iter().flat_map(|it| ledger.attempts(*it)) {
            let lines = attempt.sent.iter().filter(|it| it.starts_with(LINE));
            came.extend(lines.map(|it| (it.as_str(), attempt.at)));
        }
        let others = |from: f64, name: &SentBatch| -> u64 {
            let counts = |it: &&SentBatch| match it.stage {
                BatchStage::Beginning | BatchStage::Waiting(_) | BatchStage::Read(_) => {
                    from - SKEW <= it.at && !it.is_same(name)
                }
                BatchStage::Uploading | BatchStage::Failed => false,
            };
            record.batches.iter().filter(counts).map(|it| it.n).sum()
        };
        let settled: Vec<bool> = record
            .batches
            .iter()
            .map(|it| {
                let found = came.values().filter(|at| it.at - SKEW <= **at).count() as u64;
                let wanted = it.n.saturating_add(others(it.at, it));
                it.stage == BatchStage::Beginning && wanted <= found
            })
            .collect();
        let record = self.record_mut(run)?;
        for (batch, settled) in record.batches.iter_mut().zip(settled) {
            if settled {
                batch.stage = BatchStage::Read(String::new());
            }
        }
        Ok(())
    }

    /// The runs that the first entries of a file belong to: their texts are worth having while it is read.
    pub fn batch_runs(&self, name: &str, bytes: &[u8]) -> BTreeSet<String> {
        const LOOK: usize = 100;
        let Ok(decoded) = text::open(name, bytes) else {
            return BTreeSet::new();
        };
        let asked = self.asked();
        batch::entries(&decoded.text)
            .take(LOOK)
            .filter_map(|(_, entry)| asked.get(&entry.ok()?.key))
            .flatten()
            .map(|(record, _)| record.id.clone())
            .collect()
    }

    /// Reads a file of results, of any batch and any of its parts: nothing is read twice, and nothing is
    /// taken in that no run asks. `may` says of which runs replies may be taken in now.
    pub fn admit_batch(
        &self,
        ledger: &Ledger,
        (name, bytes): (&str, &[u8]),
        now: f64,
        may: impl Fn(&str) -> bool,
    ) -> BatchRead {
        let mut out = BatchRead::default();
        let decoded = match text::open(name, bytes) {
            Ok(decoded) => decoded,
            Err(problem) => {
                out.problems.push(problem);
                return out;
            }
        };
        out.problems.extend(decoded.cut.into_iter().fold(Problems::default(), |mut all, it| {
            all.push(it);
            all
        }));
        let asked = self.asked();
        let mut seen = HashSet::new();
        for (number, entry) in batch::entries(&decoded.text) {
            let odd = |out: &mut BatchRead, why: Oddity| {
                out.counts.odd += 1;
                let what = format!("This is no result of a batch: {why}.");
                out.problems.report(name, Place::Line(number), what, CURE);
            };
            let entry = match entry {
                Ok(entry) => entry,
                Err(why) => {
                    odd(&mut out, why);
                    continue;
                }
            };
            let Some((record, task)) = asked.get(&entry.key).and_then(|it| whose(ledger, it))
            else {
                out.counts.unknown += 1;
                let what = format!("No run here asks what has the id {}.", entry.key);
                out.problems.report(name, Place::Line(number), what, UNKNOWN);
                continue;
            };
            if !may(&record.id) {
                out.counts.busy += 1;
                continue;
            }
            let line = format!("{LINE}{}", entry.print());
            let is_here = ledger.attempts(entry.key).iter().any(|it| it.sent.contains(&line));
            if is_here || !seen.insert(line.clone()) {
                out.counts.repeated += 1;
                continue;
            }
            match self.batched(record, task, &entry, line, now) {
                Ok((ended, attempt)) => {
                    match ended {
                        Ended::Replied => out.counts.replies += 1,
                        Ended::Failed => out.counts.errors += 1,
                        Ended::Unasked => out.counts.unasked += 1,
                    }
                    out.runs.insert(record.id.clone());
                    out.replies.push((entry.key, attempt));
                }
                Err(why) => odd(&mut out, why),
            }
        }
        out
    }

    /// The attempt that an entry tells of.
    fn batched(
        &self,
        record: &Record,
        task: &Task,
        entry: &Entry,
        line: String,
        now: f64,
    ) -> Result<(Ended, Attempt), Oddity> {
        let JudgeSpec::Endpoint(endpoint) = &record.settings.judge else {
            return Err(Oddity::NoResult);
        };
        let prompt = self.prompt(record, task).unwrap_or_default();
        let Said { at, ended, decoded } =
            entry.said(endpoint, prompt.chars().count() as u64 / 4)?;
        // What was sent does not depend on the prompt, which may not be here any more.
        let encoded = provider::encode(endpoint, "", record.settings.wanted(task), Again::Plain);
        let mut sent = encoded.sent;
        sent.push(format!("{BATCH}{}", BatchKind::of(endpoint).as_str()));
        sent.push(line);
        let attempt = Attempt {
            run: record.id.clone(),
            pass: record.pass,
            at: at.filter(|it| *it <= now).unwrap_or(now),
            // How long it took within the batch nobody says.
            took: 0.0,
            model_asked: endpoint.model.clone(),
            model_answered: decoded.model,
            sent,
            dropped: encoded.dropped,
            usage: decoded.usage,
            outcome: decoded.outcome,
        };
        Ok((ended, attempt))
    }

    /// What all runs ask of providers, by key.
    fn asked(&self) -> HashMap<Digest, Vec<(&Record, Task)>> {
        let mut asked: HashMap<Digest, Vec<(&Record, Task)>> = HashMap::new();
        let is_asked = |it: &&Record| matches!(it.settings.judge, JudgeSpec::Endpoint(_));
        for record in self.records.values().filter(is_asked) {
            for task in record.all_tasks() {
                let list = asked.entry(task.key()).or_default();
                // Equal answers of two systems are asked about once.
                if list.last().is_none_or(|(last, _)| last.id != record.id) {
                    list.push((record, task));
                }
            }
        }
        asked
    }
}

/// Before the fingerprint of the entry that an attempt was read from.
const LINE: &str = "batch_line=";

const CURE: &str = "Bring the file of results as the provider gives it, one JSON object a line; the rest of it was read.";

const UNKNOWN: &str =
    "Reopen the run that the batch was written from; a changed setting makes other requests.";

/// The run that a result is for, of those that ask the same: one that still waits for it, and of several
/// the one that was touched last. A reply counts for all of them, and its cost for this one.
fn whose<'a, 'b>(
    ledger: &Ledger,
    runs: &'b [(&'a Record, Task)],
) -> Option<(&'a Record, &'b Task)> {
    let is_open = |record: &Record, task: &Task| {
        let pass = Pass { ledger, run: &record.id, number: record.pass };
        task.evaluate(record.settings.form(), &pass, &RetryPolicy::STANDARD).is_err()
    };
    runs.iter()
        .max_by(|(a, of_a), (b, of_b)| {
            let opens = || is_open(a, of_a).cmp(&is_open(b, of_b));
            opens().then(a.updated.total_cmp(&b.updated)).then(b.id.cmp(&a.id))
        })
        .map(|(record, task)| (*record, task))
}
