//! A dataset on a Hugging Face Hub: what to ask for, what the answers mean, and what to do next. Pure.
//!
//! The Hub redirects to a network of copies and tells a page only some of its headers. What is known of
//! it stands beside each rule. Sending, storing and waiting are the caller's.

mod address;
mod api;
mod catalog;
mod download;
mod error;
mod progress;
mod source;
mod url;

pub use address::{Address, Base};
pub use api::{HubFile, Info, read_info, read_tree};
pub use catalog::{Catalog, Form, Split};
pub use download::{Accept, Download, Ended, Head, Range};
pub use error::{HubError, Next, Response, Told};
pub use progress::Meter;
pub use source::{Minus, Source, minus};
pub use url::{info_url, next_page, resolve_url, tree_url};

/// The dataset that the page is made for.
pub const RESEARCHQA: &str = "realliyifei/ResearchQA";

/// The branch on which the Hub keeps its own Parquet form of a dataset.
pub const CONVERTED: &str = "refs/convert/parquet";
