//! Handing what is left of a run to a provider's batch engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::edge::{clock, page};
use crate::ui::command::Command;
use crate::ui::draft::{Field, JudgeKind};
use crate::ui::part::blocks::AsideView;
use crate::ui::part::field::TextField;
use crate::ui::part::files::FilePicker;
use crate::ui::part::problems::ProblemList;
use crate::ui::react::{effect, memo};
use crate::ui::session::{Aside, BatchStep, Session};

use super::bind::{fault, text, write};
use super::shown::Shown;

/// How often it is asked how far batches are, while somebody has this open.
const PATIENCE: Duration = Duration::from_secs(60);

/// Folded until somebody asks. Only where a provider judges.
#[component]
pub fn BatchDetails(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let endpoint = memo(move || session.draft.with(|it| it.judge == JudgeKind::Endpoint));
    let asked = RwSignal::new(false);
    let aside = memo(move || asked.get().then(|| shown.id.get()).flatten().map(Aside::Batches));
    effect(move || {
        session.news.track();
        if let Some(aside) = aside.get() {
            session.send(Command::Ask(aside));
        }
    });
    let out = memo(move || {
        shown.id.with(|id| {
            session.runs.with(|runs| {
                runs.iter().find(|it| Some(&it.id) == id.as_ref()).map_or(0, |it| it.batched)
            })
        })
    });
    watch(&session, asked, out, shown.elsewhere);
    let press = move |step| move |_| session.send(Command::Batch(step));
    let notes = move || {
        let notes = session.batch.notes.get().into_iter();
        notes.map(|it| view! { <li>{it}</li> }.into_any()).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || endpoint.get()>
            <details on:toggle=move |event| asked.set(page::is_open(&event))>
                <summary>"In batches"</summary>
                <div class="stack">
                    <p class="help">
                        "A provider answers a file of requests within a day, often for less. Results come back into this run, and the rest can be asked live."
                    </p>
                    <div class="fields">
                        <TextField
                            id="judge-batch-in"
                            label="Batch input price (USD per million tokens)"
                            kind="number"
                            value=text(session, |it| &it.batch_in)
                            error=fault(session, Field::BatchIn)
                            help=Signal::stored(
                                "From your provider’s list; never guessed. Empty: not known.".to_owned(),
                            )
                            on_input=write(session, |it| &mut it.batch_in)
                        />
                        <TextField
                            id="judge-batch-out"
                            label="Batch output price (USD per million tokens)"
                            kind="number"
                            value=text(session, |it| &it.batch_out)
                            error=fault(session, Field::BatchOut)
                            on_input=write(session, |it| &mut it.batch_out)
                        />
                    </div>
                    <div class="actions">
                        <button class="btn" type="button" on:click=press(BatchStep::Files)>
                            "Download batch files"
                        </button>
                        <button class="btn" type="button" on:click=press(BatchStep::Submit)>
                            "Submit from here"
                        </button>
                        <button
                            class="btn"
                            type="button"
                            disabled=move || out.get() == 0
                            on:click=press(BatchStep::Poll)
                        >
                            "Look for results"
                        </button>
                        <button
                            class="btn"
                            type="button"
                            hidden=move || out.get() == 0
                            on:click=press(BatchStep::GiveUp)
                        >
                            "Wait no longer"
                        </button>
                    </div>
                    <FilePicker
                        id="judge-batch-results"
                        label="Batch results"
                        help="Files of results as the provider gives them, of any batch of any run here."
                        accept=".jsonl,.ndjson,.json,.txt,.gz"
                        on_files=Callback::new(move |list| session.send(Command::BatchResults(list)))
                    />
                    <ul class="small" role="status" data-testid="batch-notes">
                        {notes}
                    </ul>
                    <ProblemList
                        problems=session.batch.problems
                        testid="batch-problems"
                        label="Problems in the results"
                    />
                    <AsideView aside=aside />
                </div>
            </details>
        </Show>
    }
}

/// Asks once a minute how far batches are, as long as this is on the page.
fn watch(session: &Session, asked: RwSignal<bool>, out: Memo<u64>, elsewhere: Memo<bool>) {
    let session = *session;
    let gone = Arc::new(AtomicBool::new(false));
    let left = gone.clone();
    on_cleanup(move || left.store(true, Ordering::Relaxed));
    spawn_local(async move {
        loop {
            clock::sleep(PATIENCE).await;
            if gone.load(Ordering::Relaxed) {
                return;
            }
            let free = session.active.with_untracked(Option::is_none)
                && session.busy.with_untracked(Option::is_none)
                && !elsewhere.get_untracked();
            // Without its key it would only fail; a person presses for it once it is there.
            let open = untrack(|| session.keys.host().is_some() && !session.key_is_elsewhere());
            if asked.get_untracked() && 0 < out.get_untracked() && free && open {
                session.send(Command::Batch(BatchStep::Poll));
            }
        }
    });
}
