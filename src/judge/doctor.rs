//! One cheap call, then what is wrong in a sentence, what to do next, and what the host turned out to take.
//!
//! A state machine without a clock or a network: [`Doctor::probe`] says what to send, [`Doctor::hear`]
//! takes what came of it, until [`Doctor::diagnosis`] is the last word. The first probe is a call with the
//! settings as they are. A parameter that is refused is left out or replaced, and the call made again; a
//! model that is unknown is looked for in the host's list; behind a silence it is asked whether anybody is
//! there at all.
//!
//! A page learns nothing of an answer that it may not read. What is concluded from such a silence is never
//! that a key is wrong, however likely that is.

mod around;
mod refusal;
mod words;

use serde::{Deserialize, Serialize};

use crate::judge::http::{HttpRequest, HttpResponse, NoResponse};
use crate::judge::provider::{
    self, Cap, Capabilities, Dialect, EffortField, Encoded, ModelEntry, NeedsKey, ProviderId,
    SeedField, Structured, Wanted,
};
use crate::judge::{Again, Endpoint, ErrorKind, Finish, Outcome, OutputFormat, Usage};
use crate::rubric::Label;
use around::Obstacle;
use refusal::Refused;

pub use around::{Browser, Permission, Surroundings};

/// Calls to the model in one examination, at most: one for each thing that can be refused in turn.
pub const MOST: u32 = 10;

/// Tokens that the first reply may take: enough for a label, and for a word too many before it.
const TINY: u32 = 64;

/// Names like the one that was not found.
const NEAR: usize = 3;

const ITEM: &str = "Does the answer say what colour the sky is?";
const ANSWER: &str = "On a clear day the sky is blue. ";

/// What was found. Each has a sentence and a next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finding {
    /// A label came back.
    Works,
    /// A label came back once some parameters were left out or replaced.
    WorksChanged,
    /// It answers, and cannot be held to a schema.
    SchemaUnsupported,
    /// It answers, and not with a label.
    Unreadable,
    /// The reply ended at its limit before a label.
    ReplyCut,
    /// The host saw only part of what was sent.
    InputCut,
    /// A request of the length of the longest is refused.
    ContextTooSmall,
    /// A filter or the model declined.
    TextRefused,
    KeyMissing,
    /// The key in memory is another host's.
    KeyElsewhere,
    /// The host said so, in words that this page could read.
    KeyRefused,
    BlockedByOrganisation,
    Forbidden,
    NoCredit,
    QuotaPerMinute,
    QuotaPerDay,
    ModelUnknown,
    ModelRetired,
    /// The host has the model, and not for this account.
    ModelNotYours,
    AddressUnknown,
    ParametersRefused,
    RequestRefused,
    HostBusy,
    /// Something answers, and it is no such API.
    NotAnApi,
    /// An answer began to come and broke off.
    BrokenOff,
    TooSlow,
    Offline,
    MixedContent,
    PermissionDenied,
    PermissionAsked,
    /// The host is there and lets this page read nothing.
    CorsRefused,
    /// The host lets pages read replies, and hid this one: what it hides are errors.
    HiddenAnswer,
    Unreachable,
}

impl Finding {
    pub const ALL: [Self; 33] = [
        Self::Works,
        Self::WorksChanged,
        Self::SchemaUnsupported,
        Self::Unreadable,
        Self::ReplyCut,
        Self::InputCut,
        Self::ContextTooSmall,
        Self::TextRefused,
        Self::KeyMissing,
        Self::KeyElsewhere,
        Self::KeyRefused,
        Self::BlockedByOrganisation,
        Self::Forbidden,
        Self::NoCredit,
        Self::QuotaPerMinute,
        Self::QuotaPerDay,
        Self::ModelUnknown,
        Self::ModelRetired,
        Self::ModelNotYours,
        Self::AddressUnknown,
        Self::ParametersRefused,
        Self::RequestRefused,
        Self::HostBusy,
        Self::NotAnApi,
        Self::BrokenOff,
        Self::TooSlow,
        Self::Offline,
        Self::MixedContent,
        Self::PermissionDenied,
        Self::PermissionAsked,
        Self::CorsRefused,
        Self::HiddenAnswer,
        Self::Unreachable,
    ];

