//! What a provider and its model can do, as the page shows it: the table, what a call would send, and for
//! a server on one's own machine what has to be allowed, ready to copy.

use crate::judge::batch::{BatchKind, Form, FromPage, Limits, limits};
use crate::judge::doctor::Surroundings;
use crate::judge::local::{self, System};
use crate::judge::provider::{self, Knob, NeedsKey, Profile, Wanted};
use crate::judge::{Again, Endpoint};
use crate::report::block::{Block, Table};
use crate::report::number::count;

/// `system` is the one that a server of one's own most likely runs on; it comes first.
pub fn blocks(endpoint: &Endpoint, around: &Surroundings, system: System) -> Vec<Block> {
    let row = provider::profile(endpoint.provider);
    let mut blocks = vec![Block::Table(abilities(endpoint, row))];
    if !row.note.is_empty() {
        blocks.push(Block::Text(format!("Good to know: {}", row.note)));
    }
    blocks.extend(sending(endpoint));
    if row.batch {
        blocks.push(Block::Text(format!("Batches: {}", FromPage::of(endpoint).words())));
    }
    blocks.extend(allowing(endpoint, around, system));
    blocks
}

fn abilities(endpoint: &Endpoint, row: &Profile) -> Table {
    let can = endpoint.can();
    let mut table = Table::new("What this host can do", 2, &["What", row.name]);
    let mut add = |what: &str, how: String| table.rows.push(vec![what.to_owned(), how]);
    for knob in Knob::ALL {
        add(knob.name(), knob.read(&can).to_owned());
    }
    add(
        "Wants a key",
        match row.key {
            NeedsKey::Yes => "yes",
            NeedsKey::Maybe => "if its owner set one",
            NeedsKey::No => "no",
        }
        .to_owned(),
    );
    add("Readable by a page", row.cors.words().to_owned());
    add("Says how long to wait", row.wait.words().to_owned());
    add("Prices in its list of models", if row.lists_prices() { "yes" } else { "no" }.to_owned());
    let kind = BatchKind::of(endpoint);
    let Limits { requests, bytes, .. } = limits(kind, Form::Lines);
    let batch = format!(
        "{}; a file holds {} requests and {} MB at most",
        kind.as_str(),
        count(requests as u64),
        bytes / 1_000_000
    );
    add("Form of batch files", batch);
    table
}

/// What a call with the fields as they are sends, and what it leaves out.
fn sending(endpoint: &Endpoint) -> Vec<Block> {
    let encoded = provider::encode(endpoint, "", Wanted::Labels(1), Again::Plain);
    let mut blocks = Vec::new();
    if !encoded.sent.is_empty() {
        let sent = encoded.sent.join(", ");
        blocks.push(Block::Text(format!("A call sends, beside model and prompt: {sent}.")));
    }
    if !encoded.dropped.is_empty() {
        let dropped = encoded.dropped.join("; ");
        blocks.push(Block::Warning("Left out".to_owned(), format!("{dropped}.")));
    }
    let headers: Vec<&str> = encoded.request.headers.iter().map(|(name, _)| *name).collect();
    let key = encoded
        .request
        .auth
        .header()
        .map_or(String::new(), |(name, _)| format!(", and the key in {name}"));
    blocks.push(Block::Text(format!("Headers: {}{key}. No others.", headers.join(", "))));
    blocks
}

/// What a server of one's own and the browser have to allow.
fn allowing(endpoint: &Endpoint, around: &Surroundings, system: System) -> Vec<Block> {
    let mut recipes = local::recipes(endpoint.provider, &around.page_origin);
    // Stable: the others keep their order.
    recipes.sort_by_key(|it| it.system != system);
    let mut blocks = Vec::new();
    if let Some((word, what)) = local::browser(around) {
        blocks.push(Block::Heading("The browser".to_owned()));
        blocks.push(Block::Warning(word.to_owned(), what));
    }
    for recipe in recipes {
        blocks.push(Block::Heading(format!("To allow this page on {}", recipe.system.name())));
        blocks.push(Block::Text(recipe.first.to_owned()));
        blocks.push(Block::Copy(recipe.command));
        blocks.push(Block::Text(recipe.then));
    }
    let notes = local::notes(endpoint.provider);
    blocks.extend(notes.into_iter().map(|it| Block::Text(it.to_owned())));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::doctor::Permission;
    use crate::judge::provider::{ProviderId, table};
    use crate::judge::{OutputFormat, Prompt};

    const PAGE: &str = "https://someone.github.io";

    fn endpoint(provider: ProviderId, base_url: &str, model: &str) -> Endpoint {
        Endpoint {
            provider,
            capabilities: None,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            temperature: Some(0.0),
            max_tokens: Some(512),
            seed: None,
            effort: None,
            format: OutputFormat::Lines,
            prompt: Prompt::viva(),
        }
    }

    fn around(target: &str) -> Surroundings {
        Surroundings::of(PAGE, target, "", None, Some(Permission::Prompt))
    }

    fn texts(blocks: &[Block]) -> String {
        format!("{blocks:?}")
    }

    #[test]
    fn every_provider_is_told_of_and_servers_of_ones_own_how_to_allow_the_page() {
        for row in table() {
            let base = if row.base_url.is_empty() { "https://a.example/v1" } else { row.base_url };
            let endpoint = endpoint(row.id, base, "some-model");
            let blocks = blocks(&endpoint, &around(base), System::Windows);
            let text = texts(&blocks);
            assert!(text.contains(row.name) && text.contains(row.can.dialect.words()), "{text}");
            assert!(text.contains("Headers: Content-Type"), "{text}");
            let copied: Vec<&String> = blocks
                .iter()
                .filter_map(|it| match it {
                    Block::Copy(text) => Some(text),
                    _ => None,
                })
                .collect();
            assert_eq!(copied.is_empty(), !row.is_local(), "{}", row.name);
            let first = blocks.iter().find_map(|it| match it {
                Block::Heading(text) if text.contains("allow") => Some(text.as_str()),
                _ => None,
            });
            assert_eq!(first, row.is_local().then_some("To allow this page on Windows"));
            assert_eq!(text.contains("Asks first"), row.is_local());
        }
    }

    #[test]
    fn what_a_model_does_not_take_is_named() {
        let endpoint = endpoint(ProviderId::OpenAi, "https://api.openai.com/v1", "o3");
        let text = texts(&blocks(&endpoint, &around(&endpoint.base_url), System::Linux));
        assert!(text.contains("max_completion_tokens=512"), "{text}");
        assert!(text.contains("temperature: o3 takes none"), "{text}");
        assert!(text.contains("and the key in Authorization"), "{text}");
    }
}
