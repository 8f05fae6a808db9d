//! A name that can be changed where it stands.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;

use crate::ui::react::effect;

/// The name, or the field for a new one while `editing`.
#[component]
pub fn Renamable(
    name: String,
    /// What has the name, for the field's label: "system", "run".
    what: &'static str,
    editing: RwSignal<bool>,
    on_rename: Callback<String>,
) -> impl IntoView {
    let name = StoredValue::new(name);
    let save = Callback::new(move |text: String| {
        editing.set(false);
        if name.with_value(|old| *old != text) {
            on_rename.run(text);
        }
    });
    let cancel = Callback::new(move |()| editing.set(false));
    view! { {move || {
        let name = name.get_value();
        if editing.get() {
            view! { <NameField name=name what=what on_save=save on_cancel=cancel /> }.into_any()
        } else {
            name.into_any()
        }
    }} }
}

/// Opens the field of [`Renamable`]. Stands apart, so that a table's row header is the name alone.
#[component]
pub fn RenameButton(
    /// Says what is renamed, and begins with the word on the button.
    label: String,
    editing: RwSignal<bool>,
) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |before: Option<bool>| {
        let now = editing.get();
        if before == Some(true)
            && !now
            && let Some(button) = button.get_untracked()
        {
            button.focus().ok();
        }
        now
    });
    view! {
        <button
            node_ref=button
            class="btn btn--small"
            type="button"
            aria-label=label
            on:click=move |_| editing.set(true)
        >
            "Rename"
        </button>
    }
}

/// The name as a field. Enter saves, Escape gives up.
#[component]
fn NameField(
    name: String,
    what: &'static str,
    on_save: Callback<String>,
    on_cancel: Callback<()>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    effect(move || {
        if let Some(input) = input.get() {
            input.focus().ok();
            input.select();
        }
    });
    // However the focus comes, typing replaces the name.
    let select = move |_| {
        if let Some(input) = input.get_untracked() {
            input.select();
        }
    };
    let label = format!("Name of {what} {name}");
    let text = RwSignal::new(name);
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        on_save.run(text.get_untracked().trim().to_owned());
    };
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            on_cancel.run(());
        }
    };
    view! {
        <form class="rename field" on:submit=save on:keydown=escape>
            <input
                node_ref=input
                type="text"
                autocomplete="off"
                spellcheck="false"
                aria-label=label
                prop:value=move || text.get()
                on:focus=select
                on:input=move |event| text.set(event_target_value(&event))
            />
            <button class="btn btn--small" type="submit">
                "Save"
            </button>
            <button class="btn btn--small" type="button" on:click=move |_| on_cancel.run(())>
                "Cancel"
            </button>
        </form>
    }
}
