//! The run: its state, its progress, what was asked, and what went wrong.

use leptos::prelude::*;

use crate::edge::clock;
use crate::judge::ErrorKind;
use crate::observation::Tally;
use crate::run::driver::{Failures, Halt};
use crate::run::money::Money;
use crate::run::{Phase, Progress};
use crate::ui::command::Command;
use crate::ui::draft::{Draft, JudgeKind};
use crate::ui::format::{counted, duration, moment, usd};
use crate::ui::part::blocks::AsideView;
use crate::ui::part::number::{Count, Grouped};
use crate::ui::react::memo;
use crate::ui::session::{Aside, CopyState, Load, Session};

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
    let session = expect_context::<Session>();
    let by_hand = memo(move || session.draft.with(|it| it.judge == JudgeKind::ByHand));
    view! {
        <section aria-labelledby="judge-run" class="stack">
            <h2 id="judge-run">"Run"</h2>
            <Standing shown=shown by_hand=by_hand />
            <OtherRun shown=shown by_hand=by_hand />
            <OtherTab shown=shown />
            <Controls shown=shown />
            <Halted shown=shown by_hand=by_hand />
            <Ledger
                tally=tally
                total=total
                label="What was asked, in verdicts"
                testid="run-ledger"
            />
            <Unscored shown=shown by_hand=by_hand />
            <SpentDetails shown=shown />
            <KeepCopy shown=shown />
        </section>
    }
}

/// State, bar, calls and rate.
#[component]
fn Standing(shown: Shown, by_hand: Memo<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let phase = memo(move || shown.phase().as_str());
    let aside = memo(move || {
        if by_hand.get() {
            let is_open = session.hand.with(|it| matches!(it, Load::Ready(_)));
            let there = shown.id.with(Option::is_some);
            return there.then(|| shown.progress.with(|it| labelled(it, is_open)));
        }
        shown.progress.with(|it| {
            let left = || Some(format!("about {} left", duration(seconds_left(it)?)));
            ending(it).or_else(left)
        })
    });
    let rate = move || {
        let progress = shown.progress.get();
        progress
            .per_minute
            .filter(|_| progress.phase == Phase::Running)
            .map(|rate| format!("{rate:.0} a minute"))
    };
    let done = memo(move || shown.progress.with(|it| it.calls_done));
    let attempts = memo(move || shown.progress.with(|it| it.attempts));
    let calls = memo(move || shown.calls());
    let slowed = memo(move || {
        let wanted = session.draft.with(|it| it.concurrency.trim().parse().unwrap_or(0));
        shown.progress.with(|it| slowed(it, wanted))
    });
    let cost = memo(move || shown.progress.with(|it| it.money.as_ref().map(cost)));
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
            <span>{move || aside.get().map(|text| view! { <Grouped text=text /> })}</span>
        </div>
        <progress
            class="progress"
            aria-label="Run progress"
            max=move || calls.get().max(1).to_string()
            prop:value=move || done.get() as f64
        ></progress>
        <div class="run-line" hidden=move || by_hand.get()>
            <span data-testid="run-calls">
                <strong>"calls " {move || view! { <Count n=done.get() /> }}</strong>
                " of "
                {move || view! { <Count n=calls.get() /> }}
                ", attempts "
                {move || view! { <Count n=attempts.get() /> }}
            </span>
            <span>{rate}</span>
        </div>
        <p class="help" data-testid="run-pace" hidden=move || slowed.with(Option::is_none)>
            {move || slowed.get()}
        </p>
        <p class="help" data-testid="run-money" hidden=move || cost.with(Option::is_none)>
            {move || cost.get()}
        </p>
    }
}

/// That the host is given fewer calls at once than was asked for, or none for a while.
fn slowed(progress: &Progress, wanted: u64) -> Option<String> {
    if progress.phase != Phase::Running || progress.pace == 0 {
        return None;
    }
    let pace = counted(progress.pace, "call", "calls");
    if progress.held_until.is_some() {
        return Some(format!("The host asked to wait; then {pace} at a time."));
    }
    (progress.pace < wanted).then(|| {
        format!("{pace} at a time, because the host is busy: one more for each round it keeps up.")
    })
}

/// What is spent, and what may still come, at most.
fn cost(money: &Money) -> String {
    let spent = usd(money.spent);
    let mut parts = vec![if 0.0 < money.estimated {
        format!("Spent about {spent}, partly by our own count")
    } else {
        format!("Spent {spent}")
    }];
    if 0.0 < money.doubt {
        parts.push(format!("up to {} more where nobody counted", usd(money.doubt)));
    }
    if 0.0 < money.reserved {
        parts.push(format!("reserved {}", usd(money.reserved)));
    }
    parts.extend(money.projected.map(|it| format!("projected {}", usd(it))));
    parts.extend(money.budget.map(|it| format!("of a budget of {}", usd(it))));
    let sum = parts.join(", ");
    if money.uncounted == 0 {
        return format!("{sum}.");
    }
    let calls = counted(money.uncounted, "call", "calls");
    format!("{sum}. The provider did not count {calls}: not in this sum.")
}

