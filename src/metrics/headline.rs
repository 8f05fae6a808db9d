//! The finding and its doubt: who leads, and whether that can be told.

use serde::{Deserialize, Serialize};

use crate::metrics::coverage::{CoverageRow, CoverageTable};
use crate::metrics::difference::{Difference, Finding};

/// What a coverage table says first. [`report::headline`](crate::report::headline) puts it into words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    pub standing: Standing,
    /// Word overlap, not a judgement.
    pub practice: bool,
    /// Whether the shares count missing answers as 0.
    pub all_asked: bool,
    /// The system with the highest main figure. `None` where nothing is ranked.
    pub leader: Option<Place>,
    /// The one after it.
    pub second: Option<Place>,
    /// Leader − second, on the queries where both have a value.
    pub contrast: Option<Contrast>,
    /// Systems after the second that cannot be told apart from the leader either.
    pub also_level: Vec<String>,
    /// Queries in the view.
    pub n_queries: u64,
    /// Why there is no result.
    pub reason: Option<String>,
}

/// Where the leader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No system has a figure.
    Nothing,
    /// The authors' code would have stopped.
    Aborted,
    /// The run goes on or was stopped early: figures, and no ranks.
    Interim,
    /// One system, so nothing to compare with.
    Alone,
    /// Higher than the second; the interval leaves out zero.
    Clear,
    /// Cannot be told apart from the second.
    Level,
    /// Ahead with missing answers at 0, clearly behind on the queries both answered.
    Crossed,
    /// Too few shared queries, or the pair was not compared.
    Untold,
}

/// A system and its main figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Index into the frame.
    pub system: usize,
    pub name: String,
    /// `0.0..=1.0`.
    pub share: f64,
    /// Ends of its 95 % t-interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Queries in it.
    pub n: u64,
}

/// A [`Difference`] turned so that it reads leader − second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// `-1.0..=1.0`.
    pub mean: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub n: u64,
    pub finding: Finding,
}

/// The system that [`headline`] would name first: the baseline to compute its differences from.
pub fn leader(table: &CoverageTable) -> Option<usize> {
    ranked(table).first().map(|place| place.system)
}

/// The finding of a table. `differences` should be taken from [`leader`] as their baseline; any list that
/// holds the first two as a pair will do.
pub fn headline(table: &CoverageTable, differences: &[Difference]) -> Headline {
    let mut found = Headline {
        standing: Standing::Nothing,
        practice: table.practice,
        all_asked: table.rows.iter().any(|row| row.all_asked.mean.is_some()),
        leader: None,
        second: None,
        contrast: None,
        also_level: Vec::new(),
        n_queries: table.n_queries,
        reason: table.aborted.clone(),
    };
    if table.aborted.is_some() {
        found.standing = Standing::Aborted;
        return found;
    }
    let mut places = ranked(table).into_iter();
    let Some(leader) = places.next() else { return found };
    if !table.complete {
        found.standing = Standing::Interim;
        return found;
    }
    let Some(second) = places.next() else {
        found.standing = Standing::Alone;
        found.leader = Some(leader);
        return found;
    };
    found.contrast = contrast(differences, leader.system, second.system);
    found.standing = match found.contrast.map(|contrast| contrast.finding) {
        Some(Finding::Higher) => Standing::Clear,
        Some(Finding::NoClearDifference) => Standing::Level,
        Some(Finding::Lower) => Standing::Crossed,
        Some(Finding::TooFew | Finding::Interim) | None => Standing::Untold,
    };
    found.also_level = places
        .filter(|place| {
            contrast(differences, leader.system, place.system)
                .is_some_and(|contrast| contrast.finding == Finding::NoClearDifference)
        })
        .map(|place| place.name)
        .collect();
    found.leader = Some(leader);
    found.second = Some(second);
    found
}

/// Highest first; equals stay in frame order.
fn ranked(table: &CoverageTable) -> Vec<Place> {
    let mut places: Vec<Place> = table.rows.iter().filter_map(|row| place(table, row)).collect();
    places.sort_by(|a, b| b.share.total_cmp(&a.share));
    places
}

fn place(table: &CoverageTable, row: &CoverageRow) -> Option<Place> {
    let figure = row.main(table.reading);
    Some(Place {
        system: row.system,
        name: row.name.clone(),
        share: figure.mean?,
        low: figure.low,
        high: figure.high,
        n: figure.n,
    })
}

fn contrast(differences: &[Difference], first: usize, second: usize) -> Option<Contrast> {
    differences.iter().find_map(|gap| {
        if gap.system == first && gap.baseline == second {
            Some(Contrast {
                mean: gap.mean,
                low: gap.low,
                high: gap.high,
                n: gap.n,
                finding: gap.finding,
            })
        } else if gap.system == second && gap.baseline == first {
            Some(Contrast {
                mean: gap.mean.map(|mean| -mean),
                low: gap.high.map(|high| -high),
                high: gap.low.map(|low| -low),
                n: gap.n,
                finding: gap.finding.reversed(),
            })
        } else {
            None
        }
    })
}
