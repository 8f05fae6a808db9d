//! Reading what a batch gave: any order, any part of it, with errors, expiries and lines that are neither.

use serde_json::{Value, json};

use crate::ids::Digest;
use crate::judge::attempt::Outcome;
use crate::judge::batch::BatchKind;
use crate::judge::http::HttpResponse;
use crate::judge::provider::{self, Decoded};
use crate::judge::{Endpoint, ErrorKind, Usage};

/// What was said of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// When the reply was made: UTC, milliseconds since the epoch; where the reply says so.
    pub at: Option<f64>,
    pub ended: Ended,
    pub decoded: Decoded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Replied,
    /// There was an error in place of a reply, or a reply that is none.
    Failed,
    /// The batch ended before it came to this request.
    Unasked,
}

/// Why a line says nothing of any request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Oddity {
    #[error("it is no JSON object")]
    NotJson,
    #[error("it has no id")]
    NoId,
    #[error("its id is none that this program gives")]
    ForeignId,
    #[error("it holds neither a reply nor an error")]
    NoResult,
}

/// What a file of results says of one request, still to be read by the one it was put to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: Digest,
    value: Value,
}

/// The entries of a file by their number from 1, as lines or as elements of a list. Whether a key was ever
/// asked about is for the caller to say.
pub fn entries(text: &str) -> impl Iterator<Item = (u64, Result<Entry, Oddity>)> {
    let text = text.trim_start_matches('\u{feff}');
    let list = list_of(text);
    let lines = if list.is_some() { "" } else { text };
    let lines = lines
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty())
        .map(|(line, number)| (number, serde_json::from_str::<Value>(line).ok()));
    let list = list.into_iter().flatten().zip(1..).map(|(value, number)| (number, Some(value)));
    list.chain(lines).map(|(number, value)| (number, entry(value)))
}

/// The records of a text that is one JSON value: a list, or what Gemini says of a batch that was submitted
/// as one body, whose replies stand inside. `None` of lines, one alone included.
fn list_of(text: &str) -> Option<Vec<Value>> {
    match serde_json::from_str::<Value>(text).ok()? {
        Value::Array(list) => Some(list),
        value => [
            "/response/inlinedResponses/inlinedResponses",
            "/response/output/inlinedResponses/inlinedResponses",
            "/metadata/output/inlinedResponses/inlinedResponses",
            "/output/inlinedResponses/inlinedResponses",
            "/dest/inlinedResponses",
        ]
        .iter()
        .find_map(|it| value.pointer(it).and_then(Value::as_array).cloned()),
    }
}

fn entry(value: Option<Value>) -> Result<Entry, Oddity> {
    let value = value.filter(Value::is_object).ok_or(Oddity::NotJson)?;
    let id = ["/custom_id", "/key", "/metadata/key"].iter().find_map(|it| value.pointer(it));
    let id = id.and_then(Value::as_str).ok_or(Oddity::NoId)?;
    Ok(Entry { key: Digest::parse(id).ok_or(Oddity::ForeignId)?, value })
}

impl Entry {
    /// Over all that it says, however it is spaced. Entries of two batches differ by the ids that
    /// providers give their replies, so what is read a second time is known by it.
    pub fn print(&self) -> Digest {
        Digest::of_texts(["batch entry/1", self.value.to_string().as_str()])
    }

    /// Reads it with the decoder of live replies. `estimate` is our own count of the prompt's tokens, or 0.
    ///
    /// # Errors
    /// Where it says nothing in the form of the endpoint's batches.
    pub fn said(&self, endpoint: &Endpoint, estimate: u64) -> Result<Said, Oddity> {
        let got = match BatchKind::of(endpoint) {
            BatchKind::OpenAi => openai(&self.value),
            BatchKind::Anthropic => anthropic(&self.value),
            BatchKind::Gemini => gemini(&self.value),
        };
        let (decoded, at) = match got.ok_or(Oddity::NoResult)? {
            Got::Response(response) => {
                (provider::decode(endpoint, &response, estimate), made(&response.body))
            }
            Got::Unasked(words) => (unasked(words), None),
        };
        let ended = match &decoded.outcome {
            Outcome::Reply { .. } => Ended::Replied,
            Outcome::Failure { kind: ErrorKind::BatchEnded, .. } => Ended::Unasked,
            Outcome::Failure { .. } => Ended::Failed,
        };
        Ok(Said { at, ended, decoded })
    }
}

