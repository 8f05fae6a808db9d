//! What storage says of sealed keys: nothing weak is read, and what is read comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::http;
use viva::judge::keyring::{LEAST_ITERATIONS, Vault};

fuzz_target!(|text: &str| {
    let vault = Vault::read(text);
    for origin in vault.origins() {
        let it = vault.of(&origin).expect("one of its own");
        assert!((LEAST_ITERATIONS..=10_000_000).contains(&it.iterations()));
        assert_eq!((it.salt().len(), it.iv().len()), (16, 12));
        assert!((17..=16 + 4096).contains(&it.ciphertext().len()));
        assert_eq!(http::origin(it.origin()), Some(it.origin()));
    }
    assert_eq!(Vault::read(&vault.to_json()), vault);
});
