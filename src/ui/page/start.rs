//! The first screen: what this is, a specimen, and three ways in.

use leptos::prelude::*;

use crate::edge::clock;
use crate::observation::Mark;
use crate::report::number;
use crate::rubric::Label;
use crate::ui::command::Command;
use crate::ui::draft::Draft;
use crate::ui::format::moment;
use crate::ui::part::mark::MarkView;
use crate::ui::part::number::Count;
use crate::ui::part::plot::{Axis, Plot, Scale};
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::Session;
use crate::worker::RunSummary;

/// Where the test questions of ResearchQA are published.
const RESEARCHQA: &str = "https://huggingface.co/datasets/realliyifei/ResearchQA";

#[component]
pub fn StartPage() -> impl IntoView {
    view! {
        <div class="first">
            <div>
                <h1>"How much of an expert’s checklist does each answer cover?"</h1>
                <p class="lead">
                    "Load research questions, bring the answers of AI systems, and have each answer judged point by point. Viva shows what was covered, how sure one can be, and what earned each mark."
                </p>
                <p class="lead">
                    <strong>"Coverage is not correctness."</strong>
                    " An answer can touch every point and still be wrong."
                </p>
                <TrySample />
            </div>
            <Specimen />
        </div>
        <div class="ways">
            <FromResearchQa />
            <FromFiles />
            <LastRun />
        </div>
    }
    .into_any()
}

/// The one button of the first screen, and what it will not do.
#[component]
fn TrySample() -> impl IntoView {
    let session = expect_context::<Session>();
    let busy = move || session.busy.with(Option::is_some);
    let replaces = move || {
        session.workspace.with(|it| {
            it.ready()
                .is_some_and(|it| !it.is_sample && (it.dataset.is_some() || !it.systems.is_empty()))
        })
    };
    view! {
        <div class="go">
            <button
                class="btn btn--main btn--big"
                type="button"
                disabled=busy
                on:click=move |_| session.send(Command::TrySample)
            >
                {move || if busy() { "Reading…" } else { "Try the sample" }}
            </button>
            <p>
                "21 questions, 5 invented systems. No key, and nothing leaves this device. The scores are practice scores: they count shared words and judge nothing."
            </p>
            <p hidden=move || !replaces()>
                "The sample takes the place of the questions and answers loaded now. Runs are kept."
            </p>
        </div>
    }
}

/// One answer and three points, so that the idea is seen before it is explained.
#[component]
fn Specimen() -> impl IntoView {
    view! {
        <figure class="specimen" aria-labelledby="spec-cap">
            <p class="q">"Does vitamin D lower fracture risk in older adults who live at home?"</p>
            <div class="answer__text">
                <p>
                    <EvidenceNumber n=1 />
                    <mark class="ev">
                        "The largest trial, VITAL, found no difference in total fractures (hazard ratio 0.98, 95% CI 0.89 to 1.08)."
                    </mark>
                    " Earlier benefit came mostly from vitamin D with calcium "
                    <EvidenceNumber n=2 />
                    <mark class="ev">
                        "in residents of care homes, who were frail and had low intake."
                    </mark>
                </p>
            </div>
            <ol class="checklist">
                <Point n=1 text="Names the VITAL trial and its result" label=Label::Completely />
                <Point
                    n=2
                    text="Separates people at home from people in care homes"
                    label=Label::Mostly
                />
                <Point n=3 text="Says what this means for guidelines" label=Label::Barely />
            </ol>
            <figcaption id="spec-cap">
                "One answer, three points of its checklist. Marked: the words that earned the mark. Coverage of these three points: 8 of 12 quarters, "
                <span class="num">"66.7%"</span> "."
            </figcaption>
            <Means />
            <p class="mini-cap">
                "The same over 21 questions: a mean, and how far it may be off. The figures are made up."
            </p>
        </figure>
    }
}

#[component]
fn EvidenceNumber(n: u8) -> impl IntoView {
    view! {
        <span class="ev-no">
            <span class="sr-only">"Checklist point "</span>
            {n}
        </span>
    }
}

