//! What `make bench` times outside the browser: bootstraps of a table of counts.
//!
//! Arguments: a file of counts as `bench/reference.py` writes it, the number of systems, and rounds. Each line
//! on standard input runs the bootstrap once and is answered by a line with the milliseconds it took.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program at a terminal")]

use std::io::BufRead;
use std::ops::ControlFlow;
use std::time::Instant;

use viva::rating::{Connected, PairCounts, Plan, Resampling, Winner, bootstrap};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, systems, rounds] = arguments.as_slice() else {
        println!("arguments: FILE SYSTEMS ROUNDS");
        return;
    };
    let bytes = std::fs::read(file).expect("a file of counts");
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let counts = table(number(systems), &bytes);
    let rounds = number(rounds);
    for _ in std::io::stdin().lock().lines() {
        let start = Instant::now();
        let connected = Connected::of(&counts).expect("ratings exist");
        let plan = Plan { rounds, seed: 1, report_every: 100 };
        let found =
            bootstrap(connected, Resampling::Battles, plan, |_, _| ControlFlow::Continue(()))
                .expect("nothing stops it");
        let summaries: Vec<_> =
            (0..found.systems()).map(|system| found.summary(system, 0.95)).collect();
        let spent = start.elapsed().as_secs_f64() * 1000.0;
        std::hint::black_box(summaries);
        println!("{spent}");
    }
}

/// Numbers of four bytes, the lowest first: wins, losses and ties of each pair.
fn table(systems: usize, bytes: &[u8]) -> PairCounts {
    let mut table = PairCounts::new(systems);
    let pairs: Vec<_> = table.pairs().map(|(low, high, _)| (low, high)).collect();
    let numbers: Vec<u32> =
        bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    for ((low, high), [wins, losses, ties]) in pairs.into_iter().zip(numbers.as_chunks().0) {
        table.add(low, high, Winner::First, *wins);
        table.add(low, high, Winner::Second, *losses);
        table.add(low, high, Winner::Tie, *ties);
    }
    table
}
