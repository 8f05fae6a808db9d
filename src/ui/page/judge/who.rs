//! Who judges: a practice judge, a model behind an endpoint, or a person.

use leptos::prelude::*;

use crate::edge::page;
use crate::judge::provider::{self, EffortField, Knob, SeedField};
use crate::judge::{Effort, JudgeSpec, OutputFormat, ProviderId, http};
use crate::ui::command::Command;
use crate::ui::draft::{Draft, Field, JudgeKind};
use crate::ui::format::counted;
use crate::ui::order::put;
use crate::ui::part::blocks::AsideView;
use crate::ui::part::field::{CheckField, SelectField, TextField};
use crate::ui::react::{effect, memo};
use crate::ui::session::{Aside, Session};
use crate::worker::RunSummary;

use super::bind::{fault, text, write};
use super::examine;
use super::key::KeyField;

/// The choice of a judge and the fields that judge needs.
#[component]
pub fn WhoJudges(kind: Memo<JudgeKind>) -> impl IntoView {
    let session = expect_context::<Session>();
    let pair = |name: &str| (name.to_owned(), name.to_owned());
    let options: Vec<(String, String)> = std::iter::once(pair(JudgeKind::Practice.as_str()))
        .chain(provider::table().map(|it| pair(it.name)))
        .chain([pair(JudgeKind::ByHand.as_str())])
        .collect();
    let choose = Callback::new(move |name: String| {
        session.draft.update(|it| match provider::table().find(|it| it.name == name) {
            Some(profile) => it.choose(profile.id, profile.base_url),
            None if name == JudgeKind::ByHand.as_str() => it.judge = JudgeKind::ByHand,
            None => it.judge = JudgeKind::Practice,
        });
    });
    let chosen = Signal::derive(move || match kind.get() {
        JudgeKind::Endpoint => {
            provider::profile(session.draft.with(|it| it.provider)).name.to_owned()
        }
        other => other.as_str().to_owned(),
    });
    let help = Signal::derive(move || match kind.get() {
        JudgeKind::Endpoint => {
            let note = provider::profile(session.draft.with(|it| it.provider)).note;
            format!("{} {note}", about(JudgeKind::Endpoint))
        }
        other => about(other).to_owned(),
    });
    view! {
        <section class="group" aria-labelledby="judge-who">
            <h2 id="judge-who">"Who judges"</h2>
            <div class="fields fields--wide">
                <SelectField
                    id="judge-kind"
                    label="Judge"
                    options=Signal::stored(options)
                    value=chosen
                    help=help
                    on_change=choose
                />
                <Show when=move || kind.get() == JudgeKind::ByHand>
                    <TextField
                        id="judge-person"
                        label="Your name or initials"
                        value=text(session, |it| &it.person)
                        error=fault(session, Field::Person)
                        help=Signal::stored(
                            "Stands beside your labels, in tables and in files.".to_owned(),
                        )
                        on_input=write(session, |it| &mut it.person)
                    />
                </Show>
                <Show when=move || kind.get() == JudgeKind::Endpoint>
                    <EndpointFields />
                </Show>
            </div>
        </section>
    }
}

fn about(kind: JudgeKind) -> &'static str {
    match kind {
        JudgeKind::Practice => {
            "Counts words that item and answer share, on this device. It judges nothing: its scores only show how the page works."
        }
        JudgeKind::Endpoint => {
            "A model at a provider, or on your own machine. With a key of yours, where the host wants one."
        }
        JudgeKind::ByHand => {
            "You read and label one item at a time, without seeing whose answer it is."
        }
    }
}

/// Address, model, key and what is sent with each request.
#[component]
fn EndpointFields() -> impl IntoView {
    let session = expect_context::<Session>();
    let hint = Signal::derive(move || session.draft.with(|it| address_help(&it.base_url)));
    let warning = Signal::derive(move || session.draft.with(|it| in_clear(&it.base_url)));
    view! {
        <TextField
            id="judge-url"
            label="Base URL"
            code=true
            value=text(session, |it| &it.base_url)
            error=fault(session, Field::BaseUrl)
            help=hint
            warning=warning
            on_input=write(session, |it| &mut it.base_url)
        />
        <TextField
            id="judge-model"
            label="Model"
            code=true
            list="judge-models"
            value=text(session, |it| &it.model)
            error=fault(session, Field::Model)
            help=Signal::stored("As the provider spells it.".to_owned())
            on_input=write(session, |it| &mut it.model)
        />
        <KeyField />
        <Models />
        <TextField
            id="judge-temperature"
            label="Temperature"
            value=text(session, |it| &it.temperature)
            error=fault(session, Field::Temperature)
            help=Signal::stored("From 0 to 2. Empty: none is sent.".to_owned())
            on_input=write(session, |it| &mut it.temperature)
        />
        <TextField
            id="judge-tokens"
            label="Reply tokens"
            value=text(session, |it| &it.max_tokens)
            error=fault(session, Field::MaxTokens)
            help=Signal::stored("Most tokens a reply may take. Empty: no limit is sent.".to_owned())
            on_input=write(session, |it| &mut it.max_tokens)
        />
        <ThinkingFields />
        <FormatField />
        <examine::Examination />
        <Abilities />
    }
}

