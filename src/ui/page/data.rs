//! The Data page: questions with their checklists, in counts, to hand out, and to read.

pub mod explorer;
pub mod hub;

use leptos::prelude::*;

use crate::dataset::{Facet, Problems, Summary};
use crate::run::Choice;
use crate::ui::command::Command;
use crate::ui::draft::Draft;
use crate::ui::format::counted;
use crate::ui::page::data::explorer::Explorer;
use crate::ui::page::data::hub::{HubLoader, source_facts};
use crate::ui::part::files::FilePicker;
use crate::ui::part::notice::NoticeView;
use crate::ui::part::number::Count;
use crate::ui::part::problems::ProblemList;
use crate::ui::react::memo;
use crate::ui::session::{Load, Session, Tone};
use crate::worker::{DatasetView, HandOut, Notice};

/// Stands where the data give no name.
const UNNAMED: &str = "not named";

#[component]
pub fn DataPage() -> impl IntoView {
    let session = expect_context::<Session>();
    let dataset =
        memo(move || session.workspace.with(|it| it.ready().and_then(|it| it.dataset.clone())));
    let reading = memo(move || session.workspace.with(|it| matches!(it, Load::Loading)));
    view! {
        <div class="page-head">
            <h1>"Data"</h1>
            <p>
                "The research questions, each with an expert’s checklist. They are read on this device."
            </p>
        </div>
        <div class="stack">
            <FilePicker
                id="dataset-files"
                label="Dataset files"
                help="ResearchQA as Parquet, JSON or JSONL, plain or gzipped, or rubric.json of ResearcherBench together with its questions.json. Several at once; or drop them anywhere on this page. New questions replace those loaded before."
                accept=".json,.jsonl,.ndjson,.gz,.parquet"
                on_files=Callback::new(move |files| session.send(Command::OpenFiles(files)))
            />
            <NotKept />
            <ReadingProblems
                problems=Signal::derive(move || {
                    session.workspace.with(|it| {
                        it.ready().map(|it| it.dataset_problems.clone()).unwrap_or_default()
                    })
                })
                testid="dataset-problems"
                label="Problems in dataset files"
            />
        </div>
        <HubLoader />
        {move || match (dataset.get(), reading.get()) {
            (Some(dataset), _) => view! { <Loaded dataset=dataset /> }.into_any(),
            (None, true) => view! { <StillReading /> }.into_any(),
            (None, false) => view! { <NoQuestions /> }.into_any(),
        }}
    }
    .into_any()
}

/// Why the files are gone when the page is closed.
#[component]
pub fn NotKept() -> impl IntoView {
    let session = expect_context::<Session>();
    let why =
        memo(move || session.workspace.with(|it| it.ready().and_then(|it| it.not_kept.clone())));
    view! { {move || {
        why.get().map(|why| {
            let notice = Notice::new(
                "These files are not kept for your next visit",
                format!("The browser did not store them: {why}."),
                "Everything works until this tab closes. Then bring the files again.",
            );
            view! { <NoticeView tone=Tone::Warn notice=notice /> }
        })
    }} }
}

/// How many problems reading met, what that means, and each in its line.
#[component]
pub fn ReadingProblems(
    problems: Signal<Problems>,
    testid: &'static str,
    label: &'static str,
) -> impl IntoView {
    let total = memo(move || problems.with(Problems::total));
    let head = move || {
        let total = total.get();
        (0 < total).then(|| {
            let notice = Notice::new(
                format!("{} while reading", counted(total, "problem", "problems")),
                "A record that could not be used is left out; all others are in.",
                "Mend the lines below and bring the file again under its name: nothing is counted twice.",
            );
            view! { <NoticeView tone=Tone::Warn notice=notice /> }
        })
    };
    view! {
        {head}
        <ProblemList problems=problems testid=testid label=label />
    }
}

