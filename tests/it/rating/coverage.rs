//! How often the intervals hold the truth, on tournaments whose truth is known.
//!
//! Shares of nominal 95 % intervals that did, with query effects of one natural-log unit unless said
//! otherwise; "naive" are ratings ∓ 1.96 analytic errors, as if battles were independent:
//!
//! | systems × queries | battles | tables | ratings | differences | all pairs at once | naive |
//! |---|---|---|---|---|---|---|
//! | 5 × 20, no effect | 200 | 4,000 | 95.6 % | 95.6 % | 95.6 % | 95.4 % |
//! | 5 × 20 | 200 | 4,000 | 95.7 % | 95.7 % | 95.8 % | 90.8 % |
//! | 5 × 20, effect of two | 200 | 4,000 | 95.8 % | 95.7 % | 96.2 % | 86.1 % |
//! | 5 × 8 | 80 | 4,000 | 96.6 % | 96.0 % | 92.8 % | 90.8 % |
//! | 18 × 3,750, two pairs a query | 7,500 | 600 | 95.1 % | 95.3 % | 96.3 % | 94.6 % |
//!
//! With few queries the correlations are rough estimates as well, and all pairs at once hold less often.
//! The reach of these is simulated with 400 draws here, which alone makes it uncertain by some 5 %.

use viva::rating::{
    Battle, Connected, Covariance, Fit, PairCounts, SCALE, Simulation, SmallSample, Winner,
    analytic, clustered, compare, fit,
};

/// A truth, and how queries differ.
struct Plan {
    systems: u32,
    queries: u32,
    /// Distance of neighbours, in Elo points.
    gap: f64,
    /// Standard deviation of what a query adds to each system's strength, in natural-log units: it makes
    /// the battles of one query go together.
    effect: f64,
    met: Met,
    tables: u32,
}

/// Which battles are fought.
#[derive(Clone, Copy)]
enum Met {
    /// Every pair on every query.
    All,
    /// So many pairs a query, all in turn.
    Turns(u32),
}

/// Splitmix64 with Box and Muller's normals.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((bits ^ (bits >> 31)) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

impl Plan {
    fn strength(&self, system: u32) -> f64 {
        (f64::from(self.systems - 1) / 2.0 - f64::from(system)) * self.gap / SCALE
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        (1..self.systems).flat_map(|high| (0..high).map(move |low| (low, high))).collect()
    }

    fn drawn(&self, random: &mut Random) -> Vec<Battle> {
        let pairs = self.pairs();
        let mut turn = 0;
        let mut battles = Vec::new();
        for query in 0..self.queries {
            let shown: Vec<f64> = (0..self.systems)
                .map(|at| self.strength(at) + self.effect * random.normal())
                .collect();
            let fought = match self.met {
                Met::All => pairs.len(),
                Met::Turns(times) => times as usize,
            };
            for _ in 0..fought {
                let (first, second) = pairs[turn % pairs.len()];
                turn += 1;
                let ahead = shown[first as usize] - shown[second as usize];
                let win = 1.0 / (1.0 + (-ahead).exp());
                let winner = if random.uniform() < win { Winner::First } else { Winner::Second };
                battles.push(Battle { first, second, winner, query, stratum: 0 });
            }
        }
        battles
    }

    /// What an endless tournament would rate: query effects pull win rates towards a half, and the truth
    /// that is estimated is the Bradley–Terry fit to those.
    fn truth(&self) -> Vec<f64> {
        // Of the difference of two effects, by the trapezoid rule over seven standard deviations.
        let win = |ahead: f64| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for step in -140..=140 {
                let at = f64::from(step) / 20.0;
                let weight = (-at * at / 2.0).exp();
                let shift = at * self.effect * 2.0_f64.sqrt();
                sum += weight / (1.0 + (-ahead - shift).exp());
                weights += weight;
            }
            sum / weights
        };
        let mut counts = PairCounts::new(self.systems as usize);
        for (low, high) in self.pairs() {
            let wins = (1e8 * win(self.strength(low) - self.strength(high))).round() as u32;
            counts.add(low as usize, high as usize, Winner::First, wins);
            counts.add(low as usize, high as usize, Winner::Second, 100_000_000 - wins);
        }
        fit(Connected::of(&counts).unwrap()).ratings()
    }
}