/// The response that a live call would have got, or nothing where nobody was asked.
enum Got {
    Response(HttpResponse),
    Unasked(&'static str),
}

fn unasked(words: &str) -> Decoded {
    Decoded {
        outcome: Outcome::failure(ErrorKind::BatchEnded, words),
        model: None,
        usage: Usage::default(),
        wait: None,
        thought: false,
    }
}

fn good(body: String) -> Got {
    Got::Response(HttpResponse { status: 200, body, retry_after: None })
}

/// `{"response": {"status_code", "body"} | null, "error": {"code", "message"} | null}`
fn openai(record: &Value) -> Option<Got> {
    let there = |name: &str| record.get(name).filter(|it| it.is_object());
    if let Some(response) = there("response") {
        let status = response.get("status_code").and_then(Value::as_u64).unwrap_or(200);
        let body = match response.get("body")? {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        };
        let status = u16::try_from(status).unwrap_or(u16::MAX);
        return Some(Got::Response(HttpResponse { status, body, retry_after: None }));
    }
    let error = there("error")?;
    let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
    Some(match code {
        "batch_expired" => Got::Unasked("the batch expired"),
        "batch_cancelled" | "batch_canceled" => Got::Unasked("the batch was cancelled"),
        _ => good(json!({ "error": error }).to_string()),
    })
}

/// `{"result": {"type": "succeeded", "message"} | {"type": "errored", "error"} | …}`
fn anthropic(record: &Value) -> Option<Got> {
    let result = record.get("result")?;
    Some(match result.get("type").and_then(Value::as_str)? {
        "succeeded" => good(result.get("message")?.to_string()),
        "errored" => {
            let error = result.get("error")?;
            // The same envelope as of a live call, or what is in it.
            let inner = error.get("error").filter(|it| it.is_object()).unwrap_or(error);
            good(json!({ "error": inner }).to_string())
        }
        "expired" => Got::Unasked("the batch expired"),
        "canceled" | "cancelled" => Got::Unasked("the batch was cancelled"),
        _ => return None,
    })
}

/// `{"response"}`, or a status of gRPC under `error` or `status`.
fn gemini(record: &Value) -> Option<Got> {
    /// The code of gRPC for what was cancelled.
    const CANCELLED: u64 = 1;
    if let Some(response) = record.get("response").filter(|it| it.is_object()) {
        return Some(good(response.to_string()));
    }
    let error =
        ["error", "status"].iter().find_map(|it| record.get(*it)).filter(|it| it.is_object())?;
    let code = error.get("code").and_then(Value::as_u64);
    if code == Some(CANCELLED) {
        return Some(Got::Unasked("the batch was cancelled"));
    }
    let mut error = error.clone();
    if let Some(status) = code.and_then(http_status) {
        error["code"] = json!(status);
    }
    Some(good(json!({ "error": error }).to_string()))
}

/// The status that a live call would have got for a code of gRPC. Others are left as they are.
fn http_status(code: u64) -> Option<u16> {
    Some(match code {
        3 | 9 | 11 => 400,
        4 => 504,
        5 => 404,
        7 => 403,
        8 => 429,
        2 | 13 | 15 => 500,
        14 => 503,
        16 => 401,
        _ => return None,
    })
}

/// When a reply was made, of those dialects that say so.
fn made(body: &str) -> Option<f64> {
    let body: Value = serde_json::from_str(body).ok()?;
    let seconds = ["created", "created_at"].iter().find_map(|it| body.get(*it)?.as_f64())?;
    // Servers without a clock write small numbers.
    (1e9..1e11).contains(&seconds).then_some(seconds * 1000.0)
}
