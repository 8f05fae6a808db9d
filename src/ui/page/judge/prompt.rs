//! The prompt: its name, its text, and what it may be compared with.

use leptos::prelude::*;

use crate::judge::{DuelPrompt, Prompt};
use crate::ui::draft::Field;
use crate::ui::part::field::FieldHelp;
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::bind::fault;

/// Shows and edits the text with which rubric items are judged.
#[component]
pub fn PromptText() -> impl IntoView {
    let session = expect_context::<Session>();
    let prompt = memo(move || Prompt { text: session.draft.with(|it| it.prompt.clone()) });
    view! {
        <PromptEditor
            id="judge-prompt"
            label="Prompt text"
            title=Signal::derive(move || prompt.with(title))
            note=Signal::derive(move || prompt.with(|it| it.comparability().to_owned()))
            text=Signal::derive(move || prompt.with(|it| it.text.clone()))
            own=Prompt::viva().text
            help="{{answer}} and {{items}} are filled in; {{output}} says how to reply, and may be left out."
            field=Field::Prompt
            on_input=Callback::new(move |text| session.draft.update(|it| it.prompt = text))
        />
    }
}

/// Shows and edits the text with which answers are compared.
#[component]
pub fn DuelPromptText() -> impl IntoView {
    let session = expect_context::<Session>();
    let prompt = memo(move || DuelPrompt { text: session.draft.with(|it| it.duel_prompt.clone()) });
    let title = move || {
        let described = prompt.with(DuelPrompt::describe);
        let name = described.split_once(" (").map_or(described.as_str(), |(name, _)| name);
        format!("Prompt: {name}, fingerprint {}", prompt.with(|it| it.fingerprint().short()))
    };
    view! {
        <PromptEditor
            id="judge-duel-prompt"
            label="Preference prompt text"
            title=Signal::derive(title)
            note=Signal::stored(
                "Verdicts are not comparable with published ones: the wording is not theirs.".to_owned(),
            )
            text=Signal::derive(move || prompt.with(|it| it.text.clone()))
            own=DuelPrompt::viva().text
            help="{{query}}, {{response_1}} and {{response_2}} are filled in; {{output}} says how to reply, and may be left out."
            field=Field::DuelPrompt
            on_input=Callback::new(move |text| session.draft.update(|it| it.duel_prompt = text))
        />
    }
}

/// A prompt's name, and folded below it its text to edit.
#[component]
fn PromptEditor(
    id: &'static str,
    label: &'static str,
    title: Signal<String>,
    note: Signal<String>,
    text: Signal<String>,
    /// Viva's own text.
    own: String,
    help: &'static str,
    field: Field,
    on_input: Callback<String>,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let (help_id, error_id) = (format!("{id}-help"), format!("{id}-error"));
    let described = format!("{help_id} {error_id}");
    let own = StoredValue::new(own);
    let is_own = memo(move || own.with_value(|own| text.with(|it| it == own)));
    view! {
        <details class="group">
            <summary>{move || title.get()}</summary>
            <div class="stack">
                <p class="small quiet">
                    {move || note.get()} " Editing it makes a new judge, and so a new run."
                </p>
                <div class="field">
                    <label for=id>{label}</label>
                    <textarea
                        id=id
                        class="code"
                        rows="18"
                        spellcheck="false"
                        aria-describedby=described
                        aria-invalid=move || session.field_error(field).is_some().then_some("true")
                        prop:value=move || text.get()
                        on:input=move |event| on_input.run(event_target_value(&event))
                    ></textarea>
                    <FieldHelp
                        help_id=help_id
                        help=Signal::stored(help.to_owned())
                        error_id=error_id
                        error=fault(session, field)
                    />
                </div>
                <div class="actions">
                    <button
                        class="btn btn--small"
                        type="button"
                        disabled=move || is_own.get()
                        on:click=move |_| on_input.run(own.get_value())
                    >
                        "Back to Viva’s prompt"
                    </button>
                </div>
            </div>
        </details>
    }
}

/// `Prompt: Viva prompt v1, fingerprint 7be2 91c4`.
fn title(prompt: &Prompt) -> String {
    let described = prompt.describe();
    let name = described.split_once(" (").map_or(described.as_str(), |(name, _)| name);
    format!("Prompt: {name}, fingerprint {}", prompt.fingerprint().short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_names_wording_and_fingerprint() {
        let prompt = Prompt { text: "{{answer}} {{items}}".to_owned() };
        let short = prompt.fingerprint().short();
        assert_eq!(title(&prompt), format!("Prompt: edited prompt, fingerprint {short}"));
    }
}
