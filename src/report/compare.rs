//! Two runs side by side, in words and tables.

use serde::{Deserialize, Serialize};

use crate::metrics::compare::{Agreement, Apart, Comparison, Offset};
use crate::report::block::{self, Block, Table};
use crate::report::number::{self, NONE, counted};
use crate::rubric::Label;

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRuns {
    pub a: ComparedRun,
    pub b: ComparedRun,
    /// What is set differently, in words. Empty where only the answers or the queries differ.
    pub settings: Vec<SettingLine>,
    pub comparison: Comparison,
}

/// One of two runs that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRun {
    pub id: String,
    pub name: String,
    /// UTC, milliseconds since the epoch.
    pub created: f64,
    /// The run whose answers this one judged again, where it did.
    pub bridge: Option<String>,
}

/// Something that two runs have set differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingLine {
    pub what: String,
    pub a: String,
    pub b: String,
}

/// All of it, in the order a reader needs it.
pub fn blocks(runs: &ComparedRuns) -> Vec<Block> {
    let found = &runs.comparison;
    let mut out = vec![Block::Text(format!(
        "A is {} and B is {}. They have {} in common, with the same checklist; only answers with the very same \
         text are compared. Reading: {}.",
        runs.a.name,
        runs.b.name,
        counted(found.queries_both, "query", "queries"),
        found.reading.as_str()
    ))];
    if runs.b.bridge.as_ref() == Some(&runs.a.id) {
        out.push(Block::Text(format!(
            "B is a bridge: it judged a sample of A’s answers again, {} of {} queries.",
            found.queries_b, found.queries_a
        )));
    }
    if found.judge_a.practice || found.judge_b.practice {
        out.push(Block::Warning(
            "Practice.".to_owned(),
            "The practice judge counts shared words. What is said of it here says nothing of any judge."
                .to_owned(),
        ));
    }
    if !found.complete {
        out.push(Block::Warning(
            "Interim.".to_owned(),
            "Not everything planned has come back, so intervals of differences are left out."
                .to_owned(),
        ));
    }
    out.push(settings(runs));
    out.push(Block::Table(agreements(runs)));
    out.push(Block::Text(
        "B − A: points of coverage, mean over answers, with a 95% interval that lets the answers to one query \
         go together. Coverage is over the items scored in both. Same label: of the items scored in both. κ: \
         Cohen’s, with quadratic weights; 1 is perfect, 0 is what the two frequencies of labels give by \
         chance. Most frequent label: the agreement that always giving A’s most frequent label would reach. \
         Intervals of shares and κ: over resampled queries."
            .to_owned(),
    ));
    if 0 < found.overall.scored {
        out.push(Block::Table(confusion(&found.overall)));
    }
    out.extend(apart(&found.left_out));
    out
}

fn settings(runs: &ComparedRuns) -> Block {
    if runs.settings.is_empty() {
        return Block::Text("Both are set the same.".to_owned());
    }
    let mut table = Table::new("Settings that differ", 3, &["Setting", "A", "B"]);
    table.rows =
        runs.settings.iter().map(|it| vec![it.what.clone(), it.a.clone(), it.b.clone()]).collect();
    Block::Table(table)
}

fn agreements(runs: &ComparedRuns) -> Table {
    let found = &runs.comparison;
    let mut table = Table::new(
        "Agreement",
        1,
        &[
            "System",
            "Queries",
            "Items",
            "Scored in A",
            "Scored in B",
            "In both",
            "A %",
            "B %",
            "B − A",
            "Same label %",
            "κ",
            "Most frequent label %",
        ],
    );
    for it in &found.systems {
        let name = if it.name_a == it.name_b {
            it.name_a.clone()
        } else {
            format!("{} (in B: {})", it.name_a, it.name_b)
        };
        table.rows.push(row(name, &it.agreement, found.complete));
    }
    if 1 < found.systems.len() {
        table.rows.push(row("All".to_owned(), &found.overall, found.complete));
    }
    table
}

fn row(name: String, it: &Agreement, complete: bool) -> Vec<String> {
    vec![
        name,
        it.queries.to_string(),
        it.items.to_string(),
        it.tally_a.scored.to_string(),
        it.tally_b.scored.to_string(),
        it.scored.to_string(),
        number::or_none(it.coverage_a, number::percent1),
        number::or_none(it.coverage_b, number::percent1),
        it.offset.map_or_else(|| NONE.to_owned(), |offset| moved(offset, complete)),
        block::share(it.same),
        block::coefficient(it.kappa),
        number::or_none(it.majority.map(|it| it.share), number::percent1),
    ]
}

fn moved(offset: Offset, complete: bool) -> String {
    let mean = number::points(offset.mean);
    match offset.bounds.filter(|_| complete) {
        Some((low, high)) => format!("{mean} ({})", number::points_interval(low, high)),
        None => mean,
    }
}

fn confusion(it: &Agreement) -> Table {
    let mut head = vec!["A, down; B, across"];
    head.extend(Label::ALL.iter().map(|label| label.as_str()));
    let mut table = Table::new("Labels of both", 1, &head);
    table.rows = Label::ALL
        .iter()
        .zip(it.confusion)
        .map(|(label, cells)| {
            let cells = cells.iter().map(u64::to_string);
            std::iter::once(label.as_str().to_owned()).chain(cells).collect()
        })
        .collect();
    table
}

/// What has no counterpart, and why it is left out.
fn apart(it: &Apart) -> Option<Block> {
    let mut parts = Vec::new();
    let mut told = |n: u64, one: &str, more: &str| {
        if 0 < n {
            parts.push(counted(n, one, more));
        }
    };
    told(it.queries_a, "query in A alone", "queries in A alone");
    told(it.queries_b, "query in B alone", "queries in B alone");
    told(it.other_items, "query with another checklist", "queries with another checklist");
    told(it.other_answers, "answer with another text", "answers with another text");
    told(it.answers_a, "answer in A alone", "answers in A alone");
    told(it.answers_b, "answer in B alone", "answers in B alone");
    let systems = [(&it.systems_a, "A"), (&it.systems_b, "B")];
    for (names, run) in systems.into_iter().filter(|(names, _)| !names.is_empty()) {
        parts.push(format!("of the systems in {run} alone: {}", names.join(", ")));
    }
    (!parts.is_empty()).then(|| Block::Text(format!("Left out: {}.", parts.join("; "))))
}
