//! The quick way to read questions: one pass over files in which nothing is amiss.
//!
//! What is read here is exactly what the tolerant reader in [`super::benchmark`] would read, without a
//! problem. Whatever would be a problem, or needs a second thought, ends the pass with nothing, and the
//! tolerant reader begins anew: it finds the place and the words. A property test holds the two
//! together.
//!
//! JSON is checked to the last byte: escapes, control characters, numbers and nesting also in the
//! parts that are passed over.

mod arena;
mod find;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use crate::rubric::ItemType;

use self::arena::Arena;
use super::benchmark::{DATE, DOMAIN, FIELD, ID, QUERY, RUBRIC, SUBDOMAIN, is_researchqa_id};
use super::blob::Blob;
use super::columns::{Benchmark, CaseRow, Chunk, ItemRow, Kinds, Span, pack_date, part};
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
    /// Ids that look like those of ResearchQA.
    pub(super) ids: usize,
}

/// All files as one benchmark, yet without a name. `None` where anything is amiss.
pub(super) fn read(files: &[(String, Blob)]) -> Option<(Benchmark, Marks)> {
    let mut out = Benchmark::default();
    let mut marks = Marks::default();
    let mut ids = Vec::new();
    for (name, bytes) in files {
        let text = plain(name, bytes)?;
        let mut scanner = Scanner::new(&text, out.chunks.len() as u32, &mut out);
        scanner.file()?;
        marks.points |= scanner.marks.points;
        marks.official |= scanner.marks.official;
        marks.ids += scanner.marks.ids;
        ids.append(&mut scanner.ids);
        let more = scanner.more.into_bytes();
        out.chunks.push(Chunk::new(text, more));
        out.add_file(name, bytes);
    }
    out.records = out.len() as u64;
    // Two ids of one hash would only mean a slower reading.
    ids.sort_unstable();
    let distinct = ids.is_sorted_by(|a, b| a != b);
    (distinct && !out.is_empty()).then_some((out, marks))
}

/// A file, unpacked, and not too large for its shape. That it is text is found out on the way.
fn plain(name: &str, bytes: &Blob) -> Option<Arc<Vec<u8>>> {
    let raw = bytes.as_bytes();
    if text::is_gzip(raw) {
        let opened = text::open(name, raw).ok()?;
        return opened.cut.is_none().then(|| Arc::new(opened.text.into_owned().into_bytes()));
    }
    let len = raw.len() as u64;
    (len <= text::LIMIT_JSON || len <= text::limit_for(raw)).then(|| bytes.shared().clone())
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

/// What a key is, whether it is the first of its spellings, and whether it is `point`.
#[derive(Clone, Copy)]
struct Known<P> {
    part: P,
    first: bool,
    point: bool,
}

/// What comes next in an object.
enum Entry<P> {
    Of(Known<P>),
    End,
}

/// The keys of one kind of object.
///
/// A program writes every record alike. So what stood between two values is remembered with the key
/// in it, by its place in the object, and the same bytes at the same place need no second look.
struct Keys<'a, P: 'static> {
    /// From behind a value, or the opening brace, to the next value.
    met: Vec<(&'a [u8], Known<P>)>,
    spellings: &'static [(P, &'static [&'static str])],
    unknown: P,
}

impl<'a, P: Copy + 'static> Keys<'a, P> {
    fn learn(&mut self, place: usize, between: &'a [u8], key: &[u8]) -> Known<P> {
        let mut known = Known { part: self.unknown, first: false, point: false };
        for (part, names) in self.spellings {
            let at = names.iter().position(|name| name.as_bytes().eq_ignore_ascii_case(key));
            if let Some(at) = at {
                known = Known { part: *part, first: at == 0, point: names[at] == "point" };
            }
        }
        if place < self.met.len() {
            self.met[place] = (between, known);
        } else if place == self.met.len() {
            self.met.push((between, known));
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

/// `YYYY-MM-DD` for a day that every month has.
fn plain_date(text: &[u8]) -> Option<u32> {
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0, |sum, digit| {
            digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit - b'0'))
        })
    };
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    let is_plain = (1..=12).contains(&month) && (1..=28).contains(&day);
    is_plain.then_some(year * 10_000 + month * 100 + day)
}

/// After so many questions of a file, room is made for the rest.
const SAMPLE: usize = 200;

/// A type as it stands in a file: its bytes with the quotation marks, and which bits of a block they are.
#[derive(Clone, Copy)]
struct TypeName {
    kind: ItemType,
    bytes: u128,
    mask: u128,
    len: usize,
}

impl TypeName {
    /// The place of a name, given its first two bytes behind the quotation mark: different for each.
    const fn place(first: u8, second: u8) -> usize {
        (first ^ second) as usize % 16
    }
}

/// Types by [`TypeName::place`].
const TYPE_NAMES: [Option<TypeName>; 16] = {
    let mut names = [None; 16];
    let mut at = 0;
    while at < ItemType::ALL.len() {
        let kind = ItemType::ALL[at];
        let name = kind.as_str().as_bytes();
        let (mut bytes, mut mask) = (b'"' as u128, 0xff);
        let mut letter = 0;
        while letter <= name.len() {
            let byte = if letter < name.len() { name[letter] } else { b'"' };
            bytes |= (byte as u128) << (8 * (letter + 1));
            mask |= 0xff << (8 * (letter + 1));
            letter += 1;
        }
        let place = TypeName::place(name[0], name[1]);
        assert!(names[place].is_none());
        names[place] = Some(TypeName { kind, bytes, mask, len: name.len() + 2 });
        at += 1;
    }
    names
};

/// What a byte behind a backslash means; 0 where it means nothing.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table[b'b' as usize] = 8;
    table[b'f' as usize] = 12;
    table[b'n' as usize] = b'\n';
    table[b'r' as usize] = b'\r';
    table[b't' as usize] = b'\t';
    table
};

