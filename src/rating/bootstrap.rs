//! How sure one may be of ratings: battles drawn again and again, and rated each time.
//!
//! Rounds are seeded: the same seed gives the same digits, natively and in the browser, and a round's
//! rating does not depend on how many rounds there are. Eight rounds are computed at once.
//!
//! No round is dropped. Where wins no longer lead from every system to every other, maximum likelihood
//! sends some of them infinitely far up or down; that round counts so (see [`Resamples::of`]).

mod draw;
mod lanes;
mod random;
mod resample;
mod summary;
mod wins;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use self::lanes::Fitter;
pub use self::random::Split;
use self::random::{LANES, Random};
use self::resample::{Lane, Met, Source, Tally};
use self::summary::Sorted;
pub use self::summary::{Limit, Summary};
use self::wins::{Skeleton, Standing, standings};
use super::battle::{Battle, Winner};
use super::counts::PairCounts;
use super::fit::{centre, fit, fit_from};
use super::gate::Connected;

/// Rounds that a bootstrap has where nothing else is asked for.
pub const ROUNDS: usize = 1000;

/// What is drawn with replacement.
#[derive(Clone, Copy, Debug)]
pub enum Resampling<'a> {
    /// Single battles, as many as there are. Takes them for independent.
    Battles,
    /// Queries, as many as each stratum has; each brings all its battles. Battles over one query go up and
    /// down together. These must be the battles whose counts are rated.
    Queries(&'a [Battle]),
    /// As the notebook of ResearchQA does: every battle stands in its table twice, a tie as a win and a
    /// loss, and as many rows are drawn as the table has. Spreads come out too small by √2.
    Published,
}

/// How many rounds, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub rounds: usize,
    pub seed: u64,
    /// After how many rounds, about, progress is reported.
    pub report_every: usize,
}

/// The ratings of all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resamples {
    systems: usize,
    rounds: usize,
    /// One system after another, with a rating each round.
    ratings: Vec<f64>,
    separated: usize,
}

impl Resamples {
    pub fn systems(&self) -> usize {
        self.systems
    }

    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Rounds in which maximum likelihood has no finite answer.
    pub fn separated(&self) -> usize {
        self.separated
    }

    /// A system's Elo rating in each round, the mean of all systems being 1000.
    ///
    /// In a round without finite answer each system is infinitely far from that mean, `∞` or `−∞`, or could
    /// be anywhere, which is not a number. The distance of two systems is finite where wins lead from each
    /// to the other, infinite where they lead one way only, open where they lead neither way; a system is
    /// at `∞` where it is infinitely far above some and neither below nor open towards any.
    pub fn of(&self, system: usize) -> &[f64] {
        &self.ratings[system * self.rounds..(system + 1) * self.rounds]
    }

    /// Median, mean, standard deviation and the interval of a `level` such as 0.95.
    pub fn summary(&self, system: usize, level: f64) -> Summary {
        Summary::of(self.of(system), level)
    }

    /// As [`Self::summary`], of how far a system is above `other` in each round. Where both are infinitely far
    /// on one side, nothing is known of the distance between them.
    pub fn distance(&self, system: usize, other: usize, level: f64) -> Summary {
        let rounds = self.of(system).iter().zip(self.of(other));
        let distances: Vec<f64> = rounds.map(|(own, other)| own - other).collect();
        Summary::of(&distances, level)
    }

    /// The rating that a `share` of rounds stays below, linear between rounds. What may be anywhere counts
    /// as `−∞` for shares below one half and as `∞` above.
    pub fn percentile(&self, system: usize, share: f64) -> Limit {
        Sorted::of(self.of(system)).percentile(share)
    }

    /// A number that is the same exactly where all ratings are, bit by bit (FNV-1a, 64 bits).
    pub fn fingerprint(&self) -> u64 {
        let bits = self.ratings.iter().map(|rating| {
            // What is not a number has many forms.
            if rating.is_nan() { f64::NAN.to_bits() & (u64::MAX >> 1) } else { rating.to_bits() }
        });
        bits.flat_map(u64::to_le_bytes).fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        })
    }

    /// In which part of all rounds each system came first. Equal ratings share a round. A round in which
    /// several systems are infinitely far above the others, or nobody is, has no first: the parts then sum
    /// to less than one.
    pub fn first(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.systems];
        for round in 0..self.rounds {
            let ratings = || (0..self.systems).map(|system| self.of(system)[round]);
            let best = ratings().fold(f64::NEG_INFINITY, f64::max);
            let is_best = |rating: &f64| best <= *rating;
            let tied = ratings().filter(|rating| is_best(rating)).count();
            let known = best.is_finite() && ratings().all(f64::is_finite);
            if known || best == f64::INFINITY && tied == 1 {
                for (share, rating) in shares.iter_mut().zip(ratings()) {
                    *share += if is_best(&rating) { 1.0 / tied as f64 } else { 0.0 };
                }
            }
        }
        for share in &mut shares {
            *share /= self.rounds as f64;
        }
        shares
    }
}

