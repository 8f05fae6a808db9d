//! Who judges, what exactly is sent, and what comes back, as plain data.
//!
//! Nothing here sends. A judge's [`JudgeSpec::identity`] covers everything that could change a verdict,
//! so that a changed setting is another judge, never a mixture.

pub mod attempt;
pub mod batch;
pub mod doctor;
pub mod error;
pub mod http;
pub mod keyring;
pub mod leak;
pub mod local;
pub mod practice;
pub mod preference;
pub mod provider;
pub mod retry;
pub mod secret;
pub mod signin;
pub mod template;

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::run::sheet::JudgeStamp;

pub use attempt::{Attempt, Finish, Outcome, Usage};
pub use error::ErrorKind;
pub use preference::{Bias, Duel, DuelPrompt};
pub use provider::{Capabilities, Effort, ProviderId};
pub use retry::Again;
pub use secret::ApiKey;
pub use template::Prompt;

/// How a reply is to be written. Part of a judge's identity: models answer the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// One label a line, in order. The only format of the paper and of the authors' code.
    Lines,
    /// A JSON object held to a schema by the provider. Recommended reading only.
    JsonSchema,
}

/// Everything that makes a judge. Holds no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeSpec {
    /// Word overlap, computed on this device. Judges nothing.
    Practice,
    /// A model that a provider’s endpoint answers for.
    Endpoint(Endpoint),
    /// A person who reads.
    ByHand { person: String },
    /// Judgements made elsewhere. What is not known stays `unknown`.
    Imported { judge: String, prompt: String, date: String },
    /// Several people's run files joined. `labels` is over everything they said.
    Merged { people: Vec<String>, labels: Digest },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    #[serde(default)]
    pub provider: ProviderId,
    /// What the host can do, where a person knows better than the table.
    #[serde(default)]
    pub capabilities: Option<Capabilities>,
    /// Up to and including the version, without a trailing slash.
    pub base_url: String,
    pub model: String,
    /// Not sent when `None`: some models refuse any value.
    pub temperature: Option<f64>,
    /// Tokens a reply may take.
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub seed: Option<u32>,
    /// How much the model is to think; as it likes when `None`.
    #[serde(default)]
    pub effort: Option<Effort>,
    pub format: OutputFormat,
    pub prompt: Prompt,
}

impl Endpoint {
    /// Host with port, for people: "Answers go to HOST".
    pub fn host(&self) -> &str {
        http::host(&self.base_url).unwrap_or(&self.base_url)
    }

    /// Whether both ask the same model at the same place.
    pub fn is_at(&self, other: &Self) -> bool {
        let at = |it: &Self| (it.provider, it.base_url.clone(), it.model.clone());
        at(self) == at(other)
    }

    /// What the host can do: as set by hand, as the table says, or as any compatible host.
    pub fn can(&self) -> Capabilities {
        provider::can(self.provider, self.capabilities, &self.base_url)
    }

    /// What came to be a setting later than the rest. Left out where it is not set, so that judges from
    /// before keep their identity. OpenAI’s Chat Completions are what compatible means.
    fn later(&self) -> Vec<String> {
        let mut later = Vec::new();
        if !matches!(self.provider, ProviderId::Custom | ProviderId::OpenAi) {
            later.push(format!("provider={}", self.provider.as_str()));
        }
        later.extend(self.capabilities.iter().flat_map(Capabilities::differences));
        later.extend(self.seed.map(|it| format!("seed={it}")));
        later.extend(self.effort.map(|it| format!("effort={}", it.as_str())));
        later
    }
}

