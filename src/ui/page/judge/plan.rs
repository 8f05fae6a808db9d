//! What judging will take, before anything is asked.

use leptos::prelude::*;

use crate::judge::{JudgeSpec, http};
use crate::run::{Plan, PriceSource, money};
use crate::ui::draft::{Draft, JudgeKind};
use crate::ui::format::{counted, rough, usd};
use crate::ui::part::blocks::blocks_view;
use crate::ui::part::number::{Count, Grouped};
use crate::ui::react::memo;
use crate::ui::session::{Load, Session};

use super::shown::Shown;

/// The total first, then its parts, then where the texts go.
#[component]
pub fn PlanSection(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let done = memo(move || shown.progress.with(|it| it.calls_done));
    let going = memo(move || session.draft.with(destination));
    view! {
        <section aria-labelledby="judge-plan" class="stack">
            <h2 id="judge-plan">"Plan"</h2>
            <div data-testid="run-plan" class="stack">
                {move || match session.plan.get() {
                    Load::Ready(plan) => {
                        let cost = session.draft.with(|draft| cost(&plan, draft));
                        view! { <PlanFacts plan=plan done=done.get() cost=cost /> }.into_any()
                    }
                    Load::Failed(notice) => {
                        view! {
                            <p class="quiet">{notice.what} ". " {notice.why} " " {notice.next}</p>
                        }
                            .into_any()
                    }
                    Load::Loading => view! { <p class="quiet">"Counting…"</p> }.into_any(),
                    Load::Idle => view! { <p class="quiet">{waiting(&session, shown)}</p> }.into_any(),
                }}
            </div>
            {move || blocks_view(session.plan_notes.get())}
            {move || {
                let (bold, rest) = going.get();
                view! {
                    <p class="small">
                        <strong>{bold}</strong>
                        " "
                        <span class="quiet">{rest}</span>
                    </p>
                }
            }}
        </section>
    }
}

/// Why there is no plan.
fn waiting(session: &Session, shown: Shown) -> String {
    if shown.alone.with(Option::is_some) {
        let (calls, done) = shown.progress.with(|it| (it.calls, it.calls_done));
        format!(
            "This run brought its own questions and answers: {} of {} still to make.",
            calls.saturating_sub(done),
            counted(calls, "call", "calls")
        )
    } else if session.draft.with(|it| it.settings().is_err()) {
        "Mend the fields marked “Needed” to see what the run will take.".to_owned()
    } else {
        "Questions and answers are needed to see what the run will take.".to_owned()
    }
}

/// The numbers of a plan.
#[component]
fn PlanFacts(plan: Plan, done: u64, cost: Option<String>) -> impl IntoView {
    let verdicts = counted(plan.verdicts, "verdict", "verdicts");
    let tokens = (0 < plan.tokens_in).then(|| {
        view! {
            <dt>"Tokens, estimated"</dt>
            <dd>{format!("{} in, {} out", rough(plan.tokens_in), rough(plan.tokens_out))}</dd>
        }
    });
    let cost = cost.map(|cost| {
        view! {
            <dt>"Cost, estimated"</dt>
            <dd>{cost}</dd>
        }
    });
    let done = (0 < done).then(|| {
        view! {
            <dt>"Calls made already"</dt>
            <dd>{done}</dd>
        }
    });
    let (n_battles, forfeits) = plan.battles();
    let battles = (0 < n_battles).then(|| {
        let decided = if forfeits == 0 {
            String::new()
        } else {
            format!(", {forfeits} decided by a missing answer")
        };
        view! {
            <dt>"Battles"</dt>
            <dd>
                {format!(
                    "{n_battles}, in {}{decided}",
                    counted(plan.duel_calls, "call", "calls"),
                )}
            </dd>
        }
    });
    let repeats = (0 < plan.repeat_calls).then(|| {
        view! {
            <dt>"To ask again"</dt>
            <dd>{counted(plan.repeat_calls, "call", "calls")}</dd>
        }
    });
    let by = (0 < plan.tokens_in).then_some(
        "Tokens by our own count, four characters a token; other languages may differ by a third.",
    );
    view! {
        <p class="sum">
            <strong>
                <Count n=plan.calls />
                " calls"
            </strong>
            " "
            <span>
                <Grouped text=verdicts />
            </span>
        </p>
        <dl class="facts">
            <dt>"Queries"</dt>
            <dd>{plan.cases}</dd>
            <dt>{format!("Answers of {}", counted(plan.systems, "system", "systems"))}</dt>
            <dd>{plan.answers}</dd>
            {battles}
            {repeats}
            {tokens}
            {cost}
            {done}
        </dl>
        <p class="help">{unsent(&plan)} " " {by}</p>
        <MatchGrid plan=plan.clone() />
    }
}

