//! The battles over one question: who was preferred in each seat order, word for word.

use std::sync::Arc;

use leptos::prelude::*;

use super::judgement::{Facts, Judge, OutcomeView, PromptView, when};
use crate::observation::{Mark, Unscored};
use crate::protocol::Order;
use crate::rating::Winner;
use crate::ui::format::counted;
use crate::worker::{InspectedBattle, InspectedDuel, Inspection};

/// Lays open every battle over the question. Absent where nothing was compared.
#[component]
pub fn BattleSection(inspection: Arc<Inspection>, judge: Judge) -> impl IntoView {
    if inspection.battles.is_empty() {
        return ().into_any();
    }
    let list = inspection.battles.iter().map(|battle| {
        view! { <BattleView battle=battle.clone() judge=judge.clone() /> }
    });
    let n = counted(inspection.battles.len() as u64, "battle", "battles");
    view! {
        <section class="section" aria-labelledby="h-battles">
            <header>
                <h2 id="h-battles">"Battles over this question"</h2>
                <p class="small quiet">
                    {n} ". The direct judge compares two answers twice; each sits first once."
                </p>
            </header>
            <div class="stack">{list.collect_view()}</div>
        </section>
    }
    .into_any()
}

/// One battle; its two calls unfold.
#[component]
fn BattleView(battle: InspectedBattle, judge: Judge) -> impl IntoView {
    let words = words(&battle);
    let names = (battle.first.clone(), battle.second.clone());
    let duels = battle.duels.into_iter().map(|duel| {
        view! { <DuelView names=names.clone() duel=duel judge=judge.clone() /> }
    });
    view! {
        <details>
            <summary>
                <strong>{names.0.clone()} " and " {names.1.clone()}</strong>
                ": "
                {words}
            </summary>
            <div class="stack-l">{duels.collect_view()}</div>
        </details>
    }
}

/// One call of the direct judge with all its attempts.
#[component]
fn DuelView(names: (String, String), duel: InspectedDuel, judge: Judge) -> impl IntoView {
    let (first, second) = match duel.order {
        Order::Given => (&names.0, &names.1),
        Order::Swapped => (&names.1, &names.0),
    };
    let title = format!("{first} sits first, {second} second");
    let verdict = verdict(duel.verdict, &names);
    if duel.exchanges.is_empty() {
        return view! {
            <div class="stack">
                <p class="small">
                    <strong>{title}</strong>
                    " "
                    <span class="quiet">"not asked yet"</span>
                </p>
                <PromptView prompt=duel.prompt size=String::new() asked=judge.asked />
            </div>
        }
        .into_any();
    }
    let last = duel.exchanges.len() - 1;
    let list = duel.exchanges.into_iter().enumerate().map(|(at, exchange)| {
        let prompt = (at == last).then(|| {
            let size = exchange.size.clone();
            view! { <PromptView prompt=duel.prompt.clone() size=size asked=judge.asked /> }
        });
        let when = when(&exchange);
        let mut pairs = if judge.asked { exchange.facts } else { Vec::new() };
        pairs.push(when);
        pairs.push(("Attempt".to_owned(), format!("{} of {}", at + 1, last + 1)));
        pairs.push(("Verdict".to_owned(), verdict.clone()));
        view! {
            <div class="columns">
                <div class="stack">
                    <OutcomeView title=title.clone() end=exchange.end />
                    {prompt}
                </div>
                <Facts facts=pairs />
            </div>
        }
    });
    list.collect_view().into_any()
}

/// Who is preferred, as a clause.
fn words(battle: &InspectedBattle) -> String {
    let name = |winner| match winner {
        Winner::First => Some(battle.first.as_str()),
        Winner::Second => Some(battle.second.as_str()),
        Winner::Tie => None,
    };
    if let Some(name) = battle.forfeit.and_then(name) {
        return format!("{name} wins, the other has no answer");
    }
    let verdicts: Option<Vec<Winner>> =
        battle.duels.iter().map(|duel| duel.verdict.verdict()).collect();
    match verdicts.as_deref() {
        Some([given, swapped]) => match (name(*given), name(*swapped)) {
            (Some(one), Some(other)) if one == other => format!("{one} in both seat orders"),
            (Some(_), Some(_)) => "the verdict turns with the seats".to_owned(),
            (Some(one), None) | (None, Some(one)) => {
                format!("{one} in one seat order, a tie in the other")
            }
            (None, None) => "a tie in both seat orders".to_owned(),
        },
        _ => "undecided".to_owned(),
    }
}

fn verdict(mark: Mark<Winner>, names: &(String, String)) -> String {
    match mark {
        Mark::Scored(Winner::First) => names.0.clone(),
        Mark::Scored(Winner::Second) => names.1.clone(),
        Mark::Scored(Winner::Tie) => "tie".to_owned(),
        Mark::Unscored(why) => match why {
            Unscored::Unparsed => "unparsed",
            Unscored::Truncated => "truncated",
            Unscored::Refused => "refused",
            Unscored::Failed => "failed",
            Unscored::InFlight => "in flight",
            Unscored::NotAsked => "not asked yet",
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Digest;

    #[test]
    fn a_battle_is_told_in_a_clause() {
        let battle = |verdicts: [Mark<Winner>; 2]| {
            let duel = |(order, verdict)| InspectedDuel {
                key: Digest::of_texts(["k"]),
                order,
                verdict,
                prompt: None,
                exchanges: Vec::new(),
            };
            InspectedBattle {
                first: "a".to_owned(),
                second: "b".to_owned(),
                forfeit: None,
                duels: Order::BOTH.into_iter().zip(verdicts).map(duel).collect(),
            }
        };
        let (first, second) = (Mark::Scored(Winner::First), Mark::Scored(Winner::Second));
        let tie = Mark::Scored(Winner::Tie);
        for (verdicts, expected) in [
            ([second, second], "b in both seat orders"),
            ([first, second], "the verdict turns with the seats"),
            ([tie, first], "a in one seat order, a tie in the other"),
            ([tie, tie], "a tie in both seat orders"),
            ([first, Mark::Unscored(Unscored::Failed)], "undecided"),
        ] {
            assert_eq!(words(&battle(verdicts)), expected);
        }
        let lost = InspectedBattle { forfeit: Some(Winner::Second), ..battle([tie, tie]) };
        assert_eq!(words(&lost), "b wins, the other has no answer");
    }
}
