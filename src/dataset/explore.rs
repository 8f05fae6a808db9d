//! Looking around in a benchmark: which questions pass a filter, and how many would pass another.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::rubric::ItemType;

use super::{Benchmark, CaseRef, sample};

/// Which questions to list. Empty parts do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    pub domain: String,
    pub subdomain: String,
    pub field: String,
    /// Questions with at least one such item.
    pub kind: Option<ItemType>,
    /// `YYYY-MM-DD`, the day included. Questions without a date pass only where no day is given.
    pub from: String,
    pub to: String,
    /// Words as they stand, upper and lower case alike: in the question or one of its items, or its id.
    pub text: String,
    /// So many of each field, by this seed.
    pub sample: Option<(u32, u64)>,
}

/// A name and how many questions would be listed with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named<T> {
    pub of: T,
    pub queries: u64,
}

/// What a filter finds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Places in the benchmark, in its order.
    pub places: Vec<u32>,
    /// Items of these questions.
    pub items: u64,
    /// Each list counts the questions that pass all other parts of the filter: what one would see by
    /// choosing the name. Sorted by name; an empty name stands for none.
    pub domains: Vec<Named<String>>,
    pub subdomains: Vec<Named<String>>,
    pub fields: Vec<Named<String>>,
    pub kinds: Vec<Named<ItemType>>,
}

/// Where the parts of a filter stand that are chosen from lists.
const PARTS: usize = 4;

/// Goes through all questions once.
pub fn explore(benchmark: &Benchmark, filter: &Filter) -> Found {
    let number = |names: &[String], name: &str| names.iter().position(|it| it == name);
    let chosen = [
        (&filter.domain, number(benchmark.domains(), &filter.domain)),
        (&filter.subdomain, number(benchmark.subdomains(), &filter.subdomain)),
        (&filter.field, number(benchmark.fields(), &filter.field)),
    ];
    let needle = Needle::new(&filter.text);
    let (from, to) = (day(&filter.from), day(&filter.to));
    let sampled = filter.sample.map(|(per_field, seed)| {
        let mut is_in = vec![false; benchmark.len()];
        for at in sample::choose(benchmark, Some(per_field), seed) {
            is_in[at] = true;
        }
        is_in
    });
    let mut found = Found::default();
    let mut counts = [
        vec![0_u64; benchmark.domains().len()],
        vec![0; benchmark.subdomains().len()],
        vec![0; benchmark.fields().len()],
    ];
    let mut kinds = [0_u64; ItemType::ALL.len()];
    for case in benchmark.cases() {
        let numbers = [case.domain_number(), case.subdomain_number(), case.field_number()];
        let passes: [bool; PARTS] = std::array::from_fn(|part| match chosen.get(part) {
            Some((name, number)) => name.is_empty() || *number == Some(numbers[part]),
            None => filter.kind.is_none_or(|kind| case.items().any(|it| it.kinds().contains(kind))),
        });
        let failed = passes.iter().filter(|passes| !**passes).count();
        let in_time = match case.day() {
            Some(day) => from.is_none_or(|it| it <= day) && to.is_none_or(|it| day <= it),
            None => from.is_none() && to.is_none(),
        };
        // Two failed parts: no other choice of one part would bring this question in.
        let others = failed <= 1
            && in_time
            && sampled.as_ref().is_none_or(|it| it[case.at()])
            && needle.as_ref().is_none_or(|it| it.is_in(case));
        if !others {
            continue;
        }
        for (part, count) in counts.iter_mut().enumerate() {
            count[numbers[part]] += u64::from(failed == 0 || !passes[part]);
        }
        if failed == 0 || !passes[PARTS - 1] {
            for kind in ItemType::ALL {
                kinds[kind as usize] +=
                    u64::from(case.items().any(|item| item.kinds().contains(kind)));
            }
        }
        if failed == 0 {
            found.places.push(case.at() as u32);
            found.items += case.n_items() as u64;
        }
    }
    let [domains, subdomains, fields] = counts;
    found.domains = named(benchmark.domains(), &domains);
    found.subdomains = named(benchmark.subdomains(), &subdomains);
    found.fields = named(benchmark.fields(), &fields);
    let kinds = ItemType::ALL.into_iter().zip(kinds).filter(|(_, queries)| 0 < *queries);
    found.kinds = kinds.map(|(of, queries)| Named { of, queries }).collect();
    found
}

