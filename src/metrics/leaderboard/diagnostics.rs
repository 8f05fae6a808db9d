//! Other ways to read the same battles: beside the ratings, and never in their place.

use serde::{Deserialize, Serialize};

use crate::rating::Connected;
use crate::rating::Fit;
use crate::rating::davidson;
use crate::rating::elo;

use super::taken::Taken;

/// Named as what they are. None has an interval here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// In the order of ratings by maximum likelihood.
    pub rows: Vec<Diagnosed>,
    /// `None` where that model has no likeliest answer.
    pub davidson: Option<Davidson>,
}

/// One system, in Elo points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosed {
    /// Number in the tournament.
    pub system: usize,
    pub name: String,
    /// By maximum likelihood, a tie being half a win. No anchor moves it.
    pub rating: f64,
    /// Elo's update with K = 4 from 1000, in the order of the file (Elo 1978): another order gives other
    /// numbers.
    pub online: f64,
    /// Under Davidson's model of ties (Davidson 1970).
    pub davidson: Option<f64>,
}

/// Davidson's model as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Davidson {
    /// ν: equal systems tie with probability ν ÷ (2 + ν).
    pub ties: f64,
}

/// By place in `taken`, which must still be in the order of the file.
pub(super) fn online(taken: &Taken) -> Vec<f64> {
    elo::online(taken.names.len(), &taken.battles)
}

impl Diagnostics {
    /// `online` by place.
    pub(super) fn of(connected: Connected<'_>, taken: &Taken, fit: &Fit, online: &[f64]) -> Self {
        let model = davidson(connected).filter(|it| {
            it.ties.is_finite() && it.strengths.iter().all(|strength| strength.is_finite())
        });
        let rows = fit.ratings().into_iter().enumerate().map(|(at, rating)| Diagnosed {
            system: taken.numbers[at],
            name: taken.names[at].clone(),
            rating,
            online: online[at],
            davidson: model.as_ref().map(|it| elo(it.strengths[at])),
        });
        Self { rows: rows.collect(), davidson: model.as_ref().map(|it| Davidson { ties: it.ties }) }
    }
}