#[component]
fn Point(n: u8, text: &'static str, label: Label) -> impl IntoView {
    view! {
        <li>
            <span class="n">{n}</span>
            <span>{text}</span>
            <MarkView mark=Mark::Scored(label) />
        </li>
    }
}

/// Three means with their intervals, as an image with its numbers in words.
#[component]
fn Means() -> impl IntoView {
    let means =
        [("Alder", 0.64, 0.58, 0.70), ("Birch", 0.61, 0.55, 0.67), ("Cedar", 0.43, 0.36, 0.50)];
    let scale = Scale::over(means.iter().flat_map(|it| [it.2, it.3]));
    let axis = scale.clone();
    let rows = means.into_iter().map(|(name, mean, low, high)| {
        let range = format!("{:.0}–{:.0}", low * 100.0, high * 100.0);
        view! {
            <div aria-hidden="true">
                <span>{name}</span>
                <Plot
                    scale=scale.clone()
                    value=Some(mean)
                    low=Some(low)
                    high=Some(high)
                    label=String::new()
                />
                <span>{format!("{:.0}% ", mean * 100.0)} <span class="n">{range}</span></span>
            </div>
        }
    });
    view! {
        <div
            class="mini"
            role="img"
            aria-label="Example: coverage of three systems over 21 questions. Alder 64, interval 58 to 70. Birch 61, 55 to 67. Cedar 43, 36 to 50."
        >
            {rows.collect_view()}
            <div aria-hidden="true">
                <span></span>
                <Axis scale=axis label=|it| format!("{}%", number::fixed(it * 100.0, 0)) />
                <span></span>
            </div>
        </div>
    }
}

#[component]
fn FromResearchQa() -> impl IntoView {
    view! {
        <div>
            <h2>"Start from ResearchQA"</h2>
            <p>
                "21,414 questions in 75 fields, 3,750 of them the test, with checklists drawn from survey articles. Loaded once from the "
                <a href=RESEARCHQA rel="noreferrer noopener">
                    "Hugging Face Hub"
                </a> " and kept on this device."
            </p>
            <p>
                <a href="#/data">"Load it from the Hub"</a>
            </p>
        </div>
    }
}

#[component]
fn FromFiles() -> impl IntoView {
    view! {
        <div>
            <h2>"Start from your own files"</h2>
            <p>
                "Questions with checklists as JSON or JSONL, answers as JSON, JSONL or CSV. Drop them anywhere on this page. Files are read on this device."
            </p>
            <p>
                <a href="#/data">"Open files"</a>
                ", or "
                <a href="#/report">"reopen a run file"</a>
            </p>
        </div>
    }
}

/// The newest run, or where runs will appear.
#[component]
fn LastRun() -> impl IntoView {
    let session = expect_context::<Session>();
    let newest = memo(move || session.runs.with(|runs| runs.first().cloned()));
    view! {
        <div>
            <h2>"Continue your last run"</h2>
            {move || match newest.get() {
                Some(run) => view! { <RunLink run=run /> }.into_any(),
                None => view! { <p>"Your runs appear here."</p> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn RunLink(run: RunSummary) -> impl IntoView {
    let session = expect_context::<Session>();
    let (done, all) = (run.progress.calls_done, run.progress.calls);
    let (to, words) = if done < all && run.has_texts {
        (Route::Judge, "Go on with this run")
    } else {
        (Route::Results, "See its results")
    };
    let practice = if run.judge.practice { " Practice scores." } else { "" };
    let href = to.href();
    let (id, settings) = (run.id.clone(), run.settings.clone());
    let choose = move |_| {
        // The Judge page shows the run that its fields name.
        if to == Route::Judge {
            session.draft.set(Draft::of(&settings));
        }
        session.send(Command::ChooseRun(id.clone()));
    };
    view! {
        <p>
            <strong>{run.name.clone()}</strong>
            ". "
            <Count n=done />
            " of "
            <Count n=all />
            {format!(" calls done, {}.{practice}", moment(&clock::rfc3339(run.updated)))}
        </p>
        <p>
            <a href=href on:click=choose>
                {words}
            </a>
        </p>
    }
}