#[component]
fn StillReading() -> impl IntoView {
    view! {
        <section class="section">
            <div class="loading-line">
                <p>"Reading what your last visit left …"</p>
                <progress class="progress" aria-label="Reading kept files"></progress>
            </div>
        </section>
    }
}

#[component]
fn NoQuestions() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="no-data">
            <div class="empty">
                <h2 id="no-data">"No questions yet"</h2>
                <p>
                    "Load the benchmark from the Hub, or choose files. Or take the bundled sample from the start: 21 questions with checklists and the answers of five invented systems."
                </p>
                <div class="actions">
                    <a class="btn" href="#/">
                        "To the start"
                    </a>
                </div>
            </div>
        </section>
    }
}

#[component]
fn Loaded(dataset: DatasetView) -> impl IntoView {
    let session = expect_context::<Session>();
    let summary = dataset.summary.clone();
    let remove = move |_| session.send(Command::RemoveDataset);
    view! {
        <section class="section" aria-labelledby="d-what">
            <header>
                <h2 id="d-what">{dataset.name.clone()}</h2>
                <button class="btn btn--small" type="button" on:click=remove>
                    "Remove this dataset"
                </button>
            </header>
            <div class="stack">
                <Totals summary=summary.clone() />
                <dl class="facts facts--left">
                    {dataset.source.clone().map(source_facts)}
                    <dt>"Files"</dt>
                    <dd>{dataset.files.join(", ")}</dd>
                    <dt>"Fingerprint"</dt>
                    <dd>
                        <code>{dataset.digest.to_string()}</code>
                    </dd>
                </dl>
                <SourceNotes notes=dataset.notes.clone() />
                <p class="help">
                    "The fingerprint covers ids, questions, checklists and weights, in any order: who has the same has the same questions."
                </p>
            </div>
        </section>
        <Breakdown summary=summary.clone() />
        <section class="section" aria-labelledby="d-hand">
            <h2 id="d-hand">"Hand out"</h2>
            <div class="stack">
                <HandOutButtons />
            </div>
        </section>
        <Explorer />
    }
}

/// What does not fit what the source says of itself.
#[component]
fn SourceNotes(notes: Vec<String>) -> impl IntoView {
    (!notes.is_empty()).then(|| {
        let notice = Notice::new(
            "The files are not quite what the dataset says of itself",
            notes.join(" "),
            "The counts above are those of the files.",
        );
        view! { <NoticeView tone=Tone::Warn notice=notice /> }
    })
}

/// The four counts. Written as the automation contract has them, whatever the number.
#[component]
fn Totals(summary: Summary) -> impl IntoView {
    let count = |n, unit| {
        view! {
            <li>
                <strong>
                    <Count n=n />
                </strong>
                " "
                <span>{unit}</span>
            </li>
        }
    };
    view! {
        <ul class="totals" data-testid="dataset-summary">
            {count(summary.queries, "queries")}
            " "
            {count(summary.items, "rubric items")}
            " "
            {count(summary.fields, "fields")}
            " "
            {count(summary.domains, "domains")}
        </ul>
    }
}

/// Where the questions come from and what kind of points they ask for.
#[component]
fn Breakdown(summary: Summary) -> impl IntoView {
    let rows = |facets: Vec<Facet>| -> Vec<(String, u64, u64)> {
        let name = |name: String| if name.is_empty() { UNNAMED.to_owned() } else { name };
        facets.into_iter().map(|it| (name(it.name), it.queries, it.items)).collect()
    };
    let kinds = summary
        .by_type
        .iter()
        .map(|it| {
            let name = it.kind.map_or("no type", |kind| kind.as_str());
            (name.to_owned(), it.queries, it.items)
        })
        .collect::<Vec<_>>();
    let several = kinds.iter().map(|it| it.2).sum::<u64>() != summary.items;
    let fields = rows(summary.by_field);
    let field_words = counted(fields.len() as u64, "field", "fields");
    view! {
        <section class="section" aria-labelledby="d-parts">
            <h2 id="d-parts">"What is in it"</h2>
            <div class="parts">
                <div>
                    <FacetTable head="Domain" rows=rows(summary.by_domain) />
                    <details>
                        <summary>{field_words}</summary>
                        <FacetTable head="Field" rows=fields />
                    </details>
                </div>
                <div>
                    <FacetTable head="Type of item" rows=kinds />
                    <p class="table-foot" hidden=!several>
                        "An item with several types counts in each, so these do not add up."
                    </p>
                </div>
            </div>
        </section>
    }
}

