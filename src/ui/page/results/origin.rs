//! What was asked, and where merged runs disagree.

use leptos::prelude::*;

use crate::edge::clock;
use crate::observation::Tally;
use crate::report;
use crate::run::record::Conflict;
use crate::ui::format::counted;
use crate::ui::page::judge::ledger::Ledger;
use crate::ui::react::memo;
use crate::ui::route::Route;
use crate::ui::session::Session;

/// Disagreements listed at most.
const LISTED: usize = 200;

/// The sum below all tables, and what merging left open.
#[component]
pub fn OriginSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let tally = memo(move || {
        session.tables.with(|it| it.ready().map_or_else(Tally::default, |it| it.tally))
    });
    let planned = memo(move || session.current().map_or(0, |run| run.progress.planned));
    let total = Signal::derive(move || format!("verdicts, of {} planned", planned.get()));
    let conflicts = memo(move || session.current().map(|it| it.conflicts).unwrap_or_default());
    let extensions = memo(move || {
        let list = session.current().map(|it| it.extensions).unwrap_or_default();
        let day = |at| clock::rfc3339(at).chars().take(10).collect::<String>();
        list.iter().map(|it| report::extended(&day(it.at), it)).collect::<Vec<_>>()
    });
    view! {
        <section class="section" aria-labelledby="results-origin">
            <h2 id="results-origin">"What was asked"</h2>
            <p class="small quiet">
                "In the whole run, whatever the filter above leaves in the tables."
                {move || {
                    conflicts
                        .with(|it| !it.is_empty())
                        .then_some(" Here “unparsed” are the items that people labelled differently.")
                }}
            </p>
            <details>
                <summary>
                    {move || {
                        let (scored, asked) = tally.with(|it| (it.scored, it.asked()));
                        format!("{scored} of {asked} verdicts scored")
                    }}
                </summary>
                <div class="narrow">
                    <Ledger
                        tally=tally.into()
                        total=total
                        label="What was asked in this run, in verdicts"
                    />
                </div>
            </details>
            {move || {
                extensions
                    .get()
                    .into_iter()
                    .map(|text| view! { <p class="small">{text}</p> })
                    .collect_view()
            }}
            {move || conflicts.with(|it| list(it))}
            <p class="small">
                <a href=Route::Compare.href()>"Compare with another run, or build a bridge to another judge"</a>
            </p>
        </section>
    }
}

/// Items that several people labelled differently.
fn list(conflicts: &[Conflict]) -> Option<impl IntoView + use<>> {
    if conflicts.is_empty() {
        return None;
    }
    let head = format!(
        "{} labelled differently by several people",
        counted(conflicts.len() as u64, "item is", "items are")
    );
    let lines =
        conflicts.iter().take(LISTED).map(|it| view! { <li>{words(it)}</li> }).collect_view();
    let more = conflicts.len().saturating_sub(LISTED);
    let rest = (0 < more).then(|| view! { <li>{format!("and {more} more")}</li> });
    Some(view! {
        <h3>"Conflicts"</h3>
        <details open=true>
            <summary>{head}</summary>
            <ul class="conflicts small">{lines} {rest}</ul>
        </details>
    })
}

/// `q7, alder, item 3: Ada “Mostly”, Ben “Barely”`.
fn words(conflict: &Conflict) -> String {
    let labels: Vec<String> =
        conflict.labels.iter().map(|(who, label)| format!("{who} “{label}”")).collect();
    format!("{}, {}, item {}: {}", conflict.case, conflict.system, conflict.item, labels.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_names_who_said_what() {
        let conflict = Conflict {
            case: "q7".to_owned(),
            system: "alder".to_owned(),
            item: 3,
            labels: vec![
                ("Ada".to_owned(), "Mostly".to_owned()),
                ("Ben".to_owned(), "Barely".to_owned()),
            ],
        };
        assert_eq!(words(&conflict), "q7, alder, item 3: Ada “Mostly”, Ben “Barely”");
    }
}
