//! Rubrics in other shapes than a list of items, brought into that one.

use std::borrow::Cow;

use super::items::Flaw;
use super::json::Json;

/// The items of a rubric, whatever it is written as.
///
/// A list is one already. Tables hold one as text. And a list of objects that was stored by columns is
/// an object of lists, an item at each index.
pub(super) fn items(rubric: &Json) -> Result<Cow<'_, [Json]>, Flaw> {
    match rubric {
        Json::List(list) => Ok(Cow::Borrowed(list)),
        Json::Object(columns) => zipped(columns).map(Cow::Owned),
        Json::Text(text) => match serde_json::from_str(text) {
            Ok(Json::List(list)) => Ok(Cow::Owned(list)),
            Ok(Json::Object(columns)) => zipped(&columns).map(Cow::Owned),
            _ => Err((
                "has text as its rubric. It was left out.".to_owned(),
                "Write the rubric as a list of items, or as the JSON text of one.",
            )),
        },
        other => Err((
            format!("has {} as its rubric. It was left out.", other.kind()),
            "Give it a `rubric`: a list of items.",
        )),
    }
}

/// An object for each index, of what the columns have there. Columns that are null have nothing.
fn zipped(columns: &[(String, Json)]) -> Result<Vec<Json>, Flaw> {
    const CURE: &str = "Write the rubric as a list of items, each with its text, types and weight.";
    let mut length: Option<(&str, usize)> = None;
    let mut items: Vec<Json> = Vec::new();
    for (name, column) in columns {
        let column = match column {
            Json::Null => continue,
            Json::List(column) => column,
            _ => return Err(("has an object as its rubric. It was left out.".to_owned(), CURE)),
        };
        let (first, expected) = *length.get_or_insert((name, column.len()));
        if column.len() != expected {
            let what = format!(
                "has a rubric of columns that do not fit: {expected} of `{first}` and {} of `{name}`. \
                 It was left out.",
                column.len()
            );
            return Err((
                what,
                "Give each column a value for each item, null where there is none.",
            ));
        }
        items.resize(expected, Json::Object(Vec::new()));
        for (item, value) in items.iter_mut().zip(column) {
            if let Json::Object(entries) = item {
                entries.push((name.clone(), value.clone()));
            }
        }
    }
    if length.is_none() {
        return Err(("has no rubric. It was left out.".to_owned(), CURE));
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rubric: &str, expected: Result<&str, &str>) {
        let rubric: Json = serde_json::from_str(rubric).unwrap();
        match (items(&rubric), expected) {
            (Ok(found), Ok(expected)) => {
                let expected: Json = serde_json::from_str(expected).unwrap();
                assert_eq!(Json::List(found.into_owned()), expected);
            }
            (Err((what, _)), Err(part)) => assert!(what.contains(part), "{what}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn columns_are_zipped_by_index() {
        check(
            r#"{"rubric_item": ["a", "b"], "type": [["Other"], null], "weight": null}"#,
            Ok(r#"[{"rubric_item": "a", "type": ["Other"]}, {"rubric_item": "b", "type": null}]"#),
        );
        check(r#"{"rubric_item": [], "type": []}"#, Ok("[]"));
        let uneven = r#"{"rubric_item": ["a", "b"], "type": [["Other"]]}"#;
        check(uneven, Err("2 of `rubric_item` and 1 of `type`"));
        check(r#"{"rubric_item": "a"}"#, Err("an object as its rubric"));
        check("{}", Err("no rubric"));
    }

    #[test]
    fn text_is_read_as_the_list_it_holds() {
        check(r#""[\"a\", {\"item\": \"b\"}]""#, Ok(r#"["a", {"item": "b"}]"#));
        check(r#""{\"item\": [\"a\"]}""#, Ok(r#"[{"item": "a"}]"#));
        check(r#""be nice""#, Err("text as its rubric"));
        check("7", Err("a number as its rubric"));
    }
}
