//! The Settings page: appearance, keys, what is stored, and what leaves this device.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::edge::{clock, page};
use crate::report::number::NONE;
use crate::ui::command::Command;
use crate::ui::format::{bytes, counted, moment, usd};
use crate::ui::page::judge::key::HeldKey;
use crate::ui::part::blocks::AsideView;
use crate::ui::part::rename::{Renamable, RenameButton};
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Aside, Session};
use crate::worker::{KeptDownload, RunSummary};

#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <div class="page-head">
            <h1>"Settings"</h1>
            <p>"How the page looks, what it keeps, and what leaves this device."</p>
        </div>
        <Appearance />
        <Keys />
        <Hosts />
        <Runs />
        <Downloads />
        <Storage />
        <Privacy />
    }
    .into_any()
}

#[component]
fn Appearance() -> impl IntoView {
    let session = expect_context::<Session>();
    let choices = [("As the system", None), ("Light", Some("light")), ("Dark", Some("dark"))];
    let choices = choices.map(|(words, theme)| {
        view! {
            <label>
                <input
                    type="radio"
                    name="theme"
                    prop:checked=move || session.theme.get() == theme
                    on:change=move |_| session.send(Command::SetTheme(theme))
                />
                " "
                {words}
            </label>
        }
    });
    view! {
        <section class="section" aria-labelledby="set-look">
            <h2 id="set-look">"Appearance"</h2>
            <fieldset class="labels" role="radiogroup" aria-labelledby="set-theme">
                <legend id="set-theme">"Colours"</legend>
                {choices.collect_view()}
            </fieldset>
        </section>
    }
}

