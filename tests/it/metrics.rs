//! Coverage, groups, types and differences against numbers worked out by hand.

use proptest::prelude::*;
use viva::ids::{CaseId, Digest, SystemName};
use viva::metrics::{
    Figure, Finding, Standing, View, by_domain, by_field, by_type, coverage, differences, headline,
    leader,
};
use viva::observation::{Mark, Unscored};
use viva::protocol::Reading;
use viva::rubric::{ItemType, Label};
use viva::run::{
    AnswerState, DatasetStamp, Frame, FrameCase, FrameItem, FrameSystem, JudgeStamp, Sheet,
};

/// Two items a query, twelve queries; used wherever an interval needs enough of them.
pub(crate) const ASH: &str = "CC CM MM CC DM CC MM CM CC DD CC CM";
pub(crate) const BOX: &str = "CM MM DM CC BM MM MM DM CM DD CM MM";

/// One letter an item: `N`ot at all, `B`arely, mo`D`erately, `M`ostly, `C`ompletely; `u`nparsed,
/// `t`runcated, `r`efused, `f`ailed, `i`n flight, `-` not asked.
fn mark(letter: char) -> Mark {
    match letter {
        'N' => Mark::Scored(Label::NotAtAll),
        'B' => Mark::Scored(Label::Barely),
        'D' => Mark::Scored(Label::Moderately),
        'M' => Mark::Scored(Label::Mostly),
        'C' => Mark::Scored(Label::Completely),
        'u' => Mark::Unscored(Unscored::Unparsed),
        't' => Mark::Unscored(Unscored::Truncated),
        'r' => Mark::Unscored(Unscored::Refused),
        'f' => Mark::Unscored(Unscored::Failed),
        'i' => Mark::Unscored(Unscored::InFlight),
        '-' => Mark::Unscored(Unscored::NotAsked),
        other => panic!("no mark is written {other:?}"),
    }
}

/// A complete sheet under the recommended reading. One word a query: letters of [`mark`], `?` for a
/// missing answer, `_` for an empty one. A query has as many items as its longest word.
pub(crate) fn sheet(systems: &[(&str, &str)]) -> Sheet {
    let words: Vec<Vec<&str>> =
        systems.iter().map(|(_, marks)| marks.split_whitespace().collect()).collect();
    let n_cases = words.iter().map(Vec::len).max().unwrap_or(0);
    let n_items =
        |case: usize| words.iter().map(|system| system[case].len()).max().unwrap_or_default();
    let cases = (0..n_cases)
        .map(|case| FrameCase {
            id: CaseId::new(format!("q{case}")),
            domain: "Health".to_owned(),
            subdomain: String::new(),
            field: "Genetics".to_owned(),
            query: None,
            items: (0..n_items(case))
                .map(|item| FrameItem {
                    digest: Digest::of_texts([format!("{case}/{item}").as_str()]),
                    types: vec![ItemType::Other],
                    weight: 1.0,
                })
                .collect(),
        })
        .collect();
    let frame_systems = systems
        .iter()
        .zip(&words)
        .map(|((name, marks), words)| FrameSystem {
            name: SystemName::new(*name),
            identity: Digest::of_texts([*marks]),
            answers: words
                .iter()
                .map(|word| match *word {
                    "?" => AnswerState::Missing,
                    "_" => AnswerState::Empty,
                    word => AnswerState::Answered { digest: Digest::of_texts([word]), words: 200 },
                })
                .collect(),
        })
        .collect();
    let marks = words
        .iter()
        .map(|words| {
            words
                .iter()
                .map(|word| match *word {
                    "?" | "_" => Vec::new(),
                    word => word.chars().map(mark).collect(),
                })
                .collect()
        })
        .collect();
    Sheet {
        frame: Frame {
            dataset: DatasetStamp {
                name: "toy".to_owned(),
                source: "by hand".to_owned(),
                digest: Digest::of_texts(["toy"]),
                n_cases: n_cases as u64,
                n_items: 0,
            },
            cases,
            systems: frame_systems,
        },
        judge: JudgeStamp {
            name: "gpt-4.1-mini".to_owned(),
            how: "Viva prompt v3, temperature 0".to_owned(),
            practice: false,
        },
        reading: Reading::Recommended,
        marks,
        has_coverage: true,
        duel: None,
        may_have_position_bias: false,
        battles: Vec::new(),
        complete: true,
        aborted: None,
    }
}

