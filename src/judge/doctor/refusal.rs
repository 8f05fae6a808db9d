//! Which parameter a refused request was refused for, in the many ways that hosts say so.

use serde_json::Value;

use crate::judge::doctor::Parameter;

/// What a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Parameter(Parameter),
    /// Some parameter, and the host does not say which.
    Unnamed,
}

/// Names of parameters in the bodies of all dialects, in small letters without separators. Longer ones
/// that hold shorter ones come first.
const NAMES: [(&str, Parameter); 18] = [
    ("maxcompletiontokens", Parameter::Cap),
    ("maxoutputtokens", Parameter::Cap),
    ("maxtokens", Parameter::Cap),
    ("temperature", Parameter::Temperature),
    ("randomseed", Parameter::Seed),
    ("seed", Parameter::Seed),
    ("reasoningeffort", Parameter::Effort),
    ("outputconfigeffort", Parameter::Effort),
    ("reasoning", Parameter::Effort),
    ("thinking", Parameter::Effort),
    ("responseformat", Parameter::Structured),
    ("responsejsonschema", Parameter::Structured),
    ("responsemimetype", Parameter::Structured),
    ("textformat", Parameter::Structured),
    ("outputconfig", Parameter::Structured),
    ("jsonschema", Parameter::Structured),
    ("structuredoutput", Parameter::Structured),
    ("toolchoice", Parameter::Structured),
];

/// Words that say that something in the request is not taken. A parameter that is named without one of
/// them, as in advice, is not what was refused.
const REFUSING: [&str; 19] = [
    "not support",
    "unsupported",
    "isn't support",
    "deprecated",
    "unrecognized",
    "unrecognised",
    "unknown",
    "extra inputs",
    "extra_forbidden",
    "not permitted",
    "not allowed",
    "unavailable",
    "invalid",
    "cannot",
    "can't",
    "must be",
    "should be",
    "is too large",
    "may only",
];

/// What a refusal is about, where its words tell.
pub(super) fn refused(body: &str) -> Option<Refused> {
    let lower = body.to_lowercase();
    // OpenRouter, told to drop nothing, has no host that takes everything.
    if lower.contains("the requested parameters") || lower.contains("all requested parameters") {
        return Some(Refused::Unnamed);
    }
    let value = serde_json::from_str::<Value>(body).unwrap_or_default();
    // One of Google’s addresses wraps the object in a list.
    let value = value.get(0).unwrap_or(&value);
    let error = value.get("error").filter(|it| !it.is_null()).unwrap_or(value);
    at_a_place(error)
        .or_else(|| at_a_place(value))
        .or_else(|| in_words(&message(error).unwrap_or_else(|| body.to_owned())))
        .map(Refused::Parameter)
}

/// Named in a field of its own: OpenAI’s `param`, Google’s field violations, FastAPI’s `loc`.
fn at_a_place(error: &Value) -> Option<Parameter> {
    let param = error.get("param").and_then(Value::as_str).and_then(named);
    let violations = error
        .get("details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("fieldViolations").and_then(Value::as_array))
        .flatten()
        .filter_map(|it| it.get("field").and_then(Value::as_str))
        .find_map(named);
    let loc = || {
        let detail = error.get("detail").and_then(Value::as_array)?;
        let loc = |it: &Value| {
            let parts = it.get("loc")?.as_array()?.iter().filter_map(Value::as_str);
            named(&parts.collect::<Vec<_>>().join("."))
        };
        detail.iter().find_map(loc)
    };
    param.or(violations).or_else(loc)
}

fn message(error: &Value) -> Option<String> {
    match error {
        Value::String(text) => Some(text.clone()),
        _ => match error.get("message").or(error.get("detail"))? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        },
    }
}

/// The parameter that a path in a request leads to.
pub(super) fn named(path: &str) -> Option<Parameter> {
    let plain = squeezed(path);
    NAMES.iter().find(|(name, _)| plain.contains(name)).map(|(_, parameter)| *parameter)
}

