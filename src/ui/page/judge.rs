//! The Judge page: who judges, how much, what it will take, and how far it is.

pub mod amount;
pub mod batch;
pub mod bind;
pub mod control;
pub mod examine;
pub mod hand;
pub mod key;
pub mod ledger;
pub mod panel;
pub mod plan;
pub mod prompt;
pub mod run;
pub mod shown;
pub mod sketch;
pub mod who;

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::draft::JudgeKind;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Load, Session};

use shown::Shown;

/// Settings at the left, the run at the right; a plan stands above the run until it has begun.
#[component]
pub fn JudgePage() -> impl IntoView {
    let session = expect_context::<Session>();
    let shown = Shown::new(session);
    let kind = memo(move || session.draft.with(|it| it.judge));
    let asks = memo(move || {
        let asked = kind.get() == JudgeKind::Endpoint;
        session.draft.with(|it| (asked && it.coverage, asked && it.preference))
    });
    let started = memo(move || shown.is_started());
    follow(&session, shown);
    view! {
        <div class="page-head">
            <h1>"Judge"</h1>
            <p>
                "A run belongs to its judge, seed and questions. Change one and a new run begins; nothing judged is lost."
            </p>
        </div>
        <Unkept />
        <Missing shown=shown />
        <Show when=move || kind.get() == JudgeKind::ByHand>
            <hand::HandPanel shown=shown />
        </Show>
        <div class="columns">
            <form
                class="stack-l"
                aria-label="Settings of the run"
                on:submit=|event| event.prevent_default()
            >
                <who::WhoJudges kind=kind />
                <amount::WhatToJudge kind=kind />
                <amount::HowMuch kind=kind />
                <Show when=move || asks.get().0>
                    <prompt::PromptText />
                </Show>
                <Show when=move || asks.get().1>
                    <prompt::DuelPromptText />
                </Show>
            </form>
            <div class="side">
                <Show when=move || !started.get()>
                    <plan::PlanSection shown=shown />
                </Show>
                <run::RunSection shown=shown />
                <Show when=move || started.get()>
                    <plan::PlanSection shown=shown />
                </Show>
                <batch::BatchDetails shown=shown />
                <panel::PanelDetails />
                <sketch::SketchDetails />
            </div>
        </div>
    }
    .into_any()
}

/// A word of warning where nothing outlives the tab.
#[component]
fn Unkept() -> impl IntoView {
    let session = expect_context::<Session>();
    let why =
        memo(move || session.workspace.with(|it| it.ready().and_then(|it| it.not_kept.clone())));
    view! { {move || {
        why.get().map(|why| {
            view! {
                <div class="notice notice--warn notice--slim">
                    <p>
                        <strong>"Nothing is kept beyond this tab."</strong>
                        " The browser’s words: "
                        {why}
                        ". Save a run file on the Report page before you close it."
                    </p>
                </div>
            }
        })
    }} }
}

/// Other pages show the run that the fields name; a run by hand that was begun goes on by itself.
fn follow(session: &Session, shown: Shown) {
    let session = *session;
    effect(move || {
        if let Some(id) = shown.id.get()
            && session.run.get_untracked().as_ref() != Some(&id)
        {
            session.send(Command::ChooseRun(id));
        }
    });
    effect(move || {
        let by_hand = session.draft.with(|it| it.judge == JudgeKind::ByHand);
        let Some(id) = shown.id.get() else {
            return;
        };
        let idle = session.hand.with(|it| *it == Load::Idle);
        let here = session.run.get().as_ref() == Some(&id);
        let readable = session
            .runs
            .with_untracked(|runs| runs.iter().any(|run| run.id == id && run.has_texts));
        if by_hand && idle && here && readable {
            session.send(Command::HandTask(None));
        }
    });
}

/// What has to be there before anything can be judged, and where to get it.
#[component]
fn Missing(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let missing = memo(move || {
        if shown.alone.with(Option::is_some) {
            return None;
        }
        session.workspace.with(|it| {
            let workspace = it.ready()?;
            if workspace.dataset.is_none() {
                Some(("No questions yet", "Bring a benchmark with its checklists first.", Route::Data))
            } else if workspace.systems.is_empty() {
                Some((
                    "No answers yet",
                    "Bring the answers of at least one system. They join the questions by id alone.",
                    Route::Systems,
                ))
            } else {
                None
            }
        })
    });
    view! { {move || {
        missing.get().map(|(what, why, route)| {
            let name = if route == Route::Data { "Go to Data" } else { "Go to Systems" };
            view! {
                <section class="empty" aria-labelledby="judge-missing">
                    <h2 id="judge-missing">{what}</h2>
                    <p>{why}</p>
                    <div class="actions">
                        <a class="btn" href=route.href()>
                            {name}
                        </a>
                        <button
                            class="btn"
                            type="button"
                            on:click=move |_| session.send(Command::TrySample)
                        >
                            "Try the sample"
                        </button>
                    </div>
                </section>
            }
        })
    }} }
}
