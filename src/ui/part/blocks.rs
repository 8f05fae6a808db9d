//! Texts and tables that a worker composed, set as they are.

use leptos::prelude::*;

use crate::edge::page;
use crate::report::block::Table;
use crate::report::{Block, Span};
use crate::ui::part::notice::NoticeView;
use crate::ui::session::{Aside, Load, Session, Tone};

/// What was asked for beside the page's own tables: its wait, its failure, or what came.
#[component]
pub fn AsideView(#[prop(into)] aside: Signal<Option<Aside>>) -> impl IntoView {
    let session = expect_context::<Session>();
    let found = move || {
        let wanted = aside.get()?;
        session.asides.with(|it| it.iter().find(|(it, _)| *it == wanted).map(|(_, it)| it.clone()))
    };
    view! { {move || match found()? {
        Load::Idle => None,
        Load::Loading => Some(view! { <p class="quiet" role="status">"Counting…"</p> }.into_any()),
        Load::Failed(notice) => {
            Some(view! { <NoticeView tone=Tone::Warn notice=notice /> }.into_any())
        }
        Load::Ready(blocks) => Some(blocks_view(blocks)),
    }} }
}

/// All of them, one below the other.
pub fn blocks_view(blocks: Vec<Block>) -> AnyView {
    let parts: Vec<AnyView> = blocks
        .into_iter()
        .map(|block| match block {
            Block::Heading(text) => view! { <h3>{text}</h3> }.into_any(),
            Block::Text(text) => view! { <p class="small">{text}</p> }.into_any(),
            Block::Warning(word, text) => view! {
                <div class="notice notice--warn notice--slim">
                    <p>
                        <strong>{word}</strong>
                        " "
                        {text}
                    </p>
                </div>
            }
            .into_any(),
            Block::Table(table) => table_view(table),
            Block::Part(title, blocks) => part_view(title, blocks),
            Block::Prose(spans) => view! { <p>{spans_view(spans)}</p> }.into_any(),
            Block::List(items) => view! { <ul>{items_view(items)}</ul> }.into_any(),
            Block::Steps(items) => {
                view! { <ol class="rating-groups">{items_view(items)}</ol> }.into_any()
            }
            Block::Formula(text) => view! {
                <pre class="raw">
                    <code>{text}</code>
                </pre>
            }
            .into_any(),
            Block::Copy(text) => copy_view(text),
        })
        .collect();
    view! { <div class="stack blocks">{parts}</div> }.into_any()
}

/// Something to be pasted elsewhere. Whether it was copied is said beside the button.
fn copy_view(text: String) -> AnyView {
    let shown = text.clone();
    let said = RwSignal::new("");
    let copy = move |_| {
        let text = text.clone();
        leptos::task::spawn_local(async move {
            let copied = page::copy(&text).await;
            said.set(if copied { "Copied." } else { "Select it and copy it by hand." });
        });
    };
    view! {
        <pre class="raw">
            <code>{shown}</code>
        </pre>
        <div class="actions">
            <button class="btn btn--small" type="button" on:click=copy>
                "Copy"
            </button>
            <span class="small quiet" role="status">
                {move || said.get()}
            </span>
        </div>
    }
    .into_any()
}

/// A section under its title.
fn part_view(title: String, blocks: Vec<Block>) -> AnyView {
    // Titles differ, and so do the ids made of them.
    let id: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    let (id, of) = (format!("part-{id}"), format!("part-{id}"));
    view! {
        <section class="section" aria-labelledby=of>
            <h2 id=id>{title}</h2>
            <div class="prose">{blocks_view(blocks)}</div>
        </section>
    }
    .into_any()
}

fn items_view(items: Vec<Vec<Span>>) -> Vec<AnyView> {
    items.into_iter().map(|spans| view! { <li>{spans_view(spans)}</li> }.into_any()).collect()
}

pub fn spans_view(spans: Vec<Span>) -> Vec<AnyView> {
    spans
        .into_iter()
        .map(|span| {
            if span.strong {
                view! { <strong>{span.text}</strong> }.into_any()
            } else {
                span.text.into_any()
            }
        })
        .collect()
}

fn table_view(table: Table) -> AnyView {
    let words = usize::from(table.words);
    let class = move |at: usize| if at < words { "" } else { "r" };
    let head: Vec<AnyView> = table
        .head
        .into_iter()
        .enumerate()
        .map(|(at, text)| view! { <th scope="col" class=class(at)>{text}</th> }.into_any())
        .collect();
    let rows: Vec<AnyView> = table
        .rows
        .into_iter()
        .map(|row| {
            let cells: Vec<AnyView> = row
                .into_iter()
                .enumerate()
                .map(|(at, text)| match at {
                    0 => view! { <th scope="row">{text}</th> }.into_any(),
                    _ => view! { <td class=class(at)>{text}</td> }.into_any(),
                })
                .collect();
            view! { <tr>{cells}</tr> }.into_any()
        })
        .collect();
    let (label, region) = (table.label.clone(), format!("{}, to scroll", table.label));
    view! {
        <div class="wide-table" tabindex="0" role="region" aria-label=region>
            <table class="table table--close" aria-label=label>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
