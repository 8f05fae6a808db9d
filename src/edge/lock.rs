//! One tab at a time: a lock that the browser releases when the tab is gone.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

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
    request.call2(&locks, &name.into(), &callback).ok()?;
    waiting.await.ok()?;
    Some(Lock { release: release.take() })
}
