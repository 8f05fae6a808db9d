//! What is sent to each provider, to the byte, and what is read from what each sends back.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use viva::judge::http::{Auth, HttpRequest, HttpResponse, Method};
use viva::judge::provider::{
    self, Capabilities, Decoded, Dialect, Encoded, ListPrices, ModelEntry, NeedsKey, Structured,
    Wanted,
};
use viva::judge::{
    Again, Effort, Endpoint, ErrorKind, Finish, Outcome, OutputFormat, Prompt, ProviderId, Usage,
};
use viva::run::money::{PriceSource, Prices};

use ErrorKind as K;
use ProviderId as P;

/// A model of each, of those that take a temperature.
fn model(id: ProviderId) -> &'static str {
    match id {
        ProviderId::Anthropic => "claude-sonnet-4-5",
        ProviderId::Gemini => "gemini-2.5-flash",
        ProviderId::OpenRouter => "mistralai/mistral-small",
        ProviderId::DeepSeek => "deepseek-chat",
        ProviderId::HuggingFace => "Qwen/Qwen3-32B:novita",
        _ => "m",
    }
}

fn endpoint(id: ProviderId) -> Endpoint {
    let base_url = match provider::profile(id).base_url {
        "" => "https://llm.example.org/v1",
        url => url,
    };
    Endpoint {
        provider: id,
        capabilities: None,
        base_url: base_url.to_owned(),
        model: model(id).to_owned(),
        temperature: Some(0.0),
        max_tokens: Some(300),
        seed: None,
        effort: None,
        format: OutputFormat::Lines,
        prompt: Prompt::viva(),
    }
}

fn plain(endpoint: &Endpoint) -> Encoded {
    provider::encode(endpoint, "hello", Wanted::Labels(2), Again::Plain)
}

fn body(encoded: &Encoded) -> Value {
    serde_json::from_str(&encoded.request.body).unwrap()
}

fn line(id: ProviderId, request: &HttpRequest, secret: Option<&str>) -> String {
    let method = match request.method {
        Method::Get => "GET",
        Method::Post => "POST",
    };
    let headers: Vec<String> = request
        .headers_with(secret)
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    format!("{} {method} {} [{}]", id.as_str(), request.url, headers.join(", "))
}

