//! Bootstrapped ratings against formulas, published spreads and themselves.

use std::ops::ControlFlow;

use viva::rating::{
    Battle, Connected, Limit, PairCounts, Plan, Resamples, Resampling, Summary, Winner, bootstrap,
};

/// 18 systems, 7,650 battles.
const CELLS: &str = include_str!("../fixtures/ratings/cells18.txt");

/// Maximum likelihood and its analytic standard errors for [`CELLS`], computed independently.
const ERRORS: [f64; 18] = [
    13.2483, 12.816, 13.1984, 12.7387, 15.2306, 21.2617, 13.4542, 12.9978, 12.8452, 14.6439,
    12.8751, 18.5506, 12.7465, 12.7971, 12.9712, 12.754, 26.6757, 12.7373,
];

/// What the bootstraps of [`fingerprints`] gave where this was written, as three lines of hexadecimal digits. A
/// browser must say the same: `scripts/bench-ratings.mjs` asks it.
const FINGERPRINTS: &str = include_str!("../fixtures/ratings/fingerprints.txt");

/// One battle a query, in one stratum; queries are numbered through.
fn cells18() -> Vec<Battle> {
    let lines = CELLS.lines().filter(|line| !line.starts_with('#'));
    let mut battles = Vec::new();
    for line in lines {
        let numbers: Vec<u32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        for (winner, times) in
            [(Winner::First, numbers[2]), (Winner::Second, numbers[3]), (Winner::Tie, numbers[4])]
        {
            for _ in 0..times {
                let query = battles.len() as u32;
                let (first, second) = (numbers[0], numbers[1]);
                battles.push(Battle { first, second, winner, query, stratum: 0 });
            }
        }
    }
    battles
}

/// Protocol vector 7.1: four models, 48 battles.
fn four() -> PairCounts {
    let mut counts = PairCounts::new(4);
    for (first, second, [wins, losses, ties]) in [
        (0, 1, [6, 2, 0]),
        (1, 2, [5, 3, 0]),
        (0, 2, [7, 1, 0]),
        (2, 3, [4, 2, 2]),
        (0, 3, [6, 1, 1]),
        (1, 3, [5, 2, 1]),
    ] {
        counts.add(first, second, Winner::First, wins);
        counts.add(first, second, Winner::Second, losses);
        counts.add(first, second, Winner::Tie, ties);
    }
    counts
}

fn run(counts: &PairCounts, resampling: Resampling<'_>, rounds: usize, seed: u64) -> Resamples {
    let plan = Plan { rounds, seed, report_every: 100 };
    let connected = Connected::of(counts).unwrap();
    bootstrap(connected, resampling, plan, |_, _| ControlFlow::Continue(())).unwrap()
}

fn summaries(found: &Resamples) -> Vec<Summary> {
    (0..found.systems()).map(|system| found.summary(system, 0.95)).collect()
}

fn spreads(found: &Resamples) -> Vec<f64> {
    summaries(found).iter().map(|summary| summary.std.finite().unwrap()).collect()
}

/// Ratios of spreads, and their mean.
fn ratios(above: &Resamples, below: &Resamples) -> (Vec<f64>, f64) {
    let each: Vec<f64> =
        spreads(above).iter().zip(spreads(below)).map(|(above, below)| above / below).collect();
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    (each, mean)
}

#[test]
fn spreads_are_the_analytic_ones() {
    let counts = PairCounts::of(18, &cells18());
    let found = spreads(&run(&counts, Resampling::Battles, 1000, 0));
    let each: Vec<f64> = found.iter().zip(ERRORS).map(|(found, error)| found / error).collect();
    assert!(each.iter().all(|ratio| (0.90..=1.08).contains(ratio)), "{each:?}");
    let mean = each.iter().sum::<f64>() / 18.0;
    assert!((0.94..=1.01).contains(&mean), "{mean}");
}

