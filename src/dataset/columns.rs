//! The questions in use, as places in the texts they were read from.
//!
//! A benchmark of 53 MB holds 21,000 questions and 160,000 rubric items. A string for each part would
//! take as much memory again and most of the time of reading, so a part is a place of eight bytes in
//! the text of its file, and the names of domains, subdomains and fields are numbers. [`CaseRef`] and
//! [`ItemRef`] read them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::ids::{CaseId, Digest};
use crate::rubric::{Citation, Item, ItemType};

use super::blob::Blob;
use super::items;
use super::{Case, FileStamp};

/// A part of a [`Chunk`], in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

impl Span {
    /// Texts are limited to [`super::text::LIMIT_LINES`], so their places fit.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { at: start as u32, len: (end - start) as u32 }
    }
}

/// The text of one file, and behind it what does not stand in it as it is meant: escapes resolved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    text: Arc<Vec<u8>>,
    more: Vec<u8>,
}

impl Chunk {
    /// Both are UTF-8.
    pub(crate) fn new(text: Arc<Vec<u8>>, more: Vec<u8>) -> Self {
        Self { text, more }
    }

    pub(crate) fn get(&self, span: Span) -> &str {
        part(&self.text, &self.more, span)
    }

    fn end(&self) -> usize {
        self.text.len() + self.more.len()
    }

    fn add(&mut self, text: &str) -> Span {
        let start = self.end();
        self.more.extend_from_slice(text.as_bytes());
        Span::new(start, self.end())
    }
}

/// What stands at a place of a text, or behind it in what follows. A part is checked each time it is
/// read, which costs next to nothing beside what is then done with it.
pub(crate) fn part<'a>(text: &'a [u8], more: &'a [u8], span: Span) -> &'a str {
    let (at, len) = (span.at as usize, span.len as usize);
    let found = match at.checked_sub(text.len()) {
        None => text.get(at..at + len),
        Some(at) => more.get(at..at + len),
    };
    found.and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Names by number, in the order they first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
    last: u32,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        // Questions of a field mostly stand together.
        if self.list.get(self.last as usize).is_some_and(|last| last == name) {
            return self.last;
        }
        self.last = if let Some(&number) = self.numbers.get(name) {
            number
        } else {
            let number = self.list.len() as u32;
            self.list.push(name.to_owned());
            self.numbers.insert(name.to_owned(), number);
            number
        };
        self.last
    }

    /// The number of the trimmed name at a place.
    pub(crate) fn number_at(&mut self, text: &[u8], more: &[u8], span: Span) -> u32 {
        let at = span.at as usize;
        let last = self.list.get(self.last as usize);
        let found = text.get(at..at + span.len as usize);
        let same = last.is_some() && found == last.map(String::as_bytes);
        if same { self.last } else { self.number(part(text, more, span).trim()) }
    }

    fn name(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", String::as_str)
    }
}

