//! Joining the labels of several people.

use leptos::prelude::*;

use crate::ids::Digest;
use crate::judge::JudgeSpec;
use crate::ui::command::Command;
use crate::ui::format::counted;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::RunSummary;

/// Offers to join runs that were judged by hand on one benchmark.
#[component]
pub fn MergeSection() -> impl IntoView {
    let session = expect_context::<Session>();
    // Kept as those taken out, so that a run that comes in is in.
    let out = RwSignal::new(Vec::<String>::new());
    let digest = memo(move || session.current().map(|run| run.dataset_digest));
    let offered = memo(move || {
        session.runs.with(|runs| {
            mergeable(runs, digest.get())
                .into_iter()
                .map(|run| (run.id.clone(), described(run)))
                .collect::<Vec<_>>()
        })
    });
    let chosen = move || -> Vec<String> {
        let out = out.get();
        offered.get().into_iter().map(|(id, _)| id).filter(|id| !out.contains(id)).collect()
    };
    view! {
        <section class="section" aria-labelledby="h-merge">
            <h2 id="h-merge">"Merge labels given by hand"</h2>
            <div class="stack">
                <p class="prose">
                    "Several people can share the work: each labels in a browser of their own and saves the run file; all files are reopened here and merged. Where all who labelled an item agree, their label stands. Where they do not, the item has no verdict and is listed as a conflict: labels are never averaged."
                </p>
                {move || {
                    if offered.with(Vec::is_empty) {
                        return view! {
                            <p class="small quiet">
                                "There are not yet two runs labelled by hand on the same benchmark here."
                            </p>
                        }
                            .into_any();
                    }
                    view! {
                        <fieldset class="stack">
                            <legend class="label">"Runs to merge"</legend>
                            {offered
                                .get()
                                .into_iter()
                                .enumerate()
                                .map(|(at, (id, name))| {
                                    view! { <RunCheck at=at run=id name=name out=out /> }
                                })
                                .collect_view()}
                        </fieldset>
                        <div class="actions">
                            <button
                                type="button"
                                class="btn"
                                disabled=move || chosen().len() < 2
                                on:click=move |_| session.send(Command::Merge(untrack(chosen)))
                            >
                                "Merge the labels"
                            </button>
                            <span class="small quiet">
                                {move || {
                                    (chosen().len() < 2).then_some("Choose at least two runs.")
                                }}
                            </span>
                        </div>
                    }
                        .into_any()
                }}
            </div>
        </section>
    }
}

/// Takes one run in or out.
#[component]
fn RunCheck(at: usize, run: String, name: String, out: RwSignal<Vec<String>>) -> impl IntoView {
    let id = format!("merge-{at}");
    let run = StoredValue::new(run);
    let checked = move || run.with_value(|run| out.with(|out| !out.contains(run)));
    let change = move |on: bool| {
        run.with_value(|run| {
            out.update(|out| {
                out.retain(|it| it != run);
                if !on {
                    out.push(run.clone());
                }
            });
        });
    };
    view! {
        <div class="check">
            <input
                type="checkbox"
                id=id.clone()
                prop:checked=checked
                on:change=move |event| change(event_target_checked(&event))
            />
            <label for=id>{name}</label>
        </div>
    }
}

/// Runs judged by hand on one benchmark: the given one if it has two, else the first that has.
fn mergeable(runs: &[RunSummary], digest: Option<Digest>) -> Vec<&RunSummary> {
    let by_hand: Vec<&RunSummary> =
        runs.iter().filter(|run| matches!(run.settings.judge, JudgeSpec::ByHand { .. })).collect();
    let of = |digest: Digest| -> Vec<&RunSummary> {
        by_hand.iter().copied().filter(|run| run.dataset_digest == digest).collect()
    };
    digest
        .into_iter()
        .chain(by_hand.iter().map(|run| run.dataset_digest))
        .map(of)
        .find(|group| 2 <= group.len())
        .unwrap_or_default()
}

/// Who, and how much of it.
fn described(run: &RunSummary) -> String {
    let labels = counted(run.progress.tally.scored, "label", "labels");
    format!("{}, {labels} of {}", run.name, run.progress.planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::record::{Origin, Settings};
    use crate::run::{JudgeStamp, Progress};

    fn run(id: &str, judge: JudgeSpec, dataset: &str) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            name: id.to_owned(),
            created: 0.0,
            updated: 0.0,
            origin: Origin::Here,
            settings: Settings::of_coverage(judge, 0),
            judge: JudgeStamp { name: String::new(), how: String::new(), practice: false },
            dataset: dataset.to_owned(),
            dataset_digest: Digest::of_texts([dataset]),
            dataset_on_hub: None,
            n_cases: 1,
            systems: Vec::new(),
            progress: Progress::default(),
            conflicts: Vec::new(),
            extensions: Vec::new(),
            elsewhere: false,
            bridge: None,
            batched: 0,
            has_texts: false,
            stored: true,
        }
    }

    fn by(person: &str) -> JudgeSpec {
        JudgeSpec::ByHand { person: person.to_owned() }
    }

    #[test]
    fn only_hand_labels_on_one_benchmark_are_offered() {
        let runs = [
            run("a", by("Ada"), "x"),
            run("p", JudgeSpec::Practice, "x"),
            run("b", by("Bo"), "y"),
            run("c", by("Cy"), "x"),
            run("d", by("Di"), "y"),
        ];
        let ids = |digest: Option<&str>| -> Vec<&str> {
            let digest = digest.map(|it| Digest::of_texts([it]));
            mergeable(&runs, digest).iter().map(|run| run.id.as_str()).collect()
        };
        assert_eq!(ids(Some("y")), ["b", "d"]);
        assert_eq!(ids(Some("elsewhere")), ["a", "c"]);
        assert_eq!(ids(None), ["a", "c"]);
        assert!(mergeable(&runs[..3], None).is_empty(), "one on each benchmark");
    }
}
