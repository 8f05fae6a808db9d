//! Ratings from battles: Bradley–Terry by maximum likelihood, and how sure one may be of them.
//!
//! Battles come from anywhere: an ensemble of judgements, rubric coverage alone, or a file. Systems and
//! queries are numbers here; names stay outside.
//!
//! No rating without the gate: [`fit()`] takes a [`Connected`] table, and only [`Connected::of`] makes one.

pub mod battle;
pub mod bootstrap;
pub mod counts;
pub mod tournament;
pub mod fit;
pub mod gate;
pub mod ingest;
mod number;
pub mod bound;
pub mod repair;
pub mod sandwich;
pub mod compare;
pub mod elo;
pub mod davidson;

pub use battle::{Battle, Winner};
pub use bootstrap::{Limit, Plan, Resamples, Resampling, Split, Summary, bootstrap};
pub use bound::at_least;
pub use compare::{Comparison, Comparisons, MaxT, RankRange, Simulation, Verdict, compare};
pub use counts::{Pair, PairCounts};
pub use davidson::{Davidson, davidson};
pub use fit::{Fit, fit};
pub use gate::{Component, ComponentFit, Connected, Gate, Order, examine};
pub use repair::{Repair, repairs};
pub use sandwich::{Clustered, Covariance, Interval, NoSpread, SmallSample, analytic, clustered};
pub use tournament::{Tournament, Undecided};

/// Elo points a unit of natural-log strength: 400 ÷ ln 10.
pub const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The mean of all ratings.
pub const MEAN: f64 = 1000.0;

/// A natural-log strength, with the mean of all at zero, as an Elo rating.
pub fn elo(strength: f64) -> f64 {
    MEAN + SCALE * strength
}

/// How likely a system wins against another, a tie being half a win: 1 ÷ (1 + 10^((other − own) ÷ 400)).
pub fn win_probability(own: f64, other: f64) -> f64 {
    1.0 / (1.0 + number::exp((other - own) / SCALE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The three win rates that the ResearchQA paper quotes, from its notebook's ratings.
    #[test]
    fn published_win_rates() {
        for (own, other, expected) in
            [(1505.19, 1243.88, 0.8182), (1099.17, 1243.88, 0.3030), (1148.60, 960.23, 0.7473)]
        {
            assert!((win_probability(own, other) - expected).abs() < 5e-5);
        }
    }
}
