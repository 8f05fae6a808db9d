//! One exchange with a judge and everything worth remembering about it.

use serde::{Deserialize, Serialize};

use crate::judge::{ApiKey, ErrorKind};

/// What one exchange gave. Never changed once written: the ledger is a log of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The run that asked, as its hex id. A failure speaks only for the run and pass it happened in.
    pub run: String,
    /// Raised by "Retry failed": a failure never answers a later pass.
    pub pass: u32,
    /// UTC, milliseconds since the epoch, when the exchange began.
    pub at: f64,
    /// Milliseconds it took.
    pub took: f64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model_asked: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_answered: Option<String>,
    /// Parameters sent, as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<String>,
    /// Parameters that were set and not sent, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    pub outcome: Outcome,
}

/// What an attempt that was made in a batch has among what was sent, before the batch's kind.
pub const BATCH: &str = "batch=";

/// Characters kept of a body that is no reply.
pub const BODY: usize = 2000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Reply {
        text: String,
        finish: Finish,
        /// Where in the answer each item's evidence stands, as a range of Unicode scalar values.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<Option<(u32, u32)>>,
    },
    Failure {
        kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// What the other side said, shortened, with key shapes removed.
        detail: String,
        /// What came back, as far as it was kept: at most [`BODY`] characters, key shapes removed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        body: String,
    },
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    /// Cut off at the length limit.
    Length,
    /// The model or a filter declined, with its words.
    Refused(String),
    /// A word outside the known list, or none at all.
    Other(String),
}

/// Tokens, as the provider counted them. Unknown is unknown, never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Part of `input` read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Part of `output` spent on reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Usage {
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Outcome {
    pub fn failure(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self::Failure { kind, status: None, detail: detail.into(), body: String::new() }
    }
}

impl Attempt {
    /// Takes the key out of everything the other side wrote: a server can echo it anywhere, and
    /// nothing of it is stored.
    pub fn blot(&mut self, key: &ApiKey) {
        if let Some(model) = &mut self.model_answered {
            *model = key.blot(model);
        }
        match &mut self.outcome {
            Outcome::Failure { detail, body, .. } => {
                *detail = key.redact(detail);
                *body = key.redact(body);
            }
            Outcome::Reply { text, finish, .. } => {
                *text = key.blot(text);
                if let Finish::Refused(words) | Finish::Other(words) = finish {
                    *words = key.blot(words);
                }
            }
        }
    }

    /// Whether it was made in a batch: such calls have prices of their own.
    pub fn is_batch(&self) -> bool {
        self.sent.iter().any(|it| it.starts_with(BATCH))
    }

    pub fn is_reply(&self) -> bool {
        matches!(self.outcome, Outcome::Reply { .. })
    }

    pub fn failure(&self) -> Option<ErrorKind> {
        match self.outcome {
            Outcome::Reply { .. } => None,
            Outcome::Failure { kind, .. } => Some(kind),
        }
    }
}
