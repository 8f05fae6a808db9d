//! The browser. With the views, the only part that calls JavaScript.
//!
//! One file a browser API. JavaScript's errors become ours in `error`, and nowhere else.

mod cache;
mod channel;
pub mod clock;
pub mod copy;
pub mod download;
pub mod error;
mod examine;
pub mod fetch;
pub mod files;
mod hub;
mod lock;
pub mod message;
pub mod page;
mod parquet;
pub mod pool;
pub mod serve;
mod serve_data;
#[cfg(feature = "parquet")]
pub mod serve_parquet;
mod serve_run;
mod serve_stats;
pub mod signin;
pub mod storage;
pub mod tab_key;
pub mod tabs;
pub mod vault;

pub use error::EdgeError;
pub use pool::{Pool, WorkerEvent};
