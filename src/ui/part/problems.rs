//! One line a problem: file, place, what, cure.

use leptos::prelude::*;

use crate::dataset::Problems;

/// Nothing where nothing is wrong.
#[component]
pub fn ProblemList(
    #[prop(into)] problems: Signal<Problems>,
    testid: &'static str,
    label: &'static str,
) -> impl IntoView {
    view! { {move || {
        let problems = problems.get();
        if problems.is_empty() {
            return None;
        }
        let more = problems.more();
        let lines = problems
            .list()
            .iter()
            .map(|it| {
                view! {
                    <li>
                        <span class="at">{format!("{}, {}", it.file, it.place)}</span>
                        " "
                        <span>{with_code(&it.what)} " " {with_code(&it.cure)}</span>
                    </li>
                }
            })
            .collect_view();
        let rest = (0 < more).then(|| {
            view! {
                <li>
                    <span class="at"></span>
                    <span>{format!("and {more} more")}</span>
                </li>
            }
        });
        Some(view! {
            <div class="problems" tabindex="0" role="region" aria-label=label data-testid=testid>
                <ol>{lines} {rest}</ol>
            </div>
        })
    }} }
}

/// A sentence with what stands between backticks set as code.
fn with_code(text: &str) -> impl IntoView + use<> {
    parts(text)
        .into_iter()
        .map(|(part, is_code)| {
            let part = part.to_owned();
            if is_code { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
        })
        .collect_view()
}

/// Parts with whether each is code. A backtick without its partner is a character like any other.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut rest = text;
    let mut parts = Vec::new();
    while let Some((before, after)) = rest.split_once('`')
        && let Some((code, after)) = after.split_once('`')
    {
        parts.push((before, false));
        parts.push((code, true));
        rest = after;
    }
    parts.push((rest, false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_part_code_from_words() {
        assert_eq!(
            parts("Give it an `id` and a `query`."),
            [
                ("Give it an ", false),
                ("id", true),
                (" and a ", false),
                ("query", true),
                (".", false)
            ]
        );
        assert_eq!(parts("a ` alone"), [("a ` alone", false)]);
        assert!(parts("").is_empty());
    }
}
