//! Rubric coverage of each system, with every denominator beside it.

use serde::{Deserialize, Serialize};

use crate::metrics::View;
use crate::metrics::answer::{self, Outcome};
use crate::metrics::interval::{self, Estimate};
use crate::metrics::select::{self, Selection};
use crate::observation::{Tally, Unscored};
use crate::protocol::Reading;
use crate::rubric::ItemType;
use crate::run::{AnswerState, JudgeStamp, Sheet};

/// The answer length the benchmark asks for, in words (protocols §1.2).
pub const ASKED_WORDS: f64 = 250.0;
/// From this ratio of median lengths on, a longer system is pointed out.
pub const LONGER: f64 = 1.5;
/// Below this share of queries in common, in per cent, a table of them says little about the rest.
pub const COMMON_ENOUGH_PERCENT: u64 = 80;

/// System coverage: the unweighted mean of answer coverage over queries (protocols §1.4), as shares of
/// full coverage, `0.0..=1.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Mean over queries of the answers' coverage; never over pooled items. `None` without a query.
    pub mean: Option<f64>,
    /// Standard error: sd of answer coverage (n − 1) ÷ √n. From two queries on.
    pub se: Option<f64>,
    /// Lower end of the 95 % t-interval with n − 1 degrees of freedom. May pass 0.
    pub low: Option<f64>,
    /// Upper end. May pass 1.
    pub high: Option<f64>,
    /// Queries in the mean.
    pub n: u64,
    /// The mean if every item without a verdict had got nothing. Covers the queries in the mean and
    /// those left out for want of a verdict.
    pub range_low: Option<f64>,
    /// The mean if every item without a verdict had been covered in full.
    pub range_high: Option<f64>,
}

impl Figure {
    /// Whether verdicts that are not there could move the mean.
    pub fn is_open(&self) -> bool {
        match (self.range_low, self.range_high) {
            (Some(low), Some(high)) => low < high,
            _ => false,
        }
    }

    /// Whether too few queries stand behind it for a claim.
    pub fn is_few(&self) -> bool {
        self.n < super::FEW
    }
}

/// Answers left out of a mean, by why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub unparsed: u64,
    pub truncated: u64,
    pub refused: u64,
    pub failed: u64,
    /// Not yet judged, or not yet to the end.
    pub waiting: u64,
}

impl LeftOut {
    /// Answers that were judged and have no value for want of a verdict.
    pub fn undefined(&self) -> u64 {
        self.unparsed + self.truncated + self.refused + self.failed
    }

    fn add(&mut self, why: Unscored) {
        match why {
            Unscored::Unparsed => self.unparsed += 1,
            Unscored::Truncated => self.truncated += 1,
            Unscored::Refused => self.refused += 1,
            Unscored::Failed => self.failed += 1,
            Unscored::InFlight | Unscored::NotAsked => self.waiting += 1,
        }
    }
}

/// One system. `matched + missing + empty` is the table's `n_queries`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverageRow {
    /// Index into the frame.
    pub system: usize,
    pub name: String,
    /// Missing and empty answers count 0. Under the recommended reading only: the others skip them.
    pub all_asked: Figure,
    /// Missing and empty answers are left out.
    pub answered: Figure,
    /// Queries with an answer, judged or not.
    pub matched: u64,
    pub missing: u64,
    pub empty: u64,
    /// Answers among `matched` that stand in neither mean.
    pub left_out: LeftOut,
    /// Verdicts on the items looked at, one an item.
    pub tally: Tally,
    /// Of the answers given, in white-space separated words.
    pub median_words: Option<f64>,
    /// Whether that median is over the 250 words asked for.
    pub over_250: bool,
}

impl CoverageRow {
    /// The figure a reader sees first: of all asked where the reading has one, else of those answered.
    pub fn main(&self, reading: Reading) -> &Figure {
        match reading {
            Reading::Recommended => &self.all_asked,
            Reading::Paper | Reading::Released => &self.answered,
        }
    }
}

/// How far the visible systems answered the same queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommonNote {
    /// Queries that every visible system answered.
    pub n: u64,
    /// Of this many in the view.
    pub of: u64,
    /// Under 80 %: those queries may not stand for the rest.
    pub low: bool,
    /// Whether the table holds them alone.
    pub applied: bool,
}

/// Two systems whose lengths differ so much that length may explain coverage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthNote {
    pub longest: String,
    /// Median words.
    pub longest_words: f64,
    pub shortest: String,
    /// Median words.
    pub shortest_words: f64,
    /// `longest_words ÷ shortest_words`, at least 1.5.
    pub ratio: f64,
}

/// One reading, one judge, one view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverageTable {
    /// Visible systems in frame order. Sorting is the reader's choice.
    pub rows: Vec<CoverageRow>,
    /// Queries in the view.
    pub n_queries: u64,
    /// Queries left out because no item of theirs is looked at.
    pub without_items: u64,
    /// `None` where no system is visible.
    pub common: Option<CommonNote>,
    pub reading: Reading,
    pub judge: JudgeStamp,
    /// The judge's `practice`, repeated so that no table is shown without it.
    pub practice: bool,
    /// Whether everything planned has come back. Before that nothing is ranked.
    pub complete: bool,
    /// Why the authors' code would have stopped; then no row has a figure.
    pub aborted: Option<String>,
    pub longest: Option<LengthNote>,
    /// Verdicts of all rows.
    pub tally: Tally,
}

