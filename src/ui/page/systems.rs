//! The Systems page: whose answers there are, and how they fit the questions.

use leptos::prelude::*;

use crate::dataset::JoinReport;
use crate::edge::page;
use crate::ids::CaseId;
use crate::report::number;
use crate::ui::command::Command;
use crate::ui::page::data::{HandOutButtons, NotKept, ReadingProblems};
use crate::ui::part::files::{FilePicker, FolderPicker};
use crate::ui::part::number::Count;
use crate::ui::part::rename::{Renamable, RenameButton};
use crate::ui::react::memo;
use crate::ui::session::{Load, Session};
use crate::worker::SystemView;

#[component]
pub fn SystemsPage() -> impl IntoView {
    let session = expect_context::<Session>();
    let systems = memo(move || {
        session.workspace.with(|it| it.ready().map(|it| it.systems.clone()).unwrap_or_default())
    });
    let has_questions = memo(move || {
        session.workspace.with(|it| it.ready().is_some_and(|it| it.dataset.is_some()))
    });
    let reading = memo(move || session.workspace.with(|it| matches!(it, Load::Loading)));
    view! {
        <div class="page-head">
            <h1>"Systems"</h1>
            <p>
                "The answers of the systems under test. Answers join the questions by id alone. Empty answers are never sent to a judge."
            </p>
        </div>
        <div class="stack">
            <FilePicker
                id="answer-files"
                label="Answer files"
                help="JSON, JSONL, CSV or TSV with “id” and “answer”, plain or gzipped, several at once. Or drop them anywhere on this page. A file of the same name replaces the earlier one."
                accept=".json,.jsonl,.csv,.tsv,.gz,.parquet"
                on_files=Callback::new(move |files| session.send(Command::OpenFiles(files)))
            />
            <FolderPicker
                id="answer-folder"
                label="Answer folder"
                help="A folder laid out as field/mode/provider.json. Folder and file name the system: mode-provider."
                on_files=Callback::new(move |files| session.send(Command::OpenFiles(files)))
            />
            <FilePicker
                id="battle-files"
                label="Battle files"
                help="CSV with model_a, model_b and winner, or left, right and winner; a column session_id, question_id, prompt or id says which battles are over one query. They are rated as they are: no answers, no judge."
                accept=".csv"
                on_files=Callback::new(move |files| session.send(Command::OpenBattles(files)))
            />
            <NotKept />
            <ReadingProblems
                problems=Signal::derive(move || {
                    session.workspace.with(|it| {
                        it.ready().map(|it| it.answer_problems.clone()).unwrap_or_default()
                    })
                })
                testid="answer-problems"
                label="Problems in answer files"
            />
        </div>
        {move || match (systems.with(Vec::is_empty), reading.get()) {
            (true, true) => ().into_any(),
            (true, false) => view! { <NoAnswers has_questions=has_questions.get() /> }.into_any(),
            (false, _) if has_questions.get() => {
                view! { <JoinedSystems systems=systems.get() /> }.into_any()
            }
            (false, _) => view! { <LooseSystems systems=systems.get() /> }.into_any(),
        }}
    }
    .into_any()
}

#[component]
fn NoAnswers(has_questions: bool) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="no-answers">
            <div class="empty">
                <h2 id="no-answers">"No answers yet"</h2>
                {if has_questions {
                    view! {
                        <p>
                            "Bring the answers of at least one system. Or hand out the queries and come back with filled files."
                        </p>
                        <HandOutButtons />
                    }
                        .into_any()
                } else {
                    view! {
                        <p>
                            "Bring the answers of at least one system, and the questions they answer: "
                            <a href="#/data">"load questions first"</a> "."
                        </p>
                    }
                        .into_any()
                }}
            </div>
        </section>
    }
}

/// The table of systems, joined with the questions.
#[component]
fn JoinedSystems(systems: Vec<SystemView>) -> impl IntoView {
    let strangers = systems.iter().filter_map(strangers).collect::<Vec<_>>();
    let heads =
        ["Answers matched", "Answers missing", "Unknown id", "Empty", "Duplicate", "Median words"];
    let heads = heads.map(|head| {
        view! {
            <th role="columnheader" scope="col" class="r">
                {head}
            </th>
        }
    });
    let rows = systems.into_iter().enumerate().filter_map(|(at, system)| {
        let join = system.join.clone()?;
        Some(view! { <JoinedRow at=at system=system join=join /> })
    });
    view! {
        <section class="section" aria-labelledby="s-table">
            <h2 id="s-table">"Systems"</h2>
            <table class="table table--fold named" role="table" aria-label="Systems">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">
                            "System"
                        </th>
                        {heads.collect_view()}
                        <th role="columnheader" scope="col">
                            "Files"
                        </th>
                        <ActionsHead />
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table>
            <p class="table-foot">
                "Matched and missing add up to all questions. Unknown id: the answer belongs to no question here, and is never sent. Empty: there is an entry with nothing in it. Duplicate: the id came again; the last answer that is not empty was kept. Median words: of the answers that are not empty."
            </p>
            <Strangers lines=strangers />
        </section>
    }
}

