//! How far labels agree, and how sure one may be of it: coefficients from sums a query, with intervals
//! from resampled queries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rating::Split;
use crate::rubric::Label;

/// Labels there are.
pub(super) const LABELS: usize = Label::ALL.len();

/// Resamples behind an interval.
const ROUNDS: usize = 1000;

/// A coefficient, or why there is none. Never 0 or 1 in place of none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statistic {
    Found(Found),
    Undefined(Undefined),
}

impl Statistic {
    /// `None` where it is undefined.
    pub fn found(self) -> Option<Found> {
        match self {
            Self::Found(found) => Some(found),
            Self::Undefined(_) => None,
        }
    }
}

/// A coefficient with what it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub value: f64,
    /// 95 %: the 2.5th and 97.5th percentile over 1000 resamples of queries, each with all that is its
    /// own. Seeded: the same marks give the same digits, whatever names and order. `None` with fewer
    /// than two queries, or where the coefficient has no value in more than one of twenty resamples.
    pub bounds: Option<(f64, f64)>,
    /// Of what the coefficient is over: items, answers or battles, as the field that holds it says.
    pub n: u64,
    pub queries: u64,
}

impl Found {
    /// Whether too few queries stand behind it for a claim.
    pub fn is_few(&self) -> bool {
        self.queries < super::FEW
    }
}

/// Why a coefficient has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Undefined {
    /// Nothing was judged twice, or not enough.
    TooFew,
    /// All verdicts are the same: agreement by chance would be as perfect.
    NoVariation,
}

/// Sums by query, of which a coefficient is a function. Keyed by the query's id, so that neither the
/// order of the data nor names reach a digit.
pub(super) struct Sums<'a, const N: usize> {
    by_query: BTreeMap<&'a str, [f64; N]>,
    n: u64,
}

impl<'a, const N: usize> Sums<'a, N> {
    pub(super) fn new() -> Self {
        Self { by_query: BTreeMap::new(), n: 0 }
    }

    /// Adds one of what is counted.
    pub(super) fn add(&mut self, query: &'a str, change: impl FnOnce(&mut [f64; N])) {
        self.n += 1;
        change(self.by_query.entry(query).or_insert([0.0; N]));
    }

    /// Of all queries.
    pub(super) fn total(&self) -> [f64; N] {
        self.by_query.values().fold([0.0; N], sum)
    }

    /// The coefficient that `of` makes of sums, with its interval.
    pub(super) fn statistic(&self, of: impl Fn(&[f64; N]) -> Result<f64, Undefined>) -> Statistic {
        match of(&self.total()) {
            Ok(value) => Statistic::Found(Found {
                value,
                bounds: self.bounds(of),
                n: self.n,
                queries: self.by_query.len() as u64,
            }),
            Err(why) => Statistic::Undefined(why),
        }
    }

    fn bounds(&self, of: impl Fn(&[f64; N]) -> Result<f64, Undefined>) -> Option<(f64, f64)> {
        let queries: Vec<&[f64; N]> = self.by_query.values().collect();
        if queries.len() < 2 {
            return None;
        }
        let mut random = Split::new(0);
        let mut values: Vec<f64> = (0..ROUNDS)
            .filter_map(|_| {
                let drawn = (0..queries.len()).map(|_| queries[random.below(queries.len())]);
                of(&drawn.fold([0.0; N], sum)).ok()
            })
            .collect();
        // What has no value in many resamples is hardly known, and those that have one are the odd ones.
        if 20 * values.len() < 19 * ROUNDS {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        Some((percentile(&values, 0.025), percentile(&values, 0.975)))
    }
}

fn sum<const N: usize>(mut total: [f64; N], more: &[f64; N]) -> [f64; N] {
    for (total, more) in total.iter_mut().zip(more) {
        *total += more;
    }
    total
}

/// Linear between order statistics. `sorted` holds at least one value.
fn percentile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * (place - place.floor())
}

/// The first sum by the second.
pub(super) fn share(sums: &[f64; 2]) -> Result<f64, Undefined> {
    if sums[1] <= 0.0 { Err(Undefined::TooFew) } else { Ok(sums[0] / sums[1]) }
}

/// Krippendorff's α for ordered categories, from the coincidences `sums[c * k + d]` of values c and d
/// (Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011). A unit judged m times adds
/// 1 ÷ (m − 1) for each ordered pair of its values, so that missing values need no filling in.
///
/// Ordinal, since the five labels are ordered and nothing says that their steps are equally wide.
pub(super) fn alpha_ordinal<const N: usize>(sums: &[f64; N]) -> Result<f64, Undefined> {
    let k = (N as f64).sqrt().round() as usize;
    let margins: Vec<f64> = (0..k).map(|c| sums[c * k..(c + 1) * k].iter().sum()).collect();
    let n: f64 = margins.iter().sum();
    if n < 2.0 {
        return Err(Undefined::TooFew);
    }
    let (mut observed, mut expected) = (0.0, 0.0);
    for high in 1..k {
        for low in 0..high {
            let between: f64 = margins[low..=high].iter().sum();
            let distance = (between - f64::midpoint(margins[low], margins[high])).powi(2);
            observed += sums[low * k + high] * distance;
            expected += margins[low] * margins[high] * distance;
        }
    }
    if expected <= 0.0 {
        return Err(Undefined::NoVariation);
    }
    Ok(1.0 - (n - 1.0) * observed / expected)
}

