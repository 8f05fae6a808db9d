//! One system against another: differences, which of them are sure, and the ranks that follow.
//!
//! Errors of differences are paired, from the covariance: the queries both answered cancel. Statements
//! about one pair that was named beforehand use its own interval; anything read off the whole table, such
//! as a rank, uses intervals that hold for all pairs at once.

use serde::{Deserialize, Serialize};

use super::fit::Fit;
use super::number::ln;
use super::sandwich::{Clustered, Covariance, Interval};
use super::win_probability;

/// How the reach of simultaneous intervals is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulation {
    /// At least 20,000 keep its Monte Carlo error near one per cent of the reach.
    pub draws: usize,
    /// The same seed, the same digits.
    pub seed: u64,
}

impl Simulation {
    pub const RECOMMENDED: Self = Self { draws: 20_000, seed: 0 };
}

/// How far simultaneous intervals reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxT {
    /// In standard errors of the difference: the 95 % point of the largest |t| over all pairs.
    pub reach: f64,
    /// Standard error of `reach` from simulating, also in standard errors of the difference.
    pub monte_carlo: f64,
}

/// Two systems, seen from the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub first: usize,
    pub second: usize,
    /// Rating of the first less that of the second, in Elo points.
    pub difference: f64,
    /// In Elo points, paired over queries.
    pub standard_error: f64,
    /// 95 % for this pair alone, by Student's t with queries − 1 degrees of freedom.
    pub interval: Interval,
    /// 95 % for all pairs together: in 19 of 20 such tables every one of these holds the truth.
    pub simultaneous: Interval,
    /// That the first wins, a tie being half a win.
    pub win: f64,
    /// `interval`, as probabilities.
    pub win_interval: Interval,
}

impl Comparison {
    /// The same from the other side.
    #[must_use]
    pub fn swapped(self) -> Self {
        let turned = |interval: Interval| Interval { low: -interval.high, high: -interval.low };
        let interval = turned(self.interval);
        Self {
            first: self.second,
            second: self.first,
            difference: -self.difference,
            standard_error: self.standard_error,
            interval,
            simultaneous: turned(self.simultaneous),
            win: win_probability(-self.difference, 0.0),
            win_interval: probabilities(interval),
        }
    }

    /// What all pairs together say for sure of this one.
    pub fn verdict(self) -> Verdict {
        if 0.0 < self.simultaneous.low {
            Verdict::Above
        } else if self.simultaneous.high < 0.0 {
            Verdict::Below
        } else {
            Verdict::Open
        }
    }
}

/// Whether the first of two systems is surely better, at 95 % for all pairs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    Above,
    Below,
    Open,
}

/// The ranks a system may have, 1 being the best; at 95 % for all systems at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankRange {
    /// One more than the systems surely above.
    pub best: usize,
    /// As many as there are systems, less those surely below.
    pub worst: usize,
}

/// All pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparisons {
    systems: usize,
    pairs: Vec<Comparison>,
    pub max_t: MaxT,
}

impl Comparisons {
    /// All pairs, the smaller number first: (0, 1), (0, 2), (1, 2), (0, 3), …
    pub fn pairs(&self) -> &[Comparison] {
        &self.pairs
    }

    /// Seen from the first. `None` where both are one.
    pub fn between(&self, first: usize, second: usize) -> Option<Comparison> {
        let place = |low, high| super::PairCounts::place(low, high);
        match first.cmp(&second) {
            std::cmp::Ordering::Less => Some(self.pairs[place(first, second)]),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(self.pairs[place(second, first)].swapped()),
        }
    }

    /// Of every system.
    pub fn ranks(&self) -> Vec<RankRange> {
        let mut ranks = vec![RankRange { best: 1, worst: self.systems }; self.systems];
        for pair in &self.pairs {
            let (above, below) = match pair.verdict() {
                Verdict::Above => (pair.first, pair.second),
                Verdict::Below => (pair.second, pair.first),
                Verdict::Open => continue,
            };
            ranks[below].best += 1;
            ranks[above].worst -= 1;
        }
        ranks
    }
}

/// Compares all pairs.
pub fn compare(fit: &Fit, clustered: &Clustered, simulation: Simulation) -> Comparisons {
    let covariance = &clustered.covariance;
    let ratings = fit.ratings();
    let reach = clustered.reach();
    let max_t = max_t(clustered, simulation);
    let systems = ratings.len();
    let numbers = (1..systems).flat_map(|high| (0..high).map(move |low| (low, high)));
    let pairs = numbers.map(|(first, second)| {
        let difference = ratings[first] - ratings[second];
        let standard_error = covariance.difference(first, second);
        let interval = Interval::around(difference, reach * standard_error);
        Comparison {
            first,
            second,
            difference,
            standard_error,
            interval,
            simultaneous: Interval::around(difference, max_t.reach * standard_error),
            win: win_probability(difference, 0.0),
            win_interval: probabilities(interval),
        }
    });
    Comparisons { systems, pairs: pairs.collect(), max_t }
}

