//! What is asked and how a reply is read: pure functions of a task and the ledger.
//!
//! A protocol reads replies. A missing one ends the call with [`Pending`]; the driver gets it and
//! calls again from the top. So a reload resumes by replay, another reading asks nothing, and asking
//! twice is impossible.

pub mod coverage;
pub mod reading;

use crate::ids::Digest;

pub use coverage::{CoverageTask, settle};
pub use reading::Reading;

/// Requests whose replies must come in before an evaluation can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending(pub Vec<Request>);

/// One thing to ask. Holds ids and fingerprints; its text is rendered when it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// Fingerprint of everything that could change the reply.
    pub key: Digest,
    /// Indexes into the frame of the run.
    pub system: u32,
    pub case: u32,
    /// The items asked about: `first..first + len`.
    pub first: u32,
    pub len: u32,
    /// How often this pass has asked the same before, because a reply could not be used.
    pub again: u32,
}
