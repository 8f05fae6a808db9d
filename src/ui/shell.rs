//! Header, running head, notices and footer around the page one is on.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{DataTransfer, Element, KeyboardEvent};

use crate::edge::{clock, files, page as browser};
use crate::observation::Tally;
use crate::run::Phase;
use crate::run::driver::Halt;
use crate::ui::command::Command;
use crate::ui::format::counted;
use crate::ui::page;
use crate::ui::page::judge::shown::Asked;
use crate::ui::part::notice::NoticeView;
use crate::ui::part::number::Grouped;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, Tone};
use crate::worker::{RunSummary, Workspace};

/// How long `g` waits for the key that names a page, in milliseconds.
const SEQUENCE: f64 = 1500.0;

/// Where keys write. A box to tick takes no letters.
const FIELDS: &str =
    "input:not([type=radio], [type=checkbox], [type=file]), select, textarea, [contenteditable]";

#[component]
pub fn App() -> impl IntoView {
    let session = Session::start();
    provide_context(session);
    provide_context(Asked::watch(&session));
    let run = memo(move || session.current());
    let is_practice = memo(move || run.with(|it| it.as_ref().is_some_and(|it| it.judge.practice)));
    let dialog = NodeRef::<html::Dialog>::new();
    let dragging = RwSignal::new(false);
    listen_to_keys(session.route, dialog);
    listen_to_drops(&session, dragging);
    view! {
        <SkipLink />
        <Header run=run dialog=dialog />
        <RunningHead run=run />
        <main id="main" class="wrap" class:watermark=move || is_practice.get() tabindex="-1">
            <Flash />
            <Page />
            <Busy dragging=dragging />
        </main>
        <Footer />
        <Shortcuts dialog=dialog />
    }
}

#[component]
fn Page() -> impl IntoView {
    let session = expect_context::<Session>();
    // Inspect pages share one view: its number changes, the page stays.
    let kind = memo(move || match session.route.get() {
        Route::Inspect(_) => Route::Inspect(0),
        route => route,
    });
    view! { {move || match kind.get() {
        Route::Start => view! { <page::start::StartPage /> }.into_any(),
        Route::Data => view! { <page::data::DataPage /> }.into_any(),
        Route::Systems => view! { <page::systems::SystemsPage /> }.into_any(),
        Route::Judge => view! { <page::judge::JudgePage /> }.into_any(),
        Route::Results => view! { <page::results::ResultsPage /> }.into_any(),
        Route::Inspect(_) => view! { <page::inspect::InspectPage /> }.into_any(),
        Route::Compare => view! { <page::compare::ComparePage /> }.into_any(),
        Route::Report => view! { <page::report::ReportPage /> }.into_any(),
        Route::Settings => view! { <page::settings::SettingsPage /> }.into_any(),
        Route::About => view! { <page::about::AboutPage /> }.into_any(),
    }} }
}

/// Jumps over the header. By focus, since the hash in the address names the page.
#[component]
fn SkipLink() -> impl IntoView {
    let skip = move |event: ev::MouseEvent| {
        event.prevent_default();
        browser::focus("#main");
    };
    view! {
        <a class="skip" href="#main" on:click=skip>
            "Skip to the content"
        </a>
    }
}

/// The way through the work, and how far it has come.
#[component]
fn Header(run: Memo<Option<RunSummary>>, dialog: NodeRef<html::Dialog>) -> impl IntoView {
    let session = expect_context::<Session>();
    let data = Signal::derive(move || data_state(session.workspace));
    let systems = Signal::derive(move || systems_state(session.workspace));
    let judge = Signal::derive(move || judge_state(session.active, session.runs, run));
    let results = Signal::derive(move || {
        let battles = session.ratings.battles.with(Option::is_some);
        run.with(|it| results_state(it.as_ref())).or_else(|| battles.then(|| "ratings".to_owned()))
    });
    let report = Signal::derive(move || run.with(|it| it.as_ref().map(|_| "ready".to_owned())));
    view! {
        <header class="head">
            <div class="wrap">
                <a class="brand" href="#/" aria-label="Viva, start">
                    "Viva"
                </a>
                <nav aria-label="Steps">
                    <ol class="steps">
                        <Step to=Route::Data name="Data" state=data none="nothing loaded" />
                        <Step to=Route::Systems name="Systems" state=systems none="none yet" />
                        <Step to=Route::Judge name="Judge" state=judge none="not started" />
                        <Step to=Route::Results name="Results" state=results none="none yet" />
                        <Step to=Route::Report name="Report" state=report none="none yet" />
                    </ol>
                </nav>
                <div class="tools">
                    <SettingsLink />
                    <button
                        class="btn btn--small"
                        type="button"
                        aria-haspopup="dialog"
                        on:click=move |_| open(dialog)
                    >
                        "Shortcuts "
                        <kbd>"?"</kbd>
                    </button>
                </div>
            </div>
        </header>
    }
}

