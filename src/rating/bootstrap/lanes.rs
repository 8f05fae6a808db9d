//! Maximum likelihood for eight rounds at once, one to a lane.
//!
//! A round's answer is near that of all battles. So every round starts there and goes on with Newton steps
//! whose matrix is the inverse information of all battles (the chord method): no factorisation a round, and
//! the step of eight rounds is one small matrix product. Win probabilities are a ÷ (a + b) of exponentiated
//! strengths: one exponential a system instead of one a pair. Whatever does not converge so is left to the
//! full Newton method.

use super::random::LANES;
use super::resample::{Lane, Met, Tally, each};
use crate::rating::counts::PairCounts;
use crate::rating::fit::information;

/// Steps after which a round is left to the full method.
const MAX_STEPS: usize = 24;

/// What a strength may lack, in natural-log units: 0.0001 Elo.
const TOLERANCE: f64 = 6e-7;

/// All that rounds have in common, and space for eight of them.
#[derive(Clone, Debug)]
pub(super) struct Fitter {
    /// Strengths by all battles.
    start: Vec<f64>,
    /// Of each pair that met, the smaller number.
    low: Vec<u32>,
    /// The greater numbers in order, and how many pairs each has.
    high: Vec<(u32, usize)>,
    /// For each pair that met, how likely the smaller number wins by all battles.
    expected: Vec<f64>,
    /// Row by row, over vectors whose parts sum to zero.
    inverse: Vec<f64>,
    strengths: Vec<Lane>,
    weights: Vec<Lane>,
    gradient: Vec<Lane>,
}

impl Fitter {
    /// `strengths` are the fit of `counts`, and rounds draw `times` as much as there is. `None` where the information is singular in floating point.
    pub(super) fn new(
        counts: &PairCounts,
        times: f64,
        met: &[Met],
        strengths: &[f64],
    ) -> Option<Self> {
        let mut inverse = information(counts, strengths);
        let n = strengths.len();
        // Adding one number everywhere makes the matrix invertible and changes no step, as the parts of
        // every gradient sum to zero.
        let trace: f64 = (0..n).map(|at| inverse[at * n + at]).sum();
        let lift = (trace / (n * n) as f64).max(f64::MIN_POSITIVE);
        for value in &mut inverse {
            *value += lift;
        }
        invert(&mut inverse, n)?;
        for value in &mut inverse {
            *value /= times;
        }
        let chance = |met: &Met| {
            let [own, other] = [met.low, met.high].map(|at| [strengths[at as usize]; LANES]);
            let [own, other] = [own, other].map(|lanes| exp(lanes)[0]);
            own / (own + other)
        };
        Some(Self {
            start: strengths.to_vec(),
            low: met.iter().map(|met| met.low).collect(),
            high: met
                .chunk_by(|one, other| one.high == other.high)
                .map(|same| (same[0].high, same.len()))
                .collect(),
            expected: met.iter().map(chance).collect(),
            inverse,
            strengths: vec![[0.0; LANES]; n],
            weights: vec![[0.0; LANES]; n],
            gradient: vec![[0.0; LANES]; n],
        })
    }

    /// Fits eight rounds. Says which of them converged; [`Self::strengths`] holds their answers.
    ///
    /// A round that has no answer may be said to have converged: look at its wins first.
    pub(super) fn fit(&mut self, tallies: &[Tally]) -> [bool; LANES] {
        for (strengths, start) in self.strengths.iter_mut().zip(&self.start) {
            *strengths = [*start; LANES];
        }
        self.first_gradient(tallies);
        let mut before = self.step();
        for _ in 1..MAX_STEPS {
            self.surplus(tallies);
            let step = self.step();
            let done: [bool; LANES] = std::array::from_fn(|lane| {
                let (step, before) = (step[lane], before[lane]);
                // Steps shrink by one factor each, in the end: the rest is a geometric series.
                step < before && step * step <= TOLERANCE * (before - step) || step < 1e-14
            });
            if done.into_iter().all(|done| done) {
                return done;
            }
            before = step;
        }
        // Which of them had come to rest no longer matters much: one more step tells.
        self.surplus(tallies);
        let step = self.step();
        std::array::from_fn(|lane| {
            let (step, before) = (step[lane], before[lane]);
            step < before && step * step <= TOLERANCE * (before - step) || step < 1e-14
        })
    }

    /// Natural-log strengths of eight rounds, a row a system; their means are near zero.
    pub(super) fn strengths(&self) -> &[Lane] {
        &self.strengths
    }

    /// At the strengths by all battles, where win probabilities are known.
    fn first_gradient(&mut self, tallies: &[Tally]) {
        self.gradient.fill([0.0; LANES]);
        let mut pairs = tallies.iter().zip(&self.low).zip(&self.expected);
        for (high, count) in &self.high {
            let mut sum = [0.0; LANES];
            for ((tally, low), chance) in pairs.by_ref().take(*count) {
                let surplus =
                    each(tally.battles, tally.points, |battles, points| battles * chance - points);
                let gradient = &mut self.gradient[*low as usize];
                *gradient = each(*gradient, surplus, |sum, part| sum + part);
                sum = each(sum, surplus, |sum, part| sum + part);
            }
            let gradient = &mut self.gradient[*high as usize];
            *gradient = each(*gradient, sum, |sum, part| sum - part);
        }
    }

