//! What the Hub's API says of a dataset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::HubError;

/// A dataset at one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Forty hex digits.
    pub commit: String,
    /// `YYYY-MM-DD…`, as the Hub writes it.
    pub modified: Option<String>,
    /// Rows by split, where the card lists them. Of several configurations the first that has the
    /// split counts.
    pub rows: BTreeMap<String, u64>,
}

/// One file of a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubFile {
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// Of large files only.
    pub sha256: Option<String>,
}

#[derive(Deserialize)]
struct RawInfo {
    sha: String,
    #[serde(rename = "lastModified")]
    last_modified: Option<String>,
    #[serde(rename = "cardData")]
    card: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct RawEntry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
    lfs: Option<RawLfs>,
}

#[derive(Deserialize)]
struct RawLfs {
    oid: Option<String>,
    size: Option<u64>,
}

/// Reads the answer to [`super::info_url`].
pub fn read_info(json: &str) -> Result<Info, HubError> {
    let malformed =
        |detail: &str| HubError::Malformed(format!("The description of the dataset {detail}"));
    let raw: RawInfo = serde_json::from_str(json).map_err(|_| malformed("has no commit"))?;
    if raw.sha.len() != 40 || !raw.sha.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Err(malformed("names a commit that is none"));
    }
    let mut rows = BTreeMap::new();
    let listed = raw.card.as_ref().and_then(|card| card.get("dataset_info"));
    let configs: Vec<&serde_json::Value> = match listed {
        Some(serde_json::Value::Array(list)) => list.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let splits = configs.into_iter().filter_map(|it| it.get("splits")?.as_array()).flatten();
    for split in splits {
        let name = split.get("name").and_then(|it| it.as_str());
        let count = split.get("num_examples").and_then(serde_json::Value::as_u64);
        if let Some((name, count)) = name.zip(count) {
            rows.entry(name.to_owned()).or_insert(count);
        }
    }
    Ok(Info { commit: raw.sha.to_ascii_lowercase(), modified: raw.last_modified, rows })
}

/// Reads one page of the answer to [`super::tree_url`]. Folders are left out.
pub fn read_tree(json: &str) -> Result<Vec<HubFile>, HubError> {
    let entries: Vec<RawEntry> = serde_json::from_str(json)
        .map_err(|_| HubError::Malformed("The list of files is none".to_owned()))?;
    let file = |entry: RawEntry| {
        let (oid, size) = entry.lfs.map_or((None, None), |lfs| (lfs.oid, lfs.size));
        HubFile {
            path: entry.path,
            size: size.unwrap_or(entry.size),
            sha256: oid.filter(|it| it.len() == 64).map(|it| it.to_ascii_lowercase()),
        }
    };
    Ok(entries.into_iter().filter(|entry| entry.kind == "file").map(file).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789ABCDEF01234567";

    #[test]
    fn a_card_lists_rows_in_one_or_several_configurations() {
        let read = |card: &str| {
            let json = format!(r#"{{"sha":"{COMMIT}","gated":"auto","x":1,"cardData":{card}}}"#);
            read_info(&json).unwrap().rows.into_iter().collect::<Vec<_>>()
        };
        let splits =
            r#""splits":[{"name":"test","num_examples":3750,"num_bytes":1},{"name":"odd"}]"#;
        let expected = [("test".to_owned(), 3750)];
        assert_eq!(read(&format!(r#"{{"dataset_info":{{{splits}}}}}"#)), expected);
        assert_eq!(
            read(&format!(r#"{{"dataset_info":[{{"config_name":"a",{splits}}}]}}"#)),
            expected
        );
        assert_eq!(read("null"), []);
        assert_eq!(read(r#"{"dataset_info":7}"#), []);
    }

    #[test]
    fn what_is_no_answer_of_a_hub_is_said() {
        for json in ["", "[]", "{}", r#"{"sha":"main"}"#, "<html>"] {
            assert!(matches!(read_info(json), Err(HubError::Malformed(_))), "{json}");
        }
        assert!(matches!(read_tree("{}"), Err(HubError::Malformed(_))));
    }

    #[test]
    fn large_files_have_their_size_and_hash_from_elsewhere() {
        let hash = "AB".repeat(32);
        let json = format!(
            r#"[{{"type":"directory","path":"data","oid":"x"}},
                {{"type":"file","path":"README.md","size":5,"oid":"x"}},
                {{"type":"file","path":"full.json","size":5,"oid":"x","lfs":{{"oid":"{hash}","size":53311520,"pointerSize":133}},"xetHash":"y"}}]"#
        );
        let files = read_tree(&json).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(files[0], HubFile { path: "README.md".to_owned(), size: 5, sha256: None });
        assert_eq!(files[1].size, 53_311_520);
        assert_eq!(files[1].sha256.as_deref(), Some("ab".repeat(32).as_str()));
    }
}
