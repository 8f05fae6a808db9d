//! Choosing files, and dropping them.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, File, HtmlInputElement};

use crate::edge::files;

/// A labelled file input for several files.
#[component]
pub fn FilePicker(
    id: &'static str,
    /// The accessible name. Public: outside checks find the field by it.
    label: &'static str,
    help: &'static str,
    /// File name endings, as the input's `accept` wants them.
    accept: &'static str,
    on_files: Callback<Vec<File>>,
) -> impl IntoView {
    let help_id = format!("{id}-help");
    let changed = move |event: Event| on_files.run(chosen(&event));
    view! {
        <div class="drop field">
            <label for=id>{label}</label>
            <input
                id=id
                type="file"
                multiple=true
                accept=accept
                aria-describedby=help_id.clone()
                on:change=changed
            />
            <p class="help" id=help_id>
                {help}
            </p>
        </div>
    }
}

/// A labelled input for a whole folder. Each file keeps its path, and paths may name systems.
#[component]
pub fn FolderPicker(
    id: &'static str,
    /// The accessible name. Public: outside checks find the field by it.
    label: &'static str,
    help: &'static str,
    on_files: Callback<Vec<File>>,
) -> impl IntoView {
    let help_id = format!("{id}-help");
    let changed = move |event: Event| {
        let mut files = chosen(&event);
        // What an operating system leaves in a folder, such as `.DS_Store`, nobody chose.
        files.retain(|file| !file.name().starts_with('.'));
        on_files.run(files);
    };
    view! {
        <div class="drop field">
            <label for=id>{label}</label>
            <input
                id=id
                type="file"
                multiple=true
                prop:webkitdirectory=true
                aria-describedby=help_id.clone()
                on:change=changed
            />
            <p class="help" id=help_id>
                {help}
            </p>
        </div>
    }
}

fn chosen(event: &Event) -> Vec<File> {
    let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    input.map(|input| files::chosen(&input)).unwrap_or_default()
}
