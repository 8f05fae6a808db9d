//! One battle as it is written in a record: who met whom over what, and who won by which sign.

use crate::rating::Winner;
use crate::rating::ingest::{DOMAINS, QUERIES, Written, read_winner};

use super::super::items::Flaw;
use super::super::json::Json;
use super::super::names;
use super::super::problem::{Place, Problems};
use super::super::text::excerpt;
use super::{BattlesFormat, BothSeats};

/// Keys that name both sides, in lower case; the first pair is ResearchQA's.
pub(super) const PAIRS: [[&str; 2]; 3] =
    [["implementation_a", "implementation_b"], ["model_a", "model_b"], ["left", "right"]];

/// Keys of a query's id in files of ResearchQA.
const SESSION: [&str; 5] = ["session_id", "corpusid_sectionid", "question_id", "query_id", "id"];
const WINNER: [&str; 1] = ["winner"];
const SCORES: [&str; 2] = ["score_a", "score_b"];
const JUDGE: [&str; 1] = ["judge"];
const SWAPPED: [&str; 1] = ["judge_swapped"];

pub(super) const WINNER_CURE: &str = "Write model_a, model_b or tie (or left, right or tie), or leave it empty where nobody decided.";
pub(super) const ITSELF_CURE: &str = "Name two systems that differ.";

pub(super) fn itself(name: &str) -> String {
    format!("{} stands against itself.", excerpt(name))
}

/// Domains of ResearchQA. Its results are in a file for each, which is called by it.
const KNOWN_DOMAINS: [&str; 8] = [
    "Health Sciences & Medicine",
    "Life & Earth Sciences",
    "Engineering & Computer Science",
    "Physical & Theoretical Sciences",
    "Physical Sciences",
    "Social Sciences",
    "Humanities",
    "Economics",
];

/// Where records come from.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) file: &'s str,
    /// No other file is called so.
    pub(super) name: &'s str,
    pub(super) shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Json,
    Table,
}

pub(super) struct Record {
    pub(super) place: Place,
    pub(super) value: Json,
}

/// A battle with its names.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) query: String,
    pub(super) domain: Domain,
    /// Whether query and names, in this order, stand for one battle alone.
    pub(super) is_key: bool,
    pub(super) winner: Option<Winner>,
    pub(super) sign: Sign,
    pub(super) direct: Option<BothSeats>,
    pub(super) scores: Option<(f64, f64)>,
}

#[derive(Debug)]
pub(super) enum Domain {
    /// As the record says, which may be nothing.
    Written(String),
    /// As the file is called.
    OfFile(String),
}

/// By what it is known who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// It is written, or the scores say so.
    Result,
    /// Two verdicts of a direct judge.
    BothSeats,
    /// One verdict, where the table has no column for another.
    OneSeat,
    Nothing,
}

/// Which of [`PAIRS`] an object has.
pub(super) fn pair_of(value: &Json) -> Option<[&'static str; 2]> {
    PAIRS.into_iter().find(|[first, second]| value.has(&[first]) && value.has(&[second]))
}

impl Record {
    pub(super) fn format(&self) -> Option<BattlesFormat> {
        let results = [&WINNER[..], &SCORES, &JUDGE, &SWAPPED];
        Some(match pair_of(&self.value)?[0] {
            "model_a" => BattlesFormat::Arena,
            "left" => BattlesFormat::Evalica,
            _ if results.iter().any(|keys| self.value.has(keys)) => BattlesFormat::Pairwise,
            _ => BattlesFormat::Plan,
        })
    }

    /// `number` counts the records of the file.
    pub(super) fn read(
        &self,
        from: Source<'_>,
        number: u64,
        problems: &mut Problems,
    ) -> Result<Named, Flaw> {
        let value = &self.value;
        let Json::Object(_) = value else {
            let what = format!("This record is {}, not an object.", value.kind());
            return Err((what, "A battle is an object with the names of two systems."));
        };
        let Some(pair) = pair_of(value) else {
            let what =
                format!("This record does not name two systems. Its keys are: {}.", value.keys());
            return Err((what, "Name them under `model_a` and `model_b`."));
        };
        let name = |key: &str| {
            value
                .get(&[key])
                .and_then(Json::name)
                .ok_or_else(|| (format!("There is no name under {key}."), "Name both systems."))
        };
        let (first, second) = (name(pair[0])?, name(pair[1])?);
        if first == second {
            return Err((itself(&first), ITSELF_CURE));
        }
        let is_key = pair == PAIRS[0];
        let keys = if is_key { &SESSION } else { &QUERIES };
        let id = keys.iter().find_map(|key| value.get(&[key]).and_then(Json::name));
        let query = match id {
            Some(id) => id,
            None if is_key => {
                let what = "This record has no session_id.".to_owned();
                return Err((what, "Give it the id of its question."));
            }
            None => format!("{}:{number}", from.name),
        };
        let domain = if is_key && from.shape == Shape::Json && !value.has(&DOMAINS) {
            Domain::OfFile(domain_of(from.file))
        } else {
            Domain::Written(value.get(&DOMAINS).and_then(Json::name).unwrap_or_default())
        };
        let direct = self.direct(from, problems);
        let scores = self.scores(from, problems);
        let (winner, sign) = self.result(from, direct, scores, problems)?;
        Ok(Named { first, second, query, domain, is_key, winner, sign, direct, scores })
    }

