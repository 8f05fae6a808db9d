//! What the fields of the Judge page hold, and what is wrong with it. Pure.

use crate::judge::http;
use crate::judge::preference::DuelPromptError;
use crate::judge::template::PromptError;
use crate::judge::{
    Bias, Capabilities, Duel, DuelPrompt, Effort, Endpoint, JudgeSpec, OutputFormat,
};
use crate::judge::{Prompt, ProviderId};
use crate::run::Choice;
use crate::run::money::{PriceSource, Prices};
use crate::run::record::{Preference, Settings};
use crate::run::repeats::Repeats;

/// Who is to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    Practice,
    Endpoint,
    ByHand,
}

impl JudgeKind {
    pub const ALL: [Self; 3] = [Self::Practice, Self::Endpoint, Self::ByHand];

    /// The option's name. Public: outside checks choose by it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Practice => "Practice judge (offline)",
            Self::Endpoint => "OpenAI-compatible endpoint",
            Self::ByHand => "By hand",
        }
    }
}

/// The fields as typed. Numbers are text until they are used, so that a half-typed one stays.
#[allow(clippy::struct_excessive_bools, reason = "each is a box to tick")]
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub judge: JudgeKind,
    /// Whose endpoint it is. Known providers have addresses, dialects and rules of their own.
    pub provider: ProviderId,
    /// What an examination found the host to take, and the address it was found at.
    pub learned: Option<(String, Capabilities)>,
    /// Sent as the provider's own sampling seed; empty for none.
    pub reply_seed: String,
    pub effort: Option<Effort>,
    /// Prices that the fields were filled with from a host's own list, and that host.
    pub listed: Option<(String, Prices)>,
    pub base_url: String,
    pub model: String,
    pub temperature: String,
    pub max_tokens: String,
    pub format: OutputFormat,
    pub prompt: String,
    pub person: String,
    pub per_field: String,
    pub seed: String,
    pub call_cap: String,
    pub concurrency: String,
    /// US dollars, and US dollars per million tokens.
    pub budget: String,
    pub price_in: String,
    pub price_out: String,
    /// The same of calls made in batches.
    pub batch_in: String,
    pub batch_out: String,
    /// What is judged.
    pub coverage: bool,
    pub preference: bool,
    pub per_pair: String,
    /// Queries that are judged more than once, and how often in all.
    pub repeat_sample: String,
    pub repeat_times: String,
    pub allow_tie: bool,
    pub no_answer_loses: bool,
    pub duel_prompt: String,
    /// Of the practice judge.
    pub seat_bias: bool,
    pub length_bias: bool,
    pub family_bias: String,
}

/// Which field, and what it needs, as a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub field: Field,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    BaseUrl,
    Model,
    Temperature,
    MaxTokens,
    ReplySeed,
    Prompt,
    Person,
    PerField,
    Seed,
    CallCap,
    Concurrency,
    Budget,
    PriceIn,
    PriceOut,
    BatchIn,
    BatchOut,
    What,
    PerPair,
    RepeatSample,
    RepeatTimes,
    DuelPrompt,
}

impl Draft {
    pub fn new() -> Self {
        Self {
            judge: JudgeKind::Practice,
            provider: ProviderId::Custom,
            learned: None,
            reply_seed: String::new(),
            effort: None,
            listed: None,
            base_url: "https://api.openai.com/v1".to_owned(),
            model: "gpt-4.1-mini".to_owned(),
            temperature: "0".to_owned(),
            max_tokens: "512".to_owned(),
            format: OutputFormat::Lines,
            prompt: Prompt::viva().text,
            person: String::new(),
            per_field: String::new(),
            seed: "7".to_owned(),
            call_cap: String::new(),
            concurrency: "8".to_owned(),
            budget: String::new(),
            price_in: String::new(),
            price_out: String::new(),
            batch_in: String::new(),
            batch_out: String::new(),
            coverage: true,
            preference: false,
            per_pair: "50".to_owned(),
            repeat_sample: String::new(),
            repeat_times: "3".to_owned(),
            allow_tie: false,
            no_answer_loses: false,
            duel_prompt: DuelPrompt::viva().text,
            seat_bias: false,
            length_bias: false,
            family_bias: String::new(),
        }
    }

