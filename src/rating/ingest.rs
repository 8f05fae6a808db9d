//! Battles from a CSV file: `model_a,model_b,winner` as arenas publish them, or `left,right,winner`.
//!
//! Columns come in any order and others are passed over; semicolons or tabs may stand for commas. A line
//! that cannot be read is reported with its number, and all others count. Files without quotes are read by
//! a scanner that looks at eight bytes at once; from the first quote on, the `csv` crate reads.

mod names;
mod scan;

use std::collections::HashMap;

use self::names::Names;
use self::scan::Marks;
use super::battle::{Battle, Winner};
use super::tournament::{Tournament, Undecided};

/// More systems than this are no tournament: a column was taken for another.
pub const MAX_SYSTEMS: usize = 2000;

/// Lines that are described one by one. The others are only counted.
const MAX_DESCRIBED: usize = 200;

/// Names of the three columns that are needed, the first style that is there in full.
const COLUMNS: [(Style, [&str; 3]); 2] = [
    (Style::Arena, ["model_a", "model_b", "winner"]),
    (Style::Evalica, ["left", "right", "winner"]),
];

/// Whose names the columns have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Arena,
    Evalica,
}

/// Columns that say which battles are over one query, the first that there is.
pub const QUERIES: [&str; 5] = ["session_id", "question_id", "query_id", "prompt", "id"];

/// Columns that say which part of a benchmark a query is from, the first that there is.
pub const DOMAINS: [&str; 3] = ["general_domain", "domain", "category"];

/// What may stand between fields: the first of them that finds the columns.
pub const DELIMITERS: [u8; 3] = *b",;\t";

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From 1, the header being the first.
    pub line: u64,
    pub what: Trouble,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("{found} fields where the first line has {expected}")]
    Fields { found: usize, expected: usize },
    #[error("no winner is written {0:?}")]
    Winner(String),
    #[error("a system without a name")]
    NoName,
    #[error("a name that is not UTF-8")]
    NotText,
    #[error("{0:?} against itself")]
    Itself(String),
}

/// Why nothing could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    #[error("no columns model_a, model_b and winner, nor left, right and winner, in: {0}")]
    Columns(String),
    #[error("more than {MAX_SYSTEMS} systems: is a column of texts named like one of systems?")]
    Systems,
}

/// A file as a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub tournament: Tournament,
    /// The first lines that could not be read.
    pub problems: Vec<Problem>,
    /// How many lines could not be read.
    pub unread: u64,
}

/// Each battle, with its query and its domain where the file has [`QUERIES`] and [`DOMAINS`].
///
/// Where a line names no query, it has one of its own, called by `source` and the line.
///
/// # Errors
/// Where columns are missing or hold no names of systems.
pub fn read_tournament(source: &str, bytes: &[u8]) -> Result<Listed, IngestError> {
    let Reading { names, found, problems, unread, .. } = read(bytes)?;
    Ok(Listed { tournament: found.finish(source, names.list()), problems, unread })
}

/// Whose columns the first line of a file has, where it has all that are needed.
pub fn style(bytes: &[u8]) -> Option<Style> {
    Some(Layout::of(bytes.strip_prefix(MARK).unwrap_or(bytes)).ok()?.style)
}

/// Where a battle stands in the file, and what is written there. Empty where the file does not say.
#[derive(Clone, Copy)]
struct Origin<'r> {
    line: u64,
    query: &'r [u8],
    stratum: &'r [u8],
}

#[derive(Default)]
struct List {
    battles: Vec<Battle>,
    undecided: Vec<Undecided>,
    queries: Numbers,
    /// Queries that a line has to itself, and the line.
    own: Vec<(u32, u64)>,
    strata: Numbers,
}

impl List {
    /// No winner where it was left open.
    fn add(&mut self, first: u32, second: u32, winner: Option<Winner>, origin: Origin<'_>) {
        let query = if origin.query.trim_ascii().is_empty() {
            let number = self.queries.next();
            self.own.push((number, origin.line));
            number
        } else {
            self.queries.of(origin.query)
        };
        let stratum = self.strata.of(origin.stratum);
        match winner {
            Some(winner) => self.battles.push(Battle { first, second, winner, query, stratum }),
            None => self.undecided.push(Undecided { first, second, query, stratum }),
        }
    }

