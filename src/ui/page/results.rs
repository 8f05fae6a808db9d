//! The Results page: the finding with its doubt, then the tables it rests on.

pub mod coverage;
pub mod difference;
pub mod filter;
pub mod group;
pub mod heat;
pub mod kind;
pub mod leaderboard;
pub mod origin;
pub mod state;

use leptos::prelude::*;

use crate::report::{self, measure};
use crate::ui::command::Command;
use crate::ui::part::blocks::{AsideView, spans_view};
use crate::ui::react::{effect, memo};
use crate::ui::session::{Aside, Load, Session};

/// What stands in the place of the tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Empty,
    Loading,
    Failed,
    Ready,
}

impl Stage {
    fn of(session: &Session) -> Self {
        if session.run.with(Option::is_none) {
            let reading = session.workspace.with(|it| *it == Load::Loading);
            return if reading { Self::Loading } else { Self::Empty };
        }
        session.tables.with(|it| match it {
            Load::Ready(_) => Self::Ready,
            Load::Failed(_) => Self::Failed,
            Load::Idle | Load::Loading => Self::Loading,
        })
    }
}

/// Finding, filter, and whichever of the tables, their wait or their absence there is.
#[component]
pub fn ResultsPage() -> impl IntoView {
    let session = expect_context::<Session>();
    let stage = memo(move || Stage::of(&session));
    let chosen = memo(move || session.run.with(Option::is_some));
    let several = memo(move || session.runs.with(|it| !it.is_empty()));
    let battles = memo(move || session.ratings.battles.with(Option::is_some));
    // Battles can be looked at by domain without a run.
    let domains = memo(move || {
        session
            .ratings
            .battles
            .with(|it| it.as_ref().is_some_and(|it| !it.about.domains.is_empty()))
    });
    view! {
        <div class="page-head">
            <h1>"Results"</h1>
            <Show when=move || stage.get() == Stage::Ready>
                <Lead />
            </Show>
        </div>
        <Show when=move || chosen.get() || several.get() || domains.get()>
            <filter::Filters />
        </Show>
        {move || match stage.get() {
            Stage::Empty if battles.get() => view! { <leaderboard::LeaderboardSection /> }.into_any(),
            Stage::Empty => view! { <state::Nothing /> }.into_any(),
            Stage::Loading => view! { <state::Computing /> }.into_any(),
            Stage::Failed => view! { <FailedTables /> }.into_any(),
            Stage::Ready => view! { <Sections /> }.into_any(),
        }}
    }
    .into_any()
}

/// Ratings need no judge, so they are there also where the tables are not.
#[component]
fn FailedTables() -> impl IntoView {
    view! {
        <state::NotComputed />
        <leaderboard::LeaderboardSection />
    }
}

/// The finding, in a sentence or two.
#[component]
fn Lead() -> impl IntoView {
    let session = expect_context::<Session>();
    let spans = move || {
        session.tables.with(|it| {
            it.ready()
                .map(|tables| {
                    if coverage::all_hidden(tables) {
                        // Nothing is missing: the figures are there and out of sight.
                        let text = coverage::ALL_HIDDEN.to_owned();
                        return vec![report::Span { text, strong: false }];
                    }
                    report::headline::spans(&tables.headline)
                })
                .unwrap_or_default()
        })
    };
    view! {
        <p class="lead">
            {move || spans_view(spans())}
        </p>
    }
}

/// How steady the judge is, where something was judged twice, and whether it judges its own kin.
#[component]
fn Steadiness() -> impl IntoView {
    let session = expect_context::<Session>();
    let aside = memo(move || session.run.get().map(Aside::Repeats));
    effect(move || {
        session.news.track();
        if let Some(aside) = aside.get() {
            session.send(Command::Ask(aside));
        }
    });
    let any = memo(move || {
        let wanted = aside.get();
        session.asides.with(|list| {
            list.iter().any(|(it, found)| {
                Some(it) == wanted.as_ref() && found.ready().is_some_and(|it| !it.is_empty())
            })
        })
    });
    view! {
        <Show when=move || any.get()>
            <section class="section" aria-labelledby="results-steady">
                <h2 id="results-steady">"How steady the judge is"</h2>
                <AsideView aside=aside />
            </section>
        </Show>
    }
}

/// The tables, from the whole to its parts.
#[component]
fn Sections() -> impl IntoView {
    let session = expect_context::<Session>();
    let practice =
        memo(move || session.tables.with(|it| it.ready().is_some_and(|it| it.coverage.practice)));
    let title = Signal::derive(move || measure(practice.get()));
    view! {
        <coverage::CoverageSection title=title practice=practice />
        <difference::DifferenceSection />
        <leaderboard::LeaderboardSection />
        <heat::DomainSection />
        <group::FieldSection />
        <kind::TypeSection />
        <Steadiness />
        <origin::OriginSection />
    }
    .into_any()
}