    /// Whether a run could start.
    pub fn works(self) -> bool {
        matches!(self, Self::Works | Self::WorksChanged | Self::SchemaUnsupported)
    }
}

/// What can be refused by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parameter {
    Temperature,
    /// The limit of the reply.
    Cap,
    Seed,
    /// How much it is to think.
    Effort,
    /// What holds a reply to its form.
    Structured,
}

/// A parameter that was left out or replaced, and what the host had said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub parameter: Parameter,
    /// In a clause: “temperature is left out”.
    pub what: String,
    /// The host's words, shortened, key shapes removed.
    pub words: String,
}

/// What an examination took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Calls to the model.
    pub calls: u32,
    /// Other requests, which cost nothing: lists of models, and knocking.
    pub others: u32,
    /// Tokens as the host counted them, in the calls of which it told.
    pub input: u64,
    pub output: u64,
    /// Calls that may have cost something and of which no tokens were told.
    pub untold: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    pub finding: Finding,
    pub sentence: String,
    pub next: String,
    /// The host's own words, where it said any.
    pub words: String,
    pub changes: Vec<Change>,
    /// What the host takes, where that is not what was assumed. To be set in the endpoint, which makes it
    /// another judge.
    pub learned: Option<Capabilities>,
    /// Models of the host with names like the one asked for, the nearest first.
    pub near: Vec<String>,
    /// The day from which the model is gone, where the host's list tells.
    pub retires: Option<String>,
    /// Tokens of thinking before the label.
    pub thought: Option<u64>,
    pub spent: Spent,
}

/// Whether there is a key, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeld {
    None,
    ForThisHost,
    ForAnotherHost,
}

/// What to send next.
#[derive(Clone, Debug, PartialEq)]
pub enum Probe {
    /// With the key.
    Ask(HttpRequest),
    /// With the key.
    List(HttpRequest),
    /// A request without a key to this address, of whose answer nothing is read: any response will do.
    Knock(String),
}

/// What an examination starts from.
#[derive(Clone, Debug)]
pub struct Case {
    pub endpoint: Endpoint,
    pub key: KeyHeld,
    pub around: Surroundings,
    /// As `2026-11-30`.
    pub today: String,
    /// Tokens of the longest request that is planned. A server of one's own, which may cut without a word
    /// and costs nothing, is asked one as long.
    pub longest: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Call,
    /// With the reply's own limit: the tiny one was not enough.
    Roomy,
    /// As long as the longest.
    Long,
    Knock,
    List(Why),
    Over(Finding),
}

/// Why the models are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Missing,
    /// Whether this page may read anything of the host.
    Silence,
    /// When the model goes; the finding stands.
    Retirement(Finding),
}

#[derive(Debug)]
pub struct Doctor {
    case: Case,
    can: Capabilities,
    stage: Stage,
    /// The limit of the reply has both names behind it.
    cap_renamed: bool,
    /// The examination itself sends no limit.
    cap_less: bool,
    /// Of the call that was made last.
    sent: Vec<String>,
    estimate: u64,
    diagnosis: Diagnosis,
    /// Seconds that the host asks to wait.
    wait: Option<u64>,
    /// What we counted, as a clause: no words of the host's.
    counted: String,
}

impl Doctor {
    pub fn new(case: Case) -> Self {
        let needs_key = provider::profile(case.endpoint.provider).key == NeedsKey::Yes;
        let stage = if case.key == KeyHeld::ForAnotherHost && needs_key {
            Stage::Over(Finding::KeyElsewhere)
        } else {
            Stage::Call
        };
        Self {
            can: case.endpoint.can(),
            stage,
            cap_renamed: false,
            cap_less: false,
            sent: Vec::new(),
            estimate: 0,
            diagnosis: Diagnosis {
                finding: Finding::Works,
                sentence: String::new(),
                next: String::new(),
                words: String::new(),
                changes: Vec::new(),
                learned: None,
                near: Vec::new(),
                retires: None,
                thought: None,
                spent: Spent::default(),
            },
            wait: None,
            counted: String::new(),
            case,
        }
    }

