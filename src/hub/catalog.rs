//! Which splits a dataset has, and in which files each is.

use std::collections::{BTreeMap, BTreeSet};

use super::api::HubFile;
use super::error::Told;

/// How the files of a split are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Parquet,
    /// JSON, lines of JSON, or a table.
    Text,
    /// The Hub's own Parquet form, on a branch of its own.
    Converted,
    /// What the split `full` has beyond `test` and `valid`: the benchmark has no file for `train`.
    Derived,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    pub name: String,
    pub form: Form,
    /// In their order. Of a derived split those of its three sources, [`Self::sources`] says how many
    /// each has.
    pub files: Vec<HubFile>,
    /// Files of `full`, of `test` and of `valid`, where the split is derived.
    pub sources: Vec<usize>,
    /// As the dataset's card lists it.
    pub rows: Option<u64>,
    /// The Hub converted only the beginning.
    pub is_partial: bool,
    /// Where not all shards are there.
    pub missing: Option<Missing>,
}

/// Shards that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    pub n: u32,
    /// The first of them, from 0.
    pub first: u32,
}

impl Missing {
    /// Of `of` shards, those whose numbers are not among `there`.
    fn of(of: u32, there: &BTreeSet<u32>) -> Option<Self> {
        let n = of - there.range(..of).count() as u32;
        let first = there.iter().zip(0..of).take_while(|(number, at)| *number == at).count() as u32;
        (0 < n).then_some(Self { n, first })
    }
}

/// All splits, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    pub splits: Vec<Split>,
}

/// The splits that are made of others.
const TRAIN: &str = "train";
const SOURCES: [&str; 3] = ["full", "test", "valid"];

impl Catalog {
    /// From the files of a revision, those of the converted branch, and the rows that the card lists.
    pub fn of(files: &[HubFile], converted: &[HubFile], rows: &BTreeMap<String, u64>) -> Self {
        let mut found: BTreeMap<String, Split> = BTreeMap::new();
        // How many shards the names of a split's files tell of.
        let mut shards: BTreeMap<String, u32> = BTreeMap::new();
        let mut add = |found: &mut BTreeMap<String, Split>, form, place: &Place, file: &HubFile| {
            let folder = |path: &str| path.rsplit_once('/').map_or("", |it| it.0).to_owned();
            // Of several configurations each has a split of the same name.
            let other = found.get(&place.split).is_some_and(|it| {
                it.form == form
                    && form != Form::Text
                    && it.files.iter().any(|it| folder(&it.path) != folder(&file.path))
            });
            let name = match folder(&file.path).split('/').next() {
                Some(config) if other => format!("{config}/{}", place.split),
                _ => place.split.clone(),
            };
            let split = found.entry(name.clone()).or_insert_with(|| Split {
                name: name.clone(),
                form,
                files: Vec::new(),
                sources: Vec::new(),
                rows: rows.get(&place.split).copied(),
                is_partial: false,
                missing: None,
            });
            // One form and, of text files of one name, one file: the others hold the same rows.
            if split.form == form && (form != Form::Text || split.files.is_empty()) {
                split.files.push(file.clone());
                split.is_partial |= place.is_partial;
                if let Some(of) = place.of {
                    shards.insert(name, of);
                }
            }
        };
        for file in files {
            if let Some(place) = parquet(&file.path) {
                add(&mut found, Form::Parquet, &place, file);
            }
        }
        let mut texts: Vec<(u8, &HubFile, Place)> = files
            .iter()
            .filter_map(|file| text(&file.path).map(|(rank, place)| (rank, file, place)))
            .collect();
        texts.sort_by_key(|(rank, file, _)| (*rank, file.path.len()));
        for (_, file, place) in &texts {
            add(&mut found, Form::Text, place, file);
        }
        for file in converted {
            if let Some(place) = converted_place(&file.path) {
                add(&mut found, Form::Converted, &place, file);
            }
        }
        for split in found.values_mut() {
            split.files.sort_by(|a, b| a.path.cmp(&b.path));
            split.missing = shards.get(&split.name).and_then(|of| {
                let numbers = split.files.iter().filter_map(|file| parquet(&file.path)?.number);
                Missing::of(*of, &numbers.collect())
            });
        }
        if !found.contains_key(TRAIN)
            && let [Some(full), Some(test), Some(valid)] = SOURCES.map(|name| found.get(name))
        {
            let sources = [full, test, valid];
            let rows = full.rows.zip(test.rows).zip(valid.rows);
            let train = Split {
                name: TRAIN.to_owned(),
                form: Form::Derived,
                files: sources.iter().flat_map(|split| split.files.clone()).collect(),
                sources: sources.iter().map(|split| split.files.len()).collect(),
                rows: rows
                    .and_then(|((full, test), valid)| full.checked_sub(test)?.checked_sub(valid)),
                is_partial: sources.iter().any(|split| split.is_partial),
                missing: sources
                    .iter()
                    .filter_map(|split| split.missing)
                    .reduce(|a, b| Missing { n: a.n.saturating_add(b.n), first: a.first }),
            };
            found.insert(TRAIN.to_owned(), train);
        }
        Self { splits: found.into_values().collect() }
    }

