//! How far apart two components are at least, where maximum likelihood says "infinitely".
//!
//! The upper one won every battle between them, so no finite difference is the likeliest; but small ones
//! would make such results unlikely. A one-sided bound from the profile likelihood, by Wilks' theorem
//! (Wilks 1938): all differences are kept whose deviance is no more than z² above the least, z = 1.6449
//! being the 95 % point of the normal. With few battles its coverage is approximate.

use super::SCALE;
use super::counts::PairCounts;
use super::fit::{cholesky, fit};
use super::gate::Connected;
use super::number::{exp, ln_1p};

/// What the log likelihood may lose: half the square of the normal's 95 % point, 1.644 853 6.
const LOSS: f64 = 1.352_771_727_047_702_3;

/// Largest part of the gradient that counts as zero, in points a natural-log unit.
const GRADIENT: f64 = 1e-9;

const MAX_STEPS: u32 = 100;

/// The one-sided 95 % lower bound of the mean rating of `upper` less the mean rating of `lower`, in Elo
/// points. It may be below zero: one win alone excludes little.
///
/// Only battles within and between the two sets count, and the strengths within each are whatever fits
/// the difference best. `None` where the two never met, where `upper` did not win every battle between
/// them, or where one of them has no ratings within itself.
pub fn at_least(counts: &PairCounts, upper: &[usize], lower: &[usize]) -> Option<f64> {
    let both: Vec<usize> = upper.iter().chain(lower).copied().collect();
    let counts = counts.only(&both);
    let groups = Groups { counts: &counts, split: upper.len() };
    let mut met = false;
    for (_, _, pair) in groups.between() {
        if 0 < pair.losses + pair.ties {
            return None;
        }
        met |= 0 < pair.wins;
    }
    if !met {
        return None;
    }

    // Infinitely far apart, each component has its own ratings.
    let inside = |part: std::ops::Range<usize>| {
        let part = counts.only(&part.collect::<Vec<_>>());
        Some(fit(Connected::of(&part)?))
    };
    let (above, below) = (inside(0..groups.split)?, inside(groups.split..both.len())?);
    let limit = above.loss + below.loss;
    let mut strengths = [above.strengths, below.strengths].concat();

    // With strengths held there, the loss falls as the difference grows; so does the profile, which lies
    // nowhere above. Its own root is to the left, and since it is convex, Newton's method gets there from
    // the left without passing it.
    let mut ahead = groups.first_guess(&strengths);
    for _ in 0..MAX_STEPS {
        let (loss, slope) = groups.profile(ahead, &mut strengths)?;
        let step = (loss - limit - LOSS) / slope;
        ahead -= step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    Some(SCALE * ahead)
}

/// Two components: systems before `split`, and those from it on.
struct Groups<'a> {
    counts: &'a PairCounts,
    split: usize,
}

struct State {
    loss: f64,
    gradient: Vec<f64>,
    /// Of the loss by the difference between the groups.
    slope: f64,
}

