//! One at a time: a lock that the browser releases when the tab or worker that holds it is gone.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Held until it is dropped.
pub(super) struct Lock {
    release: Option<Function>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(release) = &self.release {
            release.call0(&JsValue::UNDEFINED).ok();
        }
    }
}

/// Waits until no other tab holds the lock of this name. Where the browser has no locks, nobody waits.
///
/// By hand, since the bindings of this interface are not stable yet.
pub(super) async fn hold(name: &str) -> Lock {
    ask(name).await.unwrap_or(Lock { release: None })
}

/// Holds a lock of this name for as long as this page or worker lives, and comes back once it does. Says
/// whether the browser has locks.
pub(super) async fn hold_for_life(name: &str) -> bool {
    let lock = ask(name).await;
    let held = lock.is_some();
    std::mem::forget(lock);
    held
}

/// Comes back once whoever holds this lock is gone. Never where the browser has no locks.
pub(super) async fn released(name: &str) {
    if ask(name).await.is_none() {
        std::future::pending::<()>().await;
    }
}

async fn ask(name: &str) -> Option<Lock> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let release = Rc::new(RefCell::new(None));
    let held = {
        let release = release.clone();
        // The lock is held for as long as this promise is open.
        Promise::new(&mut move |resolve, _| {
            release.replace(Some(resolve));
        })
    };
    let (granted, waiting) = oneshot::channel();
    let callback = Closure::once_into_js(move |_: JsValue| {
        // Who no longer waits shall not hold it.
        if granted.send(()).is_ok() { held.into() } else { JsValue::UNDEFINED }
    });
    let granted: Promise = request.call2(&locks, &name.into(), &callback).ok()?.dyn_into().ok()?;
    // Where a browser refuses, it is this promise that says so, and nobody needs to hear it.
    spawn_local(async move {
        JsFuture::from(granted).await.ok();
    });
    waiting.await.ok()?;
    Some(Lock { release: release.take() })
}
