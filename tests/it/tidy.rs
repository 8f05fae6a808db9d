//! The architecture, as tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the crate, and the modules it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("ids", &[]),
    ("rubric", &[]),
    ("observation", &["rubric"]),
    // Files of battles become what ratings are made of, and are written from it again.
    ("dataset", &["ids", "rubric", "rating"]),
    ("parquet", &["dataset"]),
    ("hub", &[]),
    // A judge's stamp is what tables show of it; a coverage task knows the frame it indexes.
    ("judge", &["ids", "rubric", "rating", "run"]),
    ("ledger", &["ids", "judge"]),
    ("protocol", &["ids", "rubric", "observation", "judge", "ledger", "rating", "run"]),
    (
        "run",
        &[
            "ids",
            "rubric",
            "observation",
            "dataset",
            "judge",
            "ledger",
            "protocol",
            "rating",
            "metrics",
        ],
    ),
    ("rating", &[]),
    ("metrics", &["ids", "rubric", "observation", "protocol", "rating", "run"]),
    // What a provider can do is told as tables are.
    ("report", &["ids", "rubric", "observation", "judge", "protocol", "rating", "run", "metrics"]),
    (
        "worker",
        &[
            "hub",
            "ids",
            "rubric",
            "observation",
            "dataset",
            "judge",
            "ledger",
            "protocol",
            "rating",
            "run",
            "metrics",
            "report",
        ],
    ),
    (
        "edge",
        &[
            "ids", "rubric", "dataset", "hub", "parquet", "judge", "ledger", "protocol", "rating",
            "run", "report", "worker",
        ],
    ),
    (
        "ui",
        &[
            "hub",
            "ids",
            "rubric",
            "observation",
            "dataset",
            "judge",
            "protocol",
            "rating",
            "run",
            "metrics",
            "report",
            "worker",
            "edge",
        ],
    ),
];

/// Modules that may know the browser.
const IMPURE: &[&str] = &["edge", "ui"];

const BROWSER: &[&str] =
    &["leptos", "web_sys", "js_sys", "wasm_bindgen", "gloo_net", "gloo_timers", "Instant::now"];

#[test]
fn dependencies_point_inwards() {
    for (module, may_use) in MAY_USE {
        for (path, text) in sources(module) {
            // Grouped imports would hide a module from the check below.
            assert!(!text.contains("use crate::{"), "{} groups crate imports", path.display());
            for (other, _) in MAY_USE {
                let allowed = other == module || may_use.contains(other);
                let text = text
                    .lines()
                    .filter(|line| !line.starts_with("//!"))
                    .collect::<Vec<_>>()
                    .join("\n");
                let used = text.contains(&format!("crate::{other}::"))
                    || text.contains(&format!("crate::{other};"));
                assert!(allowed || !used, "{} uses `{other}`", path.display());
            }
        }
    }
}

#[test]
fn every_module_is_in_the_table() {
    for entry in fs::read_dir(src()).expect("src") {
        let path = entry.expect("entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("name").to_owned();
        let known = MAY_USE.iter().any(|(module, _)| *module == name);
        assert!(known || ["lib", "bin"].contains(&name.as_str()), "`{name}` is not in MAY_USE");
    }
}

#[test]
fn pure_modules_do_not_know_the_browser() {
    for (module, _) in MAY_USE.iter().filter(|(module, _)| !IMPURE.contains(module)) {
        for (path, text) in sources(module) {
            for name in BROWSER {
                assert!(!text.contains(name), "{} names `{name}`", path.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in files(&src()) {
        assert!(text.starts_with("//! "), "{} has no module docs", path.display());
    }
}

/// Only one function sends to a judge; what guards a key is that it alone reveals it, to one origin.
#[test]
fn a_key_is_revealed_in_one_place_of_the_worker() {
    let places: Vec<String> = files(&src())
        .into_iter()
        .filter(|(path, text)| !path.ends_with("judge/secret.rs") && text.contains(".reveal_for("))
        .map(|(path, _)| path.strip_prefix(src()).expect("inside").display().to_string())
        .collect();
    // A Hub's token goes to the data worker, which asks the Hub and no judge.
    // The tab's storage takes it by explicit choice, and the vault seals it.
    let expected = [
        "edge/fetch.rs",
        "edge/hub.rs",
        "edge/tab_key.rs",
        "edge/vault.rs",
        "ui/session/hub.rs",
        "ui/session/keys.rs",
    ];
    assert_eq!(places, expected, "a new place that can see a key needs a reason here");
}

/// What a key is held in can be neither printed nor written.
#[test]
fn the_key_type_cannot_be_serialised() {
    let secret = fs::read_to_string(src().join("judge/secret.rs")).expect("secret.rs");
    let at = secret.find("pub struct ApiKey").expect("the type");
    let before = secret[..at].lines().last().expect("a line before it");
    assert!(before.starts_with("///"), "ApiKey derives something: {before}");
    for word in ["Serialize for ApiKey", "Display for ApiKey", "Clone for ApiKey"] {
        assert!(!secret.contains(word), "{word}");
    }
}

/// What is saved passes the worker that holds the key: pages hand out no text that was not cleaned.
#[test]
fn every_text_that_is_saved_was_looked_through_for_keys() {
    let places: Vec<String> = sources("ui")
        .into_iter()
        .flat_map(|(path, text)| {
            let n = text.matches("download::text(").count();
            let name = path.strip_prefix(src()).expect("inside").display().to_string();
            vec![name; n]
        })
        .collect();
    assert_eq!(places, ["ui/session.rs"], "save through `Session::save`");
}

/// The policy blocks `style` attributes and markup from strings; both would be a hole as well.
#[test]
fn views_write_text_only() {
    for (path, text) in sources("ui") {
        for word in ["inner_html", "set_inner_html", "insert_adjacent_html", "style="] {
            assert!(!text.contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn this_version_is_in_the_changelog() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).expect("CHANGELOG.md");
    assert!(changelog.lines().any(|line| line == "## Unreleased"), "no `## Unreleased`");
}

fn sources(module: &str) -> Vec<(PathBuf, String)> {
    let mut found = files(&src().join(format!("{module}.rs")));
    found.extend(files(&src().join(module)));
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn src() -> PathBuf {
    root().join("src")
}

fn files(path: &Path) -> Vec<(PathBuf, String)> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path).expect("folder").map(|entry| entry.expect("entry").path()).collect();
        entries.sort();
        return entries.iter().flat_map(|entry| files(entry)).collect();
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        // Comments may name anything: a link in docs is no dependency.
        let text = fs::read_to_string(path).expect("source");
        let code = text
            .lines()
            .filter(|line| line.starts_with("//! ") || !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        return vec![(path.to_path_buf(), code)];
    }
    Vec::new()
}