pub(crate) fn reading(sheet: Sheet, reading: Reading) -> Sheet {
    Sheet { reading, ..sheet }
}

pub(crate) fn set_words(sheet: &mut Sheet, system: usize, count: u32) {
    for answer in &mut sheet.frame.systems[system].answers {
        if let AnswerState::Answered { words, .. } = answer {
            *words = count;
        }
    }
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
}

/// The answered-only mean of a single system.
#[track_caller]
fn check_mean(marks: &str, expected: f64) {
    close(coverage(&sheet(&[("a", marks)]), &View::default()).rows[0].answered.mean, expected);
}

fn only(sheet: &Sheet) -> (Figure, Figure) {
    let row = &coverage(sheet, &View::default()).rows[0];
    (row.all_asked, row.answered)
}

#[test]
fn labels_are_quarters() {
    // (.25 + 1 + .75) / 3, protocols §7.3.
    check_mean("BCM", 2.0 / 3.0);
    check_mean("NNNN", 0.0);
    check_mean("D", 0.5);
}

#[test]
fn a_system_is_a_mean_of_means() {
    // One item at 1 and three at 0: 50.0, and not 25.0 as pooled (protocols §7.3).
    check_mean("C NNN", 0.5);
}

#[test]
fn weights_count_within_an_answer() {
    // (3 + 1) / (3 + 2 + 1), protocols §7.6.
    let mut weighted = sheet(&[("a", "CNC")]);
    for (item, weight) in weighted.frame.cases[0].items.iter_mut().zip([3.0, 2.0, 1.0]) {
        item.weight = weight;
    }
    close(only(&weighted).1.mean, 4.0 / 6.0);
    // The middle one without a verdict: 4/4 of what was scored; 4/6 to 6/6 with it.
    weighted.marks[0][0][1] = mark('f');
    let figure = only(&weighted).1;
    close(figure.mean, 1.0);
    close(figure.range_low, 4.0 / 6.0);
    close(figure.range_high, 1.0);
}

#[test]
fn intervals_agree_with_scipy() {
    // .5 1 .25 .75 0: mean .5, variance .15625, SE √(.15625/5) = .176777, t(.975; 4) = 2.776445;
    // scipy.stats.t.interval(.95, 4, .5, sem) = (.009189209630610706, .9908107903693892).
    let figure = only(&sheet(&[("a", "D C B M N")])).1;
    close(figure.mean, 0.5);
    close(figure.se, 0.176_776_695_296_636_9);
    close(figure.low, 0.009_189_209_630_610_706);
    close(figure.high, 0.990_810_790_369_389_2);
    assert_eq!(figure.n, 5);

    let ash = only(&sheet(&[("ash", ASH)])).1;
    close(ash.mean, 0.854_166_666_666_666_6);
    close(ash.se, 0.048_249_012_132_034_086);
    close(ash.low, 0.747_971_306_974_978_2);
    close(ash.high, 0.960_362_026_358_355_1);
}

#[test]
fn one_query_has_no_interval() {
    let figure = only(&sheet(&[("a", "CN")])).1;
    close(figure.mean, 0.5);
    assert_eq!((figure.se, figure.low, figure.high, figure.n), (None, None, None, 1));
}