    pub fn names(&self) -> Vec<String> {
        self.splits.iter().map(|split| split.name.clone()).collect()
    }

    /// The split of this name, if all its files are there.
    pub fn split(&self, name: &str) -> Result<&Split, Told> {
        let Some(split) = self.splits.iter().find(|split| split.name == name) else {
            let names = self.names().join(", ");
            let why = if names.is_empty() {
                "It has no Parquet, JSON or CSV files.".to_owned()
            } else {
                format!("It has: {names}.")
            };
            return Err(Told::new(
                format!("The dataset has no split {name}"),
                why,
                "Choose one of those under “Split”, which now lists them.",
            ));
        };
        if let Some(Missing { n, first }) = split.missing {
            return Err(Told::new(
                format!("The split {name} is not complete on the Hub"),
                format!("{n} of its files are missing, the first is number {first}."),
                "Load another revision or split: numbers over a part of the questions would mislead.",
            ));
        }
        Ok(split)
    }
}

/// What the path of a file says.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    split: String,
    /// Shard, and how many there are.
    number: Option<u32>,
    of: Option<u32>,
    is_partial: bool,
}

/// `data/test-00000-of-00002.parquet`, `test.parquet`, `test/0.parquet`, with folders before.
fn parquet(path: &str) -> Option<Place> {
    let stem = path.strip_suffix(".parquet")?;
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let plain =
        |split: &str| Place { split: split.to_owned(), number: None, of: None, is_partial: false };
    let digits = |text: &str| text.parse::<u32>().ok();
    if let Some((head, of)) = name.rsplit_once("-of-")
        && let Some((split, number)) = head.rsplit_once('-')
        && let (Some(number), Some(of)) = (digits(number), digits(of))
        // More shards than any dataset has would only be a way to fill the memory.
        && of <= 100_000
    {
        return Some(Place { number: Some(number), of: Some(of), ..plain(split) });
    }
    if name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        let split = folder.rsplit('/').next().filter(|split| !split.is_empty())?;
        return Some(plain(split));
    }
    // `data/test-abc123.parquet`: behind the last hyphen stands a hash or a number.
    match name.split_once('-') {
        Some((split, _)) if folder.ends_with("data") && !split.is_empty() => Some(plain(split)),
        _ => Some(plain(name)),
    }
}

/// `default/test/0000.parquet`, or `default/partial-test/…`.
fn converted_place(path: &str) -> Option<Place> {
    let stem = path.strip_suffix(".parquet")?;
    let (folder, _) = stem.rsplit_once('/')?;
    let split = folder.rsplit('/').next()?;
    let (split, is_partial) =
        split.strip_prefix("partial-").map_or((split, false), |it| (it, true));
    Some(Place { split: split.to_owned(), number: None, of: None, is_partial })
}

