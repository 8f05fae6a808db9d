//! Differences from a baseline, query by query.

use serde::{Deserialize, Serialize};

use crate::metrics::View;
use crate::metrics::answer;
use crate::metrics::interval::Estimate;
use crate::metrics::select::Selection;
use crate::run::Sheet;

/// One system against the baseline, on the queries where both have an answer with a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Index into the frame.
    pub system: usize,
    pub name: String,
    /// Index into the frame.
    pub baseline: usize,
    pub baseline_name: String,
    /// Mean over queries of system − baseline, in shares of full coverage, `-1.0..=1.0`.
    pub mean: Option<f64>,
    /// sd of the differences (n − 1) ÷ √n.
    pub se: Option<f64>,
    /// Lower end of the paired 95 % t-interval, n − 1 degrees of freedom.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Queries compared.
    pub n: u64,
    pub finding: Finding,
}

/// What a difference allows one to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The interval lies above zero.
    Higher,
    /// The interval lies below zero.
    Lower,
    /// The interval holds zero.
    NoClearDifference,
    /// Fewer than 10 queries compared: no claim either way.
    TooFew,
    /// Not everything planned has come back: no claim, and no interval.
    Interim,
}

impl Finding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::NoClearDifference => "no clear difference",
            Self::TooFew => "too few",
            Self::Interim => "interim",
        }
    }

    /// The same finding seen from the other side.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Higher => Self::Lower,
            Self::Lower => Self::Higher,
            Self::NoClearDifference | Self::TooFew | Self::Interim => self,
        }
    }

    fn of(n: u64, bounds: Option<(f64, f64)>) -> Self {
        if n < super::FEW {
            return Self::TooFew;
        }
        match bounds {
            Some((low, _)) if 0.0 < low => Self::Higher,
            Some((_, high)) if high < 0.0 => Self::Lower,
            Some(_) => Self::NoClearDifference,
            None => Self::TooFew,
        }
    }
}

/// Every other visible system against `baseline`, in frame order. Empty where the baseline is hidden or
/// unknown.
///
/// A missing answer is no zero here: pairs are made on the queries both answered, whatever the reading.
pub fn differences(sheet: &Sheet, view: &View, baseline: usize) -> Vec<Difference> {
    let selection = Selection::of(sheet, view);
    if !selection.systems.contains(&baseline) {
        return Vec::new();
    }
    selection
        .systems
        .iter()
        .filter(|&&system| system != baseline)
        .map(|&system| {
            let share = |who, case| answer::outcome(sheet, who, case, view.item_type).share();
            let gaps: Vec<f64> = selection
                .cases
                .iter()
                .filter(|_| sheet.aborted.is_none())
                .filter_map(|&case| Some(share(system, case)? - share(baseline, case)?))
                .collect();
            let estimate = Estimate::of(&gaps);
            // Looked at while it is still growing, an interval leaves out zero sooner or later by chance.
            let is_final = sheet.complete;
            let name = |index: usize| sheet.frame.systems[index].name.to_string();
            Difference {
                system,
                name: name(system),
                baseline,
                baseline_name: name(baseline),
                mean: estimate.mean,
                se: estimate.se.filter(|_| is_final),
                low: estimate.bounds.filter(|_| is_final).map(|bounds| bounds.0),
                high: estimate.bounds.filter(|_| is_final).map(|bounds| bounds.1),
                n: estimate.n,
                finding: if is_final {
                    Finding::of(estimate.n, estimate.bounds)
                } else {
                    Finding::Interim
                },
            }
        })
        .collect()
}
