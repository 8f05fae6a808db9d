//! Questions from a Hub: what to load, how far it is, and what came of it.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Event, HtmlInputElement};

use crate::hub::Source;
use crate::ui::command::Command;
use crate::ui::format::{bytes, counted, duration};
use crate::ui::part::field::{SelectField, TextField};
use crate::ui::part::notice::NoticeView;
use crate::ui::react::memo;
use crate::ui::session::{Session, Tone};
use crate::worker::{DownloadState, HubWish, Notice};

/// The fields, the button, and what came of it.
#[component]
pub fn HubLoader() -> impl IntoView {
    let session = expect_context::<Session>();
    let loading = memo(move || session.hub.download.with(Option::is_some));
    let load = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        session.send(Command::LoadFromHub { newest: false });
    };
    view! {
        <section class="section" aria-labelledby="d-hub">
            <h2 id="d-hub">"From the Hugging Face Hub"</h2>
            <form class="stack" on:submit=load>
                <Fields />
                <div class="actions">
                    <button class="btn btn--main" type="submit" disabled=move || loading.get()>
                        "Load from Hub"
                    </button>
                    <Show when=move || loading.get()>
                        <button
                            class="btn"
                            type="button"
                            on:click=move |_| session.send(Command::CancelDownload)
                        >
                            "Cancel download"
                        </button>
                    </Show>
                </div>
                <p class="help">
                    "Your browser asks the Hub itself; nothing of yours goes along. What was loaded is kept on this device by its commit: the next visit downloads nothing. Settings show how much it is, and delete it."
                </p>
            </form>
            <Show when=move || loading.get()>
                <Progress />
            </Show>
            <Outcome />
        </section>
    }
}

#[component]
fn Fields() -> impl IntoView {
    let session = expect_context::<Session>();
    let hub = session.hub;
    let value = move |read: fn(&HubWish) -> &String| {
        Signal::derive(move || hub.wish.with(|it| read(it).clone()))
    };
    let change = move |write: fn(&mut HubWish, String)| {
        Callback::new(move |text| hub.wish.update(|it| write(it, text)))
    };
    let splits = Signal::derive(move || {
        hub.splits.with(|it| it.iter().map(|name| (name.clone(), name.clone())).collect())
    });
    view! {
        <div class="fields fields--wide">
            <TextField
                id="hub-dataset"
                label="Hub dataset"
                value=value(|it| &it.dataset)
                help=Signal::stored("owner/name, or any address of the dataset".to_owned())
                code=true
                on_input=change(|it, text| it.dataset = text)
            />
            <SelectField
                id="hub-split"
                label="Split"
                options=splits
                value=value(|it| &it.split)
                help=Signal::stored("For ResearchQA, train is full without test and valid.".to_owned())
                on_change=change(|it, text| it.split = text)
            />
            <TextField
                id="hub-revision"
                label="Revision"
                value=value(|it| &it.revision)
                help=Signal::stored("A branch, or a commit to load exactly that".to_owned())
                code=true
                on_input=change(|it, text| it.revision = text)
            />
            <TextField
                id="hub-base"
                label="Hub base URL"
                value=value(|it| &it.base)
                help=Signal::stored("The public Hub, or a mirror of it".to_owned())
                code=true
                on_input=change(|it, text| it.base = text)
            />
            <TokenField />
        </div>
    }
}

/// For gated and private data. Taken out of its field at once, held by no signal.
#[component]
fn TokenField() -> impl IntoView {
    let session = expect_context::<Session>();
    let hub = session.hub;
    let take = move |event: Event| {
        let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        let Some(input) = input.filter(|it| !it.value().is_empty()) else {
            return;
        };
        session.send(Command::SetToken(input.value()));
        if hub.token_error.with_untracked(Option::is_none) {
            input.set_value("");
        }
    };
    view! {
        <div class="field">
            <label for="hub-token">"Hub token"</label>
            <input
                id="hub-token"
                type="password"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="hub-token-help hub-token-error hub-token-state"
                aria-invalid=move || hub.token_error.with(Option::is_some).then_some("true")
                on:change=take
                on:blur=move |event| take(event.into())
            />
            <p class="help" id="hub-token-help">
                "Only for gated or private data, and sent only where the Hub asks for it. Kept in memory until this tab closes."
            </p>
            <p
                class="error error--told"
                id="hub-token-error"
                hidden=move || hub.token_error.with(Option::is_none)
            >
                {move || hub.token_error.get().map(|why| format!("This token cannot be used: {why}"))}
            </p>
            <div id="hub-token-state" class="stack" role="status">
                {move || {
                    hub.token_host
                        .get()
                        .map(|host| {
                            view! {
                                <div class="actions">
                                    <span class="small">
                                        "A token for " <strong>{host}</strong> " is in memory."
                                    </span>
                                    <button
                                        class="btn btn--small"
                                        type="button"
                                        on:click=move |_| session.send(Command::ForgetToken)
                                    >
                                        "Forget the token"
                                    </button>
                                </div>
                            }
                        })
                }}
            </div>
        </div>
    }
}

