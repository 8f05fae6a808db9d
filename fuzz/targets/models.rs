//! Lists of models: each is named, stands once and in order, and its prices are numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use viva::judge::{ProviderId, provider};

fuzz_target!(|body: &str| {
    // One for each shape of prices.
    for id in
        [ProviderId::Custom, ProviderId::OpenRouter, ProviderId::Together, ProviderId::HuggingFace]
    {
        let models = provider::read_models(id, body, "2026-11-30");
        assert!(models.windows(2).all(|it| it[0].id < it[1].id));
        for model in models {
            assert!(!model.id.is_empty() && model.context != Some(0));
            assert!(model.prices.is_none_or(|it| it.is_sound()));
            assert!(model.retires.is_none_or(|it| it.len() == 10 && it.is_ascii()));
        }
    }
});
