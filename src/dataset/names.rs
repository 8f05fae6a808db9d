//! What a file's name says: its kind, its stem, and the system that answered.

use crate::ids::SystemName;

/// Endings that say how a file is written and nothing about what is in it.
const ENDINGS: [&str; 8] = ["gz", "json", "jsonl", "ndjson", "csv", "tsv", "txt", "parquet"];

/// The kinds of systems in the folder layout of ResearchQA.
const MODES: [&str; 3] = ["parametric", "retrieval", "agentic"];

/// Whether the name ends so, `.gz` aside.
pub(crate) fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, ending)| extensions.contains(&ending))
}

/// The name without folders and without the endings that say how it is written.
pub(crate) fn stem(name: &str) -> String {
    let mut stem = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or(name);
    while let Some((rest, ending)) = stem.rsplit_once('.') {
        let known = ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        if !known || rest.is_empty() {
            break;
        }
        stem = rest;
    }
    stem.trim().to_owned()
}

/// The system by its file: `mode-provider` in the folder layout `field/mode/provider.json`, else the stem.
///
/// The second value says whether the folders name the system. They then count more than the records.
pub(crate) fn system(name: &str) -> (SystemName, bool) {
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let stem = stem(name);
    if let [.., mode, _] = parts[..]
        && (4 <= parts.len() || MODES.iter().any(|known| mode.eq_ignore_ascii_case(known)))
    {
        return (SystemName::new(format!("{mode}-{stem}")), true);
    }
    let stem = if stem.is_empty() { "unnamed".to_owned() } else { stem };
    (SystemName::new(stem), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(system(name).0.as_str(), expected, "{name}");
    }

    #[test]
    fn systems_are_named_by_their_files() {
        check("gpt-4.1.json", "gpt-4.1");
        check("sonar.answers.jsonl.gz", "sonar.answers");
        check("answers/sonar.csv", "sonar");
        check("root/computer_vision/agentic/openscholar.json", "agentic-openscholar");
        check("parametric/claude.json", "parametric-claude");
        check("C:\\data\\physics\\retrieval\\qwen.json", "retrieval-qwen");
        check(".json", ".json");
        check("", "unnamed");
        check("///", "///");
    }
}
