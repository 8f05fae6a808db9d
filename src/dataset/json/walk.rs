//! JSON files record by record, so that one broken record does not lose the others.
//!
//! A list, an object with an entry for each record, one value a line, or values one after the other:
//! [`walk`] finds out which it is. Each record is read on its own, from where it starts. Where one
//! cannot be read, the next is looked for, and the broken one becomes a problem with its place.

use serde::de::{Deserialize, IgnoredAny};

use super::super::problem::{Place, Problems};
use super::super::text::newlines;
use super::Json;

/// One record of a file.
pub(crate) struct Entry {
    pub(crate) place: Place,
    /// Set where the file is one object with an entry for each record.
    pub(crate) key: Option<String>,
    pub(crate) value: Json,
}

/// What a reader looks for.
pub(crate) struct Expect {
    /// Whether an object with these keys, in lower case, is one record and not a map of records.
    pub(crate) record: fn(&[String]) -> bool,
    /// Keys of an outer object that may hold the list of records.
    pub(crate) wrappers: &'static [&'static str],
}

/// What each record is given to.
type Each<'e> = &'e mut dyn FnMut(Entry, &mut Problems);

/// Gives every record of the text to `each`. False where the text does not look like JSON.
pub(crate) fn walk(
    file: &str,
    text: &str,
    expect: &Expect,
    problems: &mut Problems,
    each: Each<'_>,
) -> bool {
    let shape = shape(file, text);
    if let Shape::Lines = shape {
        lines(file, text, problems, each);
        return true;
    }
    let mut walker = Walker {
        file,
        text,
        at: 0,
        line: 1,
        counted: 0,
        single: !text.trim_end().contains('\n'),
        last_line: 0,
        number: 0,
        budget: text.len().saturating_mul(16).saturating_add(64 << 20),
        expect,
        problems,
        each,
    };
    match shape {
        Shape::Lists => walker.lists(),
        Shape::Object => walker.object(),
        Shape::Stream => {
            walker.list(None);
        }
        Shape::Lines | Shape::Other => return false,
    }
    true
}

/// Whether the first line is a JSON value of its own and more lines follow.
pub(crate) fn has_one_value_a_line(text: &str) -> bool {
    let Some((first, rest)) = text.trim_start().split_once('\n') else { return false };
    first.starts_with('{')
        && !rest.trim_start().is_empty()
        && serde_json::from_str::<IgnoredAny>(first).is_ok()
}

enum Shape {
    /// One list, or several one after the other.
    Lists,
    Object,
    /// One value a line.
    Lines,
    /// Objects one after the other, each over several lines.
    Stream,
    Other,
}

fn shape(file: &str, text: &str) -> Shape {
    let text = text.trim_start();
    match text.as_bytes().first() {
        Some(b'[') => Shape::Lists,
        Some(b'{') => {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            // A line that ends like this goes on in the next one, and is not a broken line of its own.
            let goes_on = first.trim_end().ends_with(['{', '[', ':', ',']);
            let first_is_broken = !goes_on && rest.trim_start().starts_with('{');
            if has_one_value_a_line(text) || first_is_broken {
                return Shape::Lines;
            }
            match lexical_end(text.as_bytes(), 0, text.len()) {
                Some(end) if text[end..].trim_start().starts_with('{') => Shape::Stream,
                _ => Shape::Object,
            }
        }
        // A first line that is no JSON should not hide the others.
        Some(_) if super::super::names::has_extension(file, &["jsonl", "ndjson"]) => Shape::Lines,
        _ => Shape::Other,
    }
}

fn lines(file: &str, text: &str, problems: &mut Problems, each: Each<'_>) {
    let last = text.trim_end().len();
    let mut start = 0;
    for (index, line) in text.split('\n').enumerate() {
        let place = Place::Line(index as u64 + 1);
        let ends_file = last <= start + line.len();
        start += line.len() + 1;
        let line = line.trim();
        // A list whose brackets were cut off leaves a comma at the end of each line.
        let line = line.strip_suffix(',').unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(value) => each(Entry { place, key: None, value }, problems),
            Err(error) if error.is_eof() && ends_file => {
                problems.report(file, place, CUT, CUT_CURE);
            }
            Err(error) => {
                let at = error.column().saturating_sub(1);
                problems.report(file, place, broken("line", &error, line, at), BROKEN_CURE);
            }
        }
    }
}