    /// The fields as a run was set.
    pub fn of(settings: &Settings) -> Self {
        let words = |prices: Option<&Prices>, which: fn(&Prices) -> f64| {
            prices.map_or_else(String::new, |it| which(it).to_string())
        };
        let mut draft = Self {
            per_field: settings.per_field.map_or_else(String::new, |it| it.to_string()),
            seed: settings.seed.to_string(),
            call_cap: settings.call_cap.map_or_else(String::new, |it| it.to_string()),
            concurrency: settings.concurrency.to_string(),
            budget: settings.budget.map_or_else(String::new, |it| it.to_string()),
            price_in: words(settings.prices.as_ref(), |it| it.input),
            price_out: words(settings.prices.as_ref(), |it| it.output),
            batch_in: words(settings.batch_prices.as_ref(), |it| it.input),
            batch_out: words(settings.batch_prices.as_ref(), |it| it.output),
            coverage: settings.coverage,
            preference: settings.preference.is_some(),
            ..Self::new()
        };
        if let Some(repeats) = settings.repeats {
            draft.repeat_sample = repeats.sample.to_string();
            draft.repeat_times = repeats.times.to_string();
        }
        if let Some(preference) = &settings.preference {
            draft.per_pair = preference.per_pair.to_string();
            draft.no_answer_loses = preference.no_answer_loses;
            draft.allow_tie = preference.duel.allow_tie;
            draft.duel_prompt.clone_from(&preference.duel.prompt.text);
            draft.seat_bias = preference.duel.bias.seat;
            draft.length_bias = preference.duel.bias.length;
            draft.family_bias = preference.duel.bias.family.clone().unwrap_or_default();
        }
        match &settings.judge {
            JudgeSpec::Endpoint(endpoint) => {
                draft.judge = JudgeKind::Endpoint;
                draft.provider = endpoint.provider;
                draft.learned = endpoint.capabilities.map(|it| (endpoint.base_url.clone(), it));
                draft.reply_seed = endpoint.seed.map_or_else(String::new, |it| it.to_string());
                draft.effort = endpoint.effort;
                let listed = settings.prices.clone().filter(|it| it.source == PriceSource::List);
                draft.listed = listed.map(|it| (endpoint.host().to_owned(), it));
                draft.base_url.clone_from(&endpoint.base_url);
                draft.model.clone_from(&endpoint.model);
                draft.temperature =
                    endpoint.temperature.map_or_else(String::new, |it| it.to_string());
                draft.max_tokens =
                    endpoint.max_tokens.map_or_else(String::new, |it| it.to_string());
                draft.format = endpoint.format;
                draft.prompt.clone_from(&endpoint.prompt.text);
            }
            JudgeSpec::ByHand { person } => {
                draft.judge = JudgeKind::ByHand;
                draft.person.clone_from(person);
            }
            JudgeSpec::Practice | JudgeSpec::Imported { .. } | JudgeSpec::Merged { .. } => {}
        }
        draft
    }