    /// What is written counts most, then the scores, then the verdicts.
    fn result(
        &self,
        from: Source<'_>,
        direct: Option<BothSeats>,
        scores: Option<(f64, f64)>,
        problems: &mut Problems,
    ) -> Result<(Option<Winner>, Sign), Flaw> {
        let by_scores = scores.map(|(own, other)| {
            if own < other {
                Winner::Second
            } else if other < own {
                Winner::First
            } else {
                Winner::Tie
            }
        });
        let written = match self.value.get(&WINNER) {
            None => Written::Open,
            Some(Json::Text(word)) => read_winner(word.as_bytes()),
            Some(_) => Written::Unknown,
        };
        match written {
            Written::Won(winner) => {
                if by_scores.is_some_and(|by_scores| by_scores != winner) {
                    let what = "The winner of this record is not the one with the larger score. The \
                                winner counts.";
                    let cure = "Find out which of them is right, and mend the other.";
                    problems.report(from.file, self.place, what, cure);
                }
                return Ok((Some(winner), Sign::Result));
            }
            Written::Open => {}
            Written::Unknown => {
                let shown = match self.value.get(&WINNER) {
                    Some(Json::Text(word)) => format!("\"{}\"", excerpt(word)),
                    other => other.map_or("null", Json::kind).to_owned(),
                };
                return Err((format!("No winner is written {shown}."), WINNER_CURE));
            }
        }
        if by_scores.is_some() {
            return Ok((by_scores, Sign::Result));
        }
        // A record without the key has lost a verdict; a table without the column never had one.
        let one_seat = from.shape == Shape::Table && !self.value.has(&SWAPPED);
        Ok(match direct {
            Some((Some(own), Some(other))) => (Some(of_both(own, other)), Sign::BothSeats),
            Some((Some(only), None)) if one_seat => (Some(only), Sign::OneSeat),
            _ => (None, Sign::Nothing),
        })
    }

    fn direct(&self, from: Source<'_>, problems: &mut Problems) -> Option<BothSeats> {
        let both = (self.verdict(&JUDGE, from, problems), self.verdict(&SWAPPED, from, problems));
        (both != (None, None)).then_some(both)
    }

    fn verdict(
        &self,
        key: &[&str; 1],
        from: Source<'_>,
        problems: &mut Problems,
    ) -> Option<Winner> {
        let value = self.value.get(key)?;
        let written = value.text().map_or(Written::Unknown, |word| read_winner(word.as_bytes()));
        match written {
            Written::Won(winner) => return Some(winner),
            Written::Open => return None,
            Written::Unknown => {}
        }
        let shown = value.text().map_or_else(|| value.kind().to_owned(), excerpt);
        let what = format!("No verdict is written \"{shown}\". It counts as missing.");
        problems.report(from.file, self.place, what, "Write A, B or tie.");
        None
    }

    /// Both, or none: one alone decides nothing.
    fn scores(&self, from: Source<'_>, problems: &mut Problems) -> Option<(f64, f64)> {
        let [first, second] = SCORES.map(|key| self.value.get(&[key]));
        let found = (first.and_then(number), second.and_then(number));
        if let (Some(first), Some(second)) = found {
            return Some((first, second));
        }
        if first.is_some() || second.is_some() {
            let what =
                "This record does not have two scores that are numbers. They count as missing.";
            problems.report(from.file, self.place, what, "Write both scores as numbers.");
        }
        None
    }
}

/// The side that is ahead over both verdicts.
fn of_both(one: Winner, other: Winner) -> Winner {
    match (one, other) {
        (Winner::First, Winner::Second) | (Winner::Second, Winner::First) => Winner::Tie,
        (Winner::Tie, verdict) | (verdict, _) => verdict,
    }
}

fn number(value: &Json) -> Option<f64> {
    let number = match value {
        Json::Int(number) => *number as f64,
        Json::Float(number) => *number,
        Json::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The domain that a file is called by, as ResearchQA writes it where it is one of its own.
fn domain_of(file: &str) -> String {
    let stem = names::stem(file);
    let known = KNOWN_DOMAINS.into_iter().find(|known| letters(known) == letters(&stem));
    known.map_or(stem, str::to_owned)
}

/// What is left of a name however it was made fit for a file.
fn letters(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word != "and").collect()
}
