//! Who can be asked and how: a table of providers, rules for families of models, and one door to the
//! four dialects that they speak.
//!
//! Encoding and decoding are pure. Parameters are as few as can be: each extra one is a refusal at some
//! model, each extra header a failed preflight at some host.

mod chat;
mod fault;
mod gemini;
mod knob;
mod messages;
mod models;
mod responses;
mod rules;
mod table;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::judge::attempt::BODY;
use crate::judge::http::{self, HttpRequest, HttpResponse, Method};
use crate::judge::preference;
use crate::judge::secret::redact_shapes;
use crate::judge::template::item_key;
use crate::judge::{Again, Endpoint, ErrorKind, Finish, Outcome, OutputFormat, Usage};
use crate::rubric::Label;

pub use fault::words;
pub use knob::Knob;
pub use models::{ModelEntry, list_models, read_models};
pub use table::{
    Cap, Capabilities, Cors, Dialect, EffortField, ListPrices, NeedsKey, Profile, ProviderId,
    SeedField, Structured, Wait, by_address, can, profile, table,
};

/// How much a model is to think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    Off,
    Low,
    Medium,
    High,
}

impl Effort {
    pub const ALL: [Self; 4] = [Self::Off, Self::Low, Self::Medium, Self::High];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A request ready to send but for the key, with what was sent and what was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    pub request: HttpRequest,
    /// As `name=value`.
    pub sent: Vec<String>,
    /// As `name: reason`.
    pub dropped: Vec<String>,
    /// Tokens that the reply may take, as sent.
    pub cap: Option<u32>,
}

/// What a response says.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    pub outcome: Outcome,
    pub model: Option<String>,
    pub usage: Usage,
    /// Seconds that the host asks to be left alone for, from a header or from its words.
    pub wait: Option<u64>,
    /// There were thoughts, or tokens of them.
    pub thought: bool,
}

/// What a reply is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A label for each of so many items.
    Labels(usize),
    /// Which of two responses is better.
    Verdict { allow_tie: bool },
}

impl Wanted {
    fn name(self) -> &'static str {
        match self {
            Self::Labels(_) => "labels",
            Self::Verdict { .. } => "verdict",
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Labels(n_items) => schema(n_items),
            Self::Verdict { allow_tie } => preference::schema(allow_tie),
        }
    }
}

/// Why a parameter was left out that the host does not know at all.
const NONE: &str = "this host takes none";

/// What is being put into a request.
struct Ask<'a> {
    endpoint: &'a Endpoint,
    can: Capabilities,
    family: &'static rules::Family,
    prompt: &'a str,
    wanted: Wanted,
    with: Again,
    sent: Vec<String>,
    dropped: Vec<String>,
}

impl Ask<'_> {
    fn sends(&mut self, name: &str, value: impl std::fmt::Display) {
        self.sent.push(format!("{name}={value}"));
    }

    fn drops(&mut self, name: &str, why: impl std::fmt::Display) {
        self.dropped.push(format!("{name}: {why}"));
    }

    fn model(&self) -> &str {
        &self.endpoint.model
    }

    /// The temperature to send, at most `most`. `thinks` where thinking was asked for.
    fn temperature(&mut self, most: f64) -> Option<f64> {
        let temperature = self.endpoint.temperature?;
        let why = if !self.can.temperature {
            Some(NONE.to_owned())
        } else if !self.family.takes_temperature(self.endpoint.effort) {
            Some(format!("{} takes none", self.model()))
        } else if most < temperature {
            Some(format!("this host takes at most {most}"))
        } else {
            None
        };
        match why {
            Some(why) => {
                self.drops("temperature", why);
                None
            }
            None => {
                self.sends("temperature", temperature);
                Some(temperature)
            }
        }
    }

    /// The limit of the reply under the name it has here, at least `least`.
    fn cap(&mut self, name: &str, least: u32) -> Option<u32> {
        let cap = self.with.cap(self.endpoint.max_tokens?).max(least);
        self.sends(name, cap);
        Some(cap)
    }

    fn seed(&mut self, most: u32) -> Option<(&'static str, u32)> {
        let seed = self.endpoint.seed?;
        let Some(name) = self.can.seed.name() else {
            self.drops("seed", NONE);
            return None;
        };
        if most < seed {
            self.drops("seed", format!("this host takes at most {most}"));
            return None;
        }
        self.sends(name, seed);
        Some((name, seed))
    }

    /// The effort that was asked for, with its word, where family and host take it.
    fn effort(&mut self) -> Option<(Effort, &'static str)> {
        let effort = self.endpoint.effort?;
        let why = match self.family.word(effort) {
            Some(word) if self.can.effort != EffortField::None => return Some((effort, word)),
            Some(_) => NONE.to_owned(),
            None => format!("{} has no “{}”", self.model(), effort.as_str()),
        };
        self.drops("effort", why);
        None
    }

    /// How this reply is held to its form, where a form is asked for.
    fn structured(&self) -> Option<Structured> {
        (self.endpoint.format == OutputFormat::JsonSchema)
            .then(|| self.family.structured(self.can.structured))
    }
}