    fn finish(self, source: &str, systems: Vec<String>) -> Tournament {
        let mut queries = self.queries.names();
        for (number, line) in self.own {
            queries[number as usize] = format!("{source}:{line}");
        }
        Tournament {
            systems,
            queries,
            strata: self.strata.names(),
            battles: self.battles,
            undecided: self.undecided,
        }
    }
}

/// Numbers from 0 for texts, in order of appearance.
#[derive(Default)]
struct Numbers {
    known: HashMap<Vec<u8>, u32>,
    count: u32,
}

impl Numbers {
    /// A number for something without a text.
    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    fn of(&mut self, text: &[u8]) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let number = self.next();
        self.known.insert(text.to_vec(), number);
        number
    }

    /// By number. Empty where there is no text.
    #[expect(clippy::iter_over_hash_type, reason = "each text has its own place")]
    fn names(self) -> Vec<String> {
        let mut names = vec![String::new(); self.count as usize];
        for (text, number) in self.known {
            names[number as usize] = String::from_utf8(text)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
        names
    }
}

/// Which field of a line is what.
#[derive(Clone, Copy, Debug)]
struct Layout {
    style: Style,
    delimiter: u8,
    fields: usize,
    first: usize,
    second: usize,
    winner: usize,
    /// A place behind all fields where there is none, as for the stratum.
    query: usize,
    stratum: usize,
}

impl Layout {
    /// By the first line of these bytes.
    fn of(bytes: &[u8]) -> Result<Self, IngestError> {
        let mut shown = String::new();
        for delimiter in DELIMITERS {
            let mut header = csv::ByteRecord::new();
            // Reading from memory cannot fail, and a record may have any number of fields.
            plain_reader(bytes, delimiter).read_byte_record(&mut header).ok();
            let names: Vec<String> = header
                .iter()
                .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
                .collect();
            if let Some(layout) = Self::by_names(delimiter, &names) {
                return Ok(layout);
            }
            if shown.is_empty() {
                shown = names.join(", ").chars().take(200).collect();
            }
        }
        Err(IngestError::Columns(shown))
    }

    fn by_names(delimiter: u8, names: &[String]) -> Option<Self> {
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let (style, first, second, winner) = COLUMNS.iter().find_map(|(style, columns)| {
            let [first, second, winner] = columns.map(place);
            Some((*style, first?, second?, winner?))
        })?;
        let query = QUERIES.into_iter().find_map(place).unwrap_or(names.len());
        let stratum = DOMAINS.into_iter().find_map(place).unwrap_or(names.len());
        Some(Self { style, delimiter, fields: names.len(), first, second, winner, query, stratum })
    }
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

fn read(bytes: &[u8]) -> Result<Reading, IngestError> {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let layout = Layout::of(bytes)?;
    let mut reader = plain_reader(bytes, layout.delimiter);
    reader.read_byte_record(&mut csv::ByteRecord::new()).ok();
    let (start, line) = (reader.position().byte() as usize, reader.position().line());
    let mut reading = Reading {
        layout,
        names: Names::default(),
        found: List::default(),
        problems: Vec::new(),
        unread: 0,
    };
    // The header ends at its line feed, or before it: then there is an empty line, which counts for nothing.
    let head = &bytes[..start];
    let returns = head.contains(&b'\r')
        && !head.windows(2).any(|two| two == b"\r\n")
        && bytes.get(start) != Some(&b'\n');
    if returns || layout.delimiter != b',' {
        reading.quoted(bytes, start, line)?;
    } else {
        reading.plain(bytes, start, line)?;
    }
    Ok(reading)
}

fn plain_reader(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes)
}

struct Reading {
    layout: Layout,
    names: Names,
    found: List,
    problems: Vec<Problem>,
    unread: u64,
}

