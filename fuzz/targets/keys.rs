//! A key, on the first line, in a text: it is nowhere in what is cleaned, and what is cleaned is clean.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::ApiKey;
use viva::judge::http;
use viva::judge::leak::{clean, scan};
use viva::judge::secret::redact_shapes;

fuzz_target!(|input: &str| {
    let (pasted, text) = input.split_once('\n').unwrap_or((input, ""));
    let found = scan(text);
    assert!(found.windows(2).all(|it| it[0].at.end <= it[1].at.start));
    let redacted = redact_shapes(text);
    assert_eq!(redact_shapes(&redacted), redacted);
    let once = clean(text, &[]);
    assert_eq!(clean(&once.text, &[]).taken, 0);
    assert_eq!(once.taken, found.len());
    let Some(origin) = http::origin(text) else {
        let key = ApiKey::new(pasted, "https://a.org/v1");
        let Ok(key) = key else { return };
        // Around what stands in its place, a key with brackets could be put together again.
        let sent = key.reveal_for("https://a.org").expect("its own host").to_owned();
        let text = format!("{text}{sent}{text}");
        let clean = clean(&text, &[&key]);
        if 8 <= sent.len() && !sent.contains(['[', ']']) {
            assert!(!clean.text.contains(&sent) && 0 < clean.taken);
        }
        return;
    };
    assert!(text.starts_with(origin) && http::origin(origin) == Some(origin));
    if let Ok(key) = ApiKey::new(pasted, text) {
        assert_eq!(key.origin(), origin);
        assert!(
            key.reveal_for("https://evil.example").is_none() || origin == "https://evil.example"
        );
    }
});
