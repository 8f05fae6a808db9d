//! Coverage by domain and by field.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metrics::View;
use crate::metrics::coverage::{self, Figure};
use crate::metrics::select::Selection;
use crate::protocol::Reading;
use crate::run::{FrameCase, Sheet};

/// Queries that share a domain or a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// As the data name it; empty where they name none.
    pub name: String,
    /// Queries of the view in this group.
    pub n: u64,
    /// One a visible system, in frame order.
    pub cells: Vec<GroupCell>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupCell {
    /// Index into the frame.
    pub system: usize,
    /// As in [`coverage`](crate::metrics::coverage()): shares `0.0..=1.0`, mean over the group's queries.
    pub all_asked: Figure,
    pub answered: Figure,
    /// Fewer than 10 queries in the main figure: too few for a fair interval.
    pub few: bool,
}

/// Coverage by domain: largest first, equals by name.
///
/// The overall figure is the mean over queries, not the mean of these groups (protocols §1.4).
pub fn by_domain(sheet: &Sheet, view: &View) -> Vec<Group> {
    grouped(sheet, view, |case| &case.domain)
}

/// Coverage by field: largest first, equals by name.
pub fn by_field(sheet: &Sheet, view: &View) -> Vec<Group> {
    grouped(sheet, view, |case| &case.field)
}

fn grouped(sheet: &Sheet, view: &View, name: impl Fn(&FrameCase) -> &str) -> Vec<Group> {
    let selection = Selection::of(sheet, view);
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &case in &selection.cases {
        members.entry(name(&sheet.frame.cases[case])).or_default().push(case);
    }
    let mut groups: Vec<Group> = members
        .into_iter()
        .map(|(name, cases)| Group {
            name: name.to_owned(),
            n: cases.len() as u64,
            cells: selection
                .systems
                .iter()
                .map(|&system| cell(sheet, view, system, &cases))
                .collect(),
        })
        .collect();
    // Stable, so equals keep the order of their names.
    groups.sort_by_key(|group| std::cmp::Reverse(group.n));
    groups
}

fn cell(sheet: &Sheet, view: &View, system: usize, cases: &[usize]) -> GroupCell {
    let (all_asked, answered) = coverage::figures(sheet, view.item_type, system, cases);
    let few = match sheet.reading {
        Reading::Recommended => all_asked.is_few(),
        Reading::Paper | Reading::Released => answered.is_few(),
    };
    GroupCell { system, all_asked, answered, few }
}
