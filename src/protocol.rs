//! What is asked and how a reply is read: pure functions of a task and the ledger.

pub mod reading;

pub use reading::Reading;