/// Adds one unit's coincidences, of values counted from 0.
pub(super) fn coincide<const N: usize>(sums: &mut [f64; N], values: &[usize]) {
    let k = (N as f64).sqrt().round() as usize;
    let weight = 1.0 / (values.len() as f64 - 1.0);
    for (at, one) in values.iter().enumerate() {
        for (other_at, other) in values.iter().enumerate() {
            if at != other_at {
                sums[one * k + other] += weight;
            }
        }
    }
}

/// Cohen's κ with quadratic weights (Cohen 1968), from counts `sums[a * 5 + b]`:
/// 1 − Σ (a − b)² observed ÷ Σ (a − b)² expected from the margins.
pub(super) fn kappa_quadratic(sums: &[f64; LABELS * LABELS]) -> Result<f64, Undefined> {
    let n: f64 = sums.iter().sum();
    if n < 1.0 {
        return Err(Undefined::TooFew);
    }
    let (mut rows, mut columns) = ([0.0; LABELS], [0.0; LABELS]);
    for (at, count) in sums.iter().enumerate() {
        rows[at / LABELS] += count;
        columns[at % LABELS] += count;
    }
    let (mut observed, mut expected) = (0.0, 0.0);
    for (at, count) in sums.iter().enumerate() {
        let (a, b) = (at / LABELS, at % LABELS);
        let weight = a.abs_diff(b).pow(2) as f64;
        observed += weight * count;
        expected += weight * rows[a] * columns[b] / n;
    }
    if expected <= 0.0 { Err(Undefined::NoVariation) } else { Ok(1.0 - observed / expected) }
}

/// Sums of a one-way analysis of variance: groups, values, Σ k², Σ x, Σ T² ÷ k, Σ x², with k values and
/// the total T in a group.
pub(super) type Variance = [f64; 6];

/// Adds one group.
pub(super) fn vary(sums: &mut Variance, values: &[f64]) {
    // Off the middle of the scale: squares of smaller numbers lose fewer digits.
    let values = values.iter().map(|value| value - 0.5);
    let k = values.len() as f64;
    let total: f64 = values.clone().sum();
    let squares: f64 = values.map(|value| value * value).sum();
    for (sum, more) in sums.iter_mut().zip([1.0, k, k * k, total, total * total / k, squares]) {
        *sum += more;
    }
}

/// ICC(1): the reliability of a single measurement by a one-way random-effects model (Shrout and Fleiss
/// 1979). Groups of unequal size go in with k₀ = (N − Σ k² ÷ N) ÷ (groups − 1) (Donner 1986).
pub(super) fn icc([groups, n, k2, total, between, squares]: &Variance) -> Result<f64, Undefined> {
    if *groups < 2.0 || n - groups < 1.0 {
        return Err(Undefined::TooFew);
    }
    let correction = total * total / n;
    if squares - correction <= 1e-12 * n {
        return Err(Undefined::NoVariation);
    }
    let among = (between - correction).max(0.0) / (groups - 1.0);
    let within = (squares - between).max(0.0) / (n - groups);
    let k0 = (n - k2 / n) / (groups - 1.0);
    Ok((among - within) / (among + (k0 - 1.0) * within))
}

/// Sums for a correlation: pairs, Σ x, Σ y, Σ x², Σ y², Σ x y.
pub(super) type Moments = [f64; 6];

/// Adds one pair of values.
pub(super) fn correlate(sums: &mut Moments, x: f64, y: f64) {
    // Off the middle of the scale, as above.
    let (x, y) = (x - 0.5, y - 0.5);
    for (sum, more) in sums.iter_mut().zip([1.0, x, y, x * x, y * y, x * y]) {
        *sum += more;
    }
}

