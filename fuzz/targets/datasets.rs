//! Questions, answers and judgements in whatever form: something is read or something is said.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::dataset::judgements::read_judgements;
use viva::dataset::responses::read_answers;
use viva::dataset::{detect, read_benchmark};

fuzz_target!(|bytes: &[u8]| {
    for name in ["x.json", "x.csv"] {
        detect(name, bytes);
        let (answers, problems) = read_answers(name, bytes);
        assert!(!answers.is_empty() || !problems.is_empty(), "nothing read and nothing said");
        let (judgements, problems) = read_judgements(name, bytes);
        assert!(!judgements.is_empty() || !problems.is_empty(), "nothing read and nothing said");
        let (benchmark, problems) = read_benchmark(&[(name.to_owned(), bytes.to_vec())]);
        assert!(!benchmark.is_empty() || !problems.is_empty(), "nothing read and nothing said");
        for case in benchmark.cases() {
            let case = case.to_case();
            assert!(!case.query.trim().is_empty() && !case.items.is_empty());
            assert!(case.items.iter().all(|it| it.weight.is_finite() && 0.0 < it.weight));
        }
    }
});
