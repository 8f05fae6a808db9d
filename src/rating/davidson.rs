//! Davidson's model of ties: a diagnostic beside the ratings, which count a tie as half a win.
//!
//! P(first wins) = π₁ ÷ (π₁ + π₂ + ν √(π₁ π₂)) and P(tie) = ν √(π₁ π₂) ÷ the same (Davidson 1970). If its
//! differences are far from those of the ratings, treating ties as half wins matters.

use super::counts::PairCounts;
use super::fit::{centre, cholesky, substitute};
use super::gate::Connected;
use super::number::{exp, ln};

/// Largest part of the gradient that counts as zero, in battles a natural-log unit.
const GRADIENT: f64 = 1e-10;

const MAX_STEPS: u32 = 200;

/// What maximum likelihood says.
#[derive(Clone, Debug, PartialEq)]
pub struct Davidson {
    /// ln π of each system; their mean is zero. [`super::elo()`] makes a rating of it: without ties, the
    /// Bradley–Terry rating.
    pub strengths: Vec<f64>,
    /// ν, from 0: how ready for ties. Equal systems tie with probability ν ÷ (2 + ν).
    pub ties: f64,
    /// Negative log likelihood, summed over battles.
    pub loss: f64,
    /// Largest absolute part of the gradient, in battles a natural-log unit.
    pub gradient: f64,
}

impl Davidson {
    /// Probabilities that the first wins, that it loses, and of a tie.
    pub fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        let half = (self.strengths[first] - self.strengths[second]) / 2.0;
        let parts = [exp(half), exp(-half), self.ties];
        let sum: f64 = parts.iter().sum();
        parts.map(|part| part / sum)
    }
}

/// The strengths and the readiness for ties under which the results are likeliest.
///
/// `None` where none are: ties may grow with the distance of strengths for ever unless some ring of
/// systems, each of which won against or tied with the next, has more wins than ties.
pub fn davidson(connected: Connected<'_>) -> Option<Davidson> {
    let counts = connected.counts();
    let tied = counts.pairs().any(|(_, _, pair)| 0 < pair.ties);
    if tied && !more_wins_than_ties(counts) {
        return None;
    }
    // Strengths, and ln ν behind them. Without a tie, ν is nothing and no parameter.
    let n = counts.systems();
    let mut at = vec![0.0; if tied { n + 1 } else { n }];
    let mut state = State::at(counts, &at);
    for _ in 0..MAX_STEPS {
        if state.largest() < GRADIENT {
            break;
        }
        let step = step(counts, &at, &state.gradient)?;
        let mut part = 1.0;
        let better = loop {
            let tried: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at - part * step).collect();
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
        (at, state) = (tried, next);
    }
    let gradient = state.largest();
    let ties = at.get(n).map_or(0.0, |log| exp(*log));
    at.truncate(n);
    centre(&mut at);
    Some(Davidson { strengths: at, ties, loss: state.loss, gradient })
}

/// Chances of a win of the first, of the second and of a tie.
fn chances(at: &[f64], n: usize, low: usize, high: usize) -> ([f64; 3], f64) {
    let half = (at[low] - at[high]) / 2.0;
    let logs = [Some(half), Some(-half), at.get(n).copied()];
    let most = logs.iter().flatten().fold(f64::NEG_INFINITY, |most, log| log.max(most));
    let parts = logs.map(|log| log.map_or(0.0, |log| exp(log - most)));
    let sum: f64 = parts.iter().sum();
    (parts.map(|part| part / sum), most + ln(sum))
}

struct State {
    loss: f64,
    gradient: Vec<f64>,
}

impl State {
    fn at(counts: &PairCounts, at: &[f64]) -> Self {
        let n = counts.systems();
        let mut state = Self { loss: 0.0, gradient: vec![0.0; at.len()] };
        for (low, high, pair) in counts.pairs() {
            let battles = f64::from(pair.battles());
            if battles == 0.0 {
                continue;
            }
            let ([win, loss, tie], log_sum) = chances(at, n, low, high);
            let ahead = f64::from(pair.wins) - f64::from(pair.losses);
            state.loss += battles * log_sum - ahead * (at[low] - at[high]) / 2.0;
            let surplus = (battles * (win - loss) - ahead) / 2.0;
            state.gradient[low] += surplus;
            state.gradient[high] -= surplus;
            if n < at.len() {
                state.loss -= f64::from(pair.ties) * at[n];
                state.gradient[n] += battles * tie - f64::from(pair.ties);
            }
        }
        state
    }

    fn largest(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most, part| part.abs().max(most))
    }
}

