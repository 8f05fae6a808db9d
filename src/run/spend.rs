//! What a run has cost, line by line, once it stands still: by protocol and system.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::judge::Attempt;
use crate::ledger::Ledger;
use crate::protocol::Task;
use crate::run::money::Prices;
use crate::run::record::Record;

/// What a call was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Protocol {
    Coverage,
    Preference,
}

/// The attempts of one protocol on one system's answers.
///
/// A battle is about two systems and half of it stands with each, so that lines add up to the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub protocol: Protocol,
    pub system: String,
    pub attempts: f64,
    /// As the provider counted.
    pub tokens_in: f64,
    pub tokens_out: f64,
    /// Attempts that may have cost something and that nobody counted.
    pub uncounted: f64,
    /// US dollars, of what was counted; `None` where the price of any of it is not known.
    pub dollars: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    attempts: f64,
    tokens_in: f64,
    tokens_out: f64,
    uncounted: f64,
    /// Of the tokens, those of live calls.
    live_in: f64,
    live_out: f64,
    /// Whether there are live calls, and calls made in batches, that may have cost something.
    has_live: bool,
    has_batch: bool,
}

impl Sum {
    fn add(&mut self, attempt: &Attempt, share: f64) {
        let usage = attempt.usage;
        self.attempts += share;
        let input = share * usage.input.unwrap_or(0) as f64;
        let output = share * usage.output.unwrap_or(0) as f64;
        self.tokens_in += input;
        self.tokens_out += output;
        let is_told = usage.input.is_some() && usage.output.is_some();
        let is_free = usage.is_unknown() && attempt.failure().is_some_and(|it| !it.may_cost());
        if !is_told && !is_free {
            self.uncounted += share;
        }
        if attempt.is_batch() {
            self.has_batch |= !is_free;
        } else {
            self.live_in += input;
            self.live_out += output;
            self.has_live |= !is_free;
        }
    }

    /// Live calls by their prices and batches by theirs. What has no price makes the sum unknown.
    fn dollars(&self, live: Option<&Prices>, batch: Option<&Prices>) -> Option<f64> {
        let part = |is_there: bool, prices: Option<&Prices>, input: f64, output: f64| match prices {
            Some(it) => Some((input * it.input + output * it.output) / 1e6),
            None => (!is_there).then_some(0.0),
        };
        live.or(batch)?;
        let lived = part(self.has_live, live, self.live_in, self.live_out)?;
        let batched = (self.tokens_in - self.live_in, self.tokens_out - self.live_out);
        Some(lived + part(self.has_batch, batch, batched.0, batched.1)?)
    }
}

/// Every attempt that this run made. A call that several systems share, because their answers are equal,
/// stands with the first of them.
pub fn spent(record: &Record, ledger: &Ledger) -> Vec<Spent> {
    let mut sums: BTreeMap<(Protocol, u32), Sum> = BTreeMap::new();
    let mut seen = HashSet::new();
    for task in record.all_tasks() {
        if !seen.insert(task.key()) {
            continue;
        }
        let (protocol, systems) = match &task {
            Task::Coverage(task) => (Protocol::Coverage, vec![task.system]),
            Task::Preference(task) => {
                (Protocol::Preference, vec![task.battle.first, task.battle.second])
            }
        };
        let own = ledger.attempts(task.key()).iter().filter(|it| it.run == record.id);
        for attempt in own {
            for system in &systems {
                let share = 1.0 / systems.len() as f64;
                sums.entry((protocol, *system)).or_default().add(attempt, share);
            }
        }
    }
    let prices = (record.settings.prices.as_ref(), record.settings.batch_prices.as_ref());
    sums.into_iter()
        .map(|((protocol, system), sum)| Spent {
            protocol,
            system: record.frame.systems[system as usize].name.to_string(),
            attempts: sum.attempts,
            tokens_in: sum.tokens_in,
            tokens_out: sum.tokens_out,
            uncounted: sum.uncounted,
            dollars: sum.dollars(prices.0, prices.1),
        })
        .collect()
}
