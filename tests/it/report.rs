//! Every export: small outputs read by eye, and names nobody should choose.

use proptest::prelude::*;
use viva::metrics::{
    CoverageTable, Difference, TypeCell, TypeTable, View, by_domain, by_field, by_type, coverage,
    differences, headline, leader,
};
use viva::protocol::Reading;
use viva::report::csv::Bom;
use viva::report::{
    Block, Provenance, RefusedExport, Summary, WATERMARK, csv, headline as words, latex, markdown,
    number, reference, summary,
};
use viva::run::Sheet;

use crate::metrics::{ASH, BOX, set_words, sheet};

const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "=cmd()",
    "a_b%",
    "two\nlines",
    "pipe|d",
    "]]>",
    "**bold** [x](javascript:1) `code`",
    "\\input{x} $1^2$ ~ & # {}",
    "[2pt] *",
];

fn provenance() -> Provenance {
    Provenance {
        app_version: "0.1.0".to_owned(),
        dataset: "ResearchQA test, revision 1f3c9ab".to_owned(),
        n_cases: 12,
        judge: "gpt-4.1-mini".to_owned(),
        how: "Viva prompt v3, temperature 0".to_owned(),
        reading: Reading::Recommended,
        seed: 7,
        queries_per_field: Some(2),
        created_utc: "2026-01-31T12:00:00Z".to_owned(),
        practice: false,
        complete: true,
        notes: vec![],
    }
}

/// `box` answers all; `ash_long` misses one, has one item without a verdict, and is long.
fn two() -> Sheet {
    let gaps = ASH.replacen("CC CM MM", "CC ? Mf", 1);
    let mut made = sheet(&[("box", BOX), ("ash_long", &gaps)]);
    set_words(&mut made, 1, 400);
    made
}

fn table(sheet: &Sheet) -> CoverageTable {
    coverage(sheet, &View::default())
}

fn gaps(sheet: &Sheet) -> Vec<Difference> {
    leader(&table(sheet))
        .map(|first| differences(sheet, &View::default(), first))
        .unwrap_or_default()
}

fn finding(sheet: &Sheet) -> String {
    words::text(&headline(&table(sheet), &gaps(sheet)))
}

fn whole(sheet: &Sheet, provenance: &Provenance) -> String {
    let (table, gaps) = (table(sheet), gaps(sheet));
    summary(&Summary {
        provenance,
        headline: &headline(&table, &gaps),
        coverage: &table,
        differences: &gaps,
        domains: &by_domain(sheet, &View::default()),
        fields: &by_field(sheet, &View::default()),
        types: &by_type(sheet, &View::default()),
    })
}

