//! The other tabs of this page: words to all of them at once.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use web_sys::{BroadcastChannel, MessageEvent};

use crate::edge::message;
use crate::worker::VERSION;
use crate::worker::tabs::TabWord;

/// Where the browser has no such channel, words go nowhere and none come.
pub struct Tabs {
    channel: Option<BroadcastChannel>,
}

impl Tabs {
    /// Hears every other tab from now on, for as long as the worker lives. Tabs of another build are not
    /// heard: their words could mean something else.
    pub fn open(hear: impl Fn(TabWord) + 'static) -> Self {
        let channel = BroadcastChannel::new(&format!("viva-runs-{VERSION}")).ok();
        if let Some(channel) = &channel {
            let closure = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Ok(word) = message::read_dense(&event.data()) {
                    hear(word);
                }
            });
            channel.set_onmessage(Some(closure.as_ref().unchecked_ref()));
            closure.forget();
        }
        Self { channel }
    }

    pub(super) fn say(&self, word: &TabWord) {
        if let Some(channel) = &self.channel
            && let Ok(bytes) = postcard::to_allocvec(word)
        {
            // What nobody hears is no fault of this tab: storage holds all that matters.
            channel.post_message(&Uint8Array::from(bytes.as_slice())).ok();
        }
    }
}
