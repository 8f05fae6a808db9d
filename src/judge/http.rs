//! Requests and responses as plain data, and the parts of an address.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A request without its secret: `edge` adds the key at the moment of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: Method,
    pub url: String,
    /// The fewest headers that work: each extra one can fail a preflight.
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: String,
}

/// What a page can see of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub body: String,
    /// `Retry-After` in seconds, where the server exposes it.
    pub retry_after: Option<u64>,
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
    let Some(host) = host(url) else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or(v6),
        None => host.split(':').next().unwrap_or(host),
    };
    name == "localhost" || name == "::1" || name.ends_with(".localhost") || is_127(name)
}

fn is_127(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() == 4 && parts[0] == "127" && parts.iter().all(|part| part.parse::<u8>().is_ok())
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
}