    /// Expected points less those won, a system.
    fn surplus(&mut self, tallies: &[Tally]) {
        for (weights, strengths) in self.weights.iter_mut().zip(&self.strengths) {
            *weights = exp(*strengths);
        }
        self.gradient.fill([0.0; LANES]);
        let mut pairs = tallies.iter().zip(&self.low);
        for (high, count) in &self.high {
            let other = self.weights[*high as usize];
            let mut sum = [0.0; LANES];
            for (tally, low) in pairs.by_ref().take(*count) {
                let chance =
                    each(self.weights[*low as usize], other, |own, other| own / (own + other));
                let expected = each(tally.battles, chance, |battles, chance| battles * chance);
                let surplus = each(expected, tally.points, |expected, points| expected - points);
                let gradient = &mut self.gradient[*low as usize];
                *gradient = each(*gradient, surplus, |sum, part| sum + part);
                sum = each(sum, surplus, |sum, part| sum + part);
            }
            let gradient = &mut self.gradient[*high as usize];
            *gradient = each(*gradient, sum, |sum, part| sum - part);
        }
    }

    /// Takes inverse × gradient off the strengths. The largest absolute part of each round's step.
    fn step(&mut self) -> Lane {
        let n = self.strengths.len();
        let mut largest = [0.0; LANES];
        for (row, strengths) in self.inverse.chunks_exact(n).zip(&mut self.strengths) {
            let mut step = [0.0; LANES];
            for (factor, gradient) in row.iter().zip(&self.gradient) {
                for lane in 0..LANES {
                    step[lane] += factor * gradient[lane];
                }
            }
            for lane in 0..LANES {
                strengths[lane] -= step[lane];
                let size = step[lane].abs();
                // What is not a number counts as large.
                largest[lane] = if size <= largest[lane] { largest[lane] } else { size };
            }
        }
        largest
    }
}

/// e to the powers of `x`, to about 1e-15 of each, without a branch: e^x = 2^k × e^r with |r| ≤ ln 2 ÷ 2, and
/// e^r by its Taylor polynomial. Beyond ±700 as at ±700.
#[inline]
fn exp(x: Lane) -> Lane {
    /// Adding it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts, the first with so many zeros at its end that k times it is exact (fdlibm, e_exp.c).
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const TAYLOR: [f64; 13] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        1.0 / 2.0,
        1.0,
    ];
    x.map(|x| {
        let x = x.clamp(-700.0, 700.0);
        let shifted = x * std::f64::consts::LOG2_E + ROUND;
        let whole = shifted - ROUND;
        let rest = x - whole * LN2_HIGH - whole * LN2_LOW;
        let sum = TAYLOR.into_iter().fold(0.0, |sum, factor| sum * rest + factor);
        f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52) * (sum * rest + 1.0)
    })
}

/// The inverse of a symmetric positive definite matrix, in place (Gauss–Jordan; such a matrix needs no
/// exchange of rows). `None` where it is not positive definite.
fn invert(matrix: &mut [f64], n: usize) -> Option<()> {
    let mut pivot_row = vec![0.0; n];
    for at in 0..n {
        let pivot = matrix[at * n + at];
        if pivot <= 0.0 || !pivot.is_finite() {
            return None;
        }
        let row = &mut matrix[at * n..(at + 1) * n];
        row[at] = 1.0;
        for value in row.iter_mut() {
            *value /= pivot;
        }
        pivot_row.copy_from_slice(row);
        for (other, row) in matrix.chunks_exact_mut(n).enumerate() {
            if other == at {
                continue;
            }
            let factor = std::mem::take(&mut row[at]);
            for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                *value -= factor * pivot;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        for at in -6990..6990 {
            let x = f64::from(at) / 10.0 + 0.0123;
            let expected = libm::exp(x);
            let found = exp([x; LANES])[3];
            assert!((found / expected - 1.0).abs() < 1e-15, "{x}: {found} against {expected}");
        }
        assert!((exp([0.0; LANES])[0] - 1.0).abs() < f64::EPSILON);
        assert!(exp([f64::NAN; LANES])[0].is_nan());
    }

    #[test]
    fn inverse_times_matrix_is_one() {
        let matrix = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 5.0];
        let mut inverse = matrix;
        invert(&mut inverse, 3).unwrap();
        for row in 0..3 {
            for column in 0..3 {
                let found: f64 =
                    (0..3).map(|k| matrix[row * 3 + k] * inverse[k * 3 + column]).sum();
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((found - expected).abs() < 1e-14);
            }
        }
        assert!(invert(&mut [1.0, 2.0, 2.0, 1.0], 2).is_none());
    }
}