#[test]
fn an_interval_is_not_cut() {
    // .5 and 1: mean .75, SE .25, t(.975; 1) = 12.7062.
    let figure = only(&sheet(&[("a", "D C")])).1;
    close(figure.low, 0.75 - 0.25 * 12.706_204_736_174_694);
    close(figure.high, 0.75 + 0.25 * 12.706_204_736_174_694);
}

#[test]
fn missing_and_empty_count_zero_only_where_all_are_asked() {
    let sheet = sheet(&[("a", "CC ? _ NC")]);
    let (all, answered) = only(&sheet);
    close(all.mean, 1.5 / 4.0);
    close(answered.mean, 0.75);
    assert_eq!((all.n, answered.n), (4, 2));
    let row = &coverage(&sheet, &View::default()).rows[0];
    assert_eq!((row.matched, row.missing, row.empty), (2, 1, 1));
    assert_eq!((row.tally.asked(), row.tally.scored), (4, 4));
}

#[test]
fn a_failure_is_never_zero_and_widens_the_range() {
    // Query 0: 1 of the scored one, .5 to 1 with the failed one. Query 1: no verdict at all.
    let sheet = sheet(&[("a", "Cf rr NC")]);
    let (all, answered) = only(&sheet);
    assert_eq!(all, answered);
    close(answered.mean, 1.5 / 2.0);
    close(answered.range_low, (0.5 + 0.0 + 0.5) / 3.0);
    close(answered.range_high, (1.0 + 1.0 + 0.5) / 3.0);
    assert_eq!(answered.n, 2);
    let row = &coverage(&sheet, &View::default()).rows[0];
    assert_eq!((row.left_out.refused, row.left_out.undefined()), (1, 1));
    assert_eq!((row.tally.scored, row.tally.failed, row.tally.refused), (3, 1, 2));
    assert_eq!(row.tally.asked(), 6);
}

#[test]
fn nothing_but_failures_is_no_figure() {
    let figure = only(&sheet(&[("a", "ff uu")])).1;
    assert_eq!((figure.mean, figure.se, figure.n), (None, None, 0));
    assert_eq!((figure.range_low, figure.range_high), (Some(0.0), Some(1.0)));
}

/// A missing answer, a failed batch and an unknown label, under each reading.
#[test]
fn readings_differ_where_they_say() {
    let crafted = || sheet(&[("a", "CC ? ff CCCu NN")]);

    // All asked (1 + 0 + 1 + 0) / 4; answered (1 + 1 + 0) / 3.
    let (all, answered) = only(&reading(crafted(), Reading::Recommended));
    close(all.mean, 0.5);
    close(answered.mean, 2.0 / 3.0);
    close(all.range_low, (1.0 + 0.0 + 0.0 + 0.75 + 0.0) / 5.0);
    close(all.range_high, (1.0 + 0.0 + 1.0 + 1.0 + 0.0) / 5.0);

    // The answer with an unknown label has no value either: (1 + 0) / 2.
    let paper = reading(crafted(), Reading::Paper);
    let (all, answered) = only(&paper);
    assert_eq!(all, Figure::default());
    close(answered.mean, 0.5);
    assert_eq!(answered.n, 2);
    close(answered.range_low, 1.0 / 4.0);
    close(answered.range_high, 3.0 / 4.0);
    let row = &coverage(&paper, &View::default()).rows[0];
    assert_eq!((row.left_out.failed, row.left_out.unparsed), (1, 1));

    // The code stops at the unknown label.
    let mut released = reading(crafted(), Reading::Released);
    released.aborted = Some("KeyError: 'Fully'".to_owned());
    let table = coverage(&released, &View::default());
    assert_eq!(table.rows[0].answered, Figure::default());
    assert_eq!(table.rows[0].all_asked, Figure::default());
    assert_eq!(table.aborted.as_deref(), Some("KeyError: 'Fully'"));
    assert!(by_domain(&released, &View::default())[0].cells[0].answered.mean.is_none());
    assert!(by_type(&released, &View::default()).rows[0].cells[5].error.is_none());

    // Without one it drops the failed answer and skips the missing one.
    let (all, answered) = only(&reading(sheet(&[("a", "CC ? ff NN")]), Reading::Released));
    assert_eq!(all, Figure::default());
    close(answered.mean, 0.5);
    assert_eq!(answered.n, 2);
}

