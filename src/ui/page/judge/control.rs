//! The buttons that start, hold and end a run.

use leptos::prelude::*;

use crate::edge::page;
use crate::run::{Phase, Wish};
use crate::ui::command::Command;
use crate::ui::draft::{Draft, JudgeKind};
use crate::ui::react::memo;
use crate::ui::session::Session;

use super::shown::{Asked, Shown};

/// All six, each usable only where it would do something.
#[component]
pub fn Controls(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let free =
        Signal::derive(move || session.active.with(Option::is_none) && !shown.elsewhere.get());
    let ready = Signal::derive(move || {
        session
            .workspace
            .with(|it| it.ready().is_some_and(|it| it.dataset.is_some() && !it.systems.is_empty()))
    });
    let can_start = Signal::derive(move || {
        free.get() && (ready.get() || shown.alone.with(Option::is_some)) && !shown.is_exhausted()
    });
    let phase = memo(move || shown.is_active().then(|| shown.phase()));
    let can_retry = Signal::derive(move || {
        free.get()
            && shown.id.with(Option::is_some)
            && session.draft.with(|it| it.judge != JudgeKind::ByHand)
            && shown.progress.with(|it| 0 < it.tally.unscored())
    });
    let active = Signal::derive(move || phase.with(Option::is_some));
    let running = Signal::derive(move || phase.get() == Some(Phase::Running));
    let paused = Signal::derive(move || phase.get() == Some(Phase::Paused));
    let wish = move |wish: Wish| {
        Callback::new(move |()| {
            if let Some(run) = shown.id.get_untracked() {
                session.send(Command::Hand { run, wish });
            }
        })
    };
    let asked: Asked = expect_context();
    let start = Callback::new(move |()| match session.draft.with_untracked(Draft::settings) {
        Ok(settings) => {
            asked.press(Some(settings));
            session.send(Command::Start);
        }
        Err(_) => show_fault(),
    });
    let retry = Callback::new(move |()| {
        asked.press(None);
        session.send(Command::RetryFailed);
    });
    view! {
        <div class="actions">
            <Control name="Start run" class="btn btn--main" enabled=can_start press=start />
            <Control name="Pause" enabled=running press=wish(Wish::Pause) />
            <Control name="Resume" enabled=paused press=wish(Wish::Run) />
            <Control name="Stop" enabled=active press=wish(Wish::Stop) />
            <Control
                name="Cancel"
                class="btn btn--danger"
                enabled=active
                press=wish(Wish::Cancel)
            />
            <Control name="Retry failed" enabled=can_retry press=retry />
        </div>
        <p class="help" hidden=move || !running.get() && !paused.get()>
            {move || ending(shown.progress.with(|it| it.in_flight))}
        </p>
    }
}

/// Goes to the first field that is not usable: it says itself what it needs.
fn show_fault() {
    const FAULT: &str = "form [aria-invalid=true]:not(#judge-key)";
    let folded = page::document()
        .and_then(|it| it.query_selector("details:has([aria-invalid=true])").ok().flatten());
    if let Some(folded) = folded {
        // What is folded away takes no focus.
        folded.set_attribute("open", "").ok();
    }
    page::focus(FAULT);
}

/// The difference between the two ways to end.
fn ending(in_flight: u64) -> String {
    match in_flight {
        0 => "Stop lets calls in flight finish. Cancel drops them.".to_owned(),
        1 => "Stop lets the call in flight finish. Cancel drops it.".to_owned(),
        n => format!("Stop lets the {n} calls in flight finish. Cancel drops them."),
    }
}

/// One button. Its name is public.
#[component]
fn Control(
    name: &'static str,
    #[prop(default = "btn")] class: &'static str,
    enabled: Signal<bool>,
    press: Callback<()>,
) -> impl IntoView {
    view! {
        <button
            class=class
            type="button"
            disabled=move || !enabled.get()
            on:click=move |_| press.run(())
        >
            {name}
        </button>
    }
}
