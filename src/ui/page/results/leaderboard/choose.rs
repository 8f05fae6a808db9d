//! How the battles are looked at: whose arithmetic, what undecided ones count, from where one measures.

use leptos::prelude::*;

use crate::edge::page;
use crate::metrics::{Mode, UndecidedAs};
use crate::rating::MEAN;
use crate::ui::order::put;
use crate::ui::part::field::SelectField;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::ui::session::ratings::mode_of;

type Options = Vec<(String, String)>;

/// Choices of how often battles are drawn again.
const ROUNDS: [usize; 4] = [200, 1000, 5000, 20_000];

/// Whose arithmetic the table is in.
#[component]
pub fn ModeField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options: Options =
        Mode::ALL.map(|it| (it.as_str().to_owned(), it.as_str().to_owned())).to_vec();
    let choose = Callback::new(move |name: String| {
        if let Some(mode) = Mode::ALL.into_iter().find(|it| it.as_str() == name) {
            session.ratings.view.update(|view| view.mode = mode);
        }
    });
    let options = StoredValue::new(options);
    // A run's ratings follow the reading of the whole page: its constants and this arithmetic go together.
    let free = memo(move || {
        session.ratings.battles.with(|it| it.as_ref().is_some_and(|it| it.about.run.is_none()))
    });
    view! {
        <Show
            when=move || free.get()
            fallback=move || {
                view! {
                    <span class="small quiet">
                        "Ratings as: " {move || mode_of(session.reading.get()).as_str()}
                    </span>
                }
            }
        >
            <SelectField
                id="rating-mode"
                label="Ratings as"
                inline=true
                options=Signal::stored(options.get_value())
                value=Signal::derive(move || {
                    session.ratings.view.with(|it| it.mode.as_str().to_owned())
                })
                on_change=choose
            />
        </Show>
    }
}

/// The other choices.
#[component]
pub fn Choices() -> impl IntoView {
    view! {
        <div class="filter filter--even rating-choices" role="group" aria-label="How battles are rated">
            <super::beside::DeciderField />
            <UndecidedField />
            <AnchorField />
            <RoundsField />
        </div>
    }
}

fn names(session: &Session) -> Vec<String> {
    session
        .ratings
        .battles
        .with(|it| it.as_ref().map(|it| it.about.systems.clone()))
        .unwrap_or_default()
}

#[component]
fn UndecidedField() -> impl IntoView {
    let session = expect_context::<Session>();
    let none = memo(move || {
        session.ratings.battles.with(|it| it.as_ref().is_none_or(|it| it.about.undecided == 0))
    });
    let options = memo(move || {
        if none.get() {
            return vec![(String::new(), "There are none".to_owned())];
        }
        undecided_options(&names(&session))
    });
    let choose = Callback::new(move |value: String| {
        session.ratings.view.update(|view| view.undecided = undecided_of(&value));
    });
    view! {
        <SelectField
            id="rating-undecided"
            label="Undecided battles"
            options=options
            value=Signal::derive(move || {
                session.ratings.view.with(|it| undecided_value(it.undecided))
            })
            disabled=none
            on_change=choose
        />
    }
}

fn undecided_options(names: &[String]) -> Options {
    let mut options =
        vec![(String::new(), "Left out".to_owned()), ("ties".to_owned(), "As ties".to_owned())];
    for (at, name) in names.iter().enumerate() {
        options.push((format!("for {at}"), format!("For {name}")));
        options.push((format!("against {at}"), format!("Against {name}")));
    }
    options
}

fn undecided_value(undecided: UndecidedAs) -> String {
    match undecided {
        UndecidedAs::LeftOut => String::new(),
        UndecidedAs::Ties => "ties".to_owned(),
        UndecidedAs::ForSystem(at) => format!("for {at}"),
        UndecidedAs::AgainstSystem(at) => format!("against {at}"),
    }
}

