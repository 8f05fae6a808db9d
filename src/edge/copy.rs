//! A file on disk that a person picked, to be written again and again. Not every browser offers one.
//!
//! By hand, since the bindings of this interface are not stable yet.

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::edge::EdgeError;

/// A picked file. Permission to write to it ends with the page.
pub struct Copy {
    handle: JsValue,
    pub name: String,
}

fn picker() -> Option<Function> {
    let window = web_sys::window()?;
    Reflect::get(&window, &"showSaveFilePicker".into()).ok()?.dyn_into().ok()
}

/// Whether this browser lets a page write to a picked file.
pub fn is_offered() -> bool {
    picker().is_some()
}

impl Copy {
    /// Lets the person pick a file; `None` where they closed the dialog.
    pub async fn pick(suggested: &str) -> Result<Option<Self>, EdgeError> {
        let Some(picker) = picker() else {
            return Err(EdgeError::Other("this browser offers no file to write to".to_owned()));
        };
        let options = Object::new();
        Reflect::set(&options, &"suggestedName".into(), &suggested.into())?;
        let promise: Promise = picker.call1(&JsValue::UNDEFINED, &options)?.dyn_into()?;
        let handle = match JsFuture::from(promise).await {
            Ok(handle) => handle,
            Err(error) => {
                let name = Reflect::get(&error, &"name".into()).ok().and_then(|it| it.as_string());
                let closed = name.as_deref() == Some("AbortError");
                return if closed { Ok(None) } else { Err(error.into()) };
            }
        };
        let name = Reflect::get(&handle, &"name".into())?.as_string();
        Ok(Some(Self { handle, name: name.unwrap_or_else(|| suggested.to_owned()) }))
    }

    /// Replaces what is in the file. The browser writes beside it and swaps at the end, so that a crash
    /// leaves the copy from before.
    pub async fn write(&self, parts: &[Uint8Array]) -> Result<(), EdgeError> {
        let list: Array = parts.iter().collect();
        let blob = Blob::new_with_u8_array_sequence(&list)?;
        let stream = call(&self.handle, "createWritable", None).await?;
        call(&stream, "write", Some(&blob)).await?;
        call(&stream, "close", None).await?;
        Ok(())
    }
}

/// Calls a method that answers with a promise.
async fn call(on: &JsValue, name: &str, value: Option<&JsValue>) -> Result<JsValue, EdgeError> {
    let method: Function = Reflect::get(on, &name.into())?.dyn_into()?;
    let promise = match value {
        Some(value) => method.call1(on, value)?,
        None => method.call0(on)?,
    };
    let promise: Promise = promise.dyn_into()?;
    Ok(JsFuture::from(promise).await?)
}
