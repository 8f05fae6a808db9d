//! The quick way to read questions: one pass over files in which nothing is amiss.
//!
//! What is read here is exactly what the tolerant reader in [`super::benchmark`] would read, without a
//! problem. Whatever would be a problem, or needs a second thought, ends the pass with nothing, and the
//! tolerant reader begins anew: it finds the place and the words. A property test holds the two
//! together.
//!
//! JSON is checked to the last byte: escapes, control characters, numbers and nesting also in the
//! parts that are passed over.

mod find;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use crate::rubric::ItemType;

use super::benchmark::{DATE, DOMAIN, FIELD, ID, QUERY, RUBRIC, SUBDOMAIN};
use super::blob::Blob;
use super::columns::{Benchmark, CaseRow, Chunk, ItemRow, Kinds, Span, pack_date};
use super::date;
use super::items::{CITATION, TEXT, TYPES, WEIGHT};
use super::json::Json;
use super::text;

/// What tells known benchmarks apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// Items are called points.
    pub(super) points: bool,
    /// Keys are those of the ResearchQA files.
    pub(super) official: bool,
}

/// All files as one benchmark, yet without a name. `None` where anything is amiss.
pub(super) fn read(files: &[(String, Blob)]) -> Option<(Benchmark, Marks)> {
    let mut out = Benchmark::default();
    let mut marks = Marks::default();
    for (name, bytes) in files {
        let text = plain(name, bytes)?;
        let mut scanner = Scanner::new(&text, out.chunks.len() as u32, &mut out);
        scanner.file()?;
        marks.points |= scanner.marks.points;
        marks.official |= scanner.marks.official;
        let chunk = scanner.chunk;
        out.chunks.push(chunk);
        out.add_file(name, bytes);
    }
    out.records = out.len() as u64;
    let mut ids = HashSet::with_capacity(out.len());
    let distinct = out.cases().all(|case| ids.insert(case.id()));
    (distinct && !out.is_empty()).then_some((out, marks))
}

/// The text of a file that is text, unpacked, and not too large for its shape.
fn plain(name: &str, bytes: &Blob) -> Option<Arc<String>> {
    let Some(text) = bytes.text() else {
        let opened = text::open(name, bytes.as_bytes()).ok()?;
        return opened.cut.is_none().then(|| Arc::new(opened.text.into_owned()));
    };
    (text.len() as u64 <= text::limit_for(text.as_bytes())).then(|| text.clone())
}

/// What a key of a question says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Id,
    Query,
    Domain,
    Subdomain,
    Field,
    Date,
    Rubric,
    Unknown,
}

/// What a key of an item says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemPart {
    Text,
    Types,
    Weight,
    Citation,
    Unknown,
}

/// A key that was met, whether it is the first of its spellings, and whether it is `point`.
#[derive(Clone, Copy)]
struct Known<P> {
    part: P,
    first: bool,
    point: bool,
}

