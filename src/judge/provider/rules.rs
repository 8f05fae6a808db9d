//! What families of models take, as data. Models of one family are sold by many hosts, so a family is
//! known by the model’s name.

use crate::judge::provider::{Effort, ProviderId, Structured};

/// When a temperature may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Temperature {
    Always,
    /// Refused, or without any effect.
    Never,
    /// Thinking is on unless it was turned off, and then there is no temperature.
    OnlyWhenOff,
    /// Thinking is off unless it was turned on.
    UnlessThinking,
}

/// Which efforts a family knows, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Efforts {
    /// The words `low`, `medium` and `high`; `none` where it can be turned off.
    Words { off: bool },
    /// It can be turned off, and that is all.
    OffOnly,
    /// Tokens for thinking: low, medium, high.
    Budget { off: bool, tokens: [u32; 3] },
    /// Words, and thinking that adapts.
    Adaptive,
    /// Words in capitals, and no way to turn it off.
    Level,
    /// Any value is refused.
    Refused,
}

#[derive(Debug)]
pub(super) struct Family {
    /// How names begin; `#` is a digit.
    names: &'static [&'static str],
    /// At this provider only.
    at: Option<ProviderId>,
    temperature: Temperature,
    pub(super) efforts: Efforts,
    /// Without a schema of its own: a tool takes its place.
    needs_tool: bool,
}

const ANY: Family = Family {
    names: &[""],
    at: None,
    temperature: Temperature::Always,
    efforts: Efforts::Words { off: true },
    needs_tool: false,
};

const CLAUDE_BUDGET: Efforts = Efforts::Budget { off: true, tokens: [1024, 4096, 16_384] };

const GEMINI_TOKENS: [u32; 3] = [1024, 8192, 24_576];

/// The first that fits counts.
const FAMILIES: [Family; 19] = [
    Family { names: &["gpt-5-chat"], efforts: Efforts::Refused, ..ANY },
    Family { names: &["gpt-5.#", "gpt-6", "gpt-7"], temperature: Temperature::OnlyWhenOff, ..ANY },
    Family {
        names: &["gpt-5", "o#"],
        temperature: Temperature::Never,
        efforts: Efforts::Words { off: false },
        ..ANY
    },
    Family { names: &["gpt-oss"], efforts: Efforts::Words { off: false }, ..ANY },
    Family { names: &["gpt-4", "gpt-3", "chatgpt-4"], efforts: Efforts::Refused, ..ANY },
    Family {
        names: &["claude-opus-4-6", "claude-opus-4.6", "claude-sonnet-4-6", "claude-sonnet-4.6"],
        temperature: Temperature::UnlessThinking,
        efforts: Efforts::Adaptive,
        ..ANY
    },
    Family {
        names: &[
            "claude-opus-4-1",
            "claude-opus-4.1",
            "claude-opus-4-5",
            "claude-opus-4.5",
            "claude-sonnet-4-5",
            "claude-sonnet-4.5",
            "claude-haiku-4-5",
            "claude-haiku-4.5",
        ],
        temperature: Temperature::UnlessThinking,
        efforts: CLAUDE_BUDGET,
        ..ANY
    },
    Family {
        names: &["claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-8", "claude-opus-4.8"],
        temperature: Temperature::Never,
        efforts: Efforts::Adaptive,
        ..ANY
    },
    Family {
        names: &["claude-3-7", "claude-3.7", "claude-opus-4", "claude-sonnet-4"],
        temperature: Temperature::UnlessThinking,
        efforts: CLAUDE_BUDGET,
        needs_tool: true,
        ..ANY
    },
    Family {
        names: &["claude-2", "claude-3", "claude-instant"],
        efforts: Efforts::Refused,
        needs_tool: true,
        ..ANY
    },
    // Those that came later take no temperature, and later ones still are taken to be like them.
    Family {
        names: &["claude-"],
        temperature: Temperature::Never,
        efforts: Efforts::Adaptive,
        ..ANY
    },
    Family {
        names: &["gemini-2.5-pro"],
        efforts: Efforts::Budget { off: false, tokens: GEMINI_TOKENS },
        ..ANY
    },
    Family {
        names: &["gemini-2.5"],
        efforts: Efforts::Budget { off: true, tokens: GEMINI_TOKENS },
        ..ANY
    },
    Family { names: &["gemini-1", "gemini-2", "gemma"], efforts: Efforts::Refused, ..ANY },
    Family { names: &["gemini-"], efforts: Efforts::Level, ..ANY },
    Family { names: &["grok-4.20"], efforts: Efforts::Refused, ..ANY },
    Family {
        names: &["deepseek-reasoner"],
        at: Some(ProviderId::DeepSeek),
        temperature: Temperature::Never,
        efforts: Efforts::Words { off: false },
        ..ANY
    },
    Family {
        names: &["deepseek"],
        at: Some(ProviderId::DeepSeek),
        temperature: Temperature::UnlessThinking,
        ..ANY
    },
    Family {
        names: &["qwen3", "qwen-3"],
        at: Some(ProviderId::Groq),
        efforts: Efforts::OffOnly,
        ..ANY
    },
];

