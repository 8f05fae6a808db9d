//! The ensemble preference: two direct verdicts and two coverage sums make one result.
//!
//! S(A) = bonus × (I + I′) + Σ c over A's items, with I and I′ one for each seat order in which the direct
//! judge prefers A (ResearchQA, §5; the released code differs in both constants). The larger S wins, equal
//! is a tie. A direct tie, where one may be called, gives half a point to each side.

use serde::{Deserialize, Serialize};

use crate::observation::Mark;
use crate::protocol::Reading;
use crate::rating::Winner;
use crate::rubric::Label;

/// The two constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ensemble {
    /// What the lowest label counts; each next one counts one more.
    pub lowest: u32,
    /// For each seat order won.
    pub bonus: u32,
}

impl Ensemble {
    /// Items count 0 to 4, a direct win 4.
    pub const PAPER: Self = Self { lowest: 0, bonus: 4 };
    /// Items count 1 to 5, a direct win 5.
    pub const RELEASED: Self = Self { lowest: 1, bonus: 5 };

    /// The recommended reading takes the paper's constants and differs in what it does about gaps.
    pub fn of(reading: Reading) -> Self {
        match reading {
            Reading::Recommended | Reading::Paper => Self::PAPER,
            Reading::Released => Self::RELEASED,
        }
    }

    /// Who wins, given the labels of both answers and the verdicts in both seat orders, all of them on
    /// the same two systems. `None` where anything is not scored: a gap is no zero.
    pub fn winner(self, items: [&[Mark]; 2], verdicts: &[Mark<Winner>]) -> Option<Winner> {
        let verdicts: Option<Vec<Winner>> = verdicts.iter().map(|mark| mark.verdict()).collect();
        let labels = |marks: &[Mark]| -> Option<Vec<Label>> {
            marks.iter().map(|mark| mark.label()).collect()
        };
        let (first, second) = (labels(items[0])?, labels(items[1])?);
        // A longer list would win by the offset of its items alone.
        if first.len() != second.len() {
            return None;
        }
        Some(self.decide([&first, &second], &verdicts?))
    }

    fn decide(self, labels: [&[Label]; 2], verdicts: &[Winner]) -> Winner {
        // In halves, so that a tie's half point stays a whole number.
        let score = |labels: &[Label], own: Winner| -> u32 {
            let items: u32 =
                labels.iter().map(|label| self.lowest + u32::from(label.quarters())).sum();
            let halves: u32 = verdicts
                .iter()
                .map(|verdict| match verdict {
                    Winner::Tie => 1,
                    verdict => 2 * u32::from(*verdict == own),
                })
                .sum();
            2 * items + self.bonus * halves
        };
        match score(labels[0], Winner::First).cmp(&score(labels[1], Winner::Second)) {
            std::cmp::Ordering::Greater => Winner::First,
            std::cmp::Ordering::Equal => Winner::Tie,
            std::cmp::Ordering::Less => Winner::Second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels of eight items whose coverages, 0 to 4 each, add up to `sum`.
    fn adding_up_to(mut sum: u32) -> Vec<Mark> {
        (0..8)
            .map(|_| {
                let quarters = sum.min(4);
                sum -= quarters;
                Mark::Scored(Label::ALL[quarters as usize])
            })
            .collect()
    }

    /// The published table: net direct wins of +2, and the difference of coverage sums.
    #[test]
    fn paper_and_code_differ_where_published() {
        use Winner::{First, Second, Tie};
        for (difference, paper, code) in [
            (12, First, First),
            (0, First, First),
            (-7, First, First),
            (-8, Tie, First),
            (-9, Second, First),
            (-10, Second, Tie),
            (-11, Second, Second),
            (-20, Second, Second),
        ] {
            let (first, second) = if difference < 0 { (0, -difference) } else { (difference, 0) };
            let (first, second) = (adding_up_to(first as u32), adding_up_to(second as u32));
            let won = [Mark::Scored(First); 2];
            let lost = [Mark::Scored(Second); 2];
            for (preset, expected) in [(Ensemble::PAPER, paper), (Ensemble::RELEASED, code)] {
                assert_eq!(preset.winner([&first, &second], &won), Some(expected), "{difference}");
                // The other sign: the same from the other side.
                let mirrored = preset.winner([&second, &first], &lost);
                assert_eq!(mirrored, Some(expected.swapped()), "mirror of {difference}");
            }
        }
    }

    #[test]
    fn split_verdicts_leave_it_to_coverage() {
        let split = [Mark::Scored(Winner::First), Mark::Scored(Winner::Second)];
        for preset in [Ensemble::PAPER, Ensemble::RELEASED] {
            for (first, second, expected) in
                [(5, 4, Winner::First), (4, 4, Winner::Tie), (0, 1, Winner::Second)]
            {
                let items = [adding_up_to(first), adding_up_to(second)];
                assert_eq!(preset.winner([&items[0], &items[1]], &split), Some(expected));
            }
        }
    }

    #[test]
    fn a_gap_is_no_zero() {
        use crate::observation::Unscored;
        let whole = adding_up_to(8);
        let mut gap = adding_up_to(8);
        gap[3] = Mark::Unscored(Unscored::Failed);
        let won = [Mark::Scored(Winner::First); 2];
        let half = [Mark::Scored(Winner::First), Mark::Unscored(Unscored::Unparsed)];
        assert_eq!(Ensemble::PAPER.winner([&whole, &gap], &won), None);
        assert_eq!(Ensemble::PAPER.winner([&whole, &whole], &half), None);
        assert_eq!(Ensemble::RELEASED.winner([&whole, &whole[..7]], &won), None);
        // Coverage alone decides without a direct judge.
        let more = adding_up_to(9);
        assert_eq!(Ensemble::PAPER.winner([&more, &whole], &[]), Some(Winner::First));
    }
}
