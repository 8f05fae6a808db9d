//! Files of battles: ResearchQA's pairwise results and plans, votes of arenas, and evalica's tables.

mod record;
mod gather;

use csv::{ReaderBuilder, StringRecord};

use crate::rating::ingest::{self, DELIMITERS, IngestError, Listed, Style, Trouble};
use crate::rating::{Tournament, Winner};

use self::gather::Gathered;
use self::record::{PAIRS, Record, Shape, Source};
use super::blob::Blob;
use super::detect::{FileKind, sniff};
use super::handout::unguarded;
use super::items::Flaw;
use super::json::{self, Expect, Json};
use super::problem::{Place, Problems};
use super::text::{self, excerpt};

/// Battles from files, and what a reader should know about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedBattles {
    /// Numbers of systems, queries and domains are in order of first appearance.
    pub tournament: Tournament,
    /// What a direct judge said with either side in the first seat, both from the view of
    /// [`Battle::first`](crate::rating::Battle::first). As long as the battles, or empty where no file says.
    pub direct: Vec<Option<BothSeats>>,
    /// Ensemble scores of the first and the second side, likewise.
    pub scores: Vec<Option<(f64, f64)>>,
    /// Files that held battles, in the order given.
    pub files: Vec<BattlesFile>,
    /// How results were made of what was written. Full sentences.
    pub notes: Vec<String>,
}

/// Verdicts in the given order of seats and in the other. None where there is none.
pub type BothSeats = (Option<Winner>, Option<Winner>);

/// One file of battles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BattlesFile {
    pub name: String,
    pub format: BattlesFormat,
    /// Rows or records that could be read, decided or not.
    pub rows: u64,
}

/// How battles are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BattlesFormat {
    /// ResearchQA's results: `session_id`, `implementation_A`, `implementation_B` and verdicts.
    Pairwise,
    /// The same without a result.
    Plan,
    /// `model_a`, `model_b`, `winner`.
    Arena,
    /// `left`, `right`, `winner`.
    Evalica,
}

impl BattlesFormat {
    /// What to call it in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pairwise => "ResearchQA pairwise results",
            Self::Plan => "a tournament plan",
            Self::Arena => "arena votes",
            Self::Evalica => "an evalica table",
        }
    }
}

const EXPECT: Expect = Expect {
    record: |keys| {
        PAIRS.iter().any(|pair| pair.iter().all(|name| keys.iter().any(|key| key == name)))
    },
    wrappers: &["data", "rows", "records", "results", "battles", "votes"],
};

/// Whether a file holds battles, by its first records or its first line.
pub fn has_battles(name: &str, bytes: &[u8]) -> bool {
    let text = text::peek(bytes);
    let mut found = false;
    let is_json = json::walk(name, &text, &EXPECT, &mut Problems::default(), &mut |entry, _| {
        found |= record::pair_of(&entry.value).is_some();
    });
    found || !is_json && Table::of(&text).is_some()
}

/// Reads the files together: systems are joined by name, queries by id. Formats are told by what is in a
/// file. Nothing that is undecided becomes a tie.
pub fn read_battles(files: &[(String, Blob)]) -> (ImportedBattles, Problems) {
    let mut gathered = Gathered::default();
    let mut problems = Problems::default();
    let mut kept = Vec::new();
    for (index, (name, bytes)) in files.iter().enumerate() {
        if let Some((first, _)) = files[..index].iter().find(|(_, other)| other == bytes) {
            let what = format!("The file holds the same as {}. It was read once.", excerpt(first));
            problems.report(name, Place::File, what, "Nothing needs to be done.");
            continue;
        }
        // Queries without an id are called by the file, and two folders can hold files of one name.
        let same = files[..index].iter().filter(|(other, _)| other == name).count();
        let source = if same == 0 { name.clone() } else { format!("{name} ({})", same + 1) };
        let mut read = Problems::default();
        kept.extend(file(name, &source, bytes.as_bytes(), &mut gathered, &mut read));
        problems.extend(read);
    }
    (gathered.finish(kept), problems)
}

