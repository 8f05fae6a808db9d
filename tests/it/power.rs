//! What a plan can tell apart: against other code, by hand, and in simulated samples.

use viva::judge::{Bias, Duel, DuelPrompt, JudgeSpec};
use viva::metrics::JudgeNoise;
use viva::metrics::power::{Design, LoadSource, PlanSketch, PowerBase, Spread};
use viva::protocol::Task;
use viva::rating::Split;
use viva::report::Block;
use viva::run::matchups;
use viva::run::record::{Preference, Record};
use viva::run::repeats::Repeats;
use viva::run::{PriceSource, Prices};
use viva::worker::{RunReply, runs::Book};

use crate::world::{answered, frame, lines, record};

const SKETCH: PlanSketch =
    PlanSketch { queries: 150, systems: 2, battles_per_pair: 0, repeats: 1, items_per_query: 7.5 };

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
}

fn base_of(run: &Record, says: impl Fn(&Task) -> Option<String>) -> PowerBase {
    let mut book = Book::default();
    book.records.insert(run.id.clone(), run.clone());
    book.power(&answered(run, says), Some(&run.id)).unwrap()
}

/// Against `SciPy`: `norm.ppf(1 - .05 / 2 / (k * (k - 1) / 2))` and `norm.ppf(.8)`.
#[test]
fn quantiles_agree_with_scipy() {
    let base = PowerBase::assumed();
    near(base.z_power, 0.841_621_233_572_914_3);
    for (systems, z) in [
        (2, 1.959_963_984_540_054),
        (5, 2.807_033_768_343_811),
        (18, 3.593_075_868_496_222_7),
        (60, 4.187_144_592_150_518),
    ] {
        near(base.z[systems - 2], z);
    }
    assert_eq!(base.z.len(), 59);
}

/// By the formulas in Python with `SciPy`'s quantiles.
#[test]
fn smallest_differences_are_those_of_the_formulas() {
    let mut base = PowerBase::assumed();
    let coverage = |sketch: PlanSketch, base: &PowerBase| {
        sketch.outlook(base, None, None).coverage.map(|gap| gap.typical)
    };
    near(coverage(SKETCH, &base).unwrap(), 0.057_187_118_794_172_41);
    base.spread = Spread::Assumed { sd: 0.3 };
    let five = PlanSketch { queries: 225, systems: 5, ..SKETCH };
    near(coverage(five, &base).unwrap(), 0.072_973_100_038_334_5);
    let battles = PlanSketch { systems: 18, battles_per_pair: 50, ..SKETCH };
    near(battles.outlook(&base, None, None).rating.unwrap(), 45.859_157_595_729_36);
    base.design = Design::Run { factor: 1.5, battles: 1, queries: 2 };
    near(battles.outlook(&base, None, None).rating.unwrap(), 1.5 * 45.859_157_595_729_36);
    // No more battles than queries.
    let few = PlanSketch { queries: 50, battles_per_pair: 5000, ..battles };
    near(few.outlook(&base, None, None).rating.unwrap(), 1.5 * 45.859_157_595_729_36);
    for none in [
        PlanSketch { systems: 1, ..SKETCH },
        PlanSketch { systems: 0, ..SKETCH },
        PlanSketch { systems: 61, ..SKETCH },
        PlanSketch { queries: 1, ..SKETCH },
        PlanSketch { items_per_query: 0.0, ..SKETCH },
    ] {
        assert_eq!(coverage(none, &base), None, "{none:?}");
    }
    assert_eq!(SKETCH.outlook(&base, None, None).rating, None);
}

