//! Submitting a batch and watching it: the requests, and what comes back, as plain data.
//!
//! OpenAI: upload a file, create a batch over it, poll, fetch up to two files of results. Anthropic: one
//! request with all others, poll, fetch the results from the address it names. Gemini: one request with
//! all others, poll; the last answer holds the results.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::judge::Endpoint;
use crate::judge::batch::{BatchFile, BatchKind, lines};
use crate::judge::http::{self, HttpRequest, HttpResponse, Method, segment};
use crate::judge::provider;
use crate::judge::secret::redact_shapes;

/// Stands between the parts of an upload. Each line of a batch file begins with a brace, so none is this.
const BOUNDARY: &str = "viva-batch-5f1d0c7a9e3b4826";
const MULTIPART: &str = "multipart/form-data; boundary=viva-batch-5f1d0c7a9e3b4826";
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Why a step cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("the host answered {status}: {words}")]
    Status { status: u16, words: String },
    #[error("the host’s answer is not what was expected")]
    Unexpected,
}

impl StepError {
    /// Whether the host said that it made nothing. A gateway that gave up, or an answer that is none, leaves
    /// that open: what may have begun is not begun again.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Status { status, .. } => (400..500).contains(status) && *status != 408,
            Self::Unexpected => false,
        }
    }
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    Waiting,
    /// What there is of results can be fetched: all of them, or those that were made in time.
    Ended,
    /// There are none, and the reason is in the status.
    Failed,
}

/// What a provider says of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchStatus {
    pub state: BatchState,
    /// The provider’s own word for it.
    pub word: String,
    /// Requests done and requests in all, where it says so. Anthropic says so at the end only.
    pub done: Option<(u64, u64)>,
    /// What is to be fetched: ids of files, or addresses.
    pub results: Vec<String>,
}

/// The first request: the file’s upload, or all of it at once.
pub fn submit(endpoint: &Endpoint, file: &BatchFile) -> HttpRequest {
    match BatchKind::of(endpoint) {
        BatchKind::OpenAi => {
            let part = |head: &str, body: &str| {
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n")
            };
            // The name goes into a header, where quotes and line ends would end it.
            let name: String = file
                .name
                .chars()
                .map(|it| if it.is_ascii_alphanumeric() || "._-".contains(it) { it } else { '-' })
                .collect();
            let mut body = part("name=\"purpose\"", "batch");
            body.push_str(&part(
                &format!("name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/jsonl"),
                &file.text,
            ));
            write!(body, "--{BOUNDARY}--\r\n").ok();
            request(endpoint, "/files", Some(("Content-Type", MULTIPART)), body)
        }
        BatchKind::Anthropic => {
            request(endpoint, "/messages/batches", Some(JSON), file.text.clone())
        }
        BatchKind::Gemini => {
            let model = endpoint.model.strip_prefix("models/").unwrap_or(&endpoint.model);
            let path = format!("/models/{}:batchGenerateContent", segment(model));
            request(endpoint, &path, Some(JSON), file.text.clone())
        }
    }
}

/// The second request, where the first one only brought a file: `None` where the batch is under way.
pub fn start(endpoint: &Endpoint, submitted: &str) -> Option<HttpRequest> {
    match BatchKind::of(endpoint) {
        BatchKind::OpenAi => {
            let body = json!({
                "input_file_id": submitted,
                "endpoint": lines::url(endpoint),
                "completion_window": "24h",
            });
            Some(request(endpoint, "/batches", Some(JSON), body.to_string()))
        }
        BatchKind::Anthropic | BatchKind::Gemini => None,
    }
}

/// The id of what a step made: of a file, or of a batch. To be kept before anything else is done: a batch
/// without its id is paid for and lost.
///
/// # Errors
/// Where the host refused, or said something else.
pub fn created(kind: BatchKind, response: &HttpResponse) -> Result<String, StepError> {
    let body = refused(response)?;
    let name = match kind {
        BatchKind::OpenAi | BatchKind::Anthropic => "id",
        BatchKind::Gemini => "name",
    };
    let id = body.get(name).and_then(Value::as_str).filter(|it| is_id(it));
    id.map(str::to_owned).ok_or(StepError::Unexpected)
}

/// Whether it names one thing: nothing and dots alone would be another address.
fn is_id(text: &str) -> bool {
    let name = text.strip_prefix("batches/").unwrap_or(text);
    !name.trim_matches('.').is_empty()
}

/// Asks how far a batch is.
pub fn poll(endpoint: &Endpoint, batch: &str) -> HttpRequest {
    let path = match BatchKind::of(endpoint) {
        BatchKind::OpenAi => format!("/batches/{}", segment(batch)),
        BatchKind::Anthropic => format!("/messages/batches/{}", segment(batch)),
        // The id is `batches/…` already.
        BatchKind::Gemini => {
            let id = batch.strip_prefix("batches/").unwrap_or(batch);
            format!("/batches/{}", segment(id))
        }
    };
    request(endpoint, &path, None, String::new())
}