/// One user message and no system message.
pub fn encode(endpoint: &Endpoint, prompt: &str, wanted: Wanted, with: Again) -> Encoded {
    let noted;
    let prompt = match with {
        Again::Plain | Again::RaisedCap => prompt,
        Again::RepairNote => {
            noted = format!("{prompt}{}", repair_note(wanted, endpoint.format));
            &noted
        }
    };
    let can = endpoint.can();
    let mut ask = Ask {
        endpoint,
        can,
        family: rules::family(endpoint.provider, &endpoint.model),
        prompt,
        wanted,
        with,
        sent: Vec::new(),
        dropped: Vec::new(),
    };
    let (body, cap) = match can.dialect {
        Dialect::ChatCompletions => chat::body(&mut ask),
        Dialect::Responses => responses::body(&mut ask),
        Dialect::Messages => messages::body(&mut ask),
        Dialect::GenerateContent => gemini::body(&mut ask),
    };
    let path = match can.dialect {
        Dialect::ChatCompletions => "/chat/completions".to_owned(),
        Dialect::Responses => "/responses".to_owned(),
        Dialect::Messages => "/messages".to_owned(),
        Dialect::GenerateContent => gemini::path(&endpoint.model),
    };
    let Ask { mut sent, dropped, .. } = ask;
    sent.extend(with.sent().map(str::to_owned));
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(can.dialect.headers());
    Encoded {
        request: HttpRequest {
            method: Method::Post,
            url: http::under(&endpoint.base_url, &path),
            headers,
            auth: can.auth,
            body: body.to_string(),
        },
        sent,
        dropped,
        cap,
    }
}

/// What follows the prompt after a reply that could not be read. It repeats the form that the prompt
/// asks for, and nothing of the reply.
pub fn repair_note(wanted: Wanted, format: OutputFormat) -> String {
    let form = match (wanted, format) {
        (Wanted::Labels(1), OutputFormat::Lines) => {
            "exactly one line that holds one label and nothing else".to_owned()
        }
        (Wanted::Labels(n_items), OutputFormat::Lines) => {
            format!("exactly {n_items} lines, each with one label and nothing else")
        }
        (Wanted::Labels(n_items), OutputFormat::JsonSchema) => {
            format!("one JSON object with the keys item_1 to item_{n_items}, each once")
        }
        (Wanted::Verdict { .. }, OutputFormat::Lines | OutputFormat::JsonSchema) => {
            "the verdict once, in exactly the form asked for above".to_owned()
        }
    };
    format!("\n\nAn earlier reply to this could not be read. Reply with {form}.")
}

