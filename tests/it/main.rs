//! One integration binary: one link step, shared helpers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod batch;
mod battles;
mod bootstrap;
mod bridge;
mod contest;
mod dataset;
mod doctor;
mod driver;
mod faults;
mod hosts;
mod hub;
mod matchups;
mod leaderboard;
mod metrics;
mod panel;
#[cfg(feature = "parquet")]
mod parquet;
mod power;
mod providers;
mod rating;
mod repeats;
mod report;
mod run_file;
mod spend;
mod tidy;
mod timed;
mod workers;
mod world;
