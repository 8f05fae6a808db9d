//! The run: its state, its progress, what was asked, and what went wrong.

use leptos::prelude::*;

use crate::run::driver::{Failures, Halt};
use crate::run::{Phase, Progress};
use crate::ui::draft::Draft;
use crate::ui::format::{counted, duration};
use crate::ui::part::number::Count;
use crate::ui::session::Session;

use super::control::Controls;
use super::ledger::Ledger;
use super::shown::{Shown, seconds_left};

/// Everything about the run that the fields name.
#[component]
pub fn RunSection(shown: Shown) -> impl IntoView {
    let tally = Signal::derive(move || shown.progress.with(|it| it.tally));
    let total = Signal::derive(move || match shown.progress.with(|it| it.planned) {
        0 => "verdicts so far".to_owned(),
        planned => format!("verdicts so far, of {planned}"),
    });
    view! {
        <section aria-labelledby="judge-run" class="stack">
            <h2 id="judge-run">"Run"</h2>
            <Standing shown=shown />
            <OtherRun shown=shown />
            <Controls shown=shown />
            <Halted shown=shown />
            <Ledger
                tally=tally
                total=total
                label="What was asked, in verdicts"
                testid="run-ledger"
            />
            <FailureList shown=shown />
        </section>
    }
}

/// State, bar, calls and rate.
#[component]
fn Standing(shown: Shown) -> impl IntoView {
    let phase = Memo::new(move |_| shown.phase().as_str());
    let left = move || {
        shown.progress.with(seconds_left).map(|seconds| format!("about {} left", duration(seconds)))
    };
    let rate = move || {
        let progress = shown.progress.get();
        progress
            .per_minute
            .filter(|_| progress.phase == Phase::Running)
            .map(|rate| format!("{rate:.0} a minute"))
    };
    let done = Memo::new(move |_| shown.progress.with(|it| it.calls_done));
    let attempts = Memo::new(move |_| shown.progress.with(|it| it.attempts));
    let calls = Memo::new(move |_| shown.calls());
    view! {
        <div class="run-line">
            <span
                class="state"
                role="status"
                data-state=move || phase.get()
                data-testid="run-state"
            >
                {move || phase.get()}
            </span>
            <span>{left}</span>
        </div>
        <progress
            class="progress"
            aria-label="Run progress"
            max=move || calls.get().max(1).to_string()
            prop:value=move || done.get() as f64
        ></progress>
        <div class="run-line">
            <span data-testid="run-calls">
                <strong>"calls " {move || view! { <Count n=done.get() /> }}</strong>
                " of "
                {move || view! { <Count n=calls.get() /> }}
                ", attempts "
                {move || view! { <Count n=attempts.get() /> }}
            </span>
            <span>{rate}</span>
        </div>
    }
}

/// That a run is there already, or that another one is going on.
#[component]
fn OtherRun(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let other = Memo::new(move |_| {
        let active = session.active.get()?;
        if shown.is_active() {
            return None;
        }
        session.runs.with(|runs| {
            let run = runs.iter().find(|run| run.id == active)?;
            Some((run.name.clone(), run.settings.clone()))
        })
    });
    let there =
        Memo::new(move |_| shown.is_started() && shown.progress.with(|it| !it.phase.is_active()));
    view! {
        {move || {
            other
                .get()
                .map(|(name, settings)| {
                    view! {
                        <div class="notice notice--slim">
                            <p>
                                <strong>"Another run is going on: "</strong>
                                {name}
                                ". One runs at a time."
                            </p>
                            <div class="actions">
                                <button
                                    class="btn btn--small"
                                    type="button"
                                    on:click=move |_| session.draft.set(Draft::of(&settings))
                                >
                                    "Show it"
                                </button>
                            </div>
                        </div>
                    }
                })
        }}
        <Show when=move || there.get()>
            <p class="help">
                {move || {
                    if shown.progress.with(|it| it.calls_done < it.calls) {
                        "These settings name a run that is there already: it goes on where it stopped."
                    } else {
                        "This run has asked everything. More systems, answers or queries extend it."
                    }
                }}
            </p>
        </Show>
    }
}