/// JSON, lines or a table, with its rank among files of one split: the lower, the rather.
fn text(path: &str) -> Option<(u8, Place)> {
    const NOT_DATA: [&str; 8] = [
        "dataset_info",
        "dataset_infos",
        "dataset_dict",
        "state",
        "config",
        "package",
        "croissant",
        "metadata",
    ];
    let plain = path.strip_suffix(".gz").unwrap_or(path);
    let (stem, ending) = plain.rsplit_once('.')?;
    let rank = ["json", "jsonl", "ndjson", "csv"].iter().position(|it| *it == ending)? as u8;
    let name = stem.rsplit('/').next()?;
    let is_data = !NOT_DATA.contains(&name) && !name.ends_with(".schema") && !name.starts_with('.');
    let place = Place { split: name.to_owned(), number: None, of: None, is_partial: false };
    (is_data && !name.is_empty()).then_some((rank, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<HubFile> {
        paths
            .iter()
            .map(|path| HubFile { path: (*path).to_owned(), size: 1, sha256: None })
            .collect()
    }

    fn rows(list: &[(&str, u64)]) -> BTreeMap<String, u64> {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    fn paths(split: &Split) -> Vec<&str> {
        split.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn the_card_of_the_benchmark_with_parquet_beside_json() {
        let files = files(&[
            ".gitattributes",
            "README.md",
            "full.json",
            "test.json",
            "valid.json",
            "data/full-00001-of-00002.parquet",
            "data/full-00000-of-00002.parquet",
            "data/test-00000-of-00001.parquet",
            "data/test_mini-00000-of-00001.parquet",
            "data/valid-00000-of-00001.parquet",
        ]);
        let rows = rows(&[("full", 21_414), ("test", 3_750), ("valid", 703), ("test_mini", 776)]);
        let catalog = Catalog::of(&files, &[], &rows);
        assert_eq!(catalog.names(), ["full", "test", "test_mini", "train", "valid"]);
        let full = catalog.split("full").unwrap();
        assert_eq!((full.form, full.rows), (Form::Parquet, Some(21_414)));
        assert_eq!(
            paths(full),
            ["data/full-00000-of-00002.parquet", "data/full-00001-of-00002.parquet"]
        );
        let train = catalog.split("train").unwrap();
        assert_eq!((train.form, train.rows), (Form::Derived, Some(16_961)));
        assert_eq!((train.files.len(), &train.sources[..]), (4, &[2, 1, 1][..]));
    }

    #[test]
    fn json_alone_and_then_the_converted_form() {
        let own =
            files(&["full.json", "test.json", "valid.json", "dataset_infos.json", "test.csv"]);
        let converted = files(&["default/test/0000.parquet", "default/partial-extra/0000.parquet"]);
        let catalog = Catalog::of(&own, &converted, &BTreeMap::new());
        assert_eq!(catalog.names(), ["extra", "full", "test", "train", "valid"]);
        assert_eq!(paths(catalog.split("test").unwrap()), ["test.json"]);
        assert_eq!(catalog.split("test").unwrap().form, Form::Text);
        // Numbers that a card makes up give no number of rows.
        let told = Catalog::of(&own, &[], &rows(&[("full", 9), ("test", u64::MAX), ("valid", 1)]));
        assert_eq!(told.split("train").unwrap().rows, None);
        let extra = catalog.split("extra").unwrap();
        assert_eq!((extra.form, extra.is_partial), (Form::Converted, true));
    }

    #[test]
    fn other_layouts_and_other_names() {
        let check = |path: &str, split: &str| {
            let catalog = Catalog::of(&files(&[path]), &[], &BTreeMap::new());
            assert_eq!(catalog.names(), [split], "{path}");
        };
        check("train.parquet", "train");
        check("en/test-00000-of-00001.parquet", "test");
        check("test/0000.parquet", "test");
        check("data/test-4f1c.parquet", "test");
        check("questions.jsonl.gz", "questions");
        check("benchmark/rubrics.json", "rubrics");
        assert!(
            Catalog::of(&files(&["README.md", "a.py"]), &[], &BTreeMap::new()).splits.is_empty()
        );
    }

    #[test]
    fn configurations_are_kept_apart() {
        let files = files(&["de/test-00000-of-00001.parquet", "en/test-00000-of-00001.parquet"]);
        let catalog = Catalog::of(&files, &[], &BTreeMap::new());
        assert_eq!(catalog.names(), ["en/test", "test"]);
        assert_eq!(paths(catalog.split("test").unwrap()), ["de/test-00000-of-00001.parquet"]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let files =
            files(&["data/test-00000-of-00003.parquet", "data/test-00002-of-00003.parquet"]);
        let catalog = Catalog::of(&files, &[], &BTreeMap::new());
        let told = catalog.split("test").unwrap_err();
        assert!(told.why.contains("1 of its files") && told.why.contains("number 1"), "{told:?}");
        let told = catalog.split("valid").unwrap_err();
        assert!(told.why.contains("test"), "{told:?}");
    }

    #[test]
    fn missing_shards_are_counted_and_the_first_is_named() {
        let missing = |of, there: &[u32]| Missing::of(of, &there.iter().copied().collect());
        assert_eq!(missing(3, &[0, 1, 2]), None);
        assert_eq!(missing(0, &[]), None);
        assert_eq!(missing(3, &[]), Some(Missing { n: 3, first: 0 }));
        assert_eq!(missing(3, &[0, 1]), Some(Missing { n: 1, first: 2 }));
        // Numbers beyond the last are of no shard.
        assert_eq!(missing(4, &[0, 2, 9]), Some(Missing { n: 2, first: 1 }));
    }
}
