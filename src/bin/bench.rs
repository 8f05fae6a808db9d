//! What the benchmark of `make bench` calls: the product's own reading and rating, timed from the page.

use std::ops::ControlFlow;

use viva::dataset::battles::read_battles;
use viva::dataset::{Benchmark, Blob, Problems, read_benchmark};
use viva::rating::{Battle, Connected, PairCounts, Plan, Resamples, Resampling, Winner, bootstrap};
use wasm_bindgen::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
}

/// A benchmark that was read. JavaScript frees it.
#[wasm_bindgen]
pub struct Read {
    benchmark: Benchmark,
    problems: Problems,
}

/// From bytes, whose copy into this memory is part of the call, to questions that can be asked.
#[wasm_bindgen]
pub fn read(name: String, bytes: Vec<u8>) -> Read {
    let (benchmark, problems) = read_benchmark(&[(name, Blob::from(bytes))]);
    Read { benchmark, problems }
}

#[wasm_bindgen]
impl Read {
    pub fn questions(&self) -> usize {
        self.benchmark.len()
    }

    pub fn items(&self) -> f64 {
        self.benchmark.n_items() as f64
    }

    pub fn problems(&self) -> usize {
        self.problems.list().len()
    }

    /// The query of a question and the texts of its items, to compare with another reader's.
    pub fn texts(&self, at: usize) -> Vec<String> {
        let case = self.benchmark.case(at);
        let items = case.items().map(|item| item.text().to_owned());
        std::iter::once(case.query().to_owned()).chain(items).collect()
    }
}

/// A bootstrap that was run. JavaScript frees it.
#[wasm_bindgen]
pub struct Bootstrapped(Resamples);

/// `counts` are wins, losses and ties of each pair, in the order of [`PairCounts`].
#[wasm_bindgen]
pub fn bootstrap_battles(systems: usize, counts: &[u32], rounds: usize, seed: u64) -> Bootstrapped {
    Bootstrapped(run(&table(systems, counts), Resampling::Battles, rounds, seed))
}

/// `battles` are five numbers each: two systems, 0, 1 or 2 for who won, the query and the stratum.
#[wasm_bindgen]
pub fn bootstrap_queries(
    systems: usize,
    battles: &[u32],
    rounds: usize,
    seed: u64,
) -> Bootstrapped {
    let battles: Vec<Battle> =
        battles.as_chunks::<5>().0.iter().map(|numbers| battle(*numbers)).collect();
    let counts = PairCounts::of(systems, &battles);
    Bootstrapped(run(&counts, Resampling::Queries(&battles), rounds, seed))
}

#[wasm_bindgen]
impl Bootstrapped {
    /// Median and standard deviation of each system. Not a number where there is none.
    pub fn summaries(&self) -> Vec<f64> {
        let summaries = (0..self.0.systems()).map(|system| self.0.summary(system, 0.95));
        let pairs = summaries.map(|summary| [summary.median, summary.std]);
        pairs.flatten().map(|limit| limit.finite().unwrap_or(f64::NAN)).collect()
    }

    /// Sixteen hexadecimal digits that are the same exactly where all ratings are.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", self.0.fingerprint())
    }
}

/// What a CSV file of battles holds.
#[wasm_bindgen]
pub struct Counted {
    pub systems: usize,
    pub battles: f64,
    pub pairs: usize,
    pub problems: f64,
}

/// From bytes, whose copy into this memory is part of the call, to the results of each pair: by the very
/// reader that a battle file meets, queries and problems included.
#[wasm_bindgen]
pub fn count_csv(bytes: Vec<u8>) -> Counted {
    let (read, problems) = read_battles(&[("battles.csv".to_owned(), Blob::from(bytes))]);
    let tournament = read.tournament;
    let counts = PairCounts::of(tournament.systems.len(), &tournament.battles);
    Counted {
        systems: tournament.systems.len(),
        battles: counts.battles() as f64,
        pairs: counts.pairs().filter(|(_, _, pair)| 0 < pair.battles()).count(),
        problems: problems.total() as f64,
    }
}

fn table(systems: usize, counts: &[u32]) -> PairCounts {
    let mut table = PairCounts::new(systems);
    let pairs: Vec<_> = table.pairs().map(|(low, high, _)| (low, high)).collect();
    for ((low, high), [wins, losses, ties]) in pairs.into_iter().zip(counts.as_chunks().0) {
        table.add(low, high, Winner::First, *wins);
        table.add(low, high, Winner::Second, *losses);
        table.add(low, high, Winner::Tie, *ties);
    }
    table
}

fn battle([first, second, result, query, stratum]: [u32; 5]) -> Battle {
    let winner = match result {
        0 => Winner::First,
        1 => Winner::Second,
        _ => Winner::Tie,
    };
    Battle { first, second, winner, query, stratum }
}

fn run(counts: &PairCounts, resampling: Resampling<'_>, rounds: usize, seed: u64) -> Resamples {
    let plan = Plan { rounds, seed, report_every: 100 };
    let connected = Connected::of(counts).expect("ratings exist");
    bootstrap(connected, resampling, plan, |_, _| ControlFlow::Continue(()))
        .expect("nothing stops it")
}