fn named(names: &[String], counts: &[u64]) -> Vec<Named<String>> {
    let pairs = names.iter().zip(counts).filter(|(_, queries)| 0 < **queries);
    let mut list: Vec<Named<String>> =
        pairs.map(|(name, queries)| Named { of: name.clone(), queries: *queries }).collect();
    list.sort_unstable_by(|a, b| a.of.cmp(&b.of));
    list
}

/// `2024-05-01` as 20240501. `None` where it is no day.
fn day(text: &str) -> Option<u32> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|_| digits.len() == 8)
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Needle {
    /// In lower case.
    text: String,
}

impl Needle {
    /// `None` where nothing is looked for.
    pub fn new(text: &str) -> Option<Self> {
        // The sigma at the end of a word is another letter, by where it stands.
        let text = text.trim().to_lowercase().replace('ς', "σ");
        (!text.is_empty()).then_some(Self { text })
    }

    /// Whether a question or one of its items has it, or the question is called so.
    pub fn is_in(&self, case: CaseRef<'_>) -> bool {
        self.is_at(case.query())
            || case.items().any(|item| self.is_at(item.text()))
            || case.id().to_lowercase() == self.text
    }

    pub fn is_at(&self, text: &str) -> bool {
        if self.text.is_ascii() {
            return find_ascii(text.as_bytes(), self.text.as_bytes()).is_some();
        }
        // Letters outside ASCII become others outside ASCII, so plain text cannot have them.
        !text.is_ascii() && !self.hits(text).is_empty()
    }

    /// Where it stands, from left to right, none inside another. In bytes.
    pub fn hits(&self, text: &str) -> Vec<Range<usize>> {
        let mut hits = Vec::new();
        if self.text.is_ascii() {
            let mut from = 0;
            while let Some(at) = find_ascii(&text.as_bytes()[from..], self.text.as_bytes()) {
                let start = from + at;
                from = start + self.text.len();
                hits.push(start..from);
            }
            return hits;
        }
        // Lower case can be of another length: each of its characters knows where it came from.
        let mut lower = String::with_capacity(text.len());
        let mut origin = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            for small in c.to_lowercase() {
                lower.push(if small == 'ς' { 'σ' } else { small });
                origin.resize(lower.len(), at..at + c.len_utf8());
            }
        }
        for (at, _) in lower.match_indices(&self.text) {
            let (Some(first), Some(last)) = (origin.get(at), origin.get(at + self.text.len() - 1))
            else {
                continue;
            };
            if hits.last().is_none_or(|hit: &Range<usize>| hit.end <= first.start) {
                hits.push(first.start..last.end);
            }
        }
        hits
    }
}

/// The first place of `needle`, which is in lower case, whatever the case of the letters there.
fn find_ascii(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, last) = (*needle.first()?, text.len().checked_sub(needle.len())?);
    let other = first.to_ascii_uppercase();
    let mut at = 0;
    while at <= last {
        let found = text[at..=last].iter().position(|byte| *byte == first || *byte == other)?;
        at += found;
        if text[at..at + needle.len()].eq_ignore_ascii_case(needle) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A text in pieces, each with whether it is a hit. Joined, they are the text.
pub fn pieces(text: &str, needle: Option<&Needle>) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut from = 0;
    for hit in needle.map(|it| it.hits(text)).unwrap_or_default() {
        if from < hit.start {
            out.push((text[from..hit.start].to_owned(), false));
        }
        from = hit.end;
        out.push((text[hit].to_owned(), true));
    }
    if from < text.len() {
        out.push((text[from..].to_owned(), false));
    }
    out
}
