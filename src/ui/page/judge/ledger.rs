//! What was asked, set as a sum. The results page shows it too.

use leptos::prelude::*;

use crate::observation::Tally;
use crate::ui::part::number::{Count, Grouped};
use crate::ui::react::memo;

type Read = fn(&Tally) -> u64;

/// Word, number, explanation. Outside checks read "scored 3566".
const ADDENDS: [(&str, Read, &str); 6] = [
    ("scored", |it| it.scored, "a label was read"),
    ("unparsed", |it| it.unparsed, "a reply came, no label in it"),
    ("truncated", |it| it.truncated, "cut off at the length limit"),
    ("refused", |it| it.refused, "the model declined"),
    ("failed", |it| it.failed, "no reply after the last attempt"),
    ("in flight", |it| it.in_flight, "waiting for a reply"),
];

/// Six addends and their total.
#[component]
pub fn Ledger(
    tally: Signal<Tally>,
    /// What the total is of, in a clause.
    total: Signal<String>,
    label: &'static str,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let rows = ADDENDS
        .into_iter()
        .map(|(word, read, why)| view! { <Addend word=word why=why n=memo(move || tally.with(read)) /> })
        .collect_view();
    view! {
        <table class="ledger" aria-label=label data-testid=testid>
            <tbody>
                {rows} <tr class="total">
                    <th scope="row">"asked"</th>
                    " "
                    <td class="r">{move || view! { <Count n=tally.with(Tally::asked) /> }}</td>
                    " "
                    <td class="why">{move || view! { <Grouped text=total.get() /> }}</td>
                </tr>
            </tbody>
        </table>
    }
}

/// One part of the sum. What is lost says so in its word before it says so in its colour.
#[component]
fn Addend(word: &'static str, why: &'static str, n: Memo<u64>) -> impl IntoView {
    let class = move || match n.get() {
        0 => "is-zero",
        _ if word == "failed" => "is-bad",
        _ => "",
    };
    view! {
        <tr class=class>
            <th scope="row">{word}</th>
            " "
            <td class="r">{move || view! { <Count n=n.get() /> }}</td>
            " "
            <td class="why">{why}</td>
        </tr>
    }
}
