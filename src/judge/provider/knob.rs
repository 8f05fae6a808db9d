//! What a host can do, as a person reads it and, for a host of their own, sets it.

use crate::judge::http::Auth;

use super::{Cap, Capabilities, Dialect, EffortField, SeedField, Structured};

/// One thing that hosts differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    Dialect,
    Key,
    Limit,
    Replies,
    Temperature,
    Seed,
    Thinking,
}

const DIALECTS: [Dialect; 4] =
    [Dialect::ChatCompletions, Dialect::Responses, Dialect::Messages, Dialect::GenerateContent];
const KEYS: [Auth; 5] = [Auth::Bearer, Auth::XApiKey, Auth::XGoogApiKey, Auth::ApiKey, Auth::None];
const LIMITS: [Cap; 2] = [Cap::MaxTokens, Cap::MaxCompletionTokens];
const REPLIES: [Structured; 5] = [
    Structured::Strict,
    Structured::Schema,
    Structured::Object,
    Structured::Tool,
    Structured::None,
];
const SEEDS: [SeedField; 3] = [SeedField::Seed, SeedField::RandomSeed, SeedField::None];
const THINKING: [EffortField; 5] = [
    EffortField::ReasoningEffort,
    EffortField::Reasoning,
    EffortField::Thinking,
    EffortField::Family,
    EffortField::None,
];

/// Neither a limit nor a temperature has a word for having none in its type.
const TAKEN: [bool; 2] = [true, false];

impl Knob {
    pub const ALL: [Self; 7] = [
        Self::Dialect,
        Self::Key,
        Self::Limit,
        Self::Replies,
        Self::Temperature,
        Self::Seed,
        Self::Thinking,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Dialect => "Dialect",
            Self::Key => "Key goes in",
            Self::Limit => "Reply’s limit",
            Self::Replies => "JSON replies",
            Self::Temperature => "Takes a temperature",
            Self::Seed => "Takes a seed",
            Self::Thinking => "Takes thinking",
        }
    }

    /// What it can be set to, in words.
    pub fn options(self) -> Vec<&'static str> {
        match self {
            Self::Dialect => DIALECTS.map(Dialect::words).to_vec(),
            Self::Key => KEYS.map(key_words).to_vec(),
            Self::Limit => LIMITS.map(limit_words).to_vec(),
            Self::Replies => REPLIES.map(Structured::words).to_vec(),
            Self::Temperature => TAKEN.map(taken_words).to_vec(),
            Self::Seed => SEEDS.map(seed_words).to_vec(),
            Self::Thinking => THINKING.map(EffortField::words).to_vec(),
        }
    }

    /// What it is set to, in the same words. The limit has another name in every other dialect.
    pub fn read(self, can: &Capabilities) -> &'static str {
        match self {
            Self::Dialect => can.dialect.words(),
            Self::Key => key_words(can.auth),
            Self::Limit => can.cap_name(),
            Self::Replies => can.structured.words(),
            Self::Temperature => taken_words(can.temperature),
            Self::Seed => seed_words(can.seed),
            Self::Thinking => can.effort.words(),
        }
    }

    /// Sets it to one of its options. Other words change nothing.
    pub fn turn(self, can: &mut Capabilities, words: &str) {
        fn by<T: Copy>(options: &[T], of: fn(T) -> &'static str, words: &str) -> Option<T> {
            options.iter().copied().find(|it| of(*it) == words)
        }
        match self {
            Self::Dialect => {
                can.dialect = by(&DIALECTS, Dialect::words, words).unwrap_or(can.dialect);
            }
            Self::Key => can.auth = by(&KEYS, key_words, words).unwrap_or(can.auth),
            Self::Limit => can.cap = by(&LIMITS, limit_words, words).unwrap_or(can.cap),
            Self::Replies => {
                can.structured = by(&REPLIES, Structured::words, words).unwrap_or(can.structured);
            }
            Self::Temperature => {
                can.temperature = by(&TAKEN, taken_words, words).unwrap_or(can.temperature);
            }
            Self::Seed => can.seed = by(&SEEDS, seed_words, words).unwrap_or(can.seed),
            Self::Thinking => {
                can.effort = by(&THINKING, EffortField::words, words).unwrap_or(can.effort);
            }
        }
    }
}

fn key_words(auth: Auth) -> &'static str {
    auth.header().map_or("none", |(name, _)| name)
}

fn limit_words(cap: Cap) -> &'static str {
    match cap {
        Cap::MaxTokens => "max_tokens",
        Cap::MaxCompletionTokens => "max_completion_tokens",
    }
}

fn taken_words(taken: bool) -> &'static str {
    if taken { "yes" } else { "no" }
}

fn seed_words(seed: SeedField) -> &'static str {
    seed.name().unwrap_or("none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::provider::{ProviderId, profile, table};

    #[test]
    fn every_option_can_be_set_and_is_read_again() {
        let usual = profile(ProviderId::Custom).can;
        for knob in Knob::ALL {
            let options = knob.options();
            assert!(options.contains(&knob.read(&usual)), "{}", knob.name());
            for option in options {
                let mut can = usual;
                knob.turn(&mut can, option);
                assert_eq!(knob.read(&can), option);
                let others = Knob::ALL.iter().filter(|it| **it != knob);
                // The dialect alone gives the limit another name.
                for other in others.filter(|it| knob != Knob::Dialect || **it != Knob::Limit) {
                    assert_eq!(other.read(&can), other.read(&usual));
                }
                knob.turn(&mut can, "something else");
                assert_eq!(knob.read(&can), option);
            }
        }
    }

    #[test]
    fn a_fingerprint_names_what_files_name() {
        let usual = serde_json::to_value(profile(ProviderId::Custom).can).unwrap();
        for knob in Knob::ALL {
            for option in knob.options() {
                let mut can = profile(ProviderId::Custom).can;
                knob.turn(&mut can, option);
                let own = serde_json::to_value(can).unwrap();
                let differs = own
                    .as_object()
                    .unwrap()
                    .iter()
                    .filter(|(name, it)| usual.get(name.as_str()) != Some(*it))
                    .map(|(name, it)| format!("{name}={it}"));
                assert_eq!(can.differences(), differs.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_custom_host_can_be_set_to_what_any_provider_is() {
        for row in table() {
            let mut can = profile(ProviderId::Custom).can;
            for knob in Knob::ALL {
                knob.turn(&mut can, knob.read(&row.can));
            }
            assert_eq!(Knob::ALL.map(|it| it.read(&can)), Knob::ALL.map(|it| it.read(&row.can)));
        }
    }
}