#[component]
fn SettingsLink() -> impl IntoView {
    let session = expect_context::<Session>();
    let current = move || (session.route.get() == Route::Settings).then_some("page");
    view! {
        <a href="#/settings" aria-current=current>
            "Settings"
        </a>
    }
}

/// One step: its name, and what is there in words.
#[component]
fn Step(
    to: Route,
    name: &'static str,
    /// What is there; `None` where nothing is.
    state: Signal<Option<String>>,
    /// The words for nothing.
    none: &'static str,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let href = to.href();
    let current = move || {
        let here = session.route.with(|route| match route {
            // A question is looked at from the results, and so are two runs.
            Route::Inspect(_) | Route::Compare => to == Route::Results,
            route => *route == to,
        });
        here.then_some("page")
    };
    view! {
        <li>
            <a
                href=href
                aria-current=current
                data-state=move || state.with(Option::is_none).then_some("todo")
            >
                <b>{name}</b>
                " "
                <span>
                    {move || {
                        let words = state.get().unwrap_or_else(|| none.to_owned());
                        view! { <Grouped text=words /> }
                    }}
                </span>
            </a>
        </li>
    }
}

fn data_state(workspace: RwSignal<Load<Workspace>>) -> Option<String> {
    workspace.with(|it| match it {
        Load::Loading => Some("reading".to_owned()),
        it => {
            let n = it.ready()?.dataset.as_ref()?.summary.queries;
            Some(counted(n, "query", "queries"))
        }
    })
}

fn systems_state(workspace: RwSignal<Load<Workspace>>) -> Option<String> {
    let n = workspace.with(|it| it.ready().map_or(0, |it| it.systems.len()));
    (0 < n).then(|| counted(n as u64, "system", "systems"))
}

/// The run that is going on, else the chosen one.
fn judge_state(
    active: RwSignal<Option<String>>,
    runs: RwSignal<Vec<RunSummary>>,
    run: Memo<Option<RunSummary>>,
) -> Option<String> {
    let going = active
        .get()
        .and_then(|id| runs.with(|runs| runs.iter().find(|it| it.id == id).map(phase_words)));
    going.or_else(|| run.with(|it| it.as_ref().map(phase_words)))
}

fn phase_words(run: &RunSummary) -> String {
    let progress = &run.progress;
    let so_far = format!("{} of {}", progress.calls_done, progress.calls);
    let words = match progress.phase {
        Phase::Done => "done".to_owned(),
        Phase::DoneWithFailures => format!("done, {} unscored", progress.tally.unscored()),
        Phase::Idle => "not started".to_owned(),
        Phase::Running => format!("running, {so_far}"),
        Phase::Paused => format!("paused, {so_far}"),
        Phase::Stopped => format!("stopped, {so_far}"),
    };
    if run.judge.practice { format!("practice, {words}") } else { words }
}

fn results_state(run: Option<&RunSummary>) -> Option<String> {
    let run = run?;
    let words = if run.judge.practice {
        "practice scores"
    } else if run.progress.calls_done < run.progress.calls {
        "coverage so far"
    } else {
        "coverage"
    };
    Some(words.to_owned())
}

/// Where the numbers of the page come from.
#[component]
fn RunningHead(run: Memo<Option<RunSummary>>) -> impl IntoView {
    let session = expect_context::<Session>();
    let shown = memo(move || {
        let has_numbers = session.route.with(|route| {
            matches!(route, Route::Judge | Route::Results | Route::Inspect(_) | Route::Report)
        });
        if has_numbers { run.get() } else { None }
    });
    view! { {move || {
        let run = shown.get()?;
        let size = size_words(session.workspace, &run);
        let systems = counted(run.systems.len() as u64, "system", "systems");
        let scored = scored_words(&run.progress.tally, run.progress.planned);
        let practice = run.judge.practice.then(|| {
            view! {
                <li>
                    <span class="practice">"Practice scores: word overlap, not a judgement"</span>
                </li>
            }
        });
        Some(view! {
            <div class="running" role="region" aria-label="What these numbers come from">
                <div class="wrap">
                    <ul>
                        <li>
                            <strong>{run.dataset.clone()}</strong>
                            {format!(" ({})", run.dataset_digest.short())}
                        </li>
                        {run.dataset_on_hub.clone().map(|source| view! { <li>{source}</li> })}
                        <li>
                            <Grouped text=size />
                        </li>
                        <li>{systems}</li>
                        <li>"Judge " <strong>{run.judge.name.clone()}</strong></li>
                        <li>{move || format!("reading: {}", session.reading.get().as_str())}</li>
                        <li>{format!("seed {}", run.settings.seed)}</li>
                        <li>
                            <Grouped text=scored />
                        </li>
                        {practice}
                    </ul>
                </div>
            </div>
        })
    }} }
}