#[test]
fn what_is_not_asked_yet_counts_nowhere() {
    let mut interim = sheet(&[("a", "CC ? -- ii ?"), ("b", "NN NN NN ii --")]);
    interim.complete = false;
    let table = coverage(&interim, &View::default());
    let a = &table.rows[0];
    // Query 1 was put to the judge for b, so a's gap counts; query 4 was not put to it for anyone.
    close(a.all_asked.mean, 0.5);
    assert_eq!((a.all_asked.n, a.answered.n), (2, 1));
    assert_eq!((a.tally.asked(), a.tally.in_flight, a.left_out.waiting), (4, 2, 2));
    assert!(!a.answered.is_open(), "a wait is no failure");
    // Half an answer is judged on what is there, and the rest is in the range.
    interim.marks[0][2] = vec![mark('C'), mark('-')];
    let figure = coverage(&interim, &View::default()).rows[0].answered;
    assert_eq!(
        (figure.mean, figure.range_low, figure.range_high),
        (Some(1.0), Some(0.75), Some(1.0))
    );
    // Under the paper's reading half an answer is none yet.
    let paper = coverage(&reading(interim, Reading::Paper), &View::default());
    assert_eq!((paper.rows[0].answered.n, paper.rows[0].left_out.waiting), (1, 2));
    assert_eq!(paper.rows[0].left_out.undefined(), 0);
}

#[test]
fn a_rubric_without_items_is_no_query() {
    let mut sheet = sheet(&[("a", "CC NN")]);
    sheet.frame.cases[1].items.clear();
    sheet.marks[0][1].clear();
    let table = coverage(&sheet, &View::default());
    assert_eq!((table.n_queries, table.without_items), (1, 1));
    close(table.rows[0].all_asked.mean, 1.0);
}

#[test]
fn a_type_filter_looks_at_its_items_alone() {
    let mut sheet = sheet(&[("a", "CN NN BN")]);
    sheet.frame.cases[0].items[1].types = vec![ItemType::Citation];
    sheet.frame.cases[2].items[0].types = vec![ItemType::Citation, ItemType::Impact];
    let view = View { item_type: Some(ItemType::Citation), ..View::default() };
    let table = coverage(&sheet, &view);
    assert_eq!((table.n_queries, table.without_items), (2, 1));
    close(table.rows[0].answered.mean, 0.25 / 2.0);
    assert_eq!(table.rows[0].tally.asked(), 2);
}

#[test]
fn common_queries_are_those_every_visible_system_answered() {
    let sheet = sheet(&[("a", "C C C C N"), ("b", "N ? N N N"), ("c", "? ? ? ? ?")]);
    let view = View { hidden: vec![2], common: true, ..View::default() };
    let table = coverage(&sheet, &view);
    let note = table.common.unwrap();
    // Four of five are 80 %, and that is not below.
    assert_eq!((note.n, note.of, note.low, note.applied), (4, 5, false, true));
    assert_eq!(table.n_queries, 4);
    close(table.rows[0].answered.mean, 0.75);
    assert_eq!(table.rows.len(), 2);

    let note = coverage(&sheet, &View::default()).common.unwrap();
    assert_eq!((note.n, note.of, note.low, note.applied), (0, 5, true, false));
}

