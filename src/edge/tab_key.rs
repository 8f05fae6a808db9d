//! A key in the tab's own storage, in readable form: only where a person chose that.

use web_sys::Storage;

use crate::judge::ApiKey;

const KEY: &str = "viva.key";
const ORIGIN: &str = "viva.key.origin";

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// Whether it was kept: a browser can offer no storage, or be out of room.
pub fn keep(key: &ApiKey) -> bool {
    let kept = storage().zip(key.reveal_for(key.origin())).and_then(|(storage, secret)| {
        storage.set_item(ORIGIN, key.origin()).ok()?;
        storage.set_item(KEY, secret).ok()
    });
    if kept.is_none() {
        forget();
    }
    kept.is_some()
}

/// What a reload left.
pub fn find() -> Option<ApiKey> {
    let storage = storage()?;
    let secret = storage.get_item(KEY).ok()??;
    let origin = storage.get_item(ORIGIN).ok()??;
    ApiKey::new(&secret, &origin).ok()
}

pub fn forget() {
    if let Some(storage) = storage() {
        storage.remove_item(KEY).ok();
        storage.remove_item(ORIGIN).ok();
    }
}
