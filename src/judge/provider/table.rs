//! What each provider can do, as data: shown to people, and read by encoders and decoders.
//!
//! Facts change. A row says how sure it is; what only a live provider can settle stands in
//! `docs/providers.md`.

use serde::{Deserialize, Serialize};

use crate::judge::http::{self, Auth};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProviderId {
    #[serde(rename = "openai")]
    OpenAi,
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    #[serde(rename = "anthropic")]
    Anthropic,
    #[serde(rename = "gemini")]
    Gemini,
    #[serde(rename = "openrouter")]
    OpenRouter,
    #[serde(rename = "groq")]
    Groq,
    #[serde(rename = "together")]
    Together,
    #[serde(rename = "deepseek")]
    DeepSeek,
    #[serde(rename = "mistral")]
    Mistral,
    #[serde(rename = "xai")]
    Xai,
    #[serde(rename = "hugging_face")]
    HuggingFace,
    #[serde(rename = "azure")]
    Azure,
    #[serde(rename = "ollama")]
    Ollama,
    #[serde(rename = "lm_studio")]
    LmStudio,
    #[serde(rename = "vllm")]
    Vllm,
    #[serde(rename = "llama_cpp")]
    LlamaCpp,
    /// Any other host, compatible with Chat Completions unless its capabilities say otherwise.
    #[default]
    #[serde(rename = "custom")]
    Custom,
}

impl ProviderId {
    /// As files and fingerprints hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::OpenRouter => "openrouter",
            Self::Groq => "groq",
            Self::Together => "together",
            Self::DeepSeek => "deepseek",
            Self::Mistral => "mistral",
            Self::Xai => "xai",
            Self::HuggingFace => "hugging_face",
            Self::Azure => "azure",
            Self::Ollama => "ollama",
            Self::LmStudio => "lm_studio",
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llama_cpp",
            Self::Custom => "custom",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    ChatCompletions,
    Responses,
    Messages,
    GenerateContent,
}

impl Dialect {
    pub fn words(self) -> &'static str {
        match self {
            Self::ChatCompletions => "Chat Completions",
            Self::Responses => "Responses",
            Self::Messages => "Messages",
            Self::GenerateContent => "generateContent",
        }
    }

    /// Headers beyond those of every request. Anthropic answers a page only when it says that it knows
    /// what a key in a browser means.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Messages => &[
                ("anthropic-version", "2023-06-01"),
                ("anthropic-dangerous-direct-browser-access", "true"),
            ],
            Self::ChatCompletions | Self::Responses | Self::GenerateContent => &[],
        }
    }
}

/// The name of the limit under Chat Completions. The other dialects have one name each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    MaxTokens,
    MaxCompletionTokens,
}

/// How a reply is held to a schema. Where it stands in the request is a matter of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// A schema, with the word `strict`.
    Strict,
    /// A schema.
    Schema,
    /// Some JSON object; the schema stands in the prompt.
    Object,
    /// A tool that the model must call.
    Tool,
    None,
}

impl Structured {
    pub fn words(self) -> &'static str {
        match self {
            Self::Strict => "strict schema",
            Self::Schema => "schema",
            Self::Object => "JSON, no schema",
            Self::Tool => "forced tool",
            Self::None => "none",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeedField {
    Seed,
    RandomSeed,
    None,
}

impl SeedField {
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Seed => Some("seed"),
            Self::RandomSeed => Some("random_seed"),
            Self::None => None,
        }
    }
}

/// Where it is said how much a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortField {
    /// `reasoning_effort`
    ReasoningEffort,
    /// `reasoning.effort`
    Reasoning,
    /// `thinking.type`, and `reasoning_effort`
    Thinking,
    /// As the family of the model wants it: Messages and `generateContent`.
    Family,
    None,
}

impl EffortField {
    pub fn words(self) -> &'static str {
        match self {
            Self::ReasoningEffort => "reasoning_effort",
            Self::Reasoning => "reasoning.effort",
            Self::Thinking => "thinking",
            Self::Family => "by model",
            Self::None => "none",
        }
    }
}

/// What a host can do as far as requests and replies go. A custom host may have its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    pub dialect: Dialect,
    pub auth: Auth,
    pub cap: Cap,
    pub structured: Structured,
    pub temperature: bool,
    pub seed: SeedField,
    pub effort: EffortField,
}