#[test]
fn lengths_are_medians_and_long_systems_are_named() {
    let mut sheet = sheet(&[("short", "C C"), ("long", "C C")]);
    set_words(&mut sheet, 0, 200);
    set_words(&mut sheet, 1, 300);
    let table = coverage(&sheet, &View::default());
    assert_eq!(table.rows[1].median_words, Some(300.0));
    assert_eq!((table.rows[0].over_250, table.rows[1].over_250), (false, true));
    let note = table.longest.unwrap();
    assert_eq!((note.longest.as_str(), note.shortest.as_str()), ("long", "short"));
    close(Some(note.ratio), 1.5);

    set_words(&mut sheet, 1, 299);
    assert_eq!(coverage(&sheet, &View::default()).longest, None);
    let view = View { hidden: vec![1], ..View::default() };
    assert_eq!(coverage(&sheet, &view).longest, None);
    sheet.frame.systems[0].answers[0] =
        AnswerState::Answered { digest: Digest::of_texts(["x"]), words: 251 };
    assert_eq!(coverage(&sheet, &view).rows[0].median_words, Some(225.5));
}

#[test]
fn groups_are_means_over_their_queries() {
    let mut sheet = sheet(&[("a", "C N D ?"), ("b", "N N N N")]);
    for (case, domain) in ["Health", "Arts", "Health", "Health"].iter().enumerate() {
        sheet.frame.cases[case].domain = (*domain).to_owned();
        sheet.frame.cases[case].field = format!("field {}", case % 2);
    }
    let groups = by_domain(&sheet, &View::default());
    let names: Vec<(&str, u64)> =
        groups.iter().map(|group| (group.name.as_str(), group.n)).collect();
    assert_eq!(names, [("Health", 3), ("Arts", 1)]);
    close(groups[0].cells[0].answered.mean, 0.75);
    close(groups[0].cells[0].all_asked.mean, 0.5);
    assert!(groups[0].cells[0].few);

    let fields = by_field(&sheet, &View::default());
    assert_eq!(fields[0].name, "field 0");
    close(fields[0].cells[0].answered.mean, 0.75);
    let view = View { domain: Some("Arts".to_owned()), ..View::default() };
    assert_eq!(by_field(&sheet, &view).len(), 1);
    assert_eq!(coverage(&sheet, &view).n_queries, 1);
    let view = View { field: Some("field 1".to_owned()), hidden: vec![1], ..View::default() };
    assert_eq!(by_domain(&sheet, &view).len(), 2);
    assert_eq!(by_domain(&sheet, &view)[0].cells.len(), 1);
}

#[test]
fn ten_queries_are_not_few() {
    let groups = by_domain(&sheet(&[("a", &"C ".repeat(10))]), &View::default());
    assert!(!groups[0].cells[0].few);
}

#[test]
fn few_speaks_of_the_main_figure() {
    // Ten queries asked, nine answered.
    let gap = sheet(&[("a", &format!("{}_", "C ".repeat(9)))]);
    let cell = by_domain(&gap, &View::default())[0].cells[0].clone();
    assert_eq!((cell.all_asked.n, cell.answered.n, cell.few), (10, 9, false));
    let paper = reading(gap, Reading::Paper);
    assert!(by_domain(&paper, &View::default())[0].cells[0].few);
}

#[test]
fn types_have_two_denominators() {
    use ItemType::{Citation, Comparison, Example};
    // Five items: Citation; Citation + Example; Example; Comparison; none.
    let mut sheet = sheet(&[("a", "CNB MC"), ("b", "CCC Cf")]);
    for (at, types) in [
        ((0, 0), vec![Citation]),
        ((0, 1), vec![Citation, Example]),
        // A type named twice is one type.
        ((0, 2), vec![Example, Example]),
        ((1, 0), vec![]),
        ((1, 1), vec![Comparison]),
    ] {
        sheet.frame.cases[at.0].items[at.1].types = types;
    }
    let table = by_type(&sheet, &View { item_type: Some(Citation), ..View::default() });
    assert_eq!((table.items, table.labels, table.untyped), (4, 5, 1));
    let citation = table.frequencies[0];
    assert_eq!((citation.item_type, citation.items), (Citation, 2));
    close(citation.share_of_items, 2.0 / 4.0);
    close(citation.share_of_labels, 2.0 / 5.0);
    let sum: f64 = table.frequencies.iter().filter_map(|kind| kind.share_of_labels).sum();
    close(Some(sum), 1.0);

    let a = &table.rows[0].cells;
    assert_eq!((a[0].n, a[0].short), (2, 1));
    close(a[0].error, 0.5);
    // Both example items fall short, pooled.
    close(a[3].error, 1.0);
    close(a[2].error, 0.0);
    assert_eq!(a[1].error, None);
    // A failure is in no share of b's comparisons.
    assert_eq!((table.rows[1].cells[2].n, table.rows[1].cells[2].error), (0, None));
}