/// The types of an item in their order, one in four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// Adds a type that is not there yet.
    pub(crate) fn push(&mut self, kind: ItemType) {
        if !self.contains(kind) {
            let used = (u32::BITS - self.0.leading_zeros()).div_ceil(4);
            self.0 |= (kind as u32 + 1) << (used * 4);
        }
    }

    pub fn iter(self) -> impl Iterator<Item = ItemType> {
        (0..u32::BITS / 4).map_while(move |place| {
            let number = (self.0 >> (place * 4)) & 0xf;
            ItemType::ALL.get((number as usize).checked_sub(1)?).copied()
        })
    }

    pub fn contains(self, kind: ItemType) -> bool {
        // Where a group of four bits is the type's, it is zero here; and subtracting one from each group
        // sets the highest bit of a group that is zero (Warren, Hacker's Delight, 6-1).
        const ONES: u32 = 0x1111_1111;
        let other = self.0 ^ ((kind as u32 + 1) * ONES);
        other.wrapping_sub(ONES) & !other & (ONES << 3) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseRow {
    pub(crate) id: Span,
    pub(crate) domain: u32,
    pub(crate) subdomain: u32,
    pub(crate) field: u32,
    pub(crate) query: Span,
    /// `YYYYMMDD`; 0 without a date.
    pub(crate) date: u32,
    pub(crate) first_item: u32,
    pub(crate) chunk: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemRow {
    pub(crate) text: Span,
    pub(crate) kinds: Kinds,
    /// JSON. Empty without one.
    pub(crate) citation: Span,
    pub(crate) weight: f64,
}

/// The questions in use, in file order, ids unique.
#[derive(Clone, Debug, Default)]
pub struct Benchmark {
    pub name: String,
    /// Records in the files, those that were left out counted as well.
    pub records: u64,
    files: Vec<(String, Blob)>,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) domains: Names,
    pub(crate) subdomains: Names,
    pub(crate) fields: Names,
    pub(crate) cases: Vec<CaseRow>,
    pub(crate) items: Vec<ItemRow>,
    stamps: OnceCell<Vec<FileStamp>>,
    pub(crate) digest: OnceCell<Digest>,
}

impl Benchmark {
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Rubric items of all questions.
    pub fn n_items(&self) -> u64 {
        self.items.len() as u64
    }

    /// The question at a place in file order, below [`Self::len`].
    pub fn case(&self, at: usize) -> CaseRef<'_> {
        CaseRef { of: self, at }
    }

    pub fn cases(&self) -> impl ExactSizeIterator<Item = CaseRef<'_>> + Clone {
        (0..self.len()).map(|at| self.case(at))
    }

    /// The files that questions were read from. Their fingerprints are computed when first asked for.
    pub fn files(&self) -> &[FileStamp] {
        self.stamps.get_or_init(|| {
            let stamp = |(name, bytes): &(String, Blob)| FileStamp {
                name: name.clone(),
                bytes: bytes.as_bytes().len() as u64,
                digest: Digest::of([bytes.as_bytes()]),
            };
            self.files.iter().map(stamp).collect()
        })
    }

    pub(crate) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn add_file(&mut self, name: &str, bytes: &Blob) {
        self.files.push((name.to_owned(), bytes.clone()));
    }

    /// What was read under this name are these bytes, written otherwise: the fingerprint is theirs.
    pub fn is_of(&mut self, name: &str, bytes: &Blob) {
        for (_, read) in self.files.iter_mut().filter(|(read, _)| read == name) {
            read.clone_from(bytes);
        }
        self.stamps = OnceCell::new();
    }

    /// Names by the numbers that [`CaseRef`] gives, each once, in the order they first came.
    pub fn domains(&self) -> &[String] {
        &self.domains.list
    }

    pub fn subdomains(&self) -> &[String] {
        &self.subdomains.list
    }

    pub fn fields(&self) -> &[String] {
        &self.fields.list
    }

    /// Copies a question in, into the last chunk.
    pub(crate) fn push(&mut self, case: &Case) {
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::default());
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let first_item = self.items.len() as u32;
        for item in &case.items {
            let mut kinds = Kinds::default();
            item.types.iter().for_each(|kind| kinds.push(*kind));
            // A citation always has a JSON form.
            let citation = item.citation.as_ref().and_then(|it| serde_json::to_string(it).ok());
            self.items.push(ItemRow {
                text: chunk.add(&item.text),
                kinds,
                citation: citation.map_or_else(Span::default, |json| chunk.add(&json)),
                weight: item.weight,
            });
        }
        self.cases.push(CaseRow {
            id: chunk.add(case.id.as_str()),
            domain: self.domains.number(&case.domain),
            subdomain: self.subdomains.number(&case.subdomain),
            field: self.fields.number(&case.field),
            query: chunk.add(&case.query),
            date: case.date.as_deref().map_or(0, pack_date),
            first_item,
            chunk: number as u32,
        });
    }

    /// Leaves only the questions at these places, in their order.
    pub fn keep(&mut self, places: &[usize]) {
        let mut items = Vec::new();
        let cases = places.iter().map(|&at| {
            let first_item = items.len() as u32;
            items.extend_from_slice(&self.items[self.item_range(at)]);
            CaseRow { first_item, ..self.cases[at] }
        });
        self.cases = cases.collect();
        self.items = items;
        self.digest = OnceCell::new();
    }

    fn item_range(&self, at: usize) -> std::ops::Range<usize> {
        let end = self.cases.get(at + 1).map_or(self.items.len(), |next| next.first_item as usize);
        self.cases[at].first_item as usize..end
    }
}