fn undecided_of(value: &str) -> UndecidedAs {
    let system = |word: &str| value.strip_prefix(word)?.trim().parse().ok();
    if value == "ties" {
        UndecidedAs::Ties
    } else if let Some(at) = system("for ") {
        UndecidedAs::ForSystem(at)
    } else if let Some(at) = system("against ") {
        UndecidedAs::AgainstSystem(at)
    } else {
        UndecidedAs::LeftOut
    }
}

/// Which system is held where it is, so that others are measured from it.
#[component]
fn AnchorField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options = memo(move || {
        let mut options = vec![(String::new(), "Mean at 1000".to_owned())];
        let systems = names(&session).into_iter().enumerate();
        options.extend(systems.map(|(at, name)| (at.to_string(), format!("{name} at 1000"))));
        options
    });
    let choose = Callback::new(move |value: String| {
        session.ratings.view.update(|view| view.anchor = value.parse().ok().map(|at| (at, MEAN)));
    });
    view! {
        <SelectField
            id="rating-anchor"
            label="Anchor"
            options=options
            value=Signal::derive(move || {
                session
                    .ratings
                    .view
                    .with(|it| it.anchor.map_or_else(String::new, |(at, _)| at.to_string()))
            })
            on_change=choose
        />
    }
}

#[component]
fn RoundsField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options: Options =
        ROUNDS.iter().map(|rounds| (rounds.to_string(), rounds.to_string())).collect();
    let choose = Callback::new(move |value: String| {
        if let Ok(rounds) = value.parse() {
            session.ratings.view.update(|view| view.rounds = rounds);
        }
    });
    view! {
        <SelectField
            id="rating-rounds"
            label="Resamples"
            options=Signal::stored(options)
            value=Signal::derive(move || session.ratings.view.with(|it| it.rounds.to_string()))
            on_change=choose
        />
    }
}

/// Which systems are rated, where no other table of the page has such a choice.
#[component]
pub fn SystemsRated() -> impl IntoView {
    let session = expect_context::<Session>();
    let open = RwSignal::new(false);
    let alone = memo(move || session.run.with(Option::is_none));
    let all = memo(move || names(&session));
    let summary = move || {
        let (all, hidden) = (all.with(Vec::len), session.ratings.view.with(|it| it.hidden.len()));
        format!("Systems rated: {} of {all}", all.saturating_sub(hidden))
    };
    let boxes = move || {
        open.get().then(|| {
            let boxes = all.get().into_iter().enumerate();
            boxes.map(|(at, name)| view! { <SystemBox at=at name=name /> }).collect_view()
        })
    };
    view! {
        <Show when=move || alone.get()>
            <details on:toggle=move |event| open.set(page::is_open(&event))>
                <summary>{summary}</summary>
                <fieldset class="choices">
                    <legend class="sr-only">"Systems rated"</legend>
                    {boxes}
                </fieldset>
            </details>
        </Show>
    }
    .into_any()
}

/// Rates a system, or leaves it out with all its battles.
#[component]
fn SystemBox(at: usize, name: String) -> impl IntoView {
    let session = expect_context::<Session>();
    let id = format!("rating-system-{at}");
    let set = move |shown: bool| {
        session.ratings.view.update(|view| {
            view.hidden.retain(|it| *it != at);
            if !shown {
                put(&mut view.hidden, at);
            }
        });
    };
    view! {
        <div class="check check--inline">
            <input
                type="checkbox"
                id=id.clone()
                prop:checked=move || session.ratings.view.with(|it| !it.hidden.contains(&at))
                on:change=move |event| set(event_target_checked(&event))
            />
            <label for=id>{name}</label>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_undecided_battles_count_survives_its_field() {
        let all = [
            UndecidedAs::LeftOut,
            UndecidedAs::Ties,
            UndecidedAs::ForSystem(3),
            UndecidedAs::AgainstSystem(0),
        ];
        for it in all {
            assert_eq!(undecided_of(&undecided_value(it)), it);
        }
        let options = undecided_options(&["a".to_owned()]);
        let last = options.last().unwrap();
        assert_eq!((last.0.as_str(), last.1.as_str()), ("against 0", "Against a"));
    }
}
