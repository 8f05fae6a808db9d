//! Labelling by hand: one item at a time, blind to the system.

use leptos::ev::{self, KeyboardEvent};
use leptos::leptos_dom::helpers::window_event_listener;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};

use crate::edge::page;
use crate::rubric::Label;
use crate::ui::command::Command;
use crate::ui::part::mark::Pips;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::Session;
use crate::worker::HandView;

use super::shown::Shown;

/// The item to label beside the answer it is about. Nothing until a run by hand has begun.
#[component]
pub fn HandPanel(shown: Shown) -> impl IntoView {
    let session = expect_context::<Session>();
    let task = memo(move || {
        let here = shown.id.with(|id| id.is_some() && *id == session.run.get());
        session.hand.with(|it| it.ready().filter(|_| here).cloned())
    });
    let there = memo(move || task.with(Option::is_some));
    // A second key pressed before the next item is here would label the old one again.
    let sent = RwSignal::new(false);
    effect(move || {
        session.hand.track();
        session.notice.track();
        sent.set(false);
    });
    let choose = Callback::new(move |label: Label| {
        let at = task.with_untracked(|it| it.as_ref().map(|it| (it.at, it.key)));
        // With nothing left to label, a key is no wish to change the last item.
        let finished = task.with_untracked(|it| it.as_ref().is_some_and(|it| it.finished));
        if let Some((at, key)) = at
            && !finished
            && !sent.get_untracked()
        {
            sent.set(true);
            session.send(Command::HandLabel { at, key, label });
        }
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        if let Some(label) = label_of_key(&event.key()).filter(|_| is_free(&event)) {
            event.prevent_default();
            choose.run(label);
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <Show when=move || there.get()>
            <section class="hand section" aria-labelledby="hand-head">
                <h2 id="hand-head">"By hand"</h2>
                <div class="hand__task">
                    <Item task=task choose=choose />
                    <div class="answer__text" tabindex="0" role="region" aria-label="Answer">
                        {move || {
                            task.with(|it| paragraphs(it.as_ref().map_or("", |it| &it.answer)))
                                .into_iter()
                                .map(|text| view! { <p>{text}</p> })
                                .collect_view()
                        }}
                    </div>
                </div>
            </section>
        </Show>
    }
}

/// The checklist item, the five labels and the way on.
#[component]
fn Item(task: Memo<Option<HandView>>, choose: Callback<Label>) -> impl IntoView {
    let text = move |read: fn(&HandView) -> &str| {
        move || task.with(|it| it.as_ref().map_or_else(String::new, |it| read(it).to_owned()))
    };
    let labels = Label::ALL
        .into_iter()
        .map(|label| view! { <Choice task=task label=label choose=choose /> })
        .collect_view();
    view! {
        <div class="stack">
            <p class="small quiet">"Asked: " {text(|it| &it.query)}</p>
            <p class="question">{text(|it| &it.item)}</p>
            <fieldset class="labels" role="radiogroup" aria-labelledby="hand-label">
                <legend id="hand-label">"Label"</legend>
                {labels}
            </fieldset>
            <Pager task=task />
            <p class="help">
                "Keys 1 to 5 choose a label and bring the next item. Arrow keys move between labels, space chooses. The system’s name is not shown here."
            </p>
        </div>
    }
}

/// One label. Arrow keys only move: choosing brings the next item, so passing by must not choose.
#[component]
fn Choice(task: Memo<Option<HandView>>, label: Label, choose: Callback<Label>) -> impl IntoView {
    let key = label.quarters() + 1;
    let moved = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" | "ArrowRight" => 1,
            "ArrowUp" | "ArrowLeft" => 4,
            _ => return,
        };
        event.prevent_default();
        page::focus(&format!("#hand-{}", (label.quarters() + step) % 5 + 1));
    };
    view! {
        <label>
            <input
                type="radio"
                name="label"
                id=format!("hand-{key}")
                prop:checked=move || {
                    task.with(|it| it.as_ref().is_some_and(|it| it.label == Some(label)))
                }
                on:keydown=moved
                on:change=move |_| choose.run(label)
            />
            " "
            <Pips label=Some(label) />
            " "
            {label.as_str()}
            " "
            <kbd aria-hidden="true">{key}</kbd>
        </label>
    }
}

/// Where one is, and the way to other items.
#[component]
fn Pager(task: Memo<Option<HandView>>) -> impl IntoView {
    let session = expect_context::<Session>();
    let place =
        move || task.with(|it| it.as_ref().map_or((0, 0, 0), |it| (it.at, it.of, it.labelled)));
    let go = move |step: fn(u64) -> Option<u64>| {
        move |_| session.send(Command::HandTask(step(place().0)))
    };
    let all = memo(move || {
        let (_, of, labelled) = place();
        0 < of && labelled == of
    });
    view! {
        <p role="status">
            {move || {
                let (at, of, labelled) = place();
                format!("Item {} of {of}, {labelled} labelled", at + 1)
            }}
        </p>
        <Show when=move || all.get()>
            <p>
                <strong>"All items are labelled."</strong>
                " "
                <a href=Route::Results.href()>"See the results"</a>
                ", or go back and change a label."
            </p>
        </Show>
        <div class="actions">
            <button
                class="btn"
                type="button"
                disabled=move || place().0 == 0
                on:click=go(|at| Some(at.saturating_sub(1)))
            >
                "Previous"
            </button>
            <button
                class="btn"
                type="button"
                disabled=move || place().1 <= place().0 + 1
                on:click=go(|at| Some(at + 1))
            >
                "Next"
            </button>
            <button
                class="btn"
                type="button"
                disabled=move || all.get()
                on:click=go(|_| None)
            >
                "First without a label"
            </button>
        </div>
    }
}

/// Keys 1 to 5, worst label first.
fn label_of_key(key: &str) -> Option<Label> {
    let number: u8 = key.parse().ok()?;
    Label::from_quarters(number.checked_sub(1)?)
}

/// Whether a key is meant for the page: nobody is typing, and it is no shortcut of the browser.
fn is_free(event: &KeyboardEvent) -> bool {
    let held = event.ctrl_key() || event.alt_key() || event.meta_key() || event.repeat();
    if held || page::has_open_dialog() {
        return false;
    }
    let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
    let Some(target) = target else {
        return true;
    };
    match target.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => false,
        "INPUT" => target
            .dyn_into::<HtmlInputElement>()
            .is_ok_and(|input| matches!(input.type_().as_str(), "radio" | "checkbox")),
        _ => true,
    }
}

/// Split at blank lines.
fn paragraphs(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim_end) {
        if line.trim().is_empty() {
            open = false;
        } else if let Some(last) = out.last_mut().filter(|_| open) {
            last.push('\n');
            last.push_str(line);
        } else {
            out.push(line.to_owned());
            open = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_one_to_five_are_labels() {
        assert_eq!(label_of_key("1"), Some(Label::NotAtAll));
        assert_eq!(label_of_key("5"), Some(Label::Completely));
        for key in ["0", "6", "a", "Enter", "257"] {
            assert_eq!(label_of_key(key), None, "{key}");
        }
    }

    #[test]
    fn blank_lines_part_paragraphs() {
        assert_eq!(paragraphs("a\nb\n\n \nc\n"), ["a\nb", "c"]);
        assert!(paragraphs(" \n").is_empty());
    }
}
