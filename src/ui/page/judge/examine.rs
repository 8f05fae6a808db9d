//! One cheap call that tells whether an endpoint answers, and what to do where it does not.

use leptos::prelude::*;

use crate::edge::page;
use crate::ui::command::Command;
use crate::ui::part::notice::NoticeView;
use crate::ui::react::memo;
use crate::ui::session::{Load, Session, Tone};
use crate::worker::Examined;

/// The button, and what was found the last time.
#[component]
pub fn Examination() -> impl IntoView {
    let session = expect_context::<Session>();
    // Not `disabled`, which would take the focus away while it asks.
    let asking = memo(move || session.diagnosis.with(|it| *it == Load::Loading));
    let ready = move || session.draft.with(|it| it.settings().is_ok());
    view! {
        <div class="actions wide">
            <button
                id="judge-try"
                class="btn btn--small"
                type="button"
                disabled=move || !ready()
                aria-disabled=move || asking.get().then_some("true")
                on:click=move |_| session.send(Command::Examine)
            >
                "Try this judge"
            </button>
            <span class="small quiet">
                "One cheap call, or a few: does it answer, and what does it take?"
            </span>
        </div>
        <div class="wide" role="status" data-testid="judge-diagnosis">
            {move || match session.diagnosis.get() {
                Load::Idle => None,
                Load::Loading => {
                    Some(view! { <p class="quiet">"Asking…"</p> }.into_any())
                }
                Load::Failed(notice) => {
                    Some(view! { <NoticeView tone=Tone::Bad notice=notice /> }.into_any())
                }
                Load::Ready(found) => Some(view! { <Found found=found /> }.into_any()),
            }}
        </div>
    }
}

/// A sentence and a next step; then the host's words, and what was learned.
#[component]
fn Found(found: Examined) -> impl IntoView {
    let session = expect_context::<Session>();
    let class =
        if found.works { "notice notice--slim" } else { "notice notice--warn notice--slim" };
    let changes: Vec<AnyView> =
        found.changes.into_iter().map(|it| view! { <li>{it}</li> }.into_any()).collect();
    let learned = found.learned;
    let take = learned.map(|learned| {
        view! {
            <button
                class="btn btn--small"
                type="button"
                on:click=move |_| session.send(Command::TakeLearned(learned))
            >
                "Use what was learned"
            </button>
        }
        .into_any()
    });
    let near: Vec<AnyView> = found
        .near
        .into_iter()
        .map(|name| {
            let shown = name.clone();
            view! {
                <button
                    class="btn btn--small"
                    type="button"
                    on:click=move |_| {
                        session.draft.update(|it| it.model.clone_from(&name));
                        // The button goes with what was found.
                        page::focus("#judge-try");
                    }
                >
                    {shown}
                </button>
            }
            .into_any()
        })
        .collect();
    view! {
        <div class=class>
            <p>
                <strong>{found.sentence}</strong>
                " "
                {found.next}
            </p>
            <p class="small">{found.beside.join(" ")}</p>
            <ul class="small">{changes}</ul>
            <div class="actions">{take} {near}</div>
        </div>
    }
}
