//! Before judging: how small a difference a plan can tell apart, and what it takes.
//!
//! A [`PowerBase`] is made once, from a run or from stated assumptions. From then on every plan is
//! arithmetic on a few numbers ([`PlanSketch::outlook`]), so that a page can follow a slider.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF as _, Normal};

use crate::rating::{PairCounts, SCALE, SmallSample, analytic, clustered, examine, fit};
use crate::run::Sheet;
use crate::run::money::{self, Prices};
use crate::run::repeats::Repeated;

use super::contest::{Decider, tournament};
use super::repeats::{JudgeNoise, judge_noise};
use super::select::Selection;
use super::{View, answer};

/// How likely it is at most that two equal systems are told apart, over all comparisons together.
pub const ALPHA: f64 = 0.05;

/// How likely a difference of the stated size is told apart.
pub const POWER: f64 = 0.80;

/// Standard deviation of paired query differences where there is no run to learn it from, in shares of
/// full coverage.
///
/// An assumption: no figure is published. An answer's coverage of eight items on five labels spreads by
/// about 0.2 around means of 0.6 to 0.75; two systems that share nothing but the query then differ by
/// 0.2 √2 = 0.28, and what they share makes it less.
pub const ASSUMED_SD: f64 = 0.25;

/// z(0.975) + z(0.80), as the rating gap is defined with.
pub const GAP: f64 = 2.80;

/// More systems than this are not planned for: that many are not compared pair by pair.
pub const MOST_SYSTEMS: u32 = 60;

/// What plans are computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerBase {
    pub spread: Spread,
    /// The part of that spread that is the judge's own doing, and shrinks with repeats.
    pub judge: JudgeNoise,
    pub design: Design,
    pub load: Load,
    /// z(1 − α ÷ 2 ÷ comparisons) for 2, 3, … [`MOST_SYSTEMS`] systems, all pairs compared (Bonferroni).
    pub z: Vec<f64>,
    /// z(0.80).
    pub z_power: f64,
    /// What to start sketching from: what the run did, or else a small plan.
    pub start: PlanSketch,
}

/// How far the coverage of two systems differs from query to query, in shares of full coverage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Spread {
    Run {
        /// Every two systems with two queries in common at least.
        pairs: Vec<PairSpread>,
        /// Root mean square of the pairs' upper limits: of a typical pair.
        typical: f64,
        /// The largest upper limit.
        widest: f64,
    },
    /// [`ASSUMED_SD`], as it is: nothing is known of how far it is off.
    Assumed { sd: f64 },
}

/// Paired differences of two systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairSpread {
    pub first: String,
    pub second: String,
    /// Queries that both answered, with a value.
    pub queries: u64,
    /// Standard deviation of the differences, over n − 1.
    pub sd: f64,
    /// Upper 80 % limit of it: sd · √((n − 1) ÷ χ²(0.20; n − 1)). A plan by the estimate itself would be
    /// too small half of the time.
    pub upper: f64,
}

/// How much less sure ratings are because battles over one query go together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Design {
    Run {
        /// By how much errors are larger: the square root of the design effect, which is the mean over
        /// pairs of the cluster-robust variance ÷ that of the model.
        factor: f64,
        battles: u64,
        queries: u64,
    },
    /// 1: battles are taken for independent.
    Assumed,
}

/// Tokens of a call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    pub source: LoadSource,
    /// Rubric items of a call, at most.
    pub batch: u32,
    /// Of a call on rubric items, apart from the items.
    pub input: f64,
    pub input_per_item: f64,
    pub output: f64,
    pub output_per_item: f64,
    /// Of a call on a battle.
    pub duel_input: f64,
    pub duel_output: f64,
}

/// Where the tokens of a [`Load`] come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadSource {
    /// Calls of a run whose tokens the provider told; those of a kind it never made are assumed.
    Run { calls: u64, duels: u64 },
    /// Answers of 250 words, items of 30 tokens, and Viva's own prompts.
    Assumed,
}

impl Load {
    /// For a prompt of its own words, an answer of the length the benchmark asks for, and items of the
    /// usual length; four characters a token.
    pub const ASSUMED: Self = Self {
        source: LoadSource::Assumed,
        batch: 8,
        input: 675.0,
        input_per_item: 30.0,
        output: 8.0,
        output_per_item: 4.0,
        duel_input: 1140.0,
        duel_output: 80.0,
    };
}

impl PowerBase {
    /// Without a run to learn from.
    pub fn assumed() -> Self {
        Self::new(
            Spread::Assumed { sd: ASSUMED_SD },
            (JudgeNoise::Unknown, Design::Assumed),
            Load::ASSUMED,
            PlanSketch::SMALL,
        )
    }

    /// From a run: what it does not tell stays assumed, and says so.
    pub fn of(sheet: &Sheet, repeated: &Repeated, load: Load) -> Self {
        let spread = spread(sheet).unwrap_or(Spread::Assumed { sd: ASSUMED_SD });
        let known = (judge_noise(repeated), design(sheet));
        Self::new(spread, known, load, PlanSketch::of(sheet))
    }

