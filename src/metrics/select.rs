//! Which queries, systems and items a view takes from a sheet.

use crate::metrics::View;
use crate::metrics::answer;
use crate::rubric::ItemType;
use crate::run::{FrameCase, FrameItem, Sheet};

/// Indexes into the frame, in its order.
pub(super) struct Selection {
    pub(super) systems: Vec<usize>,
    pub(super) cases: Vec<usize>,
    /// Queries left out because no rubric item of theirs is looked at.
    pub(super) without_items: u64,
    /// Queries before the restriction to common ones.
    pub(super) before_common: u64,
    /// How many of those every visible system answered.
    pub(super) common: u64,
}

impl Selection {
    pub(super) fn of(sheet: &Sheet, view: &View) -> Self {
        let systems: Vec<usize> =
            (0..sheet.frame.systems.len()).filter(|index| !view.hidden.contains(index)).collect();

        let mut without_items = 0;
        let mut cases = Vec::new();
        for (index, case) in sheet.frame.cases.iter().enumerate() {
            let elsewhere = view.domain.as_ref().is_some_and(|domain| *domain != case.domain)
                || view.field.as_ref().is_some_and(|field| *field != case.field);
            if elsewhere {
                continue;
            }
            // A rubric without items would be a division by zero, not a coverage of zero.
            if case.items.iter().any(|item| is_seen(item, view.item_type)) {
                cases.push(index);
            } else {
                without_items += 1;
            }
        }

        let before_common = cases.len() as u64;
        let common: Vec<usize> = cases
            .iter()
            .copied()
            .filter(|&case| {
                systems.iter().all(|&system| answer::state(sheet, system, case).is_answered())
            })
            .collect();
        let n_common = common.len() as u64;
        if view.common {
            cases = common;
        }
        Self { systems, cases, without_items, before_common, common: n_common }
    }
}

pub(super) fn is_seen(item: &FrameItem, only: Option<ItemType>) -> bool {
    only.is_none_or(|kind| item.types.contains(&kind))
}

/// The items of a case that are looked at, with their place in the rubric.
pub(super) fn items(
    case: &FrameCase,
    only: Option<ItemType>,
) -> impl Iterator<Item = (usize, &FrameItem)> {
    case.items.iter().enumerate().filter(move |(_, item)| is_seen(item, only))
}