impl JudgeSpec {
    /// What the judge's model is called, where a model judges.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Endpoint(endpoint) => Some(&endpoint.model),
            Self::Imported { judge, .. } => Some(judge),
            Self::Practice | Self::ByHand { .. } | Self::Merged { .. } => None,
        }
    }

    /// Rubric items put to the judge at a time.
    pub fn batch(&self) -> usize {
        match self {
            // One item at a time is what a person can read.
            Self::ByHand { .. } | Self::Merged { .. } => 1,
            Self::Practice | Self::Endpoint(_) | Self::Imported { .. } => 8,
        }
    }

    pub fn format(&self) -> OutputFormat {
        match self {
            Self::Endpoint(endpoint) => endpoint.format,
            _ => OutputFormat::Lines,
        }
    }

    /// Whether the authors' two readings can be applied: they know label lines only.
    pub fn allows_all_readings(&self) -> bool {
        self.format() == OutputFormat::Lines
    }

    pub fn is_practice(&self) -> bool {
        matches!(self, Self::Practice)
    }

    /// Whether verdicts come from somewhere else than [`crate::run::drive`].
    pub fn is_driven(&self) -> bool {
        matches!(self, Self::Practice | Self::Endpoint(_))
    }

    /// A fingerprint of all that could change a verdict: model, host, parameters, format, prompt text.
    pub fn identity(&self) -> Digest {
        match self {
            Self::Practice => Digest::of_texts(["practice", practice::VERSION]),
            Self::Endpoint(endpoint) => {
                let temperature =
                    endpoint.temperature.map_or_else(String::new, |it| it.to_string());
                let cap = endpoint.max_tokens.map_or_else(String::new, |it| it.to_string());
                let format = match endpoint.format {
                    OutputFormat::Lines => "lines",
                    OutputFormat::JsonSchema => "json_schema",
                };
                let parts = [
                    "endpoint",
                    &endpoint.base_url,
                    &endpoint.model,
                    &temperature,
                    &cap,
                    format,
                    &endpoint.prompt.text,
                ];
                let later = endpoint.later();
                Digest::of_texts(parts.into_iter().chain(later.iter().map(String::as_str)))
            }
            Self::ByHand { person } => Digest::of_texts(["by hand", person]),
            Self::Imported { judge, prompt, date } => {
                Digest::of_texts(["imported", judge, prompt, date])
            }
            Self::Merged { people, labels } => {
                let labels = labels.to_string();
                let parts = ["merged", labels.as_str()];
                Digest::of_texts(parts.into_iter().chain(people.iter().map(String::as_str)))
            }
        }
    }

    /// In the words a table needs.
    pub fn stamp(&self) -> JudgeStamp {
        let (name, how) = match self {
            Self::Practice => (
                "Practice judge (offline)".to_owned(),
                format!("word overlap, version {}; nothing was judged", practice::VERSION),
            ),
            Self::Endpoint(endpoint) => (
                endpoint.model.clone(),
                format!(
                    "{}: {}; {}",
                    endpoint.prompt.describe(),
                    endpoint.prompt.standing(),
                    sent(endpoint)
                ),
            ),
            Self::ByHand { person } => {
                (format!("By hand: {person}"), "one item at a time, blind to the system".to_owned())
            }
            Self::Imported { judge, prompt, date } => {
                (format!("Imported: {judge}"), format!("prompt {prompt}, judged on {date}"))
            }
            Self::Merged { people, .. } => (
                format!("By hand: {}", people.join(", ")),
                "run files of several people, merged".to_owned(),
            ),
        };
        JudgeStamp { name, how, practice: self.is_practice() }
    }
}

fn sent(endpoint: &Endpoint) -> String {
    let temperature = endpoint
        .temperature
        .map_or("provider’s temperature".to_owned(), |it| format!("temperature {it}"));
    let format = match endpoint.format {
        OutputFormat::Lines => "label lines",
        OutputFormat::JsonSchema => "JSON schema",
    };
    let seed = endpoint.seed.map_or_else(String::new, |it| format!(", seed {it}"));
    let effort =
        endpoint.effort.map_or_else(String::new, |it| format!(", thinking {}", it.as_str()));
    format!("{temperature}{seed}{effort}, {format}, at {}", endpoint.host())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint() -> Endpoint {
        Endpoint {
            provider: ProviderId::Custom,
            capabilities: None,
            base_url: "https://api.example.org/v1".to_owned(),
            model: "m".to_owned(),
            temperature: Some(0.0),
            max_tokens: Some(256),
            seed: None,
            effort: None,
            format: OutputFormat::Lines,
            prompt: Prompt::viva(),
        }
    }

    #[test]
    fn every_setting_is_part_of_the_identity() {
        let base = JudgeSpec::Endpoint(endpoint()).identity();
        let changes: [fn(&mut Endpoint); 10] = [
            |it| it.provider = ProviderId::Anthropic,
            |it| {
                it.capabilities = Some(Capabilities { temperature: false, ..it.can() });
            },
            |it| it.seed = Some(7),
            |it| it.effort = Some(Effort::Off),
            |it| it.base_url.push('x'),
            |it| it.model.push('x'),
            |it| it.temperature = None,
            |it| it.max_tokens = None,
            |it| it.format = OutputFormat::JsonSchema,
            |it| it.prompt.text.push('x'),
        ];
        for change in changes {
            let mut changed = endpoint();
            change(&mut changed);
            assert_ne!(JudgeSpec::Endpoint(changed).identity(), base);
        }
    }

    /// Stored replies are found by it: another value would ask, and pay, for all of them again.
    #[test]
    fn the_identity_of_a_compatible_endpoint_never_changes() {
        let prompt = Prompt { text: "Judge {{answer}} by {{items}}.".to_owned() };
        let lines = Endpoint { prompt: prompt.clone(), ..endpoint() };
        let json = Endpoint {
            base_url: "http://127.0.0.1:8080/v1".to_owned(),
            model: "qwen".to_owned(),
            temperature: None,
            max_tokens: None,
            format: OutputFormat::JsonSchema,
            prompt,
            ..endpoint()
        };
        let identity = |it| JudgeSpec::Endpoint(it).identity().to_string();
        let usual = Some(lines.can());
        for (provider, capabilities) in [(ProviderId::OpenAi, None), (ProviderId::Custom, usual)] {
            assert_eq!(
                identity(Endpoint { provider, capabilities, ..lines.clone() }),
                identity(lines.clone())
            );
        }
        assert_eq!(identity(lines), "c1b40a58edfd77d70c597d3d37f6e8ae");
        assert_eq!(identity(json), "1445a0f9d6d7aadfa12b52cffa2b0d56");
    }
}