/// What a poll said.
///
/// # Errors
/// Where the host refused, or said something else.
pub fn status(kind: BatchKind, response: &HttpResponse) -> Result<BatchStatus, StepError> {
    let body = refused(response)?;
    match kind {
        BatchKind::OpenAi => openai(&body),
        BatchKind::Anthropic => anthropic(&body),
        BatchKind::Gemini => gemini(&body),
    }
    .ok_or(StepError::Unexpected)
}

/// Requests for the results. Gemini’s stand in the answer to the last poll, and there is nothing to fetch.
///
/// An address that is not the endpoint’s own is left out: the key belongs to that host alone.
pub fn results(endpoint: &Endpoint, status: &BatchStatus) -> Vec<HttpRequest> {
    status
        .results
        .iter()
        .filter_map(|it| match BatchKind::of(endpoint) {
            BatchKind::OpenAi => {
                let path = format!("/files/{}/content", segment(it));
                Some(request(endpoint, &path, None, String::new()))
            }
            BatchKind::Anthropic => {
                let origin = http::origin(it)?;
                (http::origin(&endpoint.base_url) == Some(origin)).then(|| HttpRequest {
                    url: it.clone(),
                    ..request(endpoint, "", None, String::new())
                })
            }
            BatchKind::Gemini => None,
        })
        .collect()
}

/// The body of a response, unless it is a refusal.
fn refused(response: &HttpResponse) -> Result<Value, StepError> {
    if !(200..300).contains(&response.status) {
        let words = redact_shapes(&provider::words(&response.body));
        return Err(StepError::Status { status: response.status, words });
    }
    serde_json::from_str(&response.body).map_err(|_| StepError::Unexpected)
}

fn request(
    endpoint: &Endpoint,
    path: &str,
    content: Option<(&'static str, &'static str)>,
    body: String,
) -> HttpRequest {
    let can = endpoint.can();
    let mut headers: Vec<_> = content.into_iter().collect();
    headers.extend(can.dialect.headers());
    HttpRequest {
        method: if content.is_some() { Method::Post } else { Method::Get },
        url: http::under(&endpoint.base_url, path),
        headers,
        auth: can.auth,
        body,
    }
}

fn openai(body: &Value) -> Option<BatchStatus> {
    let word = body.get("status")?.as_str()?;
    let count = |name: &str| body.get("request_counts")?.get(name)?.as_u64();
    let done = count("completed").zip(count("failed")).zip(count("total"));
    Some(BatchStatus {
        state: match word {
            // One that expired or was cancelled has the results that were made before.
            "completed" | "expired" | "cancelled" => BatchState::Ended,
            "failed" => BatchState::Failed,
            _ => BatchState::Waiting,
        },
        word: word.to_owned(),
        done: done.map(|((completed, failed), total)| (completed.saturating_add(failed), total)),
        results: ["output_file_id", "error_file_id"]
            .iter()
            .filter_map(|it| body.get(*it)?.as_str().filter(|it| is_id(it)).map(str::to_owned))
            .collect(),
    })
}

fn anthropic(body: &Value) -> Option<BatchStatus> {
    let word = body.get("processing_status")?.as_str()?;
    let counts: Vec<u64> = ["processing", "succeeded", "errored", "canceled", "expired"]
        .iter()
        .filter_map(|it| body.get("request_counts")?.get(*it)?.as_u64())
        .collect();
    let all = counts.iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    let is_over = word == "ended";
    Some(BatchStatus {
        state: if is_over { BatchState::Ended } else { BatchState::Waiting },
        word: word.to_owned(),
        done: (counts.len() == 5).then(|| (all - counts[0], all)),
        results: body
            .get("results_url")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .into_iter()
            .collect(),
    })
}

fn gemini(body: &Value) -> Option<BatchStatus> {
    let part =
        |name: &str| body.get("metadata").and_then(|it| it.get(name)).or_else(|| body.get(name));
    let word = part("state")?.as_str()?;
    // 64-bit numbers are texts in Google’s JSON.
    let count = |name: &str| {
        let it = part("batchStats")?.get(name)?;
        it.as_u64().or_else(|| it.as_str()?.parse().ok())
    };
    let done = count("requestCount").map(|all| {
        let done = count("successfulRequestCount").unwrap_or(0);
        (done.saturating_add(count("failedRequestCount").unwrap_or(0)), all)
    });
    // The same words with either beginning are in use.
    let last = word.rsplit("STATE_").next().unwrap_or(word);
    Some(BatchStatus {
        state: match last {
            "SUCCEEDED" | "PARTIALLY_SUCCEEDED" => BatchState::Ended,
            "FAILED" | "CANCELLED" | "EXPIRED" => BatchState::Failed,
            _ => BatchState::Waiting,
        },
        word: word.to_owned(),
        done,
        results: Vec::new(),
    })
}
