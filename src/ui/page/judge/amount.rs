//! What to judge, and how much of it.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::draft::{Field, JudgeKind};
use crate::ui::part::field::{CheckField, TextField};
use crate::ui::session::Session;

use super::bind::{fault, text, write};

/// What is asked of the judge.
#[component]
pub fn WhatToJudge(kind: Memo<JudgeKind>) -> impl IntoView {
    let help = Signal::derive(move || coverage_help(kind.get()).to_owned());
    view! {
        <section class="group" aria-labelledby="judge-what">
            <h2 id="judge-what">"What to judge"</h2>
            <CheckField
                id="judge-coverage"
                label="Rubric coverage"
                checked=Signal::stored(true)
                disabled=Signal::stored(true)
                help=help
                on_change=Callback::new(|_| ())
            />
        </section>
    }
}

fn coverage_help(kind: JudgeKind) -> &'static str {
    match kind {
        JudgeKind::ByHand => {
            "For each checklist point: how far does the answer address it? Five labels, one point at a time. The question is shown above, the system’s name is not."
        }
        JudgeKind::Practice | JudgeKind::Endpoint => {
            "For each checklist point: how far does the answer address it? Five labels, up to 8 points in a call. The judge does not see the question."
        }
    }
}

/// How many questions, which ones, and how fast.
#[component]
pub fn HowMuch(kind: Memo<JudgeKind>) -> impl IntoView {
    let session = expect_context::<Session>();
    let all = Signal::derive(move || {
        let n = session.workspace.with(|it| Some(it.ready()?.dataset.as_ref()?.summary.queries));
        n.map_or("Empty means all.".to_owned(), |n| format!("Empty means all {n}."))
    });
    view! {
        <section class="group" aria-labelledby="judge-much">
            <h2 id="judge-much">"How much"</h2>
            <div class="fields">
                <TextField
                    id="judge-per-field"
                    label="Queries per field"
                    kind="number"
                    value=text(session, |it| &it.per_field)
                    error=fault(session, Field::PerField)
                    help=all
                    on_input=write(session, |it| &mut it.per_field)
                />
                <TextField
                    id="judge-seed"
                    label="Seed"
                    kind="number"
                    value=text(session, |it| &it.seed)
                    error=fault(session, Field::Seed)
                    help=Signal::stored("Same seed, same choice.".to_owned())
                    on_input=write(session, |it| &mut it.seed)
                />
                <Show when=move || kind.get() != JudgeKind::ByHand>
                    <Limits />
                </Show>
            </div>
        </section>
    }
}

/// How many calls, and how many at once. A person makes none.
#[component]
fn Limits() -> impl IntoView {
    let session = expect_context::<Session>();
    let speed = Callback::new(move |text: String| {
        session.draft.update(|it| it.concurrency = text);
        let fine = session.draft.with_untracked(|it| it.settings().ok().map(|it| it.concurrency));
        if let Some(concurrency) = fine
            && session.active.with_untracked(Option::is_some)
        {
            session.send(Command::SetConcurrency(concurrency));
        }
    });
    view! {
        <TextField
            id="judge-cap"
            label="Call cap"
            kind="number"
            value=text(session, |it| &it.call_cap)
            error=fault(session, Field::CallCap)
            help=Signal::stored(
                "Attempts of this run, in all. It stops before the next one. Empty: no cap."
                    .to_owned(),
            )
            on_input=write(session, |it| &mut it.call_cap)
        />
        <TextField
            id="judge-concurrency"
            label="Concurrency"
            kind="number"
            value=text(session, |it| &it.concurrency)
            error=fault(session, Field::Concurrency)
            help=Signal::stored("Calls at the same time, from 1 to 64.".to_owned())
            on_input=speed
        />
    }
}
