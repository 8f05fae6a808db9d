//! What is known of a run's battles beside their results: the rule, the seats, and how far rules agree.

use leptos::prelude::*;

use crate::metrics::{Disagreement, Seats, Share};
use crate::report::number::{counted, fixed, percent1};
use crate::ui::command::Command;
use crate::ui::part::field::SelectField;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::ui::session::ratings::BattlesOrigin;
use crate::worker::RunBattles;

fn of_run(session: &Session) -> Option<RunBattles> {
    session.ratings.battles.with(|it| it.as_ref().and_then(|it| it.about.run.clone()))
}

/// Which rule decides the battles of a run.
#[component]
pub fn DeciderField() -> impl IntoView {
    let session = expect_context::<Session>();
    let run = memo(move || of_run(&session));
    let options = memo(move || {
        run.with(|it| {
            it.iter()
                .flat_map(|it| &it.deciders)
                .enumerate()
                .map(|(at, (_, words))| (at.to_string(), words.clone()))
                .collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || {
        run.with(|it| {
            let it = it.as_ref()?;
            let at = it.deciders.iter().position(|(decider, _)| *decider == it.decider)?;
            Some(at.to_string())
        })
        .unwrap_or_default()
    });
    let choose = Callback::new(move |value: String| {
        let decider = run.with_untracked(|it| {
            let at: usize = value.parse().ok()?;
            it.as_ref()?.deciders.get(at).map(|(decider, _)| *decider)
        });
        if let Some(decider) = decider {
            session.send(Command::DecideBy(decider));
        }
    });
    view! {
        <Show when=move || run.with(Option::is_some)>
            <SelectField
                id="rating-decider"
                label="Battles decided by"
                options=options
                value=value
                on_change=choose
            />
        </Show>
    }
}

/// The way from battle files back to the run.
#[component]
pub fn BackToRun() -> impl IntoView {
    let session = expect_context::<Session>();
    let other = move || {
        session.ratings.origin.get() == BattlesOrigin::Files && session.run.with(Option::is_some)
    };
    view! {
        <Show when=other>
            <p class="small">
                "These are battles of files. "
                <button
                    class="btn btn--small"
                    type="button"
                    on:click=move |_| session.send(Command::LeaveBattleFiles)
                >
                    "Show this run’s battles"
                </button>
            </p>
        </Show>
    }
}

/// What must be known before a figure is believed.
#[component]
pub fn Standing() -> impl IntoView {
    let session = expect_context::<Session>();
    let run = memo(move || of_run(&session));
    let notices = move || {
        let run = run.get()?;
        let practice = (run.practice && run.duel.is_some()).then(|| {
            view! {
                <div class="notice notice--warn notice--slim">
                    <p>
                        <strong>"Practice."</strong>
                        " These ratings come from words shared with the question and the checklist. They show how the page works and say nothing about the systems."
                    </p>
                </div>
            }
        });
        let interim = (!run.complete).then(|| {
            view! {
                <div class="notice notice--slim">
                    <p>
                        <strong>"Interim."</strong>
                        " Not everything planned has come back; ratings will change."
                    </p>
                </div>
            }
        });
        Some(view! { <div class="stack standing">{practice} {interim}</div> })
    };
    view! { {notices} }
}

/// Position bias, and how far coverage and the direct judge agree.
#[component]
pub fn Agreement() -> impl IntoView {
    let session = expect_context::<Session>();
    let sentences = move || {
        of_run(&session)
            .map(|run| {
                let mut list = vec![seats(&run.seats)];
                list.push(run.disagreement.as_ref().map(disagreement));
                list.into_iter().flatten().collect::<Vec<_>>()
            })
            .unwrap_or_default()
    };
    view! {
        <Show when=move || !sentences().is_empty()>
            <div class="stack" role="group" aria-label="Seats and rules">
                {move || sentences().into_iter().map(|text| view! { <p>{text}</p> }).collect_view()}
            </div>
        </Show>
    }
}

/// `12.0 % (8.1 to 15.9)`.
fn shown(share: &Share) -> String {
    let mean = percent1(share.mean);
    match share.bounds {
        Some((low, high)) => {
            format!("{mean} % (95 %: {} to {})", fixed(low * 100.0, 1), fixed(high * 100.0, 1))
        }
        None => format!("{mean} %"),
    }
}

fn seats(seats: &Seats) -> Option<String> {
    match seats {
        Seats::Nothing => None,
        Seats::NotApplicable => Some(
            "Position bias: not applicable. Words are counted alike, whoever sits first."
                .to_owned(),
        ),
        Seats::Found { flips, lean } => {
            let side = if lean.mean < 0.0 { "second" } else { "first" };
            let strength =
                Share {
                    mean: lean.mean.abs(),
                    bounds: lean.bounds.map(|(low, high)| {
                        if lean.mean < 0.0 { (-high, -low) } else { (low, high) }
                    }),
                    ..*lean
                };
            Some(format!(
                "Position bias: the verdict turns with the seats in {} of {}. Lean to the {side} seat: {} (0 is none, 100 is always).",
                shown(flips),
                counted(flips.battles, "battle", "battles"),
                shown(&strength),
            ))
        }
    }
}

fn disagreement(found: &Disagreement) -> String {
    format!(
        "Coverage and the direct judge prefer opposite sides in {} of {} in which both prefer one; in {} more, one of them sees a tie.",
        shown(&found.opposite),
        counted(found.opposite.battles, "battle", "battles"),
        found.with_tie,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_with_their_bounds() {
        let share = |mean, bounds| Share { mean, bounds, battles: 40, queries: 9 };
        let found = Seats::Found {
            flips: share(0.125, Some((0.05, 0.2))),
            lean: share(-0.1, Some((-0.2, 0.0))),
        };
        assert_eq!(
            seats(&found).unwrap(),
            "Position bias: the verdict turns with the seats in 12.5 % (95 %: 5.0 to 20.0) of 40 battles. Lean to the second seat: 10.0 % (95 %: 0.0 to 20.0) (0 is none, 100 is always)."
        );
        assert!(seats(&Seats::NotApplicable).unwrap().contains("not applicable"));
        let found = Disagreement { opposite: share(0.5, None), with_tie: 3 };
        assert!(
            disagreement(&found)
                .starts_with("Coverage and the direct judge prefer opposite sides in 50.0 % of 40")
        );
    }
}
