//! Several judges over one plan.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::draft::JudgeKind;
use crate::ui::format::counted;
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::Session;

/// Folded until somebody asks. People judge for themselves.
#[component]
pub fn PanelDetails() -> impl IntoView {
    let session = expect_context::<Session>();
    let asked = memo(move || session.draft.with(|it| it.judge != JudgeKind::ByHand));
    let ready = memo(move || session.draft.with(|it| it.settings().is_ok()));
    let several = memo(move || session.panel.judges.with(|it| 1 < it.len()));
    let free = memo(move || session.active.with(Option::is_none));
    let judges = move || {
        session
            .panel
            .judges
            .get()
            .into_iter()
            .enumerate()
            .map(|(at, it)| {
                let label = format!("Leave out {}", it.name);
                let leave = move |_| {
                    session.panel.judges.update(|it| drop(it.remove(at)));
                };
                view! {
                    <li class="actions">
                        <span>{it.name}</span>
                        <button
                            class="btn btn--small"
                            type="button"
                            aria-label=label
                            on:click=leave
                        >
                            "Leave out"
                        </button>
                    </li>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    let left = move || match session.panel.left() {
        0 => String::new(),
        n => format!("{} still to come.", counted(n as u64, "judge", "judges")),
    };
    view! {
        <Show when=move || asked.get()>
            <details>
                <summary>"Several judges"</summary>
                <div class="stack">
                    <p class="help">
                        "They judge the same plan one after the other, each as a run of its own. How far they agree: "
                        <a href=Route::Compare.href()>"Compare runs"</a> "."
                    </p>
                    <ol aria-label="Judges of the panel">{judges}</ol>
                    <div class="actions">
                        <button
                            class="btn"
                            type="button"
                            disabled=move || !ready.get()
                            on:click=move |_| session.send(Command::JoinPanel)
                        >
                            "Add this judge"
                        </button>
                        <button
                            class="btn"
                            type="button"
                            disabled=move || !(several.get() && ready.get() && free.get())
                            on:click=move |_| session.send(Command::StartPanel)
                        >
                            "Start the panel"
                        </button>
                        <span class="small" role="status">
                            {left}
                        </span>
                    </div>
                </div>
            </details>
        </Show>
    }
}
