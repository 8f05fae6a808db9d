//! OpenAI’s Responses: the schema lies flat, output is a list of items, and nothing is to be stored.

use serde_json::{Value, json};

use crate::judge::provider::fault::first_words;
use crate::judge::provider::{Ask, NONE, Said, Structured, count, text_at};
use crate::judge::{ErrorKind, Finish, Usage};

/// The least that `max_output_tokens` may be.
const LEAST: u32 = 16;

pub(super) fn body(ask: &mut Ask<'_>) -> (Value, Option<u32>) {
    // Stored unless it is told otherwise.
    let mut body = json!({ "model": ask.model(), "input": ask.prompt, "store": false });
    ask.sends("store", false);
    if let Some(temperature) = ask.temperature(f64::INFINITY) {
        body["temperature"] = json!(temperature);
    }
    let cap = ask.cap("max_output_tokens", LEAST);
    if let Some(cap) = cap {
        body["max_output_tokens"] = json!(cap);
    }
    if let Some((name, seed)) = ask.seed(u32::MAX) {
        body[name] = json!(seed);
    }
    if let Some((_, word)) = ask.effort() {
        body["reasoning"] = json!({ "effort": word });
        ask.sends("reasoning.effort", word);
    }
    let (name, schema) = (ask.wanted.name(), ask.wanted.schema());
    let format = match ask.structured() {
        Some(Structured::Strict) => {
            Some(json!({ "type": "json_schema", "name": name, "strict": true, "schema": schema }))
        }
        Some(Structured::Schema) => {
            Some(json!({ "type": "json_schema", "name": name, "schema": schema }))
        }
        Some(Structured::Object) => Some(json!({ "type": "json_object" })),
        Some(Structured::Tool | Structured::None) => {
            ask.drops("text.format", NONE);
            None
        }
        None => None,
    };
    if let Some(format) = format {
        ask.sends("text.format", format["type"].as_str().unwrap_or_default());
        body["text"] = json!({ "format": format });
    }
    (body, cap)
}

/// A reasoning item often comes first, so every item is looked at.
pub(super) fn read(body: &Value) -> Said {
    let items = || body.get("output").and_then(Value::as_array).into_iter().flatten();
    let parts = || {
        items()
            .filter(|item| item.get("type").and_then(Value::as_str) == Some("message"))
            .filter_map(|item| item.get("content").and_then(Value::as_array))
            .flatten()
    };
    let of = |kind: &'static str, field: &'static str| -> String {
        parts()
            .filter(|part| part.get("type").and_then(Value::as_str) == Some(kind))
            .filter_map(|part| part.get(field).and_then(Value::as_str))
            .collect()
    };
    let refusal = of("refusal", "refusal");
    let reason = text_at(body, "/incomplete_details/reason");
    let finish = match body.get("status").and_then(Value::as_str) {
        _ if !refusal.is_empty() => Some(Ok(Finish::Refused(first_words(&refusal)))),
        Some("completed") => Some(Ok(Finish::Stop)),
        Some("incomplete") => Some(Ok(match reason {
            Some("max_output_tokens") => Finish::Length,
            Some("content_filter") => {
                Finish::Refused("a content filter stopped the reply".to_owned())
            }
            other => Finish::Other(first_words(other.unwrap_or("incomplete"))),
        })),
        Some("failed") => Some(Err(ErrorKind::ServerError)),
        Some(other) => Some(Ok(Finish::Other(first_words(other)))),
        None => None,
    };
    Said {
        text: of("output_text", "text"),
        finish,
        model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        usage: Usage {
            input: count(body, &["/usage/input_tokens"]),
            output: count(body, &["/usage/output_tokens"]),
            cached: count(body, &["/usage/input_tokens_details/cached_tokens"]),
            reasoning: count(body, &["/usage/output_tokens_details/reasoning_tokens"]),
        },
        thought: items().any(|item| item.get("type").and_then(Value::as_str) == Some("reasoning")),
    }
}
