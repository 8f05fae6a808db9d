//! What rounds say of a system.

use serde::{Deserialize, Serialize};

/// A figure over rounds, some of which may have no finite rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    At(f64),
    /// No finite number is honest.
    Unbounded,
}

impl Limit {
    /// The number, if there is one.
    pub fn finite(self) -> Option<f64> {
        match self {
            Self::At(value) => Some(value),
            Self::Unbounded => None,
        }
    }

    fn of(value: f64) -> Self {
        if value.is_finite() { Self::At(value) } else { Self::Unbounded }
    }
}

/// One system over all rounds, in Elo points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub median: Limit,
    /// Unbounded as soon as one round is.
    pub mean: Limit,
    /// With n − 1 in the denominator. Unbounded as soon as one round is, or with fewer than two rounds.
    pub std: Limit,
    /// The interval that holds [`Self::level`] of the rounds and leaves as many out on either side.
    pub low: Limit,
    pub high: Limit,
    pub level: f64,
}

impl Summary {
    /// `ratings` as in [`super::Resamples::of`]; `level` such as 0.95.
    pub(super) fn of(ratings: &[f64], level: f64) -> Self {
        let sorted = Sorted::of(ratings);
        let outside = (1.0 - level) / 2.0;
        let count = ratings.len() as f64;
        let mean = ratings.iter().sum::<f64>() / count;
        let squares: f64 = ratings.iter().map(|rating| (rating - mean) * (rating - mean)).sum();
        Self {
            median: sorted.percentile(0.5),
            mean: Limit::of(mean),
            std: Limit::of((squares / (count - 1.0)).sqrt()),
            low: sorted.percentile(outside),
            high: sorted.percentile(1.0 - outside),
            level,
        }
    }
}

/// Ratings in order, those that may be anywhere apart.
pub(super) struct Sorted {
    /// With infinities at both ends.
    known: Vec<f64>,
    open: usize,
}

impl Sorted {
    pub(super) fn of(ratings: &[f64]) -> Self {
        let mut known: Vec<f64> =
            ratings.iter().copied().filter(|rating| !rating.is_nan()).collect();
        known.sort_unstable_by(f64::total_cmp);
        let open = ratings.len() - known.len();
        Self { known, open }
    }

    /// Linear between order statistics, at (n − 1) × `share` (the default of `numpy.percentile`).
    ///
    /// A rating that may be anywhere counts as infinitely low below the median and as infinitely high above
    /// it; the median itself is midway between both readings, so that each such round counts half on either
    /// side. Where the point between two ratings touches an infinite one, it is the finite one, unless more
    /// than `share` of all are infinite.
    pub(super) fn percentile(&self, share: f64) -> Limit {
        if share < 0.5 {
            return self.read(share, self.open);
        }
        let high = self.read(share, 0);
        if 0.5 < share || self.open == 0 {
            return high;
        }
        match (self.read(share, self.open), high) {
            (Limit::At(low), Limit::At(high)) => Limit::At(f64::midpoint(low, high)),
            _ => Limit::Unbounded,
        }
    }

    /// With so many of the open ratings infinitely low, and the others infinitely high.
    fn read(&self, share: f64, low: usize) -> Limit {
        let count = self.known.len() + self.open;
        let at = |place: usize| {
            if place < low {
                f64::NEG_INFINITY
            } else {
                self.known.get(place - low).copied().unwrap_or(f64::INFINITY)
            }
        };
        if count == 0 {
            return Limit::Unbounded;
        }
        let position = (count - 1) as f64 * share;
        let below = position.floor() as usize;
        let part = position - below as f64;
        let (one, other) = (at(below), at((below + 1).min(count - 1)));
        let lowest = (0..count).take_while(|place| at(*place) == f64::NEG_INFINITY).count();
        let highest = (0..count).rev().take_while(|place| at(*place) == f64::INFINITY).count();
        let beyond = |infinite: usize, share: f64| count as f64 * share < infinite as f64;
        if beyond(lowest, share) || beyond(highest, 1.0 - share) {
            Limit::Unbounded
        } else if one.is_finite() && other.is_finite() {
            // Exactly the rating where both are one, and never beyond either.
            Limit::At(one + (other - one) * part)
        } else {
            Limit::of(if one.is_finite() { one } else { other })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: f64 = f64::INFINITY;
    const DOWN: f64 = f64::NEG_INFINITY;

    #[track_caller]
    fn check(ratings: &[f64], share: f64, expected: Limit) {
        assert_eq!(Sorted::of(ratings).percentile(share), expected);
    }

    #[test]
    fn percentiles_are_numpys() {
        let ratings = [4.0, 1.0, 3.0, 2.0];
        check(&ratings, 0.5, Limit::At(2.5));
        check(&ratings, 0.25, Limit::At(1.75));
        check(&ratings, 1.0, Limit::At(4.0));
        check(&[7.0], 0.025, Limit::At(7.0));
        check(&[], 0.5, Limit::Unbounded);
    }

    #[test]
    fn a_limit_is_open_where_more_than_its_share_of_rounds_is() {
        let mut ratings: Vec<f64> = (0..1000).map(f64::from).collect();
        for rating in &mut ratings[975..] {
            *rating = UP;
        }
        check(&ratings, 0.975, Limit::At(974.0));
        check(&ratings, 0.5, Limit::At(499.5));
        ratings[974] = UP;
        check(&ratings, 0.975, Limit::Unbounded);
        check(&ratings, 0.025, Limit::At(24.975));
        for rating in &mut ratings[..25] {
            *rating = DOWN;
        }
        check(&ratings, 0.025, Limit::At(25.0));
        ratings[25] = f64::NAN;
        check(&ratings, 0.025, Limit::Unbounded);
        // Below all others it makes the median 499.5, above them 500.5.
        check(&ratings, 0.5, Limit::At(500.0));
        ratings[25] = DOWN;
        check(&ratings, 0.5, Limit::At(499.5));
    }

    #[test]
    fn a_summary_of_few_rounds() {
        let summary = Summary::of(&[1.0, 2.0, 6.0], 0.5);
        assert_eq!(summary.mean, Limit::At(3.0));
        assert_eq!(summary.std, Limit::At(7.0_f64.sqrt()));
        assert_eq!(summary.median, Limit::At(2.0));
        assert_eq!((summary.low, summary.high), (Limit::At(1.5), Limit::At(4.0)));
        let summary = Summary::of(&[1.0, 2.0, UP], 0.5);
        assert_eq!((summary.mean, summary.std), (Limit::Unbounded, Limit::Unbounded));
        assert_eq!((summary.median, summary.low), (Limit::At(2.0), Limit::At(1.5)));
        assert_eq!(Summary::of(&[1.0], 0.95).std, Limit::Unbounded);
    }
}