impl Capabilities {
    /// The name of the reply’s limit.
    pub fn cap_name(&self) -> &'static str {
        match (self.dialect, self.cap) {
            (Dialect::ChatCompletions, Cap::MaxTokens) | (Dialect::Messages, _) => "max_tokens",
            (Dialect::ChatCompletions, Cap::MaxCompletionTokens) => "max_completion_tokens",
            (Dialect::Responses, _) => "max_output_tokens",
            (Dialect::GenerateContent, _) => "maxOutputTokens",
        }
    }

    /// What differs from a host of which nothing is known, as `name=value`. For fingerprints: a
    /// capability that comes to be later and stands at its default changes none.
    pub fn differences(&self) -> Vec<String> {
        self.named()
            .into_iter()
            .zip(COMPATIBLE.named())
            .filter(|(own, usual)| own != usual)
            .map(|((name, value), _)| format!("{name}={value}"))
            .collect()
    }

    /// Names and values, sorted by name, as JSON has them. Written out, since the page fingerprints judges
    /// as well and would carry a JSON library for this alone.
    fn named(self) -> [(&'static str, &'static str); 7] {
        [
            (
                "auth",
                match self.auth {
                    Auth::Bearer => "\"bearer\"",
                    Auth::XApiKey => "\"x_api_key\"",
                    Auth::XGoogApiKey => "\"x_goog_api_key\"",
                    Auth::ApiKey => "\"api_key\"",
                    Auth::None => "\"none\"",
                },
            ),
            (
                "cap",
                match self.cap {
                    Cap::MaxTokens => "\"max_tokens\"",
                    Cap::MaxCompletionTokens => "\"max_completion_tokens\"",
                },
            ),
            (
                "dialect",
                match self.dialect {
                    Dialect::ChatCompletions => "\"chat_completions\"",
                    Dialect::Responses => "\"responses\"",
                    Dialect::Messages => "\"messages\"",
                    Dialect::GenerateContent => "\"generate_content\"",
                },
            ),
            (
                "effort",
                match self.effort {
                    EffortField::ReasoningEffort => "\"reasoning_effort\"",
                    EffortField::Reasoning => "\"reasoning\"",
                    EffortField::Thinking => "\"thinking\"",
                    EffortField::Family => "\"family\"",
                    EffortField::None => "\"none\"",
                },
            ),
            (
                "seed",
                match self.seed {
                    SeedField::Seed => "\"seed\"",
                    SeedField::RandomSeed => "\"random_seed\"",
                    SeedField::None => "\"none\"",
                },
            ),
            (
                "structured",
                match self.structured {
                    Structured::Strict => "\"strict\"",
                    Structured::Schema => "\"schema\"",
                    Structured::Object => "\"object\"",
                    Structured::Tool => "\"tool\"",
                    Structured::None => "\"none\"",
                },
            ),
            ("temperature", if self.temperature { "true" } else { "false" }),
        ]
    }
}

/// Whether a page may read what the host answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cors {
    /// The provider says so.
    Documented,
    /// Others saw it work in a browser, or saw the headers.
    Observed,
    /// Nobody we know of has looked.
    Unknown,
}

impl Cors {
    pub fn words(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Observed => "observed by others",
            Self::Unknown => "not known",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedsKey {
    Yes,
    /// If its owner set one.
    Maybe,
    No,
}

/// Where a page can read how long it is to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Header,
    Body,
    /// The header is hidden from pages.
    Hidden,
    Unknown,
}

impl Wait {
    pub fn words(self) -> &'static str {
        match self {
            Self::Header => "in a header",
            Self::Body => "in the error’s text",
            Self::Hidden => "hidden from pages",
            Self::Unknown => "not known",
        }
    }
}

/// How a list of models names prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListPrices {
    /// Texts in dollars a token.
    PerToken,
    /// Numbers in dollars a million tokens.
    PerMillion,
    /// The same for each provider behind a model.
    ByProvider,
    None,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    pub id: ProviderId,
    pub name: &'static str,
    /// Empty where only the person knows it.
    pub base_url: &'static str,
    pub can: Capabilities,
    pub key: NeedsKey,
    pub cors: Cors,
    pub wait: Wait,
    pub prices: ListPrices,
    /// Whether it takes batches of requests, in whichever form.
    pub batch: bool,
    /// For a server on one’s own machine: how it is told to allow a page. `{origin}` is the page’s.
    pub allow: Option<&'static str>,
    /// What else a person should know.
    pub note: &'static str,
}

/// Whose address this is; a custom host's where nobody in the table has it.
pub fn by_address(base_url: &str) -> ProviderId {
    let Some(host) = http::host(base_url) else {
        return ProviderId::Custom;
    };
    let own = table().find(|it| !it.is_local() && http::host(it.base_url) == Some(host));
    own.map_or(ProviderId::Custom, |it| it.id)
}

impl Profile {
    pub fn is_local(&self) -> bool {
        self.allow.is_some()
    }