/// The value of a hexadecimal digit; above 15 where it is none.
const DIGITS: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut at = 0;
    while at < 16 {
        table[b"0123456789abcdef"[at] as usize] = at as u8;
        table[b"0123456789ABCDEF"[at] as usize] = at as u8;
        at += 1;
    }
    table
};

/// The character behind a `\u` that ends at `at`, and where what comes next begins. Halves of a pair
/// count only together.
#[inline]
fn unicode(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = four_digits(bytes, at)?;
    if !(0xd800..0xe000).contains(&unit) {
        return Some((char::from_u32(unit)?, at + 4));
    }
    if 0xdc00 <= unit || bytes.get(at + 4..at + 6)? != b"\\u" {
        return None;
    }
    let low = four_digits(bytes, at + 6)?;
    if !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    let character = char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00))?;
    Some((character, at + 10))
}

#[inline]
fn four_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..)?.first_chunk::<4>()?;
    let digits = digits.map(|digit| DIGITS[usize::from(digit)]);
    // One that is none has the bits above.
    if digits.iter().any(|digit| 0xf < *digit) {
        return None;
    }
    Some(digits.iter().fold(0, |sum, digit| sum << 4 | u32::from(*digit)))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Strings without their escapes, one behind the other.
    more: Arena,
    number: u32,
    out: &'a mut Benchmark,
    keys: Keys<'a, Part>,
    item_keys: Keys<'a, ItemPart>,
    other_keys: Keys<'a, ()>,
    marks: Marks,
    /// A hash of each id.
    ids: Vec<u64>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a [u8], number: u32, out: &'a mut Benchmark) -> Self {
        Self {
            bytes: text,
            at: 0,
            more: Arena::default(),
            number,
            out,
            keys: Keys { met: Vec::new(), spellings: PARTS, unknown: Part::Unknown },
            item_keys: Keys { met: Vec::new(), spellings: ITEM_PARTS, unknown: ItemPart::Unknown },
            other_keys: Keys { met: Vec::new(), spellings: &[], unknown: () },
            marks: Marks::default(),
            ids: Vec::new(),
        }
    }

    /// A list of questions, or questions one after the other.
    fn file(&mut self) -> Option<()> {
        let mark = "\u{feff}".as_bytes();
        if self.bytes.starts_with(mark) {
            self.at = mark.len();
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

    /// Goes on to the next entry of an object and says which it is. Keys with escapes are left to others.
    #[inline]
    fn entry<P: Copy>(
        &mut self,
        place: usize,
        keys: fn(&mut Self) -> &mut Keys<'a, P>,
    ) -> Option<Entry<P>> {
        if let Some((between, known)) = keys(self).met.get(place).copied()
            && find::begins(self.bytes, self.at, between)
        {
            self.at += between.len();
            self.space();
            return Some(Entry::Of(known));
        }
        let start = self.at;
        self.space();
        if self.eat(b'}') {
            return Some(Entry::End);
        }
        if 0 < place {
            if !self.eat(b',') {
                return None;
            }
            self.space();
        }
        let key = self.key()?;
        let between = &self.bytes[start..self.at];
        Some(Entry::Of(keys(self).learn(place, between, key)))
    }

    /// A key with its colon, up to the value.
    fn key(&mut self) -> Option<&'a [u8]> {
        if !self.eat(b'"') {
            return None;
        }
        let start = self.at;
        let end = self.plain_end()?;
        self.at = end;
        if !self.eat(b'"') {
            return None;
        }
        self.space();
        if !self.eat(b':') {
            return None;
        }
        self.space();
        Some(&self.bytes[start..end])
    }

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
        for place in 0.. {
            let Entry::Of(known) = self.entry(place, |this| &mut this.keys)? else { break };
            if known.part == Part::Unknown {
                self.pass_over()?;
                continue;
            }
            let bit = 1 << known.part as u32;
            if seen & bit != 0 {
                // Which of two spellings or two values counts is for the tolerant reader to say.
                return None;
            }
            seen |= bit;
            match known.part {
                Part::Id => row.id = self.string()?,
                Part::Query => row.query = self.string()?,
                Part::Domain => {
                    domain = self.string_or_null()?;
                    official_domain = known.first;
                }
                Part::Subdomain => subdomain = self.string_or_null()?,
                Part::Field => field = self.string_or_null()?,
                Part::Date => row.date = self.date()?,
                Part::Rubric => {
                    if !self.eat(b'[') {
                        return None;
                    }
                    let rubric_items = &mut official_items;
                    self.list(|this| this.item(rubric_items))?;
                }
                Part::Unknown => {}
            }
        }
        if self.is_blank(row.id)
            || self.is_blank(row.query)
            || self.out.items.len() == row.first_item as usize
        {
            return None;
        }
        let id = self.raw(row.id);
        // Counted here, while the id is at hand: going through all questions again takes a tenth of the time.
        let is_of_researchqa = is_researchqa_id(id);
        let mut hasher = DefaultHasher::new();
        hasher.write(id);
        self.marks.ids += usize::from(is_of_researchqa);
        self.ids.push(hasher.finish());
        if self.ids.len() == SAMPLE {
            self.make_room();
        }
        self.marks.official |= official_domain && official_items;
        let (bytes, more) = (self.bytes, self.more.as_bytes());
        row.domain = self.out.domains.number_at(bytes, more, domain);
        row.subdomain = self.out.subdomains.number_at(bytes, more, subdomain);
        row.field = self.out.fields.number_at(bytes, more, field);
        self.out.cases.push(row);
        Some(())
    }

    fn is_blank(&self, span: Span) -> bool {
        // Mostly the first byte tells.
        !self.raw(span).first().is_some_and(u8::is_ascii_graphic)
            && part(self.bytes, self.more.as_bytes(), span).trim().is_empty()
    }

    fn raw(&self, span: Span) -> &[u8] {
        let (at, len) = (span.at as usize, span.len as usize);
        let found = match at.checked_sub(self.bytes.len()) {
            None => self.bytes.get(at..at + len),
            Some(at) => self.more.as_bytes().get(at..at + len),
        };
        found.unwrap_or_default()
    }

    /// The rest of the file is expected to be as its beginning.
    fn make_room(&mut self) {
        let times = (self.bytes.len() - self.at) / self.at + 1;
        self.ids.reserve(SAMPLE * times);
        self.out.cases.reserve(SAMPLE * times);
        self.out.items.reserve(self.out.items.len() * times);
        self.more.make_room(self.more.len() * times);
    }

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
        for place in 0.. {
            let Entry::Of(known) = self.entry(place, |this| &mut this.item_keys)? else { break };
            if known.part == ItemPart::Unknown {
                self.pass_over()?;
                continue;
            }
            let bit = 1 << known.part as u32;
            if seen & bit != 0 {
                return None;
            }
            seen |= bit;
            match known.part {
                ItemPart::Text => {
                    row.text = self.string()?;
                    *official |= known.first;
                    self.marks.points |= known.point;
                }
                ItemPart::Types => row.kinds = self.kinds()?,
                ItemPart::Weight => row.weight = self.weight()?,
                ItemPart::Citation => {
                    let start = self.at;
                    self.pass_over()?;
                    if self.bytes.get(start) != Some(&b'n') {
                        row.citation = Span::new(start, self.at);
                    }
                }
                ItemPart::Unknown => {}
            }
        }
        if self.is_blank(row.text) {
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

    #[inline]
    fn kind(&mut self, kinds: &mut Kinds) -> Option<()> {
        let block = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<{ find::BLOCK }>);
        if let Some(block) = block
            && let Some(name) = TYPE_NAMES[TypeName::place(block[1], block[2])]
            && u128::from_le_bytes(*block) & name.mask == name.bytes
        {
            self.at += name.len;
            kinds.push(name.kind);
            return Some(());
        }
        let name = self.string()?;
        let name = self.raw(name);
        kinds.push(ItemType::ALL.into_iter().find(|kind| kind.as_str().as_bytes() == name)?);
        Some(())
    }

    fn weight(&mut self) -> Option<f64> {
        if self.bytes.get(self.at) == Some(&b'n') {
            self.word("null")?;
            return Some(1.0);
        }
        let start = self.at;
        self.number()?;
        let weight: f64 = self.since(start).parse().ok()?;
        (weight.is_finite() && 0.0 < weight).then_some(weight)
    }

    fn date(&mut self) -> Option<u32> {
        let date = self.string_or_null()?;
        let raw = self.raw(date);
        if raw.is_empty() {
            return Some(0);
        }
        if let Some(day) = plain_date(raw) {
            return Some(day);
        }
        let date = part(self.bytes, self.more.as_bytes(), date);
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
    fn string(&mut self) -> Option<Span> {
        if !self.eat(b'"') {
            return None;
        }
        let start = self.at;
        let end = self.plain_end()?;
        if self.bytes[end] == b'"' {
            self.at = end + 1;
            return Some(Span::new(start, end));
        }
        self.escaped(start, end)
    }

    /// Where the string that goes on here ends or has an escape. What is before is checked to be UTF-8.
    #[inline]
    fn plain_end(&mut self) -> Option<usize> {
        let (end, is_ascii) = find::special(self.bytes, self.at)?;
        if !is_ascii {
            str::from_utf8(&self.bytes[self.at..end]).ok()?;
        }
        matches!(self.bytes[end], b'"' | b'\\').then_some(end)
    }

    /// A string that begins at `start` and is plain up to `escape`, kept without its escapes.
    #[inline(never)]
    fn escaped(&mut self, start: usize, escape: usize) -> Option<Span> {
        // In variables of their own: what is behind `self` would be written at every step.
        let (bytes, more) = (self.bytes, &mut self.more);
        let used = more.len();
        more.add_all(bytes, start, escape);
        let mut at = escape;
        let mut is_ascii = true;
        loop {
            // Between escapes stand few bytes: they are copied in blocks, and too many of them, while
            // the end is looked for.
            while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                let (found, all_ascii) = find::specials_of_two(block);
                // Also of bytes behind the end of the string: then the check below was not needed.
                is_ascii &= all_ascii;
                let plain = found.trailing_zeros() as usize;
                more.add_some(block, plain);
                at += plain;
                if found != 0 {
                    break;
                }
            }
            let byte = *bytes.get(at)?;
            at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let escape = *bytes.get(at)?;
                    at += 1;
                    if escape == b'u' {
                        let mut block = [0; find::BLOCK];
                        let character;
                        (character, at) = unicode(bytes, at)?;
                        let len = character.encode_utf8(&mut block).len();
                        more.add_some(&block, len);
                    } else {
                        let meant = ESCAPES[usize::from(escape)];
                        if meant == 0 {
                            return None;
                        }
                        more.add_one(meant);
                    }
                }
                0..0x20 => return None,
                // In the last bytes of a file.
                plain => {
                    is_ascii &= plain.is_ascii();
                    more.add_one(plain);
                }
            }
        }
        if !is_ascii {
            str::from_utf8(more.as_bytes().get(used..)?).ok()?;
        }
        self.at = at;
        Some(Span::new(bytes.len() + used, bytes.len() + self.more.len()))
    }

    /// The rest of a string, checked and not kept.
    fn pass_over_string(&mut self) -> Option<()> {
        loop {
            self.at = self.plain_end()?;
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'u' => (_, self.at) = unicode(self.bytes, self.at)?,
                    escape if ESCAPES[usize::from(escape)] != 0 => {}
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// Any value, checked and not kept.
    fn pass_over(&mut self) -> Option<()> {
        // Far below the depth at which the tolerant reader gives up.
        self.value(64)
    }

    fn value(&mut self, depth: u32) -> Option<()> {
        match *self.bytes.get(self.at)? {
            b'"' => {
                self.at += 1;
                self.pass_over_string()
            }
            b'{' => {
                self.at += 1;
                let depth = depth.checked_sub(1)?;
                for place in 0.. {
                    if let Entry::End = self.entry(place, |this| &mut this.other_keys)? {
                        break;
                    }
                    self.value(depth)?;
                }
                Some(())
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
            let number: f64 = self.since(start).parse().ok()?;
            if !number.is_finite() {
                return None;
            }
        }
        (self.at - start <= LONGEST).then_some(())
    }

    fn since(&self, start: usize) -> &str {
        part(self.bytes, &[], Span::new(start, self.at))
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