const CUT: &str = "The file ends in the middle of a record. The whole records before it were kept.";
const CUT_CURE: &str = "It was probably cut while being copied: fetch it again.";
const BROKEN_CURE: &str = "Repair it with an editor that checks JSON, or export the file again.";

/// The reason serde gives, without the place, which counts from the start of the record.
fn broken(what: &str, error: &serde_json::Error, text: &str, at: usize) -> String {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    // Python writes these, and no other program reads them. The error may lie behind their first letter.
    let near = text.get(floor(text, at.saturating_sub(2))..).unwrap_or_default();
    let near = near.trim_start_matches([' ', '"', ':', ',', '[']);
    let not_json = ["NaN", "Infinity", "-Infinity"].iter().find(|word| near.starts_with(**word));
    match not_json {
        Some(word) => {
            format!("This {what} holds {word}, which JSON does not know. It was left out.")
        }
        None => format!("This {what} is not valid JSON ({reason}). It was left out."),
    }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

struct Walker<'w> {
    file: &'w str,
    text: &'w str,
    at: usize,
    /// The line of the byte `counted`.
    line: u64,
    counted: usize,
    /// All on one line, so that line numbers say nothing.
    single: bool,
    last_line: u64,
    number: u64,
    /// Bytes that may still be looked at twice. It ends the search in files made to be slow.
    budget: usize,
    expect: &'w Expect,
    problems: &'w mut Problems,
    each: Each<'w>,
}

/// Keys of an object in lower case: the first of them, and those of them with a list.
#[derive(Default)]
struct Keys {
    all: Vec<String>,
    lists: Vec<String>,
}

struct Broken {
    error: serde_json::Error,
    /// Where the error is, in bytes from the start of the text.
    at: usize,
}

impl Broken {
    /// Where the error is, for a record at this place.
    fn place(&self, record: Place) -> Place {
        match record {
            Place::Line(line) => {
                // An error at a line break is counted to the next line, before its first column.
                let passed =
                    self.error.line().saturating_sub(usize::from(self.error.column() == 0));
                Place::Line(line + passed.saturating_sub(1) as u64)
            }
            other => other,
        }
    }
}

