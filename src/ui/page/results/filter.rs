//! Which run, which reading and which part of it all tables show.

use leptos::prelude::*;

use crate::edge::clock;
use crate::judge::JudgeSpec;
use crate::protocol::Reading;
use crate::rubric::ItemType;
use crate::ui::command::Command;
use crate::ui::draft::Draft;
use crate::ui::format::moment;
use crate::ui::part::field::SelectField;
use crate::ui::react::memo;
use crate::ui::session::Session;
use crate::worker::RunSummary;

type Options = Vec<(String, String)>;

/// One form for all tables of the page.
#[component]
pub fn Filters() -> impl IntoView {
    let session = expect_context::<Session>();
    // These restrict what a run has judged, and battles know only domains.
    let run = memo(move || session.run.with(Option::is_some));
    view! {
        <form
            class="filter"
            aria-label="Filter all views"
            on:submit=|event| event.prevent_default()
        >
            <RunField />
            <DomainField />
            <Show when=move || run.get()>
                <FieldField />
                <TypeField />
                <ReadingField />
            </Show>
        </form>
    }
}

/// Which run, where there is a choice.
#[component]
fn RunField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options =
        memo(move || session.runs.with(|runs| runs.iter().map(option).collect::<Options>()));
    let several = memo(move || {
        let none = session.run.with(Option::is_none);
        options.with(|it| 1 < it.len() || (none && !it.is_empty()))
    });
    let shown = move || {
        let mut list = options.get();
        if session.run.with(Option::is_none) {
            list.insert(0, (String::new(), "Choose a run".to_owned()));
        }
        list
    };
    let choose = Callback::new(move |id: String| {
        let settings = session.runs.with_untracked(|runs| {
            runs.iter().find(|run| run.id == id).map(|run| run.settings.clone())
        });
        let Some(settings) = settings else {
            return;
        };
        // The Judge page shows the run that its fields name.
        if settings.judge.is_driven() || matches!(settings.judge, JudgeSpec::ByHand { .. }) {
            session.draft.set(Draft::of(&settings));
        }
        session.send(Command::ChooseRun(id));
    });
    view! {
        <Show when=move || several.get()>
            <SelectField
                id="results-run"
                label="Run"
                options=Signal::derive(shown)
                value=Signal::derive(move || session.run.get().unwrap_or_default())
                on_change=choose
            />
        </Show>
    }
}

fn option(run: &RunSummary) -> (String, String) {
    (run.id.clone(), format!("{}, {}", run.name, moment(&clock::rfc3339(run.created))))
}

/// Only questions of one domain.
#[component]
fn DomainField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options = memo(move || {
        session.tables.with(|it| {
            let mut names = it.ready().map(|it| it.domains.clone()).unwrap_or_default();
            session.ratings.battles.with(|battles| {
                let others = battles.iter().flat_map(|it| &it.about.domains);
                names.extend(others.filter(|it| !names.contains(it)).cloned().collect::<Vec<_>>());
            });
            named(names, "domain", "domains")
        })
    });
    let choose = Callback::new(move |name: String| {
        session.view.update(|view| {
            view.domain = Some(name).filter(|it| !it.is_empty());
            // A field of another domain would leave nothing.
            view.field = None;
        });
    });
    view! {
        <SelectField
            id="results-domain"
            label="Domain"
            options=options
            value=Signal::derive(move || session.view.with(|it| it.domain.clone().unwrap_or_default()))
            on_change=choose
        />
    }
}

/// Only questions of one field of the chosen domain.
#[component]
fn FieldField() -> impl IntoView {
    let session = expect_context::<Session>();
    let options = memo(move || {
        let domain = session.view.with(|it| it.domain.clone());
        session.tables.with(|it| {
            let fields = it.ready().map(|it| it.fields.as_slice()).unwrap_or_default();
            named(fields_of(fields, domain.as_deref()), "field", "fields")
        })
    });
    let choose = Callback::new(move |name: String| {
        session.view.update(|view| view.field = Some(name).filter(|it| !it.is_empty()));
    });
    view! {
        <SelectField
            id="results-field"
            label="Field"
            options=options
            value=Signal::derive(move || session.view.with(|it| it.field.clone().unwrap_or_default()))
            on_change=choose
        />
    }
}

/// Each field once, though two domains may share it.
fn fields_of(fields: &[(String, String)], domain: Option<&str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, of) in fields {
        if domain.is_none_or(|domain| domain == of) && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Everything first, then each name.
fn named(names: Vec<String>, one: &str, more: &str) -> Options {
    let all = match names.len() {
        0 | 1 => format!("Every {one}"),
        n => format!("All {n} {more}"),
    };
    let mut options = vec![(String::new(), all)];
    options.extend(names.into_iter().map(|name| (name.clone(), name)));
    options
}

/// Only rubric items of one type.
#[component]
fn TypeField() -> impl IntoView {
    let session = expect_context::<Session>();
    let names = ItemType::ALL.map(|it| it.as_str().to_owned()).to_vec();
    let choose = Callback::new(move |name: String| {
        session.view.update(|view| view.item_type = ItemType::read(&name));
    });
    view! {
        <SelectField
            id="results-type"
            label="Rubric type"
            options=Signal::stored(named(names, "type", "types"))
            value=Signal::derive(move || {
                session.view.with(|it| it.item_type.map_or("", ItemType::as_str).to_owned())
            })
            on_change=choose
        />
    }
}

/// How replies are read. The authors' two readings know label lines only.
#[component]
fn ReadingField() -> impl IntoView {
    let session = expect_context::<Session>();
    let all =
        memo(move || session.current().is_none_or(|run| run.settings.judge.allows_all_readings()));
    let choose = move |name: String| {
        if let Some(reading) = Reading::ALL.into_iter().find(|it| it.as_str() == name) {
            session.send(Command::SetReading(reading));
        }
    };
    let options = Reading::ALL
        .into_iter()
        .map(|reading| {
            view! {
                <option
                    value=reading.as_str()
                    prop:selected=move || session.reading.get() == reading
                    disabled=move || reading != Reading::Recommended && !all.get()
                >
                    {reading.as_str()}
                </option>
            }
        })
        .collect_view();
    view! {
        <div class="field">
            <label for="results-reading">"Reading"</label>
            <select
                id="results-reading"
                aria-describedby="results-reading-help"
                on:change=move |event| choose(event_target_value(&event))
            >
                {options}
            </select>
            <p class="help" id="results-reading-help" hidden=move || all.get()>
                "This judge replied in JSON. The paper and the authors’ code know label lines only, so their readings do not apply."
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_their_domain() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let fields = [pair("Botany", "Life"), pair("Ethics", "Life"), pair("Ethics", "Letters")];
        assert_eq!(fields_of(&fields, None), ["Botany", "Ethics"]);
        assert_eq!(fields_of(&fields, Some("Letters")), ["Ethics"]);
        assert!(fields_of(&fields, Some("Stars")).is_empty());
    }

    #[test]
    fn everything_comes_first() {
        let options = named(vec!["a".to_owned(), "b".to_owned()], "domain", "domains");
        assert_eq!(options[0], (String::new(), "All 2 domains".to_owned()));
        assert_eq!(options.len(), 3);
    }
}
