//! Where a benchmark came from, for those who want to load the same.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// One split of a dataset at one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Base URL of the Hub.
    pub base: String,
    pub repo: String,
    /// As it was asked for, such as `main`.
    pub revision: String,
    /// What that was when it was loaded; forty hex digits.
    pub commit: String,
    pub split: String,
    /// Of the converted branch, where the files are on it.
    pub converted_commit: Option<String>,
    pub files: Vec<String>,
    /// Of files in `full`, in `test` and in `valid`, where the split is what `full` has beyond them.
    pub derived_from: Vec<usize>,
    /// Rows that the dataset's card lists.
    pub listed_rows: Option<u64>,
    pub is_partial: bool,
}

impl Source {
    /// `owner/name@…` with the whole commit, and the split.
    pub fn told(&self) -> String {
        format!("{}@{} ({})", self.repo, self.commit, self.split)
    }

    /// `owner/name@0123456 (test)`.
    pub fn words(&self) -> String {
        let commit: String = self.commit.chars().take(7).collect();
        format!("{}@{commit} ({})", self.repo, self.split)
    }
}

/// What a list has beyond others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minus {
    /// Places in the full list, in their order.
    pub keep: Vec<usize>,
    /// Entries of the others that the full list does not have.
    pub strange: u64,
}

/// The entries of `full` that are not among `others`.
pub fn minus<'a>(
    full: impl IntoIterator<Item = &'a str>,
    others: impl IntoIterator<Item = &'a str>,
) -> Minus {
    let mut others: HashSet<&str> = others.into_iter().collect();
    let all = others.len();
    let mut seen = 0;
    let mut keep = Vec::new();
    for (at, id) in full.into_iter().enumerate() {
        if others.remove(id) {
            seen += 1;
        } else {
            keep.push(at);
        }
    }
    Minus { keep, strange: (all - seen) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn train_is_what_the_others_do_not_have() {
        let found = minus(["a", "b", "c", "d"], ["b", "d", "x"]);
        assert_eq!(found, Minus { keep: vec![0, 2], strange: 1 });
        assert_eq!(minus([], ["a"]), Minus { keep: vec![], strange: 1 });
    }
}
