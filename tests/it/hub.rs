//! A download against a server that cuts, changes and ignores what it is asked.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use viva::hub::{
    Accept, Address, Base, Catalog, Download, Ended, Form, Head, HubError, HubFile, Next, Range,
    read_info, read_tree,
};

/// How a server answers one request.
#[derive(Clone, Debug)]
enum Mood {
    Fine,
    /// Breaks off after so many bytes.
    Cut(usize),
    /// Takes no notice of ranges.
    Whole,
    /// As before, and without a length, as a packed body has it.
    Packed,
    /// Sends another part than the one asked for.
    Elsewhere,
    /// The file is another one from now on.
    Change,
    /// Sends a partial answer that does not say which part it is.
    Mute,
}

fn mood() -> impl Strategy<Value = Mood> {
    prop_oneof![
        4 => Just(Mood::Fine),
        4 => (0..60_usize).prop_map(Mood::Cut),
        1 => Just(Mood::Whole),
        1 => Just(Mood::Packed),
        1 => Just(Mood::Elsewhere),
        1 => Just(Mood::Change),
        1 => Just(Mood::Mute),
    ]
}

struct Server {
    file: Vec<u8>,
    version: u32,
}

impl Server {
    fn answer(&mut self, range: Range, mood: &Mood) -> (Head, Vec<u8>) {
        if let Mood::Change = mood {
            self.version += 1;
            self.file.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        }
        let (from, to) = match range {
            Range::Probe => (0, 1.min(self.file.len())),
            Range::From(at) => (at as usize, self.file.len()),
            Range::Whole => (0, self.file.len()),
        };
        let etag = Some(format!("W/\"v{}\"", self.version));
        let whole = matches!(range, Range::Whole) || matches!(mood, Mood::Whole | Mood::Packed);
        let head = if whole {
            let packed = matches!(mood, Mood::Packed);
            Head {
                status: 200,
                content_length: Some(if packed { 3 } else { self.file.len() as u64 }),
                content_encoding: packed.then(|| "gzip".to_owned()),
                etag,
                ..Head::default()
            }
        } else {
            let said = from + usize::from(matches!(mood, Mood::Elsewhere));
            let range = format!("bytes {said}-{}/{}", to.saturating_sub(1), self.file.len());
            Head {
                status: 206,
                content_range: (!matches!(mood, Mood::Mute)).then_some(range),
                etag,
                ..Head::default()
            }
        };
        let mut body = if whole { self.file.clone() } else { self.file[from..to].to_vec() };
        if let Mood::Cut(at) = mood {
            body.truncate(*at);
        }
        (head, body)
    }
}

/// As the data worker does it, without waiting.
fn fetch(server: &mut Server, moods: &[Mood], listed: Option<u64>) -> Result<Vec<u8>, HubError> {
    let mut download = Download::new(listed, 0, None);
    let mut kept: Vec<u8> = Vec::new();
    let mut failed = 0;
    for mood in moods.iter().chain(std::iter::repeat(&Mood::Fine)).take(200) {
        let range = download.request();
        let (head, body) = server.answer(range, mood);
        let outcome = download.accept(&head).and_then(|accept| {
            if let Accept::From(at) = accept {
                kept.truncate(at as usize);
                kept.extend_from_slice(&body);
            }
            download.received(body.len() as u64)?;
            download.ended()
        });
        match outcome {
            Ok(Ended::Whole) => return Ok(kept),
            Ok(Ended::More) => {}
            Err(error) => {
                failed += 1;
                match error.next(failed, 0.0) {
                    Next::Wait(_) => {}
                    Next::StartAnew => {
                        download.start_anew(error != HubError::RangeRefused);
                        kept.clear();
                    }
                    Next::WithToken | Next::Stop => return Err(error),
                }
            }
        }
    }
    panic!("the download does not end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_download_ends_with_the_very_bytes_or_an_error(
        file in vec(any::<u8>(), 1..60),
        moods in vec(mood(), 0..8),
        listed: bool,
    ) {
        let mut server = Server { file: file.clone(), version: 0 };
        let listed = listed.then_some(file.len() as u64);
        if let Ok(bytes) = fetch(&mut server, &moods, listed) {
            prop_assert_eq!(&bytes, &server.file, "{:?}", moods);
        }
    }

    #[test]
    fn any_text_is_an_address_or_an_error(text in "\\PC{0,60}", base: bool) {
        if base {
            Base::read(&text).ok();
        } else if let Ok(address) = Address::read(&text) {
            prop_assert!(!address.repo.is_empty() && address.repo.is_ascii());
        }
    }
}

