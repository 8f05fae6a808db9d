//! The Inspect page: one question, its answers, and every judgement on them.

pub mod answers;
pub mod battles;
mod coverage;
mod evidence;
pub mod judgement;
pub mod looking;
pub mod rubric;

use std::sync::Arc;

use leptos::ev::{self, KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use crate::edge::page;
use crate::judge::JudgeSpec;
use crate::run::Phase;
use crate::ui::format::counted;
use crate::ui::part::notice::NoticeView;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, Tone};
use crate::worker::Inspection;
use answers::AnswerSection;
use judgement::{Judge, JudgementSection};
use looking::Looking;
use rubric::RubricSection;

/// Shows the question that the address names, of the chosen run.
#[component]
pub fn InspectPage() -> impl IntoView {
    let session = expect_context::<Session>();
    let looking = Looking::new();
    // When the page is left, the number stays until the page is gone.
    let case = Memo::new(move |before: Option<&usize>| match session.route.get() {
        Route::Inspect(case) => case,
        _ => before.copied().unwrap_or(0),
    });
    let n_cases = memo(move || session.current().map_or(0, |run| run.n_cases as usize));
    let loaded = memo(move || session.inspection.get());
    Effect::new(move |before: Option<Option<String>>| {
        let run = session.run.get();
        if before.is_some_and(|before| before != run) {
            looking.reset();
        }
        run
    });
    effect(move || {
        case.track();
        looking.item.set(None);
    });
    listen_for_keys(case, n_cases);
    let chosen = memo(move || session.run.with(Option::is_some));
    view! { {move || {
        if !chosen.get() {
            return view! { <NoRun /> }.into_any();
        }
        view! {
            <Pager case=case n_cases=n_cases />
            {move || match loaded.get() {
                Load::Ready(inspection) => {
                    view! { <Question inspection=Arc::new(inspection) looking=looking /> }.into_any()
                }
                Load::Failed(notice) => {
                    view! {
                        <div class="page-head">
                            <h1>{format!("Question {}", case.get() + 1)}</h1>
                        </div>
                        <NoticeView tone=Tone::Bad notice=notice />
                    }
                        .into_any()
                }
                Load::Idle | Load::Loading => view! { <Waiting case=case /> }.into_any(),
            }}
        }
        .into_any()
    }} }
}

/// The question `step` further on, if there is one. From beyond the end one goes back to the last.
fn turned(case: usize, step: isize, n_cases: usize) -> Option<usize> {
    let to = case.checked_add_signed(step)?;
    let to = if step < 0 { to.min(n_cases.checked_sub(1)?) } else { to };
    (to < n_cases).then_some(to)
}

/// `k` goes back and `j` goes on, for as long as the page is shown.
fn listen_for_keys(case: Memo<usize>, n_cases: Memo<usize>) {
    let handle = window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        let held = event.ctrl_key() || event.meta_key() || event.alt_key();
        if held || event.default_prevented() || is_typing(&event) || page::has_open_dialog() {
            return;
        }
        let step = match event.key().as_str() {
            "j" => 1,
            "k" => -1,
            _ => return,
        };
        if let Some(to) = turned(case.get_untracked(), step, n_cases.get_untracked()) {
            page::go(&Route::Inspect(to).href());
        }
    });
    on_cleanup(move || handle.remove());
}

