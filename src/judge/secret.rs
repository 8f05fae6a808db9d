//! An API key: held, sent to one origin, and never shown.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use zeroize::{Zeroize as _, Zeroizing};

/// A key bound to one origin. Has no `Serialize` and no `Display`; `Debug` shows nothing of it.
pub struct ApiKey {
    text: String,
    origin: String,
}

/// Why a pasted key is not usable. Says nothing of the key itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the field is empty")]
    Empty,
    #[error("it holds a character that cannot be sent in a header; paste it again as plain text")]
    NotHeaderSafe,
    #[error("the base URL is not an http or https address")]
    NoOrigin,
}

impl ApiKey {
    /// Takes what was pasted: white space around it and invisible characters anywhere are dropped;
    /// anything else that is not printable ASCII is refused, since a header cannot carry it.
    pub fn new(pasted: &str, base_url: &str) -> Result<Self, KeyError> {
        let origin = crate::judge::http::origin(base_url).ok_or(KeyError::NoOrigin)?.to_owned();
        let text: String = pasted.trim().chars().filter(|c| !is_invisible(*c)).collect();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(KeyError::NotHeaderSafe);
        }
        Ok(Self { text, origin })
    }

    /// The key, if `url` lies on the origin it was given for.
    pub fn reveal_for(&self, url: &str) -> Option<&str> {
        (crate::judge::http::origin(url) == Some(&self.origin)).then_some(&self.text)
    }

    /// Whether `url` lies on the origin it was given for.
    pub fn is_for(&self, url: &str) -> bool {
        self.reveal_for(url).is_some()
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// `text` with this very key replaced. For replies, whose other words must stay as they are.
    pub fn blot(&self, text: &str) -> String {
        if !self.is_secret() {
            return text.to_owned();
        }
        let mut text = Cow::Borrowed(text);
        for form in self.forms() {
            if text.contains(form.as_str()) {
                text = Cow::Owned(text.replace(form.as_str(), "[key]"));
            }
        }
        text.into_owned()
    }

    /// How often this very key stands in a text.
    pub fn occurs(&self, text: &str) -> usize {
        if !self.is_secret() {
            return 0;
        }
        self.forms().iter().map(|form| text.matches(form.as_str()).count()).sum()
    }

    /// Where this very key stands in a text, as it is.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        if !self.is_secret() {
            return Vec::new();
        }
        text.match_indices(&self.text).map(|(at, it)| at..at + it.len()).collect()
    }

    /// As it is, as JSON writes it with its slashes bare or escaped, and as part of an address. One and the
    /// same for most keys. A form that holds another one comes first.
    fn forms(&self) -> Vec<Zeroizing<String>> {
        let escaped = Zeroizing::new(self.text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut forms = vec![
            Zeroizing::new(self.text.clone()),
            Zeroizing::new(escaped.replace('/', "\\/")),
            Zeroizing::new(crate::judge::http::segment(&self.text)),
            escaped,
        ];
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        forms
    }

    /// A stand-in key of a few letters occurs in any text and is no secret.
    fn is_secret(&self) -> bool {
        8 <= self.text.len()
    }

    /// `text` with this key and all that looks like one replaced, should a server have echoed it.
    pub fn redact(&self, text: &str) -> String {
        redact_shapes(&self.blot(text))
    }
}

/// `text` with anything that looks like a key replaced.
pub fn redact_shapes(text: &str) -> String {
    const SHAPES: [&str; 8] = ["sk-", "sk_", "AIza", "hf_", "gsk_", "xai-", "r8_", "Bearer "];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, shape)) =
        SHAPES.iter().filter_map(|shape| rest.find(shape).map(|at| (at, *shape))).min()
    {
        let after = &rest[at + shape.len()..];
        let tail = after
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
            .unwrap_or(after.len());
        out.push_str(&rest[..at]);
        if tail < 8 {
            // What follows is looked at again: a key may stand behind another’s beginning.
            out.push_str(shape);
            rest = after;
        } else {
            out.push_str("[key]");
            rest = &after[tail..];
        }
    }
    out.push_str(rest);
    out
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey(for {})", self.origin)
    }
}

impl Drop for ApiKey {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-proj-abcdefghijklmnop";

    #[test]
    fn goes_to_its_own_origin_only() {
        let key = ApiKey::new(KEY, "https://api.example.org/v1").unwrap();
        assert_eq!(key.reveal_for("https://api.example.org/v1/chat/completions"), Some(KEY));
        assert_eq!(key.reveal_for("https://api.example.org.evil.net/v1"), None);
        assert_eq!(key.reveal_for("https://api.example.org@evil.net/v1"), None);
        assert_eq!(key.reveal_for("http://api.example.org/v1"), None);
        assert_eq!(key.reveal_for("https://api.example.org:8443/v1"), None);
    }