/// Of systems as strong as the paper's; with doubled rows the spread is too small by √2.
#[test]
fn doubled_rows_understate() {
    let counts = PairCounts::of(18, &cells18());
    let proper = run(&counts, Resampling::Battles, 1000, 1);
    let (each, mean) = ratios(&proper, &run(&counts, Resampling::Published, 1000, 1));
    assert!(each.iter().all(|ratio| (1.25..=1.55).contains(ratio)), "{each:?}");
    assert!((mean - std::f64::consts::SQRT_2).abs() < 0.03, "{mean}");
}

#[test]
fn few_battles_have_a_heavy_tail() {
    let counts = four();
    let published = run(&counts, Resampling::Published, 1000, 0).summary(0, 0.95);
    let (mean, median) = (published.mean.finite().unwrap(), published.median.finite().unwrap());
    assert!((1190.0..1212.0).contains(&median), "{median}");
    assert!(median + 2.0 < mean, "{mean} against {median}");
    // Of single battles, some rounds have no finite rating, and say so in the mean only.
    let found = run(&counts, Resampling::Battles, 4000, 0);
    assert!((4..200).contains(&found.separated()), "{}", found.separated());
    let proper = found.summary(0, 0.95);
    assert_eq!((proper.mean, proper.std), (Limit::Unbounded, Limit::Unbounded));
    let median = proper.median.finite().unwrap();
    assert!((1192.0..1212.0).contains(&median), "{median}");
    assert!(proper.low.finite().unwrap() < 1130.0 && 1350.0 < proper.high.finite().unwrap());
    let finite: Vec<f64> =
        found.of(0).iter().copied().filter(|rating| rating.is_finite()).collect();
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    assert!(median + 5.0 < mean, "{mean} against {median}");
}

/// One win of seven leads down: many rounds lack it.
#[test]
fn separated_rounds_leave_limits_open() {
    let mut counts = PairCounts::new(3);
    counts.add(0, 1, Winner::First, 10);
    counts.add(1, 0, Winner::First, 1);
    counts.add(1, 2, Winner::First, 6);
    counts.add(2, 1, Winner::First, 5);
    let found = run(&counts, Resampling::Battles, 1000, 3);
    // (1 − 1/22)²² of all rounds and a few more.
    assert!((300..480).contains(&found.separated()), "{}", found.separated());
    let [top, middle, bottom] = [0, 1, 2].map(|system| found.summary(system, 0.95));
    assert_eq!(top.high, Limit::Unbounded);
    assert!(top.low.finite().is_some() && top.median.finite().is_some());
    assert_eq!(middle.low, Limit::Unbounded);
    assert_eq!(bottom.low, Limit::Unbounded);
    assert_eq!(found.of(0).iter().filter(|rating| rating.is_nan()).count(), 0);
    let infinite = found.of(0).iter().filter(|rating| **rating == f64::INFINITY).count();
    assert!(300 < infinite, "{infinite}");
    let first = found.first();
    assert!(0.8 < first[0] && first.iter().sum::<f64>() <= 1.0 + 1e-9, "{first:?}");
}

fn fingerprints() -> [u64; 3] {
    let mut battles = cells18();
    for battle in &mut battles {
        battle.query /= 10;
        battle.stratum = battle.query % 7;
    }
    let counts = PairCounts::of(18, &battles);
    [
        run(&counts, Resampling::Battles, 1000, 7).fingerprint(),
        run(&four(), Resampling::Battles, 1000, 7).fingerprint(),
        run(&counts, Resampling::Queries(&battles), 1000, 7).fingerprint(),
    ]
}