#[component]
fn ActionsHead() -> impl IntoView {
    view! {
        <th role="columnheader" scope="col">
            <span class="sr-only">"Actions"</span>
        </th>
    }
}

#[component]
fn JoinedRow(at: usize, system: SystemView, join: JoinReport) -> impl IntoView {
    let editing = RwSignal::new(false);
    let median = join.median_words.map_or(number::NONE.to_owned(), number::words);
    let counts = [
        ("Answers missing", join.missing),
        ("Unknown id", join.unknown),
        ("Empty", join.empty),
        ("Duplicate", join.duplicates),
    ];
    let counts = counts.map(|(label, n)| {
        view! {
            <td role="cell" class="r" data-label=label>
                <Count n=n />
            </td>
        }
    });
    view! {
        <tr role="row">
            <SystemName at=at name=system.name.clone() editing=editing />
            <td role="cell" class="r key" data-unit="matched">
                <Count n=join.matched />
            </td>
            {counts.collect_view()}
            <td role="cell" class="r" data-label="Median words">
                {median}
            </td>
            <td role="cell" class="files full" data-label="Files">
                {system.files.join(", ")}
            </td>
            <Actions at=at name=system.name editing=editing />
        </tr>
    }
}

#[component]
fn SystemName(at: usize, name: String, editing: RwSignal<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let rename = Callback::new(move |name| {
        session.send(Command::RenameSystem { system: at, name });
    });
    view! {
        <th role="rowheader" scope="row">
            <Renamable name=name what="system" editing=editing on_rename=rename />
        </th>
    }
}

#[component]
fn Actions(at: usize, name: String, editing: RwSignal<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let label = format!("Remove {name}");
    let remove = move |_| {
        session.send(Command::RemoveSystem(at));
        // The button goes with its row.
        page::focus("#main");
    };
    view! {
        <td role="cell" class="full">
            <div class="actions">
                <RenameButton label=format!("Rename {name}") editing=editing />
                <button class="btn btn--small" type="button" aria-label=label on:click=remove>
                    "Remove"
                </button>
            </div>
        </td>
    }
}

/// Answers that no question here asked for.
fn strangers(system: &SystemView) -> Option<String> {
    let join = system.join.as_ref().filter(|it| 0 < it.unknown)?;
    let ids = join.unknown_ids.iter().map(CaseId::as_str).collect::<Vec<_>>().join(", ");
    let rest = join.unknown.saturating_sub(join.unknown_ids.len() as u64);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    Some(format!("{}: {ids}{more}.", system.name))
}

#[component]
fn Strangers(lines: Vec<String>) -> impl IntoView {
    (!lines.is_empty()).then(|| {
        let lines = lines.into_iter().map(|line| view! { <li>{line}</li> });
        view! {
            <div class="notice notice--warn strangers">
                <h3>"Some answers belong to no question"</h3>
                <p>
                    "Their ids are in none of the questions loaded. They are not judged. Check whether the answers and the questions are of the same data set, and whether ids were changed on the way."
                </p>
                <ul>{lines.collect_view()}</ul>
            </div>
        }
    })
}

/// The table of systems without questions to join them with.
#[component]
fn LooseSystems(systems: Vec<SystemView>) -> impl IntoView {
    let rows = systems.into_iter().enumerate().map(|(at, system)| {
        let editing = RwSignal::new(false);
        view! {
            <tr role="row">
                <SystemName at=at name=system.name.clone() editing=editing />
                <td role="cell" class="r key" data-unit="entries">
                    <Count n=system.entries />
                </td>
                <td role="cell" class="files full" data-label="Files">
                    {system.files.join(", ")}
                </td>
                <Actions at=at name=system.name editing=editing />
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="section" aria-labelledby="s-table">
            <h2 id="s-table">"Systems"</h2>
            <div class="stack">
                <div class="notice">
                    <h3>"No questions to join these answers with"</h3>
                    <p>
                        "Load the questions on the "
                        <a href="#/data">"Data page"</a>
                        " first. Then this table says which answers match."
                    </p>
                </div>
                <table class="table table--fold named" role="table" aria-label="Systems">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">
                                "System"
                            </th>
                            <th role="columnheader" scope="col" class="r">
                                "Entries"
                            </th>
                            <th role="columnheader" scope="col">
                                "Files"
                            </th>
                            <ActionsHead />
                        </tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
