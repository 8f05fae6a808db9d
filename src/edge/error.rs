//! What the browser can refuse, told apart where it matters.

use wasm_bindgen::{JsCast as _, JsValue};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EdgeError {
    #[error("the browser has no room left for this page: {0}")]
    Quota(String),
    #[error("this browser offers no storage to this page: {0}")]
    NoStorage(String),
    #[error("a worker could not be reached: {0}")]
    Worker(String),
    #[error("a message could not be read: {0}")]
    Message(String),
    #[error("a file could not be read: {0}")]
    File(String),
    #[error("{0}")]
    Other(String),
}

/// The words of a JavaScript error.
pub fn words(value: &JsValue) -> String {
    if let Some(exception) = value.dyn_ref::<web_sys::DomException>() {
        return format!("{}: {}", exception.name(), exception.message());
    }
    if let Some(error) = value.dyn_ref::<js_sys::Error>() {
        return String::from(error.message());
    }
    value.as_string().unwrap_or_else(|| format!("{value:?}"))
}

impl From<JsValue> for EdgeError {
    fn from(value: JsValue) -> Self {
        let text = words(&value);
        if text.contains("QuotaExceeded") { Self::Quota(text) } else { Self::Other(text) }
    }
}

impl From<idb::Error> for EdgeError {
    fn from(error: idb::Error) -> Self {
        let text = error.to_string();
        if text.contains("Quota") { Self::Quota(text) } else { Self::NoStorage(text) }
    }
}