    pub fn lists_prices(&self) -> bool {
        self.prices != ListPrices::None
    }
}

/// A host of which nothing is known but that it is compatible with Chat Completions.
const COMPATIBLE: Capabilities = Capabilities {
    dialect: Dialect::ChatCompletions,
    auth: Auth::Bearer,
    cap: Cap::MaxTokens,
    structured: Structured::Strict,
    temperature: true,
    seed: SeedField::Seed,
    effort: EffortField::ReasoningEffort,
};

const HOSTED: Profile = Profile {
    id: ProviderId::Custom,
    name: "",
    base_url: "",
    can: COMPATIBLE,
    key: NeedsKey::Yes,
    cors: Cors::Observed,
    wait: Wait::Unknown,
    prices: ListPrices::None,
    batch: false,
    allow: None,
    note: "",
};

const LOCAL: Profile = Profile { key: NeedsKey::Maybe, cors: Cors::Documented, ..HOSTED };

const OPENAI: Capabilities = Capabilities { cap: Cap::MaxCompletionTokens, ..COMPATIBLE };

const TABLE: [Profile; 17] = [
    Profile {
        id: ProviderId::OpenAi,
        name: "OpenAI",
        base_url: "https://api.openai.com/v1",
        can: OPENAI,
        wait: Wait::Hidden,
        batch: true,
        note: "A refused key can look like a host that is not there.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::OpenAiResponses,
        name: "OpenAI (Responses)",
        base_url: "https://api.openai.com/v1",
        can: Capabilities {
            dialect: Dialect::Responses,
            seed: SeedField::None,
            effort: EffortField::Reasoning,
            ..OPENAI
        },
        wait: Wait::Hidden,
        batch: true,
        note: "Asked to store nothing. Replies may take 16 tokens at least.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Anthropic,
        name: "Anthropic",
        base_url: "https://api.anthropic.com/v1",
        can: Capabilities {
            dialect: Dialect::Messages,
            auth: Auth::XApiKey,
            structured: Structured::Schema,
            seed: SeedField::None,
            effort: EffortField::Family,
            ..COMPATIBLE
        },
        wait: Wait::Header,
        batch: true,
        note: "Organisations can forbid calls from pages.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Gemini,
        name: "Google Gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        can: Capabilities {
            dialect: Dialect::GenerateContent,
            auth: Auth::XGoogApiKey,
            structured: Structured::Schema,
            effort: EffortField::Family,
            ..COMPATIBLE
        },
        wait: Wait::Body,
        batch: true,
        note: "Thoughts count towards the reply’s limit.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::OpenRouter,
        name: "OpenRouter",
        base_url: "https://openrouter.ai/api/v1",
        can: Capabilities { effort: EffortField::Reasoning, ..COMPATIBLE },
        prices: ListPrices::PerToken,
        note: "Hosts behind a model can change between calls; only such that take every parameter are asked.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Groq,
        name: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        can: OPENAI,
        wait: Wait::Body,
        batch: true,
        note: "Only some models take a schema.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Together,
        name: "Together",
        base_url: "https://api.together.xyz/v1",
        can: Capabilities { structured: Structured::Schema, ..COMPATIBLE },
        prices: ListPrices::PerMillion,
        batch: true,
        note: "Told to refuse what is too long, and not to cut it.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::DeepSeek,
        name: "DeepSeek",
        base_url: "https://api.deepseek.com",
        can: Capabilities {
            structured: Structured::Object,
            seed: SeedField::None,
            effort: EffortField::Thinking,
            ..COMPATIBLE
        },
        note: "No schema: JSON replies can be empty. Temperature does nothing while it thinks.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Mistral,
        name: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        can: Capabilities { seed: SeedField::RandomSeed, effort: EffortField::None, ..COMPATIBLE },
        batch: true,
        note: "Refuses any header that it does not know.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Xai,
        name: "xAI",
        base_url: "https://api.x.ai/v1",
        can: OPENAI,
        note: "Counts reasoning beside the reply’s tokens.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::HuggingFace,
        name: "Hugging Face",
        base_url: "https://router.huggingface.co/v1",
        cors: Cors::Unknown,
        prices: ListPrices::ByProvider,
        note: "Name the provider behind a colon (model:provider): otherwise it can change between calls.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Azure,
        name: "Azure OpenAI",
        base_url: "https://RESOURCE.openai.azure.com/openai/v1",
        can: Capabilities { auth: Auth::ApiKey, ..OPENAI },
        wait: Wait::Hidden,
        batch: true,
        note: "The model is the deployment’s name. A version goes behind the address: ?api-version=preview.",
        ..HOSTED
    },
    Profile {
        id: ProviderId::Ollama,
        name: "Ollama",
        base_url: "http://localhost:11434/v1",
        can: Capabilities { structured: Structured::Schema, ..COMPATIBLE },
        key: NeedsKey::No,
        allow: Some("Start it with OLLAMA_ORIGINS={origin}, set where its service reads it."),
        note: "Cuts what is longer than OLLAMA_CONTEXT_LENGTH without a word; such replies are not counted.",
        ..LOCAL
    },
    Profile {
        id: ProviderId::LmStudio,
        name: "LM Studio",
        base_url: "http://localhost:1234/v1",
        cors: Cors::Unknown,
        can: Capabilities { effort: EffortField::None, ..COMPATIBLE },
        allow: Some("Turn on “Enable CORS” on its Developer page, or start it with --cors."),
        note: "The first call may load the model and take long.",
        ..LOCAL
    },
    Profile {
        id: ProviderId::Vllm,
        name: "vLLM",
        base_url: "http://localhost:8000/v1",
        allow: Some("Any origin is allowed unless --allowed-origins says otherwise."),
        note: "Counts cached tokens with --enable-prompt-tokens-details only.",
        ..LOCAL
    },
    Profile {
        id: ProviderId::LlamaCpp,
        name: "llama.cpp",
        base_url: "http://localhost:8080/v1",
        can: Capabilities {
            structured: Structured::Schema,
            effort: EffortField::None,
            ..COMPATIBLE
        },
        allow: Some("Any origin is allowed unless --cors-origins, --tools or --agent narrows it."),
        note: "Newer versions may listen on port 9931. Its list of models needs no key, so it proves none.",
        ..LOCAL
    },
    Profile {
        id: ProviderId::Custom,
        name: "OpenAI-compatible endpoint",
        key: NeedsKey::Maybe,
        cors: Cors::Unknown,
        note: "What it can do may be set by hand.",
        ..HOSTED
    },
];