/// One header more can fail a preflight, one less is a refusal.
#[test]
fn exactly_these_headers_are_sent() {
    const JSON: &str = "Content-Type: application/json";
    const ANTHROPIC: &str =
        "anthropic-version: 2023-06-01, anthropic-dangerous-direct-browser-access: true";
    let expected = |id: ProviderId| match id {
        ProviderId::OpenAi => {
            ("https://api.openai.com/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::OpenAiResponses => {
            ("https://api.openai.com/v1", "/responses", "", "Authorization: Bearer KEY")
        }
        ProviderId::Anthropic => {
            ("https://api.anthropic.com/v1", "/messages", ANTHROPIC, "x-api-key: KEY")
        }
        ProviderId::Gemini => (
            "https://generativelanguage.googleapis.com/v1beta",
            "/models/gemini-2.5-flash:generateContent",
            "",
            "x-goog-api-key: KEY",
        ),
        ProviderId::OpenRouter => {
            ("https://openrouter.ai/api/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Groq => {
            ("https://api.groq.com/openai/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Together => {
            ("https://api.together.xyz/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::DeepSeek => {
            ("https://api.deepseek.com", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Mistral => {
            ("https://api.mistral.ai/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Xai => {
            ("https://api.x.ai/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::HuggingFace => (
            "https://router.huggingface.co/v1",
            "/chat/completions",
            "",
            "Authorization: Bearer KEY",
        ),
        ProviderId::Azure => {
            ("https://RESOURCE.openai.azure.com/openai/v1", "/chat/completions", "", "api-key: KEY")
        }
        ProviderId::Ollama => {
            ("http://localhost:11434/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::LmStudio => {
            ("http://localhost:1234/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Vllm => {
            ("http://localhost:8000/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::LlamaCpp => {
            ("http://localhost:8080/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
        ProviderId::Custom => {
            ("https://llm.example.org/v1", "/chat/completions", "", "Authorization: Bearer KEY")
        }
    };
    let joined = |parts: &[&str]| {
        parts.iter().copied().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(", ")
    };
    for row in provider::table() {
        let (base, path, extra, key) = expected(row.id);
        let name = row.id.as_str();
        let it = endpoint(row.id);
        let asks = plain(&it).request;
        let post = |headers: String| format!("{name} POST {base}{path} [{headers}]");
        assert_eq!(line(row.id, &asks, None), post(joined(&[JSON, extra])));
        assert_eq!(line(row.id, &asks, Some("KEY")), post(joined(&[JSON, extra, key])));
        let lists = provider::list_models(&it.base_url, &it.can());
        let pages = match row.id {
            ProviderId::Anthropic => "?limit=1000",
            ProviderId::Gemini => "?pageSize=1000",
            _ => "",
        };
        let get = |headers: String| format!("{name} GET {base}/models{pages} [{headers}]");
        assert_eq!(line(row.id, &lists, None), get(extra.to_owned()));
        assert_eq!(line(row.id, &lists, Some("KEY")), get(joined(&[extra, key])));
    }
    let nobody = Capabilities { auth: Auth::None, ..endpoint(ProviderId::Custom).can() };
    let it = Endpoint { capabilities: Some(nobody), ..endpoint(ProviderId::Custom) };
    assert_eq!(plain(&it).request.headers_with(Some("KEY")).len(), 1, "the key stays here");
}

/// The whole of what is asked of each: labels by line, labels by schema, a verdict by schema.
#[test]
fn exactly_these_bodies_are_sent() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/provider-bodies.json");
    let golden: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut seen = serde_json::Map::new();
    for row in provider::table() {
        let lines = endpoint(row.id);
        let schema = Endpoint { format: OutputFormat::JsonSchema, ..lines.clone() };
        let verdict = Wanted::Verdict { allow_tie: true };
        let bodies = json!({
            "lines": body(&plain(&lines)),
            "schema": body(&plain(&schema)),
            "preference": body(&provider::encode(&schema, "hello", verdict, Again::Plain)),
        });
        seen.insert(row.id.as_str().to_owned(), bodies);
    }
    for (name, bodies) in &seen {
        assert_eq!(bodies, &golden[name], "{name}: {bodies:#}");
    }
    assert_eq!(golden.as_object().unwrap().len(), seen.len());
}

/// What goes out names what was set, and what was set and did not go out says why.
#[track_caller]
fn says(change: impl Fn(&mut Endpoint), id: ProviderId, sent: &[&str], dropped: &[&str]) -> Value {
    let mut it = endpoint(id);
    change(&mut it);
    let encoded = plain(&it);
    assert_eq!(encoded.sent, sent);
    assert_eq!(encoded.dropped, dropped);
    body(&encoded)
}

#[test]
fn parameters_follow_the_host_and_the_family() {
    let named = |model: &'static str| move |it: &mut Endpoint| model.clone_into(&mut it.model);
    says(|_| {}, ProviderId::Custom, &["temperature=0", "max_tokens=300"], &[]);
    for model in ["o3-mini", "openai/gpt-5.1"] {
        let why = format!("temperature: {model} takes none");
        says(named(model), ProviderId::Custom, &["max_tokens=300"], &[&why]);
    }
    says(
        named("gpt-5-chat-latest"),
        ProviderId::OpenAi,
        &["temperature=0", "max_completion_tokens=300"],
        &[],
    );
    says(
        named("claude-opus-4-7"),
        ProviderId::Anthropic,
        &["max_tokens=300"],
        &["temperature: claude-opus-4-7 takes none"],
    );
    says(
        |it| it.temperature = Some(1.5),
        ProviderId::Anthropic,
        &["max_tokens=300"],
        &["temperature: this host takes at most 1"],
    );
    let body = says(
        |it| it.max_tokens = None,
        ProviderId::Anthropic,
        &["max_tokens=4096", "temperature=0"],
        &[],
    );
    assert_eq!(body["max_tokens"], 4096);
    let body = says(
        |it| it.max_tokens = Some(5),
        ProviderId::OpenAiResponses,
        &["store=false", "temperature=0", "max_output_tokens=16"],
        &[],
    );
    assert_eq!(body["max_output_tokens"], 16);
}

#[test]
fn a_seed_has_the_name_of_its_host() {
    let seeded = |it: &mut Endpoint| {
        it.seed = Some(7);
        it.temperature = None;
        it.max_tokens = None;
    };
    let body = says(seeded, ProviderId::Mistral, &["random_seed=7"], &[]);
    assert_eq!(body["random_seed"], 7);
    let body = says(seeded, ProviderId::Vllm, &["seed=7"], &[]);
    assert_eq!(body["seed"], 7);
    let body = says(seeded, ProviderId::Gemini, &["seed=7"], &[]);
    assert_eq!(body["generationConfig"]["seed"], 7);
    says(
        |it| {
            seeded(it);
            it.seed = Some(u32::MAX);
        },
        ProviderId::Gemini,
        &[],
        &["seed: this host takes at most 2147483647"],
    );
    says(seeded, ProviderId::DeepSeek, &[], &["seed: this host takes none"]);
}

#[test]
fn thinking_is_asked_for_as_each_family_wants_it() {
    let thinks = |model: &'static str, effort| {
        move |it: &mut Endpoint| {
            model.clone_into(&mut it.model);
            it.effort = Some(effort);
            it.temperature = None;
            it.max_tokens = Some(2000);
        }
    };
    let cap = "max_completion_tokens=2000";
    let body =
        says(thinks("gpt-5", Effort::Low), ProviderId::OpenAi, &[cap, "reasoning_effort=low"], &[]);
    assert_eq!(body["reasoning_effort"], "low");
    says(thinks("gpt-5", Effort::Off), ProviderId::OpenAi, &[cap], &["effort: gpt-5 has no “off”"]);
    says(thinks("gpt-5.1", Effort::Off), ProviderId::OpenAi, &[cap, "reasoning_effort=none"], &[]);
    let body = says(
        thinks("gpt-5", Effort::High),
        ProviderId::OpenAiResponses,
        &["store=false", "max_output_tokens=2000", "reasoning.effort=high"],
        &[],
    );
    assert_eq!(body["reasoning"], json!({ "effort": "high" }));
    let cap = "max_tokens=2000";
    let body = says(
        thinks("claude-sonnet-4-5", Effort::Low),
        ProviderId::Anthropic,
        &[cap, "thinking.budget_tokens=1024"],
        &[],
    );
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 1024 }));
    says(
        thinks("claude-sonnet-4-5", Effort::High),
        ProviderId::Anthropic,
        &[cap],
        &["effort: it takes 16384 tokens, more than the reply may"],
    );
    let body = says(
        thinks("claude-opus-5", Effort::Medium),
        ProviderId::Anthropic,
        &[cap, "thinking=adaptive", "output_config.effort=medium"],
        &[],
    );
    assert_eq!(body["output_config"], json!({ "effort": "medium" }));
    let cap = "maxOutputTokens=2000";
    let body = says(
        thinks("gemini-2.5-flash", Effort::Off),
        ProviderId::Gemini,
        &[cap, "thinkingConfig.thinkingBudget=0"],
        &[],
    );
    assert_eq!(body["generationConfig"]["thinkingConfig"], json!({ "thinkingBudget": 0 }));
    says(
        thinks("gemini-2.5-pro", Effort::Off),
        ProviderId::Gemini,
        &[cap],
        &["effort: gemini-2.5-pro has no “off”"],
    );
    let body = says(
        thinks("models/gemini-3-pro", Effort::High),
        ProviderId::Gemini,
        &[cap, "thinkingConfig.thinkingLevel=HIGH"],
        &[],
    );
    assert_eq!(body["generationConfig"]["thinkingConfig"], json!({ "thinkingLevel": "HIGH" }));
    let cap = "max_tokens=2000";
    let body = says(
        thinks("deepseek-chat", Effort::High),
        ProviderId::DeepSeek,
        &[cap, "thinking=enabled", "reasoning_effort=high"],
        &[],
    );
    assert_eq!(body["thinking"], json!({ "type": "enabled" }));
    let body = says(
        thinks("m", Effort::Low),
        ProviderId::OpenRouter,
        &[cap, "reasoning.effort=low", "provider.require_parameters=true"],
        &[],
    );
    assert_eq!(body["reasoning"], json!({ "effort": "low" }));
    says(thinks("m", Effort::Low), ProviderId::Mistral, &[cap], &["effort: this host takes none"]);
}

#[test]
fn a_model_without_schemas_is_held_by_a_tool() {
    let it = Endpoint {
        model: "claude-3-5-haiku-20241022".to_owned(),
        format: OutputFormat::JsonSchema,
        ..endpoint(ProviderId::Anthropic)
    };
    let encoded = plain(&it);
    let body = body(&encoded);
    assert_eq!(body["tools"][0]["input_schema"]["required"], json!(["item_1", "item_2"]));
    assert_eq!(body["tool_choice"]["name"], "labels");
    assert!(body.get("output_config").is_none());
    let reply = json!({
        "content": [{ "type": "tool_use", "name": "labels", "input": { "item_1": "Mostly" } }],
        "stop_reason": "tool_use",
    });
    said(&it, &reply, r#"{"item_1":"Mostly"}"#, &Finish::Stop);
}

#[test]
fn a_host_set_by_hand_is_asked_as_it_was_set() {
    let own = Capabilities {
        structured: Structured::None,
        temperature: false,
        ..endpoint(ProviderId::Custom).can()
    };
    let it = Endpoint {
        capabilities: Some(own),
        format: OutputFormat::JsonSchema,
        ..endpoint(ProviderId::Custom)
    };
    let encoded = plain(&it);
    assert_eq!(encoded.sent, ["max_tokens=300"]);
    assert_eq!(
        encoded.dropped,
        ["temperature: this host takes none", "response_format: this host takes none"]
    );
    let own = Capabilities { dialect: Dialect::Messages, auth: Auth::XApiKey, ..own };
    let it = Endpoint { capabilities: Some(own), ..it };
    assert_eq!(plain(&it).request.url, "https://llm.example.org/v1/messages");
    let legacy = Endpoint {
        base_url: "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
            .to_owned(),
        ..endpoint(ProviderId::Azure)
    };
    assert_eq!(
        plain(&legacy).request.url,
        "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
    );
}

#[test]
fn asking_again_raises_the_cap_or_adds_a_note_and_says_so() {
    let it = endpoint(ProviderId::Custom);
    let again = |with| provider::encode(&it, "hello", Wanted::Labels(2), with);
    let raised = again(Again::RaisedCap);
    assert_eq!(body(&raised)["max_tokens"], json!(600));
    assert_eq!(body(&raised)["messages"][0]["content"], json!("hello"));
    assert_eq!(raised.sent, ["temperature=0", "max_tokens=600", "again=raised_cap"]);
    assert_eq!(raised.cap, Some(600));
    let noted = again(Again::RepairNote);
    let content = body(&noted)["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(content.starts_with("hello\n\n") && content.contains("exactly 2 lines"));
    assert_eq!(noted.sent, ["temperature=0", "max_tokens=300", "again=repair_note"]);
}

/// What keeps old runs at OpenAI’s own host replaying: chosen or typed, the request is one.
#[test]
fn openai_chosen_is_openai_typed() {
    for format in [OutputFormat::Lines, OutputFormat::JsonSchema] {
        let chosen = Endpoint { format, ..endpoint(ProviderId::OpenAi) };
        let typed = Endpoint { provider: ProviderId::Custom, ..chosen.clone() };
        assert_eq!(plain(&chosen), plain(&typed));
    }
}

/// `docs/providers.md` shows the table as it is.
#[test]
fn the_page_on_providers_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/providers.md");
    let page = fs::read_to_string(path).unwrap();
    for row in provider::table() {
        let can = &row.can;
        let key = match (can.auth.header(), row.key) {
            (Some((name, _)), NeedsKey::Yes) => name.to_owned(),
            (Some((name, _)), NeedsKey::Maybe) => format!("{name}, if set"),
            (_, NeedsKey::No) | (None, _) => "none".to_owned(),
        };
        let line = format!(
            "| {} | {} | `{}` | {} | `{}` | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            can.dialect.words(),
            if row.base_url.is_empty() { "https://…" } else { row.base_url },
            key,
            can.cap_name(),
            can.structured.words(),
            can.seed.name().unwrap_or("none"),
            can.effort.words(),
            row.cors.words(),
            row.wait.words(),
            if row.prices == ListPrices::None { "no" } else { "yes" },
            if row.batch { "yes" } else { "no" },
        );
        assert!(page.contains(&line), "{line}");
        assert!(page.contains(row.note), "{}", row.note);
    }
}

fn answer(endpoint: &Endpoint, status: u16, body: &str) -> Decoded {
    let response = HttpResponse { status, body: body.to_owned(), retry_after: None };
    provider::decode(endpoint, &response, 0)
}

#[track_caller]
fn said(endpoint: &Endpoint, reply: &Value, expected: &str, ends: &Finish) -> Decoded {
    let decoded = answer(endpoint, 200, &reply.to_string());
    match &decoded.outcome {
        Outcome::Reply { text, finish, .. } => {
            assert_eq!((text.as_str(), finish), (expected, ends));
        }
        Outcome::Failure { kind, detail, .. } => panic!("{kind:?}: {detail}"),
    }
    decoded
}

#[track_caller]
fn fails(id: ProviderId, status: u16, body: &str, expected: ErrorKind) -> Decoded {
    let decoded = answer(&endpoint(id), status, body);
    match &decoded.outcome {
        Outcome::Failure { kind, .. } => assert_eq!(*kind, expected, "{body}"),
        Outcome::Reply { text, .. } => panic!("read as a reply: {text}"),
    }
    decoded
}

fn used(input: u64, output: u64, cached: Option<u64>, reasoning: Option<u64>) -> Usage {
    Usage { input: Some(input), output: Some(output), cached, reasoning }
}

#[test]
fn replies_of_chat_completions_are_read_in_every_shape() {
    let it = endpoint(ProviderId::OpenAi);
    let choice = |message: Value, finish: &str| json!({ "model": "m-2", "choices": [{ "message": message, "finish_reason": finish }] });
    let mut plain = choice(json!({ "content": "Mostly", "refusal": null }), "stop");
    plain["usage"] = json!({
        "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
        "prompt_tokens_details": { "cached_tokens": 64 },
        "completion_tokens_details": { "reasoning_tokens": 48 },
    });
    let decoded = said(&it, &plain, "Mostly", &Finish::Stop);
    assert_eq!(decoded.model.as_deref(), Some("m-2"));
    assert_eq!(decoded.usage, used(100, 50, Some(64), Some(48)));
    let refusal = Finish::Refused("I cannot".to_owned());
    said(&it, &choice(json!({ "content": null, "refusal": "I cannot" }), "stop"), "", &refusal);
    said(&it, &choice(json!({ "content": "" }), "length"), "", &Finish::Length);
    let filtered = Finish::Refused("a content filter stopped the reply".to_owned());
    said(
        &endpoint(ProviderId::Azure),
        &choice(json!({ "content": "" }), "content_filter"),
        "",
        &filtered,
    );
    let thoughts = json!({ "content": "Barely", "reasoning_content": "Completely?" });
    said(&endpoint(ProviderId::DeepSeek), &choice(thoughts, "stop"), "Barely", &Finish::Stop);
    let parts = json!({ "content": [
        { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
        { "type": "text", "text": "Barely" },
    ] });
    said(&endpoint(ProviderId::Mistral), &choice(parts, "stop"), "Barely", &Finish::Stop);
    said(
        &endpoint(ProviderId::Mistral),
        &choice(json!({ "content": "Bar" }), "model_length"),
        "Bar",
        &Finish::Length,
    );
    said(
        &endpoint(ProviderId::Together),
        &choice(json!({ "content": "Mostly" }), "eos"),
        "Mostly",
        &Finish::Stop,
    );
    let blank = format!("\n\n\n{}", choice(json!({ "content": "Mostly" }), "stop"));
    let decoded = answer(&endpoint(ProviderId::DeepSeek), 200, &blank);
    assert!(matches!(decoded.outcome, Outcome::Reply { .. }), "blank lines keep the line open");
}

#[test]
fn tokens_of_chat_completions_are_counted_as_each_host_means_them() {
    let counted = |id, usage: Value| {
        let reply = json!({
            "choices": [{ "message": { "content": "Mostly" }, "finish_reason": "stop" }],
            "usage": usage,
        });
        said(&endpoint(id), &reply, "Mostly", &Finish::Stop).usage
    };
    // Reasoning beside the completion: in the total, or told apart.
    let beside = json!({ "prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135,
        "completion_tokens_details": { "reasoning_tokens": 94 } });
    assert_eq!(counted(ProviderId::Xai, beside), used(32, 103, None, Some(94)));
    let untotalled = json!({ "prompt_tokens": 32, "completion_tokens": 9,
        "completion_tokens_details": { "reasoning_tokens": 94 } });
    assert_eq!(counted(ProviderId::Xai, untotalled.clone()), used(32, 103, None, Some(94)));
    assert_eq!(counted(ProviderId::Groq, untotalled), used(32, 9, None, Some(94)));
    let deepseek = json!({ "prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
        "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36 });
    assert_eq!(counted(ProviderId::DeepSeek, deepseek), used(100, 5, Some(64), None));
    for mistral in [
        json!({ "prompt_tokens": 9, "completion_tokens": 5, "num_cached_tokens": 8 }),
        json!({ "prompt_tokens": 9, "completion_tokens": 5,
            "prompt_token_details": { "cached_tokens": 8 } }),
    ] {
        assert_eq!(counted(ProviderId::Mistral, mistral), used(9, 5, Some(8), None));
    }
    // More read from a cache than there was input: it was counted beside it.
    let outside = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 95,
        "prompt_tokens_details": { "cached_tokens": 80 } });
    assert_eq!(counted(ProviderId::Xai, outside), used(90, 5, Some(80), None));
    assert!(counted(ProviderId::Ollama, json!(null)).is_unknown());
    let absurd = json!({ "prompt_tokens": u64::MAX, "completion_tokens": 1e300 });
    assert!(counted(ProviderId::Custom, absurd).is_unknown());
}

#[test]
fn replies_of_responses_are_read() {
    let it = endpoint(ProviderId::OpenAiResponses);
    let message = |content: Value| json!([{ "type": "reasoning", "summary": [] }, { "type": "message", "content": content }]);
    let text =
        json!([{ "type": "output_text", "text": "Most" }, { "type": "output_text", "text": "ly" }]);
    let reply = json!({
        "model": "gpt-5-2025-08-07", "status": "completed", "error": null,
        "output": message(text),
        "usage": {
            "input_tokens": 100, "input_tokens_details": { "cached_tokens": 64 },
            "output_tokens": 50, "output_tokens_details": { "reasoning_tokens": 48 },
        },
    });
    let decoded = said(&it, &reply, "Mostly", &Finish::Stop);
    assert_eq!(decoded.model.as_deref(), Some("gpt-5-2025-08-07"));
    assert_eq!(decoded.usage, used(100, 50, Some(64), Some(48)));
    let refused = json!({ "status": "completed",
        "output": message(json!([{ "type": "refusal", "refusal": "I cannot" }])) });
    said(&it, &refused, "", &Finish::Refused("I cannot".to_owned()));
    let cut = json!({ "status": "incomplete", "output": [],
        "incomplete_details": { "reason": "max_output_tokens" } });
    said(&it, &cut, "", &Finish::Length);
    let filtered = json!({ "status": "incomplete", "output": [],
        "incomplete_details": { "reason": "content_filter" } });
    said(&it, &filtered, "", &Finish::Refused("a content filter stopped the reply".to_owned()));
    for (code, kind) in [
        ("rate_limit_exceeded", ErrorKind::RateLimited),
        ("insufficient_quota", ErrorKind::NoCredit),
        ("server_error", ErrorKind::ServerError),
    ] {
        let failed =
            json!({ "status": "failed", "output": [], "error": { "code": code, "message": "no" } });
        fails(ProviderId::OpenAiResponses, 200, &failed.to_string(), kind);
    }
    let thought = json!({ "status": "completed", "output": [{ "type": "reasoning" }] });
    fails(ProviderId::OpenAiResponses, 200, &thought.to_string(), ErrorKind::EmptyReply);
}

#[test]
fn replies_of_messages_are_read() {
    let it = endpoint(ProviderId::Anthropic);
    let reply = json!({
        "type": "message", "model": "claude-sonnet-4-5-20250929", "stop_reason": "end_turn",
        "content": [
            { "type": "thinking", "thinking": "Completely?", "signature": "x" },
            { "type": "redacted_thinking", "data": "x" },
            { "type": "text", "text": "Most" },
            { "type": "text", "text": "ly" },
        ],
        "usage": {
            "input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30,
            "output_tokens": 50, "output_tokens_details": { "thinking_tokens": 40 },
        },
    });
    let decoded = said(&it, &reply, "Mostly", &Finish::Stop);
    assert_eq!(decoded.model.as_deref(), Some("claude-sonnet-4-5-20250929"));
    assert_eq!(decoded.usage, used(100, 50, Some(60), Some(40)));
    let stopped = |reason: &str, text: &str| json!({ "stop_reason": reason, "content": [{ "type": "text", "text": text }] });
    said(&it, &stopped("max_tokens", "Mos"), "Mos", &Finish::Length);
    said(&it, &stopped("model_context_window_exceeded", ""), "", &Finish::Length);
    let other = Finish::Other("pause_turn".to_owned());
    said(&it, &stopped("pause_turn", "Mostly"), "Mostly", &other);
    let refused = json!({ "stop_reason": "refusal", "content": [],
        "stop_details": { "type": "refusal", "category": "frontier_llm", "explanation": "Not this." } });
    said(&it, &refused, "", &Finish::Refused("Not this. (frontier_llm)".to_owned()));
    let silent = json!({ "stop_reason": "refusal", "content": [] });
    said(&it, &silent, "", &Finish::Refused("the provider stopped the reply".to_owned()));
    let thought = json!({ "stop_reason": "end_turn", "content": [{ "type": "thinking" }] });
    fails(ProviderId::Anthropic, 200, &thought.to_string(), ErrorKind::EmptyReply);
}

#[test]
fn replies_of_generate_content_are_read() {
    let it = endpoint(ProviderId::Gemini);
    let candidate = |parts: Value, finish: &str| json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": finish }] });
    let parts = json!([
        { "text": "Completely?", "thought": true },
        { "text": "Mostly", "thoughtSignature": "x" },
    ]);
    let mut reply = candidate(parts, "STOP");
    reply["modelVersion"] = json!("gemini-2.5-flash-002");
    reply["usageMetadata"] = json!({
        "promptTokenCount": 100, "cachedContentTokenCount": 64,
        "candidatesTokenCount": 2, "thoughtsTokenCount": 48, "totalTokenCount": 150,
    });
    let decoded = said(&it, &reply, "Mostly", &Finish::Stop);
    assert_eq!(decoded.model.as_deref(), Some("gemini-2.5-flash-002"));
    assert_eq!(decoded.usage, used(100, 50, Some(64), Some(48)));
    let no_parts = json!({ "candidates": [{ "content": {}, "finishReason": "MAX_TOKENS" }] });
    said(&it, &no_parts, "", &Finish::Length);
    let all_thought =
        json!({ "usageMetadata": { "promptTokenCount": 100, "thoughtsTokenCount": 300 } });
    let decoded = said(&it, &all_thought, "", &Finish::Length);
    assert_eq!(decoded.usage, used(100, 300, None, Some(300)));
    for reason in ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"] {
        let refused = Finish::Refused(format!("the provider stopped the reply: {reason}"));
        said(&it, &candidate(json!([]), reason), "", &refused);
    }
    let blocked = json!({ "promptFeedback": { "blockReason": "SAFETY" } });
    said(&it, &blocked, "", &Finish::Refused("the provider refused the prompt: SAFETY".to_owned()));
    fails(ProviderId::Gemini, 200, "{}", ErrorKind::EmptyReply);
}

/// Status and body as each sends them, and what they mean.
const FAILURES: [(P, u16, &str, K); 48] = [
    (P::Custom, 200, r#"{"choices":[]}"#, K::EmptyReply),
    (P::Custom, 200, r#"{"choices":null}"#, K::EmptyReply),
    (P::Custom, 200, "{}", K::EmptyReply),
    (
        P::Custom,
        200,
        r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#,
        K::EmptyReply,
    ),
    (
        P::Custom,
        200,
        r#"{"choices":[{"message":{"content":"  "},"finish_reason":"stop"}]}"#,
        K::EmptyReply,
    ),
    (P::Custom, 200, "<!doctype html><title>Welcome</title>", K::Malformed),
    (P::Custom, 200, r#"{"choices":[{"mess"#, K::Malformed),
    (
        P::DeepSeek,
        200,
        r#"{"choices":[{"message":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}"#,
        K::ServerError,
    ),
    (P::OpenRouter, 200, r#"{"error":{"code":429,"message":"slow down"}}"#, K::RateLimited),
    (
        P::OpenRouter,
        200,
        r#"{"choices":[{"error":{"code":402,"message":"pay"},"finish_reason":"error"}]}"#,
        K::NoCredit,
    ),
    (
        P::OpenRouter,
        402,
        r#"{"error":{"code":402,"message":"in_flight_budget_exhausted"}}"#,
        K::RateLimited,
    ),
    (
        P::OpenRouter,
        403,
        r#"{"error":{"code":403,"metadata":{"reasons":["violence"],"flagged_input":"…"}}}"#,
        K::Filtered,
    ),
    (
        P::OpenRouter,
        429,
        r#"{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}"#,
        K::DailyQuota,
    ),
    (
        P::Gemini,
        400,
        r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
        K::KeyRefused,
    ),
    (
        P::Gemini,
        400,
        r#"{"error":{"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#,
        K::Forbidden,
    ),
    (
        P::Gemini,
        429,
        r#"{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}}"#,
        K::DailyQuota,
    ),
    (
        P::Gemini,
        429,
        r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"Check your plan and billing details","details":[{"quotaId":"GenerateRequestsPerMinute"}]}}"#,
        K::RateLimited,
    ),
    (P::Gemini, 503, r#"{"error":{"status":"UNAVAILABLE"}}"#, K::Overloaded),
    (P::Custom, 200, r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]"#, K::RateLimited),
    (
        P::OpenAi,
        400,
        r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
        K::TooLarge,
    ),
    (
        P::OpenAi,
        400,
        r#"{"error":{"message":"temperature is not supported","code":null}}"#,
        K::BadRequest,
    ),
    (P::OpenAi, 401, "", K::KeyRefused),
    (P::OpenAi, 404, r#"{"error":{"code":"model_not_found"}}"#, K::NotFound),
    (P::OpenAi, 429, r#"{"error":{"code":"insufficient_quota"}}"#, K::NoCredit),
    (
        P::OpenAi,
        429,
        r#"{"error":{"code":"rate_limit_exceeded","message":"tokens per minute. Upgrade at https://example.org/settings/billing"}}"#,
        K::RateLimited,
    ),
    (
        P::Anthropic,
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
        K::NoCredit,
    ),
    (
        P::Anthropic,
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens"}}"#,
        K::TooLarge,
    ),
    (
        P::Anthropic,
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        K::KeyRefused,
    ),
    (
        P::Anthropic,
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"CORS requests are not allowed for this Organization"}}"#,
        K::Forbidden,
    ),
    (
        P::Anthropic,
        200,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        K::Overloaded,
    ),
    (
        P::Anthropic,
        429,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your spend limit"}}"#,
        K::NoCredit,
    ),
    (P::Anthropic, 529, r#"{"type":"error","error":{"type":"overloaded_error"}}"#, K::Overloaded),
    (
        P::Groq,
        400,
        r#"{"error":{"code":"json_validate_failed","failed_generation":"x"}}"#,
        K::Malformed,
    ),
    (P::Groq, 400, r#"{"error":{"code":"model_decommissioned"}}"#, K::NotFound),
    (P::Groq, 498, "{}", K::Overloaded),
    (P::DeepSeek, 402, r#"{"error":{"message":"Insufficient Balance"}}"#, K::NoCredit),
    (
        P::Mistral,
        422,
        r#"{"detail":[{"loc":["body"],"msg":"Extra inputs are not permitted"}]}"#,
        K::BadRequest,
    ),
    (
        P::Xai,
        400,
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided"}"#,
        K::KeyRefused,
    ),
    (
        P::Azure,
        400,
        r#"{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        K::Filtered,
    ),
    (
        P::HuggingFace,
        402,
        r#"{"error":"You have exceeded your monthly included credits"}"#,
        K::NoCredit,
    ),
    (P::HuggingFace, 410, "{}", K::NotFound),
    (
        P::Ollama,
        404,
        r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"not_found_error"}}"#,
        K::NotFound,
    ),
    (
        P::LmStudio,
        500,
        r#"{"error":{"message":"the request exceeds the available context size"}}"#,
        K::TooLarge,
    ),
    (
        P::LlamaCpp,
        503,
        r#"{"error":{"message":"Loading model","type":"unavailable_error"}}"#,
        K::Overloaded,
    ),
    (P::Custom, 403, "{}", K::Forbidden),
    (P::Custom, 413, "<html>413</html>", K::TooLarge),
    (P::Custom, 429, "{}", K::RateLimited),
    (P::Custom, 502, "<html><title>502 Bad Gateway</title></html>", K::ServerError),
];

#[test]
fn failures_are_told_apart() {
    let message = |text: &str| json!({ "error": { "message": text } }).to_string();
    for (id, status, body, kind) in FAILURES {
        fails(id, status, body, kind);
    }
    let waits = fails(P::Groq, 429, &message("Please try again in 7.66s."), K::RateLimited).wait;
    assert_eq!(waits, Some(8));
    let google = r#"{"error":{"details":[{"retryDelay":"34s"}]}}"#;
    assert_eq!(fails(P::Gemini, 429, google, K::RateLimited).wait, Some(34));
    // A reply that speaks of waiting asks for none.
    let reply = json!({ "choices": [{ "message": { "content": "try again in 9s" }, "finish_reason": "stop" }] });
    assert_eq!(answer(&endpoint(P::Custom), 200, &reply.to_string()).wait, None);
    let words = |id, status, body: &str| match answer(&endpoint(id), status, body).outcome {
        Outcome::Failure { detail, .. } => detail,
        Outcome::Reply { .. } => panic!("a reply"),
    };
    assert_eq!(words(P::Xai, 400, r#"{"code":"x","error":"no such thing"}"#), "no such thing");
    assert_eq!(words(P::Custom, 429, r#"[{"error":{"message":"slow","status":"S"}}]"#), "slow (S)");
    let echoed = message("Incorrect API key provided: sk-abcdefgh123456");
    assert_eq!(words(P::OpenAi, 401, &echoed), "Incorrect API key provided: [key]");
}

#[test]
fn a_cut_input_is_refused_in_every_dialect() {
    for (id, reply) in [
        (
            ProviderId::Ollama,
            json!({ "choices": [{ "message": { "content": "Mostly" }, "finish_reason": "stop" }], "usage": { "prompt_tokens": 100 } }),
        ),
        (
            ProviderId::OpenAiResponses,
            json!({ "status": "completed", "output": [{ "type": "message", "content": [{ "type": "output_text", "text": "Mostly" }] }], "usage": { "input_tokens": 100 } }),
        ),
        (
            ProviderId::Anthropic,
            json!({ "stop_reason": "end_turn", "content": [{ "type": "text", "text": "Mostly" }], "usage": { "input_tokens": 20, "cache_read_input_tokens": 80 } }),
        ),
        (
            ProviderId::Gemini,
            json!({ "candidates": [{ "content": { "parts": [{ "text": "Mostly" }] }, "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 100 } }),
        ),
    ] {
        let response = HttpResponse { status: 200, body: reply.to_string(), retry_after: None };
        let it = endpoint(id);
        let outcome = |estimate| provider::decode(&it, &response, estimate).outcome;
        assert!(matches!(outcome(150), Outcome::Reply { .. }), "{id:?}");
        assert!(matches!(outcome(1000), Outcome::Failure { kind: ErrorKind::InputCut, .. }));
    }
}

fn listed(id: ProviderId, body: &Value) -> Vec<ModelEntry> {
    provider::read_models(id, &body.to_string(), "2026-11-30")
}

fn entry(id: &str) -> ModelEntry {
    ModelEntry {
        id: id.to_owned(),
        name: None,
        context: None,
        prices: None,
        retires: None,
        structured: None,
    }
}

fn dollars(input: f64, output: f64) -> Prices {
    Prices { input, output, source: PriceSource::List, as_of: "2026-11-30".to_owned() }
}

#[test]
fn lists_of_models_are_read() {
    let openai = json!({ "object": "list", "data": [
        { "id": "b", "shutdown_date": "2026-10-23" }, { "id": "a" }, { "id": "b" },
    ] });
    let retires = Some("2026-10-23".to_owned());
    assert_eq!(
        listed(ProviderId::OpenAi, &openai),
        [entry("a"), ModelEntry { retires, ..entry("b") }]
    );
    let anthropic = json!({ "data": [{
        "id": "claude-opus-5", "display_name": "Claude Opus 5", "max_input_tokens": 200_000,
        "capabilities": { "structured_outputs": { "supported": true } },
    }], "has_more": false });
    let expected = ModelEntry {
        name: Some("Claude Opus 5".to_owned()),
        context: Some(200_000),
        structured: Some(true),
        ..entry("claude-opus-5")
    };
    assert_eq!(listed(ProviderId::Anthropic, &anthropic), [expected]);
    let gemini = json!({ "models": [
        { "name": "models/embed", "supportedGenerationMethods": ["embedContent"] },
        { "name": "models/gemini-2.5-flash", "displayName": "Gemini 2.5 Flash",
          "inputTokenLimit": 1_048_576, "supportedGenerationMethods": ["generateContent"] },
    ] });
    let expected = ModelEntry {
        name: Some("Gemini 2.5 Flash".to_owned()),
        context: Some(1_048_576),
        ..entry("gemini-2.5-flash")
    };
    assert_eq!(listed(ProviderId::Gemini, &gemini), [expected]);
    let mistral = json!({ "data": [
        { "id": "mistral-embed", "capabilities": { "completion_chat": false } },
        { "id": "mistral-small", "max_context_length": 32_768, "deprecation": "2026-12-31T12:00:00Z",
          "capabilities": { "completion_chat": true } },
    ] });
    let expected = ModelEntry {
        context: Some(32_768),
        retires: Some("2026-12-31".to_owned()),
        ..entry("mistral-small")
    };
    assert_eq!(listed(ProviderId::Mistral, &mistral), [expected]);
    let together = json!([
        { "id": "t", "type": "chat", "context_length": 8192, "pricing": { "input": 0.2, "output": 0.6 } },
        { "id": "u", "type": "chat", "pricing": { "input": 0, "output": 0 } },
        { "id": "v", "type": "image" },
    ]);
    let priced = ModelEntry { context: Some(8192), prices: Some(dollars(0.2, 0.6)), ..entry("t") };
    assert_eq!(listed(ProviderId::Together, &together), [priced, entry("u")]);
    let router = json!({ "data": [{ "id": "org/m", "providers": [
        { "provider": "p", "status": "live", "context_length": 4096,
          "pricing": { "input": 0.1, "output": 0.3 }, "supports_structured_output": true },
        { "provider": "q", "status": "error" },
        { "provider": "r" },
    ] }] });
    let p = ModelEntry {
        context: Some(4096),
        prices: Some(dollars(0.1, 0.3)),
        structured: Some(true),
        ..entry("org/m:p")
    };
    assert_eq!(listed(ProviderId::HuggingFace, &router), [p, entry("org/m:r")]);
    assert!(provider::read_models(ProviderId::OpenAi, "<html>", "").is_empty());
}

#[test]
fn prices_a_token_become_prices_a_million_exactly() {
    let priced = |pricing: Value| {
        let list = json!({ "data": [{ "id": "m", "pricing": pricing }] });
        listed(ProviderId::OpenRouter, &list).remove(0).prices
    };
    assert_eq!(
        priced(json!({ "prompt": "0.00000025", "completion": "0.000001" })),
        Some(dollars(0.25, 1.0))
    );
    assert_eq!(
        priced(json!({ "prompt": "0.0000011", "completion": "1.1e-6" })),
        Some(dollars(1.1, 1.1))
    );
    assert_eq!(priced(json!({ "prompt": "0", "completion": "0" })), Some(dollars(0.0, 0.0)));
    // Dynamic routers have none, and a price by the call is no price by the token.
    assert_eq!(priced(json!({ "prompt": "-1", "completion": "-1" })), None);
    assert_eq!(priced(json!({ "prompt": "0.1", "completion": "0.1", "request": "0.01" })), None);
    assert_eq!(priced(json!({ "prompt": "nought" })), None);
    let thinks =
        json!({ "prompt": "0.000001", "completion": "0.000002", "internal_reasoning": "0.000003" });
    assert_eq!(priced(thinks), Some(dollars(1.0, 3.0)));
    let by_the_hour = json!({ "prompt": "0.000001", "completion": "0.000002", "overrides": [
        { "completion": "0.000004" }, { "min_prompt_tokens": 200_000, "prompt": "0.000009" },
    ] });
    assert_eq!(priced(by_the_hour), Some(dollars(1.0, 4.0)));
    let elsewhere =
        json!({ "data": [{ "id": "m", "pricing": { "prompt": "1", "completion": "1" } }] });
    assert_eq!(listed(ProviderId::Custom, &elsewhere)[0].prices, None);
}

fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "choices",
        "message",
        "content",
        "text",
        "type",
        "finish_reason",
        "usage",
        "error",
        "code",
        "output",
        "status",
        "stop_reason",
        "candidates",
        "parts",
        "finishReason",
        "usageMetadata",
        "data",
        "models",
        "id",
        "name",
        "pricing",
        "providers",
        "input",
        "prompt_tokens",
        "0",
        "stop_details",
        "shutdown_date",
        "overrides",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "message",
            "output_text",
            "text",
            "stop",
            "completed",
            "tool_use",
            "STOP",
            "-1",
            "1e999",
            "<title>é</TITLE>",
            "refusal",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

/// Counts of one dialect are put together of up to three that a body holds.
const MOST_TOKENS: u64 = 3 * u32::MAX as u64;

fn check_decoding(status: u16, body: &str) -> Result<(), TestCaseError> {
    let is_good = (200..300).contains(&status);
    for row in provider::table() {
        let decoded = answer(&endpoint(row.id), status, body);
        match &decoded.outcome {
            Outcome::Reply { text, finish, evidence } => {
                prop_assert!(is_good && evidence.is_empty() && decoded.wait.is_none());
                let may_be_empty = matches!(finish, Finish::Length | Finish::Refused(_));
                prop_assert!(may_be_empty || !text.trim().is_empty());
            }
            Outcome::Failure { kind, status: told, detail, body: kept } => {
                // These speak of a body that could be read, those of a status.
                let of_a_reply = matches!(kind, K::EmptyReply | K::InputCut);
                prop_assert!(is_good || (!of_a_reply && *told == Some(status)));
                prop_assert!(told.is_none_or(|it| it == status || (400..600).contains(&it)));
                prop_assert!(detail.chars().count() <= 301 && detail.lines().count() <= 1);
                prop_assert!(kept.chars().count() <= 2000);
            }
        }
        let Usage { input, output, cached, reasoning } = decoded.usage;
        for count in [input, output, cached, reasoning].into_iter().flatten() {
            prop_assert!(count <= MOST_TOKENS);
        }
        check_models(row.id, body)?;
    }
    prop_assert!(provider::words(body).chars().count() <= 301);
    Ok(())
}

/// Each can be asked for, stands once and in order; what is told of it is of the kind it should be.
fn check_models(id: ProviderId, body: &str) -> Result<(), TestCaseError> {
    let models = provider::read_models(id, body, "2026-11-30");
    prop_assert!(models.windows(2).all(|it| it[0].id < it[1].id));
    for model in models {
        prop_assert!(!model.id.is_empty() && model.context != Some(0));
        prop_assert!(model.prices.is_none_or(|it| it.is_sound() && it.as_of == "2026-11-30"));
        let is_day =
            |it: &str| it.len() == 10 && it.bytes().filter(u8::is_ascii_digit).count() == 8;
        prop_assert!(model.retires.is_none_or(|it| is_day(&it)));
    }
    Ok(())
}

/// The `at`th of all texts in a value gets `more` at its end; says whether there was one.
fn append(value: &mut Value, at: &mut usize, more: &str) -> bool {
    match value {
        Value::String(text) => {
            if *at == 0 {
                text.push_str(more);
                return true;
            }
            *at -= 1;
            false
        }
        Value::Array(list) => list.iter_mut().any(|it| append(it, at, more)),
        Value::Object(map) => map.values_mut().any(|it| append(it, at, more)),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_body_stops_a_decoder(status in 100_u16..600, body in any_json()) {
        check_decoding(status, &body.to_string())?;
        check_decoding(200, &body.to_string())?;
    }

    #[test]
    fn no_bytes_stop_a_decoder(status in 100_u16..600, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_decoding(status, &String::from_utf8_lossy(&bytes))?;
        check_decoding(200, &String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn no_error_text_stops_a_decoder(
        before in prop::sample::select(vec!["try again in ", "retry after ", "\"retryDelay\":\"", "<title>"]),
        after in "[0-9.smh é\"<]{0,30}",
    ) {
        check_decoding(429, &format!("{before}{after}"))?;
    }

    /// An error as hosts write it, in whatever body, comes with its words, and with its key taken out.
    #[test]
    fn an_error_keeps_its_words_and_loses_its_key(
        status in prop::sample::select(vec![400_u16, 401, 403, 429, 500, 200]),
        words in "[a-zA-Z]{1,12}( [a-zA-Z]{1,12}){0,9}",
        key in "sk-[a-zA-Z0-9]{20,40}",
        mut beside in any_json(),
        place in 0..12_usize,
    ) {
        append(&mut beside, &mut { place }, &key);
        let body = json!({ "error": { "message": format!("{words}: {key}"), "more": beside } });
        for row in provider::table() {
            let decoded = answer(&endpoint(row.id), status, &body.to_string());
            let Outcome::Failure { detail, body: kept, .. } = &decoded.outcome else {
                return Err(TestCaseError::fail("an error is no reply"));
            };
            prop_assert!(detail.contains(&words) && detail.contains("[key]"), "{detail}");
            prop_assert!(!detail.contains(&key) && !kept.contains(&key), "{kept}");
        }
    }

    /// A wait is what the words say, rounded up, however it is put; a header goes before words.
    #[test]
    fn a_wait_is_as_long_as_the_words_say(
        (h, m, s, ms) in (0..30_u64, 0..100_u64, 0..100_u64, 0..1000_u64),
        before in prop::sample::select(vec!["Please try again in ", "Try again in ", "Retry after "]),
        spelt: bool,
        header in prop::option::of(0..1000_u64),
    ) {
        let said = if spelt {
            format!("{h} hours {m} minutes {s}.{ms:03} seconds")
        } else {
            format!("{h}h{m}m{s}.{ms:03}s")
        };
        let seconds = h * 3600 + m * 60 + s + u64::from(0 < ms);
        let google = format!("{s}.{ms:03}s");
        for (body, expected) in [
            (json!({ "error": { "message": format!("{before}{said}.") } }), seconds),
            (json!({ "error": { "details": [{ "retryDelay": google }] } }), s + u64::from(0 < ms)),
        ] {
            let response = HttpResponse { status: 429, body: body.to_string(), retry_after: header };
            let decoded = provider::decode(&endpoint(P::Groq), &response, 0);
            prop_assert_eq!(decoded.wait, Some(header.unwrap_or(expected)), "{}", body);
        }
    }

    /// However a list is wrapped, all of its models are read, and no other.
    #[test]
    fn a_list_of_models_is_read_whole(
        ids in prop::collection::btree_set("[a-z0-9./:é-]{1,12}", 0..8),
        wrapped in prop::sample::select(vec!["data", "models", ""]),
        (context, price) in (1..2_000_000_u64, 0..10_000_u32),
    ) {
        let list: Vec<Value> = ids
            .iter()
            .rev()
            .map(|id| json!({
                "id": id,
                "context_length": context,
                "pricing": { "prompt": format!("0.{price:010}"), "completion": "0" },
            }))
            .collect();
        let body = if wrapped.is_empty() { json!(list) } else { json!({ wrapped: list }) };
        let models = provider::read_models(P::OpenRouter, &body.to_string(), "2026-11-30");
        let read: Vec<&str> = models.iter().map(|it| it.id.as_str()).collect();
        prop_assert_eq!(read, ids.iter().map(String::as_str).collect::<Vec<_>>());
        for model in &models {
            prop_assert_eq!(model.context, Some(context));
            let input = model.prices.as_ref().map(|it| it.input);
            prop_assert_eq!(input, Some(f64::from(price) / 1e4));
        }
    }

    /// Text from elsewhere stays one string, whatever it holds, and the body stays JSON.
    #[test]
    fn a_prompt_stays_one_text(prompt in any::<String>(), model in "\\PC{1,20}", json_schema: bool, effort in 0_usize..5) {
        for row in provider::table() {
            let it = Endpoint {
                model: model.clone(),
                format: if json_schema { OutputFormat::JsonSchema } else { OutputFormat::Lines },
                effort: Effort::ALL.get(effort).copied(),
                ..endpoint(row.id)
            };
            let encoded = provider::encode(&it, &prompt, Wanted::Labels(3), Again::Plain);
            let body = body(&encoded);
            let text = match it.can().dialect {
                Dialect::ChatCompletions | Dialect::Messages => "/messages/0/content",
                Dialect::Responses => "/input",
                Dialect::GenerateContent => "/contents/0/parts/0/text",
            };
            let sent = body.pointer(text).and_then(Value::as_str).unwrap();
            let is_whole = if json_schema && it.can().structured == Structured::Object {
                sent.starts_with(&prompt)
            } else {
                sent == prompt
            };
            prop_assert!(is_whole);
            prop_assert!(encoded.request.url.starts_with(it.base_url.as_str()));
            prop_assert!(!encoded.request.url[it.base_url.len()..].contains(['?', '#', ' ']));
        }
    }
}
