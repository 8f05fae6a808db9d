//! Labelled fields with help and a word on what is not usable.

use leptos::html;
use leptos::prelude::*;

use crate::ui::react::effect;

/// A one-line field. `kind` is the input's type: `text`, `number`, `search`.
#[component]
pub fn TextField(
    id: &'static str,
    label: &'static str,
    #[prop(default = "text")] kind: &'static str,
    #[prop(into)] value: Signal<String>,
    /// What the content should be, as a clause.
    #[prop(into, default = Signal::stored(None))]
    error: Signal<Option<String>>,
    #[prop(into, default = Signal::stored(String::new()))] help: Signal<String>,
    /// What is usable and yet a risk, as a sentence.
    #[prop(into, default = Signal::stored(None))]
    warning: Signal<Option<String>>,
    /// Set in the code face: addresses, model names.
    #[prop(default = false)]
    code: bool,
    #[prop(default = false)] wide: bool,
    #[prop(optional)] list: Option<&'static str>,
    #[prop(optional)] placeholder: Option<&'static str>,
    on_input: Callback<String>,
) -> impl IntoView {
    let class = if wide { "field wide" } else { "field" };
    let (help_id, error_id) = (format!("{id}-help"), format!("{id}-error"));
    let warning_id = format!("{id}-warning");
    let described = format!("{help_id} {error_id} {warning_id}");
    let input = NodeRef::<html::Input>::new();
    // Written only where it differs: a number field says that a half-typed `0.` is empty, and writing
    // that back would take away what is being typed.
    effect(move || {
        let value = value.get();
        if let Some(input) = input.get()
            && input.value() != value
        {
            input.set_value(&value);
        }
    });
    view! {
        <div class=class>
            <label for=id>{label}</label>
            <input
                node_ref=input
                id=id
                type=kind
                step=(kind == "number").then_some("any")
                class:code=code
                autocomplete="off"
                spellcheck="false"
                list=list
                placeholder=placeholder
                aria-describedby=described
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                on:input=move |event| on_input.run(event_target_value(&event))
            />
            <FieldHelp help_id=help_id help=help error_id=error_id error=error />
            <p class="warning" id=warning_id hidden=move || warning.with(Option::is_none)>
                {move || warning.get()}
            </p>
        </div>
    }
}

/// Help and error below a field. The error's place exists always, so that it is announced.
#[component]
pub fn FieldHelp(
    help_id: String,
    #[prop(into)] help: Signal<String>,
    error_id: String,
    #[prop(into)] error: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <p class="help" id=help_id hidden=move || help.with(String::is_empty)>
            {move || help.get()}
        </p>
        <p class="error" id=error_id hidden=move || error.with(Option::is_none)>
            {move || error.get()}
        </p>
    }
}

/// A choice. Options are (value, name) pairs.
#[component]
pub fn SelectField(
    id: &'static str,
    label: &'static str,
    #[prop(into)] options: Signal<Vec<(String, String)>>,
    #[prop(into)] value: Signal<String>,
    #[prop(into, default = Signal::stored(String::new()))] help: Signal<String>,
    /// Label and control on one line, for the head of a section.
    #[prop(default = false)]
    inline: bool,
    #[prop(into, default = Signal::stored(false))] disabled: Signal<bool>,
    on_change: Callback<String>,
) -> impl IntoView {
    let class = if inline { "field field--inline" } else { "field" };
    let help_id = format!("{id}-help");
    view! {
        <div class=class>
            <label for=id>{label}</label>
            <select
                id=id
                aria-describedby=help_id.clone()
                disabled=move || disabled.get()
                on:change=move |event| on_change.run(event_target_value(&event))
            >
                {move || {
                    let chosen = value.get();
                    options
                        .get()
                        .into_iter()
                        .map(|(value, name)| {
                            let selected = value == chosen;
                            view! {
                                <option value=value prop:selected=selected>
                                    {name}
                                </option>
                            }
                        })
                        .collect_view()
                }}
            </select>
            <p class="help" id=help_id hidden=move || help.with(String::is_empty)>
                {move || help.get()}
            </p>
        </div>
    }
}

/// A box to tick, with a sentence below.
#[component]
pub fn CheckField(
    id: &'static str,
    label: &'static str,
    #[prop(into)] checked: Signal<bool>,
    #[prop(into, optional)] help: Option<Signal<String>>,
    #[prop(default = false)] inline: bool,
    #[prop(into, default = Signal::stored(false))] disabled: Signal<bool>,
    on_change: Callback<bool>,
) -> impl IntoView {
    let class = if inline { "check check--inline" } else { "check" };
    view! {
        <div class=class>
            <input
                type="checkbox"
                id=id
                prop:checked=move || checked.get()
                disabled=move || disabled.get()
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            <label for=id>{label}</label>
            {help.map(|help| view! { <p class="help">{move || help.get()}</p> })}
        </div>
    }
}
