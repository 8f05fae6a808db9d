//! What providers say when they give no reply, in the many shapes that they say it.

use serde_json::Value;

use crate::judge::ErrorKind;

/// What a status and a body mean. The words count where one status has several meanings.
pub(super) fn kind(status: u16, body: &str) -> ErrorKind {
    let lower = body.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match status {
        // The text never reached the model: a refusal, and no fault of the request.
        400 | 403
            if says(&[
                "content_filter",
                "responsibleaipolicyviolation",
                "flagged_input",
                "prompt was flagged",
                "blocked by content filtering",
                "content exists risk",
                "violates usage guidelines",
            ]) =>
        {
            ErrorKind::Filtered
        }
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
        // An organisation that forbids pages, a country that is not served.
        400..=403 if says(&["cors requests are not allowed", "user location is not supported"]) => {
            ErrorKind::Forbidden
        }
        400 | 403 | 429
            if says(&[
                "insufficient_quota",
                "spend limit",
                "spending limit",
                "used all available credits",
                "any credits or licenses",
                "reached your specified api usage limits",
                "credit balance",
                "insufficient credit",
            ]) =>
        {
            ErrorKind::NoCredit
        }
        // A reply that broke the schema: the next may keep it.
        400 if says(&["json_validate_failed"]) => ErrorKind::Malformed,
        400 if says(&[
            "model_not_found",
            "model_decommissioned",
            "model not exist",
            "invalid model",
            "not a valid model id",
            "model_not_supported",
            "does not exist or your team",
        ]) =>
        {
            ErrorKind::NotFound
        }
        400 | 413 | 422 | 500
            if says(&[
                "context_length",
                "context length",
                "maximum context",
                "context size",
                "prompt is too long",
                "too many tokens",
                "exceeds the maximum number of tokens",
                "longer than the maximum model length",
            ]) =>
        {
            ErrorKind::TooLarge
        }
        401 => ErrorKind::KeyRefused,
        402 if says(&["in_flight_budget_exhausted"]) => ErrorKind::RateLimited,
        402 => ErrorKind::NoCredit,
        403 => ErrorKind::Forbidden,
        404 | 410 => ErrorKind::NotFound,
        413 => ErrorKind::TooLarge,
        429 if says(&["perday", "per day", "per-day", "daily"]) => ErrorKind::DailyQuota,
        429 => ErrorKind::RateLimited,
        // 498 is Groq’s word for a full house.
        498 | 503 | 529 => ErrorKind::Overloaded,
        408 | 409 | 425 | 500..=599 => ErrorKind::ServerError,
        _ => ErrorKind::BadRequest,
    }
}

/// An error that came with a good status, at the top or beside a choice: kind, real status, words.
pub(super) fn in_body(body: &Value) -> Option<(ErrorKind, Option<u16>, String)> {
    let error = [body.get("error"), body.pointer("/0/error"), body.pointer("/choices/0/error")]
        .into_iter()
        .flatten()
        .find(|error| !error.is_null())?;
    let words = value_words(error);
    let code = error
        .get("code")
        .and_then(|code| code.as_u64().or_else(|| code.as_str().and_then(|text| text.parse().ok())))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    let named = ["code", "type", "status"]
        .iter()
        .find_map(|name| error.get(*name).and_then(Value::as_str).and_then(status_of));
    let kind =
        code.or(named).map_or(ErrorKind::ServerError, |status| kind(status, &error.to_string()));
    Some((kind, code, words))
}

/// The status that an error by this name comes with when it comes alone.
fn status_of(name: &str) -> Option<u16> {
    Some(match name.to_lowercase().as_str() {
        "invalid_request_error"
        | "invalid_prompt"
        | "invalid_argument"
        | "context_length_exceeded"
        | "content_filter" => 400,
        "authentication_error" | "invalid_api_key" | "unauthenticated" => 401,
        "billing_error" | "payment_required" => 402,
        "permission_error" | "permission_denied" => 403,
        "not_found_error" | "model_not_found" | "not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_exceeded"
        | "rate_limit_error"
        | "resource_exhausted"
        | "insufficient_quota" => 429,
        "overloaded_error" | "provider_overloaded" | "unavailable" => 503,
        _ => return None,
    })
}

/// What a body says, in its own words.
pub fn words(body: &str) -> String {
    match serde_json::from_str::<Value>(body) {
        Ok(value) => {
            // One of Google’s addresses wraps the object in a list.
            let value = value.get(0).unwrap_or(&value);
            value_words(value.get("error").filter(|it| !it.is_null()).unwrap_or(value))
        }
        Err(_) => first_words(body),
    }
}

fn value_words(error: &Value) -> String {
    let text = match error {
        Value::String(text) => text.clone(),
        _ => {
            let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
            let message = part("message");
            let code =
                [part("code"), part("type"), part("status")].into_iter().find(|it| !it.is_empty());
            match code {
                Some(code) if !message.is_empty() => format!("{message} ({code})"),
                // A message can be an object, or stand under another name.
                _ if message.is_empty()
                    && 1 < error.as_object().map_or(0, serde_json::Map::len) =>
                {
                    error.to_string()
                }
                Some(code) => code.to_owned(),
                None if message.is_empty() => error.to_string(),
                None => message.to_owned(),
            }
        }
    };
    first_words(&text)
}

/// At most 300 characters on one line; of an HTML page its title.
pub(super) fn first_words(text: &str) -> String {
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

/// The seconds that an error asks to wait for: as Google writes it, `"retryDelay": "34s"`, or as others
/// do in a sentence, “try again in 1m7.66s”.
pub(super) fn wait(body: &str) -> Option<u64> {
    let google = body
        .split_once("\"retryDelay\"")
        .and_then(|(_, after)| after.split('"').nth(1))
        .and_then(duration);
    let lower = body.to_ascii_lowercase();
    google.or_else(|| {
        ["try again in ", "retry after "]
            .iter()
            .find_map(|before| lower.split_once(before).and_then(|(_, after)| duration(after)))
    })
}

/// Numbers with their units at the beginning of a text, rounded up to seconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut seconds: Option<f64> = None;
    loop {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else {
            break;
        };
        let after = rest[digits..].trim_start_matches(' ');
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" => 0.001,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * unit);
        rest = after[letters..].trim_start_matches(' ');
    }
    seconds.map(|it| it.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_in_the_words_is_found() {
        for (body, expected) in [
            (r#"{"error":{"details":[{"retryDelay": "33.2s"}]}}"#, Some(34)),
            (r#"{"retryDelay":"soon"}"#, None),
            ("{}", None),
            ("Please try again in 7.66s. Need more?", Some(8)),
            ("Please try again in 1m7.66s.", Some(68)),
            ("Please try again in 20ms.", Some(1)),
            ("Please retry after 6 seconds.", Some(6)),
            ("try again in 1h2m", Some(3720)),
            ("try again in 1 minute 30 seconds, 2 times", Some(90)),
            ("try again in a while", None),
            ("try again in ..s", None),
            ("try again in 99999999999999999999s", Some(99_999_999_999_999_999_999_f64 as u64)),
        ] {
            assert_eq!(wait(body), expected, "{body}");
        }
    }

    #[test]
    fn an_html_page_is_named_by_its_title() {
        assert_eq!(
            words("<html><TITLE>502 Bad Gateway</TITLE></html>"),
            "an HTML page titled “502 Bad Gateway”"
        );
    }
}
