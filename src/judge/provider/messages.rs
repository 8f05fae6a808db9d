//! Anthropic’s Messages: a limit is required, thoughts are blocks, and what comes from a cache is
//! counted beside the input.

use serde_json::{Value, json};

use crate::judge::provider::fault::first_words;
use crate::judge::provider::rules::Efforts;
use crate::judge::provider::{Ask, Effort, NONE, Said, Structured, count, text_at};
use crate::judge::{Finish, Usage};

/// The limit where none is set, since one must be sent.
const USUAL: u32 = 4096;

const HOTTEST: f64 = 1.0;

pub(super) fn body(ask: &mut Ask<'_>) -> (Value, Option<u32>) {
    let cap = ask.cap("max_tokens", 1).unwrap_or_else(|| {
        let cap = ask.with.cap(USUAL);
        ask.sends("max_tokens", cap);
        cap
    });
    let mut body = json!({
        "model": ask.model(),
        "max_tokens": cap,
        "messages": [{ "role": "user", "content": ask.prompt }],
    });
    if let Some(temperature) = ask.temperature(HOTTEST) {
        body["temperature"] = json!(temperature);
    }
    if let Some((name, seed)) = ask.seed(u32::MAX) {
        body[name] = json!(seed);
    }
    let structured = ask.structured();
    effort(ask, &mut body, cap, structured);
    match structured {
        None => {}
        Some(Structured::Strict | Structured::Schema) => {
            body["output_config"]["format"] =
                json!({ "type": "json_schema", "schema": ask.wanted.schema() });
            ask.sends("output_config.format", "json_schema");
        }
        Some(Structured::Tool) => {
            let name = ask.wanted.name();
            body["tools"] = json!([{ "name": name, "input_schema": ask.wanted.schema() }]);
            body["tool_choice"] =
                json!({ "type": "tool", "name": name, "disable_parallel_tool_use": true });
            ask.sends("tool_choice", name);
        }
        Some(Structured::Object | Structured::None) => {
            ask.drops("output_config.format", NONE);
        }
    }
    (body, Some(cap))
}

fn effort(ask: &mut Ask<'_>, body: &mut Value, cap: u32, structured: Option<Structured>) {
    let Some((effort, word)) = ask.effort() else {
        return;
    };
    if effort == Effort::Off {
        body["thinking"] = json!({ "type": "disabled" });
        ask.sends("thinking", "disabled");
    } else if let Efforts::Budget { tokens, .. } = ask.family.efforts {
        let budget = tokens[match effort {
            Effort::Off | Effort::Low => 0,
            Effort::Medium => 1,
            Effort::High => 2,
        }];
        if structured == Some(Structured::Tool) {
            ask.drops("effort", "not together with a forced tool");
        } else if cap <= budget {
            ask.drops("effort", format!("it takes {budget} tokens, more than the reply may"));
        } else {
            body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
            ask.sends("thinking.budget_tokens", budget);
        }
    } else {
        body["thinking"] = json!({ "type": "adaptive" });
        body["output_config"]["effort"] = json!(word);
        ask.sends("thinking", "adaptive");
        ask.sends("output_config.effort", word);
    }
}

pub(super) fn read(body: &Value) -> Said {
    let blocks = || body.get("content").and_then(Value::as_array).into_iter().flatten();
    let is = |block: &&Value, kind: &str| block.get("type").and_then(Value::as_str) == Some(kind);
    let mut text: String = blocks()
        .filter(|it| is(it, "text"))
        .filter_map(|it| it.get("text").and_then(Value::as_str))
        .collect();
    // A model that had to call a tool says in its input what it would have written. Only ours is offered.
    let mut tools = blocks().filter(|it| is(it, "tool_use")).filter_map(|it| it.get("input"));
    let stop = text_at(body, "/stop_reason");
    if stop == Some("tool_use")
        && let Some(input) = tools.next()
    {
        text = input.to_string();
    }
    let finish = stop.map(|stop| {
        Ok(match stop {
            "end_turn" | "stop_sequence" | "tool_use" => Finish::Stop,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refused(refusal(body)),
            other => Finish::Other(first_words(other)),
        })
    });
    Said {
        text,
        finish,
        model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        usage: usage(body),
        thought: blocks().any(|it| is(&it, "thinking") || is(&it, "redacted_thinking")),
    }
}

fn refusal(body: &Value) -> String {
    let category = text_at(body, "/stop_details/category");
    match (category, text_at(body, "/stop_details/explanation")) {
        (Some(category), Some(words)) => first_words(&format!("{words} ({category})")),
        (None, Some(words)) | (Some(words), None) => first_words(words),
        (None, None) => "the provider stopped the reply".to_owned(),
    }
}

fn usage(body: &Value) -> Usage {
    let cached = count(body, &["/usage/cache_read_input_tokens"]);
    let written = count(body, &["/usage/cache_creation_input_tokens"]);
    Usage {
        input: count(body, &["/usage/input_tokens"])
            .map(|fresh| fresh + cached.unwrap_or(0) + written.unwrap_or(0)),
        output: count(body, &["/usage/output_tokens"]),
        cached,
        reasoning: count(body, &["/usage/output_tokens_details/thinking_tokens"]),
    }
}
