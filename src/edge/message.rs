//! The envelope of a message: a number to answer to, a value in bytes, and bytes that are handed over.

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::edge::EdgeError;

/// The number of messages nobody asked for.
pub const UNASKED: f64 = 0.0;

pub struct Envelope {
    pub id: f64,
    pub body: JsValue,
    pub bytes: Vec<Uint8Array>,
}

/// The message and the buffers to hand over with it. The value goes as postcard bytes: to read and write
/// those takes the page a third of the code that JavaScript values take.
pub fn pack_dense<T: Serialize>(
    id: f64,
    body: &T,
    bytes: &[Uint8Array],
) -> Result<(JsValue, Array), EdgeError> {
    pack_written(id, &write(body)?, bytes)
}

/// A value as bytes.
pub fn write<T: Serialize>(body: &T) -> Result<Vec<u8>, EdgeError> {
    postcard::to_allocvec(body).map_err(|error| EdgeError::Message(error.to_string()))
}

/// As [`pack_dense`], of a value that is written already.
pub fn pack_written(
    id: f64,
    body: &[u8],
    bytes: &[Uint8Array],
) -> Result<(JsValue, Array), EdgeError> {
    let body = buffer(body);
    let (message, transfer) = envelope(id, &body, bytes)?;
    transfer.push(&body.buffer());
    Ok((message, transfer))
}

/// What [`pack_dense`] wrote. In the place of a value that could not be written stands why.
pub fn read_dense<T: DeserializeOwned>(body: &JsValue) -> Result<T, EdgeError> {
    let Some(bytes) = body.dyn_ref::<Uint8Array>() else {
        let why = body.as_string().unwrap_or_else(|| "it holds no bytes".to_owned());
        return Err(EdgeError::Message(why));
    };
    postcard::from_bytes(&bytes.to_vec()).map_err(|error| EdgeError::Message(error.to_string()))
}

/// A worker's first word: the version of the messages it speaks. It is said again once the worker holds a
/// lock, with the name of that.
pub fn greet(version: u32, lock: Option<&str>) -> Result<JsValue, EdgeError> {
    let body = Array::of2(&version.into(), &lock.map_or(JsValue::NULL, JsValue::from_str));
    Ok(envelope(UNASKED, &body, &[])?.0)
}

/// Version and lock in a first word; `None` of every other message.
pub fn greeting(body: &JsValue) -> Option<(u32, Option<String>)> {
    let body = body.dyn_ref::<Array>()?;
    Some((body.get(0).as_f64()? as u32, body.get(1).as_string()))
}

/// A message in place of one that could not be written.
pub fn regret(id: f64, why: &str) -> Result<JsValue, EdgeError> {
    Ok(envelope(id, &why.into(), &[])?.0)
}

fn envelope(id: f64, body: &JsValue, bytes: &[Uint8Array]) -> Result<(JsValue, Array), EdgeError> {
    let message = Object::new();
    Reflect::set(&message, &"id".into(), &id.into())?;
    Reflect::set(&message, &"body".into(), body)?;
    let list = Array::new();
    let transfer = Array::new();
    for part in bytes {
        list.push(part);
        transfer.push(&part.buffer());
    }
    Reflect::set(&message, &"bytes".into(), &list)?;
    Ok((message.into(), transfer))
}

pub fn unpack(message: &JsValue) -> Result<Envelope, EdgeError> {
    let id = Reflect::get(message, &"id".into())?
        .as_f64()
        .ok_or_else(|| EdgeError::Message("it has no number".to_owned()))?;
    let body = Reflect::get(message, &"body".into())?;
    let bytes = Reflect::get(message, &"bytes".into())?;
    let bytes = bytes
        .dyn_ref::<Array>()
        .map(|list| list.iter().filter_map(|it| it.dyn_into::<Uint8Array>().ok()).collect())
        .unwrap_or_default();
    Ok(Envelope { id, body, bytes })
}

/// Rust bytes as a buffer of their own, which can be handed over.
pub fn buffer(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}
