//! Google’s `generateContent`: the model stands in the address, thoughts are parts that say so, and a
//! refused prompt has no candidates.

use serde_json::{Map, Value, json};

use crate::judge::http::segment;
use crate::judge::provider::fault::first_words;
use crate::judge::provider::rules::Efforts;
use crate::judge::provider::{Ask, Effort, NONE, Said, Structured, count, text_at};
use crate::judge::{Finish, Usage};

pub(super) fn path(model: &str) -> String {
    format!("/models/{}:generateContent", segment(model.strip_prefix("models/").unwrap_or(model)))
}

pub(super) fn body(ask: &mut Ask<'_>) -> (Value, Option<u32>) {
    let mut config = Map::new();
    let mut put = |name: &str, value: Value| config.insert(name.to_owned(), value);
    if let Some(temperature) = ask.temperature(f64::INFINITY) {
        put("temperature", json!(temperature));
    }
    let cap = ask.cap("maxOutputTokens", 1);
    if let Some(cap) = cap {
        put("maxOutputTokens", json!(cap));
    }
    if let Some((name, seed)) = ask.seed(i32::MAX as u32) {
        put(name, json!(seed));
    }
    if let Some(thinking) = thinking(ask) {
        put("thinkingConfig", thinking);
    }
    match ask.structured() {
        None => {}
        Some(Structured::Strict | Structured::Schema) => {
            put("responseMimeType", json!("application/json"));
            put("responseJsonSchema", ask.wanted.schema());
            ask.sends("responseMimeType", "application/json");
            ask.sends("responseJsonSchema", ask.wanted.name());
        }
        Some(Structured::Object) => {
            put("responseMimeType", json!("application/json"));
            ask.sends("responseMimeType", "application/json");
        }
        Some(Structured::Tool | Structured::None) => {
            ask.drops("responseJsonSchema", NONE);
        }
    }
    let mut body = json!({ "contents": [{ "role": "user", "parts": [{ "text": ask.prompt }] }] });
    if !config.is_empty() {
        body["generationConfig"] = Value::Object(config);
    }
    (body, cap)
}

fn thinking(ask: &mut Ask<'_>) -> Option<Value> {
    let (effort, word) = ask.effort()?;
    match ask.family.efforts {
        Efforts::Budget { tokens: [low, medium, high], .. } => {
            let budget = match effort {
                Effort::Off => 0,
                Effort::Low => low,
                Effort::Medium => medium,
                Effort::High => high,
            };
            ask.sends("thinkingConfig.thinkingBudget", budget);
            Some(json!({ "thinkingBudget": budget }))
        }
        _ => {
            let level = word.to_uppercase();
            ask.sends("thinkingConfig.thinkingLevel", &level);
            Some(json!({ "thinkingLevel": level }))
        }
    }
}

pub(super) fn read(body: &Value) -> Said {
    let candidate = body.pointer("/candidates/0").unwrap_or(&Value::Null);
    let parts =
        || candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten();
    let is_thought = |part: &Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let text = parts()
        .filter(|part| !is_thought(part))
        .filter_map(|part| part.get("text").and_then(Value::as_str))
        .collect();
    let finish = match text_at(candidate, "/finishReason") {
        Some("STOP") => Some(Finish::Stop),
        Some("MAX_TOKENS") => Some(Finish::Length),
        Some(
            reason @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
            | "LANGUAGE" | "IMAGE_SAFETY"),
        ) => Some(Finish::Refused(format!("the provider stopped the reply: {reason}"))),
        Some(other) => Some(Finish::Other(first_words(other))),
        None => text_at(body, "/promptFeedback/blockReason").map(|it| {
            Finish::Refused(format!("the provider refused the prompt: {}", first_words(it)))
        }),
    };
    let usage = usage(body);
    // All thoughts and no room for a reply: sometimes there is not even a candidate.
    let all_thought = candidate.is_null() && usage.reasoning.is_some_and(|it| 0 < it);
    Said {
        text,
        finish: finish.or(all_thought.then_some(Finish::Length)).map(Ok),
        model: body.get("modelVersion").and_then(Value::as_str).map(str::to_owned),
        thought: parts().any(is_thought) || usage.reasoning.is_some_and(|it| 0 < it),
        usage,
    }
}

fn usage(body: &Value) -> Usage {
    let thoughts = count(body, &["/usageMetadata/thoughtsTokenCount"]);
    let said = count(body, &["/usageMetadata/candidatesTokenCount"]);
    Usage {
        input: count(body, &["/usageMetadata/promptTokenCount"]),
        // Counted apart, and either may be left out where it is nothing.
        output: (said.is_some() || thoughts.is_some())
            .then(|| said.unwrap_or(0) + thoughts.unwrap_or(0)),
        cached: count(body, &["/usageMetadata/cachedContentTokenCount"]),
        reasoning: thoughts,
    }
}
