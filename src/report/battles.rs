//! Battles to hand out: as ResearchQA's pairwise results, as votes of an arena, as evalica's table.
//!
//! Names come from other people's files, so that tables guard them against spreadsheets. What is written
//! here is read back as the same battles.

use csv::{Terminator, WriterBuilder};
use serde::Serialize;
use thiserror::Error;

use crate::rating::{Battle, Tournament, Winner};

/// Verdicts in the given order of seats and in the other, both from the view of the battle's first side.
pub type BothSeats = (Option<Winner>, Option<Winner>);

/// What is known about battles beyond their results. Slices go with the battles; they may be shorter.
#[derive(Clone, Copy, Default)]
pub struct Details<'d> {
    pub direct: &'d [Option<BothSeats>],
    /// Ensemble scores of the first and the second side.
    pub scores: &'d [Option<(f64, f64)>],
    pub texts: Option<&'d dyn Texts>,
}

/// Questions and answers, by the numbers of a tournament.
pub trait Texts {
    fn query(&self, query: u32) -> Option<&str>;
    fn answer(&self, system: u32, query: u32) -> Option<&str>;
}

/// A file, and what is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BattlesExport {
    pub text: String,
    /// Undecided battles, for which the format has no word.
    pub left_out: u64,
}

/// Pairwise results, and what a program that reads them should be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairwiseExport {
    pub json: String,
    /// Battles without both verdicts of a direct judge, which ResearchQA's notebook does not accept.
    /// Undecided ones are among them.
    pub without_verdicts: u64,
    /// Battles of one pair over one query beyond the first. Of these a reader keeps the last.
    pub repeated: u64,
}

/// Why no file is handed out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BattlesError {
    #[error("The file could not be written: {0}")]
    Unwritable(String),
}

/// ResearchQA's pairwise results as one list. Side A is the name that comes first in the alphabet, as in its
/// own files. Undecided battles have no verdict and no winner.
pub fn reference_json(
    tournament: &Tournament,
    details: &Details<'_>,
) -> Result<PairwiseExport, BattlesError> {
    write_json(&pairwise(tournament, details))
}

/// The same in a file for each domain, called as ResearchQA calls it: name and content.
pub fn reference_files(
    tournament: &Tournament,
    details: &Details<'_>,
) -> Result<Vec<(String, PairwiseExport)>, BattlesError> {
    let all = pairwise(tournament, details);
    let mut files: Vec<(String, PairwiseExport)> = Vec::new();
    for domain in &tournament.strata {
        let part: Vec<_> = all.iter().filter(|row| row.general_domain == domain).cloned().collect();
        if part.is_empty() {
            continue;
        }
        let slug = slug(domain);
        let same = files.iter().filter(|(name, _)| name.starts_with(&slug)).count();
        let number = if same == 0 { String::new() } else { format!("_{}", same + 1) };
        files.push((format!("{slug}{number}.json"), write_json(&part)?));
    }
    Ok(files)
}

/// `question_id,model_a,model_b,winner,domain`, as arenas publish votes.
pub fn arena_csv(tournament: &Tournament) -> BattlesExport {
    let rows = tournament.battles.iter().map(|battle| {
        let [first, second, query, domain] = names(tournament, battle);
        let winner = match battle.winner {
            Winner::First => "model_a",
            Winner::Second => "model_b",
            Winner::Tie => "tie",
        };
        [query, first, second, winner.to_owned(), domain]
    });
    table(tournament, ["question_id", "model_a", "model_b", "winner", "domain"], rows)
}

/// `left,right,winner,id`, as evalica reads battles.
pub fn evalica_csv(tournament: &Tournament) -> BattlesExport {
    let rows = tournament.battles.iter().map(|battle| {
        let [first, second, query, _] = names(tournament, battle);
        let winner = match battle.winner {
            Winner::First => "left",
            Winner::Second => "right",
            Winner::Tie => "tie",
        };
        [first, second, winner.to_owned(), query]
    });
    table(tournament, ["left", "right", "winner", "id"], rows)
}

/// Both names, the query and the domain of a battle, fit for a table.
fn names(tournament: &Tournament, battle: &Battle) -> [String; 4] {
    let Battle { first, second, query, stratum, .. } = *battle;
    [
        name(&tournament.systems, first),
        name(&tournament.systems, second),
        name(&tournament.queries, query),
        name(&tournament.strata, stratum),
    ]
    .map(guarded)
}

/// With an apostrophe where a spreadsheet would run the cell, or where one would be mistaken for a guard.
/// Whoever reads the table takes it off again.
fn guarded(cell: &str) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

