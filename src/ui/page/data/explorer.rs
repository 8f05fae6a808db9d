//! The questions themselves: filtered, counted, listed, and one of them in full.

use leptos::prelude::*;

use crate::dataset::explore::{Filter, Named};
use crate::rubric::{Citation, ItemType};
use crate::ui::command::Command;
use crate::ui::format::counted;
use crate::ui::part::field::{CheckField, SelectField, TextField};
use crate::ui::part::window::WindowList;
use crate::ui::react::memo;
use crate::ui::session::{ExplorerSession, PAGE, Session};
use crate::worker::{ItemView, Pieces, QueryRow, QuestionView};

/// How many questions of each field a sample takes at first.
const SAMPLE: u32 = 3;

#[component]
pub fn Explorer() -> impl IntoView {
    let session = expect_context::<Session>();
    let ExplorerSession { found, pages, question, .. } = session.explorer;
    let all = memo(move || {
        let summary = |it: &crate::worker::Workspace| Some(it.dataset.as_ref()?.summary.queries);
        session.workspace.with(|it| it.ready().and_then(summary)).unwrap_or_default()
    });
    let words = move || {
        let (total, items) = found.with(|it| (it.total, it.items));
        let items = counted(items, "rubric item", "rubric items");
        format!("{total} of {}, with {items}", counted(all.get(), "query", "queries"))
    };
    let row = Callback::new(move |at: u64| {
        let row =
            memo(move || pages.with(|it| it.get(&(at / PAGE))?.get((at % PAGE) as usize).cloned()));
        view! { {move || row.get().map(row_view)} }.into_any()
    });
    let open = Callback::new(move |at: u64| {
        let place = pages.with_untracked(|it| {
            it.get(&(at / PAGE))?.get((at % PAGE) as usize).map(|row| row.place)
        });
        if place.is_some() {
            session.send(Command::OpenQuestion(place));
        }
    });
    let none = memo(move || found.with(|it| it.total == 0 && it.view != 0));
    view! {
        <section class="section" aria-labelledby="d-read">
            <header>
                <h2 id="d-read">"Explore the questions"</h2>
                <p class="n" role="status" data-testid="explorer-count">
                    {words}
                </p>
            </header>
            <Filters />
            <Sample />
            <div class="explorer">
                <div hidden=move || none.get()>
                    <WindowList
                        label="Questions"
                        total=Signal::derive(move || found.with(|it| it.total))
                        version=Signal::derive(move || found.with(|it| it.view))
                        row=row
                        on_show=Callback::new(move |(first, last)| session.need_rows(first, last))
                        on_open=open
                    />
                </div>
                <p class="empty" hidden=move || !none.get()>
                    "No question fits. Take a part of the filter away, or look for a shorter text."
                </p>
                {move || question.get().map(|it| view! { <Question question=it /> })}
            </div>
        </section>
    }
}

fn row_view(row: QueryRow) -> impl IntoView {
    let mut about: Vec<String> = [row.domain, row.field, row.date.unwrap_or_default()]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    about.push(counted(row.items, "item", "items"));
    if 0 < row.hits {
        about.push(counted(row.hits, "item with the text", "items with the text"));
    }
    view! {
        <p class="window__q">{marked(row.query)}</p>
        <p class="help">{about.join(" · ")}</p>
    }
}

/// Text nodes only, hits in `mark`.
fn marked(pieces: Pieces) -> impl IntoView {
    pieces
        .into_iter()
        .map(
            |(text, hit)| {
                if hit { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
            },
        )
        .collect_view()
}

#[component]
fn Filters() -> impl IntoView {
    let session = expect_context::<Session>();
    let ExplorerSession { filter, found, .. } = session.explorer;
    let value = move |read: fn(&Filter) -> &String| {
        Signal::derive(move || filter.with(|it| read(it).clone()))
    };
    let change = move |write: fn(&mut Filter, String)| {
        Callback::new(move |text| filter.update(|it| write(it, text)))
    };
    let options = |all: &'static str, list: Vec<(String, String, u64)>, chosen: &str| {
        let mut options = vec![(String::new(), all.to_owned())];
        // What is chosen stays to be seen, though nothing is left of it.
        if !chosen.is_empty() && list.iter().all(|it| it.0 != chosen) {
            options.push((chosen.to_owned(), format!("{chosen} (0)")));
        }
        let named = list.into_iter().filter(|it| !it.0.is_empty());
        options.extend(named.map(|(value, name, n)| (value, format!("{name} ({n})"))));
        options
    };
    let names = move |all,
                      list: fn(&crate::worker::Explored) -> &Vec<Named<String>>,
                      read: fn(&Filter) -> &String| {
        Signal::derive(move || {
            let chosen = filter.with(|it| read(it).clone());
            let list = found.with(|it| {
                list(it).iter().map(|it| (it.of.clone(), it.of.clone(), it.queries)).collect()
            });
            options(all, list, &chosen)
        })
    };
    let kinds = Signal::derive(move || {
        let chosen = filter.with(|it| it.kind.map_or("", ItemType::as_str));
        let list = found.with(|it| {
            let of = |kind: ItemType| kind.as_str().to_owned();
            it.kinds.iter().map(|it| (of(it.of), of(it.of), it.queries)).collect()
        });
        options("All types", list, chosen)
    });
    let reset =
        move |_| filter.update(|it| *it = Filter { sample: it.sample, ..Filter::default() });
    view! {
        <div class="filter filter--even" role="search" aria-label="Filter the questions">
            <SelectField
                id="browse-domain"
                label="Domain"
                options=names("All domains", |it| &it.domains, |it| &it.domain)
                value=value(|it| &it.domain)
                on_change=change(|it, name| it.domain = name)
            />
            <SelectField
                id="browse-subdomain"
                label="Subdomain"
                options=names("All subdomains", |it| &it.subdomains, |it| &it.subdomain)
                value=value(|it| &it.subdomain)
                on_change=change(|it, name| it.subdomain = name)
            />
            <SelectField
                id="browse-field"
                label="Field"
                options=names("All fields", |it| &it.fields, |it| &it.field)
                value=value(|it| &it.field)
                on_change=change(|it, name| it.field = name)
            />
            <SelectField
                id="browse-kind"
                label="Item type"
                options=kinds
                value=Signal::derive(move || {
                    filter.with(|it| it.kind.map_or("", ItemType::as_str).to_owned())
                })
                on_change=change(|it, name| it.kind = ItemType::read(&name))
            />
            <TextField
                id="browse-from"
                label="From"
                kind="date"
                value=value(|it| &it.from)
                on_input=change(|it, day| it.from = day)
            />
            <TextField
                id="browse-to"
                label="To"
                kind="date"
                value=value(|it| &it.to)
                on_input=change(|it, day| it.to = day)
            />
            <TextField
                id="browse-text"
                label="Text"
                kind="search"
                placeholder="in question or item"
                value=value(|it| &it.text)
                on_input=change(|it, text| it.text = text)
            />
            <button class="btn" type="button" on:click=reset>
                "Reset filters"
            </button>
        </div>
    }
}

