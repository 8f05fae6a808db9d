//! Mean, standard error and t-interval of one number a query.

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

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value that 97.5 % of Student's t with so many degrees of freedom lies below.
pub(super) fn t_quantile(freedom: f64) -> Option<f64> {
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

    #[test]
    fn one_value_has_a_mean_and_no_doubt_to_show() {
        let one = Estimate::of(&[0.5]);
        assert_eq!((one.mean, one.se, one.bounds, one.n), (Some(0.5), None, None, 1));
        assert_eq!(Estimate::of(&[]), Estimate::default());
    }
}