fn table<const N: usize>(
    tournament: &Tournament,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> BattlesExport {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory cannot fail.
    writer.write_record(head).ok();
    for row in rows {
        writer.write_record(row).ok();
    }
    let text = String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default();
    BattlesExport { text, left_out: tournament.undecided.len() as u64 }
}

#[derive(Clone, Serialize)]
struct Pairwise<'t> {
    session_id: &'t str,
    general_domain: &'t str,
    #[serde(rename = "implementation_A")]
    first: &'t str,
    #[serde(rename = "implementation_B")]
    second: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'t str>,
    #[serde(rename = "response_A", skip_serializing_if = "Option::is_none")]
    first_answer: Option<&'t str>,
    #[serde(rename = "response_B", skip_serializing_if = "Option::is_none")]
    second_answer: Option<&'t str>,
    judge: Option<&'static str>,
    judge_swapped: Option<&'static str>,
    #[serde(rename = "score_A", skip_serializing_if = "Option::is_none")]
    first_score: Option<f64>,
    #[serde(rename = "score_B", skip_serializing_if = "Option::is_none")]
    second_score: Option<f64>,
    winner: Option<&'static str>,
}

/// A battle before it has words: sides by number.
struct Sides {
    first: u32,
    second: u32,
    query: u32,
    stratum: u32,
    winner: Option<Winner>,
    direct: BothSeats,
    scores: Option<(f64, f64)>,
}

impl Sides {
    fn swapped(self) -> Self {
        let turn = |winner: Option<Winner>| winner.map(Winner::swapped);
        Self {
            first: self.second,
            second: self.first,
            winner: turn(self.winner),
            direct: (turn(self.direct.0), turn(self.direct.1)),
            scores: self.scores.map(|(first, second)| (second, first)),
            ..self
        }
    }
}

fn pairwise<'t>(tournament: &'t Tournament, details: &Details<'t>) -> Vec<Pairwise<'t>> {
    let decided = tournament.battles.iter().enumerate().map(|(at, battle)| Sides {
        first: battle.first,
        second: battle.second,
        query: battle.query,
        stratum: battle.stratum,
        winner: Some(battle.winner),
        direct: details.direct.get(at).copied().flatten().unwrap_or_default(),
        scores: details.scores.get(at).copied().flatten(),
    });
    let open = tournament.undecided.iter().map(|open| Sides {
        first: open.first,
        second: open.second,
        query: open.query,
        stratum: open.stratum,
        winner: None,
        direct: (None, None),
        scores: None,
    });
    let alphabetical = |sides: Sides| {
        let in_order =
            name(&tournament.systems, sides.first) <= name(&tournament.systems, sides.second);
        if in_order { sides } else { sides.swapped() }
    };
    decided.chain(open).map(alphabetical).map(|sides| row(tournament, details, &sides)).collect()
}

fn row<'t>(tournament: &'t Tournament, details: &Details<'t>, sides: &Sides) -> Pairwise<'t> {
    let answer = |system| details.texts?.answer(system, sides.query);
    let side = |winner: Option<Winner>| {
        winner.map(|winner| match winner {
            Winner::First => "A",
            Winner::Second => "B",
            Winner::Tie => "tie",
        })
    };
    Pairwise {
        session_id: name(&tournament.queries, sides.query),
        general_domain: name(&tournament.strata, sides.stratum),
        first: name(&tournament.systems, sides.first),
        second: name(&tournament.systems, sides.second),
        query: details.texts.and_then(|texts| texts.query(sides.query)),
        first_answer: answer(sides.first),
        second_answer: answer(sides.second),
        judge: side(sides.direct.0),
        judge_swapped: side(sides.direct.1),
        first_score: sides.scores.map(|(first, _)| first),
        second_score: sides.scores.map(|(_, second)| second),
        winner: sides.winner.map(|winner| match winner {
            Winner::First => "win",
            Winner::Second => "lose",
            Winner::Tie => "tie",
        }),
    }
}

fn write_json(rows: &[Pairwise<'_>]) -> Result<PairwiseExport, BattlesError> {
    let json = serde_json::to_string_pretty(rows)
        .map_err(|error| BattlesError::Unwritable(error.to_string()))?;
    let lacks = |row: &&Pairwise<'_>| row.judge.is_none() || row.judge_swapped.is_none();
    let mut keys: Vec<_> = rows.iter().map(|row| (row.session_id, row.first, row.second)).collect();
    keys.sort_unstable();
    keys.dedup();
    Ok(PairwiseExport {
        json,
        without_verdicts: rows.iter().filter(lacks).count() as u64,
        repeated: (rows.len() - keys.len()) as u64,
    })
}

fn name(names: &[String], number: u32) -> &str {
    names.get(number as usize).map_or("", String::as_str)
}

/// Words in small letters, with an underscore between them.
fn slug(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { "unnamed".to_owned() } else { words.join("_") }
}
