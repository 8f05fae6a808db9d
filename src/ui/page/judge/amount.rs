//! What to judge, and how much of it.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::draft::{Field, JudgeKind};
use crate::ui::part::field::{CheckField, TextField};
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::bind::{fault, text, write};

/// What is asked of the judge.
#[component]
pub fn WhatToJudge(kind: Memo<JudgeKind>) -> impl IntoView {
    let session = expect_context::<Session>();
    let by_hand = memo(move || kind.get() == JudgeKind::ByHand);
    let coverage = Signal::derive(move || by_hand.get() || session.draft.with(|it| it.coverage));
    let preference =
        Signal::derive(move || !by_hand.get() && session.draft.with(|it| it.preference));
    let help = Signal::derive(move || coverage_help(kind.get()).to_owned());
    view! {
        <section class="group" aria-labelledby="judge-what">
            <h2 id="judge-what">"What to judge"</h2>
            <CheckField
                id="judge-coverage"
                label="Rubric coverage"
                checked=coverage
                disabled=by_hand
                help=help
                on_change=Callback::new(move |on| session.draft.update(|it| it.coverage = on))
            />
            <CheckField
                id="judge-preference"
                label="Pairwise preference"
                checked=preference
                disabled=by_hand
                help=Signal::derive(move || preference_help(kind.get()).to_owned())
                on_change=Callback::new(move |on| session.draft.update(|it| it.preference = on))
            />
            <p class="error" hidden=move || session.field_error(Field::What).is_none()>
                {move || session.field_error(Field::What).map(|what| format!("Needed: {what}"))}
            </p>
            <Show when=move || preference.get()>
                <HowToCompare kind=kind />
            </Show>
        </section>
    }
}

/// How answers are compared in pairs.
#[component]
fn HowToCompare(kind: Memo<JudgeKind>) -> impl IntoView {
    let session = expect_context::<Session>();
    view! {
        <div class="fields">
            <TextField
                id="judge-per-pair"
                label="Battles per pair"
                kind="number"
                value=text(session, |it| &it.per_pair)
                error=fault(session, Field::PerPair)
                help=Signal::stored("Fewer where there are fewer queries.".to_owned())
                on_input=write(session, |it| &mut it.per_pair)
            />
        </div>
        <p class="help">
            "Two systems meet over this many queries, evenly over domains. Two calls a battle: each answer sits first once."
        </p>
        <CheckField
            id="judge-no-answer"
            label="No answer loses"
            checked=Signal::derive(move || session.draft.with(|it| it.no_answer_loses))
            help=Signal::stored(
                "A query that only one of two systems answered counts as a battle the other lost, without a call. Otherwise it is skipped and counted."
                    .to_owned(),
            )
            on_change=Callback::new(move |on| session.draft.update(|it| it.no_answer_loses = on))
        />
        <Show when=move || kind.get() == JudgeKind::Endpoint>
            <CheckField
                id="judge-tie"
                label="The judge may call a tie"
                checked=Signal::derive(move || session.draft.with(|it| it.allow_tie))
                help=Signal::stored("The published protocol does not allow it.".to_owned())
                on_change=Callback::new(move |on| session.draft.update(|it| it.allow_tie = on))
            />
        </Show>
        <Show when=move || kind.get() == JudgeKind::Practice>
            <PlantedBias />
        </Show>
    }
}

/// Faults to plant in the practice judge.
#[component]
fn PlantedBias() -> impl IntoView {
    let session = expect_context::<Session>();
    view! {
        <details class="group">
            <summary>"Plant a bias, to see what the diagnostics make of it"</summary>
            <div class="stack">
                <CheckField
                    id="judge-bias-seat"
                    label="For the first seat"
                    checked=Signal::derive(move || session.draft.with(|it| it.seat_bias))
                    on_change=Callback::new(move |on| session.draft.update(|it| it.seat_bias = on))
                />
                <CheckField
                    id="judge-bias-length"
                    label="For the longer answer"
                    checked=Signal::derive(move || session.draft.with(|it| it.length_bias))
                    on_change=Callback::new(move |on| session.draft.update(|it| it.length_bias = on))
                />
                <TextField
                    id="judge-bias-family"
                    label="For systems whose name begins with"
                    value=text(session, |it| &it.family_bias)
                    help=Signal::stored("Empty: for none.".to_owned())
                    on_input=write(session, |it| &mut it.family_bias)
                />
            </div>
        </details>
    }
}

