//! What people paste: a dataset's name, or any address of it.

use serde::{Deserialize, Serialize};

use super::error::Told;
use super::url::decode;

/// A dataset as a person named it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Set where an address of another Hub was pasted.
    pub base: Option<String>,
    /// `owner/name`, or a name alone for some old datasets.
    pub repo: String,
    pub revision: Option<String>,
    pub split: Option<String>,
}

/// Where a Hub is: scheme, host and perhaps a path, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Base(String);

impl Base {
    pub const PUBLIC: &str = "https://huggingface.co";

    pub fn read(text: &str) -> Result<Self, Told> {
        let text = text.trim().trim_end_matches('/');
        let text = if text.is_empty() { Self::PUBLIC } else { text };
        let told = |why: &str| {
            Told::new(
                format!("{text} is not the base URL of a Hub"),
                why,
                format!("Use {} or the address of a mirror.", Self::PUBLIC),
            )
        };
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| told("It does not begin with https://."))?;
        if rest.contains(['?', '#', '@', ' ', '\\', '"', '<', '>']) || rest.is_empty() {
            return Err(told("It holds characters that the address of a host does not have."));
        }
        let host = rest.split('/').next().unwrap_or_default();
        let name =
            host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|it| it.is_ascii_digit()));
        let name = name.map_or(host, |(name, _)| name);
        match scheme.to_ascii_lowercase().as_str() {
            "https" => {}
            "http" if ["localhost", "127.0.0.1", "[::1]"].contains(&name) => {}
            "http" => {
                return Err(told("Without encryption, http:// is only for this machine itself."));
            }
            _ => return Err(told("It does not begin with https://.")),
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Scheme and host.
    pub fn origin(&self) -> &str {
        let host = self.0.find("://").map_or(0, |at| at + 3);
        let end = self.0[host..].find('/').map_or(self.0.len(), |at| host + at);
        &self.0[..end]
    }
}

impl Address {
    pub fn read(text: &str) -> Result<Self, Told> {
        let text = text.trim().trim_matches(['"', '\'', '<', '>', '`']).trim();
        let text = text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        if text.is_empty() {
            return Err(told("No dataset is named", "The field is empty."));
        }
        if let Some(rest) = text.strip_prefix("hf://") {
            return Self::hf(rest);
        }
        let (scheme, rest) = text.split_once("://").map_or((None, text), |(a, b)| (Some(a), b));
        let mut parts = rest.split('/').filter(|part| !part.is_empty());
        let first = parts.clone().next().unwrap_or_default();
        // Owners have no dots, hosts have; a port or a scheme says it as well.
        let is_host = scheme.is_some() || first.contains(':') || is_host(first);
        let mut address = Self::default();
        if is_host {
            parts.next();
            let host = first.to_ascii_lowercase();
            let public = ["huggingface.co", "www.huggingface.co", "hf.co"].contains(&host.as_str());
            if !public {
                address.base = Some(format!("{}://{first}", scheme.unwrap_or("https")));
            }
        }
        let mut parts: Vec<&str> = parts.collect();
        match parts.first().copied() {
            Some("datasets") => {
                parts.remove(0);
            }
            Some("api") if parts.get(1) == Some(&"datasets") => {
                parts.drain(..2);
            }
            Some(kind @ ("models" | "spaces" | "collections" | "papers")) => {
                let why = format!("It leads to {kind}, which hold no questions.");
                return Err(told("This is not the address of a dataset", &why));
            }
            // A model has its owner where a dataset has the word.
            Some(_) if is_host => {
                let why =
                    "Addresses of datasets have /datasets/ behind the host; this may be a model.";
                return Err(told("This is not the address of a dataset", why));
            }
            _ => {}
        }
        address.path(&parts)?;
        Ok(address)
    }

    /// `datasets/owner/name@revision/path`.
    fn hf(rest: &str) -> Result<Self, Told> {
        let rest = rest.strip_prefix("datasets/").ok_or_else(|| {
            told("This is not the address of a dataset", "After hf:// it has no datasets/.")
        })?;
        let (repo, behind) = rest.split_once('@').map_or((rest, None), |(a, b)| (a, Some(b)));
        let mut parts: Vec<&str> = repo.split('/').filter(|it| !it.is_empty()).collect();
        parts.truncate(2);
        let mut address = Self::default();
        address.path(&parts)?;
        address.revision = behind.map(|it| revision_of(&it.split('/').collect::<Vec<_>>()));
        Ok(address)
    }

