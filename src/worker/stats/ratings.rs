//! Battles that the statistics worker keeps, and leaderboards of them. Pure.

use std::ops::ControlFlow;

use crate::dataset::Blob;
use crate::dataset::battles::{BothSeats, read_battles};
use crate::metrics::leaderboard::FieldRatings;
use crate::metrics::{self, Decider, Leaderboard, RatingView};
use crate::rating::Tournament;
use crate::report::battles::{self, BattlesError, Details};
use crate::run::Sheet;
use crate::worker::{BattlesFormat, BattlesView, Notice, RunBattles};

/// Battles, and what is known of them beside their results.
#[derive(Clone, Debug, Default)]
pub struct Contest {
    tournament: Tournament,
    /// Direct verdicts and scores, as long as the battles, or empty.
    direct: Vec<Option<BothSeats>>,
    scores: Vec<Option<(f64, f64)>>,
    /// Of each query, where it is known.
    fields: Vec<String>,
    pub view: BattlesView,
}

impl Contest {
    fn of(tournament: Tournament) -> Self {
        let view = BattlesView {
            systems: tournament.systems.clone(),
            domains: tournament.strata.iter().filter(|it| !it.is_empty()).cloned().collect(),
            battles: tournament.battles.len() as u64,
            undecided: tournament.undecided.len() as u64,
            ..BattlesView::default()
        };
        Self { tournament, view, ..Self::default() }
    }

    /// The battles of a run, decided as wished or else by the best there is. `None` where there are none.
    pub fn of_run(sheet: &Sheet, wished: Option<Decider>) -> Option<Self> {
        let deciders = Decider::of(sheet);
        let decider = wished.filter(|it| deciders.contains(it)).or(deciders.first().copied())?;
        let tournament = metrics::tournament(sheet, decider);
        let verdicts: std::collections::HashMap<(u32, u32, u32), BothSeats> = sheet
            .battles
            .iter()
            .map(|it| {
                let key = (it.battle.case, it.battle.first, it.battle.second);
                (key, (it.given.verdict(), it.swapped.verdict()))
            })
            .collect();
        let direct = if sheet.duel.is_some() {
            let battles = tournament.battles.iter();
            battles.map(|it| verdicts.get(&(it.query, it.first, it.second)).copied()).collect()
        } else {
            Vec::new()
        };
        let fields = sheet.frame.cases.iter().map(|case| case.field.clone()).collect();
        let mut contest = Self { direct, fields, ..Self::of(tournament) };
        contest.view.run = Some(RunBattles {
            deciders: deciders.iter().map(|it| (*it, it.words(sheet.reading))).collect(),
            decider,
            duel: sheet.duel.clone(),
            seats: metrics::seats(sheet),
            disagreement: metrics::disagreement(sheet),
            practice: sheet.judge.practice,
            complete: sheet.complete,
        });
        Some(contest)
    }

    /// All battles of files, systems of one name being one. One unreadable file never costs the others.
    pub fn of_files(files: &[(String, Blob)]) -> Result<Self, Notice> {
        let (read, problems) = read_battles(files);
        if read.tournament.battles.is_empty() && read.tournament.undecided.is_empty() {
            let why = problems.list().first().map_or_else(
                || "There is no line with a battle.".to_owned(),
                |it| format!("{}: {}", it.file, it.what),
            );
            return Err(Notice::new(
                "No battles could be read",
                why,
                "Bring CSV or JSON with model_a, model_b and winner, with left, right and winner, or pairwise results of ResearchQA.",
            ));
        }
        let mut notes: Vec<String> = read
            .files
            .iter()
            .map(|file| format!("{}: {}, {} read.", file.name, file.format.words(), file.rows))
            .collect();
        notes.extend(read.notes);
        let mut contest =
            Self { direct: read.direct, scores: read.scores, ..Self::of(read.tournament) };
        contest.view.problems = problems;
        contest.view.notes = notes;
        Ok(contest)
    }

    /// Ratings, or what stands in their way. `progress` hears how many resamples of how many are done.
    pub fn board(
        &self,
        view: &RatingView,
        mut progress: impl FnMut(u64, u64),
    ) -> Option<Leaderboard> {
        let board = metrics::leaderboard(&self.tournament, view, |done, of| {
            progress(done as u64, of as u64);
            ControlFlow::Continue(())
        })?;
        let is_final = self.view.run.as_ref().is_none_or(|run| run.complete);
        Some(if is_final { board } else { board.interim() })
    }

    /// Ratings of each field, which nobody should read much into.
    pub fn by_field(&self) -> FieldRatings {
        metrics::exploratory_by_field(&self.tournament, &self.fields)
    }

    /// The battles as a file, and a word on what is not in it.
    pub fn export(&self, format: BattlesFormat) -> Result<(String, Option<String>), Notice> {
        let left_out = |n: u64| {
            (0 < n).then(|| {
                format!("Undecided battles are not in this file, as it has no place for them: {n}.")
            })
        };
        match format {
            BattlesFormat::Reference => {
                let details = Details { direct: &self.direct, scores: &self.scores, texts: None };
                let written = battles::reference_json(&self.tournament, &details)
                    .map_err(|error| unwritable(&error))?;
                let note = (0 < written.without_verdicts).then(|| {
                    format!(
                        "Battles that no direct judge decided have null verdicts: {}.",
                        written.without_verdicts
                    )
                });
                Ok((written.json, note))
            }
            BattlesFormat::Arena => {
                let written = battles::arena_csv(&self.tournament);
                Ok((written.text, left_out(written.left_out)))
            }
            BattlesFormat::Evalica => {
                let written = battles::evalica_csv(&self.tournament);
                Ok((written.text, left_out(written.left_out)))
            }
        }
    }
}

fn unwritable(error: &BattlesError) -> Notice {
    let BattlesError::Unwritable(why) = error;
    Notice::new("The battles were not written", why.clone(), "Take one of the CSV files instead.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_joined_by_names_of_systems() {
        let file = |name: &str, text: &str| (name.to_owned(), Blob::from(text.as_bytes().to_vec()));
        let files = [
            file("one.csv", "model_a,model_b,winner\na,b,model_a\nb,a,nobody\n"),
            file("other.csv", "left,right,winner\nb,c,tie\n"),
            file("x", "a,b\n"),
        ];
        let found = Contest::of_files(&files).unwrap();
        assert_eq!(found.view.systems, ["a", "b", "c"]);
        assert_eq!((found.view.battles, found.view.undecided), (2, 0));
        assert_eq!(found.view.problems.total(), 2);
        assert!(Contest::of_files(&files[2..]).is_err());
        let (text, note) = found.export(BattlesFormat::Evalica).unwrap();
        assert!(text.contains("b,c,tie") && note.is_none(), "{text}");
    }
}