#[test]
fn weighted_errors_recombine_as_published() {
    // Protocols §1.6, Table 5: Σ frequency × error = 49.59.
    let rows = [(8.3, 89.3), (2.7, 52.4), (14.2, 51.9), (11.2, 46.8), (15.5, 46.3), (48.1, 43.6)];
    let sum: f64 = rows.iter().map(|(frequency, error)| frequency * error / 100.0).sum();
    assert!((sum - 49.59).abs() < 0.005);
}

#[test]
fn differences_are_paired_by_query() {
    // Seven gaps of .125, two of .25, three of 0: mean 1.375/12; Σd² = .234375, less 12 × mean² leaves
    // .0768229; sd √(.0768229/11) = .0835697; SE sd/√12 = .0241245; t(.975; 11) = 2.200985.
    // scipy.stats.ttest_rel(...).confidence_interval() = (.0614856534874, .1676810131792).
    let sheet = sheet(&[("ash", ASH), ("box", BOX)]);
    let gap = &differences(&sheet, &View::default(), 1)[0];
    close(gap.mean, 1.375 / 12.0);
    close(gap.se, 0.024_124_506_066_017_043);
    close(gap.low, 0.061_485_653_487_489_106);
    close(gap.high, 0.167_681_013_179_177_55);
    assert_eq!((gap.n, gap.finding, gap.name.as_str()), (12, Finding::Higher, "ash"));

    let back = &differences(&sheet, &View::default(), 0)[0];
    close(back.mean, -1.375 / 12.0);
    assert_eq!(back.finding, Finding::Lower);
    assert_eq!(back.low, gap.high.map(|high| -high));
}

#[test]
fn pairs_are_what_both_have() {
    let sheet = sheet(&[("a", "C ? f C D"), ("b", "N C C _ D"), ("c", "C C C C C")]);
    let gaps = differences(&sheet, &View::default(), 1);
    // a and b share queries 0 and 4; c's own pairs with b do not shrink for a's gaps.
    assert_eq!((gaps[0].n, gaps[1].n), (2, 4));
    close(gaps[0].mean, 0.5);
    assert_eq!(gaps[0].finding, Finding::TooFew);
    let hidden = View { hidden: vec![1], ..View::default() };
    assert!(differences(&sheet, &hidden, 1).is_empty());
    assert!(differences(&sheet, &View::default(), 9).is_empty());
}

#[test]
fn what_is_interim_has_differences_without_intervals() {
    let sheet = Sheet { complete: false, ..sheet(&[("ash", ASH), ("box", BOX)]) };
    let gap = &differences(&sheet, &View::default(), 1)[0];
    close(gap.mean, 1.375 / 12.0);
    assert_eq!((gap.se, gap.low, gap.high, gap.finding), (None, None, None, Finding::Interim));
}

#[test]
fn equal_systems_do_not_differ() {
    let sheet = sheet(&[("a", ASH), ("b", ASH)]);
    let gap = &differences(&sheet, &View::default(), 0)[0];
    assert_eq!((gap.mean, gap.low, gap.high), (Some(0.0), Some(0.0), Some(0.0)));
    assert_eq!(gap.finding, Finding::NoClearDifference);
}

