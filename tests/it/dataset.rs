//! The file readers: every shape they take, every fault they name, and the place of each.

#![expect(clippy::unwrap_used, reason = "a helper that cannot do its part is a failed test")]
#![expect(clippy::format_collect, reason = "these texts are short")]

mod answers;
mod benchmarks;
mod bytes;
mod explore;
mod handout;
mod judgements;
mod properties;

use std::io::Write as _;

use viva::dataset::{Benchmark, Case, CaseRef, Problems, read_benchmark};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/dataset/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(name: &str, text: &str) -> (Benchmark, Problems) {
    read_benchmark(&[(name.to_owned(), text.as_bytes().to_vec())])
}

fn ids(benchmark: &Benchmark) -> Vec<&str> {
    benchmark.cases().map(CaseRef::id).collect()
}

fn cases(benchmark: &Benchmark) -> Vec<Case> {
    benchmark.cases().map(CaseRef::to_case).collect()
}

/// Problems as a person reads them: file, place, what.
fn told(problems: &Problems) -> Vec<String> {
    problems.list().iter().map(|p| format!("{}: {}: {}", p.file, p.place, p.what)).collect()
}

/// All problems, one a line, each found by the start of its sentence.
#[track_caller]
fn check_told(problems: &Problems, expected: &[&str]) {
    let told = told(problems);
    let fits = told.len() == expected.len()
        && told.iter().zip(expected).all(|(told, expected)| told.starts_with(expected));
    assert!(fits, "expected {expected:#?}\nfound {told:#?}");
    for problem in problems.list() {
        assert!(problem.what.ends_with('.'), "no sentence: {}", problem.what);
        assert!(problem.cure.ends_with('.'), "no cure: {problem:?}");
    }
}
