//! Requests and responses as plain data, and the parts of an address.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// Where a key goes in a request. Never into the address: addresses are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    Bearer,
    XApiKey,
    XGoogApiKey,
    ApiKey,
    None,
}

impl Auth {
    /// The header’s name, and what stands before the key in it.
    pub fn header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Bearer => Some(("Authorization", "Bearer ")),
            Self::XApiKey => Some(("x-api-key", "")),
            Self::XGoogApiKey => Some(("x-goog-api-key", "")),
            Self::ApiKey => Some(("api-key", "")),
            Self::None => None,
        }
    }
}

/// A request without its secret: `edge` adds the key at the moment of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: Method,
    pub url: String,
    /// The fewest headers that work: each extra one can fail a preflight.
    pub headers: Vec<(&'static str, &'static str)>,
    pub auth: Auth,
    pub body: String,
}

impl HttpRequest {
    /// All headers that are set, the key’s last. What is sent is this list and nothing else.
    pub fn headers_with(&self, secret: Option<&str>) -> Vec<(&'static str, String)> {
        let plain = self.headers.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let key = secret.zip(self.auth.header());
        plain
            .chain(key.map(|(secret, (name, before))| (name, format!("{before}{secret}"))))
            .collect()
    }
}

/// What a page can see of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub body: String,
    /// `Retry-After` in seconds, where the server exposes it.
    pub retry_after: Option<u64>,
}

/// Why there is no response to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoResponse {
    /// The browser says no more than "failed to fetch".
    Unreachable(String),
    Timeout,
    /// The body broke off.
    Cut {
        status: u16,
        detail: String,
    },
    /// The key belongs to another origin.
    KeyElsewhere,
}

/// Scheme, host and port of an http or https address; `None` for anything else, credentials included.
pub fn origin(url: &str) -> Option<&str> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| url.starts_with(scheme))?;
    let rest = &url[scheme.len()..];
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let sane = !authority.is_empty()
        && authority
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_'));
    sane.then(|| &url[..scheme.len() + end])
}

/// Host with port.
pub fn host(url: &str) -> Option<&str> {
    origin(url).and_then(|origin| origin.split_once("://")).map(|(_, host)| host)
}

/// Whether the address is this very machine, so that nothing leaves it.
pub fn is_loopback(url: &str) -> bool {
    let Some(name) = name(url) else {
        return false;
    };
    name == "localhost"
        || name == "::1"
        || name.ends_with(".localhost")
        || matches!(v4(name), Some([127, ..]))
}

/// Whether the address is of a network of one’s own, as far as its name tells.
pub fn is_private(url: &str) -> bool {
    let Some(name) = name(url) else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    match v4(name) {
        Some([10, ..] | [192, 168, ..] | [169, 254, ..]) => true,
        Some([172, second, ..]) => (16..32).contains(&second),
        Some(_) => false,
        None if lower.contains(':') => {
            ["fc", "fd", "fe8", "fe9", "fea", "feb"].iter().any(|it| lower.starts_with(it))
        }
        None => match lower.rsplit_once('.') {
            Some((_, last)) => last == "local" || last == "internal",
            None => true,
        },
    }
}

/// The host without its port and brackets.
fn name(url: &str) -> Option<&str> {
    let host = host(url)?;
    Some(match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or(v6),
        None => host.split(':').next().unwrap_or(host),
    })
}

/// An address under a base. What the base asks after a `?`, such as a version, stays at the end.
pub fn under(base: &str, path: &str) -> String {
    let (base, asked) = base.split_at(base.find('?').unwrap_or(base.len()));
    let more = if asked.is_empty() { path.to_owned() } else { path.replace('?', "&") };
    let (path, rest) = more.split_at(more.find(['?', '&']).unwrap_or(more.len()));
    format!("{}{path}{asked}{rest}", base.trim_end_matches('/'))
}

/// Text as one part of a path.
pub fn segment(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            write!(out, "%{byte:02X}").ok();
        }
    }
    out
}

fn v4(name: &str) -> Option<[u8; 4]> {
    let parts: Option<Vec<u8>> = name.split('.').map(|part| part.parse().ok()).collect();
    parts?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_cut_exactly() {
        assert_eq!(origin("https://a.org/v1?x"), Some("https://a.org"));
        assert_eq!(origin("http://127.0.0.1:8080"), Some("http://127.0.0.1:8080"));
        assert_eq!(origin("https://a.org\\@evil.org"), Some("https://a.org"));
        assert_eq!(origin("https://user:pw@a.org/"), None);
        assert_eq!(origin("ftp://a.org"), None);
        assert_eq!(origin("https://"), None);
    }

    #[test]
    fn addresses_are_put_together_around_a_question_mark() {
        assert_eq!(under("https://a.org/v1/", "/models"), "https://a.org/v1/models");
        assert_eq!(under("https://a.org/v1?v=1", "/models"), "https://a.org/v1/models?v=1");
        assert_eq!(under("https://a.org/v1", "/models?n=9"), "https://a.org/v1/models?n=9");
        assert_eq!(under("https://a.org/v1?v=1", "/models?n=9"), "https://a.org/v1/models?v=1&n=9");
        assert_eq!(segment("a/b?c#d e:é"), "a%2Fb%3Fc%23d%20e%3A%C3%A9");
    }

    #[test]
    fn loopback_is_told_from_lookalikes() {
        for here in
            ["http://localhost:1/v1", "http://127.0.0.1/", "http://[::1]:80/", "http://a.localhost"]
        {
            assert!(is_loopback(here), "{here}");
        }
        for away in ["http://127.0.0.1.evil.org/", "https://localhost.org", "http://127.evil.org"] {
            assert!(!is_loopback(away), "{away}");
        }
    }

    #[test]
    fn networks_of_ones_own_are_told_from_others() {
        for own in [
            "http://10.0.0.7/v1",
            "http://172.16.3.4:8080",
            "http://192.168.1.2:11434/v1",
            "http://169.254.1.1",
            "http://[fd12::1]:8080/v1",
            "http://gpu.local:8000/v1",
            "http://gpu:8000/v1",
        ] {
            assert!(is_private(own), "{own}");
        }
        for other in ["http://172.32.0.1", "https://10.example.org", "https://api.openai.com/v1"] {
            assert!(!is_private(other), "{other}");
        }
    }
}
