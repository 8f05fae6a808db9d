//! The Report page: files out, run files and judgements in.

pub mod conflicts;
pub mod exports;
pub mod import;
pub mod merge;
pub mod reopen;

use leptos::prelude::*;

use crate::edge::clock;
use crate::run::Phase;
use crate::ui::command::Command;
use crate::ui::format::moment;
use crate::ui::part::field::SelectField;
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::{Load, Session};
use crate::worker::RunSummary;
use conflicts::ConflictSection;
use exports::{BattlesSection, ExportSection};
use import::{ImportForm, ImportHow};
use merge::MergeSection;
use reopen::ReopenSection;

/// Shows what can be taken from the chosen run, and how to bring runs and judgements back.
#[component]
pub fn ReportPage() -> impl IntoView {
    let session = expect_context::<Session>();
    let chosen = memo(move || session.current().map(|run| run.id));
    view! {
        <div class="page-head">
            <h1>"Report"</h1>
            <p>
                "Every file is written here, in this page, and saved on your device. No file ever holds a key."
            </p>
            <RunField />
        </div>
        <ImportForm />
        {move || match chosen.get() {
            Some(_) => {
                view! {
                    <RunStanding />
                    <ExportSection />
                    <ConflictSection />
                }
                    .into_any()
            }
            None => {
                view! {
                    <NoRun />
                    <BattlesSection />
                }
                    .into_any()
            }
        }}
        <ReopenSection />
        <MergeSection />
        <ImportHow />
    }
    .into_any()
}

/// Chooses the run, where there are several.
#[component]
fn RunField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options = memo(move || {
        session.runs.with(|runs| {
            runs.iter()
                .map(|run| (run.id.clone(), titled(run, &clock::rfc3339(run.updated))))
                .collect::<Vec<_>>()
        })
    });
    let several = memo(move || options.with(|it| 1 < it.len()));
    view! { {move || {
        several.get().then(|| {
            view! {
                <SelectField
                    id="report-run"
                    label="Run"
                    options=options
                    value=Signal::derive(move || session.run.get().unwrap_or_default())
                    inline=true
                    on_change=Callback::new(move |run| session.send(Command::ChooseRun(run)))
                />
            }
        })
    }} }
}

/// Names of runs repeat, so the time goes with them.
fn titled(run: &RunSummary, updated: &str) -> String {
    format!("{}, {}", run.name, moment(updated))
}

/// What a reader of the files must know of this run: practice, interim, not kept.
#[component]
fn RunStanding() -> impl IntoView {
    let session = expect_context::<Session>();
    let facts = memo(move || {
        session.current().map(|run| {
            (run.judge.practice, interim(run.phase()), run.stored, run.progress.tally.unscored())
        })
    });
    view! { {move || {
        let (practice, interim, stored, unscored) = facts.get()?;
        let practice = practice.then(|| {
            view! {
                <Remark
                    tone="notice notice--warn notice--slim"
                    head="Practice."
                    words="Every file is marked: Practice scores: word overlap, not a judgement."
                        .to_owned()
                />
            }
        });
        let interim = interim.map(|words| {
            view! { <Remark tone="notice notice--slim" head="Interim." words=words.to_owned() /> }
        });
        let gaps = (0 < unscored).then(|| {
            let words = match unscored {
                1 => "1 rubric item was asked about and has no verdict. It counts as nothing, neither for nor against, and every file says so.".to_owned(),
                n => format!(
                    "{n} rubric items were asked about and have no verdict. They count as nothing, neither for nor against, and every file says how many they are.",
                ),
            };
            view! { <Remark tone="notice notice--slim" head="Gaps." words=words /> }
        });
        let lost = (!stored).then(|| {
            let words = "This browser does not store this run. Save the run file before you close the page.";
            view! {
                <Remark
                    tone="notice notice--warn notice--slim"
                    head="Not kept."
                    words=words.to_owned()
                />
            }
        });
        Some(view! { <div class="stack standing">{practice} {interim} {gaps} {lost}</div> })
    }} }
}

/// Why the figures are not final; nothing for a run that has come to its end.
fn interim(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::Running | Phase::Paused => Some(
            "The run is going on. Files hold what has come back so far, and say that they are not final.",
        ),
        Phase::Idle | Phase::Stopped => Some(
            "The run is not complete. Files hold what has come back so far, and say that they are not final.",
        ),
        Phase::Done | Phase::DoneWithFailures => None,
    }
}

/// A sentence that a reader must not miss.
#[component]
fn Remark(tone: &'static str, head: &'static str, words: String) -> impl IntoView {
    view! {
        <div class=tone>
            <p>
                <strong>{head}</strong>
                " "
                {words}
            </p>
        </div>
    }
}

/// Stands where no run is chosen.
#[component]
fn NoRun() -> impl IntoView {
    let session = expect_context::<Session>();
    let reading = memo(move || session.workspace.with(|it| matches!(it, Load::Loading)));
    view! { {move || {
        if reading.get() {
            return view! { <p class="quiet">"Reading what the last visit left."</p> }.into_any();
        }
        view! {
            <div class="empty">
                <h2>"Nothing to report yet"</h2>
                <p>
                    "There is no run to write files from. Judge some answers first, or reopen a run file below."
                </p>
                <div class="actions">
                    <a class="btn btn--main" href=Route::Start.href()>
                        "Go to the start"
                    </a>
                </div>
            </div>
        }
        .into_any()
    }} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_at_its_end_is_final() {
        for phase in [Phase::Idle, Phase::Running, Phase::Paused, Phase::Stopped] {
            assert!(interim(phase).is_some(), "{phase:?}");
        }
        assert_eq!(interim(Phase::Done), None);
        assert_eq!(interim(Phase::DoneWithFailures), None);
    }
}
