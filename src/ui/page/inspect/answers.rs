//! Two answers side by side, with the evidence marked in them.

use std::sync::Arc;

use leptos::prelude::*;

use super::evidence::{self, Stretch};
use super::looking::Looking;
use super::rubric::no_answer;
use crate::run::AnswerState;
use crate::ui::part::field::SelectField;
use crate::ui::part::number::Count;
use crate::ui::route::Route;
use crate::worker::{InspectedSystem, Inspection};

/// Lets a person choose two systems and read them against each other.
#[component]
pub fn AnswerSection(
    inspection: Arc<Inspection>,
    looking: Looking,
    practice: bool,
) -> impl IntoView {
    let names: Vec<(String, String)> = inspection
        .systems
        .iter()
        .enumerate()
        .map(|(index, system)| (index.to_string(), system.name.clone()))
        .collect();
    let options = Signal::stored(names);
    let several = 1 < inspection.systems.len();
    let note = note(&inspection, practice);
    let (left, right, status) = (inspection.clone(), inspection.clone(), inspection);
    view! {
        <section class="section" aria-labelledby="h-ans">
            <header>
                <h2 id="h-ans">{if several { "Answers side by side" } else { "The answer" }}</h2>
                <SideField id="left" label="Left" options=options side=looking.left />
                {several
                    .then(|| {
                        view! {
                            <SideField id="right" label="Right" options=options side=looking.right />
                        }
                    })}
            </header>
            <p class="small quiet">{note}</p>
            <p class="small" role="status">
                {move || unmarked(&status, looking)}
            </p>
            <div class="answers">
                {move || {
                    view! {
                        <Answer inspection=left.clone() system=looking.left.get() looking=looking id="a-left" />
                    }
                }}
                {move || {
                    several
                        .then(|| {
                            view! {
                                <Answer
                                    inspection=right.clone()
                                    system=looking.right.get()
                                    looking=looking
                                    id="a-right"
                                />
                            }
                        })
                }}
            </div>
        </section>
    }
    .into_any()
}

/// Chooses the system of one side.
#[component]
fn SideField(
    id: &'static str,
    label: &'static str,
    options: Signal<Vec<(String, String)>>,
    side: RwSignal<usize>,
) -> impl IntoView {
    view! {
        <SelectField
            id=id
            label=label
            options=options
            value=Signal::derive(move || side.get().to_string())
            inline=true
            on_change=Callback::new(move |value: String| {
                if let Ok(system) = value.parse() {
                    side.set(system);
                }
            })
        />
    }
}

/// What the marks in the answers are, and what they are not.
fn note(inspection: &Inspection, practice: bool) -> &'static str {
    let marked =
        inspection.systems.iter().any(|system| system.evidence.iter().any(Option::is_some));
    match (practice, marked) {
        (true, _) => {
            "The practice judge marks where words of an item occur in the answer: shared words, not proof."
        }
        (false, true) => "Marked words are what the judge gave as evidence, numbered by item.",
        (false, false) => "This judge named no evidence, so nothing is marked in the answers.",
    }
}

/// Which of the two answers has no evidence for the current item.
fn unmarked(inspection: &Inspection, looking: Looking) -> String {
    let Some(item) = looking.item.get() else {
        return String::new();
    };
    let mut sides = vec![looking.left.get(), looking.right.get()];
    sides.dedup();
    let without: Vec<&str> = sides
        .into_iter()
        .filter_map(|side| inspection.systems.get(side))
        .filter(|system| system.evidence.get(item).copied().flatten().is_none())
        .map(|system| system.name.as_str())
        .collect();
    if without.is_empty() {
        format!("Item {}: its evidence is filled in below.", item + 1)
    } else {
        format!("Item {}: no evidence is marked in {}.", item + 1, without.join(" and "))
    }
}

/// One system's answer with its length.
#[component]
fn Answer(
    inspection: Arc<Inspection>,
    system: usize,
    looking: Looking,
    id: &'static str,
) -> impl IntoView {
    let it = inspection.systems.get(system)?;
    let body = match (&it.answer, no_answer(it.state)) {
        (_, Some(words)) => {
            let words = format!("There is {} to this question.", article(words));
            view! { <p class="quiet">{words}</p> }.into_any()
        }
        (Some(text), None) => {
            let href = Route::Inspect(inspection.case).href();
            view! { <AnswerText text=text.clone() system=it.clone() href=href looking=looking /> }
                .into_any()
        }
        (None, None) => view! {
            <p class="quiet">
                "The text of this answer is not here. Run files hold texts only if asked for, \
                and judgements made elsewhere come without answers."
            </p>
        }
        .into_any(),
    };
    Some(view! {
        <article class="answer" aria-labelledby=id>
            <header>
                <h3 id=id>{it.name.clone()}</h3>
                <Length system=it.clone() />
            </header>
            {body}
        </article>
    })
}

/// `no answer`, `an empty answer`.
fn article(words: &str) -> String {
    if words.starts_with('e') { format!("an {words}") } else { words.to_owned() }
}

/// How long an answer is, and on how many items it has evidence.
#[component]
fn Length(system: InspectedSystem) -> impl IntoView {
    let AnswerState::Answered { words, .. } = system.state else {
        return None;
    };
    let marked = system.evidence.iter().flatten().count();
    let evidence = (0 < marked)
        .then(|| format!(" · evidence for {marked} of {} items", system.evidence.len()));
    // Judgements that came without their answers know no length.
    let length = (0 < words).then(|| {
        let noun = if words == 1 { " word" } else { " words" };
        view! {
            <Count n=u64::from(words) />
            {noun}
        }
    });
    Some(view! {
        <span class="n">
            {length}
            {evidence}
        </span>
    })
}

/// The answer in paragraphs. Whatever it holds stays text.
#[component]
fn AnswerText(
    text: String,
    system: InspectedSystem,
    href: String,
    looking: Looking,
) -> impl IntoView {
    let paragraphs = evidence::paragraphs(&text, &evidence::spans(&system.evidence))
        .into_iter()
        .map(|paragraph| {
            let stretches = paragraph
                .into_iter()
                .map(|it| {
                    let href = href.clone();
                    view! { <StretchView stretch=it href=href looking=looking /> }
                })
                .collect_view();
            view! { <p>{stretches}</p> }
        })
        .collect_view();
    view! { <div class="answer__text">{paragraphs}</div> }
}

/// Plain words, or evidence after the numbers of its items.
#[component]
fn StretchView(stretch: Stretch, href: String, looking: Looking) -> impl IntoView {
    let Stretch { text, items, begins } = stretch;
    if items.is_empty() {
        return text.into_any();
    }
    let numbers = begins
        .into_iter()
        .enumerate()
        .map(|(at, item)| {
            // "1 6" would read as one number.
            let comma = (0 < at).then(|| view! { <span class="ev-no">","</span> });
            view! {
                {comma}
                <a
                    class="ev-no"
                    class:is-current=move || looking.is(item)
                    href=href.clone()
                    aria-label=format!("Item {}", item + 1)
                    on:click=move |_| looking.back(item)
                >
                    {item + 1}
                </a>
            }
        })
        .collect_view();
    view! {
        {numbers}
        <mark class="ev" class:is-current=move || looking.is_any(&items)>
            {text}
        </mark>
    }
    .into_any()
}
