//! What stands behind the marks of one system: every exchange, word for word.

use std::sync::Arc;

use leptos::prelude::*;

use super::facts;
use super::looking::Looking;
use crate::edge::clock;
use crate::judge::{Attempt, ErrorKind, Outcome, OutputFormat};
use crate::ui::format::moment;
use crate::worker::{InspectedBatch, Inspection};

/// What the judge of a run is, as far as reading its replies goes.
#[derive(Clone)]
pub struct Judge {
    /// As tables name it.
    pub name: String,
    pub format: OutputFormat,
    /// Whether a model was asked, with prompts, tokens and times.
    pub asked: bool,
}

/// Lays open every batch of the system on the left.
#[component]
pub fn JudgementSection(
    inspection: Arc<Inspection>,
    looking: Looking,
    judge: Judge,
) -> impl IntoView {
    let batches = move || {
        let system = inspection.systems.get(looking.left.get())?;
        if system.batches.is_empty() {
            let words = format!("{}: nothing was put to the judge.", system.name);
            return Some(view! { <p class="quiet">{words}</p> }.into_any());
        }
        let name = system.name.clone();
        let list = system
            .batches
            .iter()
            .map(|batch| {
                view! { <BatchView name=name.clone() batch=batch.clone() judge=judge.clone() /> }
            })
            .collect_view();
        Some(view! { <div class="stack-l">{list}</div> }.into_any())
    };
    view! {
        <section class="section" aria-labelledby="h-one">
            <header>
                <h2 id="h-one">"The judgement behind a mark"</h2>
                <p class="small quiet">
                    "Of the system on the left. The last reply with a label for every item counts."
                </p>
            </header>
            {batches}
        </section>
    }
    .into_any()
}

/// One batch of items with all its attempts.
#[component]
fn BatchView(name: String, batch: InspectedBatch, judge: Judge) -> impl IntoView {
    let title = format!("{name}, {}", facts::items(batch.first, batch.len));
    let of = batch.attempts.len();
    if of == 0 {
        return view! {
            <div class="stack">
                <p class="small">
                    <strong>{title}</strong>
                    " "
                    <span class="quiet">"not asked yet"</span>
                </p>
                <PromptView prompt=batch.prompt size=String::new() asked=judge.asked />
            </div>
        }
        .into_any();
    }
    let last = of - 1;
    batch
        .attempts
        .into_iter()
        .enumerate()
        .map(|(at, attempt)| {
            // The prompt is the same each time, so it is shown once.
            let prompt = (at == last).then(|| {
                let size = facts::size(attempt.usage);
                view! { <PromptView prompt=batch.prompt.clone() size=size asked=judge.asked /> }
            });
            let when = ("When", moment(&clock::rfc3339(attempt.at)));
            let facts = if judge.asked {
                let mut facts = facts::facts(&attempt, batch.len as usize, judge.format);
                facts.extend([when, ("Attempt", format!("{} of {of}", at + 1))]);
                facts
            } else {
                // Nobody was asked over a wire: no model, no tokens, no time.
                let read = facts::read_as(&attempt.outcome, batch.len as usize, judge.format);
                vec![when, ("Read as", read), ("Labelled by", judge.name.clone())]
            };
            view! {
                <div class="columns">
                    <div class="stack">
                        <OutcomeView title=title.clone() attempt=attempt />
                        {prompt}
                    </div>
                    <Facts facts=facts />
                </div>
            }
        })
        .collect_view()
        .into_any()
}

/// The reply as it came, or why there is none.
#[component]
pub(super) fn OutcomeView(title: String, attempt: Attempt) -> impl IntoView {
    match attempt.outcome {
        Outcome::Reply { text, .. } => view! {
            <p class="small">
                <strong>{title}</strong>
                " "
                <span class="quiet">"as the judge wrote it, unchanged"</span>
            </p>
            <pre class="raw" tabindex="0" role="region" aria-label="Raw reply">
                {text}
            </pre>
        }
        .into_any(),
        Outcome::Failure { kind, status, detail, body } => view! {
            <p class="small">
                <strong>{title}</strong>
                " "
                <span class="quiet">
                    {if kind == ErrorKind::Cancelled { "cancelled by you" } else { "no reply" }}
                </span>
            </p>
            <FailureView kind=kind status=status detail=detail />
            {(!body.trim().is_empty())
                .then(|| {
                    view! {
                        <pre class="raw" tabindex="0" role="region" aria-label="What came back">
                            {body}
                        </pre>
                    }
                })}
        }
        .into_any(),
    }
}

/// What went wrong, in the page's words and in the other side's.
#[component]
fn FailureView(kind: ErrorKind, status: Option<u16>, detail: String) -> impl IntoView {
    if kind == ErrorKind::Cancelled {
        // Nothing went wrong, and the words that came with it are the page's own.
        return view! {
            <div class="notice notice--slim">
                <p>
                    <strong>"Cancelled by you."</strong>
                    " "
                    {kind.cure()}
                </p>
            </div>
        }
        .into_any();
    }
    let status = status.map(|it| format!(", status {it}"));
    let words = (!detail.trim().is_empty()).then(|| {
        view! {
            <p>"The words that came with it: " <q>{detail}</q></p>
        }
    });
    view! {
        <div class="notice notice--bad notice--slim">
            <p>
                <strong>"Failed: " {kind.what()} {status} "."</strong>
                " "
                {kind.cure()}
            </p>
            {words}
        </div>
    }
    .into_any()
}

/// The exact text that was sent, where there is one.
#[component]
pub(super) fn PromptView(prompt: Option<String>, size: String, asked: bool) -> impl IntoView {
    match prompt {
        Some(prompt) => view! {
            <details>
                <summary>"Prompt as sent" {size}</summary>
                <pre class="raw" tabindex="0" role="region" aria-label="Prompt as sent">
                    {prompt}
                </pre>
            </details>
        }
        .into_any(),
        None if asked => view! {
            <p class="small quiet">
                "The prompt as sent cannot be shown: the texts of this run are not here."
            </p>
        }
        .into_any(),
        None => ().into_any(),
    }
}

/// Named pairs.
#[component]
pub(super) fn Facts(facts: Vec<(&'static str, String)>) -> impl IntoView {
    let pairs = facts
        .into_iter()
        .map(|(name, value)| {
            view! {
                <dt>{name}</dt>
                <dd>{value}</dd>
            }
        })
        .collect_view();
    view! { <dl class="facts">{pairs}</dl> }
}
