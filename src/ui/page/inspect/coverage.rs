//! What one answer covers of one checklist, and how far missing verdicts could move it. Pure.

use crate::observation::Mark;
use crate::report::number::percent1;
use crate::ui::part::mark;
use crate::worker::{InspectedBatch, InspectedItem, InspectedSystem};

/// Shares of full coverage, `0.0..=1.0`, weighted by the items' weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coverage {
    /// Over the items with a verdict; `None` without any.
    pub(super) share: Option<f64>,
    /// If every item without a verdict had got nothing.
    pub(super) low: f64,
    /// If every item without a verdict had been covered in full.
    pub(super) high: f64,
    pub(super) scored: usize,
    pub(super) of: usize,
}

impl Coverage {
    /// An item beyond the marks has no verdict.
    pub(super) fn of(marks: &[Mark], items: &[InspectedItem]) -> Self {
        let (mut gained, mut known, mut all, mut scored) = (0.0, 0.0, 0.0, 0);
        for (index, item) in items.iter().enumerate() {
            all += item.weight;
            if let Some(label) = marks.get(index).and_then(|mark| mark.label()) {
                gained += item.weight * label.share();
                known += item.weight;
                scored += 1;
            }
        }
        let part = |of: f64| if 0.0 < all { of / all } else { 0.0 };
        Self {
            share: (0.0 < known).then(|| gained / known),
            low: part(gained),
            high: part(gained + all - known),
            scored,
            of: items.len(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.scored < self.of
    }
}

/// Which items have no verdict, why, and what that leaves open. Nothing where all have one.
pub(super) fn gap(system: &InspectedSystem, coverage: &Coverage) -> Option<String> {
    if !coverage.is_open() {
        return None;
    }
    let silent: Vec<String> = system
        .marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| mark.label().is_none())
        .map(|(index, mark)| {
            let word = if is_conflict(system, index) { "Conflict" } else { mark::word(*mark) };
            format!("{} ({word})", index + 1)
        })
        .collect();
    let items = match silent.len() {
        0 => "no verdicts".to_owned(),
        1 => format!("no verdict on item {}", silent[0]),
        _ => format!("no verdict on items {}", silent.join(", ")),
    };
    Some(format!(
        "{}: {items}, so its coverage lies between {}% and {}%.",
        system.name,
        percent1(coverage.low),
        percent1(coverage.high)
    ))
}

/// Whether an item has no verdict because people gave it different labels.
pub(super) fn is_conflict(system: &InspectedSystem, item: usize) -> bool {
    let holds = |batch: &&InspectedBatch| {
        (batch.first as usize..(batch.first + batch.len) as usize).contains(&item)
    };
    let last = system.batches.iter().find(holds).and_then(|batch| batch.exchanges.last());
    last.is_some_and(|last| last.conflict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Unscored;
    use crate::rubric::Label;
    use crate::run::AnswerState;

    fn items(weights: &[f64]) -> Vec<InspectedItem> {
        weights
            .iter()
            .map(|&weight| InspectedItem { text: None, types: Vec::new(), weight })
            .collect()
    }

    fn system(marks: &[Mark]) -> InspectedSystem {
        InspectedSystem {
            name: "birch".to_owned(),
            state: AnswerState::Missing,
            answer: None,
            marks: marks.to_vec(),
            evidence: Vec::new(),
            batches: Vec::new(),
        }
    }

    #[test]
    fn weights_count_and_gaps_open_a_range() {
        let marks = [
            Mark::Scored(Label::Completely),
            Mark::Scored(Label::NotAtAll),
            Mark::Unscored(Unscored::Unparsed),
        ];
        let coverage = Coverage::of(&marks, &items(&[3.0, 1.0, 4.0]));
        assert_eq!((coverage.share, coverage.low, coverage.high), (Some(0.75), 0.375, 0.875));
        assert_eq!((coverage.scored, coverage.of), (2, 3));
        assert_eq!(
            gap(&system(&marks), &coverage).as_deref(),
            Some(
                "birch: no verdict on item 3 (Unparsed), so its coverage lies between 37.5% and 87.5%."
            )
        );
    }

    #[test]
    fn a_full_checklist_leaves_nothing_open() {
        let marks = [Mark::Scored(Label::Mostly)];
        let coverage = Coverage::of(&marks, &items(&[2.0]));
        assert_eq!((coverage.share, coverage.low, coverage.high), (Some(0.75), 0.75, 0.75));
        assert_eq!(gap(&system(&marks), &coverage), None);
    }

    #[test]
    fn nothing_judged_is_no_zero() {
        let coverage = Coverage::of(&[], &items(&[1.0, 1.0]));
        assert_eq!((coverage.share, coverage.low, coverage.high), (None, 0.0, 1.0));
        assert_eq!(Coverage::of(&[], &[]).share, None);
    }
}