    /// The next probe; `None` once there is a diagnosis.
    pub fn probe(&mut self) -> Option<Probe> {
        let spent = &mut self.diagnosis.spent;
        match self.stage {
            Stage::Over(_) => return None,
            Stage::Call | Stage::Roomy | Stage::Long => spent.calls += 1,
            Stage::Knock | Stage::List(_) => spent.others += 1,
        }
        Some(match self.stage {
            Stage::Knock => Probe::Knock(self.case.endpoint.base_url.clone()),
            Stage::List(_) => {
                Probe::List(provider::list_models(&self.case.endpoint.base_url, &self.can))
            }
            Stage::Call | Stage::Roomy | Stage::Long | Stage::Over(_) => {
                let Encoded { request, sent, .. } = self.call();
                self.sent = sent;
                Probe::Ask(request)
            }
        })
    }

    /// What came of the probe. A knock that any response followed is a response.
    pub fn hear(&mut self, heard: Result<HttpResponse, NoResponse>) {
        match (self.stage, heard) {
            (Stage::Over(_), _) => {}
            (Stage::Call | Stage::Roomy | Stage::Long, Ok(response)) => self.answered(&response),
            (Stage::Call | Stage::Roomy | Stage::Long, Err(why)) => self.silent(&why),
            (Stage::Knock, Ok(_)) => self.stage = Stage::List(Why::Silence),
            (Stage::Knock, Err(_)) => self.over(Finding::Unreachable),
            (Stage::List(why), Ok(response)) => self.listed(why, &response),
            (Stage::List(why), Err(_)) => self.unlisted(why),
        }
    }

    /// What the browser says by now: a call can make it ask a person.
    pub fn see(&mut self, online: Option<bool>, permission: Option<Permission>) {
        self.case.around.online = online;
        self.case.around.permission = permission;
    }

    /// The last word, once there is no more probe. Before that, what would be said now.
    pub fn diagnosis(mut self) -> Diagnosis {
        let finding = match self.stage {
            Stage::Over(finding) | Stage::List(Why::Retirement(finding)) => finding,
            Stage::Call | Stage::Roomy | Stage::Long | Stage::Knock | Stage::List(_) => {
                Finding::Unreachable
            }
        };
        self.diagnosis.finding = finding;
        if finding.works() {
            let mut learned = self.can;
            // Sent by the examination only.
            if self.case.endpoint.max_tokens.is_none() {
                learned.cap = self.case.endpoint.can().cap;
            }
            self.diagnosis.learned = (learned != self.case.endpoint.can()).then_some(learned);
        }
        let (sentence, next) = words::of(finding, &self);
        self.diagnosis.sentence = sentence;
        self.diagnosis.next = next;
        self.diagnosis
    }

    fn over(&mut self, finding: Finding) {
        self.stage = Stage::Over(finding);
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint { capabilities: Some(self.can), ..self.case.endpoint.clone() }
    }

    fn cap(&self) -> Option<u32> {
        let own = self.case.endpoint.max_tokens;
        match self.stage {
            _ if self.cap_less => None,
            Stage::Roomy => own,
            // Thinking is given room from the start: with less, some efforts are not sent at all.
            Stage::Call if self.case.endpoint.effort.is_some() => own,
            _ => Some(own.map_or(TINY, |own| own.min(TINY))),
        }
    }

    fn call(&mut self) -> Encoded {
        let endpoint = Endpoint { max_tokens: self.cap(), ..self.endpoint() };
        let times = match self.stage {
            // About four characters a token.
            Stage::Long => {
                (self.case.longest.unwrap_or(0) as usize).saturating_mul(4) / ANSWER.len()
            }
            _ => 1,
        };
        let prompt =
            endpoint.prompt.fill(ANSWER.repeat(times.max(1)).trim(), &[ITEM], endpoint.format);
        self.estimate = prompt.chars().count() as u64 / 4;
        provider::encode(&endpoint, &prompt, Wanted::Labels(1), Again::Plain)
    }