/// How far a person has come. A call is an item here, and nobody thinks of it as a call.
fn labelled(progress: &Progress, is_open: bool) -> String {
    let (done, all) = (progress.calls_done, progress.calls);
    let next = if is_open && done < all { " Label on above." } else { "" };
    format!("{done} of {} labelled.{next}", counted(all, "item", "items"))
}

/// What a run that is to stand still waits for.
fn ending(progress: &Progress) -> Option<String> {
    let what = match progress.phase {
        Phase::Paused => "Pausing",
        Phase::Stopped => "Stopping",
        _ => return None,
    };
    match progress.in_flight {
        0 => None,
        1 => Some(format!("{what}: 1 call in flight is finishing")),
        n => Some(format!("{what}: {n} calls in flight are finishing")),
    }
}

/// That a run is there already, or that another one is going on.
#[component]
fn OtherRun(shown: Shown, by_hand: Memo<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let other = memo(move || {
        let active = session.active.get()?;
        if shown.is_active() {
            return None;
        }
        session.runs.with(|runs| {
            let run = runs.iter().find(|run| run.id == active)?;
            Some((run.name.clone(), run.settings.clone()))
        })
    });
    let there = memo(move || {
        let is_going = shown.is_active() || shown.progress.with(|it| it.phase.is_active());
        // By hand one goes on by labelling.
        shown.is_started() && !is_going && (shown.is_complete() || !by_hand.get())
    });
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
                    if !shown.is_complete() {
                        "You began a run with these settings. “Start run” continues it."
                    } else if shown.progress.with(|it| it.calls) < shown.calls() {
                        "This run has asked everything so far. “Start run” extends it by what is new."
                    } else {
                        "This run has asked everything. More systems, answers or queries extend it."
                    }
                }}
            </p>
        </Show>
    }
}

/// That another tab drives this run, and the way to have it here.
#[component]
fn OtherTab(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let take_over = move |_| {
        if let Some(run) = shown.id.get_untracked() {
            session.send(Command::TakeOver(run));
        }
    };
    view! {
        <Show when=move || shown.elsewhere.get()>
            <div class="notice notice--slim" data-testid="run-elsewhere">
                <p>
                    <strong>"Another tab drives this run. "</strong>
                    "This one shows how far it is and can hold or end it. Taken over, it goes on here: calls in flight finish there first, and a key is needed in this tab."
                </p>
                <div class="actions">
                    <button class="btn btn--small" type="button" on:click=take_over>
                        "Take over here"
                    </button>
                </div>
            </div>
        </Show>
    }
}

/// What it cost, counted anew each time it is unfolded.
#[component]
fn SpentDetails(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let any = memo(move || shown.progress.with(|it| 0 < it.tokens_in));
    let aside = memo(move || shown.id.get().map(Aside::Spent));
    let unfold = move |_| {
        if let Some(aside) = aside.get_untracked() {
            session.send(Command::Ask(aside));
        }
    };
    view! {
        <Show when=move || any.get()>
            <details on:toggle=unfold>
                <summary>"What it cost, by system"</summary>
                <AsideView aside=aside />
            </details>
        </Show>
    }
}

/// A copy in a file beside the browser's storage, which browsers delete when they want to.
#[component]
fn KeepCopy(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let wanted = move || session.keeping.is_offered() && shown.id.with(Option::is_some);
    let copy = memo(move || {
        session.keeping.copy.get().filter(|it| shown.id.with(|id| id.as_ref() == Some(&it.run)))
    });
    let press = move |_| match (copy.with_untracked(Option::is_some), shown.id.get_untracked()) {
        (true, _) => session.send(Command::LeaveCopy),
        (false, Some(run)) => session.send(Command::KeepCopy(run)),
        (false, None) => {}
    };
    let name =
        move || copy.with(|it| if it.is_some() { "Stop copying" } else { "Keep a copy in a file" });
    view! {
        <Show when=wanted>
            <div class="actions">
                <button class="btn btn--small" type="button" on:click=press>
                    {name}
                </button>
                <span class="small quiet" role="status" data-testid="run-copy">
                    {move || copy.with(|it| it.as_ref().map_or_else(uncopied, copied))}
                </span>
            </div>
        </Show>
    }
}

fn uncopied() -> String {
    "Writes the run file now, about once a minute while the run goes on, and at its end.".to_owned()
}