#[track_caller]
fn check_standing(sheet: &Sheet, expected: Standing, expected_leader: Option<&str>) {
    let table = coverage(sheet, &View::default());
    let gaps = leader(&table).map(|first| differences(sheet, &View::default(), first));
    let found = headline(&table, &gaps.unwrap_or_default());
    assert_eq!(found.standing, expected);
    assert_eq!(found.leader.map(|place| place.name).as_deref(), expected_leader);
}

#[test]
fn a_headline_carries_its_doubt() {
    use Standing::{Aborted, Alone, Clear, Crossed, Interim, Level, Nothing, Untold};
    check_standing(&sheet(&[("box", BOX), ("ash", ASH)]), Clear, Some("ash"));
    check_standing(&sheet(&[("a", ASH), ("b", ASH)]), Level, Some("a"));
    check_standing(&sheet(&[("a", "C C"), ("b", "N N")]), Untold, Some("a"));
    check_standing(&sheet(&[("a", ASH)]), Alone, Some("a"));
    check_standing(&sheet(&[]), Nothing, None);
    check_standing(&sheet(&[("a", "ff")]), Nothing, None);
    // Better wherever it answers, behind for its gaps.
    let gaps = format!("{BOX} CC CC CC CC CC CC");
    let better = format!("{ASH} ? ? ? ? ? ?");
    check_standing(&sheet(&[("gaps", &better), ("full", &gaps)]), Crossed, Some("full"));
    let interim = Sheet { complete: false, ..sheet(&[("ash", ASH), ("box", BOX)]) };
    check_standing(&interim, Interim, None);
    let aborted = Sheet { aborted: Some("x".to_owned()), ..sheet(&[("ash", ASH)]) };
    check_standing(&aborted, Aborted, None);
}

/// Through the bytes of another format, as from a worker. Not through JSON, whose reader may lose the
/// last digit.
#[test]
fn results_travel_as_plain_values() {
    #[track_caller]
    fn check<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
        value: &T,
    ) {
        let bytes = postcard::to_allocvec(value).unwrap();
        assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value);
    }
    let sheet = sheet(&[("ash", ASH), ("box", "CM ? ff CC BM MM MM DM CM DD CM MM")]);
    let view = View { domain: Some("Health".to_owned()), baseline: Some(1), ..View::default() };
    let (table, gaps) = (coverage(&sheet, &view), differences(&sheet, &view, 0));
    check(&view);
    check(&headline(&table, &gaps));
    check(&table);
    check(&gaps);
    check(&by_domain(&sheet, &view));
    check(&by_type(&sheet, &view));
}

/// Three systems, one to eight queries of one to four items, anything in them.
fn anything() -> impl Strategy<Value = Sheet> {
    let query = (1_usize..=4).prop_flat_map(|items| {
        proptest::collection::vec(
            prop_oneof![
                1 => Just("?".to_owned()),
                1 => Just("_".to_owned()),
                6 => proptest::collection::vec(
                    proptest::sample::select("NBDMCutrfi-".chars().collect::<Vec<_>>()),
                    items,
                )
                .prop_map(|letters| letters.into_iter().collect::<String>()),
            ],
            3,
        )
    });
    let readings = proptest::sample::select(Reading::ALL.to_vec());
    (proptest::collection::vec(query, 1..=8), readings, any::<bool>()).prop_map(
        |(queries, reading, complete)| {
            let system = |at: usize| {
                queries.iter().map(|query| query[at].as_str()).collect::<Vec<_>>().join(" ")
            };
            let made = sheet(&[("a", &system(0)), ("b", &system(1)), ("c", &system(2))]);
            Sheet { reading, complete, ..made }
        },
    )
}