impl Reading {
    /// Reads lines until there is a quote, and hands over to [`Self::quoted`].
    fn plain(&mut self, bytes: &[u8], start: usize, mut line: u64) -> Result<(), IngestError> {
        let layout = self.layout;
        let mut marks = Marks::of(bytes, start);
        let (mut row, mut from, mut field) = (start, start, 0);
        let (mut first, mut second, mut winner) = ((0, 0), (0, 0), (0, 0));
        let (mut query, mut stratum) = ((0, 0), (0, 0));
        loop {
            // A line may end with the file.
            let at = marks.next().unwrap_or(bytes.len());
            let mark = bytes.get(at).copied().unwrap_or(b'\n');
            if mark == b'"' {
                return self.quoted(bytes, row, line);
            }
            let range = (from, at);
            if field == layout.first {
                first = range;
            } else if field == layout.second {
                second = range;
            } else if field == layout.winner {
                winner = range;
            } else if field == layout.query {
                query = range;
            } else if field == layout.stratum {
                stratum = range;
            }
            from = at + 1;
            field += 1;
            if mark == b',' {
                continue;
            }
            let end = if row < at && bytes[at - 1] == b'\r' { at - 1 } else { at };
            if row < end {
                let part = |(from, to): (usize, usize)| &bytes[from..to.min(end)];
                if field == layout.fields {
                    // Where there is no such column, its range is empty and at the start of the file.
                    let origin = Origin { line, query: part(query), stratum: part(stratum) };
                    self.row(part(first), part(second), part(winner), origin)?;
                } else {
                    self.report(line, Trouble::Fields { found: field, expected: layout.fields });
                }
            }
            if bytes.len() <= from {
                return Ok(());
            }
            (row, field) = (from, 0);
            line += 1;
        }
    }

    /// Reads all records from `start`, quotes and line breaks in them included.
    fn quoted(&mut self, bytes: &[u8], mut start: usize, mut line: u64) -> Result<(), IngestError> {
        let layout = self.layout;
        let mut record = csv::ByteRecord::new();
        'again: loop {
            // A name may start with what a reader takes for the mark of a file, but not behind a line end.
            if bytes[start..].starts_with(MARK) && bytes[..start].ends_with(b"\n") {
                start -= 1;
                line -= 1;
            }
            let mut reader = plain_reader(&bytes[start..], layout.delimiter);
            while reader.read_byte_record(&mut record).unwrap_or(false) {
                let place = record.position();
                // Where the line before ended with two bytes, or was empty, its end is read with this one.
                let offset = start + place.map_or(0, csv::Position::byte) as usize;
                let text = &bytes[offset..start + reader.position().byte() as usize];
                let ends = text.iter().take_while(|byte| b"\r\n".contains(byte)).count();
                let skipped = text[..ends].split(|byte| *byte == b'\n').count() as u64 - 1;
                let at = line + place.map_or(0, |place| place.line() - 1) + skipped;
                if record.len() == layout.fields {
                    let part = |field| record.get(field).unwrap_or_default();
                    let (query, stratum) = (part(layout.query), part(layout.stratum));
                    let origin = Origin { line: at, query, stratum };
                    self.row(part(layout.first), part(layout.second), part(layout.winner), origin)?;
                    continue;
                }
                self.report(at, Trouble::Fields { found: record.len(), expected: layout.fields });
                // A quote that is never closed takes in the lines behind it. They may be good.
                let text = &text[ends..];
                let next =
                    text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
                if !text[next..].trim_ascii().is_empty() {
                    start = offset + ends + next;
                    line = at + 1;
                    continue 'again;
                }
            }
            return Ok(());
        }
    }

    #[inline]
    fn row(
        &mut self,
        first: &[u8],
        second: &[u8],
        winner: &[u8],
        origin: Origin<'_>,
    ) -> Result<(), IngestError> {
        let result = match read_winner(winner) {
            Written::Won(result) => Some(result),
            Written::Open => None,
            Written::Unknown => {
                let shown = String::from_utf8_lossy(winner).chars().take(40).collect();
                self.report(origin.line, Trouble::Winner(shown));
                return Ok(());
            }
        };
        let (Some(one), Some(other)) = (self.names.known(first), self.names.known(second)) else {
            return self.new_names(first, second, result, origin);
        };
        self.battle(one, other, result, origin);
        Ok(())
    }

    /// A line with a name that was not seen before.
    #[cold]
    fn new_names(
        &mut self,
        first: &[u8],
        second: &[u8],
        winner: Option<Winner>,
        origin: Origin<'_>,
    ) -> Result<(), IngestError> {
        if first.trim_ascii().is_empty() || second.trim_ascii().is_empty() {
            self.report(origin.line, Trouble::NoName);
        } else if std::str::from_utf8(first).is_err() || std::str::from_utf8(second).is_err() {
            self.report(origin.line, Trouble::NotText);
        } else {
            let (one, other) = (self.names.add(first), self.names.add(second));
            if MAX_SYSTEMS < self.names.len() {
                return Err(IngestError::Systems);
            }
            self.battle(one, other, winner, origin);
        }
        Ok(())
    }

    #[inline]
    fn battle(&mut self, first: u32, second: u32, winner: Option<Winner>, origin: Origin<'_>) {
        if first == second {
            self.report(origin.line, Trouble::Itself(self.names.name(first)));
            return;
        }
        self.found.add(first, second, winner, origin);
    }

    #[cold]
    fn report(&mut self, line: u64, what: Trouble) {
        self.unread += 1;
        if self.problems.len() < MAX_DESCRIBED {
            self.problems.push(Problem { line, what });
        }
    }
}

