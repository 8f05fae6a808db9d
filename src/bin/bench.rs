//! What the benchmark of `make bench` calls: the product's own reading, timed from the page.

use viva::dataset::{Benchmark, Blob, Problems, read_benchmark};
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