fn is_typing(event: &KeyboardEvent) -> bool {
    event.target().and_then(|it| it.dyn_into::<HtmlElement>().ok()).is_some_and(|it| {
        matches!(it.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || it.is_content_editable()
    })
}

/// Goes to the question before, the next one, or any.
#[component]
fn Pager(case: Memo<usize>, n_cases: Memo<usize>) -> impl IntoView {
    let place = move || match (case.get() + 1, n_cases.get()) {
        (at, of) if at <= of => format!("Question {at} of {of}"),
        // From here the field beside leads back into the run.
        (_, of) => counted(of as u64, "question in this run", "questions in this run"),
    };
    view! {
        <div class="actions pager">
            <Turn case=case n_cases=n_cases step=-1 rel="prev" words="← Previous" key="k" />
            <Turn case=case n_cases=n_cases step=1 rel="next" words="Next →" key="j" />
            <span class="quiet small">{place}</span>
            <Jump n_cases=n_cases />
        </div>
    }
}

/// A link to a neighbour. At either end of the run it leads nowhere and says so.
#[component]
fn Turn(
    case: Memo<usize>,
    n_cases: Memo<usize>,
    step: isize,
    rel: &'static str,
    words: &'static str,
    key: &'static str,
) -> impl IntoView {
    let to = move || turned(case.get(), step, n_cases.get());
    view! {
        <a
            class="btn btn--small"
            role="link"
            rel=rel
            href=move || to().map(|it| Route::Inspect(it).href())
            aria-disabled=move || to().is_none().then_some("true")
            aria-keyshortcuts=key
        >
            {words}
            " "
            <kbd>{key}</kbd>
        </a>
    }
}

/// Goes to a question by its number.
#[component]
fn Jump(n_cases: Memo<usize>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let wrong = RwSignal::new(false);
    let go = move |event: SubmitEvent| {
        event.prevent_default();
        let number = text.get_untracked().trim().parse::<usize>().ok();
        match number.filter(|it| (1..=n_cases.get_untracked()).contains(it)) {
            Some(number) => {
                wrong.set(false);
                text.set(String::new());
                page::go(&Route::Inspect(number - 1).href());
            }
            None => wrong.set(true),
        }
    };
    view! {
        <form class="field field--inline jump" novalidate=true on:submit=go>
            <label for="jump">"Question number"</label>
            <input
                id="jump"
                type="number"
                min="1"
                max=move || n_cases.get().to_string()
                autocomplete="off"
                aria-describedby="jump-error"
                aria-invalid=move || wrong.get().then_some("true")
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            />
            <button class="btn btn--small" type="submit">
                "Go"
            </button>
            <span class="error" id="jump-error" hidden=move || !wrong.get()>
                {move || format!("a number from 1 to {}.", n_cases.get())}
            </span>
        </form>
    }
}

/// One question from its words to the replies about it.
#[component]
fn Question(inspection: Arc<Inspection>, looking: Looking) -> impl IntoView {
    let session = expect_context::<Session>();
    let run = untrack(|| session.current());
    let practice = run.as_ref().is_some_and(|it| it.judge.practice);
    let judge = Judge {
        asked: run.as_ref().is_some_and(|it| matches!(it.settings.judge, JudgeSpec::Endpoint(_))),
        name: run.map(|it| it.judge.name).unwrap_or_default(),
    };
    view! {
        <QuestionHead inspection=inspection.clone() />
        <Standing practice=practice />
        <RubricSection inspection=inspection.clone() looking=looking practice=practice />
        <AnswerSection inspection=inspection.clone() looking=looking practice=practice />
        <JudgementSection inspection=inspection.clone() looking=looking judge=judge.clone() />
        <battles::BattleSection inspection=inspection judge=judge />
    }
    .into_any()
}

/// The question as it was asked, and where it comes from.
#[component]
fn QuestionHead(inspection: Arc<Inspection>) -> impl IntoView {
    let meta = meta(&inspection);
    let head = match inspection.query.clone() {
        Some(query) => view! { <h1 class="question">{query}</h1> }.into_any(),
        None => view! {
            <h1 class="question">
                <code>{inspection.id.clone()}</code>
            </h1>
            <p>"The text of this question is not in this run file."</p>
        }
        .into_any(),
    };
    view! {
        <div class="page-head">
            {head} <p class="small meta">{meta} " · " <code>{inspection.id.clone()}</code></p>
        </div>
    }
}

/// Domain, field, date and size, as far as they are known.
fn meta(inspection: &Inspection) -> String {
    let items = counted(inspection.items.len() as u64, "rubric item", "rubric items");
    let date = inspection.date.as_ref().map(|it| format!("asked as of {it}"));
    [Some(inspection.domain.clone()), Some(inspection.field.clone()), date, Some(items)]
        .into_iter()
        .flatten()
        .filter(|it| !it.trim().is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// Says where verdicts are not yet, or not at all, what they seem.
#[component]
fn Standing(practice: bool) -> impl IntoView {
    let session = expect_context::<Session>();
    let phase = memo(move || session.current().map(|run| run.phase()));
    let interim = move || {
        let words = match phase.get()? {
            Phase::Running => "The run is going on: what has come back is shown as it comes.",
            Phase::Idle | Phase::Paused | Phase::Stopped => {
                "The run is not complete: what was not asked yet has no verdict."
            }
            Phase::Done | Phase::DoneWithFailures => return None,
        };
        Some(view! {
            <div class="notice notice--slim">
                <p>
                    <strong>"Interim."</strong>
                    " "
                    {words}
                </p>
            </div>
        })
    };
    let practice = practice.then(|| {
        view! {
            <div class="notice notice--warn notice--slim">
                <p>
                    <strong>"Practice."</strong>
                    " These marks count shared words. They show how the page works and say nothing about the systems."
                </p>
            </div>
        }
    });
    view! { <div class="stack standing">{practice} {interim}</div> }
}

/// Stands where no run is chosen.
#[component]
fn NoRun() -> impl IntoView {
    let session = expect_context::<Session>();
    let reading = memo(move || session.workspace.with(|it| matches!(it, Load::Loading)));
    view! {
        <div class="page-head">
            <h1>"Inspect"</h1>
        </div>
        {move || {
            if reading.get() {
                return view! { <p class="quiet">"Reading what the last visit left."</p> }.into_any();
            }
            view! {
                <div class="empty">
                    <h2>"No run yet"</h2>
                    <p>
                        "There are no judgements to inspect. Try the sample, bring your own files, or reopen a run file."
                    </p>
                    <div class="actions">
                        <a class="btn btn--main" href=Route::Start.href()>
                            "Go to the start"
                        </a>
                        <a class="btn" href=Route::Report.href()>
                            "Reopen a run file"
                        </a>
                    </div>
                </div>
            }
                .into_any()
        }}
    }
}

/// Holds the place of a question that is being read.
#[component]
fn Waiting(case: Memo<usize>) -> impl IntoView {
    let row = || {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">
                    <span class="w3"></span>
                    <span class="sr-only">"loading"</span>
                </th>
                <td role="cell">
                    <span class="w2"></span>
                </td>
            </tr>
        }
    };
    view! {
        <div class="page-head">
            <h1>{move || format!("Question {}", case.get() + 1)}</h1>
        </div>
        <table
            class="table loading"
            role="table"
            aria-label="Rubric items, being read"
            aria-busy="true"
        >
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">
                        "Item"
                    </th>
                    <th role="columnheader" scope="col">
                        "Label"
                    </th>
                </tr>
            </thead>
            <tbody role="rowgroup">{row()} {row()} {row()}</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_turn_within_the_run() {
        assert_eq!(turned(0, -1, 3), None);
        assert_eq!(turned(0, 1, 3), Some(1));
        assert_eq!(turned(2, 1, 3), None);
        assert_eq!(turned(9, -1, 3), Some(2), "back from a number past the end");
        assert_eq!(turned(9, 1, 3), None);
        assert_eq!(turned(0, 1, 0), None);
    }
}
