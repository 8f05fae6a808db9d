//! A verdict as four quarters and its word.

use leptos::prelude::*;

use crate::observation::{Mark, Unscored};
use crate::rubric::Label;

/// The word for a verdict, or for why there is none.
pub fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Scored(label) => label.as_str(),
        Mark::Unscored(why) => match why {
            Unscored::Unparsed => "Unparsed",
            Unscored::Truncated => "Truncated",
            Unscored::Refused => "Refused",
            Unscored::Failed => "Failed",
            Unscored::InFlight => "In flight",
            Unscored::NotAsked => "Not asked yet",
        },
    }
}

#[component]
pub fn MarkView(mark: Mark) -> impl IntoView {
    let class = if mark.label().is_some() { "mark" } else { "mark mark--none" };
    view! {
        <span class=class>
            <Pips label=mark.label() />
            {word(mark)}
        </span>
    }
}

/// Four quarters, of which as many are filled as the label is worth.
#[component]
pub fn Pips(label: Option<Label>) -> impl IntoView {
    let value = label.map_or("none".to_owned(), |it| it.quarters().to_string());
    view! {
        <span class="pips" data-v=value aria-hidden="true">
            <i></i>
            <i></i>
            <i></i>
            <i></i>
        </span>
    }
}