/// What stands where the winner should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Won(Winner),
    /// Nothing: nobody has decided.
    Open,
    Unknown,
}

/// Who won, as arenas, evalica and ResearchQA write it; its `win` and `lose` are those of the side named
/// first. Two bad answers are a tie.
#[inline]
pub fn read_winner(written: &[u8]) -> Written {
    match written {
        b"model_a" | b"left" | b"win" | b"a" => Written::Won(Winner::First),
        b"model_b" | b"right" | b"lose" | b"b" => Written::Won(Winner::Second),
        b"tie" | b"tie (bothbad)" | b"both_bad" | b"bothbad" | b"tie (both bad)" | b"draw" => {
            Written::Won(Winner::Tie)
        }
        b"" | b"none" | b"null" | b"nan" => Written::Open,
        _ => {
            let plain = written.trim_ascii().to_ascii_lowercase();
            if plain == written { Written::Unknown } else { read_winner(&plain) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Battles as `first second winner query`, names by their number; and problems as `line: text`.
    #[track_caller]
    fn check(text: &str, systems: &[&str], battles: &[&str], problems: &[&str]) {
        let Listed { tournament, problems: found_problems, unread } =
            read_tournament("file", text.as_bytes()).unwrap();
        assert_eq!(tournament.systems, systems);
        let letter = |winner| match winner {
            Winner::First => '>',
            Winner::Second => '<',
            Winner::Tie => '=',
        };
        let shown: Vec<String> = tournament
            .battles
            .iter()
            .map(|battle| {
                format!(
                    "{}{}{} {}",
                    battle.first,
                    letter(battle.winner),
                    battle.second,
                    battle.query
                )
            })
            .collect();
        assert_eq!(shown, battles);
        let shown: Vec<String> = found_problems
            .iter()
            .map(|problem| format!("{}: {}", problem.line, problem.what))
            .collect();
        assert_eq!(shown, problems);
        assert_eq!(unread, problems.len() as u64);
    }

    #[test]
    fn both_styles_in_any_order() {
        check(
            "model_a,model_b,winner\na,b,model_a\nb,a,model_b\na,c,tie\nc,b,tie (bothbad)\nc,b,both_bad\n",
            &["a", "b", "c"],
            &["0>1 0", "1<0 1", "0=2 2", "2=1 3", "2=1 4"],
            &[],
        );
        check(
            "winner,x,right,question_id,left\nleft,1,a,q7,b\nright,2,a,q8,b\ntie,3,a,q7,c",
            &["b", "a", "c"],
            &["0>1 0", "0<1 1", "2=1 0"],
            &[],
        );
        check("left,right,winner\n", &[], &[], &[]);
        check("left,right,winner", &[], &[], &[]);
    }

    #[test]
    fn queries_domains_and_open_results() {
        for [comma, quote] in [[",", ""], [",", "\""], [";", ""], ["\t", "\""]] {
            let text = "domain,model_a,question_id,model_b,winner\n\
                law,a,q1,b,model_a\nlaw,b,,c,\nart,c,q2,a,None\n,a,q2,c,tie\nart,b,,a,tie\n";
            let text = text.replacen("law", &format!("{quote}law{quote}"), 1).replace(',', comma);
            let found = read_tournament("votes", text.as_bytes()).unwrap();
            assert_eq!((found.unread, found.problems.len()), (0, 0));
            let Tournament { systems, queries, strata, battles, undecided } = found.tournament;
            assert_eq!(systems, ["a", "b", "c"]);
            assert_eq!(queries, ["q1", "votes:3", "q2", "votes:6"]);
            assert_eq!(strata, ["law", "art", ""]);
            let parts: Vec<_> =
                battles.iter().map(|battle| (battle.query, battle.stratum)).collect();
            assert_eq!(parts, [(0, 0), (2, 2), (3, 1)]);
            let parts: Vec<_> = undecided
                .iter()
                .map(|open| (open.first, open.second, open.query, open.stratum))
                .collect();
            assert_eq!(parts, [(1, 2, 1, 0), (2, 0, 2, 1)]);
        }
    }

    #[test]
    fn line_ends_marks_and_quotes() {
        let expected: (&[&str], &[&str]) = (&["a, b", "c"], &["0>1 0", "1=0 1"]);
        for text in [
            "model_a,model_b,winner\n\"a, b\",c,model_a\nc,\"a, b\",tie\n",
            "\u{feff}model_a,model_b,winner\r\n\"a, b\",c,model_a\r\nc,\"a, b\",tie",
            "\u{feff}\"model_a\",\"model_b\",\"winner\"\r\n\r\n\"a, b\",c,model_a\r\n\r\nc,\"a, b\",\"tie\"\r\n",
            "model_a,model_b,winner\r\"a, b\",c,model_a\rc,\"a, b\",tie",
        ] {
            check(text, expected.0, expected.1, &[]);
        }
        for text in [
            "model_a,model_b,winner\r\naa,b,model_a\r\n\r\nb,aa,Tie \r\n",
            "\u{feff}model_a,model_b,winner\naa,b,model_a\nb,aa,tie",
            "model_a,model_b,winner\raa,b,model_a\rb,aa,tie\r",
            "model_a,winner,model_b\r\naa,model_a,b\r\nb,tie,aa\r\n",
        ] {
            check(text, &["aa", "b"], &["0>1 0", "1=0 1"], &[]);
        }
        check(
            "model_a,model_b,winner\n\u{feff},\"b\",model_a\na,a,tie\n",
            &["\u{feff}", "b", "a"],
            &["0>1 0"],
            &["3: \"a\" against itself"],
        );
        check(
            "model_a,model_b,winner,prompt\na,b,model_a,one\na,b,tie,\"two\nlines, \"\"quoted\"\"\"\na,b,model_b,one\n,b,tie,x\n",
            &["a", "b"],
            &["0>1 0", "0=1 1", "0<1 0"],
            &["6: a system without a name"],
        );
    }

    #[test]
    fn bad_lines_are_told_and_the_others_kept() {
        check(
            "model_a,model_b,winner\na,b,model_a\na,b\na,b,c,tie\na,b,nobody\na,a,tie\n,b,tie\nb,a,tie\n",
            &["a", "b"],
            &["0>1 0", "1=0 1"],
            &[
                "3: 2 fields where the first line has 3",
                "4: 4 fields where the first line has 3",
                "5: no winner is written \"nobody\"",
                "6: \"a\" against itself",
                "7: a system without a name",
            ],
        );
        check(
            "model_a,model_b,winner\na,b,model_a\na,\"b,tie\nb,a,tie\n\nb,a\nb,a,model_a\n",
            &["a", "b"],
            &["0>1 0", "1=0 1", "1>0 2"],
            &["3: 2 fields where the first line has 3", "6: 2 fields where the first line has 3"],
        );
        let found = read_tournament("x", b"left,right,winner\na,\xFF\xFE,tie\na,b,left\n").unwrap();
        assert_eq!(found.problems, [Problem { line: 2, what: Trouble::NotText }]);
        assert_eq!(found.tournament.battles.len(), 1);
    }

    #[test]
    fn files_without_battles() {
        for text in ["", "a,b,c\n1,2,3\n", "model_a,model_b\na,b\n", "left,model_b,winner\n"] {
            let read = read_tournament("x", text.as_bytes());
            assert!(matches!(read, Err(IngestError::Columns(_))), "{text}");
        }
        let lines = (0..=MAX_SYSTEMS).map(|at| format!("{at},{},left", at + 1));
        let header = "left,right,winner".to_owned();
        let text = std::iter::once(header).chain(lines).collect::<Vec<_>>().join("\n");
        assert_eq!(read_tournament("x", text.as_bytes()), Err(IngestError::Systems));
    }
}