/// Newton's step.
fn step(counts: &PairCounts, at: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
    let (n, size) = (counts.systems(), at.len());
    let mut matrix = vec![0.0; size * size];
    for (low, high, pair) in counts.pairs() {
        let battles = f64::from(pair.battles());
        if battles == 0.0 {
            continue;
        }
        let ([win, loss, tie], _) = chances(at, n, low, high);
        // Variances and covariance of (win − loss) ÷ 2 and of a tie.
        let lead = win - loss;
        let weight = battles * (win + loss - lead * lead) / 4.0;
        matrix[low * size + low] += weight;
        matrix[high * size + high] += weight;
        matrix[low * size + high] -= weight;
        matrix[high * size + low] -= weight;
        if n < size {
            let both = -battles * lead * tie / 2.0;
            matrix[low * size + n] += both;
            matrix[n * size + low] += both;
            matrix[high * size + n] -= both;
            matrix[n * size + high] -= both;
            matrix[n * size + n] += battles * tie * (1.0 - tie);
        }
    }
    // One number more for strengths makes the matrix positive definite, and a mean of zero stays one.
    let trace: f64 = (0..n).map(|at| matrix[at * size + at]).sum();
    let lift = (trace / (n * n) as f64).max(f64::MIN_POSITIVE);
    for row in matrix.chunks_exact_mut(size).take(n) {
        for value in &mut row[..n] {
            *value += lift;
        }
    }
    cholesky(&mut matrix, size)?;
    Some(substitute(&matrix, gradient))
}

/// Whether some ring along wins and ties has more wins than ties: a cycle of positive weight, a win
/// weighing 1 and a tie −1 (Bellman 1958). Otherwise strengths could be set so far apart that every win
/// is at least as wide, and every tie at most as wide, as any readiness for ties.
fn more_wins_than_ties(counts: &PairCounts) -> bool {
    let n = counts.systems();
    let mut weights = Vec::new();
    for (low, high, pair) in counts.pairs() {
        for (from, to, wins) in [(low, high, pair.wins), (high, low, pair.losses)] {
            if 0 < wins {
                weights.push((from, to, 1_i64));
            } else if 0 < pair.ties {
                weights.push((from, to, -1));
            }
        }
    }
    let mut longest = vec![0_i64; n];
    for _ in 0..=n {
        let mut longer = false;
        for (from, to, weight) in &weights {
            let way = longest[*from] + weight;
            if longest[*to] < way {
                longest[*to] = way;
                longer = true;
            }
        }
        if !longer {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::Winner;
    use crate::rating::fit::fit;

    fn table(systems: usize, results: &[(usize, usize, [u32; 3])]) -> PairCounts {
        let mut counts = PairCounts::new(systems);
        for (first, second, [wins, losses, ties]) in results {
            counts.add(*first, *second, Winner::First, *wins);
            counts.add(*first, *second, Winner::Second, *losses);
            counts.add(*first, *second, Winner::Tie, *ties);
        }
        counts
    }

    /// Two systems have an answer by hand: shares are met exactly, π₁ ÷ π₂ = wins ÷ losses and
    /// ν = ties ÷ √(wins × losses).
    #[test]
    fn two_systems() {
        let counts = table(2, &[(0, 1, [8, 2, 6])]);
        let found = davidson(Connected::of(&counts).unwrap()).unwrap();
        assert!((found.strengths[0] - found.strengths[1] - 4.0_f64.ln()).abs() < 1e-9);
        assert!((found.ties - 1.5).abs() < 1e-9);
        let [win, loss, tie] = found.probabilities(0, 1);
        assert!((win - 0.5).abs() < 1e-9 && (loss - 0.125).abs() < 1e-9);
        assert!((tie - 0.375).abs() < 1e-9);
    }

    #[test]
    fn without_ties_it_is_bradley_and_terry() {
        let counts = table(3, &[(0, 1, [6, 2, 0]), (1, 2, [5, 3, 0]), (0, 2, [7, 1, 0])]);
        let connected = Connected::of(&counts).unwrap();
        let (plain, found) = (fit(connected), davidson(connected).unwrap());
        assert!(found.ties.abs() < f64::EPSILON);
        assert!((plain.loss - found.loss).abs() < 1e-9);
        for (one, other) in plain.strengths.iter().zip(&found.strengths) {
            assert!((one - other).abs() < 1e-9);
        }
    }

    #[test]
    fn four_models() {
        let counts = table(
            4,
            &[
                (0, 1, [6, 2, 0]),
                (1, 2, [5, 3, 0]),
                (0, 2, [7, 1, 0]),
                (2, 3, [4, 2, 2]),
                (0, 3, [6, 1, 1]),
                (1, 3, [5, 2, 1]),
            ],
        );
        let found = davidson(Connected::of(&counts).unwrap()).unwrap();
        assert!(found.gradient < 1e-9);
        // As many ties are expected as there were.
        let tied: f64 =
            counts.pairs().map(|(low, high, _)| 8.0 * found.probabilities(low, high)[2]).sum();
        assert!((tied - 4.0).abs() < 1e-8);
    }

    /// A win and a tie: the tie never costs less than when both strengths and ties grow for ever.
    #[test]
    fn none_without_a_ring_of_wins() {
        let counts = table(2, &[(0, 1, [1, 0, 1])]);
        assert!(davidson(Connected::of(&counts).unwrap()).is_none());
        let counts = table(2, &[(0, 1, [0, 0, 3])]);
        assert!(davidson(Connected::of(&counts).unwrap()).is_none());
        // A cycle of three wins, one of them also tied.
        let counts = table(3, &[(0, 1, [1, 0, 1]), (1, 2, [1, 0, 0]), (2, 0, [1, 0, 0])]);
        let found = davidson(Connected::of(&counts).unwrap()).unwrap();
        assert!(found.gradient < 1e-9);
    }
}
