//! Ratings field by field: few battles each, many fields, so nothing here names a best or a worst.

use serde::{Deserialize, Serialize};

use crate::rating::Battle;
use crate::rating::NoSpread;
use crate::rating::PairCounts;
use crate::rating::SmallSample;
use crate::rating::Tournament;
use crate::rating::{clustered, examine, fit};

use super::taken::distinct;

/// Every field with a battle, in the order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldRatings {
    pub fields: Vec<FieldRating>,
    /// The largest standard error of any rating in it, in Elo points: how little one figure may mean.
    pub largest_error: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRating {
    pub field: String,
    pub battles: u64,
    pub queries: u64,
    pub outcome: FieldOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FieldOutcome {
    /// In the order of the tournament, as nothing is ranked here. `no_spread` says why errors are missing.
    Rated { rows: Vec<FieldRow>, no_spread: Option<NoSpread> },
    /// No rating across all systems exists, and so many wins are missing.
    Withheld { missing: u64 },
}

/// One system in one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRow {
    /// Number in the tournament.
    pub system: usize,
    /// Elo points, the mean of all systems being 1000 in every field.
    pub rating: f64,
    /// Clustered by query.
    pub standard_error: Option<f64>,
}

/// Ratings of each field where the gate passes for it. `field_of_query` names the field of each query of the
/// tournament; queries without a name are left out, and so are undecided battles.
pub fn exploratory_by_field(tournament: &Tournament, field_of_query: &[String]) -> FieldRatings {
    let mut fields: Vec<(&str, Vec<Battle>)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for battle in &tournament.battles {
        let Some(field) = field_of_query.get(battle.query as usize).filter(|it| !it.is_empty())
        else {
            continue;
        };
        let at = *known.entry(field.as_str()).or_insert_with(|| {
            fields.push((field, Vec::new()));
            fields.len() - 1
        });
        fields[at].1.push(*battle);
    }
    let mut ratings = FieldRatings::default();
    for (field, battles) in fields {
        let outcome = outcome(tournament.systems.len(), &battles);
        if let FieldOutcome::Rated { rows, .. } = &outcome {
            for error in rows.iter().filter_map(|row| row.standard_error) {
                let most = ratings.largest_error.unwrap_or_default();
                ratings.largest_error = Some(most.max(error));
            }
        }
        ratings.fields.push(FieldRating {
            field: field.to_owned(),
            battles: battles.len() as u64,
            queries: distinct(battles.iter().map(|it| it.query)),
            outcome,
        });
    }
    ratings
}

fn outcome(systems: usize, battles: &[Battle]) -> FieldOutcome {
    let counts = PairCounts::of(systems, battles);
    let Ok(connected) = examine(&counts) else {
        return FieldOutcome::Withheld { missing: crate::rating::repairs(&counts).len() as u64 };
    };
    let fit = fit(connected);
    let spread = clustered(&fit, battles, SmallSample::Queries);
    let rows = fit.ratings().into_iter().enumerate().map(|(system, rating)| FieldRow {
        system,
        rating,
        standard_error: spread.as_ref().ok().map(|it| it.covariance.standard_error(system)),
    });
    FieldOutcome::Rated { rows: rows.collect(), no_spread: spread.as_ref().err().copied() }
}
