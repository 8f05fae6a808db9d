//! One integration binary: one link step, shared helpers.

mod dataset;
mod driver;
mod metrics;
mod report;
mod run_file;
mod tidy;
mod workers;
mod world;
