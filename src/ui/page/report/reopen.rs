//! Run files on their way back in.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::part::files::FilePicker;
use crate::ui::part::problems::ProblemList;
use crate::ui::route::Route;
use crate::ui::session::Session;

/// Takes run files, and says what became of each.
#[component]
pub fn ReopenSection() -> impl IntoView {
    let session = expect_context::<Session>();
    view! {
        <section class="section" aria-labelledby="h-reopen">
            <h2 id="h-reopen">"Reopen a run"</h2>
            <div class="stack">
                <FilePicker
                    id="run-file"
                    label="Run file"
                    help="One or several that this page wrote. Files of the same run are joined: each reply counts once. Nothing is asked again."
                    accept=".json"
                    on_files=Callback::new(move |files| session.send(Command::Reopen(files)))
                />
                <Outcome />
            </div>
        </section>
    }
}

/// What was read, and what was not. Both places exist always, so that they are announced.
#[component]
fn Outcome() -> impl IntoView {
    let session = expect_context::<Session>();
    let notes = move || {
        let notes = session.report_notes.get();
        (!notes.is_empty()).then(|| {
            let lines = notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
            let chosen = session.run.with(Option::is_some);
            let link = chosen.then(|| {
                view! {
                    <li>
                        <a href=Route::Results.href()>"See its results"</a>
                    </li>
                }
            });
            view! { <ul class="notice notice--slim read-in">{lines} {link}</ul> }
        })
    };
    view! {
        <div role="status">{notes}</div>
        <ProblemList
            problems=session.report_problems
            testid="report-problems"
            label="Problems in run files and judgement files"
        />
    }
}
