//! Everything the outside world has said so far. Append-only: the one source of truth of a run.

use std::collections::HashMap;

use crate::ids::Digest;
use crate::judge::{Attempt, ErrorKind};

/// Attempts by the key of their request, each key's in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    attempts: HashMap<Digest, Vec<Attempt>>,
    len: usize,
}

impl Ledger {
    pub fn record(&mut self, key: Digest, attempt: Attempt) {
        self.attempts.entry(key).or_default().push(attempt);
        self.len += 1;
    }

    /// Takes in an attempt from storage or a run file, unless the very same one is there.
    /// Says whether it was new.
    pub fn admit(&mut self, key: Digest, attempt: Attempt) -> bool {
        if self.attempts(key).contains(&attempt) {
            return false;
        }
        let list = self.attempts.entry(key).or_default();
        let at = list.partition_point(|other| other.at <= attempt.at);
        list.insert(at, attempt);
        self.len += 1;
        true
    }

    pub fn attempts(&self, key: Digest) -> &[Attempt] {
        self.attempts.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Every attempt, in no order.
    pub fn all(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.values().flatten()
    }

    /// Attempts in all.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The ledger as one pass of one run sees it: replies are anybody's, failures are its own.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    pub ledger: &'a Ledger,
    pub run: &'a str,
    pub number: u32,
}

impl<'a> Pass<'a> {
    /// Attempts this pass itself made.
    pub fn own(&self, key: Digest) -> impl Iterator<Item = &'a Attempt> + use<'a, '_> {
        self.ledger
            .attempts(key)
            .iter()
            .filter(|attempt| attempt.run == self.run && attempt.pass == self.number)
    }

    /// Failures of this pass since its last reply to `key`, and the kind of the last one. What a batch
    /// did not come to was never tried, and counts for none.
    pub fn failures(&self, key: Digest) -> (u32, Option<ErrorKind>) {
        self.own(key).fold((0, None), |(count, _), attempt| match attempt.failure() {
            Some(ErrorKind::BatchEnded) => (count, Some(ErrorKind::BatchEnded)),
            Some(kind) => (count + 1, Some(kind)),
            None => (0, None),
        })
    }
}
