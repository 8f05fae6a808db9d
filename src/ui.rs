//! What a person sees.
//!
//! `session` owns what outlives a page and carries out commands; pages read signals and send commands.

#![allow(clippy::needless_pass_by_value, reason = "a component owns its props")]

pub mod command;
pub mod draft;
pub mod format;
pub mod route;
pub mod session;
pub mod shell;
pub mod order;
pub mod page;
pub mod part;
pub mod react;

pub use shell::App;
