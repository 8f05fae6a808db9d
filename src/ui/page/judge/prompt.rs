//! The prompt: its name, its text, and what it may be compared with.

use leptos::prelude::*;

use crate::judge::Prompt;
use crate::judge::template::Wording;
use crate::ui::draft::Field;
use crate::ui::part::field::FieldHelp;
use crate::ui::session::Session;

use super::bind::fault;

/// Shows and edits the prompt's text.
#[component]
pub fn PromptText() -> impl IntoView {
    let session = expect_context::<Session>();
    let prompt = Memo::new(move |_| Prompt { text: session.draft.with(|it| it.prompt.clone()) });
    let own = Memo::new(move |_| prompt.with(|it| it.wording() == Wording::Viva));
    view! {
        <details class="group">
            <summary>{move || prompt.with(title)}</summary>
            <div class="stack">
                <p class="small quiet">
                    {move || prompt.with(Prompt::comparability)}
                    " Editing it makes a new judge, and so a new run."
                </p>
                <div class="field">
                    <label for="judge-prompt">"Prompt text"</label>
                    <textarea
                        id="judge-prompt"
                        class="code"
                        rows="18"
                        spellcheck="false"
                        aria-describedby="judge-prompt-help judge-prompt-error"
                        aria-invalid=move || {
                            session.field_error(Field::Prompt).is_some().then_some("true")
                        }
                        prop:value=move || prompt.with(|it| it.text.clone())
                        on:input=move |event| {
                            session.draft.update(|it| it.prompt = event_target_value(&event));
                        }
                    ></textarea>
                    <FieldHelp
                        help_id="judge-prompt-help".to_owned()
                        help=Signal::stored(
                            "{{answer}} and {{items}} are filled in; {{output}} says how to reply, and may be left out."
                                .to_owned(),
                        )
                        error_id="judge-prompt-error".to_owned()
                        error=fault(session, Field::Prompt)
                    />
                </div>
                <div class="actions">
                    <button
                        class="btn btn--small"
                        type="button"
                        disabled=move || own.get()
                        on:click=move |_| {
                            session.draft.update(|it| it.prompt = Prompt::viva().text);
                        }
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
