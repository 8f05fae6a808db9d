//! Bradley–Terry strengths by maximum likelihood, without regularisation.
//!
//! Loss −Σ w [o ln p + (1 − o) ln(1 − p)] over battles, with p = 1 ÷ (1 + e^(θ₂ − θ₁)) and o of 1, ½ or 0
//! (Bradley and Terry 1952; a tie as half a win each). Newton's method with Cholesky: the loss is convex,
//! and behind the gate strictly so across systems.

use super::counts::PairCounts;
use super::gate::Connected;
use super::number::{exp, ln_1p};

/// Largest part of the gradient that counts as zero, in points a natural-log unit.
const GRADIENT: f64 = 1e-10;

const MAX_STEPS: u32 = 200;

/// What maximum likelihood says.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Natural-log strength of each system; their mean is zero. [`super::elo()`] makes a rating of it.
    pub strengths: Vec<f64>,
    /// Negative log likelihood, summed over battles.
    pub loss: f64,
    /// Largest absolute part of the gradient, in points a natural-log unit.
    pub gradient: f64,
}

impl Fit {
    /// Elo ratings with mean 1000.
    pub fn ratings(&self) -> Vec<f64> {
        self.strengths.iter().map(|strength| super::elo(*strength)).collect()
    }
}

/// The strengths under which the results are likeliest.
pub fn fit(connected: Connected<'_>) -> Fit {
    fit_from(connected, vec![0.0; connected.counts().systems()])
}

/// As [`fit`], from a first guess.
pub fn fit_from(connected: Connected<'_>, mut strengths: Vec<f64>) -> Fit {
    let counts = connected.counts();
    let mut state = State::at(counts, &strengths);
    for _ in 0..MAX_STEPS {
        if state.largest() < GRADIENT {
            break;
        }
        let Some(step) = solve(information(counts, &strengths), &state.gradient) else { break };
        // Far from the answer a full step may go too far.
        let mut part = 1.0;
        let better = loop {
            let tried: Vec<f64> =
                strengths.iter().zip(&step).map(|(at, step)| at - part * step).collect();
            let next = State::at(counts, &tried);
            // Near the answer the loss no longer tells, and the gradient does.
            if next.loss < state.loss || next.largest() < state.largest() {
                break Some((tried, next));
            }
            part /= 2.0;
            if part < 1e-6 {
                break None;
            }
        };
        let Some((tried, next)) = better else { break };
        (strengths, state) = (tried, next);
    }
    centre(&mut strengths);
    Fit { strengths, loss: state.loss, gradient: state.largest() }
}

/// Moves the mean to zero.
pub fn centre(strengths: &mut [f64]) {
    let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
    for strength in strengths {
        *strength -= mean;
    }
}

struct State {
    loss: f64,
    gradient: Vec<f64>,
}

impl State {
    fn at(counts: &PairCounts, strengths: &[f64]) -> Self {
        let mut state = Self { loss: 0.0, gradient: vec![0.0; strengths.len()] };
        for (low, high, pair) in counts.pairs() {
            let battles = f64::from(pair.battles());
            if battles == 0.0 {
                continue;
            }
            let ahead = strengths[low] - strengths[high];
            // ln(1 + e^(−x)) for both signs without overflow.
            let loss_of_win = ln_1p(exp(-ahead.abs())) + (-ahead).max(0.0);
            let points = pair.points();
            state.loss += battles * loss_of_win + (battles - points) * ahead;
            let surplus = battles / (1.0 + exp(-ahead)) - points;
            state.gradient[low] += surplus;
            state.gradient[high] -= surplus;
        }
        state
    }

    fn largest(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most, part| part.abs().max(most))
    }
}