/// Queries of the run, and their rubric items where the same questions are loaded as a whole.
fn size_words(workspace: RwSignal<Load<Workspace>>, run: &RunSummary) -> String {
    let queries = counted(run.n_cases, "query", "queries");
    let summary = workspace.with(|it| {
        let dataset = it.ready()?.dataset.as_ref()?;
        (dataset.digest == run.dataset_digest)
            .then_some((dataset.summary.queries, dataset.summary.items))
    });
    match summary {
        Some((all, items)) if all == run.n_cases => {
            format!("{queries}, {}", counted(items, "rubric item", "rubric items"))
        }
        Some((all, _)) => format!("{} of {all} queries", run.n_cases),
        None => queries,
    }
}

fn scored_words(tally: &Tally, planned: u64) -> String {
    let asked = tally.asked();
    let words = format!("{} of {asked} items scored", tally.scored);
    if asked < planned { format!("{words}, {planned} planned") } else { words }
}

/// The last thing that had to be said, until it is put away or something else is done.
#[component]
fn Flash() -> impl IntoView {
    let session = expect_context::<Session>();
    put_away_what_is_past(&session);
    effect(move || {
        // It stands at the top of the page, and what failed may have been asked for far below.
        if session.notice.with(|it| it.as_ref().is_some_and(|(tone, _)| *tone == Tone::Bad)) {
            browser::scroll_to_top();
        }
    });
    // The Judge page says beside the run why that stopped.
    let told_below = memo(move || {
        let halt = session.current().and_then(|run| run.progress.halt);
        session.route.get() == Route::Judge && halt.is_some_and(|halt| halt != Halt::ByHand)
    });
    view! { {move || {
        let below = told_below.get();
        let notice = session.notice.get().filter(|(tone, _)| !(below && *tone == Tone::Warn));
        notice.map(|(tone, notice)| {
            view! {
                <div class="flash">
                    <NoticeView tone=tone notice=notice>
                        <button
                            class="btn btn--small"
                            type="button"
                            on:click=move |_| session.send(Command::CloseNotice)
                        >
                            "Dismiss"
                        </button>
                    </NoticeView>
                </div>
            }
        })
    }} }
}

/// A notice speaks of what was done last: going elsewhere, or doing the next thing, ends it.
fn put_away_what_is_past(session: &Session) {
    let session = *session;
    Effect::new(move |before: Option<Route>| {
        let route = session.route.get();
        // Judgement files lead to Report by themselves, and a file that could not be read beside
        // them has only just been told.
        let led = route == Route::Report && session.import.with_untracked(Option::is_some);
        if before.is_some_and(|it| it != route) && !led {
            session.send(Command::CloseNotice);
        }
        route
    });
    Effect::new(move |before: Option<bool>| {
        let busy = session.busy.with(Option::is_some);
        if before == Some(false) && busy {
            session.send(Command::CloseNotice);
        }
        busy
    });
}

/// What takes a moment, and where files may fall. Above the page, so that nothing moves.
#[component]
fn Busy(dragging: RwSignal<bool>) -> impl IntoView {
    let session = expect_context::<Session>();
    let words = move || session.busy.get().map(|it| format!("{it} …"));
    view! {
        <p class="busy" role="status">
            {words}
        </p>
        <p class="busy drop-here" hidden=move || !dragging.get()>
            "Let go to open the files. They are read on this device."
        </p>
    }
}

#[component]
fn Footer() -> impl IntoView {
    view! {
        <footer class="foot">
            <div class="wrap">
                <span>"Coverage is not correctness."</span>
                " "
                <span>"Everything is computed in this page."</span>
                " "
                <a href="#/settings">"Privacy and storage"</a>
                " "
                <a href="#/about">"How each number is computed"</a>
            </div>
        </footer>
    }
}

