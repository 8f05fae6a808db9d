//! What a finding means and what to do about it, in a sentence each.

use crate::judge::doctor::{Browser, Doctor, Finding, KeyHeld, Parameter, Spent};
use crate::judge::http;
use crate::judge::provider::{self, NeedsKey, ProviderId};
use crate::judge::{Endpoint, OutputFormat};

/// Hosts that are known to let pages read replies and to hide errors from them, with what is known.
const HIDING: [(&str, &str); 3] = [
    ("api.openai.com", "OpenAI is known to hide the answer to a refused key"),
    ("api.cerebras.ai", "Cerebras is known to hide the answer to a refused key"),
    ("api.scaleway.ai", "Scaleway is known to hide refusals"),
];

/// What is known of a host that hides errors.
pub(super) fn hides_errors(endpoint: &Endpoint) -> Option<&'static str> {
    let host = http::host(&endpoint.base_url)?;
    HIDING.iter().find(|(name, _)| *name == host).map(|(_, words)| *words).or_else(|| {
        // Where a key is checked before the layer that lets pages read.
        (endpoint.provider == ProviderId::Vllm)
            .then_some("vLLM may hide the answer to a refused key")
    })
}

impl Spent {
    /// “2 calls, 431 tokens in and 12 out.”
    pub fn words(self) -> String {
        if self.calls == 0 {
            return "No call was made.".to_owned();
        }
        let calls =
            if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) };
        let tokens = match (self.input, self.output) {
            (0, 0) => String::new(),
            (input, output) => format!(", {input} tokens in and {output} out"),
        };
        let untold = match self.untold {
            0 => String::new(),
            1 => {
                " Of 1 call the host told no tokens; it may cost something all the same.".to_owned()
            }
            n => format!(
                " Of {n} calls the host told no tokens; they may cost something all the same."
            ),
        };
        format!("{calls}{tokens}.{untold}")
    }
}

