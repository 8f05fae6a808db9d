//! Which host got how many calls, by what is on record.

use std::collections::{BTreeMap, HashMap};

use crate::judge::{Attempt, ErrorKind, JudgeSpec};
use crate::ledger::Ledger;
use crate::run::record::{Origin, Record};

/// Calls to one host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCalls {
    /// With its port.
    pub host: String,
    pub calls: u64,
    pub replies: u64,
    /// UTC, milliseconds since the epoch, when the first and the last began.
    pub first: f64,
    pub last: f64,
}

impl HostCalls {
    pub fn one(host: &str, at: f64, replied: bool) -> Self {
        let host = host.to_owned();
        Self { host, calls: 1, replies: u64::from(replied), first: at, last: at }
    }

    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.replies += other.replies;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// What is on record of calls to judges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hosts {
    /// Those with the most calls first.
    pub hosts: Vec<HostCalls>,
    /// Calls whose run is gone, so that nobody knows where they went.
    pub unknown: u64,
    /// Calls of runs from files, which may have been made on other devices.
    pub of_files: u64,
}

/// Every attempt in the ledger that left this page, by host.
pub fn hosts<'a>(records: impl Iterator<Item = &'a Record>, ledger: &Ledger) -> Hosts {
    let runs: HashMap<&str, &Record> = records.map(|it| (it.id.as_str(), it)).collect();
    let mut by_host: BTreeMap<&str, HostCalls> = BTreeMap::new();
    let mut found = Hosts::default();
    for attempt in ledger.all().filter(|it| was_sent(it)) {
        let Some(record) = runs.get(attempt.run.as_str()) else {
            found.unknown += 1;
            continue;
        };
        let JudgeSpec::Endpoint(endpoint) = &record.settings.judge else {
            continue;
        };
        if record.origin != Origin::Here {
            found.of_files += 1;
            continue;
        }
        let one = HostCalls::one(endpoint.host(), attempt.at, attempt.is_reply());
        by_host.entry(endpoint.host()).and_modify(|it| it.add(&one)).or_insert(one);
    }
    found.hosts = by_host.into_values().collect();
    found.hosts.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.host.cmp(&b.host)));
    found
}

/// Whether it went to some model: labels by hand, by word count and from files did not, and a key of
/// another host stops a call before it leaves.
fn was_sent(attempt: &Attempt) -> bool {
    !attempt.model_asked.is_empty() && attempt.failure() != Some(ErrorKind::KeyUnusable)
}