/// Keys, what they do.
const KEYS: [(&[&str], &str); 9] = [
    (&["g", "d"], "go to Data"),
    (&["g", "s"], "go to Systems"),
    (&["g", "j"], "go to Judge"),
    (&["g", "r"], "go to Results"),
    (&["g", "i"], "go to Inspect"),
    (&["g", "p"], "go to Report"),
    (&["j"], "next question, on Inspect"),
    (&["k"], "previous question, on Inspect"),
    (&["1", "5"], "the five labels, when you judge by hand"),
];

/// The list of keys, as a modal dialog: the browser keeps focus in it and Escape closes it.
#[component]
fn Shortcuts(dialog: NodeRef<html::Dialog>) -> impl IntoView {
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    let rows = KEYS.into_iter().map(|(keys, what)| {
        let between = if keys[0] == "g" { " then " } else { " to " };
        let second = keys.get(1).map(|key| view! { {between} <kbd>{*key}</kbd> });
        view! {
            <dt>
                <kbd>{keys[0]}</kbd>
                {second}
            </dt>
            <dd>{what}</dd>
        }
    });
    view! {
        <dialog class="keys" node_ref=dialog aria-labelledby="keys-h">
            <header>
                <h2 id="keys-h">"Shortcuts"</h2>
                <button class="btn btn--small" type="button" on:click=close>
                    "Close"
                </button>
            </header>
            <dl class="facts facts--left">
                <dt>
                    <kbd>"?"</kbd>
                </dt>
                <dd>"this list"</dd>
                {rows.collect_view()}
                <dt>
                    <kbd>"Esc"</kbd>
                </dt>
                <dd>"close what lies above the page"</dd>
            </dl>
            <p class="help">"While you type in a field, keys write and do nothing else."</p>
        </dialog>
    }
}

fn open(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked()
        && !dialog.open()
    {
        dialog.show_modal().ok();
    }
}

/// `?`, and `g` with the letter of a page. Pages hear their own keys themselves.
fn listen_to_keys(route: RwSignal<Route>, dialog: NodeRef<html::Dialog>) {
    let since = StoredValue::new(None::<f64>);
    let handle = window_event_listener(ev::keydown, move |event| {
        let is_open = dialog.get_untracked().is_some_and(|it| it.open());
        if is_open || !is_command(&event) {
            return;
        }
        let key = event.key();
        let was_g = since.get_value().is_some_and(|at| clock::now() - at < SEQUENCE);
        since.set_value(None);
        if was_g && let Some(route) = target(&route.get_untracked(), &key) {
            event.prevent_default();
            // This listener is the oldest, so the page does not take the letter for its own.
            event.stop_immediate_propagation();
            browser::go(&route.href());
        } else if key == "g" {
            since.set_value(Some(clock::now()));
        } else if key == "?" {
            event.prevent_default();
            open(dialog);
        }
    });
    on_cleanup(move || handle.remove());
}

/// Whether a key is meant for the page and not for a field, the browser or an input method.
fn is_command(event: &KeyboardEvent) -> bool {
    let writes = event
        .target()
        .and_then(|it| it.dyn_into::<Element>().ok())
        .and_then(|it| it.closest(FIELDS).ok().flatten());
    let is_held = event.ctrl_key() || event.alt_key() || event.meta_key();
    writes.is_none() && !is_held && !event.is_composing() && !event.default_prevented()
}

fn target(here: &Route, key: &str) -> Option<Route> {
    Some(match key {
        "d" => Route::Data,
        "s" => Route::Systems,
        "j" => Route::Judge,
        "r" => Route::Results,
        "i" => match here {
            Route::Inspect(case) => Route::Inspect(*case),
            _ => Route::Inspect(0),
        },
        "p" => Route::Report,
        _ => return None,
    })
}

/// Files may fall anywhere on the page. Dragged text keeps what the browser does with it.
fn listen_to_drops(session: &Session, dragging: RwSignal<bool>) {
    let session = *session;
    let over = window_event_listener(ev::dragover, move |event| {
        if event.data_transfer().is_some_and(|it| has_files(&it)) {
            event.prevent_default();
            dragging.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // From one element to the next there is a related one; out of the window there is none.
        if event.related_target().is_none() {
            dragging.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        dragging.set(false);
        let Some(transfer) = event.data_transfer().filter(has_files) else {
            return;
        };
        event.prevent_default();
        session.send(Command::OpenFiles(files::dropped(&transfer)));
        // The first screen shows nothing of what was read.
        if session.route.get_untracked() == Route::Start {
            browser::go(&Route::Data.href());
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
}

fn has_files(transfer: &DataTransfer) -> bool {
    transfer.types().includes(&"Files".into(), 0)
}