proptest! {
    #[test]
    fn denominators_add_up(sheet in anything()) {
        let table = coverage(&sheet, &View::default());
        for row in &table.rows {
            let t = row.tally;
            prop_assert_eq!(
                t.asked(),
                t.scored + t.unparsed + t.truncated + t.refused + t.failed + t.in_flight
            );
            prop_assert_eq!(row.matched + row.missing + row.empty, table.n_queries);
            prop_assert_eq!(
                row.answered.n + row.left_out.undefined() + row.left_out.waiting,
                row.matched
            );
            prop_assert!(row.all_asked.n <= table.n_queries);
        }
        prop_assert_eq!(table.tally, sheet.tally());
    }

    #[test]
    fn a_range_holds_its_figure(sheet in anything()) {
        for row in coverage(&sheet, &View::default()).rows {
            for figure in [row.all_asked, row.answered] {
                prop_assert_eq!(figure.mean.is_some(), 0 < figure.n);
                prop_assert_eq!(figure.low.is_some(), 1 < figure.n);
                let Some(mean) = figure.mean else { continue };
                let (low, high) = figure.range_low.zip(figure.range_high).unwrap();
                prop_assert!(0.0 <= low && low <= mean && mean <= high && high <= 1.0);
                if let Some((low, high)) = figure.low.zip(figure.high) {
                    prop_assert!(low <= mean && mean <= high);
                }
                if sheet.marks[row.system].iter().flatten().all(|mark| mark.label().is_some()) {
                    prop_assert!(!figure.is_open());
                }
            }
        }
    }

    /// Whatever the judge would have said, the figure of the full sheet lies in the range.
    #[test]
    fn a_range_keeps_its_promise(sheet in anything(), label in 0_u8..5) {
        let mut answered = Sheet { complete: true, ..sheet };
        for mark in answered.marks.iter_mut().flatten().flatten() {
            if matches!(mark, Mark::Unscored(Unscored::InFlight | Unscored::NotAsked)) {
                *mark = Mark::Unscored(Unscored::Failed);
            }
        }
        let before = coverage(&answered, &View::default());
        let label = Label::from_quarters(label).unwrap();
        for mark in answered.marks.iter_mut().flatten().flatten() {
            if mark.label().is_none() {
                *mark = Mark::Scored(label);
            }
        }
        let after = coverage(&answered, &View::default());
        for (before, after) in before.rows.iter().zip(&after.rows) {
            for (range, full) in
                [(before.all_asked, after.all_asked), (before.answered, after.answered)]
            {
                let Some(mean) = full.mean else { continue };
                let (low, high) = range.range_low.zip(range.range_high).unwrap();
                prop_assert!(low - 1e-12 <= mean && mean <= high + 1e-12);
            }
        }
    }

    #[test]
    fn names_and_order_change_nothing(sheet in anything()) {
        let mut turned = sheet.clone();
        turned.frame.systems.reverse();
        turned.marks.reverse();
        for system in &mut turned.frame.systems {
            system.name = SystemName::new(format!("{}!", system.name));
        }
        let (before, after) =
            (coverage(&sheet, &View::default()), coverage(&turned, &View::default()));
        for (at, row) in before.rows.iter().enumerate() {
            let same = &after.rows[2 - at];
            prop_assert_eq!((row.all_asked, row.answered), (same.all_asked, same.answered));
            prop_assert_eq!((row.tally, row.left_out), (same.tally, same.left_out));
        }
        let gap = &differences(&sheet, &View::default(), 0)[1];
        let same = differences(&turned, &View::default(), 2);
        let same = same.iter().find(|other| other.system == 0).unwrap();
        prop_assert_eq!((gap.mean, gap.low, gap.n), (same.mean, same.low, same.n));
    }

    #[test]
    fn groups_hold_every_query_once(sheet in anything()) {
        let table = coverage(&sheet, &View::default());
        let groups = by_domain(&sheet, &View::default());
        prop_assert_eq!(groups.iter().map(|group| group.n).sum::<u64>(), table.n_queries);
        prop_assert_eq!(groups[0].cells[0].answered, table.rows[0].answered);
    }
}
