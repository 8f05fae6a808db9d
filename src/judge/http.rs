//! Requests and responses as plain data, and the parts of an address.

use std::net::{Ipv4Addr, Ipv6Addr};

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
        || name.ends_with(".localhost")
        || v4(name).is_some_and(|it| it.is_loopback())
        || v6(name).is_some_and(|it| it.is_loopback())
}

/// Whether the address is of a network of one’s own, as far as its name tells.
pub fn is_private(url: &str) -> bool {
    let Some(name) = name(url) else {
        return false;
    };
    if let Some(it) = v4(name) {
        return it.is_private() || it.is_link_local();
    }
    if name.contains(':') {
        return v6(name).is_some_and(|it| it.is_unique_local() || it.is_unicast_link_local());
    }
    match name.to_ascii_lowercase().rsplit_once('.') {
        Some((_, last)) => last == "local" || last == "internal",
        None => true,
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

/// Four plain numbers. Browsers read one that begins with a zero as octal, so `0127.0.0.1` is no loopback
/// but some host far away.
fn v4(name: &str) -> Option<Ipv4Addr> {
    name.parse().ok()
}

fn v6(name: &str) -> Option<Ipv6Addr> {
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        for away in [
            "http://127.0.0.1.evil.org/",
            "https://localhost.org",
            "http://127.evil.org",
            "http://0127.0.0.1/",
            "http://[::1:0]/",
        ] {
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
        for other in [
            "http://172.32.0.1",
            "http://010.0.0.1",
            "http://[fd::1]",
            "https://10.example.org",
            "https://api.openai.com/v1",
        ] {
            assert!(!is_private(other), "{other}");
        }
    }

    /// Text around what addresses are made of.
    fn addressy() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            prop::sample::select(vec![
                "https://",
                "http://",
                "a.org",
                "evil.org",
                "@",
                ":",
                "/",
                "//",
                "?",
                "#",
                "\\",
                "..",
                "%2f",
                "[::1]",
                "localhost",
                "127.0.0.1",
                ":8080",
                " ",
                "\t",
                "\u{0}",
                "é",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,4}",
        ];
        prop::collection::vec(part, 0..8).prop_map(|it| it.concat())
    }

    proptest! {
        /// Whatever follows it: an origin is a beginning of its address, is its own origin, and holds
        /// nothing by which a browser would find another host in it.
        #[test]
        fn an_origin_is_one(url in addressy()) {
            let Some(found) = origin(&url) else {
                prop_assert_eq!(host(&url), None);
                prop_assert!(!is_loopback(&url) && !is_private(&url));
                return Ok(());
            };
            prop_assert!(url.starts_with(found));
            prop_assert_eq!(origin(found), Some(found));
            let (scheme, host) = found.split_once("://").unwrap();
            prop_assert!(scheme == "https" || scheme == "http");
            prop_assert!(!host.is_empty() && host.is_ascii());
            prop_assert!(!host.contains(['@', '/', '\\', '?', '#', '%', ' ', '\t']));
            let after = url[found.len()..].chars().next();
            prop_assert!(after.is_none_or(|it| "/\\?#".contains(it)));
        }

        /// A path goes under its base and nowhere else, and one part of a path stays one.
        #[test]
        fn what_is_under_a_base_stays_with_its_host(
            base in "https?://[a-z]{1,8}(\\.org)?(:[0-9]{2,4})?(/[a-z0-9]{1,4}){0,2}/?(\\?v=[0-9])?",
            part in addressy(),
            asks: bool,
        ) {
            let part = segment(&part);
            prop_assert!(!part.contains(['/', '?', '#', '\\', '@', ' ']));
            let path = format!("/models/{part}{}", if asks { "?n=1" } else { "" });
            let url = under(&base, &path);
            prop_assert_eq!(origin(&url), origin(&base));
            let (plain, asked) = url.split_once('?').unwrap_or((&url, ""));
            let bare = base.split('?').next().unwrap().trim_end_matches('/');
            prop_assert_eq!(plain, format!("{bare}/models/{part}"));
            prop_assert_eq!(asked.contains("v="), base.contains('?'));
            prop_assert_eq!(asked.contains("n=1"), asks);
        }

        /// As the standard library has it, for plain numbers; with a zero before one it is another host.
        #[test]
        fn numbers_are_networks_as_elsewhere(numbers: [u8; 4], near: bool, zero in 0..4_usize) {
            let mut numbers = numbers;
            if near {
                numbers[0] = [10, 127, 172, 192][usize::from(numbers[0] % 4)];
            }
            let it = Ipv4Addr::from(numbers);
            let url = format!("http://{it}:8080/v1");
            prop_assert_eq!(is_loopback(&url), numbers[0] == 127);
            let [a, b, ..] = numbers;
            let own = a == 10 || (a == 172 && b / 16 == 1) || (a, b) == (192, 168) || (a, b) == (169, 254);
            prop_assert_eq!(is_private(&url), own);
            let mut parts: Vec<String> = numbers.iter().map(u8::to_string).collect();
            parts[zero].insert(0, '0');
            let octal = format!("http://{}/v1", parts.join("."));
            prop_assert!(!is_loopback(&octal) && !is_private(&octal));
        }
    }
}
