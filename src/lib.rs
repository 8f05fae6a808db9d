//! Examines scholarly answers in the browser: rubric coverage with honest denominators.
//!
//! Modules are listed in reading order. Everything outside `edge`, `ui` and the binaries is pure:
//! it takes values and returns values, and is tested natively.

pub mod ids;
pub mod rubric;
pub mod observation;
pub mod dataset;
pub mod hub;
pub mod judge;
pub mod ledger;
pub mod protocol;
pub mod run;
pub mod rating;
pub mod metrics;
pub mod report;
pub mod worker;

#[cfg(feature = "parquet")]
pub mod parquet;

#[cfg(feature = "browser")]
pub mod edge;
#[cfg(feature = "app")]
pub mod ui;
