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
    /// US dollars, of what was counted; `None` where prices are not known.
    pub dollars: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    attempts: f64,
    tokens_in: f64,
    tokens_out: f64,
    uncounted: f64,
}

impl Sum {
    fn add(&mut self, attempt: &Attempt, share: f64) {
        let usage = attempt.usage;
        self.attempts += share;
        self.tokens_in += share * usage.input.unwrap_or(0) as f64;
        self.tokens_out += share * usage.output.unwrap_or(0) as f64;
        let is_told = usage.input.is_some() && usage.output.is_some();
        let is_free = usage.is_unknown() && attempt.failure().is_some_and(|it| !it.may_cost());
        if !is_told && !is_free {
            self.uncounted += share;
        }
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
    let prices: Option<&Prices> = record.settings.prices.as_ref();
    sums.into_iter()
        .map(|((protocol, system), sum)| Spent {
            protocol,
            system: record.frame.systems[system as usize].name.to_string(),
            attempts: sum.attempts,
            tokens_in: sum.tokens_in,
            tokens_out: sum.tokens_out,
            uncounted: sum.uncounted,
            dollars: prices.map(|it| (sum.tokens_in * it.input + sum.tokens_out * it.output) / 1e6),
        })
        .collect()
}