/// The parameter that a refusing sentence names first: what it names after that is advice.
pub(super) fn in_words(message: &str) -> Option<Parameter> {
    let lower = message.to_lowercase();
    if !REFUSING.iter().any(|it| lower.contains(it)) {
        return None;
    }
    words(&lower).find_map(|word| {
        let plain = squeezed(word);
        let fits = |name: &str| plain == name || (3 < name.len() && plain.starts_with(name));
        NAMES.iter().find(|(name, _)| fits(name)).map(|(_, parameter)| *parameter)
    })
}

/// Words with the dots and lines that stand inside names, and pairs such as “response format”.
fn words(lower: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || "._".contains(c));
    let mut starts = lower
        .char_indices()
        .scan(true, move |after_end, (at, c)| {
            let starts = *after_end && !is_end(c);
            *after_end = is_end(c);
            Some(starts.then_some(at))
        })
        .flatten();
    std::iter::from_fn(move || {
        let at = starts.next()?;
        let rest = &lower[at..];
        let first = rest.find(is_end).unwrap_or(rest.len());
        // “Response format” and “structured outputs” are two words to some.
        let pair = ["response format", "structured output", "max tokens", "reasoning effort"]
            .iter()
            .find(|it| rest.starts_with(**it));
        Some(pair.map_or(&rest[..first], |it| &rest[..it.len()]))
    })
}

fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<Parameter>) {
        assert_eq!(refused(body), expected.map(Refused::Parameter), "{body}");
    }

    #[test]
    fn a_field_names_what_was_refused() {
        check(
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#,
            Some(Parameter::Cap),
        );
        check(
            r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","param":"temperature","code":"unsupported_value"}}"#,
            Some(Parameter::Temperature),
        );
        check(
            r#"{"error":{"message":"x","param":"text.format.schema"}}"#,
            Some(Parameter::Structured),
        );
        check(r#"{"error":{"message":"x","param":"reasoning.effort"}}"#, Some(Parameter::Effort));
        check(
            r#"{"error":{"code":400,"message":"Invalid","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"generation_config.thinking_config.thinking_budget","description":"x"}]}]}}"#,
            Some(Parameter::Effort),
        );
        check(
            r#"{"detail":[{"loc":["body","random_seed"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}"#,
            Some(Parameter::Seed),
        );
    }

    #[test]
    fn words_name_what_was_refused() {
        for (message, expected) in [
            ("`temperature` is deprecated for this model.", Some(Parameter::Temperature)),
            ("temperature: Extra inputs are not permitted", Some(Parameter::Temperature)),
            ("output_config.format: Extra inputs are not permitted", Some(Parameter::Structured)),
            ("output_config.effort: Extra inputs are not permitted", Some(Parameter::Effort)),
            ("thinking.budget_tokens: Extra inputs are not permitted", Some(Parameter::Effort)),
            (
                "Invalid JSON payload received. Unknown name \\\"responseJsonSchema\\\" at 'generation_config': Cannot find field.",
                Some(Parameter::Structured),
            ),
            ("Unrecognized request argument supplied: reasoning_effort", Some(Parameter::Effort)),
            (
                "This model does not support response format `json_schema`",
                Some(Parameter::Structured),
            ),
            ("This response_format type is unavailable now", Some(Parameter::Structured)),
            (
                "Model grok-4.20 does not support parameter reasoningEffort.",
                Some(Parameter::Effort),
            ),
            (
                "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted'}]",
                Some(Parameter::Seed),
            ),
            ("'max_tokens' is not supported. Use 'max_completion_tokens'.", Some(Parameter::Cap)),
            ("Unknown parameter: seeds", Some(Parameter::Seed)),
            // Advice, and words that only look like names.
            ("Please raise max_tokens.", None),
            ("messages: text content blocks must be non-empty", None),
            ("Unknown model: seedling... is not supported", Some(Parameter::Seed)),
        ] {
            // The last one is a wrong guess, which costs a call and is put right by what was sent.
            check(&format!(r#"{{"error":{{"message":"{message}"}}}}"#), expected);
        }
        check("Unsupported param: temperature", Some(Parameter::Temperature));
        assert_eq!(
            refused(
                r#"{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}"#
            ),
            Some(Refused::Unnamed)
        );
    }
}