/// Reads one file into what was gathered. Nothing is said about it where it held no battle.
fn file(
    name: &str,
    source: &str,
    bytes: &[u8],
    gathered: &mut Gathered,
    problems: &mut Problems,
) -> Option<BattlesFile> {
    let decoded = match text::open(name, bytes) {
        Ok(decoded) => decoded,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    if let Some(cut) = decoded.cut {
        problems.push(cut);
    }
    let text = decoded.text.as_ref();
    let mut seen = Seen::default();
    let from = Source { file: name, name: source, shape: Shape::Json };
    let is_json = json::walk(name, text, &EXPECT, problems, &mut |entry, problems| {
        let record = Record { place: entry.place, value: entry.value };
        seen.record(&record, from, gathered, problems);
    });
    if !is_json {
        match Table::of(text) {
            Some(Table::Votes(style)) => {
                seen.format = Some(match style {
                    Style::Arena => BattlesFormat::Arena,
                    Style::Evalica => BattlesFormat::Evalica,
                });
                seen.rows = votes(name, source, text, gathered, problems);
            }
            Some(Table::Records(delimiter)) => {
                let from = Source { shape: Shape::Table, ..from };
                table(text, delimiter, from, &mut seen, gathered, problems);
            }
            None => {}
        }
    }
    gathered.file_ends(name);
    let nothing = seen.format.is_none();
    if nothing || seen.rows == 0 && problems.is_empty() {
        let (what, cure) = if nothing {
            // A problem for each record would hide that it is the wrong file.
            *problems = Problems::default();
            no_battles(sniff(name, text))
        } else {
            ("The file holds no battles.", "Check whether it was exported in full.")
        };
        problems.report(name, Place::File, what, cure);
    }
    let format = seen.format.filter(|_| 0 < seen.rows)?;
    Some(BattlesFile { name: name.to_owned(), format, rows: seen.rows })
}

/// What was seen of a file so far.
#[derive(Default)]
struct Seen {
    format: Option<BattlesFormat>,
    rows: u64,
    /// Records, also those that could not be read.
    met: u64,
}

impl Seen {
    fn record(
        &mut self,
        record: &Record,
        from: Source<'_>,
        gathered: &mut Gathered,
        problems: &mut Problems,
    ) {
        self.met += 1;
        // One result makes a plan a file of results.
        let format = record.format();
        if self.format.is_none() || format == Some(BattlesFormat::Pairwise) {
            self.format = format.or(self.format);
        }
        let read = record.read(from, self.met, problems);
        match read.and_then(|battle| gathered.add(battle)) {
            Ok(()) => self.rows += 1,
            Err((what, cure)) => {
                let what = format!("{what} It was left out.");
                problems.report(from.file, record.place, what, cure);
            }
        }
    }
}

/// What the first line of a table promises.
enum Table {
    /// Columns that are read without making a record of each line.
    Votes(Style),
    /// Others, with what stands between them.
    Records(u8),
}

impl Table {
    fn of(text: &str) -> Option<Self> {
        let start = text::start(text);
        if let Some(style) = ingest::style(start.as_bytes()) {
            return Some(Self::Votes(style));
        }
        DELIMITERS.into_iter().find_map(|delimiter| {
            let names = header(start, delimiter);
            let has = |name: &&str| names.iter().any(|column| column.eq_ignore_ascii_case(name));
            let is_one = PAIRS.iter().any(|pair| pair.iter().all(&has));
            is_one.then_some(Self::Records(delimiter))
        })
    }
}

/// Lines of a table whose columns are few and known.
fn votes(
    name: &str,
    source: &str,
    text: &str,
    gathered: &mut Gathered,
    problems: &mut Problems,
) -> u64 {
    let Listed { tournament, problems: lines, unread } =
        match ingest::read_tournament(source, text.as_bytes()) {
            Ok(listed) => listed,
            Err(error @ (IngestError::Systems | IngestError::Columns(_))) => {
                let cure = "Check which columns name the systems.";
                problems.report(name, Place::File, format!("There are {error}"), cure);
                return 0;
            }
        };
    let described = lines.len() as u64;
    for ingest::Problem { line, what } in lines {
        let (what, cure) = told(&what);
        problems.report(name, Place::Line(line), what, cure);
    }
    problems.count_more(unread - described);
    gathered.adopt(tournament, name, problems)
}

fn told(trouble: &Trouble) -> Flaw {
    let (what, cure) = match trouble {
        Trouble::Fields { found, expected } => (
            format!("This line has {found} fields where the first line has {expected}."),
            "Put quotation marks around a field with commas or line breaks in it.",
        ),
        Trouble::Winner(word) => {
            (format!("No winner is written \"{}\".", excerpt(word)), record::WINNER_CURE)
        }
        Trouble::NoName => ("A system has no name here.".to_owned(), "Name both systems."),
        Trouble::NotText => ("A name is not UTF-8 here.".to_owned(), "Save the file as UTF-8."),
        Trouble::Itself(name) => (record::itself(name), record::ITSELF_CURE),
    };
    (format!("{what} It was left out."), cure)
}

/// Rows of any other table, as records whose keys are the names of columns.
fn table(
    text: &str,
    delimiter: u8,
    from: Source<'_>,
    seen: &mut Seen,
    gathered: &mut Gathered,
    problems: &mut Problems,
) {
    let names = header(text, delimiter);
    let blank = names.iter().map(|name| (name.to_owned(), Json::Null)).collect();
    seen.format = Record { place: Place::Row(0), value: Json::Object(blank) }.format();
    // Quotation marks inside a cell are doubled, so that their number is even.
    let open_quote = !text.bytes().filter(|byte| *byte == b'"').count().is_multiple_of(2);
    let mut reader = reader(text, delimiter);
    let mut row = StringRecord::new();
    for number in 0_u64.. {
        // Text is UTF-8 and rows may be of any length, so that reading from memory cannot fail.
        if !reader.read_record(&mut row).unwrap_or(false) {
            return;
        }
        // The header comes first, as one more row.
        if number == 0 {
            continue;
        }
        let place = Place::Row(number);
        let is_last = text.len() as u64 <= reader.position().byte();
        if open_quote && is_last && row.iter().any(|cell| cell.contains('\n')) {
            problems.report(
                from.file,
                place,
                "A quotation mark in this row is opened and never closed, so that all after it \
                 reads as one cell. This row and the rest were left out.",
                "Close it, or write a quotation mark inside a cell twice.",
            );
            return;
        }
        if row.len() != names.len() {
            let what = format!(
                "This row has {} cells where the first row names {}. It was left out.",
                row.len(),
                names.len()
            );
            let cure = "Put quotation marks around a cell with commas or line breaks in it.";
            problems.report(from.file, place, what, cure);
            continue;
        }
        let cell = |cell: &str| match cell.trim() {
            "" => Json::Null,
            _ => Json::Text(unguarded(cell).to_owned()),
        };
        let entries = names.iter().zip(&row).map(|(name, text)| (name.to_owned(), cell(text)));
        let record = Record { place, value: Json::Object(entries.collect()) };
        seen.record(&record, from, gathered, problems);
    }
}

fn header(text: &str, delimiter: u8) -> StringRecord {
    let mut record = StringRecord::new();
    // A record that cannot be read has no columns, which is what is then reported.
    reader(text, delimiter).read_record(&mut record).ok();
    record.trim();
    record
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
}

/// What to say about a file of another kind.
fn no_battles(kind: FileKind) -> (&'static str, &'static str) {
    match kind {
        FileKind::Answers => ("These are answers, not battles.", "Bring them as answers."),
        FileKind::Judgements => {
            ("These are judgements, not battles.", "Bring them as judgements of a system.")
        }
        FileKind::RunFile => ("This is a run file, not battles.", "Reopen it as a run file."),
        FileKind::Benchmark | FileKind::ResearcherBenchQuestions | FileKind::Unknown => (
            "No battles were found in this file.",
            "A battle has `model_a`, `model_b` and `winner`, or `left`, `right` and `winner`, or \
             `session_id`, `implementation_A`, `implementation_B` and verdicts.",
        ),
    }
}
