//! Leaving to sign in at a host, and coming back with a code in the address.

use wasm_bindgen::JsValue;
use web_sys::{Storage, Url};

use crate::edge::EdgeError;
use crate::edge::page::window;

const VERIFIER: &str = "viva.signin.verifier";
const BASE: &str = "viva.signin.base";
const CODE: &str = "code";

/// What a person came back with, and what was kept until then.
pub struct Arrival {
    pub code: String,
    pub verifier: String,
    pub base_url: String,
}

fn storage() -> Option<Storage> {
    window()?.session_storage().ok()?
}

/// This page’s address, for a host to send a person back to.
pub fn back() -> Option<String> {
    let url = here()?;
    url.set_hash("");
    url.search_params().delete(CODE);
    Some(url.href())
}

fn here() -> Option<Url> {
    Url::new(&window()?.location().href().ok()?).ok()
}

/// Goes to `address`. The secret of the sign-in stays in this tab until it comes back: it is good for one
/// code and worth nothing alone.
pub fn depart(address: &str, verifier: &str, base_url: &str) -> Result<(), EdgeError> {
    let nowhere = || EdgeError::NoStorage("this tab has no storage of its own".to_owned());
    let storage = storage().ok_or_else(nowhere)?;
    storage.set_item(BASE, base_url)?;
    storage.set_item(VERIFIER, verifier)?;
    window().ok_or_else(nowhere)?.location().assign(address)?;
    Ok(())
}

/// Takes a code out of the address, where one stands there, before anything else reads the address. Nothing
/// where this tab has not sent anybody away: a code from elsewhere is not traded.
pub fn arrive() -> Option<Arrival> {
    let url = here()?;
    let code = url.search_params().get(CODE)?;
    url.search_params().delete(CODE);
    let history = window()?.history().ok()?;
    history.replace_state_with_url(&JsValue::NULL, "", Some(&url.href())).ok()?;
    let storage = storage()?;
    let verifier = storage.get_item(VERIFIER).ok()??;
    let base_url = storage.get_item(BASE).ok()??;
    storage.remove_item(VERIFIER).ok();
    storage.remove_item(BASE).ok();
    Some(Arrival { code, verifier, base_url })
}