    fn answered(&mut self, response: &HttpResponse) {
        let decoded = provider::decode(&self.endpoint(), response, self.estimate);
        self.wait = decoded.wait;
        let kind = match &decoded.outcome {
            Outcome::Reply { .. } => None,
            Outcome::Failure { kind, .. } => Some(*kind),
        };
        self.count(decoded.usage, kind.is_none_or(ErrorKind::may_cost));
        match decoded.outcome {
            Outcome::Reply { text, finish, .. } => self.replied(&text, &finish, decoded.usage),
            Outcome::Failure { kind, detail, .. } => {
                match kind {
                    ErrorKind::InputCut => self.counted = detail,
                    // That there is no text is ours to say.
                    ErrorKind::EmptyReply => {}
                    _ => self.diagnosis.words = detail,
                }
                match kind {
                    // Without a thought there is nothing that more room would help.
                    ErrorKind::EmptyReply if !decoded.thought => self.over(Finding::Unreadable),
                    _ => self.failed(kind, response),
                }
            }
        }
    }

    fn count(&mut self, usage: Usage, may_cost: bool) {
        let spent = &mut self.diagnosis.spent;
        spent.input += usage.input.unwrap_or(0);
        spent.output += usage.output.unwrap_or(0);
        spent.untold += u32::from(may_cost && (usage.input.is_none() || usage.output.is_none()));
    }

    fn replied(&mut self, text: &str, finish: &Finish, usage: Usage) {
        if self.stage == Stage::Long {
            // That it answered is what was asked: its label says nothing of a text made of one sentence.
            self.over(self.worked());
            return;
        }
        self.diagnosis.thought = usage.reasoning.filter(|it| 0 < *it);
        if has_label(text, self.case.endpoint.format) {
            self.diagnosis.words.clear();
            self.go_on();
            return;
        }
        match finish {
            Finish::Refused(words) => {
                self.diagnosis.words.clone_from(words);
                self.over(Finding::TextRefused);
            }
            Finish::Length => self.roomier(Finding::ReplyCut),
            Finish::Stop | Finish::Other(_) => {
                self.diagnosis.words = text.chars().take(200).collect();
                self.over(Finding::Unreadable);
            }
        }
    }

    /// Once more with the reply's own limit, if that is another.
    fn roomier(&mut self, otherwise: Finding) {
        let before = self.cap();
        if self.stage == Stage::Call && before.is_some() {
            self.stage = Stage::Roomy;
            if self.cap() != before && self.may_ask() {
                return;
            }
        }
        self.over(otherwise);
    }

    fn may_ask(&self) -> bool {
        self.diagnosis.spent.calls < MOST
    }

    fn worked(&self) -> Finding {
        let changes = &self.diagnosis.changes;
        let no_form = self.case.endpoint.format == OutputFormat::JsonSchema
            && self.can.structured == Structured::None
            && changes.iter().any(|it| it.parameter == Parameter::Structured);
        if no_form {
            Finding::SchemaUnsupported
        } else if changes.is_empty() {
            Finding::Works
        } else {
            Finding::WorksChanged
        }
    }

    /// A label came back: what is still worth knowing?
    fn go_on(&mut self) {
        let is_longer = self.case.longest.is_some_and(|it| self.estimate.saturating_mul(2) < it);
        let finding = self.worked();
        let tells_retirement = matches!(
            self.case.endpoint.provider,
            ProviderId::OpenAi
                | ProviderId::OpenAiResponses
                | ProviderId::OpenRouter
                | ProviderId::Mistral
        );
        if self.case.around.target_is_local() && is_longer && self.may_ask() {
            self.stage = Stage::Long;
        } else if tells_retirement {
            self.stage = Stage::List(Why::Retirement(finding));
        } else {
            self.over(finding);
        }
    }

