//! What stands below and in the place of ratings: resamples, the grid, diagnostics, ratings by field, and what
//! battles say where no rating exists.

use crate::metrics::Mode;
use crate::metrics::leaderboard::{
    Diagnostics, FieldOutcome, FieldRating, FieldRatings, Grid, Group, Rated, Resampled, Withheld,
};
use crate::rating::{Limit, Pair};
use crate::report::block::Table;
use crate::report::number::{self, NONE, counted, fixed};
use crate::report::rating as words;
use crate::report::{Block, Span};

/// Groups shown one by one.
const MOST_GROUPS: usize = 30;

/// `Resamples by query`, with median, mean, spread and percentiles.
pub fn resamples(rated: &Rated) -> (String, Vec<Block>) {
    let (drawn, what) = match rated.mode {
        Mode::Recommended => (
            "by query",
            "Queries drawn with replacement, as many as each domain has, each with all its battles.",
        ),
        Mode::Paper => {
            ("by battle", "Single battles drawn with replacement, as if each were independent.")
        }
        Mode::Released => (
            "by doubled rows",
            "Every battle stands in the table twice, a tie as a win and a loss, and as many rows are drawn: \
             spreads come out too small by about √2.",
        ),
    };
    let head = ["System", "Median", "Mean", "Std", "2.5%", "97.5%", "First in %"];
    let mut table = Table::new("Resamples", 1, &head);
    table.rows = rated
        .rows
        .iter()
        .map(|row| {
            let figure = |pick: fn(&Resampled) -> Limit| {
                words::limit_or_none(row.resampled.as_ref().map(pick))
            };
            vec![
                row.name.clone(),
                figure(|it| it.median),
                figure(|it| it.mean),
                words::spread(row.resampled.map(|it| it.std)),
                figure(|it| it.low),
                figure(|it| it.high),
                number::or_none(row.first, number::percent1),
            ]
        })
        .collect();
    let foot = format!(
        "{what} {} resamples, seed {}; {} of them without a finite answer.",
        rated.rounds, rated.seed, rated.separated
    );
    (format!("Resamples {drawn}"), vec![Block::Table(table), Block::Text(foot)])
}

/// Wins, ties and losses of each against each.
pub fn grid(grid: &Grid) -> Vec<Block> {
    let mut head = vec!["Row against column"];
    head.extend(grid.names.iter().map(String::as_str));
    head.push("All");
    let mut table = Table::new("Wins, ties and losses", 1, &head);
    table.rows =
        grid.cells
            .iter()
            .enumerate()
            .map(|(row, cells)| {
                let mut line = vec![grid.names[row].clone()];
                line.extend(cells.iter().enumerate().map(|(column, pair)| {
                    if row == column { NONE.to_owned() } else { result(*pair) }
                }));
                line.push(result(all_of(cells)));
                line
            })
            .collect();
    let foot = "Wins–ties–losses of the row against the column.".to_owned();
    vec![Block::Table(table), Block::Text(foot)]
}

fn all_of(cells: &[Pair]) -> Pair {
    cells.iter().fold(Pair::default(), |sum, it| Pair {
        wins: sum.wins + it.wins,
        losses: sum.losses + it.losses,
        ties: sum.ties + it.ties,
    })
}

/// `2–0–1`: wins, ties, losses.
fn result(pair: Pair) -> String {
    format!("{}–{}–{}", pair.wins, pair.ties, pair.losses)
}

/// Other ways to read the same battles. Named as diagnostics, for that is all they are.
pub fn diagnostics(found: &Diagnostics) -> Vec<Block> {
    let head = ["System", "Maximum likelihood", "Davidson", "Online Elo"];
    let mut table = Table::new("Diagnostics", 1, &head);
    table.rows = found
        .rows
        .iter()
        .map(|row| {
            vec![
                row.name.clone(),
                words::rating(row.rating),
                number::or_none(row.davidson, words::rating),
                words::rating(row.online),
            ]
        })
        .collect();
    let ties = found.davidson.map_or_else(
        || "It has no likeliest answer here.".to_owned(),
        |it| {
            let tie = number::percent1(it.ties / (2.0 + it.ties));
            format!("Of 100 battles between equal systems it expects {tie} ties.")
        },
    );
    let foot = format!(
        "Beside the ratings, never in their place, and without intervals. Davidson: a tie is a result of its \
         own, not half a win; if its distances are far from those of the ratings, ties matter. {ties} Online \
         Elo: K = 4, from 1000, in the order of the file, on which it depends."
    );
    vec![Block::Table(table), Block::Text(foot)]
}