/// Fisher information of the strengths, row by row: Σ n p (1 − p) on the diagonal, its parts with the
/// sign turned beside. Its rows sum to zero.
pub fn information(counts: &PairCounts, strengths: &[f64]) -> Vec<f64> {
    let n = strengths.len();
    let mut matrix = vec![0.0; n * n];
    for (low, high, pair) in counts.pairs() {
        let battles = f64::from(pair.battles());
        if battles == 0.0 {
            continue;
        }
        let wins = 1.0 / (1.0 + exp(strengths[high] - strengths[low]));
        let weight = battles * wins * (1.0 - wins);
        matrix[low * n + low] += weight;
        matrix[high * n + high] += weight;
        matrix[low * n + high] -= weight;
        matrix[high * n + low] -= weight;
    }
    matrix
}

/// Solves `information × x = gradient` for the x whose parts sum to zero.
///
/// Adding one number everywhere changes nothing for such an x and makes the matrix positive definite.
fn solve(mut matrix: Vec<f64>, gradient: &[f64]) -> Option<Vec<f64>> {
    let n = gradient.len();
    let trace: f64 = (0..n).map(|at| matrix[at * n + at]).sum();
    let lift = (trace / (n * n) as f64).max(f64::MIN_POSITIVE);
    for value in &mut matrix {
        *value += lift;
    }
    cholesky(&mut matrix, n)?;
    let mut x = substitute(&matrix, gradient);
    centre(&mut x);
    Some(x)
}

/// Solves `L Lᵀ x = right` with the lower factor L that [`cholesky`] leaves.
pub(super) fn substitute(factor: &[f64], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut x = right.to_vec();
    for row in 0..n {
        let known: f64 = (0..row).map(|column| factor[row * n + column] * x[column]).sum();
        x[row] = (x[row] - known) / factor[row * n + row];
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|below| factor[below * n + row] * x[below]).sum();
        x[row] = (x[row] - known) / factor[row * n + row];
    }
    x
}

/// The lower factor in place. `None` where the matrix is not positive definite.
pub(super) fn cholesky(matrix: &mut [f64], n: usize) -> Option<()> {
    for row in 0..n {
        let (above, rest) = matrix.split_at_mut(row * n);
        for column in 0..row {
            let other = &above[column * n..=column * n + column];
            let known: f64 = rest[..column].iter().zip(other).map(|(a, b)| a * b).sum();
            rest[column] = (rest[column] - known) / other[column];
        }
        let left = rest[row] - rest[..row].iter().map(|part| part * part).sum::<f64>();
        if left <= 0.0 || !left.is_finite() {
            return None;
        }
        rest[row] = left.sqrt();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::Winner;
    use crate::rating::counts::tests::four;

    /// Recomputed independently; ratings and the summed loss.
    #[test]
    fn four_models() {
        let counts = four();
        let fit = fit(Connected::of(&counts).unwrap());
        let expected = [1195.3273, 1008.9246, 923.3651, 872.3831];
        for (found, expected) in fit.ratings().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} against {expected}");
        }
        assert!((fit.loss - 27.128_983).abs() < 1e-6);
        assert!(fit.gradient < 1e-9);
    }

    #[test]
    fn no_rating_without_a_way_back() {
        let mut counts = PairCounts::new(3);
        counts.add(0, 1, Winner::First, 5);
        counts.add(1, 2, Winner::First, 5);
        assert!(Connected::of(&counts).is_none());
        counts.add(2, 0, Winner::Tie, 1);
        assert!(Connected::of(&counts).is_some());
        assert!(Connected::of(&PairCounts::new(0)).is_none());
    }

    #[test]
    fn nearly_separated_results_are_rated_to_the_last_digit() {
        let mut counts = PairCounts::new(2);
        counts.add(0, 1, Winner::First, 999_999);
        counts.add(0, 1, Winner::Second, 1);
        let fit = fit(Connected::of(&counts).unwrap());
        assert!((fit.strengths[0] - fit.strengths[1] - 999_999_f64.ln()).abs() < 1e-9);
        assert!(fit.gradient < 1e-9);
    }
}