/// A file of a listing, as the Hub tells of it or in some other way.
fn listed() -> impl Strategy<Value = Value> {
    let path = prop_oneof![
        "(data/|en/|default/|partial-)?(test|full|valid|train|a)(-0000[0-3]-of-0000[0-3])?\\.(parquet|json|csv|jsonl\\.gz)",
        "[a-z/.-]{0,12}(\\.parquet|-of-[0-9]{1,12}\\.parquet|\\.json)?",
    ];
    let count = prop_oneof![0..9_u64, Just(u64::MAX)];
    (path, count, prop::sample::select(vec!["file", "directory", "x"]), any::<bool>()).prop_map(
        |(path, size, kind, large)| {
            let lfs = large.then(|| json!({ "oid": "AB".repeat(32), "size": size }));
            json!({ "type": kind, "path": path, "size": size, "lfs": lfs })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a listing holds: every split is made of files that were listed, each once, and one that
    /// is handed out is whole.
    #[test]
    fn splits_are_made_of_what_was_listed(
        own in vec(listed(), 0..12),
        converted in vec(listed(), 0..4),
        rows in vec(("full|test|valid|a", prop_oneof![0..9_u64, any::<u64>(), Just(u64::MAX)]), 0..5),
    ) {
        let read = |list: &Vec<Value>| read_tree(&json!(list).to_string()).unwrap();
        let (files, more) = (read(&own), read(&converted));
        let n_files = |list: &[Value]| list.iter().filter(|it| it["type"] == "file").count();
        prop_assert_eq!((files.len(), more.len()), (n_files(&own), n_files(&converted)));
        let splits: Vec<Value> =
            rows.iter().map(|(name, n)| json!({ "name": name, "num_examples": n })).collect();
        let info = json!({ "sha": "0".repeat(40), "cardData": { "dataset_info": { "splits": splits } } });
        let told = read_info(&info.to_string()).unwrap().rows;
        for (name, n) in &told {
            prop_assert_eq!(rows.iter().find(|it| it.0 == *name).map(|it| it.1), Some(*n));
        }
        let catalog = Catalog::of(&files, &more, &told);
        let mut names = catalog.names();
        names.dedup();
        prop_assert_eq!(names.len(), catalog.splits.len());
        for split in &catalog.splits {
            prop_assert!(!split.files.is_empty());
            let source: &[HubFile] = if split.form == Form::Converted { &more } else { &files };
            let from_both = split.form == Form::Derived;
            prop_assert!(split.files.iter().all(|it| source.contains(it) || (from_both && more.contains(it))));
            if split.form == Form::Derived {
                prop_assert_eq!(split.sources.iter().sum::<usize>(), split.files.len());
                let rows = ["full", "test", "valid"].map(|it| catalog.split(it).ok().and_then(|it| it.rows));
                if let ([Some(full), Some(test), Some(valid)], Some(rest)) = (rows, split.rows) {
                    prop_assert_eq!(u128::from(rest) + u128::from(test) + u128::from(valid), u128::from(full));
                }
            }
            prop_assert_eq!(catalog.split(&split.name).is_ok(), split.missing.is_none());
        }
    }

    /// What is no answer of a Hub is said to be none.
    #[test]
    fn any_text_is_a_listing_or_an_error(text in "\\PC{0,60}", sha in "[0-9a-fA-FxX]{38,42}") {
        prop_assert!(read_tree(&text).map_or_else(|it| matches!(it, HubError::Malformed(_)), |it| it.is_empty()));
        prop_assert!(read_info(&text).is_err());
        let commit = read_info(&json!({ "sha": sha }).to_string()).map(|it| it.commit);
        let is_one = sha.len() == 40 && !sha.contains(['x', 'X']);
        prop_assert_eq!(commit.ok(), is_one.then(|| sha.to_lowercase()));
        prop_assert_eq!(Catalog::of(&[], &[], &BTreeMap::new()), Catalog::default());
    }
}

#[test]
fn a_cut_is_resumed_where_it_was() {
    let file: Vec<u8> = (0..50).collect();
    let mut server = Server { file: file.clone(), version: 0 };
    let moods = [Mood::Fine, Mood::Cut(20), Mood::Cut(5)];
    assert_eq!(fetch(&mut server, &moods, None), Ok(file.clone()));
    let mut download = Download::new(Some(50), 30, Some("v0".to_owned()));
    let probe = download.request();
    let (head, _) = server.answer(probe, &Mood::Fine);
    assert_eq!(download.accept(&head), Ok(Accept::Skip));
    assert_eq!(download.ended(), Ok(Ended::More));
    assert_eq!(download.request().header().as_deref(), Some("bytes=30-"));
    // What was kept of another version is void.
    let mut download = Download::new(Some(50), 30, Some("other".to_owned()));
    download.request();
    assert_eq!(download.accept(&head), Err(HubError::Changed));
}
