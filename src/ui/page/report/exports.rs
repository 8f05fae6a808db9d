//! The files that can be taken from a run.

use leptos::prelude::*;

use crate::ui::command::Command;
use crate::ui::part::field::{CheckField, SelectField};
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::{BattlesFormat, ExportFormat, RunSummary};

/// Offers every file with a sentence on what it is for.
#[component]
pub fn ExportSection() -> impl IntoView {
    view! {
        <RunFileSection />
        <TableSection />
        <LabelSection />
        <BattlesSection />
    }
}

/// Writes the run file, with texts or without.
#[component]
fn RunFileSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let texts = RwSignal::new(false);
    let here = memo(move || session.current().is_some_and(|run| run.has_texts));
    let goes_along = move || texts.get() && here.get();
    view! {
        <section class="section" aria-labelledby="h-file">
            <h2 id="h-file">"The whole run"</h2>
            <div class="stack">
                <CheckField
                    id="texts"
                    label="Include questions and answers"
                    checked=Signal::derive(goes_along)
                    disabled=Signal::derive(move || !here.get())
                    help="With the texts, the run can be read and continued elsewhere: on another device, in another browser. Mind who may see them: whoever gets the file can read them all."
                    on_change=Callback::new(move |on| texts.set(on))
                />
                {move || {
                    (!here.get())
                        .then(|| {
                            view! {
                                <p class="help">
                                    "The questions and answers of this run are not here, so they cannot go along."
                                </p>
                            }
                        })
                }}
                <div class="exports">
                    <Export
                        label="Run file (JSON)"
                        main=true
                        words="Settings, every reply as it came, every failure, and the tables. Reopened here, it gives the same numbers to the last digit, without a call."
                        on_press=Callback::new(move |()| {
                            session.send(Command::ExportRun { texts: untrack(goes_along) });
                        })
                    />
                </div>
            </div>
        </section>
    }
}

/// Writes the coverage table for papers, sheets and messages.
#[component]
fn TableSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let table = move |format| Callback::new(move |()| session.send(Command::ExportTable(format)));
    view! {
        <section class="section" aria-labelledby="h-tables">
            <h2 id="h-tables">"The table"</h2>
            <div class="stack">
                <TableScope />
                <div class="exports">
                    <Export
                        label="Table (CSV)"
                        words="For a spreadsheet or a script: one row a system, every figure with its n, full precision."
                        on_press=table(ExportFormat::Csv)
                    />
                    <Export
                        label="Table (Markdown)"
                        words="For a readme or an issue: rounded as on the Results page, with its notes."
                        on_press=table(ExportFormat::Markdown)
                    />
                    <Export
                        label="Table (LaTeX)"
                        words="For a paper: a booktabs table with a caption that says how it was made."
                        on_press=table(ExportFormat::Latex)
                    />
                    <Export
                        label="Summary (Markdown)"
                        words="For people in a hurry: the finding, its doubt, and where the numbers come from."
                        on_press=table(ExportFormat::Summary)
                    />
                </div>
            </div>
        </section>
    }
}

/// Says which reading and which filters the tables are written with.
#[component]
fn TableScope() -> impl IntoView {
    let session = expect_context::<Session>();
    let filters = move || {
        let notes = session.provenance().map(|it| it.notes).unwrap_or_default();
        if notes.is_empty() { "No filter is on.".to_owned() } else { notes.join(" ") }
    };
    view! {
        <p class="small quiet">
            "Reading: " <strong>{move || session.reading.get().as_str()}</strong> ". " {filters}
            " Reading and filters are chosen on the Results page and hold for the four files below. The run file always holds everything."
        </p>
    }
}