/// Rates as many resamples as planned. `progress` hears how many rounds of how many are done, and may stop
/// it all: then there is nothing.
pub fn bootstrap(
    connected: Connected<'_>,
    resampling: Resampling<'_>,
    plan: Plan,
    mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> Option<Resamples> {
    let mut engine = Engine::new(connected, resampling);
    let (systems, rounds) = (connected.counts().systems(), plan.rounds);
    let mut ratings = vec![0.0; systems * rounds];
    let (mut separated, mut reported) = (0, 0);
    for first in (0..rounds).step_by(LANES) {
        let lanes = LANES.min(rounds - first);
        let found = engine.eight(plan.seed, first as u64);
        for (system, found) in found.iter().enumerate() {
            let at = system * rounds + first;
            ratings[at..at + lanes].copy_from_slice(&found[..lanes]);
        }
        separated += engine.separated[..lanes].iter().filter(|separated| **separated).count();
        let done = first + lanes;
        if plan.report_every.max(1) <= done - reported || done == rounds {
            reported = done;
            if progress(done, rounds).is_break() {
                return None;
            }
        }
    }
    Some(Resamples { systems, rounds, ratings, separated })
}

/// What computes rounds.
struct Engine {
    systems: usize,
    met: Vec<Met>,
    start: Vec<f64>,
    source: Source,
    skeleton: Skeleton,
    /// Missing where its matrix is singular; then every round takes the full method.
    fitter: Option<Fitter>,
    tallies: Vec<Tally>,
    ratings: Vec<Lane>,
    separated: [bool; LANES],
}

impl Engine {
    fn new(connected: Connected<'_>, resampling: Resampling<'_>) -> Self {
        let counts = connected.counts();
        let start = fit(connected).strengths;
        let met = resample::met(counts);
        let (source, times) = match resampling {
            Resampling::Battles => (Source::battles(counts), 1.0),
            Resampling::Published => (Source::doubled(counts), 2.0),
            Resampling::Queries(battles) => {
                debug_assert_eq!(*counts, PairCounts::of(counts.systems(), battles));
                (Source::queries(&met, battles), 1.0)
            }
        };
        Self {
            systems: counts.systems(),
            skeleton: Skeleton::of(counts, &met),
            fitter: Fitter::new(counts, times, &met, &start),
            tallies: vec![Tally::default(); met.len()],
            ratings: vec![[0.0; LANES]; counts.systems()],
            separated: [false; LANES],
            source,
            start,
            met,
        }
    }

    /// Elo ratings of eight rounds, a row a system.
    fn eight(&mut self, seed: u64, first: u64) -> &[Lane] {
        self.source.draw(&mut Random::of_rounds(seed, first), &mut self.tallies);
        let whole = self.skeleton.whole(&self.tallies);
        let converged = match &mut self.fitter {
            Some(fitter) => fitter.fit(&self.tallies),
            None => [false; LANES],
        };
        if let Some(fitter) = &self.fitter {
            let mut mean = [0.0; LANES];
            for strengths in fitter.strengths() {
                for lane in 0..LANES {
                    mean[lane] += strengths[lane] / self.systems as f64;
                }
            }
            for (ratings, strengths) in self.ratings.iter_mut().zip(fitter.strengths()) {
                for lane in 0..LANES {
                    ratings[lane] = super::elo(strengths[lane] - mean[lane]);
                }
            }
        }
        self.separated = [false; LANES];
        for lane in 0..LANES {
            if !whole[lane] {
                let standings = standings(self.systems, &self.met, &self.tallies, lane);
                if let Some(standings) = standings {
                    self.separated[lane] = true;
                    for (ratings, standing) in self.ratings.iter_mut().zip(standings) {
                        ratings[lane] = match standing {
                            Standing::Above => f64::INFINITY,
                            Standing::Below => f64::NEG_INFINITY,
                            Standing::Open => f64::NAN,
                        };
                    }
                    continue;
                }
            }
            if !converged[lane] {
                self.one(lane);
            }
        }
        &self.ratings
    }

    /// Rates one round by the full method.
    fn one(&mut self, lane: usize) {
        let counts = self.counts(lane);
        let Some(connected) = Connected::of(&counts) else { return };
        let mut strengths = fit_from(connected, self.start.clone()).strengths;
        centre(&mut strengths);
        for (ratings, strength) in self.ratings.iter_mut().zip(strengths) {
            ratings[lane] = super::elo(strength);
        }
    }

    /// What one round drew, ties put together as wins, losses and one tie at most.
    fn counts(&self, lane: usize) -> PairCounts {
        let mut counts = PairCounts::new(self.systems);
        for (met, tally) in self.met.iter().zip(&self.tallies) {
            let (battles, points) = (tally.battles[lane], tally.points[lane]);
            let ties = u32::from(points.fract() != 0.0);
            let wins = points.floor();
            let (low, high) = (met.low as usize, met.high as usize);
            counts.add(low, high, Winner::First, wins as u32);
            counts.add(low, high, Winner::Second, (battles - wins) as u32 - ties);
            counts.add(low, high, Winner::Tie, ties);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::counts::tests::four;

    pub(super) fn published(battles: u32) -> PairCounts {
        let ratings = [
            1505.19, 1243.88, 1148.60, 1144.63, 1114.68, 1099.17, 1080.48, 1037.58, 1019.68,
            1010.93, 992.32, 971.84, 960.23, 944.59, 862.27, 768.87, 616.95, 478.11,
        ];
        let mut random = Random::of_rounds(18, 0);
        let mut counts = PairCounts::new(ratings.len());
        for high in 0..ratings.len() {
            for low in 0..high {
                let chance = super::super::win_probability(ratings[low], ratings[high]);
                for _ in 0..battles {
                    let [drawn, tied] =
                        random.single[0].two().map(|bits| f64::from(bits) / 4_294_967_296.0);
                    let tied = tied < 0.027;
                    let winner = match (tied, drawn < chance) {
                        (true, _) => Winner::Tie,
                        (false, true) => Winner::First,
                        (false, false) => Winner::Second,
                    };
                    counts.add(low, high, winner, 1);
                }
            }
        }
        counts
    }

    /// Rounds of one table, and the largest distance of any from an exact fit of what it drew. Which rounds
    /// are separated is asked of the gate.
    #[track_caller]
    fn check(counts: &PairCounts, resampling: Resampling<'_>, rounds: usize) {
        let connected = Connected::of(counts).unwrap();
        let mut engine = Engine::new(connected, resampling);
        for first in (0..rounds).step_by(LANES) {
            let found = engine.eight(5, first as u64).to_vec();
            for (lane, separated) in engine.separated.into_iter().enumerate() {
                let drawn = engine.counts(lane);
                let exact = Connected::of(&drawn).map(|connected| fit(connected).ratings());
                assert_eq!(exact.is_none(), separated, "round {}", first + lane);
                for (system, exact) in exact.into_iter().flatten().enumerate() {
                    let error = (found[system][lane] - exact).abs();
                    assert!(error < 0.001, "round {}, {system}: {error}", first + lane);
                }
            }
        }
    }

    /// The full method is for rounds that are far from all battles, not for ordinary ones.
    #[test]
    fn ordinary_rounds_are_computed_together() {
        let counts = published(50);
        for resampling in [Resampling::Battles, Resampling::Published] {
            let mut engine = Engine::new(Connected::of(&counts).unwrap(), resampling);
            for first in (0..400).step_by(LANES) {
                engine.source.draw(&mut Random::of_rounds(1, first as u64), &mut engine.tallies);
                let converged = engine.fitter.as_mut().unwrap().fit(&engine.tallies);
                assert_eq!(converged, [true; LANES], "{resampling:?} from round {first}");
            }
        }
    }

    #[test]
    fn one_system_alone_is_average() {
        let counts = PairCounts::new(1);
        let connected = Connected::of(&counts).unwrap();
        let plan = Plan { rounds: 9, seed: 0, report_every: 0 };
        let found =
            bootstrap(connected, Resampling::Battles, plan, |_, _| ControlFlow::Continue(()));
        let found = found.unwrap();
        assert_eq!(found.of(0), [1000.0; 9]);
        assert_eq!((found.first(), found.separated()), (vec![1.0], 0));
    }

    #[test]
    fn rounds_are_exact_fits_of_what_they_draw() {
        check(&published(50), Resampling::Battles, 200);
        check(&published(50), Resampling::Published, 100);
        check(&published(3), Resampling::Battles, 400);
        check(&four(), Resampling::Battles, 2000);
        check(&four(), Resampling::Published, 400);
        // Wins on one side of nearly all battles: steps by the matrix of all battles go astray.
        let mut counts = PairCounts::new(2);
        counts.add(0, 1, Winner::First, 4000);
        counts.add(1, 0, Winner::First, 2);
        check(&counts, Resampling::Battles, 400);
    }
}