fn preference_help(kind: JudgeKind) -> &'static str {
    match kind {
        JudgeKind::ByHand => "Not by hand: a person labels checklist points only.",
        JudgeKind::Practice => {
            "Which of two answers shares more words with the question? It judges nothing; it may call a tie."
        }
        JudgeKind::Endpoint => {
            "Which of two answers serves the asker better? Asked in both seat orders; the judge sees the question and not the checklist. With coverage it makes the ensemble preference and the leaderboard."
        }
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

/// How much is judged more than once, to see how steady the judge is.
#[component]
fn RepeatFields() -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || session.draft.with(|it| !it.repeat_sample.trim().is_empty()));
    view! {
        <TextField
            id="judge-repeat-sample"
            label="Repeat queries"
            kind="number"
            value=text(session, |it| &it.repeat_sample)
            error=fault(session, Field::RepeatSample)
            help=Signal::stored(
                "So many, drawn by the seed, are judged more than once: how steady is the judge? Empty means none."
                    .to_owned(),
            )
            on_input=write(session, |it| &mut it.repeat_sample)
        />
        <Show when=move || any.get()>
            <TextField
                id="judge-repeat-times"
                label="Times each"
                kind="number"
                value=text(session, |it| &it.repeat_times)
                error=fault(session, Field::RepeatTimes)
                help=Signal::stored("The first time included.".to_owned())
                on_input=write(session, |it| &mut it.repeat_times)
            />
        </Show>
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
                    <RepeatFields />
                </Show>
                <Show when=move || kind.get() == JudgeKind::Endpoint>
                    <Money />
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
        if let Some((concurrency, run)) = fine.zip(session.active.get_untracked()) {
            session.send(Command::SetConcurrency { run, concurrency });
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

/// What it may cost, and what tokens cost. Only an endpoint is paid.
#[component]
fn Money() -> impl IntoView {
    let session = expect_context::<Session>();
    view! {
        <TextField
            id="judge-budget"
            label="Budget (USD)"
            kind="number"
            value=text(session, |it| &it.budget)
            error=fault(session, Field::Budget)
            help=Signal::stored(
                "No call leaves that could pass it, taking each at the most it can cost. Needs both prices and “Reply tokens”. Empty: no budget."
                    .to_owned(),
            )
            on_input=write(session, |it| &mut it.budget)
        />
        <TextField
            id="judge-price-in"
            label="Input price (USD per million tokens)"
            kind="number"
            value=text(session, |it| &it.price_in)
            error=fault(session, Field::PriceIn)
            help=Signal::derive(move || match session.draft.with(|it| it.listed.clone()) {
                Some((_, listed)) => {
                    format!("The host’s own list of {} says {}.", listed.as_of, listed.input)
                }
                None => "From your provider’s price list. Empty: not known.".to_owned(),
            })
            on_input=write(session, |it| &mut it.price_in)
        />
        <TextField
            id="judge-price-out"
            label="Output price (USD per million tokens)"
            kind="number"
            value=text(session, |it| &it.price_out)
            error=fault(session, Field::PriceOut)
            help=Signal::derive(move || {
                let listed = session.draft.with(|it| it.listed.clone());
                listed.map_or_else(String::new, |(_, it)| {
                    format!("The host’s own list of {} says {}.", it.as_of, it.output)
                })
            })
            on_input=write(session, |it| &mut it.price_out)
        />
    }
}