    fn path(&mut self, parts: &[&str]) -> Result<(), Told> {
        const VIEWS: [&str; 7] = ["tree", "blob", "resolve", "raw", "viewer", "revision", "commit"];
        let end = parts.iter().position(|part| VIEWS.contains(part)).filter(|at| 0 < *at);
        let (repo, view) = parts.split_at(end.unwrap_or(parts.len()).min(parts.len()));
        let names: Vec<String> = repo.iter().map(|part| decode(part)).collect();
        let is_name = |name: &String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !name.is_empty()
                && name.len() <= 96
                && name.chars().all(plain)
                && !name.starts_with('.')
        };
        if names.is_empty() || 2 < names.len() || !names.iter().all(is_name) {
            return Err(told(
                "This names no dataset",
                "A dataset is named by its owner and its name, with a slash between them.",
            ));
        }
        self.repo = names.join("/");
        match view {
            ["viewer", _, split, ..] => self.split = Some(decode(split)),
            ["viewer", ..] | [] | [_] => {}
            [_, rest @ ..] => self.revision = Some(revision_of(rest)),
        }
        Ok(())
    }
}

/// A revision is one part of an address, but for the Hub's own, which begin with `refs`.
fn revision_of(parts: &[&str]) -> String {
    match parts {
        ["refs", kind, name, ..] => format!("refs/{kind}/{}", decode(name)),
        [one, ..] => decode(one),
        [] => String::new(),
    }
}

fn is_host(text: &str) -> bool {
    ["huggingface.co", "www.huggingface.co", "hf.co"].contains(&text.to_ascii_lowercase().as_str())
        || text.starts_with("localhost:")
}

fn told(what: &str, why: &str) -> Told {
    Told::new(
        what,
        why,
        format!("Write it as owner/name, such as {}, or paste its address.", super::RESEARCHQA),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, repo: &str, revision: Option<&str>, split: Option<&str>) {
        let address = Address::read(text).unwrap_or_else(|told| panic!("{text}: {told:?}"));
        assert_eq!(address.repo, repo, "{text}");
        assert_eq!(address.revision.as_deref(), revision, "{text}");
        assert_eq!(address.split.as_deref(), split, "{text}");
    }

    #[test]
    fn names_and_addresses_of_all_kinds() {
        let id = "realliyifei/ResearchQA";
        check(id, id, None, None);
        check("  \"realliyifei/ResearchQA/\" ", id, None, None);
        check("squad", "squad", None, None);
        check("datasets/realliyifei/ResearchQA", id, None, None);
        check("https://huggingface.co/datasets/realliyifei/ResearchQA", id, None, None);
        check("huggingface.co/datasets/realliyifei/ResearchQA?x=1#y", id, None, None);
        check("https://hf.co/datasets/realliyifei/ResearchQA/", id, None, None);
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/tree/main",
            id,
            Some("main"),
            None,
        );
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/blob/main/test.json",
            id,
            Some("main"),
            None,
        );
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/resolve/0a1b/data/x.parquet?download=true",
            id,
            Some("0a1b"),
            None,
        );
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/tree/refs%2Fconvert%2Fparquet/default",
            id,
            Some("refs/convert/parquet"),
            None,
        );
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/tree/refs/convert/parquet/default",
            id,
            Some("refs/convert/parquet"),
            None,
        );
        check(
            "https://huggingface.co/datasets/realliyifei/ResearchQA/viewer/default/valid",
            id,
            None,
            Some("valid"),
        );
        check("hf://datasets/realliyifei/ResearchQA@v1/test.json", id, Some("v1"), None);
        check("hf://datasets/realliyifei/ResearchQA", id, None, None);
        check(
            "https://huggingface.co/api/datasets/realliyifei/ResearchQA/tree/main",
            id,
            Some("main"),
            None,
        );
        let mirror = Address::read("https://mirror.example/datasets/a/b").unwrap();
        assert_eq!(mirror.base.as_deref(), Some("https://mirror.example"));
        let local = Address::read("http://127.0.0.1:8000/datasets/a/b").unwrap();
        assert_eq!(
            (local.base.as_deref(), local.repo.as_str()),
            (Some("http://127.0.0.1:8000"), "a/b")
        );
    }

    #[test]
    fn what_is_no_dataset_is_refused_with_a_cure() {
        for text in [
            "",
            "  ",
            "a/b/c",
            "a b/c",
            "https://huggingface.co/meta/llama",
            "https://huggingface.co/spaces/a/b",
            "hf://a/b",
            "../x",
            "https://huggingface.co/",
            "a/\u{202e}b",
            "a/<script>",
        ] {
            let told = Address::read(text).expect_err(text);
            assert!(told.next.contains("owner/name"), "{text}");
        }
    }

    #[test]
    fn a_base_is_encrypted_or_on_this_machine() {
        for (text, expected) in [
            ("", "https://huggingface.co"),
            ("https://huggingface.co/", "https://huggingface.co"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
            ("http://localhost:1/hub/", "http://localhost:1/hub"),
            ("http://[::1]:80", "http://[::1]:80"),
        ] {
            assert_eq!(Base::read(text).unwrap().as_str(), expected);
        }
        for text in [
            "huggingface.co",
            "http://huggingface.co",
            "http://localhost.evil.example",
            "ftp://x",
            "https://u:p@x",
            "https://",
            "http://127.0.0.1.evil.example:80",
            "javascript://x",
        ] {
            Base::read(text).expect_err(text);
        }
        assert_eq!(Base::read("http://localhost:1/hub").unwrap().origin(), "http://localhost:1");
    }
}