/// Every text format.
fn all(sheet: &Sheet, provenance: &Provenance) -> [(&'static str, String); 4] {
    let table = table(sheet);
    [
        ("csv", csv::coverage(&table, provenance, Bom::With)),
        ("markdown", markdown::table(&table, provenance)),
        ("latex", latex::table(&table, provenance)),
        ("summary", whole(sheet, provenance)),
    ]
}

fn practice(mut sheet: Sheet) -> Sheet {
    sheet.judge.practice = true;
    sheet
}

#[test]
fn the_page_tells_of_types_what_the_summary_tells() {
    let sheet = two();
    let found = by_type(&sheet, &View::default());
    let blocks = viva::report::kind::blocks(&found);
    let [Block::Table(table), Block::Text(foot)] = &blocks[..] else { panic!("{blocks:?}") };
    assert_eq!(table.head.len(), 4 + found.rows.len());
    let kinds: Vec<_> = found.frequencies.iter().filter(|it| 0 < it.items).collect();
    assert_eq!(table.rows.len(), kinds.len());
    for (row, kind) in table.rows.iter().zip(kinds) {
        assert_eq!(row[..2], [kind.item_type.as_str().to_owned(), kind.items.to_string()]);
        let at = found.frequencies.iter().position(|it| it == kind).unwrap();
        for (cell, system) in row[4..].iter().zip(&found.rows) {
            let TypeCell { n, error, few, .. } = system.cells[at];
            let error = error.map_or("–".to_owned(), number::percent1);
            assert_eq!(*cell, format!("{error} (n = {n}{})", if few { ", few" } else { "" }));
        }
    }
    assert!(foot.contains(&format!("{} type", found.labels)), "{foot}");
    let none = TypeTable { labels: 0, ..found };
    assert!(viva::report::kind::blocks(&none).is_empty());
}

#[test]
fn numbers_round_like_python() {
    #[track_caller]
    fn check(value: f64, digits: usize, expected: &str) {
        assert_eq!(number::fixed(value, digits), expected);
    }
    // Protocols §0, as Python prints them.
    check(2.5, 0, "2");
    check(0.125, 2, "0.12");
    check(0.375, 2, "0.38");
    check(2.675, 2, "2.67");
    check(0.0005, 3, "0.001");
    check(0.8125, 3, "0.812");
    check(0.6665, 3, "0.666");
    check(-2.675, 2, "−2.67");
    assert_eq!(number::fixed(-0.04, 1), "0.0", "a rounded zero has no sign");
    assert_eq!(number::fixed(f64::NAN, 1), "–");
}

#[test]
fn numbers_look_as_agreed() {
    assert_eq!(number::percent1(0.668), "66.8");
    assert_eq!(number::percent1(1.0), "100.0");
    assert_eq!(number::se2(0.012), "1.20");
    assert_eq!(number::interval(0.644, 0.691), "64.4–69.1");
    assert_eq!(number::interval(-0.008, 0.052), "−0.8 to 5.2");
    assert_eq!(number::interval(-0.0001, 0.052), "0.0–5.2");
    assert_eq!(number::points(0.022), "+2.2");
    assert_eq!(number::points(-0.2), "−20.0");
    assert_eq!(number::points(0.0004), "0.0");
    assert_eq!(number::points_interval(-0.008, 0.052), "−0.8 to +5.2");
    assert_eq!(number::points_interval(0.01, 0.03), "+1.0 to +3.0");
    assert_eq!(number::words(96.5), "96");
    assert_eq!(number::count(3750), "3750");
    assert_eq!(number::digit_groups(3750), ["3750"]);
    assert_eq!(number::digit_groups(12_345), ["12", "345"]);
    assert_eq!(number::digit_groups(123_456), ["123", "456"]);
    assert_eq!(number::digit_groups(1_234_567), ["1", "234", "567"]);
}

#[test]
fn markdown_is_as_read_by_eye() {
    assert_eq!(
        markdown::table(&table(&two()), &provenance()),
        "\
## Rubric coverage

| System | Coverage % (all asked) | SE | 95% interval | n | Answered only % | n | Answers, of 12 | Scored | Asked | Range | Median words |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| ash\\_long | 78.1 | 8.58 | 59.2–97.0 | 12 | 85.2 | 11 | 11 | 21 | 22 | 75.0–79.2 | 400\\* |
| box | 74.0 | 4.47 | 64.1–83.8 | 12 | 74.0 | 12 | 12 | 24 | 24 | – | 200 |

- All asked: mean over the 12 queries; a missing or empty answer counts 0. Answered only: mean over the queries a system answered. Items without a verdict are in neither; they widen the range. n: queries in the mean to its left.
- SE: standard deviation of answer coverage over queries, divided by the square root of n. Interval: 95% t-interval. The interval covers the choice of questions, not the judge, the prompt or repeated runs.
- Verdicts: asked 46 = scored 45 + unparsed 0 + truncated 0 + refused 0 + failed 1 + in flight 0.
- ash\\_long: 1 item without a verdict, so its figure lies between 75.0 and 79.2.
- \\* over the 250 words asked for.
- ash\\_long writes 2.0 times as much as box (median 400 against 200 words); longer answers tend to cover more.
- Source: ResearchQA test, revision 1f3c9ab, 12 queries, at most 2 a field, seed 7. Judge: gpt-4.1-mini, Viva prompt v3, temperature 0. Reading: Recommended. Viva 0.1.0, 2026-01-31T12:00:00Z.
- Coverage is not correctness.
"
    );
}

#[test]
fn other_readings_show_no_all_asked() {
    let paper = crate::metrics::reading(two(), Reading::Paper);
    let text = markdown::table(&table(&paper), &provenance());
    assert!(
        text.contains(
            "| System | Coverage % | SE | 95% interval | n | Answers, of 12 | Left out |"
        )
    );
    // The answer with a failed item is left out, the missing one skipped.
    assert!(
        text.contains(
            "| ash\\_long | 86.2 | 5.73 | 73.3–99.2 | 10 | 11 | 1 | 21 | 22 | 78.4–87.5 | 400\\* |"
        ),
        "{text}"
    );
    assert!(text.contains(
        "1 item without a verdict; 1 answer left out, so its figure lies between 78.4 and 87.5."
    ));
    assert!(text.contains("Reading: As in the paper."));
}

#[test]
fn a_stopped_run_gives_its_reason_and_no_figure() {
    let mut stopped = crate::metrics::reading(two(), Reading::Released);
    stopped.aborted = Some("KeyError: 'Fully' in q3.".to_owned());
    let text = whole(&stopped, &provenance());
    assert!(text.contains("No result under this reading: KeyError: 'Fully' in q3."));
    assert!(text.contains("| box | – | – | – | 0 | 12 |"), "{text}");
    assert!(text.contains("No figure, so no range."));
}

#[test]
fn latex_is_as_read_by_eye() {
    let text = latex::table(&table(&two()), &provenance());
    let (caption, rest) = text.split_once("\\label").unwrap();
    assert_eq!(
        caption,
        "% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n\\caption{Rubric coverage on \
         ResearchQA test, revision 1f3c9ab, 12 queries. Judge: gpt-4.1-mini. Reading: Recommended.}\n"
    );
    let (tabular, notes) = rest.split_once("\\par").unwrap();
    assert!(notes.starts_with(
        "\\medskip\n\\begin{minipage}{\\linewidth}\n\\footnotesize\nAll asked: mean over the 12 \
         queries; a missing or empty answer counts 0."
    ));
    assert!(notes.contains("Interval: 95\\% t-interval."));
    assert!(notes.ends_with("\n\\end{minipage}\n\\end{table}\n"));
    assert_eq!(
        tabular,
        "\
{tab:viva-coverage}
\\small
\\begin{tabular}{lrrrrrrrrrrr}
\\toprule
System & Coverage \\% (all asked) & SE & 95\\% interval & n & Answered only \\% & n & Answers, of 12 & Scored & Asked & Range & Median words \\\\
\\midrule
ash\\_long & 78.1 & 8.58 & 59.2--97.0 & 12 & 85.2 & 11 & 11 & 21 & 22 & 75.0--79.2 & 400{*} \\\\
box & 74.0 & 4.47 & 64.1--83.8 & 12 & 74.0 & 12 & 12 & 24 & 24 & -- & 200 \\\\
\\bottomrule
\\end{tabular}
"
    );
}

#[test]
fn findings_say_their_doubt() {
    #[track_caller]
    fn check(sheet: &Sheet, expected: &str) {
        assert_eq!(finding(sheet), expected);
    }
    check(
        &sheet(&[("box", BOX), ("ash", ASH)]),
        "ash has the highest coverage (all asked), 85.4%, before box, 74.0%. On the 12 queries both \
         answered it is clearly higher: +11.5 points (+6.1 to +16.8).",
    );
    let other = "CM MM DM CC BM MM MC DM CM DM CM DM";
    check(
        &sheet(&[("box", BOX), ("cedar", other), ("fir", BOX)]),
        "cedar and box have the highest coverage (all asked) and cannot be told apart: 75.0% and 74.0%. \
         On the 12 queries both answered the difference is +1.0 points (−3.0 to +5.1). Not clearly below \
         cedar either: fir.",
    );
    check(
        &sheet(&[("a", "C C"), ("b", "N N")]),
        "a and b have the highest coverage (all asked): 100.0% and 0.0%. Both have a figure on 2 queries, \
         too few to tell them apart.",
    );
    check(
        &sheet(&[("a", ASH)]),
        "a covers 85.4% (74.8–96.0; all asked) on 12 queries. There is no other system to compare it with.",
    );
    check(&sheet(&[("a", "f")]), "Nothing has been scored yet.");
    check(
        &Sheet { complete: false, ..two() },
        "Interim figures: not everything planned has come back, so no system is ranked yet.",
    );
    let full = format!("{BOX} CC CC CC CC CC CC");
    let better = format!("{ASH} ? ? ? ? ? ?");
    check(
        &sheet(&[("gaps", &better), ("full", &full)]),
        "full has the highest coverage (all asked), 82.6%, before gaps, 56.9%. On the 12 queries both \
         answered it is clearly lower: −11.5 points (−16.8 to −6.1). The order rests on the queries they \
         do not share.",
    );
    check(
        &practice(sheet(&[("a", ASH)])),
        "Practice scores: word overlap, not a judgement. a scores 85.4% (74.8–96.0; all asked) on 12 \
         queries. There is no other system to compare it with.",
    );
}

#[test]
fn an_interim_table_is_not_sorted() {
    let text = markdown::table(&table(&Sheet { complete: false, ..two() }), &provenance());
    assert!(text.find("| box").unwrap() < text.find("| ash").unwrap());
    assert!(text.contains("Interim: not everything planned has come back, so nothing is ranked."));
}

#[test]
fn a_summary_has_every_section() {
    let text =
        whole(&two(), &Provenance { notes: vec!["Added later: box.".to_owned()], ..provenance() });
    let titles: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        titles,
        [
            "# Rubric coverage",
            "## How it was made",
            "## Table",
            "## Differences",
            "## What was asked",
            "## Ranges",
            "## By domain",
            "## By field",
            "## By type of rubric item",
            "## Limits",
        ]
    );
    for part in [
        "**ash\\_long** has the highest coverage (all asked), 78.1%, before **box**, 74.0%. On the 11",
        "46 rubric items of the answers given were put to the judge gpt-4.1-mini, Viva prompt v3, temperature 0. Reading: Recommended.",
        "| box | −11.4 | −17.2 to −5.5 | 11 | lower than ash\\_long |",
        "| ash\\_long | 12 | 11 | 1 | 0 | 22 | 21 | 0 | 0 | 0 | 1 | 0 |",
        "- All verdicts: asked 46 = scored 45 + unparsed 0 + truncated 0 + refused 0 + failed 1 + in flight 0.",
        "- ash\\_long: 1 item without a verdict, so its figure lies between 75.0 and 79.2.",
        "at most 2 a field, seed 7. In view: 12 of the run’s 12 queries, and 2 systems. 46",
        "- Each system minus the baseline, ash\\_long, query by query,",
        "| Health | 12 | 74.0 ± 9.8 (n = 12) | 85.2 ± 11.8 (n = 11) |",
        "| Other | 24 | 100.0 | 100.0 | 79.2 (n = 24) | 42.9 (n = 21) |",
        "The interval covers the choice of questions, not the judge, the prompt or repeated runs.",
        "Coverage is not correctness.",
        "- Added later: box.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.ends_with(".\n") && !text.ends_with("\n\n"));
    assert!(!text.contains(" | 0 | 0.0 |"), "types that no item has are left out");
    assert!(whole(&two(), &provenance()).contains("seed 7. Answered by 2 systems. 46"));
}

#[test]
fn a_handful_of_queries_is_called_one() {
    let few = sheet(&[("a", "C N D")]);
    for text in [markdown::table(&table(&few), &provenance()), whole(&few, &provenance())] {
        assert!(text.contains("Fewer than 10 questions: the interval is a guess"), "{text}");
    }
    assert!(whole(&few, &provenance()).contains("| Health | 3 | 50.0 (n = 3, too few) |"));
    assert!(!markdown::table(&table(&two()), &provenance()).contains("is a guess"));
}

#[test]
fn nothing_in_view_is_not_nothing_scored() {
    let view = View { hidden: vec![0, 1], ..View::default() };
    let table = coverage(&two(), &view);
    let text = summary(&Summary {
        provenance: &provenance(),
        headline: &headline(&table, &[]),
        coverage: &table,
        differences: &[],
        domains: &[],
        fields: &[],
        types: &by_type(&two(), &view),
    });
    assert!(text.contains("No system is in view.") && !text.contains("Nothing has been scored"));
}

#[test]
fn practice_is_marked_in_every_format() {
    for (format, text) in all(&practice(two()), &provenance()) {
        assert!(text.contains(WATERMARK), "{format}");
        assert!(text.contains("Word-overlap score (practice)"), "{format}");
        assert!(!text.contains("Rubric coverage"), "{format}");
        assert!(!text.contains("Coverage %") && !text.contains("highest coverage"), "{format}");
    }
    // Either witness is enough.
    let stamped = Provenance { practice: true, ..provenance() };
    assert!(markdown::table(&table(&two()), &stamped).contains(WATERMARK));
    for (format, text) in all(&two(), &provenance()) {
        assert!(!text.contains(WATERMARK) && !text.contains("overlap"), "{format}");
    }
}

fn rows(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    // The module of the same name writes; this is the crate, which reads.
    let mut reader = ::csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn csv_reads_back_equal() {
    let table = table(&two());
    let text = csv::coverage(&table, &provenance(), Bom::With);
    assert!(text.starts_with("\u{feff}system,measure,all_asked_percent,"));
    assert!(!csv::coverage(&table, &provenance(), Bom::Without).starts_with('\u{feff}'));
    assert_eq!(text.matches("\r\n").count(), 3);
    for row in rows(&text) {
        let source = table.rows.iter().find(|source| source.name == row["system"]).unwrap();
        for (prefix, figure) in
            [("all_asked", source.all_asked), ("answered_only", source.answered)]
        {
            for (column, value) in [
                ("percent", figure.mean),
                ("se", figure.se),
                ("low", figure.low),
                ("high", figure.high),
                ("range_low", figure.range_low),
                ("range_high", figure.range_high),
            ] {
                let found: f64 = row[&format!("{prefix}_{column}")].parse().unwrap();
                assert_eq!(Some(found.to_bits()), value.map(|value| (value * 100.0).to_bits()));
            }
            assert_eq!(row[&format!("{prefix}_n")], figure.n.to_string());
        }
        for (column, value) in [
            ("queries", 12),
            ("answers_matched", source.matched),
            ("answers_missing", source.missing),
            ("asked", source.tally.asked()),
            ("scored", source.tally.scored),
            ("failed", source.tally.failed),
        ] {
            assert_eq!(row[column], value.to_string(), "{column}");
        }
        assert_eq!(row["reading"], "Recommended");
        assert_eq!(row["judge"], "gpt-4.1-mini");
        assert_eq!(row["how"], "Viva prompt v3, temperature 0");
        assert_eq!((row["seed"].as_str(), row["queries_per_field"].as_str()), ("7", "2"));
    }
}

#[test]
fn csv_keeps_negative_bounds_as_numbers() {
    let text = csv::coverage(&table(&sheet(&[("a", "C N")])), &provenance(), Bom::Without);
    assert!(rows(&text)[0]["all_asked_low"].parse::<f64>().unwrap() < 0.0);
    let none = csv::coverage(&table(&sheet(&[("a", "C")])), &provenance(), Bom::Without);
    assert_eq!(rows(&none)[0]["all_asked_se"], "");
}

#[test]
fn csv_starts_no_formula() {
    for text in ["=1", "+1", "-1", "@x", "\tx", "\rx"] {
        assert_eq!(csv::guard(text), format!("'{text}"));
    }
    assert_eq!(csv::guard("a=1"), "a=1");
    let origin = Provenance { dataset: "=HYPERLINK(1)".to_owned(), ..provenance() };
    let text = csv::coverage(&table(&sheet(&[("@SUM(1)", "C")])), &origin, Bom::Without);
    assert_eq!(rows(&text)[0]["system"], "'@SUM(1)");
    assert_eq!(rows(&text)[0]["dataset"], "'=HYPERLINK(1)");
}

#[test]
fn a_table_without_systems_is_still_a_table() {
    let empty = sheet(&[]);
    for (format, text) in all(&empty, &provenance()) {
        assert!(!text.trim().is_empty(), "{format}");
    }
}

#[test]
fn hostile_names_stay_text() {
    for name in HOSTILE {
        let mut sheet = sheet(&[(name, ASH), ("other", BOX)]);
        sheet.frame.cases[0].domain = name.to_owned();
        let origin = Provenance {
            dataset: name.to_owned(),
            judge: name.to_owned(),
            how: name.to_owned(),
            notes: vec![name.to_owned()],
            ..provenance()
        };
        let [(_, csv), (_, markdown), (_, latex), (_, summary)] = all(&sheet, &origin);

        let row = &rows(&csv)[0];
        assert_eq!(row["system"].trim_start_matches('\''), name);
        assert_eq!(row.len(), csv.lines().next().unwrap().split(',').count());

        for text in [&markdown, &summary] {
            assert!(!text.contains("<script") && !text.contains("**bold**"), "{text}");
            assert!(!text.contains("](javascript") || text.contains("\\](javascript"), "{text}");
            for lines in text.lines().collect::<Vec<_>>().windows(2) {
                if lines.iter().all(|line| line.starts_with('|')) {
                    assert_eq!(cells(lines[0]), cells(lines[1]), "{text}");
                }
            }
        }
        let body = latex.split_once("\\midrule\n").unwrap().1.split_once("\\bottomrule").unwrap().0;
        assert_eq!(body.lines().count(), 2, "{latex}");
        for line in body.lines() {
            assert!(line.ends_with(" \\\\"));
            assert_eq!(line.replace("\\&", "").matches('&').count(), 10, "{latex}");
            assert!(!line.starts_with(['[', '*']));
        }
        assert!(!latex.contains("\\input") && !latex.replace("\\$", "").contains("$1"));
        let plain = latex.replace("\\{", "").replace("\\}", "");
        assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "{latex}");
    }
}

/// Columns of a Markdown row: bars that no backslash takes back.
fn cells(line: &str) -> usize {
    line.replace("\\\\", "").replace("\\|", "").matches('|').count()
}

#[test]
fn escapes_are_as_read_by_eye() {
    #[track_caller]
    fn check(text: &str, expected_markdown: &str, expected_latex: &str) {
        assert_eq!(markdown::escape(text), expected_markdown);
        assert_eq!(latex::escape(text), expected_latex);
    }
    check("<b>&", "&lt;b&gt;&amp;", "\\textless{}b\\textgreater{}\\&");
    check("a_b% | c", "a\\_b% \\| c", "a\\_b\\% \\textbar{} c");
    check("two\r\nlines", "two  lines", "two  lines");
    check("1. x", "1\\. x", "1. x");
    check("gpt-4.1", "gpt-4.1", "gpt-4.1");
    check("- x", "\\- x", "- x");
    check("]]>", "\\]\\]&gt;", "{]}{]}\\textgreater{}");
    check("a--b", "a--b", "a-{}-b");
    check(
        "\\~^\"",
        "\\\\\\~^\"",
        "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\symbol{34}",
    );
    check("−1–2", "−1–2", "$-$1--2");
    // A mark that turns the direction of text would make a name read as another.
    check("ab\u{202e}dc", "abdc", "abdc");
}

fn texts(sheet: &Sheet) -> Vec<Vec<String>> {
    let text = |case: usize, item: usize| format!("Does it say {case}.{item} \"so\" ]]>?");
    (0..sheet.frame.cases.len())
        .map(|case| (0..sheet.frame.cases[case].items.len()).map(|item| text(case, item)).collect())
        .collect()
}

#[test]
fn the_reference_shape_is_exact() {
    let sheet = sheet(&[("a", "CN Mu B ? _"), ("b", "ff ff N C C")]);
    let export = reference::coverage_json(&sheet, 0, &texts(&sheet)).unwrap();
    // The second answer has an item without a verdict; the last two were never given.
    assert_eq!(export.left_out, 1);
    assert_eq!(
        export.json,
        r#"{
  "q0": [
    {
      "rubric": "Does it say 0.0 \"so\" ]]>?",
      "score": "Completely"
    },
    {
      "rubric": "Does it say 0.1 \"so\" ]]>?",
      "score": "Not at all"
    }
  ],
  "q2": [
    {
      "rubric": "Does it say 2.0 \"so\" ]]>?",
      "score": "Barely"
    }
  ]
}"#
    );
    assert!(serde_json::from_str::<serde_json::Value>(&export.json).is_ok());
}

