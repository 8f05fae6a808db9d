//! The bytes of a file, shared.

use std::sync::Arc;

/// Bytes in memory. Cloning shares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blob(Arc<Vec<u8>>);

impl Blob {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn shared(&self) -> &Arc<Vec<u8>> {
        &self.0
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}
