//! Whole numbers with gaps between their groups.

use leptos::prelude::*;

use crate::report::number::digit_groups;

/// A count. From 10 000 on its groups stand apart, while copied text stays a plain number.
#[component]
pub fn Count(n: u64) -> impl IntoView {
    let groups = digit_groups(n);
    let last = groups.len().saturating_sub(1);
    groups
        .into_iter()
        .enumerate()
        .map(|(at, group)| {
            if at < last {
                view! { <span class="k">{group}</span> }.into_any()
            } else {
                group.into_any()
            }
        })
        .collect_view()
}

/// A phrase whose counts are set as [`Count`] sets them. Not for names: a name may hold any digits.
#[component]
pub fn Grouped(#[prop(into)] text: String) -> impl IntoView {
    pieces(&text)
        .into_iter()
        .map(|piece| match piece.parse::<u64>() {
            Ok(n) => view! { <Count n=n /> }.into_any(),
            Err(_) => piece.to_owned().into_any(),
        })
        .collect_view()
}

/// Digits apart from all else.
fn pieces(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_parted_at_its_numbers() {
        assert_eq!(pieces("12 of 34567 calls"), ["12", " of ", "34567", " calls"]);
        assert_eq!(pieces("none"), ["none"]);
        assert!(pieces("").is_empty());
    }
}
