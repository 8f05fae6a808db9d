//! One at a time: locks that the browser releases when the tab or worker that holds one is gone.
//!
//! By hand, since the bindings of this interface are not stable yet.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

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

/// How a lock is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Behind those who asked before.
    Wait,
    /// Now or never.
    IfFree,
    /// From whoever holds it.
    Steal,
}

/// Waits until no other tab holds the lock of this name. Where the browser has no locks, nobody waits.
/// `lost` is called when another tab takes it away.
pub(super) async fn hold(name: &str, lost: impl FnOnce() + 'static) -> Lock {
    ask(name, Way::Wait, lost).await.flatten().unwrap_or(Lock { release: None })
}

/// The lock, unless another tab holds it. `lost` is called when another tab takes it away. Where the
/// browser has no locks, everybody gets one.
pub(super) async fn try_hold(name: &str, lost: impl FnOnce() + 'static) -> Option<Lock> {
    ask(name, Way::IfFree, lost).await.unwrap_or(Some(Lock { release: None }))
}

/// The lock, also from a tab that holds it and says nothing any more.
pub(super) async fn steal(name: &str, lost: impl FnOnce() + 'static) -> Lock {
    ask(name, Way::Steal, lost).await.flatten().unwrap_or(Lock { release: None })
}

/// Holds a lock of this name for as long as this page or worker lives, and comes back once it does. Says
/// whether the browser has locks.
pub(super) async fn hold_for_life(name: &str) -> bool {
    let lock = ask(name, Way::Wait, || {}).await;
    let held = lock.is_some();
    std::mem::forget(lock);
    held
}

/// Comes back once whoever holds this lock is gone. Never where the browser has no locks.
pub(super) async fn released(name: &str) {
    if ask(name, Way::Wait, || {}).await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Names of the locks that any tab of this origin holds.
pub(super) async fn held() -> Vec<String> {
    let names = async || {
        let locks = manager()?;
        let query: Function = Reflect::get(&locks, &"query".into()).ok()?.dyn_into().ok()?;
        let promise: Promise = query.call0(&locks).ok()?.dyn_into().ok()?;
        let state = JsFuture::from(promise).await.ok()?;
        let state: Snapshot = serde_wasm_bindgen::from_value(state).ok()?;
        Some(state.held.into_iter().map(|lock| lock.name).collect())
    };
    names().await.unwrap_or_default()
}

/// What the browser says of its locks, as far as it matters here.
#[derive(Deserialize)]
struct Snapshot {
    held: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

fn manager() -> Option<JsValue> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    Reflect::get(&navigator, &"locks".into()).ok().filter(|it| !it.is_undefined())
}

/// `None` where the browser has no locks, `Some(None)` where the lock is not free.
async fn ask(name: &str, way: Way, lost: impl FnOnce() + 'static) -> Option<Option<Lock>> {
    let locks = manager()?;
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
    let granted = Rc::new(RefCell::new(Some(granted)));
    let callback = {
        let granted = granted.clone();
        Closure::once_into_js(move |lock: JsValue| {
            // Who no longer waits shall not hold it, and nobody holds what was not free.
            let is_free = !lock.is_null();
            let told = granted.take().is_some_and(|it| it.send(is_free).is_ok());
            if told && is_free { held.into() } else { JsValue::UNDEFINED }
        })
    };
    let options = Object::new();
    match way {
        Way::Wait => {}
        Way::IfFree => drop(Reflect::set(&options, &"ifAvailable".into(), &true.into())),
        Way::Steal => drop(Reflect::set(&options, &"steal".into(), &true.into())),
    }
    let end: Promise =
        request.call3(&locks, &name.into(), &options, &callback).ok()?.dyn_into().ok()?;
    wasm_bindgen_futures::spawn_local(async move {
        // It ends well when the lock is released, and badly when it is taken away. Before it was granted
        // a bad end means that this page may have no locks.
        if JsFuture::from(end).await.is_err() && granted.take().is_none() {
            lost();
        }
    });
    let is_free = waiting.await.ok()?;
    Some(is_free.then(|| Lock { release: release.take() }))
}
