//! One integration binary: one link step, shared helpers.

mod driver;
mod metrics;
mod report;
mod world;
