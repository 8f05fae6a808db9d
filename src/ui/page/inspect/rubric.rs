//! The checklist of a question: one row an item, one column a system.

use std::sync::Arc;

use leptos::prelude::*;

use super::coverage::{self, Coverage};
use super::looking::Looking;
use crate::observation::{Mark, Unscored};
use crate::report::number::{interval, or_none, percent1};
use crate::run::AnswerState;
use crate::ui::part::mark::{MarkView, Pips};
use crate::worker::{InspectedSystem, Inspection};

/// What stands in a column of a system without an answer.
pub(super) fn no_answer(state: AnswerState) -> Option<&'static str> {
    match state {
        AnswerState::Missing => Some("no answer"),
        AnswerState::Empty => Some("empty answer"),
        AnswerState::Answered { .. } => None,
    }
}

/// Shows every verdict on a question.
#[component]
pub fn RubricSection(
    inspection: Arc<Inspection>,
    looking: Looking,
    practice: bool,
) -> impl IntoView {
    let rows = (0..inspection.items.len())
        .map(|item| {
            let inspection = inspection.clone();
            view! { <ItemRow inspection=inspection item=item looking=looking /> }
        })
        .collect_view();
    let empty = inspection.items.is_empty().then(|| {
        view! { <p class="quiet">"This question has no rubric items, so there is nothing to cover."</p> }
    });
    view! {
        <section class="section" aria-labelledby="h-rub">
            <header>
                <h2 id="h-rub">"What the checklist asks"</h2>
                <p class="small quiet">"Choose an item to find its evidence below."</p>
            </header>
            <div class="scroll-x">
                <table class="table rubric table--fold" role="table" aria-label="Rubric items">
                    <thead role="rowgroup">
                        <HeadRow inspection=inspection.clone() looking=looking />
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                    <tfoot role="rowgroup">
                        <FootRow inspection=inspection.clone() practice=practice />
                    </tfoot>
                </table>
            </div>
            {empty}
            <RubricNotes inspection=inspection />
        </section>
    }
    .into_any()
}

/// Names the columns, and says which two systems are read below.
#[component]
fn HeadRow(inspection: Arc<Inspection>, looking: Looking) -> impl IntoView {
    let systems = inspection
        .systems
        .iter()
        .enumerate()
        .map(|(index, system)| {
            let name = system.name.clone();
            view! {
                <th role="columnheader" scope="col">
                    {move || match looking.side(index) {
                        Some(side) => {
                            view! {
                                <b>{name.clone()}</b>
                                <br />
                                <span class="n">{side}</span>
                            }
                                .into_any()
                        }
                        None => name.clone().into_any(),
                    }}
                </th>
            }
        })
        .collect_view();
    view! {
        <tr role="row">
            <th role="columnheader" scope="col" class="r">
                <span class="sr-only">"Number"</span>
            </th>
            <th role="columnheader" scope="col">
                "Item"
            </th>
            {systems}
        </tr>
    }
}

/// One item and what each answer got on it.
#[component]
fn ItemRow(inspection: Arc<Inspection>, item: usize, looking: Looking) -> impl IntoView {
    let cells = inspection
        .systems
        .iter()
        .enumerate()
        .map(|(index, system)| {
            let cell = match no_answer(system.state) {
                Some(words) => view! { <span class="quiet">{words}</span> }.into_any(),
                None if coverage::is_conflict(system, item) => view! {
                    <span class="mark mark--none">
                        <Pips label=None />
                        "Conflict"
                    </span>
                }
                .into_any(),
                None => view! { <MarkView mark=mark(system, item) /> }.into_any(),
            };
            view! {
                <td
                    role="cell"
                    class:second=move || looking.side(index).is_none()
                    data-label=system.name.clone()
                >
                    {cell}
                </td>
            }
        })
        .collect_view();
    let it = &inspection.items[item];
    let text = it.text.clone().unwrap_or_else(|| format!("Item {}", item + 1));
    let types = it
        .types
        .iter()
        .map(|kind| view! { <span class="type">{kind.as_str()}</span> " " })
        .collect_view();
    let weight = ((it.weight - 1.0).abs() > f64::EPSILON)
        .then(|| view! { <span class="type">{format!("weight {}", it.weight)}</span> });
    let current = move || looking.is(item);
    view! {
        <tr
            role="row"
            class:is-current=current
            aria-current=move || current().then_some("true")
        >
            <td role="cell" class="r no">
                {item + 1}
            </td>
            <th role="rowheader" scope="row" class="item">
                <button
                    type="button"
                    class="link"
                    id=format!("item-{}", item + 1)
                    aria-pressed=move || if current() { "true" } else { "false" }
                    on:click=move |_| looking.find(item)
                >
                    {text}
                </button>
                " "
                {types}
                {weight}
            </th>
            {cells}
        </tr>
    }
}

fn mark(system: &InspectedSystem, item: usize) -> Mark {
    system.marks.get(item).copied().unwrap_or(Mark::Unscored(Unscored::NotAsked))
}

/// What each answer covers of the whole checklist, with its denominator.
#[component]
fn FootRow(inspection: Arc<Inspection>, practice: bool) -> impl IntoView {
    let cells = inspection
        .systems
        .iter()
        .map(|system| {
            let cell = if let Some(words) = no_answer(system.state) {
                view! { <span class="quiet">{words}</span> }.into_any()
            } else {
                let coverage = Coverage::of(&system.marks, &inspection.items);
                view! { <Total coverage=coverage /> }.into_any()
            };
            view! {
                <td role="cell" data-label=system.name.clone()>
                    {cell}
                </td>
            }
        })
        .collect_view();
    let measure = if practice {
        "Word-overlap score of this question (practice)"
    } else {
        "Coverage of this question"
    };
    view! {
        <tr role="row">
            <td role="cell" class="no"></td>
            <th role="rowheader" scope="row">
                {measure}
            </th>
            {cells}
        </tr>
    }
}

/// A share, how many verdicts are behind it, and the range the others leave open.
#[component]
fn Total(coverage: Coverage) -> impl IntoView {
    let share = or_none(coverage.share, |it| format!("{}%", percent1(it)));
    let range = coverage.is_open().then(|| {
        let bounds = interval(coverage.low, coverage.high);
        view! {
            " "
            <span class="n">{format!("range {bounds}")}</span>
        }
    });
    view! {
        <span class="under">
            <span class="total">
                {share} " "
                <span class="n">{format!("{} of {}", coverage.scored, coverage.of)}</span>
            </span>
            {range}
        </span>
    }
}

/// How to read the table, and what missing verdicts and answers mean for its last row.
#[component]
fn RubricNotes(inspection: Arc<Inspection>) -> impl IntoView {
    let gaps = inspection
        .systems
        .iter()
        .filter(|system| system.state.is_answered())
        .filter_map(|system| {
            let coverage = Coverage::of(&system.marks, &inspection.items);
            coverage::gap(system, &coverage)
        })
        .map(|gap| view! { <p class="table-foot">{gap}</p> })
        .collect_view();
    let silent = inspection.systems.iter().any(|system| !system.state.is_answered()).then_some(
        " A system without an answer counts 0 in the figure of all asked, and not at all in that of answers only.",
    );
    view! {
        <p class="table-foot">
            "Five labels: Not at all 0, Barely 1, Moderately 2, Mostly 3, Completely 4 quarters. \
            Recommended reading; “k of n” counts the items with a verdict." {silent}
        </p>
        {gaps}
    }
}
