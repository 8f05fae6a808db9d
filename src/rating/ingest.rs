//! Battles from a CSV file: `model_a,model_b,winner` as arenas publish them, or `left,right,winner`.
//!
//! Columns come in any order and others are passed over. A line that cannot be read is reported with its
//! number, and all others count. Files without quotes are read by a scanner that looks at eight bytes at
//! once; from the first quote on, the `csv` crate reads.

mod names;
mod scan;

use std::collections::HashMap;

use self::names::Names;
use self::scan::Marks;
use super::battle::{Battle, Winner};
use super::counts::PairCounts;

/// More systems than this are no tournament: a column was taken for another.
pub const MAX_SYSTEMS: usize = 2000;

/// Lines that are described one by one. The others are only counted.
const MAX_DESCRIBED: usize = 100;

/// Names of the three columns that are needed.
const COLUMNS: [[&str; 3]; 2] = [["model_a", "model_b", "winner"], ["left", "right", "winner"]];

/// Columns that say which battles are over one query, the first that there is.
const QUERIES: [&str; 4] = ["session_id", "question_id", "prompt", "id"];

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingested<T> {
    /// Names, in order of appearance.
    pub systems: Vec<String>,
    pub data: T,
    /// How many battles there are in it.
    pub battles: u64,
    /// The first lines that could not be read.
    pub problems: Vec<Problem>,
    /// How many lines could not be read.
    pub unread: u64,
}

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

/// The results of each pair.
///
/// # Errors
/// Where columns are missing or hold no names of systems.
pub fn read_counts(bytes: &[u8]) -> Result<Ingested<PairCounts>, IngestError> {
    let read = read(bytes, Table::default())?;
    let mut counts = PairCounts::new(read.systems.len());
    let numbers = (1..read.systems.len()).flat_map(|high| (0..high).map(move |low| (low, high)));
    for ((low, high), [wins, losses, ties, _]) in numbers.zip(&read.data.cells) {
        counts.add(low, high, Winner::First, *wins);
        counts.add(low, high, Winner::Second, *losses);
        counts.add(low, high, Winner::Tie, *ties);
    }
    let Ingested { systems, battles, problems, unread, .. } = read;
    Ok(Ingested { systems, data: counts, battles, problems, unread })
}

/// Each battle. Its query is that of the column `session_id`, `question_id`, `prompt` or `id`, or its own
/// where there is none of them; all are in one stratum.
///
/// # Errors
/// Where columns are missing or hold no names of systems.
pub fn read_battles(bytes: &[u8]) -> Result<Ingested<Vec<Battle>>, IngestError> {
    let Ingested { systems, data, battles, problems, unread } = read(bytes, List::default())?;
    Ok(Ingested { systems, data: data.battles, battles, problems, unread })
}

/// What is done with battles.
trait Sink {
    /// `query` is empty where the file does not say.
    fn add(&mut self, first: u32, second: u32, winner: Winner, query: Option<&[u8]>);
}

#[derive(Default)]
struct Table {
    /// Wins, losses and ties as in [`PairCounts`]; the fourth number only makes places powers of two.
    cells: Vec<[u32; 4]>,
}

impl Sink for Table {
    #[inline]
    fn add(&mut self, first: u32, second: u32, winner: Winner, _: Option<&[u8]>) {
        let (low, high) = (first.min(second), first.max(second));
        let winner = if first == low { winner } else { winner.swapped() };
        let place = PairCounts::place(low as usize, high as usize);
        if self.cells.len() <= place {
            self.cells.resize(PairCounts::place(0, high as usize + 1), [0; 4]);
        }
        let kind = match winner {
            Winner::First => 0,
            Winner::Second => 1,
            Winner::Tie => 2,
        };
        self.cells[place][kind] += 1;
    }
}

#[derive(Default)]
struct List {
    battles: Vec<Battle>,
    queries: HashMap<Vec<u8>, u32>,
}