/// How often each pair of systems is to meet.
#[component]
fn MatchGrid(plan: Plan) -> impl IntoView {
    if plan.grid.is_empty() {
        return ().into_any();
    }
    let skipped: u64 = plan.grid.iter().map(|pair| u64::from(pair.skipped)).sum();
    let note = if skipped == 0 {
        "Every pair can meet over every query.".to_owned()
    } else {
        format!(
            "{}: an answer is missing or empty.",
            counted(skipped, "meeting is skipped", "meetings are skipped")
        )
    };
    let heads = plan.names.clone();
    let rows = plan.names.iter().enumerate().map(|(row, name)| {
        let cells = (0..plan.names.len()).map(|column| {
            let (low, high) = (row.min(column), row.max(column));
            let pair = (low != high).then(|| plan.grid.get(high * (high - 1) / 2 + low)).flatten();
            view! { <td class="num">{pair.map_or("–".to_owned(), |it| it.battles.to_string())}</td> }
        });
        view! {
            <tr>
                <th scope="row">{name.clone()}</th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <details>
            <summary>"Who meets whom"</summary>
            <div class="wide-table" tabindex="0" role="region" aria-label="Battles of each pair">
                <table class="table table--grid" aria-label="Planned battles">
                    <thead>
                        <tr>
                            <td></td>
                            {heads
                                .into_iter()
                                .map(|name| view! { <th scope="col" class="num">{name}</th> })
                                .collect_view()}
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            <p class="help">{note}</p>
        </details>
    }
    .into_any()
}

/// What the whole plan costs, where prices are known.
fn cost(plan: &Plan, draft: &Draft) -> Option<String> {
    let settings = draft.settings().ok()?;
    let JudgeSpec::Endpoint(endpoint) = &settings.judge else {
        return None;
    };
    let tokens = (plan.tokens_in, plan.tokens_out);
    let prices = settings.prices.as_ref()?;
    let (low, high) = money::range(prices, tokens, plan.calls, endpoint.max_tokens);
    let whose = match prices.source {
        PriceSource::User => "at the prices you gave".to_owned(),
        PriceSource::List => format!("at the prices of the host’s list of {}", prices.as_of),
    };
    Some(format!("between {} and {}, {whose}", usd(low), usd(high)))
}

/// Answers that no judge gets to see.
fn unsent(plan: &Plan) -> String {
    match (plan.missing, plan.empty) {
        (0, 0) => "Every query has an answer.".to_owned(),
        (missing, 0) => format!("{} and never sent.", is_missing(missing)),
        (0, empty) => {
            format!("{} and never sent.", counted(empty, "answer is empty", "answers are empty"))
        }
        (missing, empty) => format!(
            "{}, {}; they are never sent.",
            is_missing(missing),
            counted(empty, "is empty", "are empty")
        ),
    }
}

fn is_missing(n: u64) -> String {
    counted(n, "answer is missing", "answers are missing")
}

/// Where texts go, and who knows what that costs.
fn destination(draft: &Draft) -> (String, &'static str) {
    let base_url = draft.base_url.trim();
    match draft.judge {
        JudgeKind::Practice => ("Nothing leaves this device.".to_owned(), "No model is asked."),
        JudgeKind::ByHand => ("Nothing leaves this device.".to_owned(), "You are the judge."),
        JudgeKind::Endpoint => {
            let host = http::host(base_url).unwrap_or("the host in the base URL");
            if http::is_loopback(base_url) {
                (format!("Answers stay on this machine: {host}."), "Its server reads them.")
            } else {
                (
                    format!("Answers go to {host}."),
                    if draft.price_in.trim().is_empty() {
                        "Prices are not known here: your provider’s page has them."
                    } else {
                        "Your provider’s page says what is charged in the end."
                    },
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_not_sent_are_counted() {
        let plan = |missing, empty| Plan { missing, empty, ..Plan::default() };
        assert_eq!(unsent(&plan(0, 0)), "Every query has an answer.");
        assert_eq!(unsent(&plan(1, 0)), "1 answer is missing and never sent.");
        assert_eq!(unsent(&plan(0, 2)), "2 answers are empty and never sent.");
        assert_eq!(unsent(&plan(7, 2)), "7 answers are missing, 2 are empty; they are never sent.");
    }

    #[test]
    fn a_cost_is_told_only_where_prices_are_known() {
        let plan = Plan { calls: 100, tokens_in: 3_000_000, tokens_out: 3000, ..Plan::default() };
        let mut draft = Draft::new();
        draft.judge = JudgeKind::Endpoint;
        assert_eq!(cost(&plan, &draft), None);
        draft.price_in = "1".to_owned();
        draft.price_out = "4".to_owned();
        let told = "between $2.01 and $4.20, at the prices you gave";
        assert_eq!(cost(&plan, &draft).as_deref(), Some(told));
    }

    #[test]
    fn it_is_said_where_answers_go() {
        let mut draft = Draft::new();
        assert_eq!(destination(&draft).0, "Nothing leaves this device.");
        draft.judge = JudgeKind::Endpoint;
        assert_eq!(destination(&draft).0, "Answers go to api.openai.com.");
        draft.base_url = "http://localhost:11434/v1".to_owned();
        assert_eq!(destination(&draft).0, "Answers stay on this machine: localhost:11434.");
    }
}
