//! The page itself: address, title, theme, storage.

use js_sys::Reflect;
use wasm_bindgen::{JsCast as _, JsValue, prelude::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, HtmlElement, Window};

use crate::judge::doctor::{Permission, Surroundings};
use crate::judge::http;

/// The window. Views exist only where there is one.
pub fn window() -> Option<Window> {
    web_sys::window()
}

pub fn document() -> Option<Document> {
    window()?.document()
}

/// What follows the `#`, without it.
pub fn hash() -> String {
    window()
        .and_then(|window| window.location().hash().ok())
        .map(|hash| hash.trim_start_matches('#').to_owned())
        .unwrap_or_default()
}

pub fn go(hash: &str) {
    if let Some(window) = window() {
        window.location().set_hash(hash).ok();
    }
}

/// Calls `then` at every change of the hash, for as long as the page lives.
pub fn on_hash(then: impl Fn(String) + 'static) {
    let closure = Closure::<dyn FnMut()>::new(move || then(hash()));
    if let Some(window) = window() {
        window
            .add_event_listener_with_callback("hashchange", closure.as_ref().unchecked_ref())
            .ok();
    }
    closure.forget();
}

pub fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// An attribute of `<html>`: the theme, and which workers are ready.
pub fn set_root(name: &str, value: &str) {
    if let Some(root) = root() {
        root.set_attribute(name, value).ok();
    }
}

pub fn unset_root(name: &str) {
    if let Some(root) = root() {
        root.remove_attribute(name).ok();
    }
}

/// The content of a `<meta>` element.
pub fn meta(name: &str) -> Option<String> {
    let found = document()?.query_selector(&format!("meta[name={name}]")).ok()??;
    found.get_attribute("content")
}

/// Takes away what stood there before the program ran.
pub fn remove(id: &str) {
    if let Some(element) = document().and_then(|document| document.get_element_by_id(id)) {
        element.remove();
    }
}

/// Whether what was toggled is unfolded now.
pub fn is_open(event: &web_sys::Event) -> bool {
    event
        .current_target()
        .and_then(|it| it.dyn_into::<Element>().ok())
        .is_some_and(|it| it.has_attribute("open"))
}

pub fn focus(selector: &str) {
    let element: Option<Element> =
        document().and_then(|document| document.query_selector(selector).ok().flatten());
    if let Some(element) = element.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        element.focus().ok();
    }
}

/// Whether a dialog lies over the page, so that keys are not meant for what is below.
pub fn has_open_dialog() -> bool {
    document().and_then(|it| it.query_selector("dialog[open]").ok().flatten()).is_some()
}

pub fn scroll_to_top() {
    if let Some(window) = window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

pub fn confirm(question: &str) -> bool {
    window().and_then(|window| window.confirm_with_message(question).ok()).unwrap_or(false)
}

/// The page's own origin, to tell a local server about.
pub fn origin() -> String {
    window().and_then(|window| window.location().origin().ok()).unwrap_or_default()
}

/// Puts a text where it can be pasted from; says whether the browser let it.
pub async fn copy(text: &str) -> bool {
    let copied = || {
        let clipboard = Reflect::get(&navigator()?, &"clipboard".into()).ok()?;
        let write = Reflect::get(&clipboard, &"writeText".into()).ok()?;
        let write: js_sys::Function = write.dyn_into().ok()?;
        let promised: js_sys::Promise =
            write.call1(&clipboard, &text.into()).ok()?.dyn_into().ok()?;
        Some(promised)
    };
    match copied() {
        Some(promised) => JsFuture::from(promised).await.is_ok(),
        None => false,
    }
}

/// The navigator of a page or a worker.
fn navigator() -> Option<JsValue> {
    Reflect::get(&js_sys::global(), &"navigator".into()).ok().filter(|it| !it.is_undefined())
}

/// What the browser says of itself.
pub fn user_agent() -> String {
    navigator()
        .and_then(|it| Reflect::get(&it, &"userAgent".into()).ok()?.as_string())
        .unwrap_or_default()
}

/// Whether the browser believes that there is a network at all. Also in a worker.
pub fn online() -> Option<bool> {
    Reflect::get(&navigator()?, &"onLine".into()).ok()?.as_bool()
}

/// Whether this page may reach servers on this machine and in its network, where the browser asks a person
/// for that. Also in a worker. Asking for the state asks nobody.
pub async fn local_network_permission(target: &str) -> Option<Permission> {
    let own = if http::is_loopback(target) { "loopback-network" } else { "local-network" };
    // The newest name first: a browser refuses one that it does not know. There was one for both.
    for name in [own, "local-network-access"] {
        if let Some(found) = permission(name).await {
            return Some(found);
        }
    }
    None
}

async fn permission(name: &str) -> Option<Permission> {
    let permissions = Reflect::get(&navigator()?, &"permissions".into()).ok()?;
    let query = Reflect::get(&permissions, &"query".into()).ok()?;
    let query: js_sys::Function = query.dyn_into().ok()?;
    let wanted = js_sys::Object::new();
    Reflect::set(&wanted, &"name".into(), &name.into()).ok()?;
    let asked: js_sys::Promise = query.call1(&permissions, &wanted).ok()?.dyn_into().ok()?;
    let status = JsFuture::from(asked).await.ok()?;
    match Reflect::get(&status, &"state".into()).ok()?.as_string()?.as_str() {
        "granted" => Some(Permission::Granted),
        "denied" => Some(Permission::Denied),
        "prompt" => Some(Permission::Prompt),
        _ => None,
    }
}

/// What there is to know between this page and `base_url`.
pub async fn surroundings(base_url: &str) -> Surroundings {
    let permission = local_network_permission(base_url).await;
    Surroundings::of(&origin(), base_url, &user_agent(), online(), permission)
}

/// A small setting that outlives the page. Never a key.
pub fn setting(name: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(&format!("viva.{name}")).ok()?
}

pub fn set_setting(name: &str, value: Option<&str>) {
    let storage = window().and_then(|window| window.local_storage().ok()).flatten();
    if let Some(storage) = storage {
        let name = format!("viva.{name}");
        match value {
            Some(value) => storage.set_item(&name, value).ok(),
            None => storage.remove_item(&name).ok(),
        };
    }
}

/// Asks the browser to keep this page's data under pressure; what it answered.
pub async fn persist() -> Option<bool> {
    let promise = window()?.navigator().storage().persist().ok()?;
    JsFuture::from(promise).await.ok()?.as_bool()
}

/// Bytes in use and allowed, as the browser estimates them.
pub async fn usage() -> Option<(f64, f64)> {
    let promise = window()?.navigator().storage().estimate().ok()?;
    let estimate = JsFuture::from(promise).await.ok()?;
    let part = |name: &str| Reflect::get(&estimate, &JsValue::from_str(name)).ok()?.as_f64();
    Some((part("usage")?, part("quota")?))
}

/// Pixels of one `rem`: the size of letters is the reader's choice.
pub fn root_font_size() -> f64 {
    let size = || {
        let window = web_sys::window()?;
        let root = window.document()?.document_element()?;
        let style = window.get_computed_style(&root).ok()??;
        Some(js_sys::parse_float(&style.get_property_value("font-size").ok()?))
    };
    size().filter(|it| it.is_finite()).unwrap_or(16.0)
}