/// What the host can do: a table, and for a host of one's own the means to correct it.
#[component]
fn Abilities() -> impl IntoView {
    let session = expect_context::<Session>();
    let asked = RwSignal::new(false);
    let aside = memo(move || {
        let endpoint = || session.draft.with(Draft::endpoint_now);
        asked.get().then(|| Aside::Provider(Box::new(endpoint())))
    });
    effect(move || {
        if let Some(aside) = aside.get() {
            session.send(Command::Ask(aside));
        }
    });
    let custom = memo(move || session.draft.with(|it| it.provider == ProviderId::Custom));
    view! {
        <details class="wide" on:toggle=move |_| asked.set(true)>
            <summary>"What this host can do"</summary>
            <div class="stack" data-testid="judge-abilities">
                <Show when=move || asked.get() && custom.get()>
                    <p class="help">
                        "Set what differs. It belongs to the judge: change it and a new run begins."
                    </p>
                    <div class="fields">{Knob::ALL.map(knob_field).collect_view()}</div>
                </Show>
                <AsideView aside=aside />
            </div>
        </details>
    }
}

/// One thing that a host of one's own may do in its own way.
fn knob_field(knob: Knob) -> AnyView {
    let session = expect_context::<Session>();
    let can = move |it: &Draft| provider::can(it.provider, it.learned(), it.base_url.trim());
    let options: Vec<(String, String)> =
        knob.options().iter().map(|it| ((*it).to_owned(), (*it).to_owned())).collect();
    let turn = Callback::new(move |words: String| {
        session.draft.update(|it| {
            let mut can = can(it);
            knob.turn(&mut can, &words);
            it.learned = Some((it.base_url.trim().to_owned(), can));
        });
    });
    view! {
        <SelectField
            id=knob_id(knob)
            label=knob.name()
            options=Signal::stored(options)
            value=Signal::derive(move || session.draft.with(|it| knob.read(&can(it)).to_owned()))
            on_change=turn
        />
    }
    .into_any()
}

fn knob_id(knob: Knob) -> &'static str {
    match knob {
        Knob::Dialect => "can-dialect",
        Knob::Key => "can-key",
        Knob::Limit => "can-limit",
        Knob::Replies => "can-replies",
        Knob::Temperature => "can-temperature",
        Knob::Seed => "can-seed",
        Knob::Thinking => "can-thinking",
    }
}

/// How hard a model is to think, and its sampling seed, where the host takes either.
#[component]
fn ThinkingFields() -> impl IntoView {
    let session = expect_context::<Session>();
    let can = memo(move || {
        session.draft.with(|it| provider::can(it.provider, it.learned(), it.base_url.trim()))
    });
    let none = "As the model does".to_owned();
    let options = std::iter::once((String::new(), none))
        .chain(Effort::ALL.map(|it| (it.as_str().to_owned(), it.as_str().to_owned())));
    let options = Signal::stored(options.collect::<Vec<_>>());
    let effort = Signal::derive(move || {
        session.draft.with(|it| it.effort.map_or_else(String::new, |it| it.as_str().to_owned()))
    });
    let choose = Callback::new(move |name: String| {
        session
            .draft
            .update(|it| it.effort = Effort::ALL.into_iter().find(|it| it.as_str() == name));
    });
    view! {
        <Show when=move || can.get().effort != EffortField::None>
            <SelectField
                id="judge-effort"
                label="Thinking effort"
                options=options
                value=effort
                help=Signal::stored(
                    "For models that think before they answer. More costs more tokens.".to_owned(),
                )
                on_change=choose
            />
        </Show>
        <Show when=move || can.get().seed != SeedField::None>
            <TextField
                id="judge-reply-seed"
                label="Model’s seed"
                value=text(session, |it| &it.reply_seed)
                error=fault(session, Field::ReplySeed)
                help=Signal::stored(
                    "Sent to the host; makes replies steadier at best. Empty: none.".to_owned(),
                )
                on_input=write(session, |it| &mut it.reply_seed)
            />
        </Show>
    }
}

