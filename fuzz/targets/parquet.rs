//! Parquet files: a problem with its cure, or lines that are JSON, as many as there are rows at most.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::parquet::to_json_lines;

fuzz_target!(|bytes: &[u8]| {
    match to_json_lines("x.parquet", bytes.to_vec()) {
        Ok(read) => {
            let text = std::str::from_utf8(&read.text).expect("UTF-8");
            let lines = text.lines().filter(|it| !it.is_empty());
            for line in lines.clone() {
                serde_json::from_str::<serde_json::Value>(line).expect("JSON");
            }
            assert!(lines.count() as u64 <= read.rows);
        }
        Err(problem) => assert!(!problem.what.is_empty() && !problem.cure.is_empty()),
    }
});
