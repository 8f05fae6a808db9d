//! Chat Completions: OpenAI’s, and what most others made of it.
//!
//! Compatible servers differ in everything but the outline, so a body is read defensively: a missing,
//! null or empty `choices`, content as a string, as parts or null.

use serde_json::{Value, json};

use crate::judge::provider::fault::first_words;
use crate::judge::provider::{
    Ask, Effort, EffortField, NONE, ProviderId, Said, Structured, count, text_at,
};
use crate::judge::{ErrorKind, Finish, Usage};

pub(super) fn body(ask: &mut Ask<'_>) -> (Value, Option<u32>) {
    let mut body = json!({
        "model": ask.model(),
        "messages": [{ "role": "user", "content": ask.prompt }],
    });
    if let Some(temperature) = ask.temperature(f64::INFINITY) {
        body["temperature"] = json!(temperature);
    }
    let cap_name = ask.can.cap_name();
    let cap = ask.cap(cap_name, 1);
    if let Some(cap) = cap {
        body[cap_name] = json!(cap);
    }
    if let Some((name, seed)) = ask.seed(u32::MAX) {
        body[name] = json!(seed);
    }
    effort(ask, &mut body);
    structured(ask, &mut body);
    match ask.endpoint.provider {
        // It would drop what the host behind it does not take, and nobody would know.
        ProviderId::OpenRouter => {
            body["provider"] = json!({ "require_parameters": true });
            ask.sends("provider.require_parameters", true);
        }
        // It would cut what is too long.
        ProviderId::Together => {
            body["context_length_exceeded_behavior"] = json!("error");
            ask.sends("context_length_exceeded_behavior", "error");
        }
        _ => {}
    }
    (body, cap)
}

fn effort(ask: &mut Ask<'_>, body: &mut Value) {
    let Some((effort, word)) = ask.effort() else {
        return;
    };
    match ask.can.effort {
        EffortField::ReasoningEffort => {
            body["reasoning_effort"] = json!(word);
            ask.sends("reasoning_effort", word);
        }
        EffortField::Reasoning => {
            body["reasoning"] = json!({ "effort": word });
            ask.sends("reasoning.effort", word);
        }
        EffortField::Thinking if effort == Effort::Off => {
            body["thinking"] = json!({ "type": "disabled" });
            ask.sends("thinking", "disabled");
        }
        EffortField::Thinking => {
            body["thinking"] = json!({ "type": "enabled" });
            body["reasoning_effort"] = json!(word);
            ask.sends("thinking", "enabled");
            ask.sends("reasoning_effort", word);
        }
        // None never comes here, and what goes by family has no field in this dialect.
        EffortField::Family | EffortField::None => ask.drops("effort", NONE),
    }
}

fn structured(ask: &mut Ask<'_>, body: &mut Value) {
    let (name, schema) = (ask.wanted.name(), ask.wanted.schema());
    match ask.structured() {
        None => {}
        Some(Structured::Strict) => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": name, "strict": true, "schema": schema },
            });
            ask.sends("response_format", "json_schema");
        }
        Some(Structured::Schema) => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": name, "schema": schema },
            });
            ask.sends("response_format", "json_schema");
        }
        // Such a host wants the prompt to speak of JSON.
        Some(Structured::Object) => {
            let prompt =
                format!("{}\n\nThe JSON object must fit this schema:\n{schema}", ask.prompt);
            body["messages"][0]["content"] = json!(prompt);
            body["response_format"] = json!({ "type": "json_object" });
            ask.sends("response_format", "json_object");
        }
        Some(Structured::Tool | Structured::None) => {
            ask.drops("response_format", NONE);
        }
    }
}

pub(super) fn read(provider: ProviderId, body: &Value) -> Said {
    let choice = body.pointer("/choices/0").unwrap_or(&Value::Null);
    let message = choice.get("message").unwrap_or(&Value::Null);
    let refusal = text_at(message, "/refusal");
    let finish = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => {
            Some(Ok(Finish::Refused(first_words(refusal.unwrap_or_default()))))
        }
        Some("content_filter") => {
            Some(Ok(Finish::Refused("a content filter stopped the reply".to_owned())))
        }
        Some("stop" | "eos") => Some(Ok(Finish::Stop)),
        Some("length" | "model_length" | "max_tokens") => Some(Ok(Finish::Length)),
        Some("error" | "insufficient_system_resource") => Some(Err(ErrorKind::ServerError)),
        Some(other) => Some(Ok(Finish::Other(first_words(other)))),
        None => None,
    };
    let usage = usage(provider, body);
    Said {
        text: content(message.get("content").unwrap_or(&Value::Null)),
        finish,
        model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        thought: ["/reasoning_content", "/reasoning"]
            .iter()
            .any(|it| text_at(message, it).is_some()),
        usage,
    }
}

fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // Mistral and OpenRouter send parts; thoughts among them are not the reply.
        Value::Array(parts) => parts
            .iter()
            .filter(|part| {
                part.get("type").and_then(Value::as_str).is_none_or(|kind| kind == "text")
            })
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect(),
        _ => String::new(),
    }
}

fn usage(provider: ProviderId, body: &Value) -> Usage {
    let cached = count(
        body,
        &[
            "/usage/prompt_tokens_details/cached_tokens",
            "/usage/prompt_cache_hit_tokens",
            "/usage/num_cached_tokens",
            // So spelt by one provider.
            "/usage/prompt_token_details/cached_tokens",
        ],
    );
    let reasoning = count(body, &["/usage/completion_tokens_details/reasoning_tokens"]);
    // A part is never more than the whole: where it seems so, the whole was counted without it.
    let input = count(body, &["/usage/prompt_tokens"]).map(|input| {
        cached.filter(|cached| input < *cached).map_or(input, |cached| input + cached)
    });
    let output = count(body, &["/usage/completion_tokens"]);
    // Some hosts count reasoning in the total only. It is paid for like the rest of the output.
    let beyond = match (count(body, &["/usage/total_tokens"]).zip(input), provider) {
        (Some((total, input)), _) => total.saturating_sub(input),
        (None, ProviderId::Xai) => output.unwrap_or(0) + reasoning.unwrap_or(0),
        (None, _) => 0,
    };
    Usage { input, output: output.map(|it| it.max(beyond)), cached, reasoning }
}
