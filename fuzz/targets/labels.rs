//! Replies of judges: as many labels as items, none out of a sentence, and no leaning to a seat.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::OutputFormat;
use viva::protocol::coverage::Read;
use viva::protocol::{Form, Reading, coverage, preference};
use viva::rating::Winner;

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

fuzz_target!(|text: &str| {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    for n_items in [lines.len(), lines.len() + 1] {
        for format in [OutputFormat::Lines, OutputFormat::JsonSchema] {
            let kind = coverage::read(text, n_items, format, Reading::Recommended);
            let strict = coverage::read(text, n_items, format, Reading::Paper);
            let (Read::Labels(kind), Read::Labels(strict)) = (&kind, &strict) else {
                // How many there are is the same in every reading.
                assert_eq!(kind, strict);
                continue;
            };
            assert!(kind.len() == n_items && strict.len() == n_items);
            assert!(
                kind.iter().zip(strict).all(|(kind, strict)| strict.is_none() || kind == strict)
            );
            if format == OutputFormat::Lines {
                for (line, label) in lines.iter().zip(kind) {
                    assert!(label.is_none_or(|it| letters(it.as_str()) == letters(line)));
                }
            }
        }
    }
    let turned: String = text
        .chars()
        .map(|c| match c {
            '1' => '2',
            '2' => '1',
            // The released code knows the seats by letters as well.
            'A' => 'B',
            'B' => 'A',
            other => other,
        })
        .collect();
    for reading in Reading::ALL {
        let form = Form { format: OutputFormat::Lines, allow_tie: true };
        let verdict = preference::read(text, form, reading);
        assert_eq!(preference::read(&turned, form, reading), verdict.map(Winner::swapped));
    }
});
