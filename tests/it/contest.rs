//! Battles from judgements: by each rule, with gaps left open, and the diagnostics beside them.

use viva::metrics::{Decider, Seats, disagreement, seats, tournament};
use viva::observation::{Mark, Unscored};
use viva::protocol::{Battling, Reading};
use viva::rating::Winner;
use viva::run::Sheet;
use viva::run::sheet::SheetBattle;

use crate::metrics::{reading, sheet};

const GAP: Mark<Winner> = Mark::Unscored(Unscored::Refused);

fn battle(case: u32, given: Mark<Winner>, swapped: Mark<Winner>) -> SheetBattle {
    let battle = Battling { case, first: 0, second: 1 };
    SheetBattle { battle, given, swapped, forfeit: None }
}

/// Two systems over four questions of three items: sums 12 to 0, 12 to 3, a gap, 3 to 3.
fn judged() -> Sheet {
    let mut sheet = sheet(&[("a", "CCC CCC CCu BBB"), ("b", "NNN BBB CCC BBB")]);
    let (first, second) = (Mark::Scored(Winner::First), Mark::Scored(Winner::Second));
    sheet.duel = Some("test".to_owned());
    sheet.may_have_position_bias = true;
    sheet.battles = vec![
        // Coverage is so far ahead that two lost seat orders do not turn it: 12 against 8.
        battle(0, second, second),
        battle(1, second, second),
        battle(2, first, first),
        battle(3, first, second),
    ];
    sheet
}

fn winners(sheet: &Sheet, decider: Decider) -> Vec<(u32, Winner)> {
    tournament(sheet, decider).battles.iter().map(|it| (it.query, it.winner)).collect()
}

#[test]
fn each_rule_decides_as_it_says() {
    use Winner::{First, Second, Tie};
    let sheet = judged();
    assert_eq!(winners(&sheet, Decider::Ensemble), [(0, First), (1, First), (3, Tie)]);
    assert_eq!(winners(&sheet, Decider::Direct), [(0, Second), (1, Second), (2, First), (3, Tie)]);
    assert_eq!(winners(&sheet, Decider::Coverage(None)), [(0, First), (1, First), (3, Tie)]);
    // With the code's constants 9 ahead and both orders lost is a loss: 15 against 6 + 10.
    let released = reading(sheet.clone(), Reading::Released);
    assert_eq!(winners(&released, Decider::Ensemble), [(0, First), (1, Second), (3, Tie)]);
}

#[test]
fn a_gap_leaves_a_battle_undecided() {
    let mut sheet = judged();
    sheet.battles[0].given = GAP;
    let found = tournament(&sheet, Decider::Ensemble);
    assert_eq!(found.undecided.iter().map(|it| it.query).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(found.battles.len(), 2);
    // What a missing answer decides needs no verdict.
    sheet.battles[0].forfeit = Some(Winner::Second);
    assert_eq!(tournament(&sheet, Decider::Ensemble).undecided.len(), 1);
}

#[test]
fn without_a_direct_judge_coverage_decides_every_pair() {
    let mut sheet = judged();
    (sheet.duel, sheet.battles) = (None, Vec::new());
    assert_eq!(Decider::of(&sheet)[0], Decider::Coverage(None));
    assert_eq!(winners(&sheet, Decider::Coverage(None)).len(), 3);
    assert_eq!(seats(&sheet), Seats::Nothing);
}

#[test]
fn seats_and_rules_are_compared() {
    let mut sheet = judged();
    let Seats::Found { flips, lean } = seats(&sheet) else { panic!("nothing found") };
    assert_eq!((flips.mean, flips.battles, flips.queries), (0.25, 4, 4));
    // Battle 3 went to whoever sat first: a lean of one in four.
    assert!((lean.mean - 0.25).abs() < 1e-12);
    // Four values 0, 0, 0, 1: the ordinary t interval of a mean, 0.25 ∓ 3.182446 × 0.25.
    let (low, high) = flips.bounds.unwrap();
    assert!(
        (low - (0.25 - 0.795_611_6)).abs() < 1e-6 && (high - (0.25 + 0.795_611_6)).abs() < 1e-6
    );
    let found = disagreement(&sheet).unwrap();
    assert_eq!((found.opposite.mean, found.opposite.battles, found.with_tie), (1.0, 2, 1));
    sheet.may_have_position_bias = false;
    assert_eq!(seats(&sheet), Seats::NotApplicable);
}
