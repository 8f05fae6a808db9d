//! OpenAI-compatible chat completions: a prompt to a request, a response to an outcome.
//!
//! Compatible servers differ in everything but the outline, so a response is read defensively:
//! a missing, null or empty `choices`, content as a string, as parts or null, an error inside a 200,
//! an HTML page where JSON should be.

use serde_json::{Value, json};

use crate::judge::attempt::BODY;
use crate::judge::http::{HttpRequest, HttpResponse, Method};
use crate::judge::preference;
use crate::judge::template::item_key;
use crate::judge::{Again, Endpoint, ErrorKind, Finish, Outcome, OutputFormat, Usage};
use crate::rubric::Label;

/// A request ready to send but for the key, with what was sent and what was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    pub request: HttpRequest,
    /// As `name=value`.
    pub sent: Vec<String>,
    /// As `name: reason`.
    pub dropped: Vec<String>,
}

/// What a response says.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    pub outcome: Outcome,
    pub model: Option<String>,
    pub usage: Usage,
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
    fn schema(self) -> (&'static str, Value) {
        match self {
            Self::Labels(n_items) => ("labels", schema(n_items)),
            Self::Verdict { allow_tie } => ("verdict", preference::schema(allow_tie)),
        }
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
    let mut body = json!({
        "model": endpoint.model,
        "messages": [{ "role": "user", "content": prompt }],
    });
    let mut sent = Vec::new();
    let mut dropped = Vec::new();
    if let Some(temperature) = endpoint.temperature {
        if refuses_temperature(&endpoint.model) {
            dropped.push(format!("temperature: {} takes none", endpoint.model));
        } else {
            body["temperature"] = json!(temperature);
            sent.push(format!("temperature={temperature}"));
        }
    }
    if let Some(max_tokens) = endpoint.max_tokens {
        let name = max_tokens_name(endpoint);
        let max_tokens = with.cap(max_tokens);
        body[name] = json!(max_tokens);
        sent.push(format!("{name}={max_tokens}"));
    }
    if endpoint.format == OutputFormat::JsonSchema {
        let (name, schema) = wanted.schema();
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": name, "strict": true, "schema": schema },
        });
        sent.push("response_format=json_schema".to_owned());
    }
    sent.extend(with.sent().map(str::to_owned));
    Encoded {
        request: HttpRequest {
            method: Method::Post,
            url: format!("{}/chat/completions", endpoint.base_url.trim_end_matches('/')),
            headers: vec![("Content-Type", "application/json")],
            body: body.to_string(),
        },
        sent,
        dropped,
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

/// Asks a host which models it has: a plain GET, which needs no header but the key.
pub fn list_models(base_url: &str) -> HttpRequest {
    HttpRequest {
        method: Method::Get,
        url: format!("{}/models", base_url.trim_end_matches('/')),
        headers: Vec::new(),
        body: String::new(),
    }
}

/// The ids in a list of models, sorted: under `data`, or a bare array as one provider sends it.
pub fn model_ids(body: &str) -> Vec<String> {
    let Ok(body) = serde_json::from_str::<Value>(body) else {
        return Vec::new();
    };
    let list = body.get("data").unwrap_or(&body).as_array();
    let mut ids: Vec<String> = list
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("id").and_then(Value::as_str))
        .map(str::to_owned)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
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

/// OpenAI's own host wants the new name; most compatible servers know only the old one.
fn max_tokens_name(endpoint: &Endpoint) -> &'static str {
    match endpoint.host() {
        "api.openai.com" | "api.groq.com" | "api.x.ai" => "max_completion_tokens",
        _ => "max_tokens",
    }
}

/// Reasoning models that answer any temperature with 400.
fn refuses_temperature(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let o_series =
        name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let gpt_5 = name.starts_with("gpt-5") && !name.starts_with("gpt-5-chat");
    o_series || gpt_5
}

/// Reads a response. `estimate` is our own count of the prompt's tokens.
pub fn decode(response: &HttpResponse, estimate: u64) -> Decoded {
    let mut decoded = decode_words(response, estimate);
    if let Outcome::Failure { body, .. } = &mut decoded.outcome {
        let kept: String = response.body.chars().take(BODY).collect();
        *body = crate::judge::secret::redact_shapes(&kept);
    }
    decoded
}

