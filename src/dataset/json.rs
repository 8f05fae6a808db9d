//! A JSON value that hides nothing, and the tolerant ways to look into it.

mod walk;

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::text::excerpt;

pub(crate) use walk::{Entry, Expect, has_one_value_a_line, walk};

/// A JSON value. Objects keep every entry, also those whose key was there before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of the first of these keys that has one. Case does not count, null is no value, and
    /// of equal keys the last counts, as it does in JavaScript and in Python.
    pub(crate) fn get(&self, keys: &[&str]) -> Option<&Self> {
        let Self::Object(entries) = self else { return None };
        keys.iter().find_map(|key| {
            let (_, value) = entries.iter().rev().find(|(k, _)| k.eq_ignore_ascii_case(key))?;
            (*value != Self::Null).then_some(value)
        })
    }

    /// Whether one of these keys is there, be it with null.
    pub(crate) fn has(&self, keys: &[&str]) -> bool {
        let Self::Object(entries) = self else { return false };
        entries.iter().any(|(k, _)| keys.iter().any(|key| k.eq_ignore_ascii_case(key)))
    }

    /// Takes a value out, for texts too long to copy. Null where there is none.
    pub(crate) fn take(&mut self, keys: &[&str]) -> Self {
        let Self::Object(entries) = self else { return Self::Null };
        let found = keys.iter().find_map(|key| {
            let at = entries.iter().rposition(|(k, _)| k.eq_ignore_ascii_case(key))?;
            (entries[at].1 != Self::Null).then_some(at)
        });
        found.map_or(Self::Null, |at| std::mem::replace(&mut entries[at].1, Self::Null))
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A name or an id: text that is not blank, or a number that is whole and exact.
    pub(crate) fn name(&self) -> Option<String> {
        // Above this a float no longer tells neighbouring whole numbers apart.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            Self::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            Self::Int(number) => Some(number.to_string()),
            Self::Float(number) if number.fract() == 0.0 && number.abs() < EXACT => {
                Some(format!("{number:.0}"))
            }
            _ => None,
        }
    }

    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The keys of an object, to be quoted in a sentence.
    pub(crate) fn keys(&self) -> String {
        const MOST: usize = 12;
        let Self::Object(entries) = self else { return String::new() };
        let mut keys: Vec<_> = entries.iter().take(MOST).map(|(k, _)| excerpt(k)).collect();
        if MOST < entries.len() {
            keys.push("…".to_owned());
        }
        keys.join(", ")
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Int(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}
