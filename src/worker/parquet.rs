//! What the data worker and the Parquet worker say to each other.

use serde::{Deserialize, Serialize};

use crate::dataset::{Problem, Problems};
use crate::worker::Notice;

/// A file to be written out as JSON lines. Its bytes lie beside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParquetJob {
    pub name: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ParquetReply {
    /// The lines lie beside.
    Read(Problems),
    /// Nothing of the file can be read.
    Refused(Problem),
    Failed(Notice),
}
