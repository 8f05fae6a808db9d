//! A table of ratings, in one of the three arithmetics.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::rating::Clustered;
use crate::rating::Comparison;
use crate::rating::Comparisons;
use crate::rating::Connected;
use crate::rating::Fit;
use crate::rating::Interval;
use crate::rating::Limit;
use crate::rating::NoSpread;
use crate::rating::PairCounts;
use crate::rating::Plan;
use crate::rating::RankRange;
use crate::rating::Resamples;
use crate::rating::Resampling;
use crate::rating::Simulation;
use crate::rating::SmallSample;
use crate::rating::Verdict;
use crate::rating::{bootstrap, clustered, compare, fit};

use super::diagnostics::Diagnostics;
use super::resampled::{Resampled, reached, shifted};
use super::taken::{Taken, distinct};
use super::{Amounts, Grid, Mode, RatingView, Wanted};

/// Of resamples: what percentiles leave out on either side together is 5 %.
const LEVEL: f64 = 0.95;

/// More pairs than this are not listed one by one; neighbours in the table are.
const MOST_PAIRS: usize = 5_000;

/// Work that simulating simultaneous intervals may be, in differences drawn: seconds in a browser.
const MOST_DRAWN: usize = 400_000_000;

/// Ratings across all systems in view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rated {
    pub mode: Mode,
    pub amounts: Amounts,
    /// Whether battles are still to come. Then nothing is ranked or compared.
    pub interim: bool,
    /// Highest first, equal ones by name. Without a number of its own a system stands where maximum
    /// likelihood puts it.
    pub rows: Vec<Row>,
    /// Each pair once, the higher one first, in the order of the table; above 100 systems only those that
    /// stand next to each other. The same in every mode: by maximum likelihood, clustered by query. Empty
    /// where [`Self::no_spread`] says why.
    pub pairs: Vec<PairRow>,
    /// Pairs not listed.
    pub pairs_left_out: u64,
    /// How far intervals reach that hold for all pairs at once.
    pub simultaneous: Option<Simultaneous>,
    /// Why there are no standard errors, and so no intervals of the recommended kind.
    pub no_spread: Option<NoSpread>,
    /// Number in the tournament and rating of the system that others are measured from.
    pub anchor: Option<(usize, f64)>,
    /// Resamples.
    pub rounds: u64,
    /// Those in which maximum likelihood had no finite answer. None is dropped.
    pub separated: u64,
    pub seed: u64,
    /// Composed where it is made, as diagnostics are; no page reads its figures.
    #[serde(skip)]
    pub grid: Option<Grid>,
    #[serde(skip)]
    pub diagnostics: Option<Diagnostics>,
}

/// One system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Number in the tournament.
    pub system: usize,
    pub name: String,
    /// One more than the systems with a higher rating; `None` while battles are still to come.
    pub rank: Option<u64>,
    /// From intervals that hold for all pairs at once; in the recommended mode alone.
    pub ranks: Option<RankRange>,
    /// Elo points: by maximum likelihood, or the median or mean of resamples.
    pub rating: Limit,
    /// Recommended: of the 95 % interval. Else the rating less one standard deviation. `None` for the
    /// anchor, which is where it is by decree, and where nothing tells.
    pub low: Option<Limit>,
    /// The upper end.
    pub high: Option<Limit>,
    /// Recommended: standard error of the rating, clustered by query, or of its difference to the anchor.
    /// Else the standard deviation over resamples, of the rating or of that difference.
    pub spread: Option<Limit>,
    /// Recommended: resampled by query. Else by battle, doubled or not. With an anchor, of the distance to
    /// it, moved like the rating; `None` for the anchor.
    pub resampled: Option<Resampled>,
    /// That count.
    pub battles: u64,
    pub wins: u64,
    pub ties: u64,
    pub losses: u64,
    /// Without a result, whatever they count as.
    pub undecided: u64,
    /// With a battle of this system that counts.
    pub queries: u64,
    /// The share of resamples, `0.0..=1.0`, in which it came first. No probability that it is the best.
    /// `None` while battles are still to come.
    pub first: Option<f64>,
}

