//! The bytes of a file, shared.

use std::sync::Arc;

/// Bytes in memory. Cloning shares them.
///
/// What is UTF-8 is kept as text, so that readers may hold on to parts of it without a copy and
/// without a second check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    Text(Arc<String>),
    Binary(Arc<Vec<u8>>),
}

impl Blob {
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }

    /// Set where the bytes are UTF-8.
    pub fn text(&self) -> Option<&Arc<String>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Binary(_) => None,
        }
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(Arc::new(text)),
            Err(error) => Self::Binary(Arc::new(error.into_bytes())),
        }
    }
}