/// Where texts go, and what a server on this machine has to allow.
fn address_help(base_url: &str) -> String {
    let base_url = base_url.trim();
    if !http::is_loopback(base_url) {
        return "Up to and including the version, such as https://api.openai.com/v1.".to_owned();
    }
    format!(
        "A server on this machine must allow this page’s origin: {}. Your browser may ask for access to local devices.",
        page::origin()
    )
}

/// That anyone on the way can read what is sent, where that is so.
fn in_clear(base_url: &str) -> Option<String> {
    let base_url = base_url.trim();
    let is_plain = http::origin(base_url).is_some_and(|it| it.starts_with("http://"));
    (is_plain && !http::is_loopback(base_url)).then(|| {
        "With http:// the key and the answers travel unencrypted: anyone on the way can read them. Use https:// where the host has it."
            .to_owned()
    })
}

/// Models to choose from, and a way to ask the host for more; any other name can be typed.
#[component]
fn Models() -> impl IntoView {
    let session = expect_context::<Session>();
    let names = memo(move || {
        let host = session.draft.with(|it| http::host(it.base_url.trim()).map(str::to_owned));
        let mut names = session.runs.with(|runs| models(host.as_deref(), runs));
        session.models.with(|models| {
            let listed = models.of(host.as_deref()).unwrap_or_default();
            for it in listed {
                put(&mut names, it.id.clone());
            }
        });
        names
    });
    let listed = move || {
        let host = session.draft.with(|it| it.host().map(str::to_owned));
        session.models.with(|it| it.of(host.as_deref()).map_or(0, <[_]>::len)) as u64
    };
    let retires = memo(move || {
        let (host, model) =
            session.draft.with(|it| (it.host().map(str::to_owned), it.model.trim().to_owned()));
        session.models.with(|models| {
            let entry = models.of(host.as_deref())?.iter().find(|it| it.id == model)?;
            entry.retires.clone()
        })
    });
    view! {
        <datalist id="judge-models">
            {move || {
                names.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()
            }}
        </datalist>
        <div class="actions wide">
            <button
                class="btn btn--small"
                type="button"
                on:click=move |_| session.send(Command::ListModels)
            >
                "List this host’s models"
            </button>
            <span class="small quiet" role="status">
                {move || {
                    (0 < listed()).then(|| format!("{} to choose from", counted(listed(), "model", "models")))
                }}
            </span>
        </div>
        <p class="warning wide" data-testid="model-retires" hidden=move || retires.with(Option::is_none)>
            {move || {
                retires
                    .get()
                    .map(|day| {
                        format!("The host’s list says that this model is gone from {day}. Scores of another model are not comparable.")
                    })
            }}
        </p>
    }
}

/// Models this host was asked for before, and those we know it has.
fn models(host: Option<&str>, runs: &[RunSummary]) -> Vec<String> {
    let mut names = Vec::new();
    for run in runs {
        if let JudgeSpec::Endpoint(endpoint) = &run.settings.judge
            && Some(endpoint.host()) == host
        {
            put(&mut names, endpoint.model.clone());
        }
    }
    if host == Some("api.openai.com") {
        for name in ["gpt-4.1-mini", "gpt-4.1"] {
            put(&mut names, name.to_owned());
        }
    }
    names
}

/// Whether the provider is to hold replies to a schema.
#[component]
fn FormatField() -> impl IntoView {
    let session = expect_context::<Session>();
    let set = Callback::new(move |on: bool| {
        session.draft.update(|it| {
            it.format = if on { OutputFormat::JsonSchema } else { OutputFormat::Lines };
        });
    });
    view! {
        <div class="wide">
            <CheckField
                id="judge-format"
                label="Hold the reply to a JSON schema"
                checked=Signal::derive(move || {
                    session.draft.with(|it| it.format == OutputFormat::JsonSchema)
                })
                help="For models that miss the form of label lines. Recommended reading only: the paper and the authors’ code know label lines alone."
                on_change=set
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_travels_in_clear_is_told() {
        assert!(in_clear("http://judge.example.org/v1").is_some());
        for fine in ["https://judge.example.org/v1", "http://localhost:8080/v1", "http://", ""] {
            assert_eq!(in_clear(fine), None, "{fine}");
        }
    }

    #[test]
    fn models_are_suggested_for_their_own_host_only() {
        assert_eq!(models(Some("api.openai.com"), &[]), ["gpt-4.1", "gpt-4.1-mini"]);
        assert!(models(Some("127.0.0.1:8080"), &[]).is_empty());
        assert!(models(None, &[]).is_empty());
    }
}