/// The reach of intervals for all pairs at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simultaneous {
    /// In standard errors of the difference.
    pub reach: f64,
    /// Of an interval for one pair alone.
    pub single: f64,
    /// Standard error of `reach` from simulating.
    pub monte_carlo: f64,
    pub draws: u64,
}

/// Two systems, seen from the higher one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// Numbers in the tournament.
    pub first: usize,
    pub second: usize,
    pub first_name: String,
    pub second_name: String,
    /// In Elo points.
    pub difference: f64,
    /// Paired over queries, in Elo points.
    pub standard_error: f64,
    /// 95 % for all pairs together.
    pub simultaneous: Interval,
    /// By `simultaneous`.
    pub verdict: Verdict,
    /// That the first wins, a tie being half a win.
    pub win: f64,
    /// 95 % for this pair alone, as probabilities.
    pub win_interval: Interval,
    /// Between the two, that count.
    pub battles: u64,
}

impl Rated {
    /// `None` where `progress` stopped it.
    pub(super) fn of(
        connected: Connected<'_>,
        taken: Taken,
        view: &RatingView,
        progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<Self> {
        let strengths = fit(connected).ratings();
        // Looks at the order of the file, which is lost below.
        let online = (view.diagnostics == Wanted::Yes).then(|| super::diagnostics::online(&taken));
        let order = order(&taken, &strengths);
        let taken = taken.in_order(&order);
        let counts = taken.counts.clone();
        let connected = Connected::of(&counts)?;
        let fit = fit(connected);
        let (clustered, no_spread) = match clustered(&fit, &taken.battles, SmallSample::Queries) {
            Ok(it) => (Some(it), None),
            Err(why) => (None, Some(why)),
        };
        let simulation = simulation(taken.names.len(), view.seed);
        let comparisons = clustered.as_ref().map(|it| compare(&fit, it, simulation));
        let resampling = match view.mode {
            Mode::Recommended => Resampling::Queries(&taken.battles),
            Mode::Paper => Resampling::Battles,
            Mode::Released => Resampling::Published,
        };
        let report_every = view.rounds.div_ceil(20).max(1);
        let plan = Plan { rounds: view.rounds.max(2), seed: view.seed, report_every };
        let resamples = bootstrap(connected, resampling, plan, progress)?;

        let anchor = view.anchor.and_then(|(number, rating)| {
            Some((taken.numbers.iter().position(|it| *it == number)?, rating))
        });
        let parts = Parts {
            taken: &taken,
            fit: &fit,
            clustered: clustered.as_ref(),
            comparisons: comparisons.as_ref(),
            resamples: &resamples,
            anchor,
        };
        let rows = parts.rows(view.mode);
        let place: Vec<usize> = rows
            .iter()
            .filter_map(|row| taken.numbers.iter().position(|number| *number == row.system))
            .collect();
        let (pairs, pairs_left_out) = parts.pairs(&place);
        let diagnostics = online.map(|online| {
            let online: Vec<f64> = order.iter().map(|old| online[*old]).collect();
            Diagnostics::of(connected, &taken, &fit, &online)
        });
        Some(Self {
            mode: view.mode,
            interim: false,
            pairs,
            pairs_left_out,
            simultaneous: comparisons.as_ref().zip(clustered.as_ref()).map(|(all, clustered)| {
                Simultaneous {
                    reach: all.max_t.reach,
                    single: clustered.reach(),
                    monte_carlo: all.max_t.monte_carlo,
                    draws: simulation.draws as u64,
                }
            }),
            no_spread,
            anchor: anchor.map(|(at, rating)| (taken.numbers[at], rating)),
            rounds: resamples.rounds() as u64,
            separated: resamples.separated() as u64,
            seed: view.seed,
            grid: Grid::of(&taken),
            diagnostics,
            rows,
            amounts: taken.amounts,
        })
    }
}

impl Rated {
    /// The same while battles are still to come: looked at again and again, a comparison finds a difference
    /// sooner or later by chance, so there are no ranks and no intervals of differences.
    pub(super) fn make_interim(&mut self) {
        self.interim = true;
        for row in &mut self.rows {
            (row.rank, row.ranks, row.first) = (None, None, None);
            if self.anchor.is_some() {
                // Those of the difference to the anchor.
                (row.low, row.high, row.spread, row.resampled) = (None, None, None, None);
            }
        }
        self.pairs.clear();
        self.pairs_left_out = 0;
        self.simultaneous = None;
        self.diagnostics = None;
    }
}

/// Highest first. Ratings that differ by rounding alone are equal, and names decide.
fn order(taken: &Taken, ratings: &[f64]) -> Vec<usize> {
    let rounded: Vec<i64> = ratings.iter().map(|rating| (rating * 1e6).round() as i64).collect();
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    order.sort_by(|a, b| {
        rounded[*b].cmp(&rounded[*a]).then_with(|| taken.names[*a].cmp(&taken.names[*b]))
    });
    order
}

/// As many draws as recommended, fewer only where they would take minutes.
fn simulation(systems: usize, seed: u64) -> Simulation {
    let pairs = (systems * systems.saturating_sub(1) / 2).max(1);
    let draws = (MOST_DRAWN / pairs).clamp(500, Simulation::RECOMMENDED.draws);
    Simulation { draws, seed }
}

/// What rows are made from.
struct Parts<'a> {
    taken: &'a Taken,
    fit: &'a Fit,
    clustered: Option<&'a Clustered>,
    comparisons: Option<&'a Comparisons>,
    resamples: &'a Resamples,
    /// Place and rating.
    anchor: Option<(usize, f64)>,
}