impl Sink for List {
    fn add(&mut self, first: u32, second: u32, winner: Winner, query: Option<&[u8]>) {
        let query = match query {
            None => self.battles.len() as u32,
            Some(query) => match self.queries.get(query) {
                Some(known) => *known,
                None => {
                    let number = self.queries.len() as u32;
                    self.queries.insert(query.to_vec(), number);
                    number
                }
            },
        };
        self.battles.push(Battle { first, second, winner, query, stratum: 0 });
    }
}

/// Which field of a line is what.
#[derive(Clone, Copy, Debug)]
struct Layout {
    fields: usize,
    first: usize,
    second: usize,
    winner: usize,
    /// A place behind all fields where there is none.
    query: usize,
}

impl Layout {
    fn of(header: &csv::ByteRecord) -> Result<Self, IngestError> {
        let names: Vec<String> = header
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
            .collect();
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let found = COLUMNS.iter().find_map(|columns| {
            let [first, second, winner] = columns.map(place);
            Some((first?, second?, winner?))
        });
        let Some((first, second, winner)) = found else {
            let shown: String = names.join(", ").chars().take(200).collect();
            return Err(IngestError::Columns(shown));
        };
        let query = QUERIES.into_iter().find_map(place).unwrap_or(names.len());
        Ok(Self { fields: names.len(), first, second, winner, query })
    }
}

fn read<T: Sink>(bytes: &[u8], sink: T) -> Result<Ingested<T>, IngestError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = plain_reader(bytes);
    let mut header = csv::ByteRecord::new();
    // Reading from memory cannot fail, and a record may have any number of fields.
    reader.read_byte_record(&mut header).ok();
    let layout = Layout::of(&header)?;
    let (start, line) = (reader.position().byte() as usize, reader.position().line());
    let mut reading = Reading {
        layout,
        names: Names::default(),
        sink,
        battles: 0,
        problems: Vec::new(),
        unread: 0,
    };
    // The header ends at its line feed, or before it: then there is an empty line, which counts for nothing.
    let head = &bytes[..start];
    let returns = head.contains(&b'\r')
        && !head.windows(2).any(|two| two == b"\r\n")
        && bytes.get(start) != Some(&b'\n');
    if returns {
        reading.quoted(bytes, start, line)?;
    } else {
        reading.plain(bytes, start, line)?;
    }
    Ok(Ingested {
        systems: reading.names.list(),
        data: reading.sink,
        battles: reading.battles,
        problems: reading.problems,
        unread: reading.unread,
    })
}

fn plain_reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes)
}

struct Reading<T> {
    layout: Layout,
    names: Names,
    sink: T,
    battles: u64,
    problems: Vec<Problem>,
    unread: u64,
}

