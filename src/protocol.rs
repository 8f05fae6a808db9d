//! What is asked and how a reply is read: pure functions of a task and the ledger.
//!
//! A protocol reads replies. A missing one ends the call with [`Pending`]; the driver gets it and
//! calls again from the top. So a reload resumes by replay, another reading asks nothing, and asking
//! twice is impossible.

pub mod coverage;
pub mod ensemble;
pub mod preference;
pub mod reading;

use crate::ids::Digest;
use crate::judge::Again;
use crate::judge::OutputFormat;
use crate::judge::retry::RetryPolicy;
use crate::ledger::Pass;
use crate::observation::Mark;

pub use coverage::{CoverageTask, settle};
pub use ensemble::Ensemble;
pub use preference::{Battling, Order, PreferenceTask};
pub use reading::Reading;

/// Requests whose replies must come in before an evaluation can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending(pub Vec<Request>);

/// One thing to ask. Holds ids and fingerprints; its text is rendered when it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    pub task: Task,
    /// How often this pass has asked the same before, because a reply could not be used.
    pub again: u32,
    /// What is different from the first time.
    pub with: Again,
}

impl Request {
    /// Fingerprint of everything that could change the reply.
    pub fn key(&self) -> Digest {
        self.task.key()
    }
}

/// What one call is to settle, whichever the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    Coverage(CoverageTask),
    Preference(PreferenceTask),
}

/// How replies are written and read, for all tasks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub format: OutputFormat,
    /// Whether the direct judge may call a battle a tie.
    pub allow_tie: bool,
}

impl Task {
    pub fn key(&self) -> Digest {
        match self {
            Self::Coverage(task) => task.key,
            Self::Preference(task) => task.key,
        }
    }

    /// The place of its query in the frame.
    pub fn case(&self) -> u32 {
        match self {
            Self::Coverage(task) => task.case,
            Self::Preference(task) => task.battle.case,
        }
    }

    /// The same for another time. `self` is of the first time.
    #[must_use]
    pub fn repeated(&self, repeat: u32) -> Self {
        match self {
            Self::Coverage(task) => Self::Coverage(task.repeated(repeat)),
            Self::Preference(task) => Self::Preference(task.repeated(repeat)),
        }
    }

    /// How many verdicts a reply gives.
    pub fn verdicts(&self) -> u32 {
        match self {
            Self::Coverage(task) => task.len,
            Self::Preference(_) => 1,
        }
    }

    /// What became of its verdicts, whatever is still to be asked.
    pub fn settle(&self, form: Form, pass: &Pass<'_>) -> Vec<Mark<()>> {
        let reading = Reading::Recommended;
        match self {
            Self::Coverage(task) => {
                let marks = settle(task, form.format, reading, pass);
                marks.iter().map(Mark::state).collect()
            }
            Self::Preference(task) => {
                vec![preference::settle(task, form, reading, pass).state()]
            }
        }
    }

    /// Whether everything it needs has come back, or else what is to be asked.
    pub fn evaluate(
        &self,
        form: Form,
        pass: &Pass<'_>,
        policy: &RetryPolicy,
    ) -> Result<(), Pending> {
        let reading = Reading::Recommended;
        match self {
            Self::Coverage(task) => {
                coverage::evaluate(task, form.format, reading, pass, policy).map(|_| ())
            }
            Self::Preference(task) => {
                preference::evaluate(task, form, reading, pass, policy).map(|_| ())
            }
        }
    }
}
