//! Looks for keys in what is about to leave: by their shapes, and by the very keys where they are known.
//!
//! Exports hold answers about science, DOIs, hashes and code, so a shape must be one that a key has and
//! hardly anything else: a known beginning at the beginning of a word, long enough, and with a stretch of
//! letters and digits mixed. [`crate::judge::secret::redact_shapes`], which cleans what hosts said, is far
//! less choosy.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use crate::judge::ApiKey;

/// What stands where a key stood.
pub const BLOTTED: &str = "[key]";

/// How the keys of a provider begin, and how many characters follow at least.
struct Shape {
    begins: &'static str,
    least: usize,
    whose: &'static str,
}

const fn shape(begins: &'static str, least: usize, whose: &'static str) -> Shape {
    Shape { begins, least, whose }
}

/// Beginnings that hold another one's come first.
const SHAPES: [Shape; 17] = [
    shape("sk-ant-", 24, "Anthropic"),
    shape("sk-or-", 24, "OpenRouter"),
    shape("sk-", 24, "OpenAI or a compatible host"),
    shape("sk_", 24, "a host"),
    shape("AIza", 35, "Google"),
    shape("AQ.", 40, "Google"),
    shape("hf_", 30, "Hugging Face"),
    shape("gsk_", 40, "Groq"),
    shape("xai-", 40, "xAI"),
    shape("r8_", 32, "Replicate"),
    shape("csk-", 30, "Cerebras"),
    shape("pplx-", 30, "Perplexity"),
    shape("nvapi-", 40, "NVIDIA"),
    shape("tgp_v1_", 30, "Together"),
    shape("ghp_", 36, "GitHub"),
    shape("github_pat_", 40, "GitHub"),
    shape("Bearer ", 24, "a host"),
];

/// Letters and digits in a row that a key has somewhere in it. Names and slugs are broken by hyphens, or
/// have no digits.
const STRETCH: usize = 12;

/// What looks like a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// In bytes.
    pub at: Range<usize>,
    pub whose: &'static str,
}

/// Everything in a text that looks like a key, in order. One pass: a run file can have 60 MB.
pub fn scan(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(shape) = SHAPES.iter().find(|it| bytes[at..].starts_with(it.begins.as_bytes()))
        else {
            at += 1;
            continue;
        };
        let body = at + shape.begins.len();
        let is_part = |it: &u8| it.is_ascii_alphanumeric() || b"-_.".contains(it);
        let len = bytes[body..].iter().take_while(|it| is_part(it)).count();
        // A full stop at the end is the sentence's.
        let end = body + text[body..body + len].trim_end_matches(['.', '-']).len();
        let starts_a_word =
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
        if starts_a_word && shape.least <= end - body && is_random(&text[body..end]) {
            found.push(Found { at: at..end, whose: shape.whose });
            at = end;
        } else {
            at = body;
        }
    }
    found
}

/// Whether some stretch mixes letters and digits as nobody writes them.
fn is_random(body: &str) -> bool {
    body.split(|c: char| !c.is_ascii_alphanumeric()).any(|stretch| {
        let turns = stretch
            .as_bytes()
            .windows(2)
            .filter(|it| it[0].is_ascii_digit() != it[1].is_ascii_digit())
            .count();
        STRETCH <= stretch.len() && 2 <= turns
    })
}

/// A text on its way out, and how many keys were taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clean<'a> {
    pub text: Cow<'a, str>,
    pub taken: usize,
}

/// `text` without what looks like a key, and without `keys`. What stands in their place has no character
/// that JSON, CSV or Markdown would read otherwise, so a file stays a file.
pub fn clean<'a>(text: &'a str, keys: &[&ApiKey]) -> Clean<'a> {
    let mut text = Cow::Borrowed(text);
    let mut taken = 0;
    // First through the marks of Markdown and LaTeX, which would cut a key in two.
    if let Some((plain, places)) = unescaped(&text) {
        let shapes = scan(&plain).into_iter().map(|it| it.at);
        let mut found: Vec<Range<usize>> =
            keys.iter().flat_map(|it| it.places(&plain)).chain(shapes).collect();
        found.sort_by_key(|it| (it.start, Reverse(it.end)));
        // What overlaps an earlier one is part of it.
        let mut last = 0;
        found.retain(|it| {
            let is_apart = last <= it.start;
            last = last.max(it.end);
            is_apart
        });
        if !found.is_empty() {
            taken += found.len();
            let marked: Vec<Range<usize>> =
                found.iter().map(|it| places[it.start]..places[it.end - 1] + 1).collect();
            text = Cow::Owned(without(&text, &marked));
        }
    }
    for key in keys {
        let n = key.occurs(&text);
        if 0 < n {
            text = Cow::Owned(key.blot(&text));
            taken += n;
        }
    }
    let found: Vec<Range<usize>> = scan(&text).into_iter().map(|it| it.at).collect();
    if !found.is_empty() {
        taken += found.len();
        text = Cow::Owned(without(&text, &found));
    }
    Clean { text, taken }
}

