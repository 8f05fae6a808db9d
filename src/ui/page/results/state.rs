//! What stands in the place of tables that are not there.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::part::notice::NoticeView;
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, Tone};

/// What is missing, and the button that brings it.
#[component]
pub fn Nothing() -> impl IntoView {
    let session = expect_context::<Session>();
    let missing = memo(move || {
        session.workspace.with(|it| match it.ready() {
            Some(it) if it.dataset.is_some() && !it.systems.is_empty() => {
                ("Questions and answers are here; none is judged yet.", "Go to Judge", Route::Judge)
            }
            Some(it) if it.dataset.is_some() => (
                "Questions are here. Bring the answers of at least one system.",
                "Go to Systems",
                Route::Systems,
            ),
            _ => (
                "Bring a benchmark and the answers to it, or look at the sample.",
                "Go to Data",
                Route::Data,
            ),
        })
    });
    view! {
        <section class="empty" aria-labelledby="results-none">
            <h2 id="results-none">"No results yet"</h2>
            <p>{move || missing.get().0}</p>
            <div class="actions">
                <a class="btn" href=move || missing.get().2.href()>
                    {move || missing.get().1}
                </a>
                <button
                    class="btn"
                    type="button"
                    on:click=move |_| session.send(Command::TrySample)
                >
                    "Try the sample"
                </button>
            </div>
        </section>
    }
}

/// Holds the table's place while it is computed.
#[component]
pub fn Computing() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="results-wait">
            <h2 id="results-wait">"Computing the tables"</h2>
            <table class="table loading" aria-label="Being computed" aria-busy="true">
                <thead>
                    <tr>
                        <th scope="col">"System"</th>
                        <th scope="col">"Mean %"</th>
                    </tr>
                </thead>
                <tbody>
                    <WaitingRow class="w3" />
                    <WaitingRow class="w2" />
                    <WaitingRow class="w3" />
                </tbody>
            </table>
        </section>
    }
}

/// A row of still bars.
#[component]
fn WaitingRow(class: &'static str) -> impl IntoView {
    view! {
        <tr>
            <th scope="row">
                <span class=class></span>
                <span class="sr-only">"loading"</span>
            </th>
            <td>
                <span class=class></span>
            </td>
        </tr>
    }
}

/// Why there are no tables.
#[component]
pub fn NotComputed() -> impl IntoView {
    let session = expect_context::<Session>();
    view! { {move || {
        session.tables.with(|it| match it {
            Load::Failed(notice) => {
                Some(view! { <NoticeView tone=Tone::Bad notice=notice.clone() /> })
            }
            _ => None,
        })
    }} }
}
