//! The Compare page: two runs side by side, and a bridge from one judge to another.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::draft::Draft;
use crate::ui::part::blocks::AsideView;
use crate::ui::part::field::{SelectField, TextField};
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Aside, Session};
use crate::worker::RunSummary;

/// Two choices, what they have in common, and the way to judge again what A judged.
#[component]
pub fn ComparePage() -> impl IntoView {
    let session = expect_context::<Session>();
    let first = RwSignal::new(session.run.get_untracked());
    let second = RwSignal::new(None::<String>);
    let any = memo(move || session.runs.with(|it| !it.is_empty()));
    // Runs go on in the background; only names and what is alike matter here.
    let listed = memo(move || {
        session.runs.with(|runs| {
            runs.iter()
                .map(|it| (it.id.clone(), it.name.clone(), it.dataset_digest))
                .collect::<Vec<_>>()
        })
    });
    let options = memo(move || {
        listed.with(|it| it.iter().map(|it| (it.0.clone(), it.1.clone())).collect::<Vec<_>>())
    });
    let others = memo(move || {
        let chosen = first.get();
        listed.with(|list| {
            let of = list.iter().find(|it| Some(&it.0) == chosen.as_ref()).map(|it| it.2);
            list.iter()
                .filter(|it| Some(it.2) == of && Some(&it.0) != chosen.as_ref())
                .map(|it| (it.0.clone(), it.1.clone()))
                .collect::<Vec<_>>()
        })
    });
    let shown = memo(move || {
        let second = second.get();
        others.with(|others| {
            let known = others.iter().find(|it| Some(&it.0) == second.as_ref());
            known.or_else(|| others.first()).map(|it| it.0.clone())
        })
    });
    let pair = memo(move || Some(Aside::Compare { a: first.get()?, b: shown.get()? }));
    effect(move || {
        if session.runs.with(|it| !it.is_empty()) && first.with(Option::is_none) {
            first.set(session.runs.with(|it| it.first().map(|it| it.id.clone())));
        }
    });
    effect(move || {
        session.reading.track();
        session.news.track();
        if let Some(aside) = pair.get() {
            session.send(Command::Ask(aside));
        }
    });
    let alone = memo(move || first.with(Option::is_some) && others.with(Vec::is_empty));
    view! {
        <div class="page-head">
            <h1>"Compare runs"</h1>
            <p>"How far two judges, or two prompts, agree on the very same answers."</p>
        </div>
        <Show
            when=move || any.get()
            fallback=|| {
                view! {
                    <div class="empty">
                        <p>"No runs yet. Judge something first, or reopen a run file on the Report page."</p>
                    </div>
                }
            }
        >
            <section class="section" aria-labelledby="compare-two">
                <h2 id="compare-two">"Two runs"</h2>
                <div class="stack">
                    <div class="fields fields--wide">
                        <SelectField
                            id="compare-a"
                            label="Run A"
                            options=options
                            value=Signal::derive(move || first.get().unwrap_or_default())
                            on_change=Callback::new(move |id| first.set(Some(id)))
                        />
                        <SelectField
                            id="compare-b"
                            label="Run B"
                            options=others
                            value=Signal::derive(move || shown.get().unwrap_or_default())
                            help=Signal::stored("Runs on the same benchmark as A.".to_owned())
                            on_change=Callback::new(move |id| second.set(Some(id)))
                        />
                    </div>
                    <p class="help" hidden=move || !alone.get()>
                        "There is no other run on this benchmark yet. A bridge makes one."
                    </p>
                    <AsideView aside=pair />
                </div>
            </section>
            <Panel first=first />
            <Bridge from=first second=second />
        </Show>
    }
    .into_any()
}

