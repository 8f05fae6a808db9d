//! How each number is computed, from the one text that says so: `docs/numbers.md`.
//!
//! It reads the little of Markdown that this text is written in: titles, paragraphs, lists, fenced
//! formulas, and words in bold.

use crate::report::Block;
use crate::report::Span;

const TEXT: &str = include_str!("../../docs/numbers.md");

/// The text without its first title, which the page has already.
pub fn blocks() -> Vec<Block> {
    let (_, text) = TEXT.split_once('\n').unwrap_or_default();
    let mut parts = text.split("\n## ");
    let mut out = pieces(parts.next().unwrap_or_default());
    out.extend(parts.map(|part| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        Block::Part(title.to_owned(), pieces(body))
    }));
    out
}

fn pieces(text: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let formula: Vec<&str> =
                lines.by_ref().take_while(|it| !it.starts_with("```")).collect();
            out.push(Block::Formula(formula.join("\n")));
        } else if let Some(title) = line.strip_prefix("### ") {
            out.push(Block::Heading(title.to_owned()));
        } else if let Some(first) = line.strip_prefix("- ") {
            let mut items = vec![spans(first)];
            while let Some(next) = lines.peek().and_then(|it| it.strip_prefix("- ")) {
                items.push(spans(next));
                lines.next();
            }
            out.push(Block::List(items));
        } else if !line.is_empty() {
            out.push(Block::Prose(spans(line)));
        }
    }
    out
}

/// Every second piece between pairs of stars is bold.
fn spans(text: &str) -> Vec<Span> {
    let pieces = text.split("**").enumerate();
    let spans = pieces.map(|(at, text)| Span { text: text.to_owned(), strong: at % 2 == 1 });
    spans.filter(|span| !span.text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_becomes_parts_with_formulas_and_lists() {
        let blocks = blocks();
        let parts: Vec<&str> = blocks
            .iter()
            .filter_map(
                |it| if let Block::Part(title, _) = it { Some(title.as_str()) } else { None },
            )
            .collect();
        assert_eq!(parts.first(), Some(&"Coverage of one answer"));
        assert_eq!(parts.last(), Some(&"Limits"));
        assert!(matches!(&blocks[0], Block::Prose(it) if it[0].text.starts_with("Each formula")));
        let Some(Block::Part(_, first)) = blocks.iter().find(|it| matches!(it, Block::Part(..)))
        else {
            panic!("no part")
        };
        assert!(first.iter().any(|it| matches!(it, Block::Formula(text) if text.contains("1/4"))));
        assert_eq!(TEXT.matches("```").count() % 2, 0, "every formula ends");
        assert_eq!(TEXT.matches("**").count() % 2, 0, "every bold word ends");
        let bold = Span { text: "b".to_owned(), strong: true };
        assert_eq!(spans("a **b**")[1], bold);
    }
}
