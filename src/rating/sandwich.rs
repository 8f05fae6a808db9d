//! How far ratings may be off: covariance of the strengths, by the curvature of the likelihood alone, and
//! robust to battles over one query going together.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::SCALE;
use super::battle::{Battle, Winner};
use super::counts::PairCounts;
use super::fit::{Fit, cholesky, information};
use super::number::exp;

/// Covariance of strengths whose mean is held at zero, row by row, in squared natural-log units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Covariance {
    n: usize,
    values: Vec<f64>,
}

impl Covariance {
    /// From its values, `i` being the row.
    #[cfg(test)]
    pub(super) fn from(n: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        Self { n, values: (0..n * n).map(|at| value(at / n, at % n)).collect() }
    }

    /// How many systems there are.
    pub fn systems(&self) -> usize {
        self.n
    }

    /// In squared natural-log units.
    pub fn of(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n + j]
    }

    /// Of a rating, the mean of all ratings being fixed; in Elo points.
    pub fn standard_error(&self, system: usize) -> f64 {
        SCALE * self.of(system, system).max(0.0).sqrt()
    }

    /// Standard error of the difference of two ratings, in Elo points. Not that of two independent ones:
    /// the same queries, and battles against each other, hold them together.
    pub fn difference(&self, i: usize, j: usize) -> f64 {
        SCALE * (self.of(i, i) + self.of(j, j) - 2.0 * self.of(i, j)).max(0.0).sqrt()
    }
}

/// The inverse of the Fisher information on strengths that sum to zero (Bradley and Terry 1952): right if
/// every battle is independent and the model holds. `counts` must be what was fitted.
///
/// `None` where the information has no such inverse in double precision.
pub fn analytic(counts: &PairCounts, fit: &Fit) -> Option<Covariance> {
    let n = fit.strengths.len();
    let values = pseudo_inverse(information(counts, &fit.strengths), n)?;
    Some(Covariance { n, values })
}

/// What to multiply a clustered covariance with, which is too small where there are few queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SmallSample {
    /// G ÷ (G − 1) for G queries (Cameron and Miller 2015, section VI.B, without its share for
    /// regressors, which is 1 in the limit of many battles).
    Queries,
    /// Nothing: the plain estimate of Liang and Zeger (1986).
    Ignored,
}

/// Why results have no clustered covariance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoSpread {
    /// Fewer than two queries: nothing to tell how results differ from query to query.
    OneQuery,
    /// The information has no inverse in double precision.
    Singular,
    /// Some difference came out the same in every query to the last digit. That is no certainty.
    Identical,
}

/// A covariance that lets the battles over one query go together in any way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clustered {
    pub covariance: Covariance,
    /// Queries with a battle. Intervals use Student's t with one less degrees of freedom.
    pub queries: usize,
}

/// A 95 % interval in Elo points, unless a field's docs say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// From `centre − reach` to `centre + reach`.
    pub fn around(centre: f64, reach: f64) -> Self {
        Self { low: centre - reach, high: centre + reach }
    }

    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl Clustered {
    /// Of the t distribution that intervals use.
    pub fn freedom(&self) -> f64 {
        self.queries as f64 - 1.0
    }

    /// How many standard errors a 95 % interval reaches to either side: t(0.975; queries − 1).
    pub fn reach(&self) -> f64 {
        t_quantile(0.975, self.freedom())
    }

    /// A 95 % interval of each rating: rating ∓ t(0.975; queries − 1) × standard error. The mean of all
    /// ratings is fixed, so these say how far a system is from the field, and overlaps say nothing of a
    /// pair: that is what differences are for.
    pub fn intervals(&self, fit: &Fit) -> Vec<Interval> {
        let reach = self.reach();
        let ratings = fit.ratings().into_iter().enumerate();
        ratings
            .map(|(at, rating)| {
                Interval::around(rating, reach * self.covariance.standard_error(at))
            })
            .collect()
    }
}

/// Where Student's t with so many degrees of freedom, one at least, lies below with this probability.
pub(super) fn t_quantile(probability: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(probability))
}