/// Reason, what can be said, the grid, the remedy.
pub fn gate(withheld: &Withheld) -> Vec<Block> {
    let mut out: Vec<Block> =
        words::gate_reasons(withheld).into_iter().map(|it| Block::Prose(plain(it))).collect();
    let strong = |text: &str| Span { text: text.to_owned(), strong: true };
    let weak = |text: String| Span { text, strong: false };
    out.push(Block::Prose(vec![
        strong("What can be said."),
        weak(
            " Systems that beat one another in a ring, or tied, can be rated among themselves. From the top:"
                .to_owned(),
        ),
    ]));
    let groups = &withheld.groups;
    let items = groups.iter().enumerate().take(MOST_GROUPS).map(|(at, group)| {
        let order = groups.get(at + 1).and_then(|next| words::order(group, next));
        let mut spans = vec![strong(&words::members(group))];
        spans.extend(inside(group).map(weak));
        spans.extend(order.map(|it| weak(format!(" {it}"))));
        spans
    });
    out.push(Block::Steps(items.collect()));
    let rest = groups.len().saturating_sub(MOST_GROUPS);
    if 0 < rest {
        out.push(Block::Prose(plain(format!("And {rest} more groups."))));
    }
    out.extend(withheld.grid.as_ref().map(grid).into_iter().flatten());
    out.push(Block::Prose(vec![
        strong("What would mend it."),
        weak(format!(" {}", words::repair(withheld))),
    ]));
    out.push(Block::Text(format!("{}.", words::amounts(&withheld.amounts))));
    out
}

fn plain(text: String) -> Vec<Span> {
    vec![Span { text, strong: false }]
}

/// Ratings among themselves. Nothing for a system alone.
fn inside(group: &Group) -> Option<String> {
    let ratings: Vec<String> = group
        .members
        .iter()
        .filter_map(|it| Some(format!("{} {}", it.name, fixed(it.rating?, 0))))
        .collect();
    (!ratings.is_empty()).then(|| format!(": among themselves {}.", ratings.join(", ")))
}

/// Ratings of each field, in the order of the data. `names`: of the systems, by number.
pub fn fields(ratings: &FieldRatings, names: &[String]) -> Vec<Block> {
    let mut head = vec!["Field", "Battles"];
    head.extend(names.iter().map(String::as_str));
    let mut table = Table::new("Exploratory ratings by field", 1, &head);
    table.rows = ratings
        .fields
        .iter()
        .map(|field| {
            let mut line = vec![field.field.clone(), field.battles.to_string()];
            line.extend(cells(field, names.len()));
            line
        })
        .collect();
    vec![Block::Text(about(ratings)), Block::Table(table)]
}

/// A rating with its error for each system, or why there is none.
fn cells(field: &FieldRating, n: usize) -> Vec<String> {
    match &field.outcome {
        FieldOutcome::Withheld { .. } => vec!["withheld".to_owned(); n],
        FieldOutcome::Rated { rows, .. } => (0..n)
            .map(|system| {
                let row = rows.iter().find(|row| row.system == system);
                row.map_or(NONE.to_owned(), |row| match row.standard_error {
                    Some(error) => format!("{} ± {}", fixed(row.rating, 0), fixed(error, 0)),
                    None => fixed(row.rating, 0),
                })
            })
            .collect(),
    }
}

fn about(ratings: &FieldRatings) -> String {
    let withheld = ratings
        .fields
        .iter()
        .filter(|field| matches!(field.outcome, FieldOutcome::Withheld { .. }))
        .count() as u64;
    let error = ratings.largest_error.map_or_else(
        || "No standard error can be stated.".to_owned(),
        |error| {
            format!("Rating ± standard error; the largest error is {} points.", fixed(error, 0))
        },
    );
    let withheld = if withheld == 0 {
        String::new()
    } else {
        format!(
            " Withheld, as battles do not connect all systems: {}.",
            counted(withheld, "field", "fields")
        )
    };
    format!(
        "{error}{withheld} In the order of the data: no field and no system is best or worst here."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::leaderboard::FieldRow;

    #[test]
    fn a_field_without_a_rating_says_so() {
        let field =
            |outcome| FieldRating { field: "F".to_owned(), battles: 4, queries: 2, outcome };
        let rated = FieldOutcome::Rated {
            rows: vec![FieldRow { system: 1, rating: 1040.4, standard_error: Some(61.2) }],
            no_spread: None,
        };
        assert_eq!(cells(&field(rated.clone()), 2), ["–", "1040 ± 61"]);
        let withheld = FieldOutcome::Withheld { missing: 1 };
        assert_eq!(cells(&field(withheld.clone()), 2), ["withheld", "withheld"]);
        let all =
            FieldRatings { fields: vec![field(rated), field(withheld)], largest_error: Some(61.2) };
        assert!(about(&all).contains("61 points") && about(&all).contains("1 field"));
    }
}
