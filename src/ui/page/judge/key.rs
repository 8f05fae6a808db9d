//! The key's field: read when left, emptied at once, held by no signal.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlInputElement};

use crate::judge::http;
use crate::ui::command::Command;
use crate::ui::react::memo;
use crate::ui::session::Session;

/// Takes a key and says which host it belongs to. What was typed leaves the field as soon as it is
/// accepted, so that no later visit to the field can hand it to another host.
#[component]
pub fn KeyField() -> impl IntoView {
    let session = expect_context::<Session>();
    let host = move || {
        session.draft.with(|it| {
            http::host(it.base_url.trim())
                .map_or_else(|| "the host above".to_owned(), str::to_owned)
        })
    };
    let error = move || session.key_error.get();
    view! {
        <div class="field">
            <label for="judge-key">"API key"</label>
            <input
                id="judge-key"
                type="password"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="judge-key-help judge-key-error judge-key-state"
                aria-invalid=move || session.key_error.with(Option::is_some).then_some("true")
                on:change=move |event| take(&session, &event)
                on:blur=move |event| take(&session, &event)
            />
            <p class="help" id="judge-key-help">
                "Kept in memory until this tab closes, sent only to "
                <strong>{host}</strong>
                ". Never saved, exported or shown in an error. Optional: without a key the request carries none."
            </p>
            <p class="error error--told" id="judge-key-error" hidden=move || error().is_none()>
                {move || error().map(|why| format!("This key cannot be used: {why}."))}
            </p>
            <KeyState />
        </div>
    }
}

fn take(session: &Session, event: &Event) {
    let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input.filter(|it| !it.value().is_empty()) else {
        return;
    };
    session.send(Command::SetKey(input.value()));
    let taken = session.key_error.with_untracked(Option::is_none)
        && session.key_host.with_untracked(Option::is_some);
    if taken {
        input.set_value("");
    }
}

/// Whether a key is in memory, for which host, and the way to drop it.
#[component]
fn KeyState() -> impl IntoView {
    let session = expect_context::<Session>();
    let kept = memo(move || session.key_host.get());
    let elsewhere = memo(move || session.key_is_elsewhere());
    view! {
        <div id="judge-key-state" class="stack" role="status">
            {move || {
                kept.get()
                    .map(|host| {
                        view! {
                            <div class="actions">
                                <span class="small">
                                    "A key for " <strong>{host}</strong> " is in memory."
                                </span>
                                <button
                                    class="btn btn--small"
                                    type="button"
                                    on:click=move |_| session.send(Command::ForgetKey)
                                >
                                    "Forget the key"
                                </button>
                            </div>
                        }
                    })
            }}
            <Show when=move || elsewhere.get()>
                <p class="notice notice--warn notice--slim">
                    <span>
                        <strong>"This key belongs to another host"</strong>
                        " and will not be sent to the one above. Enter the key for that host."
                    </span>
                </p>
            </Show>
        </div>
    }
}
