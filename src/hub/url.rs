//! Addresses of what a Hub has.

use super::address::Base;

/// What a dataset is at a revision: its commit, whether it is gated, and what its card lists.
pub fn info_url(base: &Base, repo: &str, revision: &str) -> String {
    format!("{}/api/datasets/{}/revision/{}", base.as_str(), path(repo), encode(revision))
}

/// The files of a revision, in pages.
pub fn tree_url(base: &Base, repo: &str, revision: &str) -> String {
    let (repo, revision) = (path(repo), encode(revision));
    format!("{}/api/datasets/{repo}/tree/{revision}?recursive=true&expand=false", base.as_str())
}

/// A file's bytes.
pub fn resolve_url(base: &Base, repo: &str, revision: &str, file: &str) -> String {
    let (repo, revision) = (path(repo), encode(revision));
    format!("{}/datasets/{repo}/resolve/{revision}/{}", base.as_str(), path(file))
}

/// The page behind this one, by the header `Link`. Only on the Hub itself: a token may go with it.
pub fn next_page(base: &Base, link: Option<&str>) -> Option<String> {
    let next = link?.split(',').find(|part| {
        part.split(';').skip(1).any(|it| it.replace(' ', "").eq_ignore_ascii_case("rel=\"next\""))
    })?;
    let address = next.trim().strip_prefix('<')?.split('>').next()?;
    let rest = address.strip_prefix(base.origin())?;
    rest.starts_with('/').then(|| address.to_owned())
}

/// Each part of a path; the slashes stay.
fn path(text: &str) -> String {
    text.split('/').map(encode).collect::<Vec<_>>().join("/")
}

/// One part of an address. A revision is one, slashes and all.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 0xf] {
                out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        }
    }
    out
}

/// Undoes [`encode`]. What is no such code stays as it is.
pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        // The number alone would take a sign as well.
        let code = bytes.get(at + 1..at + 3).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|it| str::from_utf8(it).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_encoded_and_slashes_of_paths_stay() {
        let base = Base::read("https://huggingface.co").unwrap();
        assert_eq!(
            resolve_url(&base, "a/b", "refs/convert/parquet", "my data/50% #1+é?.json"),
            "https://huggingface.co/datasets/a/b/resolve/refs%2Fconvert%2Fparquet/my%20data/50%25%20%231%2B%C3%A9%3F.json"
        );
        assert_eq!(
            tree_url(&base, "a/b", "main"),
            "https://huggingface.co/api/datasets/a/b/tree/main?recursive=true&expand=false"
        );
        assert_eq!(
            info_url(&base, "a/b", "v 1"),
            "https://huggingface.co/api/datasets/a/b/revision/v%201"
        );
        for text in ["%", "a%2", "%zz", "%+a", "%é"] {
            assert_eq!(decode(text), text);
        }
    }

    #[test]
    fn the_next_page_is_on_the_hub() {
        let base = Base::read("http://127.0.0.1:80/hub").unwrap();
        let next = |link: &str| next_page(&base, Some(link));
        let good = "<http://127.0.0.1:80/hub/api?cursor=x>; rel=\"next\"";
        assert_eq!(next(good).as_deref(), Some("http://127.0.0.1:80/hub/api?cursor=x"));
        assert_eq!(next(&format!("<http://127.0.0.1:80/a>; rel=\"prev\", {good}")), next(good));
        assert_eq!(next("<https://evil.example/api>; rel=\"next\""), None);
        assert_eq!(next("<http://127.0.0.1:8000/api>; rel=\"next\""), None);
        assert_eq!(next("<http://127.0.0.1:80/api>; rel=\"last\""), None);
        assert_eq!(next("nonsense"), None);
        assert_eq!(next_page(&base, None), None);
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_one_part_and_comes_back(text in any::<String>()) {
            let encoded = encode(&text);
            prop_assert!(encoded.is_ascii() && !encoded.contains(['/', '?', '#', '&', ' ', '\\']));
            prop_assert_eq!(decode(&encoded), text);
        }

        /// A token may go along, so whatever the header says, the next page is on the very same host.
        #[test]
        fn the_next_page_is_nowhere_else(
            before in "[<>;, a-z\"=]{0,12}",
            host in prop::sample::select(vec![
                "http://127.0.0.1:80", "http://127.0.0.1:8080", "http://127.0.0.1", "https://127.0.0.1:80", "//x", "",
            ]),
            rest in "[/@:.\\\\a-z?=<>]{0,12}",
            rel in prop::sample::select(vec!["rel=\"next\"", "rel = \"NEXT\"", "rel=\"prev\"", "rel=next", ""]),
        ) {
            let base = Base::read("http://127.0.0.1:80/hub").unwrap();
            let link = format!("{before}<{host}{rest}>; {rel}");
            if let Some(next) = next_page(&base, Some(&link)) {
                let path = next.strip_prefix("http://127.0.0.1:80");
                prop_assert!(path.is_some_and(|it| it.starts_with('/')), "{next}");
                prop_assert!(link.contains(&next) && rel.to_lowercase().contains("next"));
            }
        }
    }
}