/// All providers, in the order in which they are offered.
pub fn table() -> impl Iterator<Item = &'static Profile> {
    TABLE.iter()
}

pub fn profile(id: ProviderId) -> &'static Profile {
    TABLE.iter().find(|it| it.id == id).unwrap_or(&TABLE[TABLE.len() - 1])
}

/// What a host can do: as set by hand, as its row says, or as any compatible host.
pub fn can(id: ProviderId, by_hand: Option<Capabilities>, base_url: &str) -> Capabilities {
    match (by_hand, id) {
        (Some(own), _) => own,
        (None, ProviderId::Custom) => compatible(base_url),
        (None, id) => profile(id).can,
    }
}

/// What a host of no chosen provider can do. A name of the limit that its provider wants is known by
/// the host.
fn compatible(base_url: &str) -> Capabilities {
    let host = http::host(base_url);
    let known = TABLE.iter().find(|it| {
        it.can.dialect == Dialect::ChatCompletions
            && host.is_some()
            && http::host(it.base_url) == host
    });
    Capabilities { cap: known.map_or(COMPATIBLE.cap, |it| it.can.cap), ..COMPATIBLE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_one_row_and_one_name() {
        for row in table() {
            assert_eq!(profile(row.id), row);
            assert_eq!(table().filter(|it| it.id == row.id || it.name == row.name).count(), 1);
            let name = serde_json::to_value(row.id).unwrap();
            assert_eq!(name, row.id.as_str());
            assert_eq!(serde_json::from_value::<ProviderId>(name).unwrap(), row.id);
            let is_here = row.base_url.is_empty() || http::origin(row.base_url).is_some();
            assert!(is_here && !row.base_url.ends_with('/'), "{}", row.name);
            assert_eq!(row.is_local(), http::is_loopback(row.base_url), "{}", row.name);
            assert!(!row.note.is_empty());
        }
    }

    #[test]
    fn a_compatible_host_is_as_it_was() {
        assert_eq!(profile(ProviderId::Custom).can, COMPATIBLE);
        assert!(COMPATIBLE.differences().is_empty());
        let cap = |url| compatible(url).cap;
        for url in
            ["https://api.openai.com/v1", "https://api.groq.com/openai/v1", "https://api.x.ai/v1"]
        {
            assert_eq!(cap(url), Cap::MaxCompletionTokens);
        }
        for url in ["https://api.example.org/v1", "https://api.mistral.ai/v1", "nonsense"] {
            assert_eq!(cap(url), Cap::MaxTokens);
        }
        let own = Capabilities { structured: Structured::None, ..COMPATIBLE };
        assert_eq!(own.differences(), ["structured=\"none\""]);
    }
}