    /// The settings, or everything that is wrong with the fields.
    pub fn settings(&self) -> Result<Settings, Vec<FieldError>> {
        let mut errors = Vec::new();
        let choice = self.choice_into(&mut errors);
        // By hand there are no calls to limit, and the fields that would say so are not shown.
        let mut unshown = Vec::new();
        let limits = if self.judge == JudgeKind::ByHand { &mut unshown } else { &mut errors };
        let call_cap =
            optional(&self.call_cap, Field::CallCap, "a whole number from 1 up, or empty", limits);
        let concurrency =
            whole(&self.concurrency).filter(|it| (1..=64).contains(it)).unwrap_or_else(|| {
                limits.push(error(Field::Concurrency, "a whole number from 1 to 64"));
                1
            });
        let judge = match self.judge {
            JudgeKind::Practice => JudgeSpec::Practice,
            JudgeKind::ByHand => {
                let person = self.person.trim();
                if person.is_empty() {
                    errors.push(error(
                        Field::Person,
                        "a name or initials, so that files of several people can be told apart",
                    ));
                }
                JudgeSpec::ByHand { person: person.to_owned() }
            }
            JudgeKind::Endpoint => JudgeSpec::Endpoint(self.endpoint(&mut errors)),
        };
        // Only an endpoint asks for money, and only there are the fields shown.
        let (budget, prices, batch_prices) = match &judge {
            JudgeSpec::Endpoint(endpoint) => {
                let (budget, prices) = self.money_into(endpoint.max_tokens, &mut errors);
                (budget, prices, self.batch_prices_into(&mut errors))
            }
            _ => (None, None, None),
        };
        // A person labels items, and nothing else yet.
        let by_hand = self.judge == JudgeKind::ByHand;
        let coverage = self.coverage || by_hand;
        let preference = (self.preference && !by_hand).then(|| self.preference_into(&mut errors));
        if !coverage && preference.is_none() {
            errors.push(error(Field::What, "at least one of the two"));
        }
        // A person who labels the same item twice remembers it.
        let repeats = if by_hand { None } else { self.repeats_into(&mut errors) };
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Settings {
            judge,
            seed: choice.seed,
            per_field: choice.per_field,
            call_cap,
            concurrency: concurrency as u32,
            coverage,
            preference,
            budget,
            prices,
            batch_prices,
            repeats,
        })
    }

    fn repeats_into(&self, errors: &mut Vec<FieldError>) -> Option<Repeats> {
        let wanted = "a whole number from 1 up, or empty for none";
        let sample = optional(&self.repeat_sample, Field::RepeatSample, wanted, errors)?;
        let times = whole(&self.repeat_times).filter(|it| (2..=20).contains(it));
        if times.is_none() {
            errors.push(error(Field::RepeatTimes, "a whole number from 2 to 20"));
        }
        let sample = sample.min(u64::from(u32::MAX)) as u32;
        times.map(|times| Repeats { sample, times: times as u32 })
    }

    /// Takes a provider with its address. What was set for another does not hold for this one.
    pub fn choose(&mut self, id: ProviderId, base_url: &str) {
        if self.provider == id && self.judge == JudgeKind::Endpoint {
            return;
        }
        (self.judge, self.provider) = (JudgeKind::Endpoint, id);
        (self.learned, self.effort) = (None, None);
        self.reply_seed.clear();
        if !base_url.is_empty() {
            base_url.clone_into(&mut self.base_url);
        }
    }

    /// What was found or set at the address in the fields. It holds for no other.
    pub fn learned(&self) -> Option<Capabilities> {
        let here = self.base_url.trim().trim_end_matches('/');
        self.learned.as_ref().filter(|it| it.0.trim_end_matches('/') == here).map(|it| it.1)
    }

    /// The endpoint as far as the fields go, whatever else is wrong with them.
    pub fn endpoint_now(&self) -> Endpoint {
        self.endpoint(&mut Vec::new())
    }

    /// The host that the address names.
    pub fn host(&self) -> Option<&str> {
        http::host(self.base_url.trim())
    }

    /// Fills in what the list of a host says of the model. What a person typed stays.
    pub fn offer(&mut self, found: Option<(String, Prices)>) {
        let words = |it: &(String, Prices)| (it.1.input.to_string(), it.1.output.to_string());
        let now = (self.price_in.trim().to_owned(), self.price_out.trim().to_owned());
        let untouched = match &self.listed {
            Some(before) => words(before) == now,
            None => now.0.is_empty() && now.1.is_empty(),
        };
        if untouched {
            (self.price_in, self.price_out) = found.as_ref().map(words).unwrap_or_default();
        }
        self.listed = found;
    }

    fn money_into(
        &self,
        max_tokens: Option<u32>,
        errors: &mut Vec<FieldError>,
    ) -> (Option<f64>, Option<Prices>) {
        let budget = dollars(&self.budget, Field::Budget, errors);
        let input = dollars(&self.price_in, Field::PriceIn, errors);
        let output = dollars(&self.price_out, Field::PriceOut, errors);
        let none =
            half((&self.price_in, Field::PriceIn), (&self.price_out, Field::PriceOut), errors);
        if none && budget.is_some() {
            errors.push(error(Field::PriceIn, "a price: a budget needs both"));
            errors.push(error(Field::PriceOut, "a price: a budget needs both"));
        }
        if budget == Some(0.0) {
            errors.push(error(Field::Budget, "an amount above 0, or empty"));
        }
        if budget.is_some() && max_tokens.is_none() && self.max_tokens.trim().is_empty() {
            errors.push(error(Field::MaxTokens, "a limit: a budget needs one"));
        }
        let prices = input.zip(output).map(|pair| match &self.listed {
            Some((_, listed)) if (listed.input, listed.output) == pair => listed.clone(),
            _ => typed(pair),
        });
        (budget, prices)
    }

    /// Batch prices come from a person alone: no list tells them.
    fn batch_prices_into(&self, errors: &mut Vec<FieldError>) -> Option<Prices> {
        let input = dollars(&self.batch_in, Field::BatchIn, errors);
        let output = dollars(&self.batch_out, Field::BatchOut, errors);
        half((&self.batch_in, Field::BatchIn), (&self.batch_out, Field::BatchOut), errors);
        input.zip(output).map(typed)
    }

    fn preference_into(&self, errors: &mut Vec<FieldError>) -> Preference {
        let per_pair =
            whole(&self.per_pair).filter(|it| (1..=1_000_000).contains(it)).unwrap_or_else(|| {
                errors.push(error(Field::PerPair, "a whole number from 1 to a million"));
                1
            });
        let prompt = DuelPrompt { text: self.duel_prompt.clone() };
        if self.judge == JudgeKind::Endpoint
            && let Err(DuelPromptError { what, slot }) = prompt.check()
        {
            errors.push(error(
                Field::DuelPrompt,
                &format!("a place for the {what}: write {slot} where it goes"),
            ));
        }
        let family = self.family_bias.trim();
        let bias = match self.judge {
            JudgeKind::Practice => Bias {
                seat: self.seat_bias,
                length: self.length_bias,
                family: (!family.is_empty()).then(|| family.to_owned()),
            },
            JudgeKind::Endpoint | JudgeKind::ByHand => Bias::default(),
        };
        Preference {
            duel: Duel { prompt, allow_tie: self.allow_tie, bias },
            per_pair: per_pair as u32,
            no_answer_loses: self.no_answer_loses,
        }
    }

    /// Which questions are chosen, whatever else is wrong.
    pub fn choice(&self) -> Choice {
        self.choice_into(&mut Vec::new())
    }

    fn choice_into(&self, errors: &mut Vec<FieldError>) -> Choice {
        let per_field = optional(
            &self.per_field,
            Field::PerField,
            "a whole number from 1 up, or empty for all",
            errors,
        );
        // Whole numbers up to 2^53 pass between page and worker unchanged.
        let seed = whole(&self.seed).filter(|it| *it < 1 << 53).unwrap_or_else(|| {
            errors.push(error(Field::Seed, "a whole number from 0 up"));
            0
        });
        Choice { per_field: per_field.map(|it| it.min(u64::from(u32::MAX)) as u32), seed }
    }

    fn endpoint(&self, errors: &mut Vec<FieldError>) -> Endpoint {
        let base_url = self.base_url.trim().trim_end_matches('/');
        let base_url = base_url.strip_suffix("/chat/completions").unwrap_or(base_url);
        if http::origin(base_url).is_none() {
            errors.push(error(Field::BaseUrl, "an address that starts with https:// or http://"));
        }
        if self.model.trim().is_empty() {
            errors.push(error(Field::Model, "the name of a model"));
        }
        let temperature = match self.temperature.trim() {
            "" => None,
            text => {
                let value = decimal(text).filter(|it| *it <= 2.0);
                if value.is_none() {
                    errors.push(error(
                        Field::Temperature,
                        "a number from 0 to 2, or empty to send none",
                    ));
                }
                value
            }
        };
        let max_tokens = optional(
            &self.max_tokens,
            Field::MaxTokens,
            "a whole number from 1 up, or empty",
            errors,
        );
        let prompt = Prompt { text: self.prompt.clone() };
        if let Err(problem) = prompt.check() {
            errors.push(error(
                Field::Prompt,
                match problem {
                    PromptError::NoAnswer => {
                        "a place for the answer: write {{answer}} where it goes"
                    }
                    PromptError::NoItems => {
                        "a place for the checklist: write {{items}} where it goes"
                    }
                },
            ));
        }
        let reply_seed = match self.reply_seed.trim() {
            "" => None,
            text => text.parse::<u32>().ok().or_else(|| {
                errors.push(error(Field::ReplySeed, "a whole number, or empty to send none"));
                None
            }),
        };
        Endpoint {
            provider: self.provider,
            capabilities: self.learned(),
            base_url: base_url.to_owned(),
            model: self.model.trim().to_owned(),
            temperature,
            max_tokens: max_tokens.map(|it| it.min(u64::from(u32::MAX)) as u32),
            seed: reply_seed,
            effort: self.effort,
            format: self.format,
            prompt,
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

fn typed((input, output): (f64, f64)) -> Prices {
    Prices {
        input,
        output,
        source: PriceSource::User,
        // Dated when a run begins.
        as_of: String::new(),
    }
}

/// Two prices belong together. Says whether both are empty.
fn half(a: (&str, Field), b: (&str, Field), errors: &mut Vec<FieldError>) -> bool {
    let wanted = "a price too, where the other is";
    match (a.0.trim().is_empty(), b.0.trim().is_empty()) {
        (true, false) => errors.push(error(a.1, wanted)),
        (false, true) => errors.push(error(b.1, wanted)),
        (true, true) => return true,
        (false, false) => {}
    }
    false
}

fn error(field: Field, what: &str) -> FieldError {
    FieldError { field, what: what.to_owned() }
}

fn whole(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn optional(text: &str, field: Field, wanted: &str, errors: &mut Vec<FieldError>) -> Option<u64> {
    if text.trim().is_empty() {
        return None;
    }
    let value = whole(text).filter(|it| 0 < *it && *it < 1 << 53);
    if value.is_none() {
        errors.push(error(field, wanted));
    }
    value
}

/// A number as people type it: digits, and a point among them. Whole numbers to 2^53 and powers of ten to 10^15
/// are exact, so one division rounds once, as the library’s parser would; that brings ten kilobytes of tables.
fn decimal(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    if !is_number || 15 < digits.len() {
        return None;
    }
    let places = 10_u64.pow(part.len() as u32);
    Some(digits.parse::<u64>().ok()? as f64 / places as f64)
}

/// An amount of money. Nothing where the field is empty or says none.
fn dollars(text: &str, field: Field, errors: &mut Vec<FieldError>) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let value = decimal(text);
    if value.is_none() {
        errors.push(error(field, "a number of dollars, as 0.40, or empty"));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::provider;

    #[test]
    fn listed_prices_fill_empty_fields_and_leave_typed_ones() {
        let price = |input| Prices {
            input,
            output: 8.0,
            source: PriceSource::List,
            as_of: "2026-11-30".to_owned(),
        };
        let listed = |input| ("api.openai.com".to_owned(), price(input));
        let mut draft = Draft { judge: JudgeKind::Endpoint, ..Draft::new() };
        draft.offer(Some(listed(2.0)));
        assert_eq!((draft.price_in.as_str(), draft.price_out.as_str()), ("2", "8"));
        assert_eq!(draft.settings().unwrap().prices, Some(price(2.0)));
        let again = Draft::of(&draft.settings().unwrap());
        assert_eq!(again.listed, Some(listed(2.0)), "a run goes on with whose list it was");
        draft.offer(Some(listed(3.0)));
        assert_eq!(draft.price_in, "3", "another model, another price");
        draft.offer(None);
        assert!(draft.price_in.is_empty(), "a model without a price has none");
        draft.offer(Some(listed(3.0)));
        draft.price_in = "2.5".to_owned();
        assert_eq!(draft.settings().unwrap().prices.unwrap().source, PriceSource::User);
        draft.offer(Some(listed(4.0)));
        assert_eq!(draft.price_in, "2.5", "what was typed stays");
    }

    #[test]
    fn a_provider_brings_its_address_and_what_was_learned_stays_with_its_host() {
        let mut draft = Draft::new();
        draft.choose(ProviderId::OpenRouter, "https://openrouter.ai/api/v1");
        draft.effort = Some(Effort::Low);
        draft.reply_seed = "7".to_owned();
        draft.learned = Some((draft.base_url.clone(), provider::profile(ProviderId::Groq).can));
        let settings = draft.settings().unwrap();
        let JudgeSpec::Endpoint(endpoint) = &settings.judge else { panic!("no endpoint") };
        assert_eq!((endpoint.provider, endpoint.seed), (ProviderId::OpenRouter, Some(7)));
        assert_eq!(endpoint.effort, Some(Effort::Low));
        assert!(endpoint.capabilities.is_some());
        assert_eq!(Draft::of(&settings).settings().unwrap(), settings);
        draft.base_url = "https://other.example/v1".to_owned();
        let JudgeSpec::Endpoint(endpoint) = draft.settings().unwrap().judge else {
            panic!("no endpoint")
        };
        assert!(endpoint.capabilities.is_none(), "found at another address");
        draft.choose(ProviderId::Custom, "");
        assert_eq!((draft.effort, draft.reply_seed.as_str()), (None, ""));
        assert_eq!(draft.base_url, "https://other.example/v1", "a custom host’s address is typed");
        draft.reply_seed = "x".to_owned();
        assert_eq!(draft.settings().unwrap_err()[0].field, Field::ReplySeed);
    }

    #[test]
    fn decimals_are_those_of_the_library() {
        for text in [
            "0",
            "1",
            "0.1",
            "2.5",
            "0.40",
            ".5",
            "7.",
            "123456.789",
            "0.000001",
            "999999999999999",
        ] {
            assert_eq!(decimal(text), text.parse().ok(), "{text}");
        }
        for text in [
            "",
            ".",
            "-1",
            "+1",
            "1e3",
            "1,5",
            "1.2.3",
            "inf",
            "NaN",
            "0x1",
            "１",
            "1234567890123456",
        ] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn settings_are_read_back_into_fields() {
        let mut draft = Draft::new();
        draft.judge = JudgeKind::Endpoint;
        draft.per_field = "2".to_owned();
        draft.repeat_sample = "5".to_owned();
        let settings = draft.settings().unwrap();
        assert_eq!(Draft::of(&settings).settings().unwrap(), settings);
        let mut draft = Draft::new();
        (draft.preference, draft.coverage, draft.seat_bias) = (true, false, true);
        draft.per_pair = "7".to_owned();
        draft.family_bias = "al".to_owned();
        let settings = draft.settings().unwrap();
        assert_eq!(Draft::of(&settings).settings().unwrap(), settings);
    }

    #[test]
    fn something_has_to_be_judged() {
        let mut draft = Draft::new();
        draft.coverage = false;
        assert_eq!(draft.settings().unwrap_err()[0].field, Field::What);
        draft.preference = true;
        assert!(draft.settings().is_ok());
        draft.per_pair = "0".to_owned();
        assert_eq!(draft.settings().unwrap_err()[0].field, Field::PerPair);
    }

    #[test]
    fn every_bad_field_is_named() {
        let mut draft = Draft::new();
        draft.judge = JudgeKind::Endpoint;
        draft.base_url = "api.example.org".to_owned();
        draft.model = " ".to_owned();
        draft.temperature = "hot".to_owned();
        draft.max_tokens = "0".to_owned();
        draft.prompt = "no slots".to_owned();
        draft.per_field = "-1".to_owned();
        draft.seed = "1.5".to_owned();
        draft.call_cap = "many".to_owned();
        draft.concurrency = "65".to_owned();
        assert_eq!(draft.settings().unwrap_err().len(), 9);
    }

    #[test]
    fn a_budget_needs_prices_and_a_limit_of_replies() {
        let mut draft = Draft::new();
        draft.judge = JudgeKind::Endpoint;
        draft.budget = "5".to_owned();
        draft.max_tokens = String::new();
        let fields = |draft: &Draft| -> Vec<Field> {
            draft.settings().unwrap_err().into_iter().map(|it| it.field).collect()
        };
        assert_eq!(fields(&draft), [Field::PriceIn, Field::PriceOut, Field::MaxTokens]);
        draft.max_tokens = "300".to_owned();
        draft.price_in = "0.4".to_owned();
        assert_eq!(fields(&draft), [Field::PriceOut]);
        draft.price_out = "1.6".to_owned();
        draft.batch_in = "0.2".to_owned();
        assert_eq!(fields(&draft), [Field::BatchOut], "batches have prices of their own");
        draft.batch_out = "0.8".to_owned();
        let settings = draft.settings().unwrap();
        assert_eq!(settings.budget, Some(5.0));
        assert_eq!(
            settings.batch_prices.as_ref().map(|it| (it.input, it.output)),
            Some((0.2, 0.8))
        );
        assert!(settings.check_money().is_ok());
        assert_eq!(Draft::of(&settings), draft, "the fields come back as they were");
        draft.budget = "-1".to_owned();
        assert_eq!(fields(&draft), [Field::Budget]);
        draft.judge = JudgeKind::Practice;
        assert_eq!(draft.settings().unwrap().prices, None, "nobody is paid");
    }

    #[test]
    fn limits_of_calls_do_not_hold_up_a_person() {
        let mut draft = Draft::new();
        draft.judge = JudgeKind::ByHand;
        draft.person = "Ada".to_owned();
        draft.call_cap = "many".to_owned();
        draft.concurrency = "65".to_owned();
        assert!(draft.settings().is_ok());
    }

    #[test]
    fn a_pasted_full_address_is_cut_to_its_base() {
        let mut draft = Draft::new();
        draft.judge = JudgeKind::Endpoint;
        draft.base_url = " http://127.0.0.1:8099/v1/chat/completions/ ".to_owned();
        match draft.settings().unwrap().judge {
            JudgeSpec::Endpoint(endpoint) => {
                assert_eq!(endpoint.base_url, "http://127.0.0.1:8099/v1")
            }
            _ => panic!("not an endpoint"),
        }
    }
}