/// A text without the marks that Markdown and LaTeX put into words, with the place of each byte in it. Nothing
/// for a text that has none: a run file can have 60 MB.
fn unescaped(text: &str) -> Option<(String, Vec<usize>)> {
    const MARKS: [&str; 2] = ["\\_", "-{}-"];
    if !MARKS.iter().any(|it| text.contains(it)) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        let after = &text[at..];
        if after.starts_with("\\_") {
            continue;
        }
        if after.starts_with("{}-") && plain.ends_with('-') {
            rest.next();
            continue;
        }
        plain.push(c);
        places.extend(at..at + c.len_utf8());
    }
    Some((plain, places))
}

/// The text with what was found in it blotted out. In order, and apart.
fn without(text: &str, found: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for it in found {
        out.push_str(&text[from..it.start]);
        out.push_str(BLOTTED);
        from = it.end;
    }
    out.push_str(&text[from..]);
    out
}

/// What to tell of keys that were taken from a file; nothing where there were none.
pub fn told(taken: usize) -> Option<String> {
    match taken {
        0 => None,
        1 => Some("Something that looks like a key was replaced by [key] in this file.".to_owned()),
        n => Some(format!("{n} texts that look like keys were replaced by [key] in this file.")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Made up, in the shapes of real ones.
    const KEYS: [&str; 14] = [
        "sk-ant-api03-Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A-AA",
        "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",
        "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl_MnOpQr-StUv12Wx34Yz56",
        "sk-0123456789abcdef0123456789abcdef",
        "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
        "AQ.Ab8RN6Jk3mP9qR2sT5uV8wX1yZ4aB7cD0eF3gH6iJ9kL2mN5",
        "hf_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3l",
        "gsk_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6oP9rS2uV5xY8",
        "xai-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6oP9rS2uV5xY8",
        "r8_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6o",
        "csk-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
        "pplx-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
        "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
        "Bearer aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
    ];

    #[test]
    fn keys_are_found_wherever_they_stand() {
        for key in KEYS {
            for (before, after) in [
                ("", ""),
                ("key=", "&x"),
                ("\"", "\"}"),
                ("Use ", ". Then"),
                ("(", ")"),
                (",", ","),
            ] {
                let text = format!("{before}{key}{after}");
                let found = scan(&text);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(&text[found[0].at.clone()], key);
                let clean = clean(&text, &[]);
                assert_eq!(clean.text, format!("{before}[key]{after}"));
                assert_eq!(clean.taken, 1);
            }
        }
        let all = KEYS.join(" ");
        assert_eq!(scan(&all).len(), KEYS.len());
    }

    #[test]
    fn keys_are_found_through_the_marks_of_markdown_and_latex() {
        let own = ApiKey::new("my_own--key_without_a_shape", "https://a.example").unwrap();
        for key in KEYS.into_iter().chain(["my_own--key_without_a_shape"]) {
            for mark in [key.replace('_', "\\_"), key.replace("--", "-{}-").replace('_', "\\_")] {
                let text = format!("| a\\_b | {mark} | c\\_d -{{}}- |");
                let clean = clean(&text, &[&own]);
                assert_eq!(clean.text, "| a\\_b | [key] | c\\_d -{}- |", "{text}");
                assert_eq!(clean.taken, 1);
            }
        }
        let plain = "| a\\_b é | c\\_d |";
        assert_eq!(clean(plain, &[&own]), Clean { text: Cow::Borrowed(plain), taken: 0 });
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "The task-based evaluation of risk-adjusted returns, sk-learn and Flask-SQLAlchemy-1.4.",
            "https://doi.org/10.1038/s41586-021-03819-2 and 10.48550/arXiv.2305.14251v2",
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8, md5 d41d8cd98f00b204e9800998ecf8427e",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "sk-hynix-announces-results-for-the-third-quarter-of-2024-in-seoul",
            "sk_buff and hf_hub_download_with_retries_and_a_long_name, r8_unorm",
            "xai-methods-for-explainable-artificial-intelligence-in-medicine-2023",
            "Explainable AI (XAI-based), HF_HOME, GSK_3beta inhibitors such as CHIR99021",
            "Bearer tokens are described in RFC 6750; the Bearer scheme-of-authentication",
            "AQ.1 Do you avoid loud places? AIza is how they begin, sk-… as well.",
            "ENSG00000139618 rs1042522 NM_000546.6 PMC7095418 PDB 6VXX UniProt P04637",
            "task-0123456789abcdef0123456789abcdef, disk-0123456789abcdef0123456789abcdef",
            "MTEYKLVVVGAGGVGKSALTIQLIQNHFVDEYDPTIEDSYRKQVVIDGETCLLDILDTAGQEEYSAMRDQYMRTGEG",
        ] {
            assert_eq!(scan(text), [], "{text}");
            assert!(matches!(clean(text, &[]).text, Cow::Borrowed(_)));
        }
    }

    #[test]
    fn the_very_key_is_found_in_any_shape() {
        let key = ApiKey::new("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "https://a.org/v1").unwrap();
        let text =
            "{\"text\":\"0a1b2c3d4e5f60718293a4b5c6d7e8f9, 0a1b2c3d4e5f60718293a4b5c6d7e8f9\"}";
        let found = clean(text, &[&key]);
        assert_eq!(found.text, "{\"text\":\"[key], [key]\"}");
        assert_eq!(found.taken, 2);
        assert_eq!(clean(text, &[]).taken, 0);
        assert_eq!(told(0), None);
        assert!(told(2).is_some_and(|it| it.starts_with('2')));
    }

    /// Text in which hardly anything is a key, and much looks a little like one.
    fn around() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            prop::sample::select(SHAPES.iter().map(|it| it.begins).collect::<Vec<_>>())
                .prop_map(str::to_owned),
            "[a-zA-Z0-9._-]{1,16}",
            "\\PC{0,6}",
            Just(" ".to_owned()),
        ];
        prop::collection::vec(part, 0..6).prop_map(|it| it.concat())
    }

    proptest! {
        /// In whatever form it stands and between whatever, and however often.
        #[test]
        fn the_very_key_never_survives(
            // Without what stands in its place: around that, a key could be put together again.
            key in "[!-Z^-~\\\\]{8,40}",
            texts in prop::collection::vec(around(), 2..5),
        ) {
            let held = ApiKey::new(&key, "https://a.org/v1").unwrap();
            let in_json = json!(key).to_string();
            let in_json = &in_json[1..in_json.len() - 1];
            let in_address = crate::judge::http::segment(&key);
            for form in [key.as_str(), in_json, &in_json.replace('/', "\\/"), &in_address] {
                let text = texts.join(form);
                let clean = clean(&text, &[&held]);
                prop_assert!(!clean.text.contains(form), "{form} in {}", clean.text);
                prop_assert!(0 < clean.taken && clean.text.contains(BLOTTED));
                prop_assert_eq!(held.occurs(&clean.text), 0);
            }
        }

        /// A file stays a file, of the same shape, with every key gone out of its texts.
        #[test]
        fn json_stays_json(
            which in 0..KEYS.len(),
            very in "[a-zA-Z][a-zA-Z0-9+/_.-]{11,40}",
            texts in prop::collection::vec(around(), 1..4),
        ) {
            let known = KEYS[which];
            let held = ApiKey::new(&very, "https://a.org/v1").unwrap();
            let list: Vec<Value> =
                texts.iter().map(|it| json!({ "text": format!("{it} {known} \"{very}\"") })).collect();
            let cleaned = clean(&json!(list).to_string(), &[&held]).text.into_owned();
            let back: Value = serde_json::from_str(&cleaned).unwrap();
            let back = back.as_array().unwrap();
            prop_assert_eq!(back.len(), texts.len());
            for it in back {
                let text = it["text"].as_str().unwrap();
                prop_assert!(text.contains(BLOTTED) && !text.contains(known) && !text.contains(&very));
            }
            prop_assert_eq!(clean(&cleaned, &[&held]).taken, 0, "it is clean by now: {}", cleaned);
        }

        /// What begins like no key is left alone, to the letter and without a copy.
        #[test]
        fn text_without_beginnings_is_untouched(text in any::<String>()) {
            prop_assume!(SHAPES.iter().all(|it| !text.contains(it.begins)));
            let held = ApiKey::new("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "https://a.org/v1").unwrap();
            let clean = clean(&text, &[&held]);
            prop_assert!(matches!(clean.text, Cow::Borrowed(it) if it == text));
            prop_assert_eq!(clean.taken, 0);
        }

        /// What is found is in order, apart, and whole characters; cutting it out leaves nothing to find.
        #[test]
        fn what_is_found_holds_together(parts in prop::collection::vec((around(), 0..KEYS.len()), 0..4)) {
            let lines: Vec<String> =
                parts.iter().map(|(it, key)| format!("{it} {}\n", KEYS[*key])).collect();
            let text = lines.concat();
            let found = scan(&text);
            prop_assert!(parts.len() <= found.len());
            prop_assert!(found.windows(2).all(|it| it[0].at.end <= it[1].at.start));
            for it in &found {
                let key = &text[it.at.clone()];
                prop_assert!(SHAPES.iter().any(|shape| key.starts_with(shape.begins)));
                prop_assert!(key.is_ascii());
            }
            prop_assert_eq!(clean(&clean(&text, &[]).text, &[]).taken, 0);
        }
    }
}
