//! Which maker's models a name speaks of, to warn where a judge judges its own kin.
//!
//! Names are all there is to go by, so this is a hint: a model served under another name is not
//! recognised, and a system that only names a maker is. Judges have been found to favour texts of their
//! own kind (Panickssery, Bowman and Feng 2024).

use serde::{Deserialize, Serialize};

/// Whose models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Family {
    OpenAi,
    Anthropic,
    Google,
    Meta,
    Alibaba,
    Mistral,
    DeepSeek,
    XAi,
    Microsoft,
    Cohere,
    Zhipu,
    Moonshot,
    Amazon,
    Perplexity,
}

impl Family {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Google => "Google",
            Self::Meta => "Meta",
            Self::Alibaba => "Alibaba",
            Self::Mistral => "Mistral",
            Self::DeepSeek => "DeepSeek",
            Self::XAi => "xAI",
            Self::Microsoft => "Microsoft",
            Self::Cohere => "Cohere",
            Self::Zhipu => "Zhipu",
            Self::Moonshot => "Moonshot",
            Self::Amazon => "Amazon",
            Self::Perplexity => "Perplexity",
        }
    }

    /// What else there is to know of its models. A full sentence.
    pub fn note(self) -> Option<&'static str> {
        (self == Self::Perplexity).then_some(
            "Perplexity’s models are built on those of other makers, so kinship can go unnoticed.",
        )
    }
}

/// Words by which a name speaks of a family: lower case, with a boundary before them and no letter after.
/// A word that everyday names share, such as “nova” or “command”, stands here only with what follows it.
const WORDS: &[(Family, &[&str])] = &[
    (Family::OpenAi, &["gpt", "chatgpt", "openai", "o1", "o3", "o4", "codex"]),
    (Family::Anthropic, &["claude", "anthropic"]),
    (Family::Google, &["gemini", "gemma", "palm", "google"]),
    (Family::Meta, &["llama", "codellama"]),
    (Family::Alibaba, &["qwen", "qwq", "alibaba"]),
    (
        Family::Mistral,
        &["mistral", "mistralai", "mixtral", "ministral", "magistral", "codestral", "pixtral"],
    ),
    (Family::DeepSeek, &["deepseek"]),
    (Family::XAi, &["grok", "xai", "x-ai"]),
    (Family::Microsoft, &["phi", "microsoft"]),
    (Family::Cohere, &["command-r", "command-a", "cohere", "aya"]),
    (Family::Zhipu, &["glm", "chatglm", "zhipu"]),
    (Family::Moonshot, &["kimi", "moonshot", "moonshotai"]),
    (Family::Amazon, &["nova-pro", "nova-lite", "nova-micro", "nova-premier", "amazon"]),
    (Family::Perplexity, &["sonar", "perplexity", "pplx"]),
];

/// A judge, and the systems whose names speak of a family of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kin {
    /// Of the judge; several where a model of one maker was made with another's. Empty where its name
    /// says nothing, or where no model judged.
    pub judge: Vec<Family>,
    /// Names as they were given, in their order, each with the family it shares.
    pub systems: Vec<(String, Family)>,
}

/// Which of the systems share a family with the judge's model.
pub fn kin<'a>(judge: Option<&str>, systems: impl IntoIterator<Item = &'a str>) -> Kin {
    let judge = judge.map_or_else(Vec::new, families);
    let shared = systems.into_iter().filter_map(|name| {
        let family = families(name).into_iter().find(|family| judge.contains(family))?;
        Some((name.to_owned(), family))
    });
    Kin { systems: shared.collect(), judge }
}

/// The families that a name speaks of, in a fixed order.
pub fn families(name: &str) -> Vec<Family> {
    /// No model has a longer name, and a hostile one must not cost time.
    const LONGEST: usize = 200;
    let name: String =
        name.chars().take(LONGEST).map(|letter| letter.to_ascii_lowercase()).collect();
    let speaks = |word: &&str| {
        name.match_indices(*word).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            let after = name[at + word.len()..].chars().next();
            // A version may follow at once, as in gpt4; after one, no other digit may: o1 is not in o10.
            let ends_in_digit = word.ends_with(|it: char| it.is_ascii_digit());
            let closes =
                after.is_none_or(|it| !(it.is_alphabetic() || ends_in_digit && it.is_numeric()));
            before.is_none_or(|it| !it.is_alphanumeric()) && closes
        })
    };
    let known = WORDS.iter().filter(|(_, words)| words.iter().any(&speaks));
    known.map(|(family, _)| *family).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &[Family]) {
        assert_eq!(families(name), expected, "{name:?}");
    }

    #[test]
    fn names_speak_of_families() {
        for name in ["gpt-4.1-mini", "openai/o3", "o4-mini-deep-research", "ChatGPT", "GPT4o"] {
            check(name, &[Family::OpenAi]);
        }
        check("parametric-claude", &[Family::Anthropic]);
        check("google/gemma-3-27b-it", &[Family::Google]);
        check("meta-llama/Llama-3.3-70B", &[Family::Meta]);
        check("Qwen3-32B", &[Family::Alibaba]);
        check("QwQ-32B", &[Family::Alibaba]);
        check("Magistral Small", &[Family::Mistral]);
        check("phi4", &[Family::Microsoft]);
        check("deepseek-r1-distill-llama-70b", &[Family::Meta, Family::DeepSeek]);
        check("command-r-plus", &[Family::Cohere]);
        check("sonar-deep-research", &[Family::Perplexity]);
    }

    #[test]
    fn parts_of_other_words_and_hostile_names_do_not() {
        for name in [
            "",
            "egpt",
            "o10",
            "solo3",
            "metaanalysis",
            "nova",
            "command line",
            "philosophy",
            "claudette",
            "g\u{200b}pt",
            "\u{202e}tpg",
            "éo3x",
            "日本語",
        ] {
            check(name, &[]);
        }
        check(&format!("{}gpt", "x-".repeat(100_000)), &[]);
        check("日本-gpt-日本", &[Family::OpenAi]);
    }

    #[test]
    fn kin_share_a_family_with_the_judge() {
        let systems = ["parametric-gpt", "alder", "agentic-openai-web-search", "claude"];
        let found = kin(Some("gpt-4.1-mini"), systems);
        let expected =
            [("parametric-gpt", Family::OpenAi), ("agentic-openai-web-search", Family::OpenAi)];
        let expected: Vec<(String, Family)> =
            expected.iter().map(|(name, family)| ((*name).to_owned(), *family)).collect();
        assert_eq!(found.systems, expected);
        assert_eq!(kin(None, systems), Kin::default());
        assert_eq!(found.judge[0].as_str(), "OpenAI");
        assert!(Family::Perplexity.note().is_some() && Family::OpenAi.note().is_none());
    }
}