/// Keys come in the same order in every record: the one met at this place before is tried first.
struct Keys<'a, P: 'static> {
    met: Vec<(&'a [u8], Known<P>)>,
    spellings: &'static [(P, &'static [&'static str])],
    unknown: P,
}

impl<'a, P: Copy + 'static> Keys<'a, P> {
    #[inline]
    fn find(&mut self, place: usize, key: &'a [u8]) -> Known<P> {
        if let Some((met, known)) = self.met.get(place)
            && *met == key
        {
            return *known;
        }
        self.look_up(place, key)
    }

    fn look_up(&mut self, place: usize, key: &'a [u8]) -> Known<P> {
        let mut known = Known { part: self.unknown, first: false, point: false };
        for (part, names) in self.spellings {
            let at = names.iter().position(|name| name.as_bytes().eq_ignore_ascii_case(key));
            if let Some(at) = at {
                known = Known { part: *part, first: at == 0, point: names[at] == "point" };
            }
        }
        if place < self.met.len() {
            self.met[place] = (key, known);
        } else if place == self.met.len() {
            self.met.push((key, known));
        }
        known
    }
}

const PARTS: &[(Part, &[&str])] = &[
    (Part::Id, &ID),
    (Part::Query, &QUERY),
    (Part::Domain, &DOMAIN),
    (Part::Subdomain, &SUBDOMAIN),
    (Part::Field, &FIELD),
    (Part::Date, &DATE),
    (Part::Rubric, &RUBRIC),
];

const ITEM_PARTS: &[(ItemPart, &[&str])] = &[
    (ItemPart::Text, &TEXT),
    (ItemPart::Types, &TYPES),
    (ItemPart::Weight, &WEIGHT),
    (ItemPart::Citation, &CITATION),
];

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    chunk: Chunk,
    number: u32,
    out: &'a mut Benchmark,
    keys: Keys<'a, Part>,
    item_keys: Keys<'a, ItemPart>,
    marks: Marks,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a Arc<String>, number: u32, out: &'a mut Benchmark) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            chunk: Chunk::new(text.clone()),
            number,
            out,
            keys: Keys { met: Vec::new(), spellings: PARTS, unknown: Part::Unknown },
            item_keys: Keys { met: Vec::new(), spellings: ITEM_PARTS, unknown: ItemPart::Unknown },
            marks: Marks::default(),
        }
    }

    /// A list of questions, or questions one after the other.
    fn file(&mut self) -> Option<()> {
        const MARK: &str = "\u{feff}";
        if self.text.starts_with(MARK) {
            self.at = MARK.len();
        }
        self.space();
        if self.eat(b'[') {
            self.list(Self::question)?;
            self.space();
        } else {
            while self.at < self.bytes.len() {
                let start = self.at;
                self.question()?;
                let end = self.at;
                self.space();
                // Questions over several lines, or several on a line, are told apart elsewhere.
                let is_line = !self.bytes[start..end].contains(&b'\n')
                    && (self.at == self.bytes.len() || self.bytes[end..self.at].contains(&b'\n'));
                if !is_line {
                    return None;
                }
            }
        }
        (self.at == self.bytes.len()).then_some(())
    }

    /// Elements behind an opening bracket, and the closing one.
    #[inline]
    fn list(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.space();
        if self.eat(b']') {
            return Some(());
        }
        loop {
            self.space();
            element(self)?;
            self.space();
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Entries behind an opening brace, and the closing one. Keys with escapes are left to others.
    #[inline]
    fn object(
        &mut self,
        mut entry: impl FnMut(&mut Self, usize, &'a [u8]) -> Option<()>,
    ) -> Option<()> {
        self.space();
        if self.eat(b'}') {
            return Some(());
        }
        for place in 0.. {
            self.space();
            if !self.eat(b'"') {
                return None;
            }
            let start = self.at;
            while !matches!(self.bytes.get(self.at)?, b'"' | b'\\' | 0..0x20) {
                self.at += 1;
            }
            let key = &self.bytes[start..self.at];
            if !self.eat(b'"') {
                return None;
            }
            self.space();
            if !self.eat(b':') {
                return None;
            }
            self.space();
            entry(self, place, key)?;
            self.space();
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
        None
    }

    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn question(&mut self) -> Option<()> {
        if !self.eat(b'{') {
            return None;
        }
        let mut seen = 0_u32;
        let mut row = CaseRow {
            id: Span::default(),
            domain: 0,
            subdomain: 0,
            field: 0,
            query: Span::default(),
            date: 0,
            first_item: self.out.items.len() as u32,
            chunk: self.number,
        };
        let (mut domain, mut subdomain, mut field) =
            (Span::default(), Span::default(), Span::default());
        let (mut official_domain, mut official_items) = (false, false);
        self.object(|this, place, key| {
            let known = this.keys.find(place, key);
            if known.part == Part::Unknown {
                return this.pass_over();
            }
            let bit = 1 << known.part as u32;
            if seen & bit != 0 {
                // Which of two spellings or two values counts is for the tolerant reader to say.
                return None;
            }
            seen |= bit;
            match known.part {
                Part::Id => row.id = this.string()?,
                Part::Query => row.query = this.string()?,
                Part::Domain => {
                    domain = this.string_or_null()?;
                    official_domain = known.first;
                }
                Part::Subdomain => subdomain = this.string_or_null()?,
                Part::Field => field = this.string_or_null()?,
                Part::Date => row.date = this.date()?,
                Part::Rubric => {
                    if !this.eat(b'[') {
                        return None;
                    }
                    let rubric_items = &mut official_items;
                    this.list(|this| this.item(rubric_items))?;
                }
                Part::Unknown => {}
            }
            Some(())
        })?;
        let blank = |span| self.chunk.get(span).trim().is_empty();
        if blank(row.id) || blank(row.query) || self.out.items.len() == row.first_item as usize {
            return None;
        }
        self.marks.official |= official_domain && official_items;
        row.domain = self.out.domains.number(self.chunk.get(domain).trim());
        row.subdomain = self.out.subdomains.number(self.chunk.get(subdomain).trim());
        row.field = self.out.fields.number(self.chunk.get(field).trim());
        self.out.cases.push(row);
        Some(())
    }

    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn item(&mut self, official: &mut bool) -> Option<()> {
        if !self.eat(b'{') {
            return None;
        }
        let mut seen = 0_u32;
        let mut row = ItemRow {
            text: Span::default(),
            kinds: Kinds::default(),
            citation: Span::default(),
            weight: 1.0,
        };
        self.object(|this, place, key| {
            let known = this.item_keys.find(place, key);
            if known.part == ItemPart::Unknown {
                return this.pass_over();
            }
            let bit = 1 << known.part as u32;
            if seen & bit != 0 {
                return None;
            }
            seen |= bit;
            match known.part {
                ItemPart::Text => {
                    row.text = this.string()?;
                    *official |= known.first;
                    this.marks.points |= known.point;
                }
                ItemPart::Types => row.kinds = this.kinds()?,
                ItemPart::Weight => row.weight = this.weight()?,
                ItemPart::Citation => {
                    let start = this.at;
                    this.pass_over()?;
                    if this.bytes.get(start) != Some(&b'n') {
                        row.citation = Span::new(start, this.at);
                    }
                }
                ItemPart::Unknown => {}
            }
            Some(())
        })?;
        if self.chunk.get(row.text).trim().is_empty() {
            return None;
        }
        self.out.items.push(row);
        Some(())
    }

    fn kinds(&mut self) -> Option<Kinds> {
        let mut kinds = Kinds::default();
        match self.bytes.get(self.at)? {
            b'n' => self.word("null")?,
            b'[' => {
                self.at += 1;
                self.list(|this| this.kind(&mut kinds))?;
            }
            _ => self.kind(&mut kinds)?,
        }
        Some(kinds)
    }

    fn kind(&mut self, kinds: &mut Kinds) -> Option<()> {
        let name = self.string()?;
        let name = self.chunk.get(name);
        kinds.push(ItemType::ALL.into_iter().find(|kind| kind.as_str() == name)?);
        Some(())
    }

    fn weight(&mut self) -> Option<f64> {
        if self.bytes.get(self.at) == Some(&b'n') {
            self.word("null")?;
            return Some(1.0);
        }
        let start = self.at;
        self.number()?;
        let weight: f64 = self.text[start..self.at].parse().ok()?;
        (weight.is_finite() && 0.0 < weight).then_some(weight)
    }

    fn date(&mut self) -> Option<u32> {
        let date = self.string_or_null()?;
        let date = self.chunk.get(date);
        if date.is_empty() {
            return Some(0);
        }
        let date = date::read(Some(&Json::Text(date.to_owned()))).ok()?;
        Some(date.as_deref().map_or(0, pack_date))
    }

    #[inline]
    fn string_or_null(&mut self) -> Option<Span> {
        if self.bytes.get(self.at) == Some(&b'n') {
            self.word("null")?;
            return Some(Span::default());
        }
        self.string()
    }

    #[inline]
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn string(&mut self) -> Option<Span> {
        if !self.eat(b'"') {
            return None;
        }
        let start = self.at;
        let end = find::special(self.bytes, start)?;
        self.at = end + 1;
        match self.bytes[end] {
            b'"' => Some(Span::new(start, end)),
            b'\\' => {
                let first = self.chunk.end();
                self.escaped(start, end, true)?;
                Some(Span::new(first, self.chunk.end()))
            }
            _ => None,
        }
    }

    /// The rest of a string from its first backslash, which was just passed, with the part before it.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn escaped(&mut self, start: usize, first: usize, keep: bool) -> Option<()> {
        let (mut start, mut end) = (start, first);
        loop {
            if keep {
                self.chunk.more().push_str(self.text.get(start..end)?);
            }
            if self.bytes[end] == b'"' {
                return Some(());
            }
            let meant = match self.next()? {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'u' => self.unicode()?,
                plain @ (b'"' | b'\\' | b'/') => char::from(plain),
                _ => return None,
            };
            if keep {
                self.chunk.more().push(meant);
            }
            start = self.at;
            end = find::special(self.bytes, start)?;
            if self.bytes[end] < 0x20 {
                return None;
            }
            self.at = end + 1;
        }
    }

    /// Behind `\u`. Halves of a pair count only together.
    fn unicode(&mut self) -> Option<char> {
        let unit = self.four_digits()?;
        if !(0xd800..0xe000).contains(&unit) {
            return char::from_u32(unit);
        }
        if 0xdc00 <= unit || !(self.eat(b'\\') && self.eat(b'u')) {
            return None;
        }
        let low = self.four_digits()?;
        if !(0xdc00..0xe000).contains(&low) {
            return None;
        }
        char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
    }

    /// Any value, checked and not kept.
    fn pass_over(&mut self) -> Option<()> {
        // Far below the depth at which the tolerant reader gives up.
        self.value(64)
    }

    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn value(&mut self, depth: u32) -> Option<()> {
        match *self.bytes.get(self.at)? {
            b'"' => {
                self.at += 1;
                let start = self.at;
                let end = find::special(self.bytes, start)?;
                self.at = end + 1;
                match self.bytes[end] {
                    b'"' => Some(()),
                    b'\\' => self.escaped(start, end, false),
                    _ => None,
                }
            }
            b'{' => {
                self.at += 1;
                let depth = depth.checked_sub(1)?;
                self.object(|this, _, _| this.value(depth))
            }
            b'[' => {
                self.at += 1;
                let depth = depth.checked_sub(1)?;
                self.list(|this| this.value(depth))
            }
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let found = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(())
    }

    fn number(&mut self) -> Option<()> {
        /// Longer ones may be out of range, which is a fault in a file.
        const LONGEST: usize = 30;
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
            let number: f64 = self.text[start..self.at].parse().ok()?;
            if !number.is_finite() {
                return None;
            }
        }
        (self.at - start <= LONGEST).then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (start < self.at).then_some(())
    }

    #[inline]
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}