#[test]
fn the_same_seed_gives_the_same_digits() {
    let found: String = fingerprints().map(|number| format!("{number:016x}\n")).concat();
    assert_eq!(found, FINGERPRINTS);
    let counts = four();
    let (few, many) =
        (run(&counts, Resampling::Battles, 13, 7), run(&counts, Resampling::Battles, 40, 7));
    for system in 0..4 {
        let bits = |found: &Resamples| {
            found.of(system).iter().map(|rating| rating.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(bits(&few), bits(&many)[..13]);
    }
    assert_ne!(few.of(0)[0].to_bits(), run(&counts, Resampling::Battles, 13, 8).of(0)[0].to_bits());
}

#[test]
fn twice_the_battles_are_twice_the_knowledge_only_over_new_queries() {
    // Ten battles a query, scattered over pairs.
    let mut battles = cells18();
    let count = battles.len() as u32;
    for (at, battle) in battles.iter_mut().enumerate() {
        battle.query = (at as u32 * 7919 % count) / 10;
        battle.stratum = battle.query % 7;
    }
    let twice = |query: u32| {
        let copies =
            battles.iter().map(move |battle| Battle { query: battle.query + query, ..*battle });
        battles.iter().copied().chain(copies).collect::<Vec<_>>()
    };
    // Query numbers keep their stratum: 7 divides 7,000.
    let (same, new) = (twice(0), twice(7_000));
    let (once, doubled) = (PairCounts::of(18, &battles), PairCounts::of(18, &same));
    let ratio = |above: Resampling<'_>, below: Resampling<'_>| {
        ratios(&run(&once, above, 1000, 2), &run(&doubled, below, 1000, 3)).1
    };
    let by_battle = ratio(Resampling::Battles, Resampling::Battles);
    let by_query = ratio(Resampling::Queries(&battles), Resampling::Queries(&new));
    let copied = ratio(Resampling::Queries(&battles), Resampling::Queries(&same));
    assert!((by_battle / std::f64::consts::SQRT_2 - 1.0).abs() < 0.03, "{by_battle}");
    assert!((by_query / std::f64::consts::SQRT_2 - 1.0).abs() < 0.03, "{by_query}");
    assert!((copied - 1.0).abs() < 0.02, "{copied}");
}

#[test]
fn names_do_not_matter() {
    let battles = cells18();
    let renamed: Vec<Battle> = battles
        .iter()
        .map(|battle| {
            let name = |system: u32| (system * 5 + 3) % 18;
            Battle { first: name(battle.first), second: name(battle.second), ..*battle }
        })
        .collect();
    let one = run(&PairCounts::of(18, &battles), Resampling::Battles, 1000, 0);
    let other = run(&PairCounts::of(18, &renamed), Resampling::Battles, 1000, 0);
    let (one, other) = (summaries(&one), summaries(&other));
    for (system, own) in one.iter().enumerate() {
        let renamed = other[(system * 5 + 3) % 18];
        // Differences of two means, medians and limits of 1,000 rounds, in standard deviations.
        let std = own.std.finite().unwrap();
        for (own, other, most) in [
            (own.mean, renamed.mean, 0.2),
            (own.median, renamed.median, 0.25),
            (own.low, renamed.low, 0.6),
            (own.high, renamed.high, 0.6),
            (own.std, renamed.std, 0.15),
        ] {
            let apart = (own.finite().unwrap() - other.finite().unwrap()).abs() / std;
            assert!(apart < most, "{system}: {own:?} against {other:?}");
        }
    }
}

#[test]
fn progress_is_heard_and_may_stop_it() {
    let counts = four();
    let connected = Connected::of(&counts).unwrap();
    let plan = Plan { rounds: 100, seed: 0, report_every: 20 };
    let mut heard = Vec::new();
    let all = bootstrap(connected, Resampling::Battles, plan, |done, total| {
        heard.push((done, total));
        ControlFlow::Continue(())
    });
    assert_eq!(all.unwrap().rounds(), 100);
    assert_eq!(heard, [(24, 100), (48, 100), (72, 100), (96, 100), (100, 100)]);
    let mut calls = 0;
    let none = bootstrap(connected, Resampling::Battles, plan, |_, _| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(none.is_none());
    assert_eq!(calls, 2);
}