    fn failed(&mut self, kind: ErrorKind, response: &HttpResponse) {
        let lower = response.body.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let finding = match kind {
            ErrorKind::BadRequest => match refusal::refused(&response.body) {
                Some(refused) => return self.refused(refused),
                None => Finding::RequestRefused,
            },
            ErrorKind::NotFound => {
                if let Some(Refused::Unnamed) = refusal::refused(&response.body) {
                    return self.refused(Refused::Unnamed);
                }
                self.stage = Stage::List(Why::Missing);
                return;
            }
            ErrorKind::KeyRefused if self.case.key == KeyHeld::ForThisHost => Finding::KeyRefused,
            ErrorKind::KeyRefused => Finding::KeyMissing,
            ErrorKind::KeyUnusable => Finding::KeyElsewhere,
            ErrorKind::Forbidden if says(&["access to model", "access to the model"]) => {
                Finding::ModelNotYours
            }
            ErrorKind::Forbidden if says(&["organization", "organisation", "administrator"]) => {
                Finding::BlockedByOrganisation
            }
            ErrorKind::Forbidden => Finding::Forbidden,
            ErrorKind::NoCredit => Finding::NoCredit,
            ErrorKind::RateLimited => Finding::QuotaPerMinute,
            ErrorKind::DailyQuota => Finding::QuotaPerDay,
            ErrorKind::TooLarge => Finding::ContextTooSmall,
            ErrorKind::InputCut => Finding::InputCut,
            ErrorKind::Filtered => Finding::TextRefused,
            ErrorKind::ServerError | ErrorKind::Overloaded => Finding::HostBusy,
            // A good status would have been expected of a page, a bad one of a model that lost its form.
            ErrorKind::Malformed if response.status == 400 => Finding::Unreadable,
            ErrorKind::Malformed => Finding::NotAnApi,
            ErrorKind::EmptyReply => return self.roomier(Finding::ReplyCut),
            ErrorKind::Timeout | ErrorKind::Cancelled => Finding::TooSlow,
            ErrorKind::Unreachable => return self.silent(&NoResponse::Unreachable(String::new())),
            // Nobody examines by a batch: it is a reply in no form that is known.
            ErrorKind::NoLabels | ErrorKind::BatchEnded => Finding::Unreadable,
        };
        self.over(finding);
    }

    fn refused(&mut self, refused: Refused) {
        let changed = match refused {
            Refused::Parameter(parameter) => self.adapt(parameter),
            // What a run can do without most easily goes first.
            Refused::Unnamed => {
                [Parameter::Seed, Parameter::Effort, Parameter::Structured, Parameter::Temperature]
                    .into_iter()
                    .any(|it| self.adapt(it))
            }
        };
        match (changed, refused) {
            (true, _) if self.may_ask() => {}
            (false, Refused::Parameter(parameter)) if !self.sends(parameter) => {
                self.over(Finding::RequestRefused);
            }
            (_, refused) => {
                // What was tried in its place was refused as well.
                if let Refused::Parameter(parameter) = refused {
                    self.diagnosis.changes.retain(|it| it.parameter != parameter);
                }
                self.over(Finding::ParametersRefused);
            }
        }
    }

    fn sends(&self, parameter: Parameter) -> bool {
        self.sent
            .iter()
            .filter_map(|line| line.split('=').next())
            .any(|name| refusal::named(name) == Some(parameter))
    }