pub(super) fn family(provider: ProviderId, model: &str) -> &'static Family {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let fits = |it: &&Family| {
        it.at.is_none_or(|at| at == provider) && it.names.iter().any(|begin| begins(&name, begin))
    };
    FAMILIES.iter().find(fits).unwrap_or(&ANY)
}

fn begins(name: &str, pattern: &str) -> bool {
    pattern.len() <= name.len()
        && name.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
            b'#' => byte.is_ascii_digit(),
            _ => byte == wanted,
        })
}

impl Family {
    pub(super) fn takes_temperature(&self, effort: Option<Effort>) -> bool {
        match self.temperature {
            Temperature::Always => true,
            Temperature::Never => false,
            Temperature::OnlyWhenOff => effort == Some(Effort::Off),
            Temperature::UnlessThinking => matches!(effort, None | Some(Effort::Off)),
        }
    }

    /// As the host can, but for models older than its schemas.
    pub(super) fn structured(&self, host: Structured) -> Structured {
        match host {
            Structured::Strict | Structured::Schema if self.needs_tool => Structured::Tool,
            other => other,
        }
    }

    /// The word for an effort, where it has one.
    pub(super) fn word(&self, effort: Effort) -> Option<&'static str> {
        let (turns_off, has_levels) = match self.efforts {
            Efforts::Words { off } | Efforts::Budget { off, .. } => (off, true),
            Efforts::OffOnly => (true, false),
            Efforts::Adaptive => (true, true),
            Efforts::Level => (false, true),
            Efforts::Refused => (false, false),
        };
        match effort {
            Effort::Off => turns_off.then_some("none"),
            level => has_levels.then_some(level.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(provider: ProviderId, model: &str, effort: Option<Effort>) -> bool {
        family(provider, model).takes_temperature(effort)
    }

    #[test]
    fn temperature_goes_where_it_is_taken() {
        for model in ["o3-mini", "openai/o1", "gpt-5-nano", "gpt-5", "GPT-5.2", "claude-opus-4-7"] {
            assert!(!takes(ProviderId::Custom, model, None), "{model}");
        }
        for model in ["gpt-4.1", "olmo-2", "gpt-5-chat-latest", "qwen3", "claude-sonnet-4-5", "m"] {
            assert!(takes(ProviderId::Custom, model, None), "{model}");
        }
        assert!(takes(ProviderId::OpenAi, "gpt-5.1", Some(Effort::Off)));
        assert!(!takes(ProviderId::OpenAi, "gpt-5", Some(Effort::Off)));
        assert!(!takes(ProviderId::Anthropic, "claude-sonnet-4-5-20250929", Some(Effort::Low)));
        assert!(!takes(ProviderId::Anthropic, "claude-fable-5", None));
        assert!(!takes(ProviderId::DeepSeek, "deepseek-reasoner", None));
        assert!(takes(ProviderId::DeepSeek, "deepseek-chat", None));
        assert!(takes(ProviderId::Ollama, "deepseek-r1:8b", Some(Effort::High)));
    }

    #[test]
    fn efforts_have_the_words_of_their_family() {
        let word = |provider, model, effort| family(provider, model).word(effort);
        assert_eq!(word(ProviderId::OpenAi, "gpt-5.1", Effort::Off), Some("none"));
        assert_eq!(word(ProviderId::OpenAi, "gpt-5-mini", Effort::Off), None);
        assert_eq!(word(ProviderId::OpenAi, "gpt-4.1", Effort::Low), None);
        assert_eq!(word(ProviderId::Groq, "qwen/qwen3-32b", Effort::Low), None);
        assert_eq!(word(ProviderId::Groq, "qwen/qwen3-32b", Effort::Off), Some("none"));
        assert_eq!(word(ProviderId::Xai, "grok-4.20-0309-reasoning", Effort::High), None);
        assert_eq!(word(ProviderId::OpenRouter, "google/gemini-3-pro", Effort::Low), Some("low"));
    }

    #[test]
    fn old_models_are_held_by_a_tool() {
        let how = |model| family(ProviderId::Anthropic, model).structured(Structured::Schema);
        assert_eq!(how("claude-3-5-haiku-20241022"), Structured::Tool);
        assert_eq!(how("claude-sonnet-4-20250514"), Structured::Tool);
        assert_eq!(how("claude-opus-4-1-20250805"), Structured::Schema);
        assert_eq!(how("claude-opus-5"), Structured::Schema);
    }
}
