//! Ratings against somebody else's numbers, on tournaments nobody chose, and where there are none.

mod coverage;

use proptest::prelude::*;
use viva::rating::{
    Battle, Connected, Gate, Order, PairCounts, Simulation, SmallSample, Winner, analytic,
    at_least, clustered, compare, examine, fit, repairs,
};

/// Ratings and errors of 18 systems, which other code computed from the same counts.
#[test]
fn eighteen_systems() {
    #[derive(serde::Deserialize)]
    struct Fixture {
        rating: Vec<f64>,
        standard_error: Vec<f64>,
        pairs: Vec<(usize, usize, u32, u32, u32)>,
    }
    let text = include_str!("../fixtures/ratings/battles18.json");
    let fixture: Fixture = serde_json::from_str(text).unwrap();
    let mut counts = PairCounts::new(fixture.rating.len());
    for (first, second, wins, losses, ties) in fixture.pairs {
        counts.add(first, second, Winner::First, wins);
        counts.add(first, second, Winner::Second, losses);
        counts.add(first, second, Winner::Tie, ties);
    }
    assert_eq!(counts.battles(), 7_650);
    let fit = fit(examine(&counts).unwrap());
    let covariance = analytic(&counts, &fit).unwrap();
    for (system, found) in fit.ratings().into_iter().enumerate() {
        let expected = fixture.rating[system];
        assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
        let (found, expected) = (covariance.standard_error(system), fixture.standard_error[system]);
        assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
    }
}

/// Battles from (winner, loser, times), each over a query of its own.
fn lots(results: &[(u32, u32, u32)]) -> Vec<Battle> {
    let mut battles = Vec::new();
    for (first, second, times) in results {
        for _ in 0..*times {
            let query = battles.len() as u32;
            let winner = Winner::First;
            battles.push(Battle { first: *first, second: *second, winner, query, stratum: 0 });
        }
    }
    battles
}

/// No rating, and after the wins that are named one. Gives what stood in the way.
#[track_caller]
fn check_broken(systems: usize, battles: &[Battle], missing: usize) -> Gate {
    let mut counts = PairCounts::of(systems, battles);
    let gate = examine(&counts).unwrap_err();
    let repairs = repairs(&counts);
    assert_eq!(repairs.len(), missing);
    for repair in repairs {
        counts.add(repair.winner, repair.loser, Winner::First, 1);
    }
    let fit = fit(examine(&counts).unwrap());
    assert!(fit.ratings().iter().all(|rating| rating.is_finite()));
    gate
}

/// Other packages lose the order here, or show a cut-off number as if it were a rating.
#[test]
fn one_unbeaten_of_three() {
    let battles = lots(&[(0, 1, 5), (0, 2, 5), (1, 2, 3), (2, 1, 2)]);
    let gate = check_broken(3, &battles, 1);
    assert_eq!((gate.never_beaten.as_slice(), gate.never_won.len()), (&[0][..], 0));
    assert_eq!(gate.components[0].systems, [0]);
    assert_eq!(gate.components[0].next, Some(Order::Above));
    assert_eq!(gate.components[1].systems, [1, 2]);
    assert_eq!(gate.islands.len(), 1);
    let counts = PairCounts::of(3, &battles);
    let inside = gate.inside(&counts);
    let ratings = inside[0].fit.ratings();
    assert!((ratings[0] - ratings[1] - 400.0 * 1.5_f64.log10()).abs() < 1e-6);
    let bound = at_least(&counts, &[0], &[1, 2]).unwrap();
    // Ten wins of ten.
    assert!((100.0..500.0).contains(&bound), "{bound}");
}

#[test]
fn one_winless_of_three() {
    let gate = check_broken(3, &lots(&[(0, 1, 3), (1, 0, 2), (0, 2, 5), (1, 2, 5)]), 1);
    assert_eq!((gate.never_beaten.len(), gate.never_won.as_slice()), (0, &[2][..]));
    assert_eq!(gate.components[0].systems, [0, 1]);
    assert_eq!(gate.components[0].next, Some(Order::Above));
}

#[test]
fn two_islands() {
    let battles = lots(&[(0, 1, 3), (1, 0, 2), (2, 3, 4), (3, 2, 1)]);
    let gate = check_broken(4, &battles, 2);
    assert_eq!(gate.islands, [[0, 1], [2, 3]]);
    assert_eq!(gate.components[0].next, Some(Order::Apart));
    assert!(gate.never_beaten.is_empty() && gate.never_won.is_empty());
    let counts = PairCounts::of(4, &battles);
    assert_eq!(at_least(&counts, &[0, 1], &[2, 3]), None);
    assert_eq!(gate.inside(&counts).len(), 2);
}