/// Shares of 95 % intervals that held the truth.
#[derive(Debug)]
struct Held {
    ratings: f64,
    differences: f64,
    /// Of tables, in which every pair's simultaneous interval did.
    together: f64,
    /// Of ratings, by the curvature of the likelihood alone, as if battles were independent.
    naive: f64,
    /// Tables without ratings or without a covariance, which count for nothing.
    without: u32,
}

#[expect(clippy::print_stdout, reason = "the measured shares are what the test is for")]
fn measure(plan: &Plan) -> Held {
    let truth = plan.truth();
    let n = truth.len();
    let mut random = Random(20_260_801);
    let [mut ratings, mut differences, mut together, mut naive] = [0_u32; 4];
    let mut without = 0;
    for _ in 0..plan.tables {
        let battles = plan.drawn(&mut random);
        let counts = PairCounts::of(n, &battles);
        let Some(connected) = Connected::of(&counts) else {
            without += 1;
            continue;
        };
        let found = fit(connected);
        let Ok(robust) = clustered(&found, &battles, SmallSample::Queries) else {
            without += 1;
            continue;
        };
        let intervals = robust.intervals(&found);
        ratings += (0..n).filter(|at| intervals[*at].contains(truth[*at])).count() as u32;
        naive += plain(&found, &analytic(&counts, &found).unwrap(), &truth);
        let comparisons = compare(&found, &robust, Simulation { draws: 400, seed: 1 });
        let mut all = true;
        for pair in comparisons.pairs() {
            let difference = truth[pair.first] - truth[pair.second];
            differences += u32::from(pair.interval.contains(difference));
            all &= pair.simultaneous.contains(difference);
        }
        together += u32::from(all);
    }
    let tables = f64::from(plan.tables - without);
    let held = Held {
        ratings: f64::from(ratings) / tables / n as f64,
        differences: f64::from(differences) / tables / plan.pairs().len() as f64,
        together: f64::from(together) / tables,
        naive: f64::from(naive) / tables / n as f64,
        without,
    };
    println!(
        "{} systems, {} queries, effect {}: {held:?}",
        plan.systems, plan.queries, plan.effect
    );
    held
}

/// How many ratings an interval of 1.96 analytic errors holds.
fn plain(fit: &Fit, covariance: &Covariance, truth: &[f64]) -> u32 {
    let ratings = fit.ratings().into_iter().zip(truth).enumerate();
    let held = ratings.filter(|(at, (found, truth))| {
        (found - *truth).abs() <= 1.96 * covariance.standard_error(*at)
    });
    held.count() as u32
}

const FIVE: Plan =
    Plan { systems: 5, queries: 20, gap: 60.0, effect: 1.0, met: Met::All, tables: 1000 };

/// As many systems, queries and, about, battles as ResearchQA has.
const EIGHTEEN: Plan =
    Plan { systems: 18, queries: 3_750, gap: 60.0, effect: 1.0, met: Met::Turns(2), tables: 60 };

/// Measured here: ratings 96.0 %, differences 95.8 %, all pairs at once 95.5 %, naive 90.8 %.
#[test]
fn five_systems_on_twenty_queries() {
    let held = measure(&FIVE);
    assert!(held.without < 10);
    assert!((0.93..0.98).contains(&held.ratings), "{held:?}");
    assert!((0.93..0.98).contains(&held.differences), "{held:?}");
    assert!((0.92..0.98).contains(&held.together), "{held:?}");
    // What is to be gained: these forget that battles over one query go together.
    assert!(held.naive < 0.93, "{held:?}");
}

/// Measured here: ratings 93.7 %, differences 95.1 %, from so few tables that two points are chance.
#[test]
fn eighteen_systems_on_their_queries() {
    let held = measure(&EIGHTEEN);
    assert_eq!(held.without, 0);
    assert!((0.92..0.98).contains(&held.ratings), "{held:?}");
    assert!((0.92..0.98).contains(&held.differences), "{held:?}");
}

#[test]
#[ignore = "half a minute: the numbers in the docs of this file"]
fn far_more_tables() {
    for effect in [0.0, 1.0, 2.0] {
        measure(&Plan { effect, tables: 4000, ..FIVE });
    }
    measure(&Plan { queries: 8, tables: 4000, ..FIVE });
    measure(&Plan { tables: 600, ..EIGHTEEN });
}