impl Groups<'_> {
    /// Pairs with one system of each; the upper one has the smaller number.
    fn between(&self) -> impl Iterator<Item = (usize, usize, super::Pair)> {
        let pairs = self.counts.pairs();
        pairs.filter(|(low, high, _)| *low < self.split && self.split <= *high)
    }

    /// The difference at which battles between the groups cost [`LOSS`] with strengths as they are.
    fn first_guess(&self, strengths: &[f64]) -> f64 {
        let cost = |ahead: f64| -> f64 {
            let pairs = self.between();
            let costs = pairs.map(|(high, low, pair)| {
                f64::from(pair.wins) * loss_of_win(ahead + strengths[high] - strengths[low])
            });
            costs.sum()
        };
        let (mut near, mut far) = (-1.0, 1.0);
        while cost(near) < LOSS {
            near *= 2.0;
        }
        while LOSS < cost(far) {
            far *= 2.0;
        }
        for _ in 0..40 {
            let middle = f64::midpoint(near, far);
            if LOSS < cost(middle) { near = middle } else { far = middle }
        }
        near
    }

    fn ahead(&self, difference: f64, strengths: &[f64], low: usize, high: usize) -> f64 {
        let across = low < self.split && self.split <= high;
        strengths[low] - strengths[high] + if across { difference } else { 0.0 }
    }

    fn state(&self, difference: f64, strengths: &[f64]) -> State {
        let mut state = State { loss: 0.0, gradient: vec![0.0; strengths.len()], slope: 0.0 };
        for (low, high, pair) in self.counts.pairs() {
            let battles = f64::from(pair.battles());
            if battles == 0.0 {
                continue;
            }
            let ahead = self.ahead(difference, strengths, low, high);
            state.loss += battles * loss_of_win(ahead) + (battles - pair.points()) * ahead;
            let surplus = battles / (1.0 + exp(-ahead)) - pair.points();
            state.gradient[low] += surplus;
            state.gradient[high] -= surplus;
            if low < self.split && self.split <= high {
                state.slope += surplus;
            }
        }
        self.centre(&mut state.gradient);
        state
    }

    /// Holds the mean of each group at zero: the difference alone says how far apart they are.
    fn centre(&self, values: &mut [f64]) {
        let (upper, lower) = values.split_at_mut(self.split);
        super::fit::centre(upper);
        super::fit::centre(lower);
    }

    /// The least loss with this difference between the groups, and its slope there, which is that of the
    /// loss itself as the strengths are at their best. They are left there, from where the next one starts.
    fn profile(&self, difference: f64, strengths: &mut Vec<f64>) -> Option<(f64, f64)> {
        let mut state = self.state(difference, strengths);
        for _ in 0..MAX_STEPS {
            if largest(&state.gradient) < GRADIENT {
                break;
            }
            let step = self.step(difference, strengths, &state.gradient)?;
            let mut part = 1.0;
            let better = loop {
                let tried: Vec<f64> =
                    strengths.iter().zip(&step).map(|(at, step)| at - part * step).collect();
                let next = self.state(difference, &tried);
                // Near the answer the loss no longer tells, and the gradient does.
                if next.loss < state.loss || largest(&next.gradient) < largest(&state.gradient) {
                    break Some((tried, next));
                }
                part /= 2.0;
                if part < 1e-6 {
                    break None;
                }
            };
            let Some((tried, next)) = better else { break };
            (*strengths, state) = (tried, next);
        }
        (state.slope < 0.0).then_some((state.loss, state.slope))
    }

    /// Newton's step among strengths whose mean is zero in each group.
    fn step(&self, difference: f64, strengths: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let n = strengths.len();
        let mut matrix = vec![0.0; n * n];
        for (low, high, pair) in self.counts.pairs() {
            let battles = f64::from(pair.battles());
            if battles == 0.0 {
                continue;
            }
            let wins = 1.0 / (1.0 + exp(-self.ahead(difference, strengths, low, high)));
            let weight = battles * wins * (1.0 - wins);
            matrix[low * n + low] += weight;
            matrix[high * n + high] += weight;
            matrix[low * n + high] -= weight;
            matrix[high * n + low] -= weight;
        }
        // Only its effect on such strengths, seen by such strengths; elsewhere one number, so that the
        // matrix is positive definite and sends nothing out of them.
        for row in matrix.chunks_exact_mut(n) {
            self.centre(row);
        }
        for column in 0..n {
            let mut values: Vec<f64> = (0..n).map(|row| matrix[row * n + column]).collect();
            self.centre(&mut values);
            for (row, value) in values.into_iter().enumerate() {
                matrix[row * n + column] = value;
            }
        }
        let trace: f64 = (0..n).map(|at| matrix[at * n + at]).sum();
        let lift = (trace / n as f64).max(f64::MIN_POSITIVE);
        for (row, values) in matrix.chunks_exact_mut(n).enumerate() {
            let group = if row < self.split { 0..self.split } else { self.split..n };
            let lift = lift / group.len() as f64;
            for value in &mut values[group] {
                *value += lift;
            }
        }
        cholesky(&mut matrix, n)?;
        let mut step = super::fit::substitute(&matrix, gradient);
        self.centre(&mut step);
        Some(step)
    }
}

