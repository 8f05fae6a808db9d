//! Battles that the statistics worker keeps, and leaderboards of them. Pure.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::dataset::{Place, Problem, Problems};
use crate::metrics::{self, Leaderboard, RatingView};
use crate::rating::Battle;
use crate::rating::Tournament;
use crate::rating::ingest::{Ingested, read_battles};
use crate::worker::{BattlesView, Notice};

/// What a page must know to show choices.
pub fn about(tournament: &Tournament, problems: Problems) -> BattlesView {
    BattlesView {
        systems: tournament.systems.clone(),
        domains: tournament.strata.iter().filter(|it| !it.is_empty()).cloned().collect(),
        battles: tournament.battles.len() as u64,
        undecided: tournament.undecided.len() as u64,
        problems,
    }
}

/// Ratings, or what stands in their way. `progress` hears how many resamples of how many are done.
pub fn board(
    tournament: &Tournament,
    view: &RatingView,
    mut progress: impl FnMut(u64, u64),
) -> Option<Leaderboard> {
    metrics::leaderboard(tournament, view, |done, of| {
        progress(done as u64, of as u64);
        ControlFlow::Continue(())
    })
}

/// All battles of CSV files, systems of one name being one. Queries of different files are different ones,
/// as a file need not name them. One unreadable file never costs the others.
pub fn battles_from_files(files: &[(&str, &[u8])]) -> Result<(Tournament, Problems), Notice> {
    let mut tournament = Tournament { strata: vec![String::new()], ..Tournament::default() };
    let mut problems = Problems::default();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for (name, bytes) in files {
        match read_battles(bytes) {
            Ok(read) => {
                report(name, &read, &mut problems);
                add(read, &mut tournament, &mut numbers);
            }
            Err(error) => problems.push(Problem {
                file: (*name).to_owned(),
                place: Place::File,
                what: format!("No battles were read: {error}."),
                cure: "Bring a CSV file whose first line names them.".to_owned(),
            }),
        }
    }
    if tournament.battles.is_empty() {
        let why = problems.list().first().map_or_else(
            || "There is no line with a battle.".to_owned(),
            |it| format!("{}: {}", it.file, it.what),
        );
        return Err(Notice::new(
            "No battles could be read",
            why,
            "Bring a CSV file with the columns model_a, model_b and winner, or left, right and winner.",
        ));
    }
    Ok((tournament, problems))
}

fn report<T>(name: &str, read: &Ingested<T>, problems: &mut Problems) {
    for it in &read.problems {
        problems.push(Problem {
            file: name.to_owned(),
            place: Place::Line(it.line),
            what: format!("Not counted: {}.", it.what),
            cure: "Mend the line and bring the file again.".to_owned(),
        });
    }
    let described = read.problems.len() as u64;
    if described < read.unread {
        problems.push(Problem {
            file: name.to_owned(),
            place: Place::File,
            what: format!("{} more lines are not counted either.", read.unread - described),
            cure: "Mend those above first.".to_owned(),
        });
    }
}

fn add(
    read: Ingested<Vec<Battle>>,
    tournament: &mut Tournament,
    numbers: &mut HashMap<String, u32>,
) {
    let places: Vec<u32> = read
        .systems
        .into_iter()
        .map(|name| {
            *numbers.entry(name).or_insert_with_key(|name| {
                tournament.systems.push(name.clone());
                tournament.systems.len() as u32 - 1
            })
        })
        .collect();
    let before = tournament.queries.len() as u32;
    let queries = read.data.iter().map(|it| it.query + 1).max().unwrap_or(0);
    tournament.queries.extend((0..queries).map(|at| (before + at).to_string()));
    tournament.battles.extend(read.data.into_iter().map(|it| Battle {
        first: places[it.first as usize],
        second: places[it.second as usize],
        query: before + it.query,
        ..it
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_joined_by_names_of_systems() {
        let one = "model_a,model_b,winner\na,b,model_a\nb,a,nobody\n";
        let other = "left,right,winner\nb,c,tie\n";
        let files = [("one.csv", one.as_bytes()), ("other.csv", other.as_bytes()), ("x", b"a,b\n")];
        let (tournament, problems) = battles_from_files(&files).unwrap();
        assert_eq!(tournament.systems, ["a", "b", "c"]);
        let battles: Vec<_> =
            tournament.battles.iter().map(|it| (it.first, it.second, it.query)).collect();
        assert_eq!(battles, [(0, 1, 0), (1, 2, 1)]);
        assert_eq!(tournament.queries.len(), 2);
        assert_eq!(problems.total(), 2);
        assert!(battles_from_files(&files[2..]).unwrap_err().why.contains("no columns"));
        assert!(about(&tournament, problems).domains.is_empty());
    }
}