/// Sentence and next step. No wildcard: each finding has its own.
#[expect(clippy::too_many_lines, reason = "one arm a finding, read from top to bottom")]
pub(super) fn of(finding: Finding, doctor: &Doctor) -> (String, String) {
    let case = &doctor.case;
    let (endpoint, around, found) = (&case.endpoint, &case.around, &doctor.diagnosis);
    let (host, model) = (endpoint.host(), endpoint.model.as_str());
    let page = around.page_origin.as_str();
    let changes = || found.changes.iter().map(|it| it.what.as_str()).collect::<Vec<_>>().join("; ");
    let needs_key = provider::profile(endpoint.provider).key == NeedsKey::Yes;
    let (sentence, next) = match finding {
        Finding::Works => {
            (format!("{model} at {host} answers with a label.{}", leaves(doctor)), start(doctor))
        }
        Finding::WorksChanged => (
            format!("{model} at {host} answers once it is asked another way: {}.{}", changes(), leaves(doctor)),
            format!("Take over what was learned: it makes another judge than before. {}", start(doctor)),
        ),
        Finding::SchemaUnsupported => (
            format!("{model} at {host} answers, and takes no schema for its replies."),
            "Choose label lines, or take over what was learned: replies are then asked for as JSON and held to it by nothing.".to_owned(),
        ),
        Finding::Unreadable => (
            format!("{model} at {host} answers, and not with a label."),
            match endpoint.format {
                OutputFormat::Lines => "Try a larger model, or hold the reply to a JSON schema.",
                OutputFormat::JsonSchema => "Try a larger model, or choose label lines.",
            }
            .to_owned(),
        ),
        Finding::ReplyCut => (
            match endpoint.max_tokens {
                Some(cap) => format!("{model} used all {cap} tokens of its reply before a label came: most likely for thinking."),
                None => format!("{model} came to the end of its reply before a label: most likely by thinking."),
            },
            "Allow more tokens for a reply, or less thinking.".to_owned(),
        ),
        Finding::InputCut => (
            match doctor.counted.as_str() {
                "" => format!("{host} saw only part of what was sent."),
                counted => format!("{host} saw only part of what was sent: {counted}."),
            },
            match endpoint.provider {
                ProviderId::Ollama => "Raise OLLAMA_CONTEXT_LENGTH where the service reads it, and start Ollama again.",
                _ => "Raise the server’s context length.",
            }
            .to_owned(),
        ),
        Finding::ContextTooSmall => (
            format!("A request of this length is too long for {model} at {host}."),
            "Raise the server’s context length, or use a model with a longer one.".to_owned(),
        ),
        Finding::TextRefused => (
            format!("{host} declined a harmless text, so it may decline many."),
            "Loosen the provider’s filter where it lets you, or choose another model.".to_owned(),
        ),
        Finding::KeyMissing => (
            match case.key {
                KeyHeld::ForAnotherHost => format!("{host} wants a key, and the one in memory is another host’s."),
                KeyHeld::None | KeyHeld::ForThisHost => format!("{host} wants a key, and none was sent."),
            },
            "Enter the key for this host.".to_owned(),
        ),
        Finding::KeyElsewhere => (
            format!("The key in memory is another host’s; nothing was sent to {host}."),
            "Enter the key for this host.".to_owned(),
        ),
        Finding::KeyRefused => (
            format!("{host} does not accept this key."),
            "Paste the key again, or make a new one at the provider.".to_owned(),
        ),
        Finding::BlockedByOrganisation => (
            "The organisation behind this key forbids such calls.".to_owned(),
            match endpoint.provider {
                ProviderId::Anthropic => "An administrator can allow calls from pages in the organisation’s settings; until then reach the model through another provider.",
                _ => "Ask whoever manages the account, or use another provider.",
            }
            .to_owned(),
        ),
        Finding::Forbidden => (
            format!("{host} knows the key and refuses the call."),
            "Check what the key may do and whether your country is served, or use another provider.".to_owned(),
        ),
        Finding::NoCredit => (
            format!("The account at {host} has no credit left."),
            "Add credit at the provider, then test again.".to_owned(),
        ),
        Finding::QuotaPerMinute => (
            format!("{host} gets requests faster than it allows for the moment."),
            match doctor.wait {
                Some(seconds) => format!("Wait {seconds} seconds, then test again. A run slows down by itself."),
                None => "Wait a minute, then test again. A run slows down by itself.".to_owned(),
            },
        ),
        Finding::QuotaPerDay => (
            format!("The quota of the day at {host} is used up."),
            "Go on tomorrow, or raise the quota at the provider.".to_owned(),
        ),
        Finding::ModelUnknown => (
            format!("{host} has no model called {model}."),
            match found.near.as_slice() {
                [] => "Check the model’s name in the host’s list.".to_owned(),
                near => format!("Did you mean {}?", near.join(", ")),
            },
        ),
        Finding::ModelRetired => (
            match &found.retires {
                Some(day) => format!("{host} retired {model} on {day}."),
                None => format!("{host} no longer has {model}."),
            },
            match found.near.as_slice() {
                [] => "Choose a model that is in service. Scores of another model are not comparable.".to_owned(),
                near => format!("Choose a model that is in service, such as {}. Scores of another model are not comparable.", near.join(", ")),
            },
        ),
        Finding::ModelNotYours => (
            format!("{host} has {model}, and not for this account."),
            "Ask the provider for access to it, or choose another model.".to_owned(),
        ),
        Finding::AddressUnknown => (
            format!("{host} answers, and has no such address."),
            match provider::profile(endpoint.provider).base_url {
                "" => "Check the base URL: it often ends in /v1.".to_owned(),
                usual => format!("Check the base URL. The usual one is {usual}."),
            },
        ),
        Finding::ParametersRefused => (
            format!("{model} at {host} refuses a parameter, and no other way of sending it was accepted."),
            match refused_last(doctor) {
                Some(Parameter::Cap) => "Lower the reply’s limit, or empty it.".to_owned(),
                Some(Parameter::Structured) => "Choose label lines.".to_owned(),
                _ => "Empty the parameter that the host’s words name, or set what the host can do by hand.".to_owned(),
            },
        ),
        Finding::RequestRefused => (
            format!("{host} refused the request."),
            "Its words say why. Check the provider that is chosen against the base URL.".to_owned(),
        ),
        Finding::HostBusy => (
            format!("{host} failed, or is overloaded."),
            match doctor.wait {
                Some(seconds) => format!("Try again in {seconds} seconds."),
                None => "Try again in a while.".to_owned(),
            },
        ),
        Finding::NotAnApi => (
            format!("What answers at {host} is not the API that is expected there."),
            "Check the base URL: it must be an API’s and not a web page’s.".to_owned(),
        ),
        Finding::BrokenOff => (
            format!("An answer of {host} began to come and broke off."),
            "Test again. If it happens again, look at the connection, and at what stands between, such as a proxy.".to_owned(),
        ),
        Finding::TooSlow => (
            format!("{host} did not answer in time."),
            if around.target_is_local() {
                "The server may still be loading the model: test again, or choose a smaller one."
            } else {
                "Test again, or choose another model."
            }
            .to_owned(),
        ),
        Finding::Offline => (
            "This device is offline.".to_owned(),
            "Connect it, then test again. Nothing is known about key or host.".to_owned(),
        ),
        Finding::MixedContent => mixed(doctor),
        Finding::PermissionDenied => (
            format!("The browser was told not to let this page reach {}.", device(doctor)),
            "Press the sign left of the address, allow local network access for this site, and test again. The server needs no change for this.".to_owned(),
        ),
        Finding::PermissionAsked => (
            format!("The browser has not been told yet whether this page may reach {}.", device(doctor)),
            "Test again and press “Allow” when the browser asks.".to_owned(),
        ),
        Finding::CorsRefused => (
            format!(
                "{host} is there and lets this page read nothing of it (CORS). {}",
                if case.key == KeyHeld::ForThisHost { "It may hide any refusal in this way, so nothing is known about the key." } else { "It may hide any refusal in this way." }
            ),
            match provider::profile(endpoint.provider).allow {
                Some(how) => format!("Tell the server to allow {page}. {}", how.replace("{origin}", page)),
                None => format!("Its owner has to allow {page}. Otherwise choose a provider that a page can read, such as OpenRouter."),
            },
        ),
        Finding::HiddenAnswer => (
            format!(
                "{host} is there and hid its answer to this call from the page{}. It may be about the key, the credit, the model or the account.",
                hides_errors(endpoint).map_or_else(String::new, |it| format!("; {it}"))
            ),
            if case.key == KeyHeld::None && needs_key {
                "No key was sent, and this host wants one: enter it and test again.".to_owned()
            } else {
                format!("Sign in at the provider and look at key, credit and model there; no page can tell them apart. A server that passes {host} on and lets this page read errors would.")
            },
        ),
        Finding::Unreachable => (
            if around.target_is_local() {
                format!("Nothing answers at {host}. Nothing is known about the key.")
            } else {
                format!(
                    "{host} could not be reached, or the browser or an extension stopped the call{}. Nothing is known about the key.",
                    hides_errors(endpoint).map_or_else(String::new, |it| format!("; {it}"))
                )
            },
            if around.target_is_local() {
                "Start the server, and check the port in the base URL.".to_owned()
            } else {
                "Check the spelling of the base URL, the connection and any blocker, then test again.".to_owned()
            },
        ),
    };
    (sentence, next)
}