    /// Leaves a parameter out, or puts it another way; says whether there is another way.
    fn adapt(&mut self, parameter: Parameter) -> bool {
        if !self.sends(parameter) {
            return false;
        }
        let what = match parameter {
            Parameter::Temperature => {
                self.can.temperature = false;
                "temperature is left out".to_owned()
            }
            Parameter::Seed => {
                self.can.seed = SeedField::None;
                "seed is left out".to_owned()
            }
            Parameter::Effort => {
                self.can.effort = EffortField::None;
                "how much to think is left to the model".to_owned()
            }
            Parameter::Cap if self.can.dialect == Dialect::ChatCompletions && !self.cap_renamed => {
                self.cap_renamed = true;
                self.can.cap = match self.can.cap {
                    Cap::MaxTokens => Cap::MaxCompletionTokens,
                    Cap::MaxCompletionTokens => Cap::MaxTokens,
                };
                format!("the reply’s limit is sent as {}", self.can.cap_name())
            }
            Parameter::Cap => {
                let is_own = self.case.endpoint.max_tokens.is_some();
                if is_own || self.cap_less || self.can.dialect == Dialect::Messages {
                    return false;
                }
                self.cap_less = true;
                // Nothing changes for a run, which sends none.
                return true;
            }
            Parameter::Structured => match self.weaker() {
                Some(weaker) => {
                    self.can.structured = weaker;
                    format!("replies are held to their form by: {}", weaker.words())
                }
                None => return false,
            },
        };
        // A form that is weakened twice is one change.
        self.diagnosis.changes.retain(|it| it.parameter != parameter);
        let words = self.diagnosis.words.clone();
        self.diagnosis.changes.push(Change { parameter, what, words });
        true
    }

    /// The next weaker way to hold a reply to its form that this dialect has.
    fn weaker(&self) -> Option<Structured> {
        let by_tool = self.sent.iter().any(|it| it.starts_with("tool_choice"));
        match (self.can.dialect, self.can.structured) {
            (_, Structured::None) => None,
            (Dialect::Messages, _) if by_tool => Some(Structured::None),
            (Dialect::Messages, _) => Some(Structured::Tool),
            (Dialect::ChatCompletions | Dialect::Responses, Structured::Strict) => {
                Some(Structured::Schema)
            }
            (_, Structured::Strict | Structured::Schema) => Some(Structured::Object),
            (_, Structured::Object | Structured::Tool) => Some(Structured::None),
        }
    }

    fn silent(&mut self, why: &NoResponse) {
        match why {
            NoResponse::Timeout => {
                self.count(Usage::default(), true);
                self.over(Finding::TooSlow);
            }
            NoResponse::Cut { .. } => {
                self.count(Usage::default(), true);
                self.over(Finding::BrokenOff);
            }
            NoResponse::KeyElsewhere => self.over(Finding::KeyElsewhere),
            // A browser's “failed to fetch” says nothing, and it is not the host that says it.
            NoResponse::Unreachable(_) => match self.case.around.obstacle() {
                Some(obstacle) => self.over(match obstacle {
                    Obstacle::MixedContent => Finding::MixedContent,
                    Obstacle::PermissionDenied => Finding::PermissionDenied,
                    Obstacle::PermissionAsked => Finding::PermissionAsked,
                    Obstacle::Offline => Finding::Offline,
                }),
                None => self.stage = Stage::Knock,
            },
        }
    }

    fn listed(&mut self, why: Why, response: &HttpResponse) {
        let is_good = (200..300).contains(&response.status);
        let models = if is_good {
            provider::read_models(self.case.endpoint.provider, &response.body, &self.case.today)
        } else {
            Vec::new()
        };
        let model = self.case.endpoint.model.trim_start_matches("models/").to_owned();
        let found = models.iter().find(|it| it.id == model);
        self.diagnosis.retires = found.and_then(|it| it.retires.clone());
        match why {
            Why::Retirement(finding) => self.over(finding),
            Why::Missing => {
                let is_gone = says_gone(&self.diagnosis.words)
                    || self.diagnosis.retires.as_ref().is_some_and(|it| *it <= self.case.today);
                if models.is_empty() && !is_gone {
                    return self.unlisted(why);
                }
                self.diagnosis.near = near(&model, &models);
                self.over(if is_gone {
                    Finding::ModelRetired
                } else if found.is_some() {
                    Finding::ModelNotYours
                } else {
                    Finding::ModelUnknown
                });
            }
            // A refusal that this page could read is no silence any more.
            Why::Silence if !is_good && response.status == 401 => {
                self.over(match self.case.key {
                    KeyHeld::ForThisHost => Finding::KeyRefused,
                    KeyHeld::None | KeyHeld::ForAnotherHost => Finding::KeyMissing,
                });
            }
            Why::Silence => self.over(Finding::HiddenAnswer),
        }
    }

