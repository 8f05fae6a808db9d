//! Who meets whom: evenly, by content alone, and only ever more.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use viva::ids::SystemName;
use viva::protocol::Battling;
use viva::rating::{Connected, PairCounts, Winner};
use viva::run::matchups::{Matching, carry, plan};
use viva::run::{AnswerState, Frame};

use crate::world::frame;

const EVEN: Matching = Matching { per_pair: 6, seed: 3, no_answer_loses: false };

/// 24 questions in three domains of 12, 8 and 4.
fn questions(systems: &[&str]) -> Frame {
    let mut frame = frame(&[2; 24], systems);
    for (at, case) in frame.cases.iter_mut().enumerate() {
        ["A", "B", "A", "C", "A", "B"][at % 6].clone_into(&mut case.domain);
    }
    frame
}

/// By names of systems and questions, the names of a pair in order.
fn named(frame: &Frame, battles: &[Battling]) -> BTreeSet<(String, String, String)> {
    let name = |at: u32| frame.systems[at as usize].name.to_string();
    battles
        .iter()
        .map(|it| {
            let (first, second) = (name(it.first), name(it.second));
            let case = frame.cases[it.case as usize].id.to_string();
            (first.clone().min(second.clone()), first.max(second), case)
        })
        .collect()
}

#[test]
fn every_pair_meets_equally_often_and_domains_evenly() {
    let frame = questions(&["a", "b", "c", "d"]);
    let found = plan(&frame, EVEN, &[]);
    assert_eq!(found.battles.len(), 6 * 6);
    assert!(found.pairs.iter().all(|pair| pair.battles == 6 && pair.skipped == 0));
    let mut by_domain: BTreeMap<(u32, u32, &str), u32> = BTreeMap::new();
    for it in &found.battles {
        let domain = frame.cases[it.case as usize].domain.as_str();
        *by_domain.entry((it.first, it.second, domain)).or_default() += 1;
    }
    for ((.., domain), n) in by_domain {
        let expected = match domain {
            "A" => 3,
            "B" => 2,
            _ => 1,
        };
        assert_eq!(n, expected, "{domain}");
    }
    // Whoever wins, there is a way between all of them in both directions if both win once.
    let mut counts = PairCounts::new(4);
    for it in &found.battles {
        for winner in [Winner::First, Winner::Second] {
            counts.add(it.first as usize, it.second as usize, winner, 1);
        }
    }
    assert!(Connected::of(&counts).is_some());
}

#[test]
fn names_and_order_change_nothing_and_a_system_only_adds() {
    let before = questions(&["a", "b", "c"]);
    let battles = named(&before, &plan(&before, EVEN, &[]).battles);
    let mut turned = before.clone();
    turned.systems.reverse();
    assert_eq!(named(&turned, &plan(&turned, EVEN, &[]).battles), battles);
    let mut renamed = before.clone();
    for system in &mut renamed.systems {
        system.name = SystemName::new(format!("{}!", system.name));
    }
    let found = named(&renamed, &plan(&renamed, EVEN, &[]).battles);
    let told: BTreeSet<_> = battles
        .iter()
        .map(|(a, b, case)| (format!("{a}!"), format!("{b}!"), case.clone()))
        .collect();
    assert_eq!(found, told);
    let more = questions(&["a", "b", "c", "d"]);
    assert!(named(&more, &plan(&more, EVEN, &[]).battles).is_superset(&battles));
    // More battles hold the fewer ones.
    let longer = plan(&before, Matching { per_pair: 11, ..EVEN }, &[]);
    assert!(named(&before, &longer.battles).is_superset(&battles));
    // Another seed is another choice.
    let other = plan(&before, Matching { seed: 4, ..EVEN }, &[]);
    assert_ne!(named(&before, &other.battles), battles);
}

#[test]
fn missing_answers_are_skipped_and_counted_or_lose() {
    let mut frame = questions(&["a", "b"]);
    for at in 0..20 {
        frame.systems[1].answers[at] =
            if at % 2 == 0 { AnswerState::Missing } else { AnswerState::Empty };
    }
    let skipped = plan(&frame, EVEN, &[]);
    assert_eq!((skipped.pairs[0].battles, skipped.pairs[0].skipped), (4, 20));
    assert_eq!(skipped.pairs[0].forfeits, 0);
    let lost = plan(&frame, Matching { no_answer_loses: true, per_pair: 24, ..EVEN }, &[]);
    assert_eq!((lost.pairs[0].battles, lost.pairs[0].forfeits), (24, 20));
}

#[test]
fn a_run_that_grows_keeps_its_battles() {
    let before = questions(&["a", "b", "c"]);
    let kept = plan(&before, EVEN, &[]).battles;
    // New answers make another identity, and a question goes.
    let mut now = questions(&["x", "c", "b", "a"]);
    now.systems[3].identity = viva::ids::Digest::of_texts(["a with one more answer"]);
    let gone = now.cases.remove(7).id.to_string();
    for system in &mut now.systems {
        system.answers.remove(7);
    }
    let carried = carry(&before, &kept, &now);
    let found = plan(&now, EVEN, &carried);
    let mut expected = named(&before, &kept);
    expected.retain(|(.., case)| *case != gone);
    assert!(named(&now, &found.battles).is_superset(&expected));
    assert!(found.pairs.iter().all(|pair| pair.battles == 6), "{:?}", found.pairs);
}

proptest! {
    #[test]
    fn a_plan_never_asks_for_what_is_not_there(
        holes in proptest::collection::vec((0..4_usize, 0..24_usize), 0..60),
        per_pair in 0..30_u32,
        no_answer_loses: bool,
    ) {
        let mut frame = questions(&["a", "b", "c", "d"]);
        for (system, case) in holes {
            frame.systems[system].answers[case] = AnswerState::Missing;
        }
        let found = plan(&frame, Matching { per_pair, seed: 1, no_answer_loses }, &[]);
        let distinct: BTreeSet<_> = named(&frame, &found.battles);
        prop_assert_eq!(distinct.len(), found.battles.len());
        for it in &found.battles {
            let answered = [it.first, it.second].map(|system| {
                frame.systems[system as usize].answers[it.case as usize].is_answered()
            });
            prop_assert!(answered == [true, true] || (no_answer_loses && answered != [false, false]));
        }
        let battles: u32 = found.pairs.iter().map(|pair| pair.battles).sum();
        prop_assert_eq!(battles as usize, found.battles.len());
    }
}
