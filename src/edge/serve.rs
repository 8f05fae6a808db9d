//! What runs inside a worker: `Ready` first, then jobs in, replies out.

use js_sys::{Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};
use zeroize::Zeroizing;

use crate::edge::message;
use crate::edge::{EdgeError, clock, lock, serve_data, serve_run, serve_stats};
use crate::worker::{Notice, Role, VERSION, VaultWish};

/// Starts the part that this worker's name asks for.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    match Role::read(&scope.name()) {
        Some(Role::Data) => serve_data::serve(),
        Some(Role::Run) => serve_run::serve(),
        Some(Role::Stats) => serve_stats::serve(),
        None => web_sys::console::error_1(&"a worker was started without a role".into()),
    }
    say_ready();
}

/// Messages sent before the module has loaded are lost, so who started the worker waits for this one.
///
/// A worker that is ended from outside, or by a browser that is short of memory, has no last word. So each
/// holds a lock for as long as it lives, and names it to who started it.
pub(super) fn say_ready() {
    greet(None);
    spawn_local(async {
        let name = format!("viva-worker-{:.0}-{:.0}", clock::now(), clock::chance() * 1e15);
        if lock::hold_for_life(&name).await {
            greet(Some(&name));
        }
    });
}

fn greet(lock: Option<&str>) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let said = message::greet(VERSION, lock).and_then(|word| Ok(scope.post_message(&word)?));
    if let Err(error) = said {
        web_sys::console::error_1(&format!("the first word could not be sent: {error}").into());
    }
}

/// Calls `handle` with each message, for as long as the worker lives.
pub(super) fn on_message(mut handle: impl FnMut(JsValue) + 'static) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let closure = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        handle(event.data());
    });
    scope.set_onmessage(Some(closure.as_ref().unchecked_ref()));
    // The one right place to forget a closure: it lives as long as the worker.
    closure.forget();
}

/// Answers a message, or says something unasked.
pub(super) fn post_dense<T: Serialize>(id: f64, body: &T, bytes: &[Uint8Array]) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let sent = message::pack_dense(id, body, bytes)
        .and_then(|(message, transfer)| Ok(scope.post_message_with_transfer(&message, &transfer)?));
    if let Err(error) = sent {
        web_sys::console::error_1(&format!("a reply could not be sent: {error}").into());
        message::regret(id, &error.to_string())
            .and_then(|message| Ok(scope.post_message(&message)?))
            .ok();
    }
}

/// The key of a key message; `None` for every other message.
pub(super) fn key_of(message: &JsValue) -> Option<(String, String)> {
    let part = |name: &str| Reflect::get(message, &name.into()).ok()?.as_string();
    Some((part("key")?, part("base")?))
}

/// A word about the vault. Its passphrase is wiped when it is dropped.
pub(super) struct VaultWord {
    pub(super) id: f64,
    pub(super) wish: VaultWish,
    pub(super) passphrase: Zeroizing<String>,
    pub(super) base: String,
    pub(super) minutes: u32,
}

/// `None` for every other message.
pub(super) fn vault_word(message: &JsValue) -> Option<VaultWord> {
    let part = |name: &str| Reflect::get(message, &name.into()).ok();
    Some(VaultWord {
        wish: VaultWish::read(&part("vault")?.as_string()?)?,
        id: part("id")?.as_f64()?,
        passphrase: Zeroizing::new(part("passphrase")?.as_string()?),
        base: part("base")?.as_string()?,
        minutes: part("minutes")?.as_f64()? as u32,
    })
}

/// What went wrong at the edge, for people.
pub(super) fn notice(error: &EdgeError) -> Notice {
    let next = match error {
        EdgeError::Quota(_) => "Free some space, or delete old runs on the Settings page.",
        EdgeError::NoStorage(_) => {
            "Allow this page to store data, or save a run file before you close it."
        }
        _ => "Reload the page and try again.",
    };
    Notice::new("Something went wrong in this page", error.to_string(), next)
}
