//! Several judges side by side, in words and tables.

use serde::{Deserialize, Serialize};

use crate::metrics::panel::{Panel, PanelFigure};
use crate::protocol::Reading;
use crate::report::block::{self, Block, Table};
use crate::report::number::{self, NONE, counted, fixed};
use crate::report::spend;
use crate::run::spend::Spent;

/// The runs of a panel, one a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PanelRuns {
    pub runs: Vec<PanelRun>,
    pub panel: Panel,
}

/// One run of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PanelRun {
    pub id: String,
    pub name: String,
    /// What it has cost, line by line.
    pub spent: Vec<Spent>,
}

/// All of it, in the order a reader needs it.
pub fn blocks(runs: &PanelRuns) -> Vec<Block> {
    let found = &runs.panel;
    let names = names(runs);
    let mut out = vec![Block::Text(format!(
        "{} over {} and {} that all of them were given, found by content. Reading: {}.",
        counted(names.len() as u64, "judge", "judges"),
        counted(found.queries, "query", "queries"),
        counted(found.answers, "answer", "answers"),
        found.reading.as_str()
    ))];
    if found.judges.iter().any(|it| it.practice) {
        out.push(Block::Warning(
            "Practice.".to_owned(),
            "The practice judge counts shared words. What is said of it here says nothing of any judge."
                .to_owned(),
        ));
    }
    if !found.complete {
        out.push(Block::Warning(
            "Interim.".to_owned(),
            "Not everything planned has come back, so intervals of coverage are left out."
                .to_owned(),
        ));
    }
    out.push(Block::Heading("Agreement of each two".to_owned()));
    out.push(Block::Table(pairs(found, &names)));
    out.push(Block::Text(
        "Same label: of the items scored by both. κ: Cohen’s, with quadratic weights; 1 is perfect, 0 is what \
         the two frequencies of labels give by chance. Pearson: correlation of answers’ coverage over the \
         items scored by both; a judge that is always stricter by as much still has 1. Intervals: 95%, over \
         resampled queries."
            .to_owned(),
    ));
    out.push(Block::Heading("Coverage by each judge and by the panel".to_owned()));
    out.push(Block::Table(figures(found, &names)));
    out.push(Block::Text(format!(
        "Majority: the label that more than half of all judges gave, those without a verdict included; {} of \
         {} have one, and the others are unscored. Mean: of what judges gave an item, where at least half of \
         them scored it. {} Items are those of answers that all judges were given.",
        found.with_majority,
        counted(found.items, "item", "items"),
        match found.reading {
            Reading::Recommended => "Missing and empty answers count 0.",
            Reading::Paper | Reading::Released => "Missing and empty answers are left out.",
        }
    )));
    out.push(Block::Heading("Costs".to_owned()));
    out.push(Block::Table(costs(runs, &names)));
    out.push(Block::Text(
        "Of each whole run. A call whose reply another run had paid for is not in it. Without prices no cost \
         is known; calls made in batches need prices of their own."
            .to_owned(),
    ));
    out.extend(apart(found));
    out
}

/// A judge’s name, with its run’s where two have one name.
fn names(runs: &PanelRuns) -> Vec<String> {
    let judges = &runs.panel.judges;
    let is_shared = |name: &str| 1 < judges.iter().filter(|it| it.name == name).count();
    judges
        .iter()
        .zip(&runs.runs)
        .map(|(judge, run)| {
            if is_shared(&judge.name) {
                format!("{} ({})", judge.name, run.name)
            } else {
                judge.name.clone()
            }
        })
        .collect()
}

fn pairs(found: &Panel, names: &[String]) -> Table {
    let mut table = Table::new(
        "Agreement of judges",
        2,
        &["Judge", "And", "Items", "Same label %", "κ", "Answers", "Pearson"],
    );
    table.rows = found
        .pairs
        .iter()
        .map(|it| {
            vec![
                names[it.a].clone(),
                names[it.b].clone(),
                it.items.to_string(),
                block::share(it.same),
                block::coefficient(it.kappa),
                it.answers.to_string(),
                block::coefficient(it.pearson),
            ]
        })
        .collect();
    table
}

fn figures(found: &Panel, names: &[String]) -> Table {
    let mut table = Table::new(
        "Coverage by judge",
        2,
        &["System", "Judge", "Coverage %", "95%", "Queries", "Items", "Scored"],
    );
    for system in &found.systems {
        let judges = names.iter().map(String::as_str).zip(&system.judges);
        let panel = [("Majority", &system.majority), ("Mean", &system.mean)];
        for (name, figure) in judges.chain(panel) {
            table.rows.push(row(&system.name, name, figure, found.complete));
        }
    }
    table
}

fn row(system: &str, judge: &str, it: &PanelFigure, complete: bool) -> Vec<String> {
    let bounds = it.bounds.filter(|_| complete);
    vec![
        system.to_owned(),
        judge.to_owned(),
        number::or_none(it.mean, number::percent1),
        bounds.map_or_else(|| NONE.to_owned(), |(low, high)| number::interval(low, high)),
        it.n.to_string(),
        it.asked.to_string(),
        it.scored.to_string(),
    ]
}

fn costs(runs: &PanelRuns, names: &[String]) -> Table {
    let mut table = Table::new(
        "Cost by judge",
        1,
        &["Judge", "Attempts", "Not counted", "Tokens in", "Tokens out", "Cost (USD)"],
    );
    table.rows = names
        .iter()
        .zip(&runs.runs)
        .map(|(name, run)| {
            let all = spend::total(&run.spent);
            vec![
                name.clone(),
                fixed(all.attempts, 0),
                fixed(all.uncounted, 0),
                fixed(all.tokens_in, 0),
                fixed(all.tokens_out, 0),
                // Nothing spent is nothing known: a sum over no lines would be a cost of 0.
                all.dollars
                    .filter(|_| !run.spent.is_empty())
                    .map_or_else(|| NONE.to_owned(), |it| fixed(it, 4)),
            ]
        })
        .collect();
    table
}

/// What is not in all runs.
fn apart(found: &Panel) -> Option<Block> {
    let it = &found.left_out;
    let parts: Vec<String> = [
        (it.queries, "query", "queries"),
        (it.systems, "system", "systems"),
        (it.answers, "answer", "answers"),
    ]
    .into_iter()
    .filter(|(n, _, _)| 0 < *n)
    .map(|(n, one, more)| counted(n, one, more))
    .collect();
    (!parts.is_empty()).then(|| {
        Block::Text(format!(
            "Left out, because not all runs have them alike: {}. A panel is best made of runs with the same \
             questions, seed and answers.",
            parts.join(", ")
        ))
    })
}