/// A date that [`super::date`] has read.
pub(crate) fn pack_date(date: &str) -> u32 {
    date.bytes().filter(u8::is_ascii_digit).fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// One question of a [`Benchmark`].
#[derive(Clone, Copy, Debug)]
pub struct CaseRef<'a> {
    of: &'a Benchmark,
    at: usize,
}

impl<'a> CaseRef<'a> {
    fn row(self) -> &'a CaseRow {
        &self.of.cases[self.at]
    }

    fn chunk(self) -> &'a Chunk {
        &self.of.chunks[self.row().chunk as usize]
    }

    /// Place in the benchmark.
    pub fn at(self) -> usize {
        self.at
    }

    pub fn id(self) -> &'a str {
        self.chunk().get(self.row().id)
    }

    pub fn query(self) -> &'a str {
        self.chunk().get(self.row().query)
    }

    /// Top level of the hierarchy, as the data name it. Empty where the data name none.
    pub fn domain(self) -> &'a str {
        self.of.domains.name(self.row().domain)
    }

    pub fn subdomain(self) -> &'a str {
        self.of.subdomains.name(self.row().subdomain)
    }

    pub fn field(self) -> &'a str {
        self.of.fields.name(self.row().field)
    }

    /// Into [`Benchmark::domains`].
    pub fn domain_number(self) -> usize {
        self.row().domain as usize
    }

    /// Into [`Benchmark::subdomains`].
    pub fn subdomain_number(self) -> usize {
        self.row().subdomain as usize
    }

    /// Into [`Benchmark::fields`].
    pub fn field_number(self) -> usize {
        self.row().field as usize
    }

    /// Knowledge cut-off as the number `YYYYMMDD`, which sorts as dates do. `None` without one.
    pub fn day(self) -> Option<u32> {
        Some(self.row().date).filter(|day| *day != 0)
    }

    /// Knowledge cut-off, `YYYY-MM-DD`.
    pub fn date(self) -> Option<String> {
        let day = self.day()?;
        Some(format!("{:04}-{:02}-{:02}", day / 10_000, day / 100 % 100, day % 100))
    }

    pub fn n_items(self) -> usize {
        self.of.item_range(self.at).len()
    }

    pub fn items(self) -> impl ExactSizeIterator<Item = ItemRef<'a>> + Clone {
        let chunk = self.chunk();
        self.of.items[self.of.item_range(self.at)].iter().map(move |row| ItemRef { chunk, row })
    }

    /// A copy that stands on its own.
    pub fn to_case(self) -> Case {
        Case {
            id: CaseId::new(self.id()),
            domain: self.domain().to_owned(),
            subdomain: self.subdomain().to_owned(),
            field: self.field().to_owned(),
            query: self.query().to_owned(),
            date: self.date(),
            items: self.items().map(ItemRef::to_item).collect(),
        }
    }
}

/// One rubric item of a [`Benchmark`].
#[derive(Clone, Copy, Debug)]
pub struct ItemRef<'a> {
    chunk: &'a Chunk,
    row: &'a ItemRow,
}

impl<'a> ItemRef<'a> {
    pub fn text(self) -> &'a str {
        self.chunk.get(self.row.text)
    }

    pub fn kinds(self) -> Kinds {
        self.row.kinds
    }

    /// Finite and above zero.
    pub fn weight(self) -> f64 {
        self.row.weight
    }

    pub fn citation(self) -> Option<Citation> {
        let json = self.chunk.get(self.row.citation);
        // Checked when it was read; nothing is hidden by a second look.
        items::citation(&serde_json::from_str(json).ok()?)
    }

    pub fn to_item(self) -> Item {
        Item {
            text: self.text().to_owned(),
            types: self.kinds().iter().collect(),
            weight: self.weight(),
            citation: self.citation(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_keep_their_order() {
        let mut kinds = Kinds::default();
        assert!(kinds.is_empty());
        for kind in [ItemType::Other, ItemType::Citation, ItemType::Other, ItemType::Impact] {
            kinds.push(kind);
        }
        let list: Vec<_> = kinds.iter().collect();
        assert_eq!(list, [ItemType::Other, ItemType::Citation, ItemType::Impact]);
        for kind in ItemType::ALL {
            kinds.push(kind);
        }
        assert_eq!(kinds.iter().count(), 6);
    }
}