#[test]
fn a_reference_file_is_refused_where_it_would_mislead() {
    let sheet = sheet(&[("a", "CN")]);
    let texts = texts(&sheet);
    let refused = |sheet: &Sheet, system, texts: &[Vec<String>]| {
        reference::coverage_json(sheet, system, texts).unwrap_err()
    };
    assert_eq!(refused(&practice(sheet.clone()), 0, &texts), RefusedExport::Practice);
    assert_eq!(refused(&sheet, 1, &texts), RefusedExport::UnknownSystem);
    assert_eq!(refused(&sheet, 0, &[]), RefusedExport::TextsMissing("q0".to_owned()));
    let stopped = Sheet { aborted: Some("x".to_owned()), ..sheet };
    assert_eq!(refused(&stopped, 0, &texts), RefusedExport::Aborted("x".to_owned()));
}

proptest! {
    #[test]
    fn any_name_is_one_cell(name in any::<String>()) {
        let escaped = markdown::escape(&name);
        prop_assert!(!escaped.contains(['\n', '\r', '<']));
        prop_assert_eq!(cells(&escaped), 0);
        let escaped = latex::escape(&name);
        prop_assert!(!escaped.contains(['\n', '\r', '~', '^', '<', '|', '"']));
        let guarded = csv::guard(&name);
        prop_assert!(!guarded.starts_with(['=', '+', '-', '@', '\t', '\r']));
    }

    #[test]
    fn digits_are_kept(n in any::<u64>()) {
        prop_assert_eq!(number::digit_groups(n).concat(), n.to_string());
    }
}
