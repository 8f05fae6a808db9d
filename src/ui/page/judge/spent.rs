//! What a run has cost, line by line.

use leptos::prelude::*;

use crate::report::number::NONE;
use crate::run::spend::{Protocol, Spent};
use crate::ui::command::Command;
use crate::ui::format::{rough, usd};
use crate::ui::session::Session;

use super::shown::Shown;

/// Unfolds once calls were made; counted anew each time it is unfolded.
#[component]
pub fn SpentDetails(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let any = Memo::new(move |_| shown.progress.with(|it| 0 < it.tokens_in));
    let lines = Memo::new(move |_| {
        let id = shown.id.get()?;
        session.spent.get().filter(|(run, _)| *run == id).map(|(_, lines)| lines)
    });
    let unfold = move |_| {
        if let Some(run) = shown.id.get_untracked() {
            session.send(Command::ListSpent(run));
        }
    };
    view! {
        <Show when=move || any.get()>
            <details on:toggle=unfold>
                <summary>"What it cost, by system"</summary>
                {move || lines.get().map(|lines| draw(&lines))}
            </details>
        </Show>
    }
}

/// A row of the table: a protocol on a system, or everything.
fn cells(line: &Spent) -> [String; 4] {
    [
        rough(line.attempts.round() as u64),
        rough(line.tokens_in.round() as u64),
        rough(line.tokens_out.round() as u64),
        line.dollars.map_or_else(|| NONE.to_owned(), usd),
    ]
}

fn total(lines: &[Spent]) -> Spent {
    let sum = |what: fn(&Spent) -> f64| lines.iter().map(what).sum();
    Spent {
        protocol: Protocol::Coverage,
        system: String::new(),
        attempts: sum(|it| it.attempts),
        tokens_in: sum(|it| it.tokens_in),
        tokens_out: sum(|it| it.tokens_out),
        uncounted: sum(|it| it.uncounted),
        dollars: lines.iter().map(|it| it.dollars).sum(),
    }
}

fn draw(lines: &[Spent]) -> impl IntoView + use<> {
    let row = |name: String, protocol: &'static str, line: &Spent| {
        let cells = cells(line).map(|text| view! { <td class="r">{text}</td> });
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{protocol}</td>
                {cells.to_vec()}
            </tr>
        }
    };
    let all = total(lines);
    let body: Vec<_> = lines
        .iter()
        .map(|line| {
            let protocol = match line.protocol {
                Protocol::Coverage => "coverage",
                Protocol::Preference => "preference",
            };
            row(line.system.clone(), protocol, line)
        })
        .collect();
    let foot = row("All".to_owned(), "", &all);
    let heads = ["Attempts", "Tokens in", "Tokens out", "Cost"]
        .map(|name| view! { <th scope="col" class="r">{name}</th> });
    view! {
        <div class="wide-table" tabindex="0" role="region" aria-label="What it cost, by system">
            <table class="table table--close" aria-label="Cost">
                <thead>
                    <tr>
                        <th scope="col">"System"</th>
                        <th scope="col">"For"</th>
                        {heads.to_vec()}
                    </tr>
                </thead>
                <tbody>{body} {foot}</tbody>
            </table>
        </div>
        <p class="help">{note(&all)}</p>
    }
}

fn note(all: &Spent) -> String {
    let halves = "Of a battle, half stands with each system.";
    let prices = if all.dollars.is_some() { "" } else { " Without prices no cost is known." };
    if all.uncounted == 0.0 {
        return format!("As the provider counted. {halves}{prices}");
    }
    format!(
        "As the provider counted, which left out {} attempts: theirs is not in these sums. {halves}{prices}",
        rough(all.uncounted.round() as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_add_up_and_what_nobody_counted_is_said() {
        let line = |dollars, uncounted| Spent {
            protocol: Protocol::Preference,
            system: "a".to_owned(),
            attempts: 1.5,
            tokens_in: 1000.0,
            tokens_out: 10.0,
            uncounted,
            dollars,
        };
        let all = total(&[line(Some(0.25), 0.0), line(Some(0.5), 1.0)]);
        assert_eq!((all.attempts, all.dollars), (3.0, Some(0.75)));
        assert!(note(&all).contains("left out 1 attempts"), "{}", note(&all));
        assert_eq!(total(&[line(Some(0.25), 0.0), line(None, 0.0)]).dollars, None);
        assert_eq!(cells(&line(None, 0.0))[3], NONE);
    }
}