impl Walker<'_> {
    fn lists(&mut self) {
        loop {
            self.skip_space();
            if self.peek() != Some(b'[') {
                break;
            }
            self.at += 1;
            if !self.list(Some(b']')) {
                return;
            }
        }
        self.nothing_more();
    }

    /// Elements up to the closing bracket. False where the rest was given up.
    fn list(&mut self, close: Option<u8>) -> bool {
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else {
                if close.is_some() {
                    self.report_cut();
                }
                return close.is_none();
            };
            if Some(byte) == close {
                self.at += 1;
                return true;
            }
            if byte == b',' {
                self.at += 1;
                continue;
            }
            let (start, place) = (self.at, self.next_place());
            match self.parse::<Json>() {
                Ok(value) => (self.each)(Entry { place, key: None, value }, self.problems),
                Err(broken) => {
                    if !self.skip_broken(start, start, place, &broken, close) {
                        return false;
                    }
                }
            }
        }
    }

    fn object(&mut self) {
        self.skip_space();
        let keys = self.keys_at(self.at);
        if (self.expect.record)(&keys.all) {
            self.list(None);
            return;
        }
        // Beside a list of records stand details about it, which are no records.
        let wrapped = keys.lists.iter().any(|key| self.expect.wrappers.contains(&key.as_str()));
        self.at += 1;
        loop {
            self.skip_space();
            match self.peek() {
                None => return self.report_cut(),
                Some(b'}') => {
                    self.at += 1;
                    return self.nothing_more();
                }
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let (start, place) = (self.at, self.next_place());
            let key = match self.parse::<String>() {
                Ok(key) => key,
                Err(broken) => {
                    if !self.skip_broken(start, start, place, &broken, Some(b'}')) {
                        return;
                    }
                    continue;
                }
            };
            self.skip_space();
            if self.peek() == Some(b':') {
                self.at += 1;
                self.skip_space();
            }
            let wraps = self.expect.wrappers.iter().any(|name| key.eq_ignore_ascii_case(name));
            if wraps && self.peek() == Some(b'[') {
                self.at += 1;
                self.number -= 1;
                if !self.list(Some(b']')) {
                    return;
                }
                continue;
            }
            let value_start = self.at;
            match self.parse::<Json>() {
                Ok(_) if wrapped => self.number -= 1,
                Ok(value) => (self.each)(Entry { place, key: Some(key), value }, self.problems),
                Err(broken) => {
                    if !self.skip_broken(start, value_start, place, &broken, Some(b'}')) {
                        return;
                    }
                }
            }
        }
    }

    fn parse<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, Broken> {
        let mut stream = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter::<T>();
        match stream.next() {
            Some(Ok(value)) => {
                self.at += stream.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => {
                let at = self.offset_of(self.at, &error);
                Err(Broken { error, at })
            }
            // Nothing but white space was left, which reads as the end of the file inside a value.
            None => Err(Broken {
                error: <serde_json::Error as serde::de::Error>::custom("a value is missing"),
                at: self.text.len(),
            }),
        }
    }

    /// serde counts lines and columns from the start of the record.
    fn offset_of(&mut self, start: usize, error: &serde_json::Error) -> usize {
        if error.is_eof() {
            return self.text.len();
        }
        let mut at = start;
        for _ in 1..error.line() {
            at += self.text[at..].find('\n').map_or(0, |found| found + 1);
        }
        self.spend(at - start);
        floor(self.text, at + error.column().saturating_sub(1))
    }

    /// Reports a broken record and goes to where the next one starts.
    ///
    /// `start` is where the record starts with its key, `value` where its value does.
    fn skip_broken(
        &mut self,
        start: usize,
        value: usize,
        place: Place,
        broken: &Broken,
        close: Option<u8>,
    ) -> bool {
        // However short it is, a broken record costs time: a file of nothing else should end soon.
        const LEAST: usize = 1 << 10;
        let next = self.next_after(start, value, close);
        self.spend(broken.at.saturating_sub(start).max(LEAST));
        let Some(next) = next.filter(|_| 0 < self.budget) else {
            let cut = broken.error.is_eof() || self.text.len() <= broken.at;
            if cut && 0 < self.budget {
                self.problems.report(self.file, place, CUT, CUT_CURE);
            } else {
                let place = broken.place(place);
                let what = format!(
                    "{} Where the next record starts could not be found, so the rest of the file \
                     was not read.",
                    self::broken("record", &broken.error, self.text, broken.at)
                );
                self.problems.report(self.file, place, what, BROKEN_CURE);
            }
            self.at = self.text.len();
            return false;
        };
        // An error found behind the start of the next record says only that this one does not end.
        let place = if broken.at < next { broken.place(place) } else { place };
        let what = self::broken("record", &broken.error, self.text, broken.at);
        self.problems.report(self.file, place, what, BROKEN_CURE);
        self.at = next;
        true
    }

    /// The nearest place where the next record may start, or where this one may end.
    fn next_after(&mut self, start: usize, value: usize, close: Option<u8>) -> Option<usize> {
        const WINDOW: usize = 8 << 20;
        let bytes = self.text.as_bytes();
        let window = value.saturating_add(WINDOW).min(bytes.len());
        let aligned = self.same_indent(start);
        let bound = aligned.unwrap_or(window);
        let sibling = self.sibling(start, bound);
        let bound = sibling.unwrap_or(bound);
        let end = lexical_end(bytes, value, bound);
        let next = if matches!(bytes.get(value), Some(b'{' | b'[' | b'"')) {
            let end = end.filter(|end| {
                let next = self.text[*end..].trim_start().as_bytes().first().copied();
                next.is_none_or(|next| next == b',' || Some(next) == close)
                    || close.is_none() && next == Some(b'{')
            });
            end.or(sibling).or(aligned)
        } else {
            // What stands where no value can stand is passed over word by word.
            let first = self.text[start..].chars().next().map_or(1, char::len_utf8);
            Some(end.unwrap_or(value).max(start + first))
        };
        self.spend(next.unwrap_or(bytes.len()).saturating_sub(start));
        next
    }

    /// In a file written with indents, a record starts as far from the margin as the one before it.
    fn same_indent(&mut self, start: usize) -> Option<usize> {
        const DEEPEST: usize = 256;
        let bytes = self.text.as_bytes();
        let first = *bytes.get(start)?;
        if !matches!(first, b'{' | b'[' | b'"') {
            return None;
        }
        let from = start.saturating_sub(DEEPEST);
        let line = from + bytes[from..start].iter().rposition(|byte| *byte == b'\n')? + 1;
        if !bytes[line..start].iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return None;
        }
        let opening = format!("\n{}{}", &self.text[line..start], char::from(first));
        let mut from = start;
        while 0 < self.budget {
            let found = self.text[from..].find(&opening);
            self.spend(found.unwrap_or(self.text.len() - from));
            let at = from + found? + opening.len() - 1;
            // A bracket too many can stand there as well.
            if first != b'{' || (self.expect.record)(&self.keys_at(at).all) {
                return Some(at);
            }
            from = at;
        }
        None
    }

    /// The next object that starts with the same key and looks like a record.
    fn sibling(&mut self, start: usize, bound: usize) -> Option<usize> {
        const LONGEST_KEY: usize = 64;
        let inside = self.text[start..].strip_prefix('{')?.trim_start();
        let key = inside.strip_prefix('"')?;
        let key = &key[..floor(key, LONGEST_KEY)];
        let key = &inside[..key.find('"')? + 2];
        let mut from = start + 1;
        while let Some(found) = self.text.get(from..bound)?.find(key) {
            let at = from + found;
            from = at + key.len();
            let before = self.text[..at].trim_end();
            let Some(outside) = before.strip_suffix('{') else { continue };
            if !outside.trim_end().ends_with([',', '}']) {
                continue;
            }
            let brace = outside.len();
            if start < brace && (self.expect.record)(&self.keys_at(brace).all) {
                return Some(brace);
            }
            if self.budget == 0 {
                return None;
            }
        }
        None
    }

    /// The first keys of the object that starts here, in lower case.
    fn keys_at(&mut self, start: usize) -> Keys {
        const MOST: usize = 64;
        let bytes = self.text.as_bytes();
        let mut keys = Keys::default();
        let mut at = start + 1;
        while keys.all.len() < MOST {
            at = past(bytes, at, |byte| byte.is_ascii_whitespace() || byte == b',');
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            let Some(end) = lexical_end(bytes, at, bytes.len()) else { break };
            let Ok(key) = serde_json::from_str::<String>(&self.text[at..end]) else { break };
            let key = key.to_ascii_lowercase();
            at = past(bytes, end, |byte| byte.is_ascii_whitespace() || byte == b':');
            if bytes.get(at) == Some(&b'[') {
                keys.lists.push(key.clone());
            }
            keys.all.push(key);
            match lexical_end(bytes, at, bytes.len()) {
                Some(end) if at < end => at = end,
                _ => {
                    at = bytes.len();
                    break;
                }
            }
        }
        self.spend(at.saturating_sub(start));
        keys
    }

    fn nothing_more(&mut self) {
        self.skip_space();
        if self.at < self.text.len() {
            let line = self.line_here();
            self.problems.report(
                self.file,
                Place::Line(line),
                "There is more text after the end of the data. It was not read.",
                "Check whether two files were joined by mistake.",
            );
        }
    }

    fn report_cut(&mut self) {
        let line = self.line_here();
        let place = if self.single { Place::Record(self.number) } else { Place::Line(line) };
        self.problems.report(
            self.file,
            place,
            "The file ends before its closing bracket. The whole records before it were kept.",
            CUT_CURE,
        );
    }

    fn next_place(&mut self) -> Place {
        self.number += 1;
        let line = self.line_here();
        // Of several records on a line, the number tells more.
        let shared = line == self.last_line;
        self.last_line = line;
        if self.single || shared { Place::Record(self.number) } else { Place::Line(line) }
    }

    fn line_here(&mut self) -> u64 {
        let passed = &self.text.as_bytes()[self.counted..self.at];
        self.line += newlines(passed);
        self.counted = self.at;
        self.line
    }

    fn skip_space(&mut self) {
        self.at = past(self.text.as_bytes(), self.at, |byte| byte.is_ascii_whitespace());
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn spend(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes);
    }
}

fn past(bytes: &[u8], mut at: usize, skip: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|byte| skip(*byte)) {
        at += 1;
    }
    at
}

/// Where the value that starts here ends, by its brackets and quotes alone.
fn lexical_end(bytes: &[u8], start: usize, bound: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    let bound = bound.min(bytes.len());
    while at < bound {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bound && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if bound <= at {
                    return None;
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth == 0 {
                    return Some(at);
                }
                depth -= 1;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return Some(at),
            _ => {
                at += 1;
                continue;
            }
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