/// Queries and rubric items by a name.
#[component]
fn FacetTable(head: &'static str, rows: Vec<(String, u64, u64)>) -> impl IntoView {
    let label = format!("Queries and rubric items by {}", head.to_ascii_lowercase());
    let rows = rows.into_iter().map(|(name, queries, items)| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">
                    {name}
                </th>
                <td role="cell" class="r">
                    <Count n=queries />
                </td>
                <td role="cell" class="r">
                    <Count n=items />
                </td>
            </tr>
        }
    });
    view! {
        <table class="table named" role="table" aria-label=label>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">
                        {head}
                    </th>
                    <th role="columnheader" scope="col" class="r">
                        "Queries"
                    </th>
                    <th role="columnheader" scope="col" class="r">
                        "Items"
                    </th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table>
    }
}

/// The chosen questions as files, to be answered elsewhere.
#[component]
pub fn HandOutButtons() -> impl IntoView {
    let session = expect_context::<Session>();
    let chosen = memo(move || {
        let choice = session.draft.with(Draft::choice);
        session.workspace.with(|it| {
            let summary = &it.ready()?.dataset.as_ref()?.summary;
            Some(choice_words(summary, choice))
        })
    });
    let hand_out = move |format| session.send(Command::HandOut(format));
    view! {
        <p>{move || chosen.get()}</p>
        <div class="actions">
            <button class="btn" type="button" on:click=move |_| hand_out(HandOut::Jsonl)>
                "Queries (JSONL)"
            </button>
            <button class="btn" type="button" on:click=move |_| hand_out(HandOut::Csv)>
                "Queries (CSV)"
            </button>
            <button class="btn" type="button" on:click=move |_| hand_out(HandOut::PromptPack)>
                "Prompt pack (text)"
            </button>
        </div>
        <p class="help">
            "Fill in the column or key “answer” and bring the file back on the Systems page. The checklists are not handed out. Which queries are chosen follows “Queries per field” and “Seed” of the Judge page."
        </p>
    }
}

/// How many questions a choice takes. Those without a field are one field together.
fn chosen(summary: &Summary, choice: Choice) -> u64 {
    match choice.per_field {
        None => summary.queries,
        Some(limit) => summary.by_field.iter().map(|it| it.queries.min(u64::from(limit))).sum(),
    }
}

fn choice_words(summary: &Summary, choice: Choice) -> String {
    let (n, all) = (chosen(summary, choice), summary.queries);
    match choice.per_field {
        None => format!("All {} are handed out.", counted(all, "query", "queries")),
        Some(limit) => format!(
            "{n} of {} are handed out: up to {limit} in each field, by seed {}.",
            counted(all, "query", "queries"),
            choice.seed
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_counted_field_by_field() {
        let field = |name: &str, queries| Facet { name: name.to_owned(), queries, items: 0 };
        let summary = Summary {
            queries: 8,
            by_field: vec![field("", 1), field("Botany", 2), field("Law", 5)],
            ..Summary::default()
        };
        let words = |per_field| choice_words(&summary, Choice { per_field, seed: 7 });
        assert_eq!(words(None), "All 8 queries are handed out.");
        assert_eq!(
            words(Some(2)),
            "5 of 8 queries are handed out: up to 2 in each field, by seed 7."
        );
        assert_eq!(chosen(&summary, Choice { per_field: Some(9), seed: 0 }), 8);
    }
}
