//! Mean, standard error and t-interval of one number a query.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// In the unit of the values. `None` where too few values define it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Estimate {
    pub(super) mean: Option<f64>,
    /// s ÷ √n, with s over n − 1 (pandas' `ddof=1`). From two values on.
    pub(super) se: Option<f64>,
    /// mean ∓ t(0.975; n − 1) × se. Not cut at 0 or 1, so that it stays the interval of its name.
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) n: u64,
}

impl Estimate {
    pub(super) fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let n = values.len() as f64;
        let mean = mean(values);
        // Two passes: the shortcut through Σx² loses digits where all values are alike.
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let se = (1 < values.len()).then(|| (squares / (n - 1.0)).sqrt() / n.sqrt());
        let bounds = se.and_then(|se| {
            let reach = t_quantile(n - 1.0)? * se;
            Some((mean - reach, mean + reach))
        });
        Self { mean: Some(mean), se, bounds, n: values.len() as u64 }
    }
}

/// A mean whose error lets values of one query go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clustered {
    pub(super) mean: f64,
    /// 95 %: mean ∓ t(0.975; queries − 1) × the cluster-robust error. `None` with fewer than two queries,
    /// or where nothing varies.
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) n: u64,
    pub(super) queries: u64,
}

impl Clustered {
    /// From values, each with its query. `None` without a value.
    ///
    /// Liang and Zeger (1986) for a mean, with the factor G ÷ (G − 1) for G clusters; with one value a
    /// query it is the t-interval of a mean.
    pub(super) fn of(values: &[(u32, f64)]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().map(|(_, value)| value).sum::<f64>() / n;
        let mut sums = BTreeMap::new();
        for (query, value) in values {
            *sums.entry(query).or_insert(0.0) += value - mean;
        }
        let queries = sums.len() as f64;
        let squares: f64 = sums.values().map(|sum| sum * sum).sum();
        let error = (squares * queries / (queries - 1.0)).sqrt() / n;
        // Rounding leaves some 1e-17 of an error that is zero, which is no certainty.
        let bounds = (1 < sums.len() && 1e-12 < error).then_some(error).and_then(|error| {
            let reach = t_quantile(queries - 1.0)? * error;
            Some((mean - reach, mean + reach))
        });
        Some(Self { mean, bounds, n: values.len() as u64, queries: sums.len() as u64 })
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value that 97.5 % of Student's t with so many degrees of freedom lies below.
fn t_quantile(freedom: f64) -> Option<f64> {
    StudentsT::new(0.0, 1.0, freedom).ok().map(|t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against scipy 1.x, `scipy.stats.t.ppf(0.975, d)`.
    #[test]
    fn quantiles_agree_with_scipy() {
        for (freedom, expected) in [
            (1.0, 12.706_204_736_174_694),
            (2.0, 4.302_652_729_749_462),
            (4.0, 2.776_445_105_197_793_4),
            (11.0, 2.200_985_160_091_639),
            (149.0, 1.976_013_177_689_192),
            (3749.0, 1.960_596_959_807_921_8),
        ] {
            let found = t_quantile(freedom).unwrap();
            assert!((found - expected).abs() < 1e-9, "{freedom}: {found} against {expected}");
        }
    }

    /// With one value a query the cluster-robust interval is the paired one.
    #[test]
    fn clusters_of_one_are_none() {
        let values = [0.25, -0.5, 0.125, 0.75, 0.0];
        let plain = Estimate::of(&values);
        let queries: Vec<(u32, f64)> = (0..).zip(values).collect();
        let found = Clustered::of(&queries).unwrap();
        let ((low, high), (own_low, own_high)) = (plain.bounds.unwrap(), found.bounds.unwrap());
        assert!((low - own_low).abs() < 1e-12 && (high - own_high).abs() < 1e-12);
        assert_eq!((found.n, found.queries), (5, 5));
    }

    #[test]
    fn one_value_has_a_mean_and_no_doubt_to_show() {
        let one = Estimate::of(&[0.5]);
        assert_eq!((one.mean, one.se, one.bounds, one.n), (Some(0.5), None, None, 1));
        assert_eq!(Estimate::of(&[]), Estimate::default());
    }
}
