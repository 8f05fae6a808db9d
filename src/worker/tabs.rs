//! What the run workers of several tabs tell each other, so that each knows what is stored and one asks.

use serde::{Deserialize, Serialize};

use crate::run::{Progress, Wish};

/// One word to all other tabs of this origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TabWord {
    /// Attempts that were stored: keys as in storage, and attempts as JSON.
    Stored(Vec<(String, String)>),
    /// How far a run is that goes on in the tab that says so.
    Progress {
        run: String,
        progress: Box<Progress>,
    },
    /// A run was begun, extended, renamed or deleted: storage has it as it is now.
    Changed {
        run: String,
    },
    /// Everything was deleted.
    Forgotten,
    /// What a person wants of a run that goes on in another tab.
    Hand {
        run: String,
        wish: Wish,
    },
    SetConcurrency {
        run: String,
        concurrency: u32,
    },
    /// Who drives this run shall let another tab have it.
    GiveUp {
        run: String,
    },
    /// It is being given up, once the calls in flight have ended.
    Leaving {
        run: String,
    },
}

/// The name of the lock on a run. Whoever holds it drives the run.
pub fn lock_name(run: &str) -> String {
    format!("{LOCK}{run}")
}

/// The run that a lock is on.
pub fn locked_run(name: &str) -> Option<&str> {
    name.strip_prefix(LOCK)
}

const LOCK: &str = "viva-run-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_names_its_run() {
        assert_eq!(locked_run(&lock_name("ab12")), Some("ab12"));
        assert_eq!(locked_run("viva-files"), None);
    }
}