    fn new(
        spread: Spread,
        (judge, design): (JudgeNoise, Design),
        load: Load,
        start: PlanSketch,
    ) -> Self {
        let normal = Normal::standard();
        let z = (2..=MOST_SYSTEMS)
            .map(|systems| {
                let comparisons = f64::from(systems) * f64::from(systems - 1) / 2.0;
                normal.inverse_cdf(1.0 - ALPHA / 2.0 / comparisons)
            })
            .collect();
        Self { spread, judge, design, load, z, z_power: normal.inverse_cdf(POWER), start }
    }
}

/// `None` where no two systems have two queries in common.
fn spread(sheet: &Sheet) -> Option<Spread> {
    // What the authors' code would have thrown away says nothing.
    if sheet.aborted.is_some() {
        return None;
    }
    let selection = Selection::of(sheet, &View::default());
    let shares: Vec<Vec<Option<f64>>> = selection
        .systems
        .iter()
        .map(|&system| {
            let share = |&case: &usize| answer::outcome(sheet, system, case, None).share();
            selection.cases.iter().map(share).collect()
        })
        .collect();
    let mut pairs = Vec::new();
    for (second, own) in shares.iter().enumerate() {
        for (first, other) in shares[..second].iter().enumerate() {
            let both = other.iter().zip(own).filter_map(|(a, b)| Some((*a)? - (*b)?));
            let gaps: Vec<f64> = both.collect();
            let Some((sd, upper)) = sd_with_upper(&gaps) else {
                continue;
            };
            let name = |at: usize| sheet.frame.systems[at].name.to_string();
            pairs.push(PairSpread {
                first: name(first),
                second: name(second),
                queries: gaps.len() as u64,
                sd,
                upper,
            });
        }
    }
    let squares: f64 = pairs.iter().map(|pair| pair.upper * pair.upper).sum();
    let widest = pairs.iter().map(|pair| pair.upper).fold(0.0, f64::max);
    // Systems that differ by the same on every query are as yet a lack of data, not a promise; rounding
    // leaves some 1e-17 of a spread that is zero.
    (1e-9 < widest).then(|| Spread::Run {
        typical: (squares / pairs.len() as f64).sqrt(),
        widest,
        pairs,
    })
}

/// Standard deviation over n − 1, and its upper 80 % limit under a normal distribution. `None` with
/// fewer than two values.
fn sd_with_upper(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let freedom = values.len() as f64 - 1.0;
    let mean = super::interval::mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let sd = (squares / freedom).sqrt();
    let chi = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - 0.80);
    Some((sd, sd * (freedom / chi).sqrt()))
}

/// Only from battles that were judged as such: those that coverage decides share their marks.
fn design(sheet: &Sheet) -> Design {
    let Some(decider) = Decider::of(sheet).first().copied().filter(|_| sheet.duel.is_some()) else {
        return Design::Assumed;
    };
    let battles = tournament(sheet, decider).battles;
    let systems = sheet.frame.systems.len();
    let counts = PairCounts::of(systems, &battles);
    let Ok(connected) = examine(&counts) else {
        return Design::Assumed;
    };
    let fitted = fit(connected);
    let model = analytic(&counts, &fitted);
    let robust = clustered(&fitted, &battles, SmallSample::Queries);
    let (Some(model), Ok(robust)) = (model, robust) else {
        return Design::Assumed;
    };
    let mut ratios = Vec::new();
    for high in 1..systems {
        for low in 0..high {
            let ratio = robust.covariance.difference(low, high) / model.difference(low, high);
            ratios.push(ratio * ratio);
        }
    }
    Design::Run {
        factor: super::interval::mean(&ratios).sqrt(),
        battles: battles.len() as u64,
        queries: robust.queries as u64,
    }
}

/// What a person thinks of doing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanSketch {
    pub queries: u32,
    pub systems: u32,
    /// Battles of each pair; 0 for none. No more than there are queries.
    pub battles_per_pair: u32,
    /// How often everything is judged, the first time included.
    pub repeats: u32,
    /// Mean number of rubric items of a query; 0 where none are judged.
    pub items_per_query: f64,
}

/// What a plan takes and what it can show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outlook {
    pub calls: u64,
    /// Of these, for battles.
    pub duel_calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// US dollars, from and to; `None` where prices are not known. Failed calls come on top.
    pub dollars: Option<(f64, f64)>,
    /// Smallest difference in coverage, in shares of full coverage, that is told apart with 80 %
    /// probability while all pairs are compared: (z(1 − α ÷ 2 ÷ comparisons) + z(0.80)) · sd ÷ √queries.
    /// `None` where no items are judged or there are fewer than two systems or queries, or too many systems.
    pub coverage: Option<Gap>,
    /// Smallest difference of two ratings, in Elo points, likewise for one comparison between k systems
    /// of nearly equal strength with m battles a pair: factor · 173.7 · √(8 ÷ (k · m)) · 2.80. Here α is
    /// not split: so it is defined, and the intervals that hold for all pairs are wider. `None` without
    /// battles.
    pub rating: Option<f64>,
}

