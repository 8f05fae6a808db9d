//! Where people who labelled the same items disagree.

use leptos::prelude::*;

use crate::run::record::Conflict;
use crate::ui::format::counted;
use crate::ui::react::memo;
use crate::ui::session::Session;

/// More rows would bury the reader; the run file has them all.
const SHOWN: usize = 200;

/// Lists the conflicts of a merged run. Nothing where there are none.
#[component]
pub fn ConflictSection() -> impl IntoView {
    let session = expect_context::<Session>();
    let conflicts = memo(move || session.current().map(|run| run.conflicts).unwrap_or_default());
    view! { {move || {
        let conflicts = conflicts.get();
        let n = conflicts.len();
        if n == 0 {
            return None;
        }
        let rows = conflicts
            .into_iter()
            .take(SHOWN)
            .map(|it| view! { <ConflictRow conflict=it /> })
            .collect_view();
        let more = n.saturating_sub(SHOWN);
        let rest = (0 < more)
            .then(|| format!(" The first {SHOWN} are shown; {more} more are in the run file."));
        Some(view! {
            <section class="section" aria-labelledby="h-conflicts">
                <header>
                    <h2 id="h-conflicts">"Conflicts"</h2>
                    <p class="small quiet">{counted(n as u64, "item", "items")}</p>
                </header>
                <table class="table table--fold" role="table" aria-label="Conflicts">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">
                                "Question"
                            </th>
                            <th role="columnheader" scope="col">
                                "System"
                            </th>
                            <th role="columnheader" scope="col" class="r">
                                "Item"
                            </th>
                            <th role="columnheader" scope="col">
                                "Labels"
                            </th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
                <p class="table-foot">
                    "These items have no verdict: they are left out of every mean and widen its range. Settle each with the people concerned, label it alike, and merge again."
                    {rest}
                </p>
            </section>
        })
    }} }
}

/// One item with what each person said.
#[component]
fn ConflictRow(conflict: Conflict) -> impl IntoView {
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                <code>{conflict.case}</code>
            </th>
            <td role="cell" data-label="System">
                {conflict.system}
            </td>
            <td role="cell" class="r" data-label="Item">
                {conflict.item}
            </td>
            <td role="cell" data-label="Labels">
                {said(&conflict.labels)}
            </td>
        </tr>
    }
}

/// `Ada: Mostly, Bo: Barely`.
fn said(labels: &[(String, String)]) -> String {
    labels.iter().map(|(who, label)| format!("{who}: {label}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_named_with_their_label() {
        let labels = [("Ada", "Mostly"), ("Bo", "Barely")]
            .map(|(who, label)| (who.to_owned(), label.to_owned()));
        assert_eq!(said(&labels), "Ada: Mostly, Bo: Barely");
    }
}
