//! The key's field: read when left, emptied at once, held by no signal. And how a key is kept.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlInputElement};

use crate::edge::page;
use crate::judge::keyring::{IDLE_MINUTES, Keeping, LEAST_PASSPHRASE, shared_origin};
use crate::judge::{ProviderId, http};
use crate::ui::command::Command;
use crate::ui::part::field::SelectField;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::VaultWish;

/// Takes a key and says which host it belongs to. What was typed leaves the field as soon as it is
/// accepted, so that no later visit to the field can hand it to another host.
#[component]
pub fn KeyField() -> impl IntoView {
    let session = expect_context::<Session>();
    let host = move || {
        session
            .draft
            .with(|it| it.host().map_or_else(|| "the host above".to_owned(), str::to_owned))
    };
    let error = move || session.keys.error.get();
    view! {
        <div class="field">
            <label for="judge-key">"API key"</label>
            <input
                id="judge-key"
                type="password"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="judge-key-help judge-key-error judge-key-state"
                aria-invalid=move || session.keys.error.with(Option::is_some).then_some("true")
                on:change=move |event| take(&session, &event)
                on:blur=move |event| take(&session, &event)
            />
            <p class="help" id="judge-key-help">
                "Sent only to "
                <strong>{host}</strong>
                ". Never in an address, an export or an error. Optional: without a key the request carries none."
            </p>
            <p class="error error--told" id="judge-key-error" hidden=move || error().is_none()>
                {move || error().map(|why| format!("This key cannot be used: {why}."))}
            </p>
            <KeyState />
        </div>
        <KeyKeeping />
    }
}

fn take(session: &Session, event: &Event) {
    let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input.filter(|it| !it.value().is_empty()) else {
        return;
    };
    session.send(Command::SetKey(input.value()));
    let taken = session.keys.error.with_untracked(Option::is_none)
        && session.keys.held.with_untracked(|it| it.open.is_some());
    if taken {
        input.set_value("");
    }
}

/// The host whose key is in memory, and the way to drop it. Nothing where there is none.
#[component]
pub fn HeldKey() -> impl IntoView {
    let session = expect_context::<Session>();
    let held = memo(move || session.keys.host());
    view! { {move || {
        held.get()
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
    }} }
}

/// What there is to know of the key in memory, and the way to get one without pasting it.
#[component]
fn KeyState() -> impl IntoView {
    let session = expect_context::<Session>();
    let elsewhere = memo(move || session.key_is_elsewhere());
    let openrouter = memo(move || session.draft.with(|it| it.provider == ProviderId::OpenRouter));
    view! {
        <div id="judge-key-state" class="stack" role="status">
            <HeldKey />
            <Show when=move || elsewhere.get()>
                <p class="notice notice--warn notice--slim">
                    <span>
                        <strong>"This key belongs to another host"</strong>
                        " and will not be sent to the one above. Enter the key for that host."
                    </span>
                </p>
            </Show>
            <Show when=move || openrouter.get()>
                <div class="actions">
                    <button
                        class="btn btn--small"
                        type="button"
                        on:click=move |_| session.send(Command::SignIn)
                    >
                        "Sign in at OpenRouter"
                    </button>
                    <span class="small quiet">
                        "Leaves this page and comes back with a key, so that none is pasted."
                    </span>
                </div>
            </Show>
        </div>
    }
}

