//! Which models a host has, as far as its list tells: context, prices, the day one is to retire.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::http::{self, HttpRequest, Method};
use crate::judge::provider::{Capabilities, Dialect, ListPrices, ProviderId, profile, text_at};
use crate::run::money::{PriceSource, Prices};

/// A model on a host’s list. What the list does not tell is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelEntry {
    pub id: String,
    pub name: Option<String>,
    /// Tokens of context.
    pub context: Option<u64>,
    pub prices: Option<Prices>,
    /// The day from which it is gone, as `2026-11-30`.
    pub retires: Option<String>,
    /// Whether it can be held to a schema.
    pub structured: Option<bool>,
}

/// Asks a host which models it has.
pub fn list_models(base_url: &str, can: &Capabilities) -> HttpRequest {
    let path = match can.dialect {
        Dialect::ChatCompletions | Dialect::Responses => "/models",
        // Otherwise pages of twenty and of fifty.
        Dialect::Messages => "/models?limit=1000",
        Dialect::GenerateContent => "/models?pageSize=1000",
    };
    HttpRequest {
        method: Method::Get,
        url: http::under(base_url, path),
        headers: can.dialect.headers().to_vec(),
        auth: can.auth,
        body: String::new(),
    }
}

/// The models in a list that can be asked, by id: under `data` or `models`, or a bare array. `today` is
/// the day of the prices in it.
pub fn read_models(provider: ProviderId, body: &str, today: &str) -> Vec<ModelEntry> {
    let Ok(body) = serde_json::from_str::<Value>(body) else {
        return Vec::new();
    };
    let list = body.get("data").or(body.get("models")).unwrap_or(&body).as_array();
    let mut models: Vec<ModelEntry> =
        list.into_iter().flatten().flat_map(|it| entries(provider, it, today)).collect();
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    models
}

fn entries(provider: ProviderId, listed: &Value, today: &str) -> Vec<ModelEntry> {
    let id = text_at(listed, "/id").or(text_at(listed, "/name")).or(listed.as_str());
    // Google’s names have a folder before them, and one that is nothing else is none.
    let Some(id) = id.filter(|it| !["", "models/"].contains(it) && answers(listed)) else {
        return Vec::new();
    };
    let shape = profile(provider).prices;
    let named = text_at(listed, "/display_name")
        .or(text_at(listed, "/displayName"))
        .or(text_at(listed, "/name"));
    let entry = ModelEntry {
        id: id.strip_prefix("models/").unwrap_or(id).to_owned(),
        name: named.filter(|name| *name != id).map(str::to_owned),
        context: context(listed),
        prices: prices(shape, listed.get("pricing"), today),
        retires: ["/shutdown_date", "/expiration_date", "/deprecation"]
            .iter()
            .find_map(|pointer| listed.pointer(pointer).and_then(day)),
        structured: structured(listed),
    };
    let behind = listed.get("providers").and_then(Value::as_array);
    match (shape, behind) {
        // A model alone is another provider’s from call to call; a run names one.
        (ListPrices::ByProvider, Some(behind)) => behind
            .iter()
            .filter(|it| text_at(it, "/status").is_none_or(|status| status == "live"))
            .filter_map(|it| {
                Some(ModelEntry {
                    id: format!("{}:{}", entry.id, text_at(it, "/provider")?),
                    context: context(it).or(entry.context),
                    prices: prices(ListPrices::PerMillion, it.get("pricing"), today),
                    structured: structured(it),
                    ..entry.clone()
                })
            })
            .collect(),
        _ => vec![entry],
    }
}

/// Whether it is a model that writes text, as far as the list tells.
fn answers(listed: &Value) -> bool {
    let by_method = listed.get("supportedGenerationMethods").and_then(Value::as_array);
    let by_kind = text_at(listed, "/type");
    by_method.is_none_or(|it| it.iter().any(|method| method == "generateContent"))
        && by_kind.is_none_or(|it| {
            !["embedding", "image", "audio", "video", "rerank", "moderation", "transcribe"]
                .contains(&it)
        })
        && listed.pointer("/capabilities/completion_chat") != Some(&Value::Bool(false))
}