/// The same choice that a run would make.
#[component]
fn Sample() -> impl IntoView {
    let session = expect_context::<Session>();
    let filter = session.explorer.filter;
    let sample = memo(move || filter.with(|it| it.sample));
    let on = memo(move || sample.get().is_some());
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|it| *it < 1 << 53);
    let per_field = Callback::new(move |text: String| {
        if let Some(n) = number(&text).and_then(|it| u32::try_from(it).ok()) {
            filter.update(|it| it.sample = it.sample.map(|(_, seed)| (n, seed)));
        }
    });
    let seed = Callback::new(move |text: String| {
        if let Some(n) = number(&text) {
            filter.update(|it| it.sample = it.sample.map(|(per_field, _)| (per_field, n)));
        }
    });
    let toggle = Callback::new(move |on: bool| {
        let seed = session.draft.with_untracked(|it| number(&it.seed)).unwrap_or(7);
        filter.update(|it| it.sample = on.then_some((SAMPLE, seed)));
    });
    view! {
        <div class="sample">
            <CheckField
                id="browse-sample"
                label="Sample only"
                checked=on
                inline=true
                on_change=toggle
            />
            <Show when=move || on.get()>
                <TextField
                    id="browse-per-field"
                    label="Questions per field"
                    kind="number"
                    value=Signal::derive(move || {
                        sample.get().map_or_else(String::new, |(n, _)| n.to_string())
                    })
                    on_input=per_field
                />
                <TextField
                    id="browse-seed"
                    label="Sample seed"
                    kind="number"
                    value=Signal::derive(move || {
                        sample.get().map_or_else(String::new, |(_, seed)| seed.to_string())
                    })
                    on_input=seed
                />
                <button
                    class="btn"
                    type="button"
                    on:click=move |_| session.send(Command::JudgeSample)
                >
                    "Judge this sample"
                </button>
            </Show>
        </div>
    }
}

#[component]
fn Question(question: QuestionView) -> impl IntoView {
    let session = expect_context::<Session>();
    let name = |name: &String| (!name.is_empty()).then(|| name.clone());
    let about = [
        name(&question.domain),
        name(&question.subdomain),
        name(&question.field),
        question.date.clone(),
    ];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let items = counted(question.items.len() as u64, "rubric item", "rubric items");
    view! {
        <article class="question-open" aria-labelledby="q-open">
            <h3 id="q-open" tabindex="-1">
                {marked(question.query)}
            </h3>
            <p class="help">{about} " " <code>{question.id}</code></p>
            <p class="small">{items}</p>
            <ol>{question.items.into_iter().map(item_view).collect_view()}</ol>
            <div class="actions">
                <button
                    class="btn btn--small"
                    type="button"
                    on:click=move |_| session.send(Command::OpenQuestion(None))
                >
                    "Close the question"
                </button>
            </div>
        </article>
    }
}

fn item_view(item: ItemView) -> impl IntoView {
    let types = item.types.into_iter().map(|kind| {
        view! {
            " "
            <span class="chip">{kind.as_str()}</span>
        }
    });
    let weight = (1e-9 < (item.weight - 1.0).abs()).then(|| {
        view! {
            " "
            <span class="chip chip--on">{format!("weight {}", item.weight)}</span>
        }
    });
    view! {
        <li>
            {marked(item.text)} {types.collect_view()} {weight}
            {item.citation.map(citation_view)}
        </li>
    }
}

/// The work an item wants cited. Addresses come from the data: only those of the web become links.
fn citation_view(citation: Citation) -> impl IntoView {
    let Citation { first_author, title, url, year } = citation;
    let parts = [first_author, year.map(|it| it.to_string()), title];
    let words = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let words = if words.is_empty() { "work without a title".to_owned() } else { words };
    let is_web =
        url.as_ref().is_some_and(|it| it.starts_with("https://") || it.starts_with("http://"));
    view! {
        <p class="help">
            "Cites: "
            {match url {
                Some(url) if is_web => {
                    view! {
                        <a href=url rel="noreferrer noopener" target="_blank">
                            {words}
                        </a>
                    }
                        .into_any()
                }
                _ => words.into_any(),
            }}
        </p>
    }
}