/// An interval of differences as one of win probabilities, which keeps its coverage.
fn probabilities(interval: Interval) -> Interval {
    Interval { low: win_probability(interval.low, 0.0), high: win_probability(interval.high, 0.0) }
}

/// The 95 % point of max |t| over all pairs, by drawing from a multivariate t with the covariance as it
/// was found and queries − 1 degrees of freedom (Hothorn, Bretz and Westfall 2008).
pub fn max_t(clustered: &Clustered, simulation: Simulation) -> MaxT {
    let covariance = &clustered.covariance;
    let n = covariance.systems();
    let (factor, rank) = factor(covariance);
    let mut precision = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    for high in 1..n {
        for low in 0..high {
            let error = covariance.difference(low, high) / super::SCALE;
            precision.push(if 0.0 < error { 1.0 / error } else { 0.0 });
        }
    }
    let mut random = Random(simulation.seed);
    let mut normal = vec![0.0; rank];
    let mut drawn = vec![0.0; n];
    let mut largest = Vec::with_capacity(simulation.draws);
    for _ in 0..simulation.draws {
        for value in &mut normal {
            *value = random.normal();
        }
        for (value, row) in drawn.iter_mut().zip(factor.chunks_exact(rank.max(1))) {
            *value = row.iter().zip(&normal).map(|(part, normal)| part * normal).sum();
        }
        let mut most = 0.0_f64;
        let mut rest = precision.as_slice();
        for (high, value) in drawn.iter().enumerate().skip(1) {
            let (row, later) = rest.split_at(high);
            rest = later;
            for (other, precision) in drawn.iter().zip(row) {
                most = most.max((value - other).abs() * precision);
            }
        }
        let freedom = clustered.freedom();
        largest.push(most / (random.chi_squared(freedom) / freedom).sqrt());
    }
    largest.sort_unstable_by(f64::total_cmp);
    let reach = quantile(&largest, 0.95);
    // A binomial's standard deviation to either side of the place, seen in the draws.
    let spread = (0.95 * 0.05 / simulation.draws as f64).sqrt();
    let (below, above) = (quantile(&largest, 0.95 - spread), quantile(&largest, 0.95 + spread));
    MaxT { reach, monte_carlo: (above - below) / 2.0 }
}

/// Linear between order statistics. Infinite without a value: nothing was shown.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::INFINITY };
    let place = (part * last as f64).clamp(0.0, last as f64);
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * (place - place.floor())
}

/// F with F Fᵀ = covariance, row by row, and how many columns it has: a Cholesky factor that takes the
/// largest pivot first and stops when none is left, as the covariance never has full rank.
fn factor(covariance: &Covariance) -> (Vec<f64>, usize) {
    let n = covariance.systems();
    let mut left: Vec<f64> = (0..n).map(|at| covariance.of(at, at)).collect();
    let smallest = 1e-12 * left.iter().fold(0.0, |most: f64, value| most.max(*value));
    let mut columns: Vec<Vec<f64>> = Vec::new();
    while columns.len() < n {
        let Some(pivot) = (0..n).max_by(|a, b| left[*a].total_cmp(&left[*b])) else { break };
        if left[pivot] <= smallest {
            break;
        }
        let root = left[pivot].sqrt();
        let column = (0..n).map(|row| {
            let known: f64 = columns.iter().map(|column| column[row] * column[pivot]).sum();
            (covariance.of(row, pivot) - known) / root
        });
        let column: Vec<f64> = column.collect();
        for (left, part) in left.iter_mut().zip(&column) {
            *left -= part * part;
        }
        left[pivot] = 0.0;
        columns.push(column);
    }
    let rank = columns.len();
    let rows = (0..n).flat_map(|row| columns.iter().map(move |column| column[row]));
    (rows.collect(), rank)
}