fn copied(copy: &CopyState) -> String {
    match (&copy.failed, copy.written) {
        (Some(why), _) => format!("{} could not be written: {why}. It is tried again.", copy.file),
        (None, Some(at)) => format!("{}, written {}.", copy.file, moment(&clock::rfc3339(at))),
        (None, None) => format!("Writing {}.", copy.file),
    }
}

/// Why the run stands still before its plan is done.
#[component]
fn Halted(shown: Shown, by_hand: Memo<bool>) -> impl IntoView {
    let words = memo(move || if by_hand.get() { None } else { shown.progress.with(halted) });
    view! { {move || {
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
    }} }
}

/// What stopped it, and what next.
fn halted(progress: &Progress) -> Option<(String, String)> {
    if progress.phase != Phase::Stopped || 0 < progress.in_flight {
        return None;
    }
    let go_on = "“Start run” goes on where it stopped.";
    Some(match &progress.halt {
        None => ("Not finished.".to_owned(), go_on.to_owned()),
        Some(Halt::ByHand) => ("You stopped it.".to_owned(), go_on.to_owned()),
        Some(Halt::Cap) => (
            format!(
                "The call cap is reached: {}.",
                counted(progress.attempts, "attempt", "attempts")
            ),
            "Raise the cap and press “Start run” to go on.".to_owned(),
        ),
        Some(Halt::Budget) => (
            "Stopped before the budget could be passed: the next call might cost more than is left."
                .to_owned(),
            "Raise the budget and press “Start run” to go on.".to_owned(),
        ),
        Some(Halt::Wall(kind @ ErrorKind::DailyQuota)) => {
            (format!("Stopped: {}.", kind.what()), format!("{} {go_on}", kind.cure()))
        }
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

/// Verdicts that have no label, and attempts that brought no reply, with the other side's last words.
#[component]
fn Unscored(shown: Shown, by_hand: Memo<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    // Replies can be cut off only where their length was limited.
    let limited = memo(move || {
        session.draft.with(|it| it.judge == JudgeKind::Endpoint && !it.max_tokens.trim().is_empty())
    });
    let told = memo(move || {
        shown.progress.with(|it| told(it, shown.is_active(), limited.get(), by_hand.get()))
    });
    view! { {move || {
        let told = told.get()?;
        let class =
            if told.lost { "notice notice--bad notice--slim" } else { "notice notice--slim" };
        let lines = told
            .lines
            .into_iter()
            .map(|(head, rest)| view! { <li><strong>{head}</strong> " " {rest}</li> })
            .collect_view();
        Some(view! {
            <div class=class>
                <p>
                    <strong>{told.what}</strong>
                    " "
                    {told.next}
                </p>
                <ul>{lines}</ul>
            </div>
        })
    }} }
}

/// What is said of a run's gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    /// Whether verdicts are missing.
    lost: bool,
    what: String,
    next: String,
    /// What failed, and the other side's words with the cure.
    lines: Vec<(String, String)>,
}

fn told(progress: &Progress, active: bool, limited: bool, by_hand: bool) -> Option<Told> {
    let tally = &progress.tally;
    let failures = &progress.failures;
    let lost = tally.unscored();
    if lost == 0 && failures.is_empty() {
        return None;
    }
    let failed: u64 = failures.iter().map(|it| it.attempts).sum();
    let attempts = counted(failed, "attempt", "attempts");
    let over = lost == 0 && !active && progress.phase == Phase::Done;
    let (what, next) = if 0 < lost {
        let next = if by_hand { String::new() } else { again(progress, active, limited) };
        (unlabelled(tally), next)
    } else if over {
        let were = if failed == 1 { "was" } else { "were" };
        (format!("{attempts} failed on the way and {were} made again."), String::new())
    } else if active {
        (format!("{attempts} failed so far."), "They are made again by themselves.".to_owned())
    } else {
        (format!("{attempts} failed."), "“Start run” makes them again.".to_owned())
    };
    let lines = failures
        .iter()
        .map(|it| {
            // What is over needs no cure, and a wall has told its own above.
            let walled = progress.halt == Some(Halt::Wall(it.kind)) && !active;
            failure(it, !over && !walled)
        })
        .collect();
    Some(Told { lost: 0 < lost, what, next, lines })
}

/// `20 verdicts have no label: 8 truncated, 4 refused, 8 failed.`
fn unlabelled(tally: &Tally) -> String {
    let parts = [
        (tally.unparsed, "unparsed"),
        (tally.truncated, "truncated"),
        (tally.refused, "refused"),
        (tally.failed, "failed"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|it| 0 < it.0).map(|(n, word)| format!("{n} {word}")).collect();
    let all = counted(tally.unscored(), "verdict has", "verdicts have");
    format!("{all} no label: {}.", parts.join(", "))
}

/// How verdicts without a label are asked for again, and what to change before.
fn again(progress: &Progress, active: bool, limited: bool) -> String {
    let what = if progress.tally.unscored() == 1 { "for it again" } else { "all of these again" };
    let mut words = if active {
        format!("Once the run has ended, “Retry failed” asks {what}.")
    } else {
        format!("“Retry failed” asks {what}.")
    };
    if 0 < progress.tally.truncated && limited {
        // Truncated is also what the server never saw as a whole, and that has another cure.
        let input_cut = progress.failures.iter().any(|it| it.kind == ErrorKind::InputCut);
        words.push_str(if input_cut {
            " Where replies were cut off, raise “Reply tokens” first: that makes a new judge."
        } else {
            " Raise “Reply tokens” first: that makes a new judge."
        });
    }
    words
}

/// What failed and how often; then the other side's last words and, where wanted, the cure.
fn failure(failure: &Failures, with_cure: bool) -> (String, String) {
    let cancelled = failure.kind == ErrorKind::Cancelled;
    let what = if cancelled { "cancelled by you" } else { failure.kind.what() };
    let head = format!("{}, {}.", sentence(what), counted(failure.attempts, "attempt", "attempts"));
    let mut rest = Vec::new();
    let words = failure.detail.trim();
    if !cancelled && !words.is_empty() {
        let stop = if words.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        rest.push(format!("Last words: “{words}”{stop}"));
    }
    if !cancelled && with_cure {
        rest.push(failure.kind.cure().to_owned());
    }
    (head, rest.join(" "))
}

/// With a capital first.
fn sentence(clause: &str) -> String {
    let mut chars = clause.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_told_with_what_is_not_certain() {
        let mut money = Money { spent: 1.25, projected: Some(5.0), ..Money::default() };
        assert_eq!(cost(&money), "Spent $1.25, projected $5.00.");
        (money.estimated, money.doubt, money.reserved) = (0.5, 0.0042, 0.25);
        (money.projected, money.budget) = (None, Some(6.0));
        assert_eq!(
            cost(&money),
            "Spent about $1.25, partly by our own count, up to $0.0042 more where nobody counted, reserved $0.25, of a budget of $6.00."
        );
    }

    #[test]
    fn a_slower_pace_is_told_while_it_runs() {
        let mut progress = Progress { phase: Phase::Running, pace: 8, ..Progress::default() };
        assert_eq!(slowed(&progress, 8), None);
        progress.pace = 4;
        assert!(slowed(&progress, 8).is_some_and(|it| it.starts_with("4 calls at a time")));
        progress.phase = Phase::Paused;
        assert_eq!(slowed(&progress, 8), None);
    }

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
    fn a_run_that_is_ending_says_what_it_waits_for() {
        let mut progress = Progress { phase: Phase::Stopped, in_flight: 2, ..Progress::default() };
        assert_eq!(ending(&progress).unwrap(), "Stopping: 2 calls in flight are finishing");
        assert_eq!(halted(&progress), None);
        progress.phase = Phase::Running;
        assert_eq!(ending(&progress), None);
        let by_hand = Progress { calls: 15, calls_done: 4, ..Progress::default() };
        assert_eq!(labelled(&by_hand, true), "4 of 15 items labelled. Label on above.");
    }

    #[test]
    fn gaps_are_told_by_what_they_are() {
        let failed = |kind, detail: &str| Failures { kind, attempts: 3, detail: detail.to_owned() };
        let mut progress = Progress {
            phase: Phase::DoneWithFailures,
            tally: Tally { scored: 9, truncated: 8, refused: 4, failed: 8, ..Tally::default() },
            failures: vec![
                failed(ErrorKind::Overloaded, "full"),
                failed(ErrorKind::Cancelled, "cancelled while waiting"),
            ],
            ..Progress::default()
        };
        let all = told(&progress, false, true, false).unwrap();
        assert_eq!(all.what, "20 verdicts have no label: 8 truncated, 4 refused, 8 failed.");
        assert!(all.next.ends_with("“Reply tokens” first: that makes a new judge."), "{all:?}");
        assert!(all.lines[0].1.starts_with("Last words: “full”. Try again"), "{all:?}");
        assert_eq!(all.lines[1], ("Cancelled by you, 3 attempts.".to_owned(), String::new()));

        progress.phase = Phase::Done;
        progress.tally = Tally { scored: 29, ..Tally::default() };
        let over = told(&progress, false, true, false).unwrap();
        assert_eq!(over.what, "6 attempts failed on the way and were made again.");
        assert_eq!(over.lines[0].1, "Last words: “full”.");

        progress.failures.clear();
        assert_eq!(told(&progress, false, true, false), None);
    }

    #[test]
    fn a_clause_becomes_a_sentence() {
        assert_eq!(sentence("no credit left"), "No credit left");
        assert_eq!(sentence(""), "");
    }
}