/// −ln of the chance to win with such a lead, without overflow.
fn loss_of_win(ahead: f64) -> f64 {
    ln_1p(exp(-ahead.abs())) + (-ahead).max(0.0)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::battle::Winner;

    fn table(systems: usize, results: &[(usize, usize, u32)]) -> PairCounts {
        let mut counts = PairCounts::new(systems);
        for (winner, loser, times) in results {
            counts.add(*winner, *loser, Winner::First, *times);
        }
        counts
    }

    /// One system against one: n ln(1 + e^(−d)) = z² ÷ 2 has an answer by hand.
    #[test]
    fn one_against_one() {
        for wins in [1, 5, 100, 1_000_000] {
            let expected = -SCALE * (LOSS / f64::from(wins)).exp_m1().ln();
            let found = at_least(&table(2, &[(0, 1, wins)]), &[0], &[1]).unwrap();
            assert!((found - expected).abs() < 1e-6, "{wins}: {found} against {expected}");
        }
        let once = at_least(&table(2, &[(0, 1, 1)]), &[0], &[1]).unwrap();
        assert!(once < -180.0, "one win says little: {once}");
    }

    #[test]
    fn none_without_all_wins() {
        let counts = table(4, &[(0, 1, 3), (2, 3, 2), (3, 2, 1)]);
        assert_eq!(at_least(&counts, &[0], &[2, 3]), None, "never met");
        assert_eq!(at_least(&counts, &[1], &[0]), None, "the other way round");
        assert_eq!(at_least(&counts, &[2, 0], &[1]), None, "an upper set without ratings");
        let mut tied = table(2, &[(0, 1, 3)]);
        tied.add(0, 1, Winner::Tie, 1);
        assert_eq!(at_least(&tied, &[0], &[1]), None);
    }

    /// Against a grid: two systems in each component, the loss minimised over both inner differences.
    #[test]
    fn shapes_are_free() {
        let results = [(0, 1, 4), (1, 0, 2), (2, 3, 5), (3, 2, 1), (0, 2, 3), (1, 3, 1), (1, 2, 2)];
        let counts = table(4, &results);
        let found = at_least(&counts, &[0, 1], &[2, 3]).unwrap() / SCALE;
        let win = |ahead: f64| (-ahead).exp().ln_1p();
        let loss = |ahead: f64, upper: f64, lower: f64| -> f64 {
            let strengths = [ahead + upper / 2.0, ahead - upper / 2.0, lower / 2.0, -lower / 2.0];
            let costs = results.iter().map(|(winner, loser, times)| {
                f64::from(*times) * win(strengths[*winner] - strengths[*loser])
            });
            costs.sum()
        };
        // Coordinates in turn, each by golden section: slow, and nothing of Newton in it.
        let least = |function: &dyn Fn(f64) -> f64| {
            let (mut low, mut high) = (-20.0_f64, 20.0_f64);
            for _ in 0..100 {
                let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
                if function(a) < function(b) { high = b } else { low = a }
            }
            f64::midpoint(low, high)
        };
        let profile = |ahead: f64| {
            let (mut upper, mut lower) = (0.0, 0.0);
            for _ in 0..100 {
                upper = least(&|value| loss(ahead, value, lower));
                lower = least(&|value| loss(ahead, upper, value));
            }
            loss(ahead, upper, lower)
        };
        let excess = profile(found) - profile(40.0);
        assert!((excess - LOSS).abs() < 1e-6, "{excess}");
    }

    /// A far larger lead of some pairs must not throw the method off.
    #[test]
    fn steep_components() {
        let counts = table(4, &[(0, 1, 900), (1, 0, 1), (2, 3, 900), (3, 2, 1), (1, 2, 1)]);
        let found = at_least(&counts, &[0, 1], &[2, 3]).unwrap();
        assert!(found.is_finite());
        // The weaker upper one met the stronger lower one: the means are far apart.
        assert!(500.0 < found, "{found}");
    }
}
