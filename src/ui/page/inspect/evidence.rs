//! An answer cut into paragraphs and stretches, so that evidence can be marked in it. Pure.

use crate::ui::order::put;

/// Where an item's evidence stands, in Unicode scalar values from the start of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Of the rubric, from 0.
    pub(super) item: usize,
}

/// Text that belongs to the same items from end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) text: String,
    /// Items whose evidence this is; none for plain text.
    pub(super) items: Vec<usize>,
    /// Those of them that begin here.
    pub(super) begins: Vec<usize>,
}

/// The evidence a system's batches name. A place that cannot be in any text is left out.
pub(super) fn spans(evidence: &[Option<(u32, u32)>]) -> Vec<Span> {
    let named = evidence.iter().enumerate();
    named
        .filter_map(|(item, it)| it.map(|(start, end)| Span { start, end, item }))
        .filter(|span| span.start < span.end)
        .collect()
}

/// Paragraphs part at blank lines. Spans may overlap, cross paragraphs, or pass the end of the text.
pub(super) fn paragraphs(text: &str, spans: &[Span]) -> Vec<Vec<Stretch>> {
    let chars: Vec<char> = text.chars().collect();
    let mut begun: Vec<usize> = Vec::new();
    blocks(&chars)
        .into_iter()
        .map(|(from, to)| {
            let mut cuts = vec![from, to];
            for span in spans {
                for end in [span.start as usize, span.end as usize] {
                    if (from..to).contains(&end) {
                        put(&mut cuts, end);
                    }
                }
            }
            cuts.windows(2)
                .map(|pair| {
                    let items = items_at(spans, pair[0]);
                    let begins: Vec<usize> =
                        items.iter().copied().filter(|item| !begun.contains(item)).collect();
                    begun.extend(&begins);
                    Stretch { text: chars[pair[0]..pair[1]].iter().collect(), items, begins }
                })
                .collect()
        })
        .collect()
}

fn items_at(spans: &[Span], at: usize) -> Vec<usize> {
    let mut items = Vec::new();
    for span in spans {
        if (span.start as usize..span.end as usize).contains(&at) {
            put(&mut items, span.item);
        }
    }
    items
}

/// Ranges of the paragraphs, without the white space around them.
fn blocks(chars: &[char]) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let (mut line, mut open) = (0, false);
    for part in chars.split_inclusive(|c| *c == '\n') {
        let first = part.iter().position(|c| !c.is_whitespace());
        let last = part.iter().rposition(|c| !c.is_whitespace());
        match (first, last, blocks.last_mut()) {
            (Some(_), Some(last), Some(block)) if open => block.1 = line + last + 1,
            (Some(first), Some(last), _) => blocks.push((line + first, line + last + 1)),
            _ => {}
        }
        open = first.is_some();
        line += part.len();
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32, item: usize) -> Span {
        Span { start, end, item }
    }

    /// Items in brackets behind each marked stretch, those that begin with a plus.
    fn told(text: &str, spans: &[Span]) -> Vec<String> {
        paragraphs(text, spans)
            .iter()
            .map(|paragraph| {
                paragraph
                    .iter()
                    .map(|it| {
                        let items: Vec<String> = it
                            .items
                            .iter()
                            .map(|item| {
                                let sign = if it.begins.contains(item) { "+" } else { "" };
                                format!("{sign}{item}")
                            })
                            .collect();
                        if it.items.is_empty() {
                            it.text.clone()
                        } else {
                            format!("[{}|{}]", it.text, items.concat())
                        }
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn plain_text_parts_at_blank_lines() {
        assert_eq!(told(" One\ntwo. \n \t\r\n\nThree.\n", &[]), ["One\ntwo.", "Three."]);
        assert!(told(" \n\n ", &[]).is_empty());
        assert!(told("", &[span(0, 4, 0)]).is_empty());
    }

    #[test]
    fn places_count_scalar_values() {
        // Two characters outside the basic plane, one of two bytes.
        assert_eq!(told("𝛼𝛽 é found", &[span(5, 10, 2)]), ["𝛼𝛽 é [found|+2]"]);
        assert_eq!(told("👩‍🔬x", &[span(0, 1, 0)]), ["[👩|+0]\u{200d}🔬x"]);
    }

    #[test]
    fn overlaps_keep_both_numbers() {
        assert_eq!(told("abcdef", &[span(0, 4, 0), span(2, 6, 1)]), ["[ab|+0][cd|0+1][ef|1]"]);
        assert_eq!(told("abc", &[span(0, 3, 1), span(0, 3, 0)]), ["[abc|+0+1]"]);
    }

    #[test]
    fn a_span_goes_on_in_the_next_paragraph() {
        assert_eq!(told("ab\n\ncd", &[span(1, 5, 0)]), ["a[b|+0]", "[c|0]d"]);
        assert_eq!(told("ab\n\ncd", &[span(2, 6, 3)]), ["ab", "[cd|+3]"], "begins between them");
    }

    #[test]
    fn wrong_places_do_no_harm() {
        assert_eq!(told("abc", &[span(2, 900, 0)]), ["ab[c|+0]"]);
        assert_eq!(told("abc", &[span(700, 900, 0)]), ["abc"]);
        assert!(spans(&[Some((5, 5)), Some((9, 2)), None]).is_empty());
        assert_eq!(spans(&[None, Some((1, 2))]), [span(1, 2, 1)]);
    }
}