/// One required key an item, so that the count is right by construction: a list would need bounds,
/// which several providers refuse. Otherwise the strictest subset that they share.
fn schema(n_items: usize) -> Value {
    let keys: Vec<String> = (1..=n_items).map(item_key).collect();
    let label = json!({ "type": "string", "enum": Label::ALL.map(Label::as_str) });
    let properties: serde_json::Map<String, Value> =
        keys.iter().map(|key| (key.clone(), label.clone())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": keys,
        "additionalProperties": false,
    })
}

/// What a dialect finds in a body that reports no error.
#[derive(Default)]
struct Said {
    /// Without thoughts.
    text: String,
    /// `Err` where the provider says that it failed.
    finish: Option<Result<Finish, ErrorKind>>,
    model: Option<String>,
    usage: Usage,
    /// There are thoughts, or tokens of them.
    thought: bool,
}

/// Reads a response. `estimate` is our own count of the prompt's tokens.
pub fn decode(endpoint: &Endpoint, response: &HttpResponse, estimate: u64) -> Decoded {
    let mut decoded = read(endpoint, response, estimate);
    decoded.wait = response.retry_after;
    if let Outcome::Failure { body, .. } = &mut decoded.outcome {
        let kept: String = response.body.chars().take(BODY).collect();
        *body = redact_shapes(&kept);
        decoded.wait = decoded.wait.or_else(|| fault::wait(&response.body));
    }
    decoded
}

fn read(endpoint: &Endpoint, response: &HttpResponse, estimate: u64) -> Decoded {
    let status = Some(response.status);
    if !(200..300).contains(&response.status) {
        let kind = fault::kind(response.status, &response.body);
        return Decoded::failure(kind, status, &words(&response.body));
    }
    let Ok(body) = serde_json::from_str::<Value>(&response.body) else {
        return Decoded::failure(ErrorKind::Malformed, status, &fault::first_words(&response.body));
    };
    if let Some((kind, code, words)) = fault::in_body(&body) {
        return Decoded::failure(kind, code.or(status), &words);
    }
    let said = match endpoint.can().dialect {
        Dialect::ChatCompletions => chat::read(endpoint.provider, &body),
        Dialect::Responses => responses::read(&body),
        Dialect::Messages => messages::read(&body),
        Dialect::GenerateContent => gemini::read(&body),
    };
    let Said { text, finish, model, usage, thought } = said;
    let fails = |kind, detail: &str| Decoded {
        usage,
        model: model.clone(),
        thought,
        ..Decoded::failure(kind, None, detail)
    };
    if let Some(input) = usage.input
        && input.saturating_mul(2) < estimate
    {
        let detail =
            format!("the server counted {input} input tokens where about {estimate} were sent");
        return fails(ErrorKind::InputCut, &detail);
    }
    let finish = match finish {
        Some(Ok(finish)) => finish,
        Some(Err(kind)) => return fails(kind, "the provider ended the reply with an error"),
        None => Finish::Other("none given".to_owned()),
    };
    if text.trim().is_empty() && !matches!(finish, Finish::Length | Finish::Refused(_)) {
        let detail =
            if thought { "all tokens went into reasoning" } else { "no text in the reply" };
        return fails(ErrorKind::EmptyReply, detail);
    }
    Decoded {
        outcome: Outcome::Reply { text, finish, evidence: Vec::new() },
        model,
        usage,
        wait: None,
        thought,
    }
}

impl Decoded {
    fn failure(kind: ErrorKind, status: Option<u16>, detail: &str) -> Self {
        Self {
            outcome: Outcome::Failure {
                kind,
                status,
                detail: redact_shapes(detail),
                body: String::new(),
            },
            model: None,
            usage: Usage::default(),
            wait: None,
            thought: false,
        }
    }
}

/// A count at a place in a body. One beyond any model’s reach is no count.
fn count(body: &Value, pointers: &[&str]) -> Option<u64> {
    pointers
        .iter()
        .find_map(|pointer| body.pointer(pointer).and_then(Value::as_u64))
        .filter(|it| u32::try_from(*it).is_ok())
}

fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|it| !it.is_empty())
}