/// A figure with its two ends.
struct Figure {
    rating: Limit,
    ends: Option<(Limit, Limit)>,
    spread: Option<Limit>,
}

impl Parts<'_> {
    fn rows(&self, mode: Mode) -> Vec<Row> {
        let (taken, fitted) = (self.taken, self.fit.ratings());
        let ranges = self.comparisons.map(Comparisons::ranks);
        let first = self.resamples.first();
        let tallies = tallies(taken);
        let mut rows: Vec<(f64, Row)> = (0..taken.names.len())
            .map(|at| {
                let figure = match mode {
                    Mode::Recommended => self.recommended(at, &fitted),
                    Mode::Paper | Mode::Released => self.published(at, mode),
                };
                let tally = &tallies[at];
                let row = Row {
                    system: taken.numbers[at],
                    name: taken.names[at].clone(),
                    rank: None,
                    ranks: ranges.as_ref().filter(|_| mode == Mode::Recommended).map(|it| it[at]),
                    rating: figure.rating,
                    low: figure.ends.map(|ends| ends.0),
                    high: figure.ends.map(|ends| ends.1),
                    spread: figure.spread,
                    resampled: self.resampled(at),
                    battles: tally.wins + tally.ties + tally.losses,
                    wins: tally.wins,
                    ties: tally.ties,
                    losses: tally.losses,
                    undecided: tally.undecided,
                    queries: tally.queries,
                    first: Some(first[at]),
                };
                (fitted[at], row)
            })
            .collect();
        let shift = self.shift(mode);
        // Ratings that differ by rounding alone are equal.
        let key = |(fitted, row): &(f64, Row)| {
            (row.rating.finite().unwrap_or(fitted + shift) * 1e6).round() as i64
        };
        rows.sort_by(|one, other| {
            key(other).cmp(&key(one)).then_with(|| one.1.name.cmp(&other.1.name))
        });
        let mut rank = 0;
        for at in 0..rows.len() {
            if at == 0 || key(&rows[at - 1]) != key(&rows[at]) {
                rank = at as u64 + 1;
            }
            rows[at].1.rank = Some(rank);
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// How far labels are moved.
    fn shift(&self, mode: Mode) -> f64 {
        let Some((at, rating)) = self.anchor else { return 0.0 };
        let fitted = self.fit.ratings()[at];
        let now = match mode {
            Mode::Recommended => Limit::At(fitted),
            Mode::Paper => self.resamples.summary(at, LEVEL).median,
            Mode::Released => self.resamples.summary(at, LEVEL).mean,
        };
        rating - now.finite().unwrap_or(fitted)
    }

    fn recommended(&self, at: usize, fitted: &[f64]) -> Figure {
        let Some((anchor, rating)) = self.anchor else {
            let interval = self.clustered.map(|it| it.intervals(self.fit)[at]);
            return Figure {
                rating: Limit::At(fitted[at]),
                ends: interval.map(|it| (Limit::At(it.low), Limit::At(it.high))),
                spread: self.clustered.map(|it| Limit::At(it.covariance.standard_error(at))),
            };
        };
        let pair = self.comparisons.and_then(|it| it.between(at, anchor));
        let end = |difference: f64| Limit::At(rating + difference);
        Figure {
            rating: end(fitted[at] - fitted[anchor]),
            ends: pair.map(|it| (end(it.interval.low), end(it.interval.high))),
            spread: pair.map(|it| Limit::At(it.standard_error)),
        }
    }

    /// Median or mean, and one standard deviation to either side.
    fn published(&self, at: usize, mode: Mode) -> Figure {
        let own = self.resamples.summary(at, LEVEL);
        let centre = if mode == Mode::Paper { own.median } else { own.mean };
        let rating = shifted(centre, self.shift(mode));
        let spread = match self.anchor {
            None => Some(own.std),
            Some((anchor, _)) if anchor == at => None,
            Some((anchor, _)) => Some(self.resamples.distance(at, anchor, LEVEL).std),
        };
        Figure {
            rating,
            ends: spread.map(|it| (reached(rating, -1.0, it), reached(rating, 1.0, it))),
            spread,
        }
    }

    fn resampled(&self, at: usize) -> Option<Resampled> {
        match self.anchor {
            None => Some(Resampled::of(self.resamples.summary(at, LEVEL), 0.0)),
            Some((anchor, _)) if anchor == at => None,
            Some((anchor, rating)) => {
                Some(Resampled::of(self.resamples.distance(at, anchor, LEVEL), rating))
            }
        }
    }

    /// With how many pairs are not listed. `order`: places as in the table.
    fn pairs(&self, order: &[usize]) -> (Vec<PairRow>, u64) {
        let Some(comparisons) = self.comparisons else { return (Vec::new(), 0) };
        let n = order.len();
        let all = n * n.saturating_sub(1) / 2;
        let reach = if all <= MOST_PAIRS { n } else { 1 };
        let mut rows = Vec::new();
        for (at, first) in order.iter().enumerate() {
            for second in order.iter().skip(at + 1).take(reach) {
                if let Some(pair) = comparisons.between(*first, *second) {
                    rows.push(self.pair(pair));
                }
            }
        }
        let left_out = (all - rows.len()) as u64;
        (rows, left_out)
    }

    fn pair(&self, pair: Comparison) -> PairRow {
        let taken = self.taken;
        PairRow {
            first: taken.numbers[pair.first],
            second: taken.numbers[pair.second],
            first_name: taken.names[pair.first].clone(),
            second_name: taken.names[pair.second].clone(),
            difference: pair.difference,
            standard_error: pair.standard_error,
            simultaneous: pair.simultaneous,
            verdict: pair.verdict(),
            win: pair.win,
            win_interval: pair.win_interval,
            battles: u64::from(taken.counts.between(pair.first, pair.second).battles()),
        }
    }
}

#[derive(Clone, Default)]
struct Tally {
    wins: u64,
    ties: u64,
    losses: u64,
    undecided: u64,
    queries: u64,
}

fn tallies(taken: &Taken) -> Vec<Tally> {
    let n = taken.names.len();
    let mut tallies = vec![Tally::default(); n];
    let counts: &PairCounts = &taken.counts;
    for (low, high, pair) in counts.pairs() {
        let [wins, losses, ties] = [pair.wins, pair.losses, pair.ties].map(u64::from);
        tallies[low].wins += wins;
        tallies[low].losses += losses;
        tallies[low].ties += ties;
        tallies[high].wins += losses;
        tallies[high].losses += wins;
        tallies[high].ties += ties;
    }
    for it in &taken.undecided {
        tallies[it.first as usize].undecided += 1;
        tallies[it.second as usize].undecided += 1;
    }
    let mut queries: Vec<Vec<u32>> = vec![Vec::new(); n];
    for it in &taken.battles {
        queries[it.first as usize].push(it.query);
        queries[it.second as usize].push(it.query);
    }
    for (tally, queries) in tallies.iter_mut().zip(queries) {
        tally.queries = distinct(queries.into_iter());
    }
    tallies
}