/// Two systems to six whose results are connected, with a few queries.
fn tournaments() -> impl Strategy<Value = (usize, Vec<Battle>)> {
    (2..=6_u32).prop_flat_map(|systems| {
        let result =
            prop_oneof![4 => Just(Winner::First), 4 => Just(Winner::Second), 1 => Just(Winner::Tie)];
        let battle = (0..systems, 1..systems, result, 0..8_u32);
        let battles = prop::collection::vec(battle, 0..60);
        battles.prop_map(move |battles| {
            let battle = |(first, apart, winner, query)| {
                let second = (first + apart) % systems;
                Battle { first, second, winner, query, stratum: 0 }
            };
            let mut battles: Vec<Battle> = battles.into_iter().map(battle).collect();
            let counts = PairCounts::of(systems as usize, &battles);
            for (query, repair) in (8..).zip(repairs(&counts)) {
                let (first, second) = (repair.winner as u32, repair.loser as u32);
                battles.push(Battle { first, second, winner: Winner::First, query, stratum: 0 });
            }
            (systems as usize, battles)
        })
    })
}

fn ratings(systems: usize, battles: &[Battle]) -> Vec<f64> {
    fit(Connected::of(&PairCounts::of(systems, battles)).unwrap()).ratings()
}

fn assert_close(found: &[f64], expected: &[f64]) -> Result<(), TestCaseError> {
    for (one, other) in found.iter().zip(expected) {
        prop_assert!((one - other).abs() < 1e-7, "{found:?} against {expected:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn new_numbers_and_order_permute_ratings_only(
        (systems, battles) in tournaments(), seed in 0..1_000_usize
    ) {
        // One of the rotations, turned around or not.
        let renamed = |at: usize| {
            let at = (at + seed) % systems;
            if seed % 2 == 0 { at } else { systems - 1 - at }
        };
        let mut other: Vec<Battle> = battles.iter().map(|battle| Battle {
            first: renamed(battle.first as usize) as u32,
            second: renamed(battle.second as usize) as u32,
            ..*battle
        }).collect();
        other.reverse();
        let middle = seed % other.len();
        other.rotate_left(middle);
        let (before, after) = (ratings(systems, &battles), ratings(systems, &other));
        let expected: Vec<f64> = (0..systems).map(|at| after[renamed(at)]).collect();
        assert_close(&before, &expected)?;
        prop_assert!((before.iter().sum::<f64>() / systems as f64 - 1000.0).abs() < 1e-7);
    }

    #[test]
    fn swapped_sides_turn_the_sign((systems, battles) in tournaments()) {
        let turned: Vec<Battle> = battles.iter()
            .map(|battle| Battle { winner: battle.winner.swapped(), ..*battle }).collect();
        let expected: Vec<f64> =
            ratings(systems, &battles).iter().map(|rating| 2000.0 - rating).collect();
        assert_close(&ratings(systems, &turned), &expected)?;
        // Who sits where changes nothing if the result is turned as well.
        let seated: Vec<Battle> = turned.iter()
            .map(|battle| Battle { first: battle.second, second: battle.first, ..*battle })
            .collect();
        assert_close(&ratings(systems, &seated), &ratings(systems, &battles))?;
    }

    #[test]
    fn twice_the_battles_leave_ratings((systems, battles) in tournaments()) {
        let twice = [battles.as_slice(), battles.as_slice()].concat();
        assert_close(&ratings(systems, &twice), &ratings(systems, &battles))?;
    }

    /// Sparse results: what stands one above the other has a bound, and the same results again raise it.
    #[test]
    fn more_battles_raise_the_bound(
        won in prop::collection::vec((0..7_usize, 0..7_usize, 1..5_u32), 1..16)
    ) {
        let (mut counts, mut twice) = (PairCounts::new(7), PairCounts::new(7));
        for (winner, loser, times) in won {
            counts.add(winner, loser, Winner::First, times);
            twice.add(winner, loser, Winner::First, 2 * times);
        }
        let Err(gate) = examine(&counts) else { return Ok(()) };
        for place in gate.components.windows(2) {
            let bound = |counts| at_least(counts, &place[0].systems, &place[1].systems);
            match (place[0].next, bound(&counts), bound(&twice)) {
                (Some(Order::Above), Some(once), Some(twice)) => prop_assert!(once < twice),
                (Some(Order::Unordered | Order::Apart), None, None) => {}
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn chances_of_a_pair_sum_to_one((systems, battles) in tournaments()) {
        let counts = PairCounts::of(systems, &battles);
        let fit = fit(Connected::of(&counts).unwrap());
        let Ok(clustered) = clustered(&fit, &battles, SmallSample::Queries) else { return Ok(()) };
        let simulation = Simulation { draws: 200, seed: 1 };
        let comparisons = compare(&fit, &clustered, simulation);
        for pair in comparisons.pairs() {
            let other = comparisons.between(pair.second, pair.first).unwrap();
            prop_assert!((pair.win + other.win - 1.0).abs() < 1e-12);
            prop_assert!(pair.interval.contains(pair.difference));
            prop_assert!(pair.win_interval.contains(pair.win));
        }
        for rank in comparisons.ranks() {
            prop_assert!(1 <= rank.best && rank.best <= rank.worst && rank.worst <= systems);
        }
    }
}