/// Why the run stands still before its plan is done.
#[component]
fn Halted(shown: Shown) -> impl IntoView {
    let words = Memo::new(move |_| shown.progress.with(halted));
    move || {
        words.get().map(|(what, next)| {
            view! {
                <div class="notice notice--warn notice--slim" role="status">
                    <p>
                        <strong>{what}</strong>
                        " "
                        {next}
                    </p>
                </div>
            }
        })
    }
}

/// What stopped it, and what next.
fn halted(progress: &Progress) -> Option<(String, String)> {
    if progress.phase != Phase::Stopped {
        return None;
    }
    let go_on = "“Start run” goes on where it stopped.";
    Some(match &progress.halt {
        None => ("Not finished.".to_owned(), go_on.to_owned()),
        Some(Halt::ByHand) => ("Stopped by hand.".to_owned(), go_on.to_owned()),
        Some(Halt::Cap) => (
            format!(
                "The call cap is reached: {}.",
                counted(progress.attempts, "attempt", "attempts")
            ),
            "Raise the cap and press “Start run” to go on.".to_owned(),
        ),
        Some(Halt::Wall(kind)) => (
            format!("Stopped after several calls in a row met the same wall: {}.", kind.what()),
            format!("{} {go_on}", kind.cure()),
        ),
        Some(Halt::Storage(why)) => (
            "Stopped: a judgement could not be stored.".to_owned(),
            format!("{why} Free some space; {go_on}"),
        ),
    })
}

/// Attempts that brought no reply, by what went wrong, with the other side's last words.
#[component]
fn FailureList(shown: Shown) -> impl IntoView {
    let failures = Memo::new(move |_| shown.progress.with(|it| it.failures.clone()));
    let failed = Memo::new(move |_| shown.progress.with(|it| it.tally.failed));
    move || {
        let list = failures.get();
        if list.is_empty() {
            return None;
        }
        let failed = failed.get();
        let (class, head) = match failed {
            0 => (
                "notice notice--slim",
                "Some attempts failed and were, or will be, made again. No verdict is lost."
                    .to_owned(),
            ),
            n => (
                "notice notice--bad notice--slim",
                format!("{} failed.", counted(n, "verdict", "verdicts")),
            ),
        };
        let lines = list.iter().map(failure).collect_view();
        Some(view! {
            <div class=class>
                <p>
                    <strong>{head}</strong>
                    {(0 < failed).then_some(" “Retry failed” asks these again.")}
                </p>
                <ul>{lines}</ul>
            </div>
        })
    }
}

fn failure(failure: &Failures) -> impl IntoView + use<> {
    let head = format!(
        "{}, {}.",
        sentence(failure.kind.what()),
        counted(failure.attempts, "attempt", "attempts")
    );
    let words = (!failure.detail.is_empty()).then(|| format!(" Last words: “{}”", failure.detail));
    view! {
        <li>
            <strong>{head}</strong>
            {words}
            " "
            {failure.kind.cure()}
        </li>
    }
}

/// With a capital first.
fn sentence(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::ErrorKind;

    #[test]
    fn a_halt_says_why_and_what_next() {
        let mut progress = Progress { phase: Phase::Stopped, attempts: 9, ..Progress::default() };
        assert_eq!(halted(&progress).unwrap().0, "Not finished.");
        progress.halt = Some(Halt::Cap);
        assert_eq!(halted(&progress).unwrap().0, "The call cap is reached: 9 attempts.");
        progress.halt = Some(Halt::Wall(ErrorKind::KeyRefused));
        let (what, next) = halted(&progress).unwrap();
        assert!(what.contains("the key was not accepted"), "{what}");
        assert!(next.starts_with("Check the key"), "{next}");
        progress.phase = Phase::Running;
        assert_eq!(halted(&progress), None);
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("no credit left"), "No credit left");
        assert_eq!(sentence(""), "");
    }
}