/// Writes one system's labels in the benchmark's own form.
#[component]
fn LabelSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let system = RwSignal::new(0_usize);
    let systems = memo(move || session.current().map(|run| run.systems).unwrap_or_default());
    let options = Signal::derive(move || {
        systems
            .get()
            .into_iter()
            .enumerate()
            .map(|(index, name)| (index.to_string(), name))
            .collect::<Vec<_>>()
    });
    // Another run may have fewer systems.
    let chosen = move || system.get().min(systems.with(Vec::len).saturating_sub(1));
    let refusal = memo(move || session.current().and_then(|run| refusal(&run)));
    let refused = Signal::derive(move || refusal.with(Option::is_some));
    view! {
        <section class="section" aria-labelledby="h-labels">
            <h2 id="h-labels">"The labels of one system"</h2>
            <div class="stack">
                <div class="fit">
                    <SelectField
                        id="report-system"
                        label="System"
                        options=options
                        value=Signal::derive(move || chosen().to_string())
                        disabled=refused
                        on_change=Callback::new(move |value: String| {
                            system.set(value.parse().unwrap_or(0));
                        })
                    />
                </div>
                <div class="exports">
                    <Export
                        label="Coverage (JSON)"
                        words="Labels item by item, in the form of the benchmark’s own coverage files, for its released scripts."
                        disabled=refused
                        on_press=Callback::new(move |()| {
                            session.send(Command::ExportReference { system: untrack(chosen) });
                        })
                    />
                </div>
                {move || refusal.get().map(|why| view! { <p class="small">{why}</p> })}
            </div>
        </section>
    }
}

/// Writes the battles on the Results page for other programs.
#[component]
pub fn BattlesSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let about = memo(move || {
        session
            .ratings
            .battles
            .with(|it| it.as_ref().map(|it| (it.source.clone(), it.about.run.clone())))
    });
    let any = memo(move || about.with(Option::is_some));
    let practice = Signal::derive(move || {
        about.with(|it| {
            it.as_ref().is_some_and(|(_, run)| run.as_ref().is_some_and(|it| it.practice))
        })
    });
    let rule = move || {
        about.with(|it| match it {
            Some((source, Some(run))) => {
                let words = run.deciders.iter().find(|(it, _)| *it == run.decider);
                let words = words.map(|(_, words)| words.as_str()).unwrap_or_default();
                format!("From {source}. {words}.")
            }
            Some((source, None)) => format!("From {source}."),
            None => String::new(),
        })
    };
    let export =
        move |format| Callback::new(move |()| session.send(Command::ExportBattles(format)));
    view! {
        <Show when=move || any.get()>
            <section class="section" aria-labelledby="h-battles">
                <h2 id="h-battles">"The battles"</h2>
                <div class="stack">
                    <p class="small quiet">{rule}</p>
                    <div class="exports">
                        <Export
                            label="Battles (JSON)"
                            words="Pairwise results in the benchmark’s own form, with both verdicts of the direct judge."
                            disabled=practice
                            on_press=export(BattlesFormat::Reference)
                        />
                        <Export
                            label="Battles (arena CSV)"
                            words="For arena tools: model_a, model_b, winner, one line a battle."
                            on_press=export(BattlesFormat::Arena)
                        />
                        <Export
                            label="Battles (evalica CSV)"
                            words="For evalica: left, right, winner."
                            on_press=export(BattlesFormat::Evalica)
                        />
                    </div>
                    <Show when=move || practice.get()>
                        <p class="small">
                            "Pairwise results are not available: practice counts words and judges nothing, so it is not written as a judge’s results. The two tables hold practice results; keep them apart from judged ones."
                        </p>
                    </Show>
                </div>
            </section>
        </Show>
    }
}

/// Why a run has no coverage file.
fn refusal(run: &RunSummary) -> Option<&'static str> {
    if run.judge.practice {
        Some(
            "Not available: practice scores are word overlap, not a judgement, so they are not written as judge results.",
        )
    } else if !run.has_texts {
        Some(
            "Not available: the file names each rubric item by its text, and the texts of this run are not here.",
        )
    } else {
        None
    }
}

/// A button that starts a download, and what the file is for.
#[component]
fn Export(
    /// The accessible name. Public: outside checks find the button by it.
    label: &'static str,
    words: &'static str,
    #[prop(default = false)] main: bool,
    #[prop(into, default = Signal::stored(false))] disabled: Signal<bool>,
    on_press: Callback<()>,
) -> impl IntoView {
    let id = format!("for-{}", slug(label));
    view! {
        <div>
            <button
                type="button"
                class=if main { "btn btn--main" } else { "btn" }
                aria-describedby=id.clone()
                disabled=move || disabled.get()
                on:click=move |_| on_press.run(())
            >
                {label}
            </button>
            <p class="small quiet" id=id>
                {words}
            </p>
        </div>
    }
}

/// `run-file-json` of `Run file (JSON)`.
fn slug(label: &str) -> String {
    let words = label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_make_ids() {
        assert_eq!(slug("Run file (JSON)"), "run-file-json");
        assert_eq!(slug("Table (LaTeX)"), "table-latex");
    }
}
