//! Files a person picks or drops.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList, HtmlInputElement};

use crate::dataset::text::{LIMIT_JSON, LIMIT_LINES};
use crate::edge::EdgeError;

/// The files of an input. The field is emptied, so that the same file can be chosen again.
pub fn chosen(input: &HtmlInputElement) -> Vec<File> {
    let files = input.files().map(|list| listed(&list)).unwrap_or_default();
    input.set_value("");
    files
}

/// The files of a drop. Must be called before the event's turn ends.
pub fn dropped(transfer: &DataTransfer) -> Vec<File> {
    transfer.files().map(|list| listed(&list)).unwrap_or_default()
}

fn listed(list: &FileList) -> Vec<File> {
    (0..list.length()).filter_map(|index| list.get(index)).collect()
}

/// Name with its folder, where the browser tells it.
pub fn name(file: &File) -> String {
    let path = js_sys::Reflect::get(file, &"webkitRelativePath".into())
        .ok()
        .and_then(|it| it.as_string())
        .filter(|it| !it.is_empty());
    path.unwrap_or_else(|| file.name())
}

/// The whole file, or a word on why it is too large. Only its start is looked at to tell: a JSON
/// array is read as a whole, lines are not.
pub async fn read(file: &File) -> Result<Uint8Array, EdgeError> {
    const START: f64 = 64.0;
    let size = file.size() as u64;
    if LIMIT_JSON < size {
        let start = bytes(&file.slice_with_f64_and_f64(0.0, START)?, &file.name()).await?.to_vec();
        let is_array = start.trim_ascii_start().first() == Some(&b'[');
        if is_array || LIMIT_LINES < size {
            let (json, lines) = (LIMIT_JSON >> 20, LIMIT_LINES >> 20);
            return Err(EdgeError::File(format!(
                "{} holds {} MB, and a JSON array is read up to {json} MB; save it as JSONL, one \
                 record a line, which is read up to {lines} MB",
                file.name(),
                size >> 20,
            )));
        }
    }
    bytes(file, &file.name()).await
}

/// In slices: whole, a large file comes in one copy for which the page stands still.
async fn bytes(blob: &Blob, name: &str) -> Result<Uint8Array, EdgeError> {
    const SLICE: u32 = 4 << 20;
    let words =
        |error: &JsValue| EdgeError::File(format!("{name}: {}", super::error::words(error)));
    // Larger ones were refused before.
    let size = blob.size() as u32;
    if size <= SLICE {
        let buffer = JsFuture::from(blob.array_buffer()).await.map_err(|error| words(&error))?;
        return Ok(Uint8Array::new(&buffer));
    }
    let all = Uint8Array::new_with_length(size);
    for start in (0..size).step_by(SLICE as usize) {
        let end = size.min(start.saturating_add(SLICE));
        let slice = blob.slice_with_f64_and_f64(start.into(), end.into())?;
        let buffer = JsFuture::from(slice.array_buffer()).await.map_err(|error| words(&error))?;
        all.set(&Uint8Array::new(&buffer), start);
    }
    Ok(all)
}

/// A file that belongs to the page itself, such as the sample.
pub async fn own(path: &str) -> Result<Uint8Array, EdgeError> {
    let response = gloo_net::http::Request::get(path)
        .send()
        .await
        .map_err(|error| EdgeError::File(format!("{path}: {error}")))?;
    if !response.ok() {
        return Err(EdgeError::File(format!("{path}: the server answered {}", response.status())));
    }
    let bytes =
        response.binary().await.map_err(|error| EdgeError::File(format!("{path}: {error}")))?;
    Ok(Uint8Array::from(bytes.as_slice()))
}
