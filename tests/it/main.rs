//! One integration binary: one link step, shared helpers.

mod dataset;