    #[test]
    fn is_never_printed() {
        let key = ApiKey::new(KEY, "https://api.example.org/v1").unwrap();
        assert!(!format!("{key:?}").contains("abcdef"));
        assert_eq!(key.redact(&format!("bad key {KEY}, mend it")), "bad key [key], mend it");
        let dummy = ApiKey::new("o", "http://127.0.0.1:1/v1").unwrap();
        assert_eq!(dummy.blot("Mostly"), "Mostly");
        assert_eq!(redact_shapes("use hf_abcdefgh12345 now"), "use [key] now");
        assert_eq!(redact_shapes("the task-based sk-1 model"), "the task-based sk-1 model");
        assert_eq!(redact_shapes("Bearer Bearer abcdefgh12345"), "Bearer [key]");
    }

    /// A body is looked through before it is read, and reading takes the escapes away.
    #[test]
    fn is_found_as_json_and_addresses_write_it() {
        let url = "https://api.example.org/v1";
        let key = ApiKey::new("ab/cd+ef\"gh\\", url).unwrap();
        for form in
            ["ab/cd+ef\"gh\\", "ab/cd+ef\\\"gh\\\\", "ab\\/cd+ef\\\"gh\\\\", "ab%2Fcd%2Bef%22gh%5C"]
        {
            assert_eq!(key.blot(&format!("<{form}>")), "<[key]>", "{form}");
            assert_eq!(key.occurs(form), 1, "{form}");
        }
        let plain = ApiKey::new(KEY, url).unwrap();
        assert_eq!(plain.occurs(&format!("{KEY} and {KEY}")), 2);
    }

    #[test]
    fn pasted_rubbish_is_trimmed_or_refused() {
        let url = "http://127.0.0.1:8080/v1";
        let key = ApiKey::new(&format!(" \u{feff}{KEY}\u{200b}\n"), url).unwrap();
        assert_eq!(key.reveal_for(url), Some(KEY));
        assert_eq!(ApiKey::new("   ", url).unwrap_err(), KeyError::Empty);
        assert_eq!(ApiKey::new("abc\ndef", url).unwrap_err(), KeyError::NotHeaderSafe);
        assert_eq!(ApiKey::new("clé", url).unwrap_err(), KeyError::NotHeaderSafe);
        assert_eq!(ApiKey::new(KEY, "api.example.org").unwrap_err(), KeyError::NoOrigin);
    }

    proptest! {
        /// In what is left, nothing begins like a key and goes on like one; all else is as it was.
        #[test]
        fn no_shape_is_left(parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "sk-", "sk_", "AIza", "hf_", "gsk_", "xai-", "r8_", "Bearer ", " ", "\"", "-", "é", "abcdefgh",
            ]).prop_map(str::to_owned),
            "[a-zA-Z0-9._-]{1,12}",
            "\\PC{0,3}",
        ], 0..10)) {
            let text = parts.concat();
            let clean = redact_shapes(&text);
            for shape in ["sk-", "sk_", "AIza", "hf_", "gsk_", "xai-", "r8_", "Bearer "] {
                for (at, _) in clean.match_indices(shape) {
                    let tail = clean[at + shape.len()..]
                        .chars()
                        .take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c));
                    prop_assert!(tail.count() < 8, "{clean}");
                }
            }
            // What stands between the marks stood there before, in this order.
            let mut rest = text.as_str();
            for kept in clean.split("[key]") {
                let at = rest.find(kept);
                prop_assert!(at.is_some(), "{text} became {clean}");
                rest = &rest[at.unwrap() + kept.len()..];
            }
            prop_assert!(clean.contains("[key]") || clean == text);
        }

        /// What is pasted is a key of printable ASCII for the very origin, or an error.
        #[test]
        fn whatever_is_pasted_can_be_sent(
            pasted in "[ -~\\n\u{feff}\u{200b}é]{0,24}",
            url in prop_oneof!["https?://[a-z@:.]{0,9}/v1", "\\PC{0,20}"],
        ) {
            if let Ok(key) = ApiKey::new(&pasted, &url) {
                let sent = key.reveal_for(&url).unwrap();
                prop_assert!(!sent.is_empty() && sent.bytes().all(|it| it.is_ascii_graphic()));
                let whole = pasted.replace(['\u{feff}', '\u{200b}'], "");
                prop_assert!(whole.contains(sent));
                let shown = format!("{key:?}");
                prop_assert!(sent.len() < 8 || key.origin().contains(sent) || !shown.contains(sent));
                prop_assert_eq!(key.reveal_for(&format!("{}.evil.org/v1", key.origin())), None);
                prop_assert_eq!(key.reveal_for(&url.replacen("://", "://evil.org/", 1)), None);
            }
        }
    }
}