/// Pearson’s correlation. Two pairs always lie on a line, which says nothing: it takes three.
pub(super) fn pearson([n, x, y, xx, yy, xy]: &Moments) -> Result<f64, Undefined> {
    if *n < 3.0 {
        return Err(Undefined::TooFew);
    }
    let (of_x, of_y, both) = (xx - x * x / n, yy - y * y / n, xy - x * y / n);
    if of_x.min(of_y) <= 1e-12 * n {
        return Err(Undefined::NoVariation);
    }
    Ok((both / (of_x * of_y).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: Result<f64, Undefined>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
    }

    /// The data of Krippendorff (2011): 4 observers, 12 units, values missing. He gives 0.815; all digits
    /// from the Python package krippendorff 0.9.0, `alpha(..., level_of_measurement="ordinal")`.
    #[test]
    fn alpha_with_missing_values() {
        let units: [&[usize]; 12] = [
            &[0, 0, 0],
            &[1, 1, 2, 1],
            &[2, 2, 2, 2],
            &[2, 2, 2, 2],
            &[1, 1, 1, 1],
            &[0, 1, 2, 3],
            &[3, 3, 3, 3],
            &[0, 0, 1, 0],
            &[1, 1, 1, 1],
            &[4, 4, 4],
            &[0, 0],
            &[2],
        ];
        let mut sums = [0.0; 25];
        for unit in units.into_iter().filter(|unit| 1 < unit.len()) {
            coincide(&mut sums, unit);
        }
        near(alpha_ordinal(&sums), ALPHA);
    }

    /// See the test above.
    const ALPHA: f64 = 0.815_387_503_754_881;

    /// Shrout and Fleiss (1979): six targets by four judges, ICC(1, 1) = 0.17; all digits by their formula.
    #[test]
    fn icc_of_the_paper() {
        let judged = [
            [9.0, 2.0, 5.0, 8.0],
            [6.0, 1.0, 3.0, 2.0],
            [8.0, 4.0, 6.0, 8.0],
            [7.0, 1.0, 2.0, 6.0],
            [10.0, 5.0, 6.0, 9.0],
            [6.0, 2.0, 4.0, 7.0],
        ];
        let mut sums = [0.0; 6];
        for values in judged {
            vary(&mut sums, &values);
        }
        near(icc(&sums), ICC);
    }

    /// See the test above.
    const ICC: f64 = 0.165_741_768_405_475;

    /// Against scikit-learn 1.9.1, `cohen_kappa_score(a, b, weights="quadratic")`.
    #[test]
    fn kappa_of_a_table() {
        let counts = [
            [20, 5, 1, 0, 0],
            [4, 15, 6, 1, 0],
            [1, 5, 18, 7, 2],
            [0, 2, 6, 25, 9],
            [0, 0, 1, 8, 40],
        ];
        let mut sums = [0.0; 25];
        for (at, count) in counts.iter().flatten().enumerate() {
            sums[at] = f64::from(*count);
        }
        near(kappa_quadratic(&sums), KAPPA);
    }

    /// See the test above.
    const KAPPA: f64 = 0.881_759_192_501_802;

    /// Against Python’s `statistics.correlation`.
    #[test]
    fn pearson_of_five_pairs() {
        let mut sums = [0.0; 6];
        let pairs = [(0.25, 0.5), (0.0, 0.125), (0.875, 1.0), (0.5, 0.25), (1.0, 0.75)];
        for (x, y) in &pairs[..2] {
            correlate(&mut sums, *x, *y);
        }
        assert_eq!(pearson(&sums), Err(Undefined::TooFew));
        for (x, y) in &pairs[2..] {
            correlate(&mut sums, *x, *y);
        }
        near(pearson(&sums), PEARSON);
        let mut flat = [0.0; 6];
        (0..9).for_each(|it| correlate(&mut flat, 0.1, f64::from(it)));
        assert_eq!(pearson(&flat), Err(Undefined::NoVariation));
    }

    /// See the test above.
    const PEARSON: f64 = 0.829_566_471_935_121;

    #[test]
    fn without_variation_or_data_there_is_no_coefficient() {
        let mut same = [0.0; 25];
        coincide(&mut same, &[3, 3, 3]);
        assert_eq!(alpha_ordinal(&same), Err(Undefined::NoVariation));
        assert_eq!(alpha_ordinal(&[0.0; 25]), Err(Undefined::TooFew));
        let mut one = [0.0; 25];
        one[6] = 9.0;
        assert_eq!(kappa_quadratic(&one), Err(Undefined::NoVariation));
        assert_eq!(kappa_quadratic(&[0.0; 25]), Err(Undefined::TooFew));
        let mut flat = [0.0; 6];
        vary(&mut flat, &[0.25, 0.25]);
        assert_eq!(icc(&flat), Err(Undefined::TooFew));
        vary(&mut flat, &[0.25, 0.25]);
        assert_eq!(icc(&flat), Err(Undefined::NoVariation));
    }

    /// A mean of 100 queries: the interval is close to ∓1.96 standard errors, and the same each time.
    #[test]
    fn intervals_are_those_of_the_mean() {
        let ids: Vec<String> = (0..100).map(|at| format!("q{at}")).collect();
        let mut sums = Sums::<2>::new();
        for (at, id) in ids.iter().enumerate() {
            sums.add(id, |sums| {
                sums[0] += (at % 10) as f64;
                sums[1] += 1.0;
            });
        }
        let found = sums.statistic(share).found().unwrap();
        let (low, high) = found.bounds.unwrap();
        // sd of 0..=9, ten times each: √(8.25 · 100 ÷ 99).
        let reach = 1.96 * (8.25_f64 / 99.0).sqrt();
        assert!((found.value - 4.5).abs() < 1e-12);
        assert!((high - low - 2.0 * reach).abs() < 0.1 * reach, "{low} {high}");
        assert_eq!(sums.statistic(share).found(), Some(found));
    }
}
