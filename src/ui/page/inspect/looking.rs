//! What a person looks at on the Inspect page: two systems and, perhaps, one item.

use js_sys::{Function, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use crate::edge::page;

/// Lives as long as the page, so that the choice stays from one question to the next.
#[derive(Clone, Copy)]
pub struct Looking {
    pub(super) left: RwSignal<usize>,
    pub(super) right: RwSignal<usize>,
    /// Of the rubric, from 0.
    pub(super) item: RwSignal<Option<usize>>,
}

impl Looking {
    pub(super) fn new() -> Self {
        Self { left: RwSignal::new(0), right: RwSignal::new(1), item: RwSignal::new(None) }
    }

    /// For another run, whose systems are others.
    pub(super) fn reset(self) {
        self.left.set(0);
        self.right.set(1);
        self.item.set(None);
    }

    pub(super) fn is(self, item: usize) -> bool {
        self.item.get() == Some(item)
    }

    pub(super) fn is_any(self, items: &[usize]) -> bool {
        self.item.get().is_some_and(|item| items.contains(&item))
    }

    /// Where a system's answer stands, in words for the head of its column.
    pub(super) fn side(self, system: usize) -> Option<&'static str> {
        match (self.left.get() == system, self.right.get() == system) {
            (true, true) => Some("left and right below"),
            (true, false) => Some("left below"),
            (false, true) => Some("right below"),
            (false, false) => None,
        }
    }

    /// Makes an item the current one and brings its evidence into sight.
    pub(super) fn find(self, item: usize) {
        self.item.set(Some(item));
        request_animation_frame(|| {
            let found = page::document()
                .and_then(|it| it.query_selector("mark.ev.is-current").ok().flatten());
            if let Some(mark) = found {
                bring_into_sight(&mark);
            }
        });
    }

    /// The way back: from evidence to the row of its item.
    pub(super) fn back(self, item: usize) {
        self.item.set(Some(item));
        page::focus(&format!("#item-{}", item + 1));
    }
}

/// Scrolls no further than needed.
fn bring_into_sight(element: &Element) {
    let options = Object::new();
    Reflect::set(&options, &"block".into(), &"nearest".into()).ok();
    let scroll = Reflect::get(element, &"scrollIntoView".into())
        .ok()
        .and_then(|it| it.dyn_into::<Function>().ok());
    if let Some(scroll) = scroll {
        scroll.call1(element, &options).ok();
    }
}