fn context(listed: &Value) -> Option<u64> {
    [
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/max_input_tokens",
        "/inputTokenLimit",
        "/max_model_len",
        "/meta/n_ctx_train",
    ]
    .iter()
    .find_map(|pointer| listed.pointer(pointer).and_then(Value::as_u64))
    .filter(|it| 0 < *it)
}

fn structured(listed: &Value) -> Option<bool> {
    let parameters = listed.get("supported_parameters").and_then(Value::as_array);
    parameters
        .map(|it| it.iter().any(|name| name == "structured_outputs"))
        .or_else(|| listed.get("supports_structured_output").and_then(Value::as_bool))
        .or_else(|| {
            listed.pointer("/capabilities/structured_outputs/supported").and_then(Value::as_bool)
        })
}

/// `None` where the list holds prices that two numbers cannot tell: what is charged must not be more
/// than they say.
fn prices(shape: ListPrices, pricing: Option<&Value>, today: &str) -> Option<Prices> {
    let pricing = pricing?;
    let (input, output) = match shape {
        ListPrices::None | ListPrices::ByProvider => return None,
        ListPrices::PerToken => per_token(pricing)?,
        ListPrices::PerMillion => {
            let at = |name: &str| pricing.get(name).and_then(Value::as_f64);
            // Nothing for both is what a model without prices has.
            (at("input")?, at("output").filter(|it| 0.0 < *it)?)
        }
    };
    let prices = Prices { input, output, source: PriceSource::List, as_of: today.to_owned() };
    prices.is_sound().then_some(prices)
}

fn per_token(pricing: &Value) -> Option<(f64, f64)> {
    let at = |pricing: &Value, name: &str| pricing.get(name).and_then(million);
    if at(pricing, "request").is_some_and(|it| it != 0.0) {
        return None;
    }
    let dearer = |name: &str, base: f64| {
        // What counts by the hour may count at any; what counts for the longest prompts is not ours.
        let overrides = pricing.get("overrides").and_then(Value::as_array);
        overrides
            .into_iter()
            .flatten()
            .filter(|it| it.get("min_prompt_tokens").is_none_or(Value::is_null))
            .filter_map(|it| at(it, name))
            .fold(base, f64::max)
    };
    let input = dearer("prompt", at(pricing, "prompt")?);
    let output = dearer("completion", at(pricing, "completion")?);
    Some((input, at(pricing, "internal_reasoning").map_or(output, |it| it.max(output))))
}

/// Dollars a million tokens from dollars a token. The point is moved in the text, where it is exact.
fn million(value: &Value) -> Option<f64> {
    let text = value.as_str()?.trim();
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let power: i32 = power.parse().ok().filter(|it: &i32| it.abs() < 1000)?;
    format!("{digits}e{}", power + 6).parse().ok()
}

/// A day from a text that begins with one, or from seconds since 1970.
fn day(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        let day = text.get(..10)?;
        let is_day = day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        return is_day.then(|| day.to_owned());
    }
    // Counted in years that begin in March, so that a leap day comes last.
    let days = value.as_u64().filter(|it| *it < 253_402_300_800)? / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    Some(format!("{:04}-{month:02}-{date:02}", era * 400 + year + next))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn days_are_read() {
        for (value, expected) in [
            (json!("2026-10-23"), Some("2026-10-23")),
            (json!("2026-10-23T00:00:00Z"), Some("2026-10-23")),
            (json!(0), Some("1970-01-01")),
            (json!(1_709_164_800), Some("2024-02-29")),
            (json!(1_798_675_200), Some("2026-12-31")),
            (json!("soon"), None),
            (json!(u64::MAX), None),
            (json!(null), None),
        ] {
            assert_eq!(day(&value).as_deref(), expected, "{value}");
        }
    }
}