/// In shares of full coverage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Of a typical pair of systems.
    pub typical: f64,
    /// Of the pair that differs most from query to query.
    pub widest: f64,
}

impl PlanSketch {
    /// Two queries of each of the benchmark's 75 fields, which have 7.5 items each (protocols §1.2).
    const SMALL: Self =
        Self { queries: 150, systems: 2, battles_per_pair: 0, repeats: 1, items_per_query: 7.5 };

    /// What a run did, each thing once.
    fn of(sheet: &Sheet) -> Self {
        let mut met = BTreeMap::new();
        for it in &sheet.battles {
            let (first, second) = (it.battle.first, it.battle.second);
            *met.entry((first.min(second), first.max(second))).or_insert(0) += 1;
        }
        let n_cases = sheet.frame.cases.len();
        let items: usize = sheet.frame.cases.iter().map(|case| case.items.len()).sum();
        let items_per_query = items as f64 / n_cases.max(1) as f64;
        Self {
            queries: n_cases as u32,
            systems: sheet.frame.systems.len() as u32,
            battles_per_pair: met.values().copied().max().unwrap_or(0),
            repeats: 1,
            items_per_query: if sheet.has_coverage { items_per_query } else { 0.0 },
        }
    }

    /// A few multiplications: cheap enough for every move of a slider.
    ///
    /// `max_tokens`: the reply's limit, where there is one.
    pub fn outlook(
        &self,
        base: &PowerBase,
        prices: Option<&Prices>,
        max_tokens: Option<u32>,
    ) -> Outlook {
        let load = &base.load;
        let repeats = u64::from(self.repeats.max(1));
        let (queries, systems) = (u64::from(self.queries), u64::from(self.systems));
        let battles = u64::from(self.battles_per_pair.min(self.queries));
        let batches = (self.items_per_query / f64::from(load.batch.max(1))).ceil().max(0.0) as u64;
        let answers = queries.saturating_mul(systems).saturating_mul(repeats);
        let coverage_calls = answers.saturating_mul(batches);
        let pairs = systems.saturating_mul(systems.saturating_sub(1)) / 2;
        let duel_calls = pairs.saturating_mul(2 * battles).saturating_mul(repeats);
        let calls = coverage_calls.saturating_add(duel_calls);
        let items = answers as f64 * self.items_per_query.max(0.0);
        let tokens = |call: f64, item: f64, duel: f64| {
            let sum = call * coverage_calls as f64 + item * items + duel * duel_calls as f64;
            sum.round() as u64
        };
        let tokens_in = tokens(load.input, load.input_per_item, load.duel_input);
        let tokens_out = tokens(load.output, load.output_per_item, load.duel_output);
        Outlook {
            calls,
            duel_calls,
            tokens_in,
            tokens_out,
            dollars: prices
                .map(|prices| money::range(prices, (tokens_in, tokens_out), calls, max_tokens)),
            coverage: self.coverage_gap(base),
            rating: self.rating_gap(base, battles),
        }
    }

    fn coverage_gap(&self, base: &PowerBase) -> Option<Gap> {
        let z = base.z.get(self.systems.checked_sub(2)? as usize)?;
        if self.queries < 2 || self.items_per_query <= 0.0 {
            return None;
        }
        let reach = (z + base.z_power) / f64::from(self.queries).sqrt();
        let gap = |sd: f64| reach * self.shrunk(sd, base.judge);
        Some(match &base.spread {
            Spread::Run { typical, widest, .. } => {
                Gap { typical: gap(*typical), widest: gap(*widest) }
            }
            Spread::Assumed { sd } => Gap { typical: gap(*sd), widest: gap(*sd) },
        })
    }

    /// Repeats shrink the judge's part of the spread and no other: √(query² + judge² ÷ repeats), where
    /// both together are what was seen with everything judged once. Unknown, it shrinks nothing.
    fn shrunk(&self, sd: f64, judge: JudgeNoise) -> f64 {
        let JudgeNoise::Known { variance, .. } = judge else {
            return sd;
        };
        let all = sd * sd;
        let judge = variance.min(all);
        (all - judge + judge / f64::from(self.repeats.max(1))).sqrt()
    }

    fn rating_gap(&self, base: &PowerBase, battles: u64) -> Option<f64> {
        if self.systems < 2 || battles == 0 {
            return None;
        }
        let factor = match base.design {
            Design::Run { factor, .. } => factor,
            Design::Assumed => 1.0,
        };
        let information = f64::from(self.systems) * battles as f64;
        Some(factor * SCALE * (8.0 / information).sqrt() * GAP)
    }
}
