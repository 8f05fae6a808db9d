//! Writing batch files: a line a request, split where a provider’s limits ask for it.

use serde_json::json;

use crate::ids::Digest;
use crate::judge::Endpoint;
use crate::judge::batch::BatchKind;
use crate::judge::provider::{Dialect, Encoded};

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line a request, to be submitted by hand or uploaded.
    Lines,
    /// The body of the one request that submits all others. Where files are uploaded, lines as well.
    Body,
}

/// How sure a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    /// The provider’s own reference says so.
    Documented,
    /// As generally told.
    Told,
    /// Nobody says; chosen so that files stay of a size that can be handled.
    Chosen,
}

/// The most that one file may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub requests: usize,
    pub requests_sure: Sure,
    /// In the smaller sense of a megabyte, since none says which it means.
    pub bytes: usize,
    pub bytes_sure: Sure,
}

const MB: usize = 1_000_000;

pub fn limits(kind: BatchKind, form: Form) -> Limits {
    match (kind, form) {
        (BatchKind::OpenAi, Form::Lines | Form::Body) => Limits {
            requests: 50_000,
            requests_sure: Sure::Documented,
            bytes: 200 * MB,
            bytes_sure: Sure::Documented,
        },
        (BatchKind::Anthropic, Form::Lines | Form::Body) => Limits {
            requests: 100_000,
            requests_sure: Sure::Told,
            bytes: 256 * MB,
            bytes_sure: Sure::Documented,
        },
        // Files of 2 GB are told to be taken, and no page could hold one.
        (BatchKind::Gemini, Form::Lines) => Limits {
            requests: 50_000,
            requests_sure: Sure::Chosen,
            bytes: 200 * MB,
            bytes_sure: Sure::Chosen,
        },
        (BatchKind::Gemini, Form::Body) => Limits {
            requests: 50_000,
            requests_sure: Sure::Chosen,
            bytes: 20 * MB,
            bytes_sure: Sure::Documented,
        },
    }
}

/// A file to download, or a body to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFile {
    pub name: String,
    pub text: String,
    /// Requests in it.
    pub n: u64,
}

/// Files of all requests, one after the other: only the one that is being written is in memory.
///
/// A request that is larger than a file may be stands in a file of its own, which the provider refuses
/// with its reason, and nothing else with it.
pub fn write<I: IntoIterator<Item = (Digest, Encoded)>>(
    endpoint: &Endpoint,
    form: Form,
    stem: &str,
    most: Limits,
    requests: I,
) -> Files<I::IntoIter> {
    Files {
        shape: Shape { kind: BatchKind::of(endpoint), form, url: url(endpoint) },
        stem: stem.to_owned(),
        most,
        rest: requests.into_iter(),
        next: None,
        written: 0,
    }
}

/// See [`write`].
#[derive(Debug)]
pub struct Files<I> {
    shape: Shape,
    stem: String,
    most: Limits,
    rest: I,
    /// What did not fit into the file before.
    next: Option<String>,
    written: usize,
}

impl<I: Iterator<Item = (Digest, Encoded)>> Iterator for Files<I> {
    type Item = BatchFile;

    fn next(&mut self) -> Option<BatchFile> {
        let (before, between, after) = self.shape.around(&self.stem);
        let mut text = before;
        let mut n = 0;
        loop {
            let line = match self.next.take() {
                Some(line) => line,
                None => match self.rest.next() {
                    Some((key, encoded)) => self.shape.line(key, &encoded.request.body),
                    None => break,
                },
            };
            let larger = text.len() + between.len() + line.len() + after.len();
            if 0 < n && (self.most.requests <= n || self.most.bytes < larger) {
                self.next = Some(line);
                break;
            }
            if 0 < n {
                text.push_str(between);
            }
            text.push_str(&line);
            n += 1;
        }
        if n == 0 {
            return None;
        }
        text.push_str(after);
        self.written += 1;
        let ending = match (self.shape.kind, self.shape.form) {
            (BatchKind::OpenAi, _) | (_, Form::Lines) => "jsonl",
            (_, Form::Body) => "json",
        };
        let kind = self.shape.kind.as_str();
        let name = format!("{}-{kind}-{}.{ending}", self.stem, self.written);
        Some(BatchFile { name, text, n: n as u64 })
    }
}

#[derive(Debug)]
struct Shape {
    kind: BatchKind,
    form: Form,
    /// Where each line of OpenAI’s form is sent.
    url: &'static str,
}

impl Shape {
    /// What stands before, between and behind the requests of a file.
    fn around(&self, name: &str) -> (String, &'static str, &'static str) {
        match (self.kind, self.form) {
            (BatchKind::OpenAi, _) | (_, Form::Lines) => (String::new(), "\n", "\n"),
            (BatchKind::Anthropic, Form::Body) => ("{\"requests\":[".to_owned(), ",", "]}"),
            (BatchKind::Gemini, Form::Body) => {
                let name = json!(name);
                let before = format!(
                    "{{\"batch\":{{\"displayName\":{name},\"inputConfig\":{{\"requests\":{{\"requests\":["
                );
                (before, ",", "]}}}}")
            }
        }
    }

    /// `body` is put in as it stands, so that a batch asks for exactly what a live call does.
    fn line(&self, key: Digest, body: &str) -> String {
        let key = key.to_string();
        match (self.kind, self.form) {
            (BatchKind::OpenAi, _) => {
                let url = self.url;
                format!(
                    "{{\"custom_id\":\"{key}\",\"method\":\"POST\",\"url\":\"{url}\",\"body\":{body}}}"
                )
            }
            (BatchKind::Anthropic, _) => format!("{{\"custom_id\":\"{key}\",\"params\":{body}}}"),
            (BatchKind::Gemini, Form::Lines) => format!("{{\"key\":\"{key}\",\"request\":{body}}}"),
            (BatchKind::Gemini, Form::Body) => {
                format!("{{\"request\":{body},\"metadata\":{{\"key\":\"{key}\"}}}}")
            }
        }
    }
}

/// The path of OpenAI’s own API, whatever the address of the host: that is what hosts and programs that
/// take such files know it by.
pub(super) fn url(endpoint: &Endpoint) -> &'static str {
    match endpoint.can().dialect {
        Dialect::Responses => "/v1/responses",
        Dialect::ChatCompletions | Dialect::Messages | Dialect::GenerateContent => {
            "/v1/chat/completions"
        }
    }
}
