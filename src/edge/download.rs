//! Handing a file to the person.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use crate::edge::EdgeError;

/// Milliseconds until the address of a download is given up. Too soon cancels it in some browsers.
const KEEP: u32 = 60_000;

pub fn text(name: &str, mime: &str, text: &str) -> Result<(), EdgeError> {
    save(name, mime, &Array::of1(&JsValue::from_str(text)))
}

/// In parts, so that no string has to hold the whole.
pub fn parts(name: &str, mime: &str, parts: &[Uint8Array]) -> Result<(), EdgeError> {
    let list = Array::new();
    for part in parts {
        list.push(part);
    }
    save(name, mime, &list)
}

fn save(name: &str, mime: &str, parts: &Array) -> Result<(), EdgeError> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let blob = Blob::new_with_u8_array_sequence_and_options(parts, &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window()
        .and_then(|window| window.document())
        .ok_or_else(|| EdgeError::Other("there is no page".to_owned()))?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    gloo_timers::callback::Timeout::new(KEEP, move || {
        Url::revoke_object_url(&url).ok();
    })
    .forget();
    Ok(())
}
