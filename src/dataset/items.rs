//! The rubric of one question, from whatever spelling of it a file uses.

use crate::rubric::{Citation, Item, ItemType};

use super::json::Json;
use super::text::excerpt;

/// Keys that hold the text of an item.
pub(crate) const TEXT: [&str; 8] =
    ["rubric_item", "item", "criterion", "point", "text", "description", "requirement", "question"];

/// Keys that hold its types, its weight, and the work it wants cited. Not `score`: that is what an
/// answer got.
pub(crate) const TYPES: [&str; 2] = ["type", "types"];
pub(crate) const WEIGHT: [&str; 2] = ["weight", "points"];
pub(crate) const CITATION: [&str; 2] = ["citation_metadata", "citation"];

/// What is wrong with part of a rubric: what, and the cure.
pub(crate) type Flaw = (String, &'static str);

/// One item and what was wrong with it but did not cost it its place.
///
/// `number` counts from 1 and is only for the sentences.
pub(crate) fn read(value: &Json, number: usize, flaws: &mut Vec<Flaw>) -> Option<Item> {
    let text = match value {
        Json::Text(text) => Some(text.as_str()),
        Json::Object(_) => match value.get(&TEXT) {
            Some(Json::Text(text)) => Some(text.as_str()),
            Some(other) => {
                flaws.push((
                    format!(
                        "Rubric item {number} has {} as its text. It was left out.",
                        other.kind()
                    ),
                    "Write the text of the item in quotes.",
                ));
                return None;
            }
            None => None,
        },
        other => {
            flaws.push((
                format!("Rubric item {number} is {}. It was left out.", other.kind()),
                "An item is text, or an object with `rubric_item`.",
            ));
            return None;
        }
    };
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        flaws.push((
            format!("Rubric item {number} has no text. It was left out."),
            "Give it a `rubric_item`, or take it out.",
        ));
        return None;
    };
    let weight = match weight(value.get(&WEIGHT)) {
        Ok(weight) => weight,
        Err(found) => {
            flaws.push((
                format!("Rubric item {number} has the weight {found}. It was left out."),
                "A weight is a number above zero. Without one, an item counts 1.",
            ));
            return None;
        }
    };
    let (types, unknown) = types(value.get(&TYPES));
    for name in unknown {
        flaws.push((
            format!(
                "Rubric item {number} has the type \"{name}\", which was left out. The item counts."
            ),
            "Types are Citation, Limitation, Comparison, Example, Impact and Other.",
        ));
    }
    Some(Item {
        text: text.to_owned(),
        types,
        weight,
        citation: value.get(&CITATION).and_then(citation),
    })
}

fn weight(value: Option<&Json>) -> Result<f64, String> {
    let weight = match value {
        None | Some(Json::Null) => return Ok(1.0),
        Some(Json::Int(number)) => *number as f64,
        Some(Json::Float(number)) => *number,
        Some(Json::Text(text)) => {
            text.trim().parse().map_err(|_| format!("\"{}\"", excerpt(text)))?
        }
        Some(other) => return Err(other.kind().to_owned()),
    };
    // Not a number is not above zero either.
    if weight.is_finite() && 0.0 < weight { Ok(weight) } else { Err(weight.to_string()) }
}

/// Types in file order, each once, and what was no type.
fn types(value: Option<&Json>) -> (Vec<ItemType>, Vec<String>) {
    let names: Vec<&Json> = match value {
        None => Vec::new(),
        Some(Json::List(list)) => list.iter().collect(),
        Some(one) => vec![one],
    };
    let (mut types, mut unknown) = (Vec::new(), Vec::new());
    for name in names {
        let Some(name) = name.text() else {
            if *name != Json::Null {
                unknown.push(name.kind().to_owned());
            }
            continue;
        };
        // A list flattened for a table reads "Comparison, Example".
        for part in name.split([',', ';', '|']).filter(|part| !part.trim().is_empty()) {
            match ItemType::read(part) {
                Some(kind) if types.contains(&kind) => {}
                Some(kind) => types.push(kind),
                None => unknown.push(excerpt(part.trim())),
            }
        }
    }
    (types, unknown)
}

pub(crate) fn citation(value: &Json) -> Option<Citation> {
    if let Json::Text(text) = value {
        // Tables hold the object as text; everything else is taken for a title.
        return match serde_json::from_str::<Json>(text) {
            Ok(inner @ Json::Object(_)) => citation(&inner),
            Ok(Json::Null) => None,
            _ if text.trim().is_empty() => None,
            _ => Some(Citation { title: Some(text.trim().to_owned()), ..Citation::default() }),
        };
    }
    let text = |keys: &[&str]| {
        let text = value.get(keys)?.text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let year = match value.get(&["year"]) {
        Some(Json::Int(year)) => i32::try_from(*year).ok(),
        Some(Json::Float(year)) if year.fract() == 0.0 && year.abs() < 1e6 => Some(*year as i32),
        Some(Json::Text(year)) => year.trim().parse().ok(),
        _ => None,
    };
    let citation = Citation {
        first_author: text(&["first_author", "author"]),
        title: text(&["title"]),
        url: text(&["url"]),
        year,
    };
    (citation != Citation::default()).then_some(citation)
}