/// Splitmix64 (Steele, Lea and Flood 2014): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Above 0 and below 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// By Marsaglia's polar method (Marsaglia and Bray 1964), which needs no sine.
    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if 0.0 < square && square < 1.0 {
                return x * (-2.0 * ln(square) / square).sqrt();
            }
        }
    }

    /// With at least one degree of freedom: twice a gamma variate (Marsaglia and Tsang 2000).
    fn chi_squared(&mut self, freedom: f64) -> f64 {
        // Their method needs a shape of one at least, so of a single degree it is the square.
        if freedom < 2.0 {
            let normal = self.normal();
            return normal * normal;
        }
        let shift = freedom / 2.0 - 1.0 / 3.0;
        let slope = 1.0 / (9.0 * shift).sqrt();
        loop {
            let normal = self.normal();
            let root = 1.0 + slope * normal;
            if root <= 0.0 {
                continue;
            }
            let cube = root * root * root;
            if ln(self.uniform()) < normal * normal / 2.0 + shift * (1.0 - cube + ln(cube)) {
                return 2.0 * shift * cube;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::{Battle, Winner};
    use crate::rating::counts::PairCounts;
    use crate::rating::fit::fit;
    use crate::rating::gate::Connected;
    use crate::rating::sandwich::{SmallSample, clustered, t_quantile};

    /// Every pair meets once a query; the smaller number wins `wins` of `queries`.
    fn round_robin(systems: u32, queries: u32, wins: u32) -> Vec<Battle> {
        let mut battles = Vec::new();
        for query in 0..queries {
            for second in 1..systems {
                for first in 0..second {
                    let turn = (query + 3 * first + 5 * second) % queries;
                    let winner = if turn < wins { Winner::First } else { Winner::Second };
                    battles.push(Battle { first, second, winner, query, stratum: 0 });
                }
            }
        }
        battles
    }

    fn compared(systems: u32, queries: u32, wins: u32) -> (Fit, Clustered, Comparisons) {
        let battles = round_robin(systems, queries, wins);
        let counts = PairCounts::of(systems as usize, &battles);
        let fit = fit(Connected::of(&counts).unwrap());
        let clustered = clustered(&fit, &battles, SmallSample::Queries).unwrap();
        let comparisons = compare(&fit, &clustered, Simulation::RECOMMENDED);
        (fit, clustered, comparisons)
    }

    /// Of a single pair, the largest |t| is |t|.
    #[test]
    fn one_pair_needs_no_correction() {
        for queries in [5, 40] {
            let (_, clustered, comparisons) = compared(2, queries, queries * 3 / 5);
            let MaxT { reach, monte_carlo } = comparisons.max_t;
            let exact = t_quantile(0.975, f64::from(queries) - 1.0);
            assert!((reach - exact).abs() < 4.0 * monte_carlo, "{reach} against {exact}");
            assert!(monte_carlo < 0.02 * reach);
            assert!((clustered.reach() - exact).abs() < 1e-12);
        }
    }

    /// Systems with one error and no correlation but that of a fixed mean: Tukey's studentised range,
    /// q(0.95; 3, 10) ÷ √2 = 3.877 ÷ 1.4142 and q(0.95; 10, ∞) ÷ √2 = 4.474 ÷ 1.4142, from printed tables.
    #[test]
    fn all_pairs_agree_with_tukey() {
        for (systems, queries, expected) in [(3, 11, 3.877), (10, 10_000_000, 4.474)] {
            let n = f64::from(systems);
            let covariance =
                Covariance::from(
                    systems as usize,
                    |i, j| {
                        if i == j { 1.0 - 1.0 / n } else { -1.0 / n }
                    },
                );
            let clustered = Clustered { covariance, queries };
            let MaxT { reach, monte_carlo } = max_t(&clustered, Simulation::RECOMMENDED);
            let expected = expected / 2.0_f64.sqrt();
            assert!((reach - expected).abs() < 4.0 * monte_carlo, "{reach} against {expected}");
        }
    }

    #[test]
    fn ranks_follow_from_what_is_sure() {
        let (_, _, comparisons) = compared(3, 200, 150);
        let ranks = comparisons.ranks();
        let expected: Vec<_> = (1..=3).map(|rank| RankRange { best: rank, worst: rank }).collect();
        assert_eq!(ranks, expected);
        let (_, _, comparisons) = compared(3, 20, 11);
        assert_eq!(comparisons.ranks(), [RankRange { best: 1, worst: 3 }; 3]);
    }

    #[test]
    fn both_sides_agree() {
        let (fit, clustered, comparisons) = compared(4, 30, 19);
        let (one, other) = (comparisons.between(0, 2).unwrap(), comparisons.between(2, 0).unwrap());
        assert_eq!(one, other.swapped());
        assert!((one.win + other.win - 1.0).abs() < 1e-12);
        assert!((one.win_interval.low + other.win_interval.high - 1.0).abs() < 1e-12);
        assert!(one.simultaneous.low < one.interval.low);
        assert_eq!(comparisons.between(1, 1), None);
        assert_eq!(compare(&fit, &clustered, Simulation::RECOMMENDED), comparisons);
    }

    /// Moments of what is drawn, within four standard errors.
    #[test]
    fn random_numbers_have_their_moments() {
        let mut random = Random(7);
        let n = 100_000;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let normal: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        assert!(mean(&normal).abs() < 4.0 / f64::from(n).sqrt());
        for freedom in [1.0, 2.0, 7.0, 500.0] {
            let drawn: Vec<f64> = (0..n).map(|_| random.chi_squared(freedom)).collect();
            let error = (2.0 * freedom / f64::from(n)).sqrt();
            assert!((mean(&drawn) - freedom).abs() < 4.0 * error, "{freedom}");
        }
    }
}