#[component]
fn Progress() -> impl IntoView {
    let session = expect_context::<Session>();
    let state = move || session.hub.download.get().unwrap_or_default();
    let share = move || {
        let DownloadState { done, total, .. } = state();
        total.filter(|total| 0 < *total).map(|total| (done as f64 / total as f64).min(1.0))
    };
    view! {
        <div class="loading-line">
            <p role="status" data-testid="hub-progress">
                {move || progress_words(&state())}
            </p>
            <progress
                class="progress"
                aria-label="Dataset download"
                max="1"
                value=move || share().map(|it| it.to_string())
            ></progress>
        </div>
    }
}

/// `12.3 of 53.3 MB · 4.1 MB/s · 10 s left`.
fn progress_words(state: &DownloadState) -> String {
    if let Some(waiting) = &state.waiting {
        return waiting.clone();
    }
    let Some(total) = state.total else {
        return "Asking the Hub what there is …".to_owned();
    };
    if total <= state.done {
        return format!("{} are here. Reading them …", bytes(total as f64));
    }
    let mut words = format!("{} of {}", bytes(state.done as f64), bytes(total as f64));
    if let Some(rate) = state.rate {
        words = format!("{words} · {} a second", bytes(rate));
    }
    if let Some(left) = state.left {
        words = format!("{words} · {} left", duration(left));
    }
    words
}

/// Why nothing was loaded, or that there is something newer.
#[component]
fn Outcome() -> impl IntoView {
    let session = expect_context::<Session>();
    let hub = session.hub;
    let again = move |_| session.send(Command::LoadFromHub { newest: false });
    view! {
        {move || {
            hub.outcome
                .get()
                .map(|(tone, notice)| {
                    view! {
                        <NoticeView tone=tone notice=notice>
                            <button class="btn btn--small" type="button" on:click=again>
                                "Try again"
                            </button>
                        </NoticeView>
                    }
                })
        }}
        {move || {
            hub.newer
                .get()
                .map(|commit| {
                    let short: String = commit.chars().take(7).collect();
                    let notice = Notice::new(
                        format!("The Hub has a newer version: commit {short}"),
                        "The older one on this device was loaded, so that your numbers stay comparable.",
                        "Take the newer one if you want it; the older one stays on this device.",
                    );
                    view! {
                        <NoticeView tone=Tone::Plain notice=notice>
                            <button
                                class="btn btn--small"
                                type="button"
                                on:click=move |_| session.send(Command::LoadFromHub { newest: true })
                            >
                                "Load the newer version"
                            </button>
                        </NoticeView>
                    }
                })
        }}
    }
}

/// Where the questions came from, as facts for the list of the dataset's facts.
pub fn source_facts(source: Source) -> impl IntoView {
    let rows = source.listed_rows.map(|rows| {
        view! {
            <dt>"Rows listed"</dt>
            <dd>{counted(rows, "row", "rows")} " by the dataset’s card"</dd>
        }
    });
    let derived = (!source.derived_from.is_empty()).then_some(": full without test and valid");
    view! {
        <dt>"Dataset"</dt>
        <dd>
            <code>{source.repo}</code> ", split " <strong>{source.split}</strong> {derived} ", from "
            {source.base}
        </dd>
        <dt>"Commit"</dt>
        <dd>
            <code data-testid="hub-commit">{source.commit}</code> " of " <code>{source.revision}</code>
        </dd>
        {rows}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_in_words() {
        let state = DownloadState {
            done: 12_300_000,
            total: Some(53_300_000),
            rate: Some(4_100_000.0),
            left: Some(10.0),
            waiting: None,
        };
        assert_eq!(progress_words(&state), "12.3 MB of 53.3 MB · 4.1 MB a second · 10 s left");
        assert_eq!(progress_words(&DownloadState::default()), "Asking the Hub what there is …");
    }
}
