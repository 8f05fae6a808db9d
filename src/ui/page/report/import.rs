//! Judgements made elsewhere: who judged is asked before they count.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::part::field::TextField;
use crate::ui::part::files::FilePicker;
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::Session;

/// Whether questions are loaded, without which labels have nothing to be about.
fn has_benchmark(session: &Session) -> Memo<bool> {
    let workspace = session.workspace;
    memo(move || workspace.with(|it| it.ready().is_some_and(|it| it.dataset.is_some())))
}

/// Asks who judged the files that wait. Nothing where none do.
#[component]
pub fn ImportForm() -> impl IntoView {
    let session = expect_context::<Session>();
    let (judge, prompt, date) =
        (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(String::new()));
    let ready = has_benchmark(&session);
    view! { {move || {
        let waiting = session.import.get()?;
        let names = waiting.names.into_iter().map(|name| view! { <li>{name}</li> }).collect_view();
        Some(view! {
            <section class="section" aria-labelledby="h-waiting">
                <h2 id="h-waiting">"Whose judgements are these?"</h2>
                <div class="stack">
                    <ul class="small code read-in">{names}</ul>
                    <p class="prose">
                        "The files hold labels and not who gave them. What you leave empty is written as “unknown”, here and in every file."
                    </p>
                    <div class="fields fields--wide">
                        <ImportField
                            id="import-judge"
                            label="Judge"
                            help="The model with its version, or the person."
                            value=judge
                        />
                        <ImportField
                            id="import-prompt"
                            label="Prompt"
                            help="Its name or where it is published."
                            value=prompt
                        />
                        <ImportField
                            id="import-date"
                            label="Judged on"
                            help="A day, as 2026-11-12."
                            value=date
                        />
                    </div>
                    <NeedsBenchmark ready=ready />
                    <div class="actions">
                        <button
                            type="button"
                            class="btn"
                            disabled=move || !ready.get()
                            on:click=move |_| {
                                session
                                    .send(Command::Import {
                                        judge: judge.get_untracked(),
                                        prompt: prompt.get_untracked(),
                                        date: date.get_untracked(),
                                    });
                            }
                        >
                            "Import judgements"
                        </button>
                        <button
                            type="button"
                            class="btn"
                            on:click=move |_| session.send(Command::DropImport)
                        >
                            "Leave them out"
                        </button>
                    </div>
                </div>
            </section>
        })
    }} }
}

/// One thing the files do not say.
#[component]
fn ImportField(
    id: &'static str,
    label: &'static str,
    help: &'static str,
    value: RwSignal<String>,
) -> impl IntoView {
    view! {
        <TextField
            id=id
            label=label
            help=Signal::stored(help.to_owned())
            placeholder="unknown"
            value=value
            on_input=Callback::new(move |text| value.set(text))
        />
    }
}

/// Says that questions must be loaded first, where they are not.
#[component]
fn NeedsBenchmark(ready: Memo<bool>) -> impl IntoView {
    view! { {move || {
        (!ready.get()).then(|| {
            view! {
                <p class="small">
                    "The benchmark is not loaded. Labels are matched to its rubric items, so open it first on the "
                    <a href=Route::Data.href()>"Data page"</a>
                    "; the files wait here meanwhile."
                </p>
            }
        })
    }} }
}

/// Says how judgement files come in.
#[component]
pub fn ImportHow() -> impl IntoView {
    let session = expect_context::<Session>();
    let ready = has_benchmark(&session);
    view! {
        <section class="section" aria-labelledby="h-judged">
            <h2 id="h-judged">"Judgements made elsewhere"</h2>
            <div class="stack">
                <p class="prose">
                    "Coverage files of the benchmark’s own scripts can be read here, or dropped on any page. Each file is one system, named after the file; load the same answers first to see them beside their labels. Who judged is asked before anything counts."
                </p>
                <NeedsBenchmark ready=ready />
                <FilePicker
                    id="judgement-files"
                    label="Judgement files"
                    help="Coverage files in JSON, plain or gzipped, several at once."
                    accept=".json,.jsonl,.gz"
                    on_files=Callback::new(move |files| session.send(Command::OpenFiles(files)))
                />
            </div>
        </section>
    }
}
