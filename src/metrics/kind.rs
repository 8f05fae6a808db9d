//! Which types of rubric items systems fall short on.

use serde::{Deserialize, Serialize};

use crate::metrics::View;
use crate::metrics::answer::{self, Outcome};
use crate::metrics::select::Selection;
use crate::observation::Mark;
use crate::rubric::{ItemType, Label};
use crate::run::Sheet;

/// Errors by item type, and how common the types are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeTable {
    /// One a type, in the order of [`ItemType::ALL`].
    pub frequencies: Vec<TypeFrequency>,
    /// Rubric items of the view that carry a type, each counted once.
    pub items: u64,
    /// Types assigned to those items; an item with two types counts twice.
    pub labels: u64,
    /// Rubric items of the view without a type. In no share here.
    pub untyped: u64,
    /// One a visible system, in frame order.
    pub rows: Vec<TypeRow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeFrequency {
    pub item_type: ItemType,
    /// Rubric items of this type.
    pub items: u64,
    /// Of the items with a type, `0.0..=1.0`. Items with several types make these sum to more than 1.
    pub share_of_items: Option<f64>,
    /// Of the types assigned, `0.0..=1.0`. These sum to 1.
    pub share_of_labels: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeRow {
    /// Index into the frame.
    pub system: usize,
    pub name: String,
    /// One a type, in the order of [`ItemType::ALL`].
    pub cells: Vec<TypeCell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeCell {
    pub item_type: ItemType,
    /// Items of this type with a verdict, pooled over the system's answers.
    pub n: u64,
    /// Those not rated `Completely`.
    pub short: u64,
    /// `short ÷ n`, `0.0..=1.0` (protocols §1.7).
    pub error: Option<f64>,
    /// Fewer than 10 items.
    pub few: bool,
}

/// Error share by item type. The view's own item type is set aside, for it would leave one row of the
/// very table that compares types.
pub fn by_type(sheet: &Sheet, view: &View) -> TypeTable {
    let selection = Selection::of(sheet, &View { item_type: None, ..view.clone() });
    let (mut items, mut labels, mut untyped) = (0, 0, 0);
    let mut counts = [0_u64; ItemType::ALL.len()];
    for item in selection.cases.iter().flat_map(|&case| &sheet.frame.cases[case].items) {
        if item.types.is_empty() {
            untyped += 1;
            continue;
        }
        items += 1;
        for (count, kind) in counts.iter_mut().zip(ItemType::ALL) {
            if item.types.contains(&kind) {
                *count += 1;
                labels += 1;
            }
        }
    }
    let frequencies = ItemType::ALL
        .into_iter()
        .zip(counts)
        .map(|(item_type, count)| TypeFrequency {
            item_type,
            items: count,
            share_of_items: share(count, items),
            share_of_labels: share(count, labels),
        })
        .collect();
    let rows = selection
        .systems
        .iter()
        .map(|&system| TypeRow {
            system,
            name: sheet.frame.systems[system].name.to_string(),
            cells: cells(sheet, system, &selection.cases),
        })
        .collect();
    TypeTable { frequencies, items, labels, untyped, rows }
}

fn cells(sheet: &Sheet, system: usize, cases: &[usize]) -> Vec<TypeCell> {
    let mut counts = [(0_u64, 0_u64); ItemType::ALL.len()];
    // An answer that the reading drops takes its labels with it, and a stopped run leaves none.
    let kept = cases.iter().filter(|&&case| {
        sheet.aborted.is_none()
            && matches!(answer::outcome(sheet, system, case, None), Outcome::Defined(_))
    });
    for &case in kept {
        for (index, item) in sheet.frame.cases[case].items.iter().enumerate() {
            let Mark::Scored(label) = answer::mark(sheet, system, case, index) else { continue };
            for ((n, short), kind) in counts.iter_mut().zip(ItemType::ALL) {
                if item.types.contains(&kind) {
                    *n += 1;
                    *short += u64::from(label < Label::Completely);
                }
            }
        }
    }
    ItemType::ALL
        .into_iter()
        .zip(counts)
        .map(|(item_type, (n, short))| TypeCell {
            item_type,
            n,
            short,
            error: share(short, n),
            few: n < super::FEW,
        })
        .collect()
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (0 < whole).then(|| part as f64 / whole as f64)
}