impl<T: Sink> Reading<T> {
    /// Reads lines until there is a quote, and hands over to [`Self::quoted`].
    fn plain(&mut self, bytes: &[u8], start: usize, mut line: u64) -> Result<(), IngestError> {
        let layout = self.layout;
        let mut marks = Marks::of(bytes, start);
        let (mut row, mut from, mut field) = (start, start, 0);
        let (mut first, mut second, mut winner, mut query) = ((0, 0), (0, 0), (0, 0), (0, 0));
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
                    let query = (layout.query < field).then(|| part(query));
                    self.row(line, part(first), part(second), part(winner), query)?;
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
            let mut reader = plain_reader(&bytes[start..]);
            while reader.read_byte_record(&mut record).unwrap_or(false) {
                let place = record.position();
                // Where the line before ended with two bytes, or was empty, its end is read with this one.
                let offset = start + place.map_or(0, csv::Position::byte) as usize;
                let text = &bytes[offset..start + reader.position().byte() as usize];
                let ends = text.iter().take_while(|byte| b"\r\n".contains(byte)).count();
                let skipped = text[..ends].split(|byte| *byte == b'\n').count() as u64 - 1;
                let at = line + place.map_or(0, |place| place.line() - 1) + skipped;
                if record.len() == layout.fields {
                    let query = record.get(layout.query);
                    let [first, second, winner] = [layout.first, layout.second, layout.winner]
                        .map(|field| record.get(field).unwrap_or_default());
                    self.row(at, first, second, winner, query)?;
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
        line: u64,
        first: &[u8],
        second: &[u8],
        winner: &[u8],
        query: Option<&[u8]>,
    ) -> Result<(), IngestError> {
        let Some(result) = winner_of(winner) else {
            let shown = String::from_utf8_lossy(winner).chars().take(40).collect();
            self.report(line, Trouble::Winner(shown));
            return Ok(());
        };
        let (Some(one), Some(other)) = (self.names.known(first), self.names.known(second)) else {
            return self.new_names(line, first, second, result, query);
        };
        self.battle(line, one, other, result, query);
        Ok(())
    }

    /// A line with a name that was not seen before.
    #[cold]
    fn new_names(
        &mut self,
        line: u64,
        first: &[u8],
        second: &[u8],
        winner: Winner,
        query: Option<&[u8]>,
    ) -> Result<(), IngestError> {
        if first.is_empty() || second.is_empty() {
            self.report(line, Trouble::NoName);
        } else if std::str::from_utf8(first).is_err() || std::str::from_utf8(second).is_err() {
            self.report(line, Trouble::NotText);
        } else {
            let (one, other) = (self.names.add(first), self.names.add(second));
            if MAX_SYSTEMS < self.names.len() {
                return Err(IngestError::Systems);
            }
            self.battle(line, one, other, winner, query);
        }
        Ok(())
    }

    #[inline]
    fn battle(&mut self, line: u64, first: u32, second: u32, winner: Winner, query: Option<&[u8]>) {
        if first == second {
            self.report(line, Trouble::Itself(self.names.name(first)));
            return;
        }
        self.battles += 1;
        self.sink.add(first, second, winner, query);
    }

    #[cold]
    fn report(&mut self, line: u64, what: Trouble) {
        self.unread += 1;
        if self.problems.len() < MAX_DESCRIBED {
            self.problems.push(Problem { line, what });
        }
    }
}

/// Who won, as arenas write it. Two bad answers are a tie.
#[inline]
fn winner_of(written: &[u8]) -> Option<Winner> {
    match written {
        b"model_a" | b"left" => Some(Winner::First),
        b"model_b" | b"right" => Some(Winner::Second),
        b"tie" | b"tie (bothbad)" | b"both_bad" => Some(Winner::Tie),
        _ => {
            let plain = written.trim_ascii().to_ascii_lowercase();
            (plain != written).then(|| winner_of(&plain)).flatten()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Battles as `first second winner query`, names by their number; and problems as `line: text`.
    #[track_caller]
    fn check(text: &str, systems: &[&str], battles: &[&str], problems: &[&str]) {
        let found = read_battles(text.as_bytes()).unwrap();
        assert_eq!(found.systems, systems);
        let letter = |winner| match winner {
            Winner::First => '>',
            Winner::Second => '<',
            Winner::Tie => '=',
        };
        let shown: Vec<String> = found
            .data
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
        let shown: Vec<String> = found
            .problems
            .iter()
            .map(|problem| format!("{}: {}", problem.line, problem.what))
            .collect();
        assert_eq!(shown, problems);
        assert_eq!((found.battles, found.unread), (battles.len() as u64, problems.len() as u64));
        let counts = read_counts(text.as_bytes()).unwrap();
        assert_eq!(counts.data, PairCounts::of(systems.len(), &found.data));
        assert_eq!((counts.systems, counts.problems), (found.systems, found.problems));
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
        let found = read_counts(b"left,right,winner\na,\xFF\xFE,tie\na,b,left\n").unwrap();
        assert_eq!(found.problems, [Problem { line: 2, what: Trouble::NotText }]);
        assert_eq!(found.data.battles(), 1);
    }

    #[test]
    fn files_without_battles() {
        for text in ["", "a,b,c\n1,2,3\n", "model_a,model_b\na,b\n", "left,model_b,winner\n"] {
            assert!(matches!(read_counts(text.as_bytes()), Err(IngestError::Columns(_))), "{text}");
        }
        let lines = (0..=MAX_SYSTEMS).map(|at| format!("{at},{},left", at + 1));
        let header = "left,right,winner".to_owned();
        let text = std::iter::once(header).chain(lines).collect::<Vec<_>>().join("\n");
        assert_eq!(read_counts(text.as_bytes()), Err(IngestError::Systems));
    }
}