fn decode_words(response: &HttpResponse, estimate: u64) -> Decoded {
    if !(200..300).contains(&response.status) {
        return Decoded::failure(
            status_kind(response.status, &response.body),
            Some(response.status),
            &error_words(&response.body),
        );
    }
    let Ok(body) = serde_json::from_str::<Value>(&response.body) else {
        return Decoded::failure(
            ErrorKind::Malformed,
            Some(response.status),
            &first_words(&response.body),
        );
    };
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return in_body(error, response.status);
    }
    let choice = body.pointer("/choices/0").unwrap_or(&Value::Null);
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return in_body(error, response.status);
    }

    let usage = usage(&body);
    let model = body.get("model").and_then(Value::as_str).map(str::to_owned);
    if let Some(input) = usage.input
        && input.saturating_mul(2) < estimate
    {
        let detail =
            format!("the server counted {input} input tokens where about {estimate} were sent");
        return Decoded { usage, model, ..Decoded::failure(ErrorKind::InputCut, None, &detail) };
    }

    let message = choice.get("message").unwrap_or(&Value::Null);
    let refusal = message.get("refusal").and_then(Value::as_str).unwrap_or_default();
    let text = content(message.get("content").unwrap_or(&Value::Null));
    let finish = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if !refusal.is_empty() => Finish::Refused(first_words(refusal)),
        Some("content_filter") => Finish::Refused("a content filter stopped the reply".to_owned()),
        Some("stop" | "eos") => Finish::Stop,
        Some("length" | "model_length" | "max_tokens") => Finish::Length,
        Some("error" | "insufficient_system_resource") => {
            return Decoded {
                usage,
                model,
                ..Decoded::failure(
                    ErrorKind::ServerError,
                    None,
                    "the provider ended the reply with an error",
                )
            };
        }
        Some(other) => Finish::Other(first_words(other)),
        None => Finish::Other("none given".to_owned()),
    };
    let readable = !text.trim().is_empty() || matches!(finish, Finish::Length | Finish::Refused(_));
    if !readable {
        let detail = if message
            .get("reasoning_content")
            .or(message.get("reasoning"))
            .is_some_and(Value::is_string)
        {
            "all tokens went into reasoning"
        } else {
            "no text in the first choice"
        };
        return Decoded { usage, model, ..Decoded::failure(ErrorKind::EmptyReply, None, detail) };
    }
    Decoded { outcome: Outcome::Reply { text, finish, evidence: Vec::new() }, model, usage }
}

impl Decoded {
    fn failure(kind: ErrorKind, status: Option<u16>, detail: &str) -> Self {
        Self {
            outcome: Outcome::Failure {
                kind,
                status,
                detail: crate::judge::secret::redact_shapes(detail),
                body: String::new(),
            },
            model: None,
            usage: Usage::default(),
        }
    }
}

/// An error that came with status 200, or beside a choice: its own code is the real status.
fn in_body(error: &Value, status: u16) -> Decoded {
    let code = error
        .get("code")
        .and_then(|code| code.as_u64().or_else(|| code.as_str().and_then(|text| text.parse().ok())))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    let words = error_value_words(error);
    let kind = code.map_or(ErrorKind::ServerError, |code| status_kind(code, &words));
    Decoded::failure(kind, code.or(Some(status)), &words)
}