/// Rubric coverage of every visible system.
pub fn coverage(sheet: &Sheet, view: &View) -> CoverageTable {
    let selection = Selection::of(sheet, view);
    let rows: Vec<CoverageRow> = selection
        .systems
        .iter()
        .map(|&system| row(sheet, view.item_type, system, &selection.cases))
        .collect();
    let mut tally = Tally::default();
    for row in &rows {
        tally.merge(&row.tally);
    }
    CoverageTable {
        n_queries: selection.cases.len() as u64,
        without_items: selection.without_items,
        common: (!rows.is_empty()).then_some(CommonNote {
            n: selection.common,
            of: selection.before_common,
            low: 100 * selection.common < COMMON_ENOUGH_PERCENT * selection.before_common,
            applied: view.common,
        }),
        reading: sheet.reading,
        judge: sheet.judge.clone(),
        practice: sheet.judge.practice,
        complete: sheet.complete,
        aborted: sheet.aborted.clone(),
        longest: lengths_apart(&rows),
        tally,
        rows,
    }
}

fn row(sheet: &Sheet, only: Option<ItemType>, system: usize, cases: &[usize]) -> CoverageRow {
    let (all_asked, answered) = figures(sheet, only, system, cases);
    let mut row = CoverageRow {
        system,
        name: sheet.frame.systems[system].name.to_string(),
        all_asked,
        answered,
        matched: 0,
        missing: 0,
        empty: 0,
        left_out: LeftOut::default(),
        tally: Tally::default(),
        median_words: None,
        over_250: false,
    };
    let mut words = Vec::new();
    for &case in cases {
        match answer::state(sheet, system, case) {
            AnswerState::Missing => row.missing += 1,
            AnswerState::Empty => row.empty += 1,
            AnswerState::Answered { words: count, .. } => {
                row.matched += 1;
                words.push(count);
                for (item, _) in select::items(&sheet.frame.cases[case], only) {
                    row.tally.add(answer::mark(sheet, system, case, item));
                }
            }
        }
        match answer::outcome(sheet, system, case, only) {
            Outcome::Undefined(why) => row.left_out.add(why),
            Outcome::Waiting => row.left_out.waiting += 1,
            Outcome::Missing | Outcome::Empty | Outcome::Defined(_) => {}
        }
    }
    row.median_words = median(words);
    row.over_250 = row.median_words.is_some_and(|words| ASKED_WORDS < words);
    row
}

/// Of all asked, and of those answered.
pub(super) fn figures(
    sheet: &Sheet,
    only: Option<ItemType>,
    system: usize,
    cases: &[usize],
) -> (Figure, Figure) {
    // The authors' code saves nothing once it has stopped, not even what it had judged before.
    if sheet.aborted.is_some() {
        return (Figure::default(), Figure::default());
    }
    let (mut all, mut answered) = (Sample::default(), Sample::default());
    for &case in cases {
        match answer::outcome(sheet, system, case, only) {
            Outcome::Missing | Outcome::Empty => {
                if answer::is_reached(sheet, case) {
                    all.add(0.0, 0.0, 0.0);
                }
            }
            Outcome::Waiting => {}
            Outcome::Undefined(_) => {
                all.leave_out();
                answered.leave_out();
            }
            Outcome::Defined(covered) => {
                all.add(covered.share, covered.low, covered.high);
                answered.add(covered.share, covered.low, covered.high);
            }
        }
    }
    let all = match sheet.reading {
        Reading::Recommended => all.figure(),
        Reading::Paper | Reading::Released => Figure::default(),
    };
    (all, answered.figure())
}

/// Answer coverage by query, and its bounds.
#[derive(Default)]
struct Sample {
    shares: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
}

impl Sample {
    fn add(&mut self, share: f64, low: f64, high: f64) {
        self.shares.push(share);
        self.lows.push(low);
        self.highs.push(high);
    }

    /// An answer without a value could be worth anything, so it stands at both ends of the range. As in
    /// the paper and as in the code that holds although some of its items have labels: there they are
    /// thrown away, and asking again would ask for all of them.
    fn leave_out(&mut self) {
        self.lows.push(0.0);
        self.highs.push(1.0);
    }

    fn figure(&self) -> Figure {
        let estimate = Estimate::of(&self.shares);
        if self.lows.is_empty() {
            return Figure::default();
        }
        let (low, high) = (interval::mean(&self.lows), interval::mean(&self.highs));
        // Sums of the same numbers in another grouping can differ in the last digit; the range must
        // hold the mean all the same.
        let inside = estimate.mean;
        Figure {
            mean: estimate.mean,
            se: estimate.se,
            low: estimate.bounds.map(|bounds| bounds.0),
            high: estimate.bounds.map(|bounds| bounds.1),
            n: estimate.n,
            range_low: Some(inside.map_or(low, |mean| low.min(mean))),
            range_high: Some(inside.map_or(high, |mean| high.max(mean))),
        }
    }
}

fn median(mut words: Vec<u32>) -> Option<f64> {
    // Of an answer that is known by its labels alone, nobody knows the length.
    words.retain(|it| 0 < *it);
    words.sort_unstable();
    let upper = *words.get(words.len() / 2)?;
    if words.len() % 2 == 1 {
        return Some(f64::from(upper));
    }
    Some(f64::midpoint(f64::from(words[words.len() / 2 - 1]), f64::from(upper)))
}

fn lengths_apart(rows: &[CoverageRow]) -> Option<LengthNote> {
    let lengths = || rows.iter().filter_map(|row| Some((row, row.median_words?)));
    let (longest, longest_words) = lengths().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (shortest, shortest_words) = lengths().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let is_apart = 0.0 < shortest_words && LONGER * shortest_words <= longest_words;
    is_apart.then(|| LengthNote {
        longest: longest.name.clone(),
        longest_words,
        shortest: shortest.name.clone(),
        shortest_words,
        ratio: longest_words / shortest_words,
    })
}