/// Covariance of maximum-likelihood strengths, robust to anything that battles over one query share:
/// A⁺ B A⁺ with the Fisher information A and B = Σ s sᵀ over queries, s being the summed score of a
/// query's battles (Liang and Zeger 1986; Cameron and Miller 2015).
///
/// The battles may come in any order, which does not change a digit, and must be what was fitted.
pub fn clustered(
    fit: &Fit,
    battles: &[Battle],
    small_sample: SmallSample,
) -> Result<Clustered, NoSpread> {
    let n = fit.strengths.len();
    let counts = PairCounts::of(n, battles);
    let bread =
        pseudo_inverse(information(&counts, &fit.strengths), n).ok_or(NoSpread::Singular)?;
    let (mut meat, queries) = meat(&fit.strengths, battles);
    if queries < 2 {
        return Err(NoSpread::OneQuery);
    }
    if small_sample == SmallSample::Queries {
        let factor = queries as f64 / (queries as f64 - 1.0);
        for value in &mut meat {
            *value *= factor;
        }
    }
    let values = product(&product(&bread, &meat, n), &bread, n);
    let covariance = Covariance { n, values };
    let naive = Covariance { n, values: bread };
    // Rounding leaves some 1e-8 of a standard error that is zero.
    let alike = |i: usize, j: usize| covariance.difference(i, j) < 1e-6 * naive.difference(i, j);
    if (1..n).any(|high| (0..high).any(|low| alike(low, high))) {
        return Err(NoSpread::Identical);
    }
    Ok(Clustered { covariance, queries })
}

/// Σ s sᵀ over queries, and how many queries there are.
fn meat(strengths: &[f64], battles: &[Battle]) -> (Vec<f64>, usize) {
    let n = strengths.len();
    let mut expected = vec![0.0; n * n];
    for (row, own) in strengths.iter().enumerate() {
        for (column, other) in strengths.iter().enumerate() {
            expected[row * n + column] = 1.0 / (1.0 + exp(other - own));
        }
    }
    let mut sorted = battles.to_vec();
    sorted.retain(|battle| battle.first != battle.second);
    sorted
        .sort_unstable_by_key(|battle| (battle.query, battle.first, battle.second, battle.winner));

    let mut meat = vec![0.0; n * n];
    let mut queries = 0;
    let mut score = vec![0.0; n];
    let mut fought = vec![false; n];
    let mut systems = Vec::new();
    for query in sorted.chunk_by(|one, other| one.query == other.query) {
        queries += 1;
        for battle in query {
            let (first, second) = (battle.first as usize, battle.second as usize);
            let points = match battle.winner {
                Winner::First => 1.0,
                Winner::Second => 0.0,
                Winner::Tie => 0.5,
            };
            let surplus = points - expected[first * n + second];
            score[first] += surplus;
            score[second] -= surplus;
            for system in [first, second] {
                if !fought[system] {
                    fought[system] = true;
                    systems.push(system);
                }
            }
        }
        systems.sort_unstable();
        for (place, row) in systems.iter().enumerate() {
            let own = score[*row];
            for column in &systems[..=place] {
                meat[row * n + column] += own * score[*column];
            }
        }
        for system in systems.drain(..) {
            score[system] = 0.0;
            fought[system] = false;
        }
    }
    for row in 0..n {
        for column in 0..row {
            meat[column * n + row] = meat[row * n + column];
        }
    }
    (meat, queries)
}

/// The inverse on vectors that sum to zero, of a matrix whose rows sum to zero.
///
/// Adding `lift` everywhere makes the matrix positive definite, and adds 1 ÷ (lift n²) everywhere to its
/// inverse.
fn pseudo_inverse(mut matrix: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let trace: f64 = (0..n).map(|at| matrix[at * n + at]).sum();
    let lift = (trace / (n * n) as f64).max(f64::MIN_POSITIVE);
    for value in &mut matrix {
        *value += lift;
    }
    cholesky(&mut matrix, n)?;
    // Rows of L⁻¹, each from those above it.
    let mut lower = vec![0.0; n * n];
    let mut row = vec![0.0; n];
    for at in 0..n {
        row.fill(0.0);
        row[at] = 1.0;
        for above in 0..at {
            let factor = matrix[at * n + above];
            let other = &lower[above * n..=above * n + above];
            for (value, other) in row.iter_mut().zip(other) {
                *value -= factor * other;
            }
        }
        let pivot = matrix[at * n + at];
        for (value, part) in lower[at * n..=at * n + at].iter_mut().zip(&row) {
            *value = part / pivot;
        }
    }
    // L⁻ᵀ L⁻¹.
    let mut inverse = vec![0.0; n * n];
    for line in lower.chunks_exact(n) {
        for (at, own) in line.iter().enumerate().filter(|(_, own)| **own != 0.0) {
            let target = &mut inverse[at * n..=at * n + at];
            for (value, other) in target.iter_mut().zip(line) {
                *value += own * other;
            }
        }
    }
    let added = 1.0 / (lift * (n * n) as f64);
    for at in 0..n {
        for other in 0..=at {
            let value = inverse[at * n + other] - added;
            inverse[at * n + other] = value;
            inverse[other * n + at] = value;
        }
    }
    Some(inverse)
}