/// Only the judge's part of the spread shrinks: 0.25² = 0.0475 + 0.015 and 0.0475 + 0.015 ÷ 3 = 0.2291².
#[test]
fn repeats_shrink_the_judges_part() {
    let mut base = PowerBase::assumed();
    let gap = |repeats, base: &PowerBase| {
        let sketch = PlanSketch { repeats, ..SKETCH };
        sketch.outlook(base, None, None).coverage.unwrap().typical
    };
    near(gap(3, &base), gap(1, &base));
    let known = |variance| JudgeNoise::Known { variance, differences: 9, queries: 9 };
    base.judge = known(0.015);
    near(gap(1, &base), 0.057_187_118_794_172_41);
    near(gap(3, &base), gap(1, &base) * (0.0525_f64 / 0.0625).sqrt());
    // Noise larger than the spread that was seen is at most all of it.
    base.judge = known(1.0);
    near(gap(4, &base), gap(1, &base) / 2.0);
}

/// The limit against `SciPy`, `sqrt(d / chi2.ppf(.2, d))` at 1 and 9 degrees of freedom.
#[test]
fn the_spread_of_a_run_is_taken_at_its_upper_limit() {
    let label = |task: &Task, of: fn(u32) -> u8| match task {
        Task::Coverage(it) if it.system == 0 => Some(lines(&[of(it.case)])),
        _ => Some(lines(&[0])),
    };
    let run = record(JudgeSpec::Practice, frame(&[1; 10], &["a", "b"]));
    let base = base_of(&run, |task| label(task, |case| if case < 5 { 0 } else { 4 }));
    let Spread::Run { pairs, typical, widest } = &base.spread else { panic!("{:?}", base.spread) };
    // Differences 0 and 1, five times each: sd = √(2.5 ÷ 9).
    let sd = (2.5_f64 / 9.0).sqrt();
    near(pairs[0].sd, sd);
    near(pairs[0].upper, sd * 1.293_385_444_472_952_5);
    near(*typical, *widest);
    assert_eq!((pairs[0].queries, pairs.len()), (10, 1));
    assert_eq!(base.judge, JudgeNoise::Unknown);
    assert_eq!(base.load.source, LoadSource::Assumed, "nobody counted tokens");
    assert_eq!(base.start, PlanSketch { queries: 10, items_per_query: 1.0, ..SKETCH });
    let two = record(JudgeSpec::Practice, frame(&[1; 2], &["a", "b"]));
    let base = base_of(&two, |task| label(task, |case| 4 * case as u8));
    let Spread::Run { pairs, .. } = &base.spread else { panic!("{:?}", base.spread) };
    near(pairs[0].upper, 0.5_f64.sqrt() * 3.947_153_875_542_745_5);
    // Nothing judged, or nothing that varies, is assumed and says so.
    assert_eq!(base_of(&run, |_| None).spread, PowerBase::assumed().spread);
    assert_eq!(base_of(&run, |_| Some(lines(&[2]))).spread, PowerBase::assumed().spread);
    let blocks =
        viva::report::power::blocks(&base.start, &base, &base.start.outlook(&base, None, None));
    assert!(
        blocks
            .iter()
            .any(|it| matches!(it, Block::Text(text) if text.contains("1 pair of systems")))
    );
    let reply = RunReply::Outlook { start: base.start, blocks };
    let bytes = postcard::to_allocvec(&reply).unwrap();
    match postcard::from_bytes(&bytes).unwrap() {
        RunReply::Outlook { start, blocks } => assert_eq!((start, blocks.len()), (base.start, 3)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_with_repeats_tells_the_judges_part() {
    let mut run = record(JudgeSpec::Practice, frame(&[1; 4], &["a", "b"]));
    run.settings.repeats = Some(Repeats { sample: 4, times: 2 });
    let base = base_of(&run, |task| match task {
        Task::Coverage(it) if it.system == 0 => Some(lines(&[(it.case + it.repeat) as u8 % 5])),
        _ => Some(lines(&[0])),
    });
    // Each difference moves by a quarter between two times: variance 1 ÷ 32.
    assert_eq!(base.judge, JudgeNoise::Known { variance: 1.0 / 32.0, differences: 4, queries: 4 });
}

/// With two systems and one battle a query the robust variance is the model's times G ÷ (G − 1).
#[test]
fn the_design_effect_is_the_ratio_of_variances() {
    let mut run = record(JudgeSpec::Practice, frame(&[1; 10], &["a", "b"]));
    let duel = Duel { prompt: DuelPrompt::viva(), allow_tie: false, bias: Bias::default() };
    run.settings.preference = Some(Preference { duel, per_pair: 10, no_answer_loses: false });
    run.settings.coverage = false;
    run.battles = matchups::plan(&run.frame, run.settings.matching().unwrap(), &[]).battles;
    run.id = run.own_id();
    let base = base_of(&run, |task| match task {
        Task::Preference(it) => {
            let wins = 0 == u32::from(it.battle.case < 6) ^ it.battle.first;
            let seat = if wins == (it.seats().0 == it.battle.first) { 1 } else { 2 };
            Some(format!("**output: {{\"judgement\": \"Response {seat}\"}}**\nJustification: x"))
        }
        Task::Coverage(_) => None,
    });
    let Design::Run { factor, battles, queries } = base.design else { panic!("{:?}", base.design) };
    near(factor, (10.0_f64 / 9.0).sqrt());
    assert_eq!((battles, queries), (10, 10));
    assert_eq!(base.start.battles_per_pair, 10);
    near(base.start.items_per_query, 0.0);
}

#[test]
fn calls_tokens_and_dollars_by_hand() {
    let base = PowerBase::assumed();
    let prices =
        Prices { input: 1.0, output: 4.0, source: PriceSource::User, as_of: String::new() };
    let sketch = PlanSketch {
        queries: 10,
        systems: 3,
        battles_per_pair: 4,
        repeats: 2,
        items_per_query: 9.0,
    };
    let found = sketch.outlook(&base, Some(&prices), Some(1000));
    // 10 × 3 answers of two batches, twice; 3 pairs × 4 battles × 2 orders, twice.
    assert_eq!((found.calls, found.duel_calls), (120 + 48, 48));
    assert_eq!(found.tokens_in, 120 * 675 + 540 * 30 + 48 * 1140);
    assert_eq!(found.tokens_out, 120 * 8 + 540 * 4 + 48 * 80);
    let (low, high) = found.dollars.unwrap();
    near(low, (0.151_92 + 0.027_84) * 2.0 / 3.0);
    near(high, 0.151_92 * 4.0 / 3.0 + 0.672);
    assert_eq!(sketch.outlook(&base, None, None).dollars, None, "unknown is never zero");
    // The largest that sliders could send neither overflows nor panics.
    let most = PlanSketch {
        queries: u32::MAX,
        systems: u32::MAX,
        battles_per_pair: u32::MAX,
        repeats: u32::MAX,
        items_per_query: f64::INFINITY,
    };
    assert_eq!(most.outlook(&base, Some(&prices), None).calls, u64::MAX);
}

/// The difference that is stated is told apart by the paired t-interval in 80 % of samples: 4,000 of them,
/// whose share has a standard error of 0.6 points.
#[test]
fn the_stated_difference_is_told_apart_as_often_as_stated() {
    let base = PowerBase::assumed();
    let stated = SKETCH.outlook(&base, None, None).coverage.unwrap().typical;
    let mut random = Split::new(20);
    let mut normal = || {
        let mut even = || (random.below(1 << 52) as f64 + 0.5) / (1_u64 << 52) as f64;
        (-2.0 * even().ln()).sqrt() * (std::f64::consts::TAU * even()).cos()
    };
    let told = (0..4000)
        .filter(|_| {
            let gaps: Vec<f64> = (0..150).map(|_| stated + 0.25 * normal()).collect();
            let mean = gaps.iter().sum::<f64>() / 150.0;
            let squares: f64 = gaps.iter().map(|gap| (gap - mean).powi(2)).sum();
            // t(0.975; 149).
            1.976_013_177_689_192 * (squares / 149.0 / 150.0).sqrt() < mean.abs()
        })
        .count();
    let share = told as f64 / 4000.0;
    assert!((share - 0.80).abs() < 0.03, "{share}");
}