    fn unlisted(&mut self, why: Why) {
        let finding = match why {
            Why::Retirement(finding) => finding,
            Why::Missing if says_gone(&self.diagnosis.words) => Finding::ModelRetired,
            Why::Missing if self.diagnosis.words.to_lowercase().contains("model") => {
                Finding::ModelUnknown
            }
            Why::Missing => Finding::AddressUnknown,
            Why::Silence if words::hides_errors(&self.case.endpoint).is_some() => {
                Finding::HiddenAnswer
            }
            Why::Silence => Finding::CorsRefused,
        };
        self.over(finding);
    }
}

/// Whether a model is said to be gone, and not only absent.
fn says_gone(words: &str) -> bool {
    const GONE: [&str; 7] = [
        "decommission",
        "deprecat",
        "retired",
        "no longer available",
        "no longer supported",
        "shut down",
        "end of life",
    ];
    let lower = words.to_lowercase();
    GONE.iter().any(|it| lower.contains(it))
}

/// Whether a reply holds a label where one is looked for. A run reads more strictly; here a stray mark is
/// no reason to doubt a connection.
fn has_label(text: &str, format: OutputFormat) -> bool {
    let is_label = |text: &str| {
        let bare = text.trim_matches(|c: char| !c.is_alphabetic());
        Label::ALL.iter().any(|label| label.as_str().eq_ignore_ascii_case(bare))
    };
    match format {
        OutputFormat::Lines => text.lines().any(is_label),
        OutputFormat::JsonSchema => {
            let object = text.find('{').zip(text.rfind('}')).filter(|(start, end)| start < end);
            object
                .and_then(|(start, end)| {
                    serde_json::from_str::<serde_json::Value>(&text[start..=end]).ok()
                })
                .and_then(|it| Some(it.get("item_1")?.as_str().is_some_and(is_label)))
                .unwrap_or(false)
        }
    }
}

/// The models whose names are like `model`, the nearest first.
fn near(model: &str, models: &[ModelEntry]) -> Vec<String> {
    let wanted = model.to_lowercase();
    let mut close: Vec<(usize, &str)> = models
        .iter()
        .filter(|it| it.id != model)
        .filter_map(|it| {
            let name = it.id.to_lowercase();
            let distance = distance(&wanted, &name);
            // A name within another is near however long the other is.
            let within = 3 < wanted.len() && (name.contains(&wanted) || wanted.contains(&name));
            (within || distance <= (wanted.len() / 3).max(2)).then_some((distance, it.id.as_str()))
        })
        .collect();
    close.sort_unstable();
    close.into_iter().take(NEAR).map(|(_, id)| id.to_owned()).collect()
}

/// Letters to put in, take out or replace to make one name of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_nearby_are_found() {
        let models = |ids: &[&str]| -> Vec<ModelEntry> {
            let body = serde_json::json!({
                "data": ids.iter().map(|id| serde_json::json!({ "id": id })).collect::<Vec<_>>()
            });
            provider::read_models(ProviderId::Custom, &body.to_string(), "2026-01-01")
        };
        let all = models(&["gpt-4.1-mini", "gpt-4.1", "text-embedding-3", "qwen3:8b"]);
        assert_eq!(near("gpt-4.1-mni", &all), ["gpt-4.1-mini", "gpt-4.1"]);
        assert_eq!(near("qwen3", &all), ["qwen3:8b"]);
        assert!(near("claude-opus-5", &all).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn a_label_is_seen_in_either_form() {
        for text in ["Mostly", "1. **Not at all**", "Thinking…\n\n- completely."] {
            assert!(has_label(text, OutputFormat::Lines), "{text}");
        }
        assert!(!has_label("It mostly does.", OutputFormat::Lines));
        assert!(has_label("```json\n{\"item_1\":\"Mostly\"}\n```", OutputFormat::JsonSchema));
        assert!(!has_label("} {", OutputFormat::JsonSchema));
        assert!(!has_label("{\"item_1\":7}", OutputFormat::JsonSchema));
    }
}