/// Where the key stays, and what that means.
#[component]
fn KeyKeeping() -> impl IntoView {
    let session = expect_context::<Session>();
    let keep = session.keys.keep;
    let options: Vec<(String, String)> =
        Keeping::ALL.iter().map(|it| (it.name().to_owned(), it.name().to_owned())).collect();
    let choose = Callback::new(move |name: String| {
        if let Some(chosen) = Keeping::ALL.into_iter().find(|it| it.name() == name) {
            session.send(Command::KeepKeys(chosen));
        }
    });
    let help = move || {
        let again = keep.get() == Keeping::Tab
            && session.keys.held.with(|it| it.open.is_some() && it.locks_in.is_none());
        let again =
            if again { " Enter the key once more if it was entered before this." } else { "" };
        format!("{}{again}", keep.get().words())
    };
    // What lies in this page's storage is in reach of every other page of a shared address.
    let shared = StoredValue::new(shared_origin(&page::origin()));
    let kept = memo(move || keep.get() != Keeping::Memory);
    view! {
        <div class="stack">
            <SelectField
                id="judge-keep"
                label="Keep the key"
                options=Signal::stored(options)
                value=Signal::derive(move || keep.get().name().to_owned())
                help=Signal::derive(help)
                on_change=choose
            />
            {move || {
                shared
                    .get_value()
                    .map(|why| {
                        let class = if kept.get() {
                            "notice notice--warn notice--slim"
                        } else {
                            "notice notice--slim"
                        };
                        view! {
                            <div class=class data-testid="shared-origin">
                                <p>
                                    <strong>"This address is shared."</strong>
                                    " "
                                    {why}
                                </p>
                            </div>
                        }
                    })
            }}
            <Show when=move || keep.get() == Keeping::Vault>
                <Vault />
            </Show>
        </div>
    }
}

/// What can be done with the vault for the host in the fields.
#[component]
fn Vault() -> impl IntoView {
    let session = expect_context::<Session>();
    let field = NodeRef::<html::Input>::new();
    let origin =
        memo(move || session.draft.with(|it| http::origin(it.base_url.trim()).map(str::to_owned)));
    let sealed = memo(move || {
        origin.with(|at| {
            session.keys.held.with(|it| at.as_ref().is_some_and(|at| it.sealed.contains(at)))
        })
    });
    let open =
        memo(move || origin.with(|at| at.is_some() && session.keys.held.with(|it| it.open == *at)));
    let held = session.keys.held;
    let press = move |wish| {
        if let Some(input) = field.get_untracked() {
            session.send(Command::Vault { wish, passphrase: input.value() });
            input.set_value("");
        }
    };
    let state = move || {
        held.with(|it| match (it.can_seal, sealed.get(), open.get()) {
            (false, ..) => "This browser can seal nothing here: it gives a page cryptography and storage over https or on this machine only.".to_owned(),
            (true, true, true) if it.locks_in.is_some() => {
                format!("The vault is open. It locks itself after {IDLE_MINUTES} minutes without a call.")
            }
            (true, true, true) => "A key for this host is sealed here as well.".to_owned(),
            (true, true, false) => "The vault is locked. A key for this host is sealed here.".to_owned(),
            (true, false, true) => "Choose a passphrase to seal the key under.".to_owned(),
            (true, false, false) => "Enter the key first, then seal it.".to_owned(),
        })
    };
    view! {
        <div class="field">
            <label for="judge-passphrase">"Passphrase"</label>
            <input
                id="judge-passphrase"
                type="password"
                autocomplete="off"
                node_ref=field
                aria-describedby="judge-passphrase-help"
            />
            <p class="help" id="judge-passphrase-help">
                {format!("{LEAST_PASSPHRASE} characters at least; four words that do not belong together will do. Kept nowhere.")}
            </p>
        </div>
        <p class="small" role="status" data-testid="vault-state">
            {state}
        </p>
        <div class="actions">
            <button
                class="btn btn--small"
                type="button"
                hidden=move || !open.get()
                disabled=move || !held.with(|it| it.can_seal)
                on:click=move |_| press(VaultWish::Seal)
            >
                "Seal the key"
            </button>
            <button
                class="btn btn--small"
                type="button"
                hidden=move || open.get() || !sealed.get()
                on:click=move |_| press(VaultWish::Open)
            >
                "Open the vault"
            </button>
            <button
                class="btn btn--small"
                type="button"
                hidden=move || !(open.get() && sealed.get())
                on:click=move |_| session.send(Command::ForgetKey)
            >
                "Lock now"
            </button>
            <button
                class="btn btn--small"
                type="button"
                hidden=move || !sealed.get()
                on:click=move |_| {
                    if let Some(origin) = origin.get_untracked() {
                        session.send(Command::DeleteSealed(origin));
                    }
                }
            >
                "Delete the sealed key"
            </button>
        </div>
    }
}
