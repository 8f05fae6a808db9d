//! What resamples say of a system, or of its distance to another.

use serde::{Deserialize, Serialize};

use crate::rating::Limit;
use crate::rating::Summary;

/// Over resamples, in Elo points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resampled {
    pub median: Limit,
    pub mean: Limit,
    /// With n − 1 in the denominator.
    pub std: Limit,
    /// The 2.5th percentile.
    pub low: Limit,
    /// The 97.5th percentile.
    pub high: Limit,
}

impl Resampled {
    /// `shift` is added to all but the spread.
    pub(super) fn of(summary: Summary, shift: f64) -> Self {
        let moved = |limit| shifted(limit, shift);
        Self {
            median: moved(summary.median),
            mean: moved(summary.mean),
            std: summary.std,
            low: moved(summary.low),
            high: moved(summary.high),
        }
    }
}

pub(super) fn shifted(limit: Limit, shift: f64) -> Limit {
    match limit {
        Limit::At(value) => Limit::At(value + shift),
        Limit::Unbounded => Limit::Unbounded,
    }
}

/// `centre + times × spread`, where both have a number.
pub(super) fn reached(centre: Limit, times: f64, spread: Limit) -> Limit {
    match (centre, spread) {
        (Limit::At(centre), Limit::At(spread)) => Limit::At(centre + times * spread),
        _ => Limit::Unbounded,
    }
}