/// When a model is going to be gone.
fn leaves(doctor: &Doctor) -> String {
    match &doctor.diagnosis.retires {
        Some(day) => format!(" The host retires it on {day}."),
        None => String::new(),
    }
}

fn start(doctor: &Doctor) -> String {
    match doctor.diagnosis.thought {
        Some(tokens) => format!(
            "Start the run. It thought for {tokens} tokens before the label: leave room for more than that."
        ),
        None => "Start the run.".to_owned(),
    }
}

fn refused_last(doctor: &Doctor) -> Option<Parameter> {
    let words = doctor.diagnosis.words.to_lowercase();
    super::refusal::in_words(&words)
}

/// What a permission is about.
fn device(doctor: &Doctor) -> &'static str {
    if doctor.case.around.target_is_loopback() {
        "servers on this machine"
    } else {
        "devices in your network"
    }
}

fn mixed(doctor: &Doctor) -> (String, String) {
    let around = &doctor.case.around;
    let host = doctor.case.endpoint.host();
    if around.target_is_loopback() {
        let browser = if around.browser == Browser::Safari { "Safari" } else { "This browser" };
        return (
            format!("{browser} lets no https page call a server at http://{host}, even on this machine."),
            "Use Chrome, Edge or Firefox, or open this page from http://localhost, or put https before the server.".to_owned(),
        );
    }
    let next = if around.target_is_private() {
        "Put https before the server, open this page over http from your own network, or run the server on this machine and use localhost."
    } else {
        "Use the host’s https address."
    };
    (
        format!(
            "This page came over https, and browsers let it call nothing over plain http such as {host}."
        ),
        next.to_owned(),
    )
}