fn status_kind(status: u16, body: &str) -> ErrorKind {
    let says = |words: &[&str]| {
        let lower = body.to_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    match status {
        // Gemini and xAI answer a bad key with 400.
        400 if says(&[
            "api key not valid",
            "incorrect api key",
            "api_key_invalid",
            "invalid api key",
        ]) =>
        {
            ErrorKind::KeyRefused
        }
        400 | 413 | 422 | 500
            if says(&[
                "context_length",
                "context length",
                "maximum context",
                "context size",
                "too many tokens",
            ]) =>
        {
            ErrorKind::TooLarge
        }
        401 => ErrorKind::KeyRefused,
        402 => ErrorKind::NoCredit,
        403 => ErrorKind::Forbidden,
        404 => ErrorKind::NotFound,
        413 => ErrorKind::TooLarge,
        429 if says(&[
            "insufficient_quota",
            "spend limit",
            "credit balance",
            "insufficient credit",
        ]) =>
        {
            ErrorKind::NoCredit
        }
        429 if says(&["perday", "per day", "daily", "requests per day"]) => ErrorKind::DailyQuota,
        429 => ErrorKind::RateLimited,
        503 | 529 => ErrorKind::Overloaded,
        408 | 409 | 425 | 500..=599 => ErrorKind::ServerError,
        _ => ErrorKind::BadRequest,
    }
}

/// The wait a 429 asks for inside its body, as Google writes it: `"retryDelay": "34s"`.
pub fn retry_hint(body: &str) -> Option<u64> {
    let after = body.split_once("\"retryDelay\"")?.1;
    let value = after.split('"').nth(1)?;
    let seconds: f64 = value.strip_suffix('s')?.parse().ok()?;
    (seconds.is_finite() && 0.0 <= seconds).then_some(seconds.ceil() as u64)
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

fn usage(body: &Value) -> Usage {
    // A count beyond any model’s reach is no count.
    let number = |path: &str| {
        body.pointer(path).and_then(Value::as_u64).filter(|it| u32::try_from(*it).is_ok())
    };
    let input = number("/usage/prompt_tokens");
    // Some hosts count reasoning in the total only. It is paid for like the rest of the output.
    let beyond = number("/usage/total_tokens")
        .zip(input)
        .map_or(0, |(total, input)| total.saturating_sub(input));
    Usage {
        input,
        output: number("/usage/completion_tokens").map(|it| it.max(beyond)),
        cached: number("/usage/prompt_tokens_details/cached_tokens"),
        reasoning: number("/usage/completion_tokens_details/reasoning_tokens"),
    }
}

fn error_words(body: &str) -> String {
    match serde_json::from_str::<Value>(body) {
        Ok(value) => error_value_words(value.get("error").unwrap_or(&value)),
        Err(_) => first_words(body),
    }
}

fn error_value_words(error: &Value) -> String {
    let text = match error {
        Value::String(text) => text.clone(),
        _ => {
            let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
            let message = part("message");
            let code =
                [part("code"), part("type"), part("status")].into_iter().find(|it| !it.is_empty());
            match code {
                Some(code) if !message.is_empty() => format!("{message} ({code})"),
                Some(code) => code.to_owned(),
                None if message.is_empty() => error.to_string(),
                None => message.to_owned(),
            }
        }
    };
    first_words(&text)
}

/// At most 300 characters on one line; of an HTML page its title.
fn first_words(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        lower[start..].find("</title>").map(|len| &text[start..start + len])
    });
    let source = match title {
        Some(title) => format!("an HTML page titled “{}”", title.trim()),
        None if lower.trim_start().starts_with("<!doctype")
            || lower.trim_start().starts_with("<html") =>
        {
            "an HTML page".to_owned()
        }
        None => text.to_owned(),
    };
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Prompt;

    fn endpoint(format: OutputFormat) -> Endpoint {
        Endpoint {
            base_url: "https://llm.example.org/v1/".to_owned(),
            model: "small".to_owned(),
            temperature: Some(0.0),
            max_tokens: Some(300),
            format,
            prompt: Prompt::viva(),
        }
    }

    #[test]
    fn a_request_has_one_user_message_and_one_header() {
        let encoded =
            encode(&endpoint(OutputFormat::Lines), "hello", Wanted::Labels(2), Again::Plain);
        assert_eq!(encoded.request.url, "https://llm.example.org/v1/chat/completions");
        assert_eq!(encoded.request.headers, vec![("Content-Type", "application/json")]);
        assert_eq!(
            serde_json::from_str::<Value>(&encoded.request.body).unwrap(),
            json!({
                "model": "small",
                "messages": [{ "role": "user", "content": "hello" }],
                "temperature": 0.0,
                "max_tokens": 300,
            })
        );
        assert_eq!(encoded.sent, ["temperature=0", "max_tokens=300"]);
    }

    #[test]
    fn asking_again_raises_the_cap_or_adds_a_note_and_says_so() {
        let lines = endpoint(OutputFormat::Lines);
        let raised = encode(&lines, "hello", Wanted::Labels(2), Again::RaisedCap);
        let body: Value = serde_json::from_str(&raised.request.body).unwrap();
        assert_eq!(body["max_tokens"], json!(600));
        assert_eq!(body["messages"][0]["content"], json!("hello"));
        assert_eq!(raised.sent, ["temperature=0", "max_tokens=600", "again=raised_cap"]);
        let noted = encode(&lines, "hello", Wanted::Labels(2), Again::RepairNote);
        let body: Value = serde_json::from_str(&noted.request.body).unwrap();
        let content = body["messages"][0]["content"].as_str().unwrap();
        assert!(content.starts_with("hello\n\n") && content.contains("exactly 2 lines"));
        assert_eq!(noted.sent, ["temperature=0", "max_tokens=300", "again=repair_note"]);
    }

    #[test]
    fn models_are_listed_in_both_shapes() {
        assert_eq!(
            model_ids(r#"{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}"#),
            ["a", "b"]
        );
        assert_eq!(model_ids(r#"[{"id":"a"},{"name":"x"}]"#), ["a"]);
        assert!(model_ids("<html>").is_empty());
        assert_eq!(list_models("http://h/v1/").url, "http://h/v1/models");
    }

    #[test]
    fn a_schema_request_keeps_to_the_common_subset() {
        let encoded =
            encode(&endpoint(OutputFormat::JsonSchema), "hello", Wanted::Labels(2), Again::Plain);
        let body: Value = serde_json::from_str(&encoded.request.body).unwrap();
        let schema = &body["response_format"]["json_schema"]["schema"];
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["required"], json!(["item_1", "item_2"]));
        assert_eq!(schema["properties"]["item_2"]["enum"][0], json!("Not at all"));
    }

    #[test]
    fn parameters_a_model_refuses_are_dropped_and_said() {
        for (model, refused) in [
            ("o3-mini", true),
            ("openai/gpt-5.1", true),
            ("gpt-5-chat-latest", false),
            ("olmo-2", false),
        ] {
            let mut it = endpoint(OutputFormat::Lines);
            it.model = model.to_owned();
            let encoded = encode(&it, "x", Wanted::Labels(1), Again::Plain);
            assert_eq!(encoded.dropped.len(), usize::from(refused), "{model}");
        }
        let mut it = endpoint(OutputFormat::Lines);
        it.base_url = "https://api.openai.com/v1".to_owned();
        assert!(
            encode(&it, "x", Wanted::Labels(1), Again::Plain)
                .request
                .body
                .contains("max_completion_tokens")
        );
    }

    #[track_caller]
    fn read(status: u16, body: &str) -> Decoded {
        decode(&HttpResponse { status, body: body.to_owned(), retry_after: None }, 10)
    }

    #[track_caller]
    fn fails(status: u16, body: &str, expected: ErrorKind) {
        match read(status, body).outcome {
            Outcome::Failure { kind, .. } => assert_eq!(kind, expected, "{body}"),
            Outcome::Reply { text, .. } => panic!("read as a reply: {text}"),
        }
    }

    #[test]
    fn failures_are_told_apart() {
        fails(200, r#"{"choices":[]}"#, ErrorKind::EmptyReply);
        fails(200, r#"{"choices":null}"#, ErrorKind::EmptyReply);
        fails(200, "{}", ErrorKind::EmptyReply);
        fails(
            200,
            r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#,
            ErrorKind::EmptyReply,
        );
        fails(
            200,
            r#"{"choices":[{"message":{"content":"  "},"finish_reason":"stop"}]}"#,
            ErrorKind::EmptyReply,
        );
        fails(200, r#"{"error":{"code":429,"message":"slow down"}}"#, ErrorKind::RateLimited);
        fails(
            200,
            r#"{"choices":[{"error":{"code":402,"message":"pay"},"finish_reason":"error"}]}"#,
            ErrorKind::NoCredit,
        );
        fails(200, "<!doctype html><title>Welcome</title>", ErrorKind::Malformed);
        fails(200, r#"{"choices":[{"mess"#, ErrorKind::Malformed);
        fails(
            400,
            r#"{"error":{"message":"API key not valid. Please pass a valid API key."}}"#,
            ErrorKind::KeyRefused,
        );
        fails(
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
            ErrorKind::TooLarge,
        );
        fails(
            400,
            r#"{"error":{"message":"temperature is not supported"}}"#,
            ErrorKind::BadRequest,
        );
        fails(401, "", ErrorKind::KeyRefused);
        fails(402, "{}", ErrorKind::NoCredit);
        fails(403, "{}", ErrorKind::Forbidden);
        fails(404, r#"{"error":{"code":"model_not_found"}}"#, ErrorKind::NotFound);
        fails(413, "<html>413</html>", ErrorKind::TooLarge);
        fails(429, r#"{"error":{"code":"insufficient_quota"}}"#, ErrorKind::NoCredit);
        fails(
            429,
            r#"{"error":{"details":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}}"#,
            ErrorKind::DailyQuota,
        );
        fails(429, "{}", ErrorKind::RateLimited);
        fails(
            429,
            r#"{"error":{"message":"Rate limit reached, tokens per minute. Upgrade at https://example.org/settings/billing"}}"#,
            ErrorKind::RateLimited,
        );
        fails(
            429,
            r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"Check your plan and billing details","details":[{"quotaId":"GenerateRequestsPerMinute"}]}}"#,
            ErrorKind::RateLimited,
        );
        fails(
            500,
            r#"{"error":{"message":"the request exceeds the available context size"}}"#,
            ErrorKind::TooLarge,
        );
        fails(502, "<html><title>502 Bad Gateway</title></html>", ErrorKind::ServerError);
        fails(503, "{}", ErrorKind::Overloaded);
        fails(529, "{}", ErrorKind::Overloaded);
    }

    #[test]
    fn an_html_page_is_named_by_its_title() {
        match read(502, "<html><TITLE>502 Bad Gateway</TITLE></html>").outcome {
            Outcome::Failure { detail, .. } => {
                assert_eq!(detail, "an HTML page titled “502 Bad Gateway”");
            }
            Outcome::Reply { .. } => panic!("a reply"),
        }
    }

    #[test]
    fn replies_are_read_in_every_shape() {
        let plain = read(
            200,
            "\n\n{\"model\":\"m-2\",\"choices\":[{\"message\":{\"content\":\"Mostly\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}",
        );
        assert_eq!(plain.model.as_deref(), Some("m-2"));
        assert_eq!(plain.usage.output, Some(2));
        assert_eq!(
            plain.outcome,
            Outcome::Reply {
                text: "Mostly".to_owned(),
                finish: Finish::Stop,
                evidence: Vec::new()
            }
        );

        let parts = read(
            200,
            r#"{"choices":[{"message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"Barely"}]},"finish_reason":"eos"}]}"#,
        );
        assert!(matches!(parts.outcome, Outcome::Reply { ref text, .. } if text == "Barely"));

        let refused = read(
            200,
            r#"{"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}]}"#,
        );
        assert!(matches!(refused.outcome, Outcome::Reply { finish: Finish::Refused(_), .. }));

        let cut = read(200, r#"{"choices":[{"message":{"content":""},"finish_reason":"length"}]}"#);
        assert!(matches!(cut.outcome, Outcome::Reply { finish: Finish::Length, .. }));
    }

    #[test]
    fn reasoning_outside_the_completion_is_output_too() {
        let usage = read(
            200,
            r#"{"choices":[{"message":{"content":"Mostly"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":112}}"#,
        )
        .usage;
        assert_eq!((usage.input, usage.output), (Some(10), Some(102)));
    }

    #[test]
    fn a_cut_input_is_refused() {
        let body = r#"{"choices":[{"message":{"content":"Mostly"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100}}"#;
        let response = HttpResponse { status: 200, body: body.to_owned(), retry_after: None };
        assert!(matches!(decode(&response, 150).outcome, Outcome::Reply { .. }));
        assert!(matches!(
            decode(&response, 1000).outcome,
            Outcome::Failure { kind: ErrorKind::InputCut, .. }
        ));
    }

    #[test]
    fn a_wait_in_the_body_is_found() {
        assert_eq!(retry_hint(r#"{"error":{"details":[{"retryDelay": "33.2s"}]}}"#), Some(34));
        assert_eq!(retry_hint(r#"{"retryDelay":"soon"}"#), None);
        assert_eq!(retry_hint("{}"), None);
    }

    #[test]
    fn keys_in_error_words_are_removed() {
        match read(401, r#"{"error":{"message":"Incorrect API key provided: sk-abcdefgh123456"}}"#)
            .outcome
        {
            Outcome::Failure { detail, .. } => {
                assert_eq!(detail, "Incorrect API key provided: [key]");
            }
            Outcome::Reply { .. } => panic!("a reply"),
        }
    }
}