/// Of two square matrices.
fn product(left: &[f64], right: &[f64], n: usize) -> Vec<f64> {
    let mut product = vec![0.0; n * n];
    for (target, left) in product.chunks_exact_mut(n).zip(left.chunks_exact(n)) {
        for (factor, right) in left.iter().zip(right.chunks_exact(n)) {
            for (value, right) in target.iter_mut().zip(right) {
                *value += factor * right;
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::fit::fit;
    use crate::rating::gate::Connected;

    /// The vector of four models, a query for each battle.
    fn four() -> Vec<Battle> {
        let mut battles = Vec::new();
        for (first, second, results) in [
            (0, 1, [6, 2, 0]),
            (1, 2, [5, 3, 0]),
            (0, 2, [7, 1, 0]),
            (2, 3, [4, 2, 2]),
            (0, 3, [6, 1, 1]),
            (1, 3, [5, 2, 1]),
        ] {
            for (winner, times) in
                [Winner::First, Winner::Second, Winner::Tie].into_iter().zip(results)
            {
                for _ in 0..times {
                    let query = battles.len() as u32;
                    battles.push(Battle { first, second, winner, query, stratum: 0 });
                }
            }
        }
        battles
    }

    fn fitted(systems: usize, battles: &[Battle]) -> Fit {
        fit(Connected::of(&PairCounts::of(systems, battles)).unwrap())
    }

    /// Recomputed independently.
    #[test]
    fn four_models() {
        let battles = four();
        let found = clustered(&fitted(4, &battles), &battles, SmallSample::Ignored).unwrap();
        assert_eq!(found.queries, 48);
        for (at, expected) in [66.9, 56.1, 53.8, 56.8].into_iter().enumerate() {
            let found = found.covariance.standard_error(at);
            assert!((found - expected).abs() < 0.1, "{found} against {expected}");
        }
    }

    #[test]
    fn the_factor_for_few_queries() {
        let battles = four();
        let fit = fitted(4, &battles);
        let plain = clustered(&fit, &battles, SmallSample::Ignored).unwrap().covariance;
        let larger = clustered(&fit, &battles, SmallSample::Queries).unwrap().covariance;
        let ratio = larger.of(1, 2) / plain.of(1, 2);
        assert!((ratio - 48.0 / 47.0).abs() < 1e-12);
    }

    #[test]
    fn rows_sum_to_zero_and_order_changes_no_digit() {
        let mut battles = four();
        let fit = fitted(4, &battles);
        let found = clustered(&fit, &battles, SmallSample::Queries).unwrap();
        for row in 0..4 {
            let sum: f64 = (0..4).map(|column| found.covariance.of(row, column)).sum();
            assert!(sum.abs() < 1e-12);
        }
        battles.reverse();
        assert_eq!(clustered(&fit, &battles, SmallSample::Queries), Ok(found));
    }

    /// Asking each question three times over is no more evidence.
    #[test]
    fn repeats_within_a_query_add_nothing() {
        let battles = four();
        let thrice: Vec<Battle> = battles.iter().flat_map(|battle| [*battle; 3]).collect();
        let once = clustered(&fitted(4, &battles), &battles, SmallSample::Queries).unwrap();
        let again = clustered(&fitted(4, &thrice), &thrice, SmallSample::Queries).unwrap();
        let ratio = once.covariance.standard_error(0) / again.covariance.standard_error(0);
        assert!((ratio - 1.0).abs() < 1e-9);
        let counts = PairCounts::of(4, &thrice);
        let naive = analytic(&counts, &fitted(4, &thrice)).unwrap();
        assert!(naive.standard_error(0) < 0.7 * again.covariance.standard_error(0));
    }

    #[test]
    fn no_spread_is_no_certainty() {
        let one = |query, winner| Battle { first: 0, second: 1, winner, query, stratum: 0 };
        let same = [
            one(0, Winner::First),
            one(0, Winner::Second),
            one(1, Winner::First),
            one(1, Winner::Second),
        ];
        let fit = fitted(2, &same);
        assert_eq!(clustered(&fit, &same, SmallSample::Queries), Err(NoSpread::Identical));
        assert_eq!(clustered(&fit, &same[..2], SmallSample::Queries), Err(NoSpread::OneQuery));
    }
}
