//! What a Hub says and what a person pastes of it: listings, descriptions, the next page, addresses.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use viva::hub::{Address, Base, Catalog, Form, next_page, read_info, read_tree};

fuzz_target!(|text: &str| {
    let base = Base::read("https://huggingface.co").expect("an address");
    if let Some(next) = next_page(&base, Some(text)) {
        assert!(next.starts_with("https://huggingface.co/"));
    }
    if let Ok(address) = Address::read(text) {
        assert!(!address.repo.is_empty() && address.repo.is_ascii());
    }
    let rows = read_info(text).map_or_else(
        |_| BTreeMap::from([("full", 9), ("test", u64::MAX)].map(|(name, n)| (name.to_owned(), n))),
        |it| {
            assert!(it.commit.len() == 40 && it.commit.is_ascii());
            it.rows
        },
    );
    let Ok(files) = read_tree(text) else { return };
    let catalog = Catalog::of(&files, &files, &rows);
    for split in &catalog.splits {
        assert!(!split.files.is_empty() && split.files.iter().all(|it| files.contains(it)));
        assert_eq!(catalog.split(&split.name).is_ok(), split.missing.is_empty());
        let of_sources: usize = split.sources.iter().sum();
        assert!(split.form != Form::Derived || of_sources == split.files.len());
    }
});
