//! What stands behind the marks of one system: every exchange, word for word.

use std::sync::Arc;

use leptos::prelude::*;

use super::looking::Looking;
use crate::edge::clock;
use crate::report::exchange::{End, Exchange};
use crate::ui::format::moment;
use crate::worker::{InspectedBatch, Inspection};

/// What the judge of a run is, as far as reading its replies goes.
#[derive(Clone)]
pub struct Judge {
    /// As tables name it.
    pub name: String,
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
    let title = format!("{name}, {}", items(batch.first, batch.len));
    let of = batch.exchanges.len();
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
        .exchanges
        .into_iter()
        .enumerate()
        .map(|(at, exchange)| {
            // The prompt is the same each time, so it is shown once.
            let prompt = (at == last).then(|| {
                let size = exchange.size.clone();
                view! { <PromptView prompt=batch.prompt.clone() size=size asked=judge.asked /> }
            });
            let read = ("Read as".to_owned(), exchange.read.clone());
            let facts = if judge.asked {
                let mut facts = exchange.facts.clone();
                let attempt = ("Attempt".to_owned(), format!("{} of {of}", at + 1));
                facts.extend([read, when(&exchange), attempt]);
                facts
            } else {
                // Nobody was asked over a wire: no model, no tokens, no time.
                vec![when(&exchange), read, ("Labelled by".to_owned(), judge.name.clone())]
            };
            view! {
                <div class="columns">
                    <div class="stack">
                        <OutcomeView title=title.clone() end=exchange.end />
                        {prompt}
                    </div>
                    <Facts facts=facts />
                </div>
            }
        })
        .collect_view()
        .into_any()
}

/// When an exchange began, where the reader is.
pub(super) fn when(exchange: &Exchange) -> (String, String) {
    ("When".to_owned(), moment(&clock::rfc3339(exchange.at)))
}

/// `item 3`, `items 1 to 7`.
fn items(first: u32, len: u32) -> String {
    if len == 1 {
        format!("item {}", first + 1)
    } else {
        format!("items {} to {}", first + 1, first + len)
    }
}

/// The reply as it came, or why there is none.
#[component]
pub(super) fn OutcomeView(title: String, end: End) -> impl IntoView {
    let said = match end {
        End::Reply(_) => "as the judge wrote it, unchanged",
        End::Cancelled(_) => "cancelled by you",
        End::Failed { .. } => "no reply",
    };
    let shown = match end {
        End::Reply(text) => raw("Raw reply", text),
        // Nothing went wrong, and the words that came with it are the page's own.
        End::Cancelled(cure) => view! {
            <div class="notice notice--slim">
                <p>
                    <strong>"Cancelled by you."</strong>
                    " "
                    {cure}
                </p>
            </div>
        }
        .into_any(),
        End::Failed { what, cure, words, body } => {
            let words = (!words.trim().is_empty()).then(|| {
                view! { <p>"The words that came with it: " <q>{words}</q></p> }.into_any()
            });
            let body = (!body.trim().is_empty()).then(|| raw("What came back", body));
            view! {
                <div class="notice notice--bad notice--slim">
                    <p>
                        <strong>"Failed: " {what} "."</strong>
                        " "
                        {cure}
                    </p>
                    {words}
                </div>
                {body}
            }
            .into_any()
        }
    };
    view! {
        <p class="small">
            <strong>{title}</strong>
            " "
            <span class="quiet">{said}</span>
        </p>
        {shown}
    }
    .into_any()
}

/// Somebody else's text, as it stands.
fn raw(label: &'static str, text: String) -> AnyView {
    view! {
        <pre class="raw" tabindex="0" role="region" aria-label=label>
            {text}
        </pre>
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
pub(super) fn Facts(facts: Vec<(String, String)>) -> impl IntoView {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_from_one() {
        assert_eq!(items(8, 1), "item 9");
        assert_eq!(items(0, 8), "items 1 to 8");
    }
}