#[component]
fn Keys() -> impl IntoView {
    let session = expect_context::<Session>();
    let sealed = move || {
        session.keys.held.with(|it| match it.sealed.as_slice() {
            [] => "None is sealed on this device.".to_owned(),
            origins => format!("Sealed on this device, for: {}.", origins.join(", ")),
        })
    };
    view! {
        <section class="section" aria-labelledby="set-keys">
            <h2 id="set-keys">"Keys"</h2>
            <div class="stack">
                <HeldKey />
                <p hidden=move || session.keys.host().is_some()>"No key is in memory."</p>
                <p>{sealed}</p>
                <p class="help">
                    "A key is given on the Judge page, and is gone when the tab closes unless you choose there to keep it."
                </p>
                <div class="actions">
                    <button
                        class="btn"
                        type="button"
                        on:click=move |_| session.send(Command::ForgetKeys)
                    >
                        "Forget all keys"
                    </button>
                </div>
                {move || {
                    session
                        .hub
                        .token_host
                        .get()
                        .map(|host| {
                            view! {
                                <p>"A token for " <strong>{host}</strong> " is in memory as well."</p>
                                <div class="actions">
                                    <button
                                        class="btn"
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
        </section>
    }
}

/// Which host got how many calls.
#[component]
fn Hosts() -> impl IntoView {
    let session = expect_context::<Session>();
    session.send(Command::Ask(Aside::Hosts));
    view! {
        <section class="section" aria-labelledby="set-hosts">
            <h2 id="set-hosts">"Who was asked"</h2>
            <AsideView aside=Signal::stored(Some(Aside::Hosts)) />
        </section>
    }
}

/// The runs kept here.
#[component]
fn Runs() -> impl IntoView {
    let session = expect_context::<Session>();
    // A run that goes on changes many times a second; its row stays as long as its name does.
    let rows = memo(move || {
        session
            .runs
            .with(|runs| runs.iter().map(|it| (it.id.clone(), it.name.clone())).collect::<Vec<_>>())
    });
    let some = memo(move || rows.with(|it| !it.is_empty()));
    view! {
        <section class="section" aria-labelledby="set-runs">
            <h2 id="set-runs">"Runs"</h2>
            <Show
                when=move || some.get()
                fallback=|| {
                    view! {
                        <div class="empty">
                            <p>"No runs yet. They appear here once something was judged."</p>
                        </div>
                    }
                }
            >
                <table class="table table--fold named" role="table" aria-label="Runs">
                    <RunsHead />
                    <tbody role="rowgroup">
                        <For each=move || rows.get() key=Clone::clone let((id, name))>
                            <RunRow id=id name=name />
                        </For>
                    </tbody>
                </table>
                <p class="table-foot">
                    <a href=Route::Compare.href()>"Compare two runs"</a>
                    ". A run file, written on the Report page, holds everything needed to see every number again without a call."
                </p>
            </Show>
        </section>
    }
}

#[component]
fn RunsHead() -> impl IntoView {
    view! {
        <thead role="rowgroup">
            <tr role="row">
                <th role="columnheader" scope="col">
                    "Run"
                </th>
                <th role="columnheader" scope="col">
                    "Judge"
                </th>
                <th role="columnheader" scope="col">
                    "Last change"
                </th>
                <th role="columnheader" scope="col" class="r">
                    "Calls done"
                </th>
                <th role="columnheader" scope="col" class="r">
                    "Cost"
                </th>
                <th role="columnheader" scope="col">
                    "Kept"
                </th>
                <th role="columnheader" scope="col">
                    <span class="sr-only">"Actions"</span>
                </th>
            </tr>
        </thead>
    }
}

#[component]
fn RunRow(id: String, name: String) -> impl IntoView {
    let session = expect_context::<Session>();
    let id = StoredValue::new(id);
    let editing = RwSignal::new(false);
    let run = memo(move || {
        let id = id.get_value();
        session.runs.with(|runs| runs.iter().find(|it| it.id == id).cloned())
    });
    let cell = move |what: fn(&RunSummary) -> String| {
        move || run.with(|it| it.as_ref().map(what).unwrap_or_default())
    };
    let rename = Callback::new(move |name| {
        session.send(Command::RenameRun { run: id.get_value(), name });
    });
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                <Renamable name=name.clone() what="run" editing=editing on_rename=rename />
            </th>
            <td role="cell" class="full" data-label="Judge">
                {cell(|it| it.judge.name.clone())}
            </td>
            <td role="cell" class="full" data-label="Last change">
                {cell(|it| moment(&clock::rfc3339(it.updated)))}
            </td>
            <td role="cell" class="r full" data-label="Calls done">
                {cell(|it| format!("{} of {}", it.progress.calls_done, it.progress.calls))}
            </td>
            <td role="cell" class="r full" data-label="Cost">
                {cell(cost)}
            </td>
            <td role="cell" class="full" data-label="Kept">
                {cell(|it| kept_words(it).to_owned())}
            </td>
            <td role="cell" class="full">
                <div class="actions">
                    <RenameButton label=format!("Rename {name}") editing=editing />
                    <DeleteButton id=id name=name />
                </div>
            </td>
        </tr>
    }
}

/// Of what the provider counted. Nothing is known of a run without prices.
fn cost(run: &RunSummary) -> String {
    let money = run.progress.money.as_ref();
    money.map_or_else(
        || NONE.to_owned(),
        |it| if it.uncounted == 0 { usd(it.spent) } else { format!("over {}", usd(it.spent)) },
    )
}

fn kept_words(run: &RunSummary) -> &'static str {
    if run.stored { "in this browser" } else { "until this tab closes" }
}

#[component]
fn DeleteButton(id: StoredValue<String>, name: String) -> impl IntoView {
    let session = expect_context::<Session>();
    let goes_on = move || {
        let id = id.get_value();
        session.active.with(|it| it.as_ref() == Some(&id))
            || session.runs.with(|runs| runs.iter().any(|it| it.id == id && it.elsewhere))
    };
    let label = format!("Delete {name}");
    let question = move || {
        let out = session.runs.with_untracked(|runs| {
            runs.iter().find(|it| it.id == id.get_value()).map_or(0, |it| it.batched)
        });
        let batch = if 0 < out {
            " Requests of it are out in a batch: its number is deleted as well, and what comes of it is lost unless you fetch it from the provider."
        } else {
            ""
        };
        format!(
            "Delete the run “{name}”? The judge’s replies stay stored until you forget everything, \
             so the same judgements are not asked for twice.{batch}"
        )
    };
    let delete = move |_| {
        if page::confirm(&question()) {
            session.send(Command::DeleteRun(id.get_value()));
            // The button goes with its row.
            page::focus("#main");
        }
    };
    view! {
        <button
            class="btn btn--small"
            type="button"
            aria-label=label
            disabled=goes_on
            on:click=delete
        >
            "Delete"
        </button>
    }
}

/// Benchmarks from Hubs that are kept here.
#[component]
fn Downloads() -> impl IntoView {
    let session = expect_context::<Session>();
    session.send(Command::ListDownloads);
    let kept = session.hub.kept;
    let some = memo(move || kept.with(|it| !it.is_empty()));
    view! {
        <section class="section" aria-labelledby="set-hub">
            <h2 id="set-hub">"Downloaded benchmarks"</h2>
            <Show
                when=move || some.get()
                fallback=|| {
                    view! {
                        <div class="empty">
                            <p>
                                "Nothing was downloaded. The Data page loads benchmarks from the Hub."
                            </p>
                        </div>
                    }
                }
            >
                <table class="table table--fold named" role="table" aria-label="Downloaded benchmarks">
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">
                                "Dataset"
                            </th>
                            <th role="columnheader" scope="col">
                                "Commit"
                            </th>
                            <th role="columnheader" scope="col" class="r">
                                "Files"
                            </th>
                            <th role="columnheader" scope="col" class="r">
                                "Size"
                            </th>
                            <th role="columnheader" scope="col">
                                <span class="sr-only">"Actions"</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">
                        <For each=move || kept.get() key=Clone::clone let(row)>
                            <DownloadRow kept=row />
                        </For>
                    </tbody>
                </table>
                <p class="table-foot">
                    "Kept by commit, so that the same numbers can be computed again. Deleting one does not change a run; to extend the run, its benchmark is loaded again."
                </p>
            </Show>
        </section>
    }
}

#[component]
fn DownloadRow(kept: KeptDownload) -> impl IntoView {
    let session = expect_context::<Session>();
    let short: String = kept.commit.chars().take(7).collect();
    let label = format!("Delete {} at {short}", kept.repo);
    let files =
        if kept.files.is_empty() { "on its way".to_owned() } else { kept.files.len().to_string() };
    let (repo, size) = (kept.repo.clone(), bytes(kept.bytes as f64));
    let delete = move |_| {
        session.send(Command::DeleteDownload(kept.clone()));
        // The button goes with its row.
        page::focus("#main");
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                {repo}
            </th>
            <td role="cell" class="full" data-label="Commit">
                <code>{short}</code>
            </td>
            <td role="cell" class="r full" data-label="Files">
                {files}
            </td>
            <td role="cell" class="r full" data-label="Size">
                {size}
            </td>
            <td role="cell" class="full">
                <button class="btn btn--small" type="button" aria-label=label on:click=delete>
                    "Delete"
                </button>
            </td>
        </tr>
    }
}

/// How much is kept, how safe it is, and the way to be rid of it.
#[component]
fn Storage() -> impl IntoView {
    let session = expect_context::<Session>();
    let what = move || {
        let runs = session.runs.with(|it| counted(it.len() as u64, "run", "runs"));
        let files = session.workspace.with(|it| {
            it.ready().map_or(0, |it| it.dataset.as_ref().map_or(0, |it| it.files.len()))
        });
        let systems = session.workspace.with(|it| it.ready().map_or(0, |it| it.systems.len()));
        let (theme, no_runs) =
            (session.theme.with(Option::is_some), session.runs.with(Vec::is_empty));
        if files == 0 && systems == 0 && no_runs && !theme {
            return "Nothing is kept. Only if you deleted runs are their replies still here, until you forget everything.".to_owned();
        }
        format!(
            "Kept in this browser: {}, the answers of {}, {runs} with every reply of the judges, and the choice of colours.",
            counted(files as u64, "file of questions", "files of questions"),
            counted(systems as u64, "system", "systems")
        )
    };
    view! {
        <section class="section" aria-labelledby="set-store">
            <h2 id="set-store">"Storage"</h2>
            <div class="stack">
                <p>{what}</p>
                <Usage />
                <Persistence />
                <p class="help">
                    "Safari deletes what a page has stored after seven days of use in which you did not visit the page, unless you put it on the home screen or in the Dock. Private windows forget everything when they close. What matters to you belongs in a run file: the Report page writes it."
                </p>
                <div class="actions">
                    <button
                        class="btn btn--danger"
                        type="button"
                        on:click=move |_| session.send(Command::ForgetEverything)
                    >
                        "Forget everything here"
                    </button>
                </div>
                <p class="help">
                    "Deletes questions, answers, runs, replies, settings and the key from this browser, after asking once. Files you saved stay where they are."
                </p>
            </div>
        </section>
    }
}

/// What the browser estimates. Asked again when runs, questions or answers come or go.
#[component]
fn Usage() -> impl IntoView {
    let session = expect_context::<Session>();
    let usage = RwSignal::new(None::<(f64, f64)>);
    let runs = memo(move || session.runs.with(Vec::len));
    effect(move || {
        runs.track();
        session.workspace.track();
        spawn_local(async move {
            let found = page::usage().await;
            // The page may have been left meanwhile.
            usage.try_set(found);
        });
    });
    let words = move || match usage.get() {
        Some((used, quota)) => format!(
            "The browser counts about {} in use, of {} it would allow. Other pages of this site are in the count.",
            size(used),
            size(quota)
        ),
        None => "The browser does not say how much is in use.".to_owned(),
    };
    view! { <p>{words}</p> }
}

fn size(n: f64) -> String {
    if n < 1e9 { bytes(n) } else { format!("{:.1} GB", n / 1e9) }
}

#[component]
fn Persistence() -> impl IntoView {
    let session = expect_context::<Session>();
    let words = move || match session.persisted.get() {
        Some(true) => "The browser agreed to keep it until you delete it.",
        Some(false) => {
            "The browser did not agree: it may delete what is stored when the disk is full. Some browsers agree once a page is bookmarked or visited often."
        }
        None => {
            "Unless it agrees to more, a browser may delete what is stored when the disk is full. It has not been asked in this visit; starting a run asks it."
        }
    };
    view! {
        <p role="status">{words}</p>
        <div class="actions">
            <button
                class="btn"
                type="button"
                disabled=move || session.persisted.get() == Some(true)
                on:click=move |_| session.send(Command::Persist)
            >
                "Ask the browser to keep it"
            </button>
        </div>
    }
}

#[component]
fn Privacy() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="set-private">
            <h2 id="set-private">"Privacy"</h2>
            <div class="prose">
                <p>
                    "Viva has no server of its own, no account and no counting of visitors. Files are read, and every number is computed, in this browser. Whoever hosts these pages sees that they were fetched, as with any page."
                </p>
                <p>
                    <strong>"Nothing of yours leaves this device until you choose a judge behind an address and start a run or submit a batch."</strong>
                    " The practice judge and judging by hand send nothing; “Try this judge” sends a made-up answer and none of yours."
                </p>
                <p>
                    "Loading a benchmark asks the Hub you name for its files; the Hub sees that they were fetched, and by which network. A token goes only there, and only where the Hub asks for one."
                </p>
                <p>
                    "With such a judge, each call sends to the host of its address: the prompt you see on the Judge page, one answer, and up to eight points of its checklist; for pairwise preference the question and two answers. The name of a system is never sent. What that host does with it is for its own terms to say. Before a run starts Viva names the host and asks you, unless the host is your own machine."
                </p>
                <p>
                    "The key goes with these calls and nowhere else. It is held in memory unless you choose to keep it in the tab, or sealed under a passphrase, and stands in no address, log, export or error. Files you save are looked through for it and for what looks like a key."
                </p>
                <p>
                    "What guards the key is that only one function in Viva sends anything to a judge, and it gives the key out only to the origin it was entered for: scheme, host and port. A content policy on the page would not be enough: it has to let through any address that you may choose, and it does not by itself bind the workers that do the sending."
                </p>
            </div>
        </section>
    }
}
