//! Asking in batches: many requests in one file, which a provider answers within a day and for less.
//!
//! A request's key is its id in the file, so results come back in any order and in parts, and land in the
//! same ledger as live replies. Three forms are known; a host with a dialect of another takes its files.

mod lines;
mod results;
mod steps;

use crate::judge::Endpoint;
use crate::judge::provider::{Dialect, ProviderId};

pub use lines::{BatchFile, Form, Limits, Sure, limits, write};
pub use results::{Ended, Entry, Oddity, Said, entries};
pub use steps::{
    BatchState, BatchStatus, StepError, created, poll, results, start, status, submit,
};

/// The form of a batch's files, and the way it is submitted and watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchKind {
    /// A file of lines that is uploaded first. Many hosts and programs take the same lines.
    OpenAi,
    /// One request that holds all others.
    Anthropic,
    /// Likewise, or a file of lines.
    Gemini,
}

impl BatchKind {
    /// The form that an endpoint’s dialect goes with.
    pub fn of(endpoint: &Endpoint) -> Self {
        match endpoint.can().dialect {
            Dialect::ChatCompletions | Dialect::Responses => Self::OpenAi,
            Dialect::Messages => Self::Anthropic,
            Dialect::GenerateContent => Self::Gemini,
        }
    }

    /// As attempts and file names hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// What is known of a page that would submit a batch itself. A file that is downloaded and submitted
/// by other means always works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromPage {
    /// Nobody we know of has tried it. The same host answers pages elsewhere.
    Unproven,
    /// Others saw the host refuse it, and the provider agreed that it does.
    Refused,
    /// The host has no batches, or steps that are not known here.
    No,
}

impl FromPage {
    /// By the provider of an endpoint. As last heard of; see `docs/providers.md`.
    pub fn of(endpoint: &Endpoint) -> Self {
        match endpoint.provider {
            ProviderId::OpenAi | ProviderId::OpenAiResponses | ProviderId::Gemini => Self::Unproven,
            ProviderId::Anthropic => Self::Refused,
            // These take batches in steps of their own, or in none.
            ProviderId::OpenRouter
            | ProviderId::Groq
            | ProviderId::Together
            | ProviderId::DeepSeek
            | ProviderId::Mistral
            | ProviderId::Xai
            | ProviderId::HuggingFace
            | ProviderId::Azure
            | ProviderId::Ollama
            | ProviderId::LmStudio
            | ProviderId::Vllm
            | ProviderId::LlamaCpp
            | ProviderId::Custom => Self::No,
        }
    }

    /// What to tell a person, in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unproven => {
                "Whether this provider lets a page submit a batch is not known; the file can be submitted by hand."
            }
            Self::Refused => {
                "This provider lets no page submit a batch: submit the file by hand, with its own tools."
            }
            Self::No => {
                "Submit the file by the host’s own tools, or run it with the script run_batch.py."
            }
        }
    }
}