/// Several judges over the same questions: how far each two agree, and what they say together.
#[component]
fn Panel(first: RwSignal<Option<String>>) -> impl IntoView {
    let session = expect_context::<Session>();
    let left_out = RwSignal::new(Vec::<String>::new());
    // Runs on the benchmark of A that another judge made, one a judge.
    let judges = memo(move || {
        let chosen = first.get();
        session.runs.with(|runs| {
            let of = runs.iter().find(|it| Some(&it.id) == chosen.as_ref());
            let mut list: Vec<(String, String)> = Vec::new();
            for run in runs {
                let fits = of.is_some_and(|of| of.dataset_digest == run.dataset_digest)
                    && run.settings.coverage;
                if fits {
                    list.push((run.id.clone(), run.name.clone()));
                }
            }
            list
        })
    });
    let several = memo(move || judges.with(|it| 1 < it.len()));
    let aside = memo(move || {
        let chosen = judges.with(|judges| {
            left_out.with(|out| {
                let ids = judges.iter().map(|it| it.0.clone());
                ids.filter(|it| !out.contains(it)).collect::<Vec<_>>()
            })
        });
        (1 < chosen.len()).then_some(Aside::Panel(chosen))
    });
    effect(move || {
        session.reading.track();
        session.news.track();
        if let Some(aside) = aside.get() {
            session.send(Command::Ask(aside));
        }
    });
    let boxes = move || {
        judges
            .get()
            .into_iter()
            .map(|(id, name)| {
                let mine = id.clone();
                let on = move || left_out.with(|it| !it.contains(&mine));
                let toggle = move |_| {
                    left_out.update(|it| match it.iter().position(|it| *it == id) {
                        Some(at) => drop(it.remove(at)),
                        None => it.push(id.clone()),
                    });
                };
                view! {
                    <label class="check check--inline">
                        <input type="checkbox" prop:checked=on on:change=toggle />
                        " "
                        {name}
                    </label>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    view! {
        <Show when=move || several.get()>
            <section class="section" aria-labelledby="compare-panel">
                <h2 id="compare-panel">"A panel of judges"</h2>
                <div class="stack">
                    <p class="help">
                        "Runs on the benchmark of A, one a judge. “Several judges” on the Judge page makes more."
                    </p>
                    <fieldset class="labels">
                        <legend>"Judges"</legend>
                        {boxes}
                    </fieldset>
                    <div data-testid="panel">
                        <AsideView aside=aside />
                    </div>
                </div>
            </section>
        </Show>
    }
}

/// Judges a sample of A again, by the judge that the Judge page is set to.
#[component]
fn Bridge(from: RwSignal<Option<String>>, second: RwSignal<Option<String>>) -> impl IntoView {
    let session = expect_context::<Session>();
    let sample = RwSignal::new("20".to_owned());
    let wanted = memo(move || sample.with(|it| it.trim().parse::<u32>().ok().filter(|it| 0 < *it)));
    let error = Signal::derive(move || {
        wanted.get().is_none().then(|| "Needed: a whole number from 1 up".to_owned())
    });
    let judge = memo(move || {
        let settings = session.draft.with(Draft::settings).ok()?;
        Some(settings.judge.stamp().name)
    });
    let run = memo(move || {
        let id = from.get()?;
        session.runs.with(|runs| runs.iter().find(|it| it.id == id).map(brief))
    });
    let can = memo(move || {
        let readable = run.with(|it| it.as_ref().is_some_and(|(_, has_texts)| *has_texts));
        readable
            && wanted.get().is_some()
            && judge.with(Option::is_some)
            && session.active.with(Option::is_none)
    });
    let press = move |_| {
        if let Some((from, sample)) = from.get_untracked().zip(wanted.get_untracked()) {
            second.set(None);
            session.send(Command::Bridge { from, sample });
        }
    };
    view! {
        <section class="section" aria-labelledby="compare-bridge">
            <h2 id="compare-bridge">"Bridge to another judge"</h2>
            <div class="stack">
                <p>
                    "Judges a sample of what A judged once more, by the judge that the "
                    <a href=Route::Judge.href()>"Judge page"</a>
                    " is set to: "
                    <strong>{move || judge.get().unwrap_or_else(|| "not ready yet".to_owned())}</strong>
                    ". The two runs then stand side by side above: how far the new judge lies from the old one, and how far their labels agree."
                </p>
                <div class="fields">
                    <TextField
                        id="compare-sample"
                        label="Queries to judge again"
                        kind="number"
                        value=sample
                        error=error
                        help=Signal::stored("A seeded sample; a larger one holds the smaller.".to_owned())
                        on_input=Callback::new(move |text| sample.set(text))
                    />
                </div>
                <p class="help" hidden=move || run.with(|it| it.as_ref().is_none_or(|it| it.1))>
                    "The texts of this run are not here. Open the dataset and answer files, or a run file with texts."
                </p>
                <div class="actions">
                    <button class="btn" type="button" disabled=move || !can.get() on:click=press>
                        "Judge the sample again"
                    </button>
                </div>
            </div>
        </section>
    }
}

fn brief(run: &RunSummary) -> (String, bool) {
    (run.id.clone(), run.has_texts)
}
