//! Filters and counts against the plainest way to compute them.

use proptest::collection::vec;
use proptest::prelude::*;
use viva::dataset::explore::{Filter, Named, Needle, explore, pieces};
use viva::dataset::{Benchmark, Case, CaseRef, sample};
use viva::rubric::ItemType;

use super::read;

fn benchmark(rows: &[(u8, u8, u8, u8, u8, String)]) -> Benchmark {
    let records: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(n, (domain, sub, field, kind, day, text))| {
            serde_json::json!({
                "id": format!("{n}-s1"), "domain": format!("D{domain}"), "subdomain": format!("S{sub}"),
                "field": format!("F{field}"), "query": format!("Question {text} end"),
                "date": (*day > 0).then(|| format!("2024-01-{day:02}")),
                "rubric": [
                    { "rubric_item": format!("Item {n}"), "type": ItemType::ALL[usize::from(*kind)].as_str() },
                    { "rubric_item": text.to_uppercase() + "!", "type": "Other" },
                ],
            })
        })
        .collect();
    let (benchmark, problems) = read("x.json", &serde_json::Value::Array(records).to_string());
    assert!(problems.is_empty(), "{problems:?}");
    benchmark
}

/// By the letter of what the filter says, question by question.
fn passes(filter: &Filter, case: &Case, sampled: Option<&[usize]>, at: usize) -> bool {
    let text = filter.text.trim().to_lowercase();
    let has = |it: &str| it.to_lowercase().contains(&text);
    let day = case.date.as_deref().unwrap_or("");
    (filter.domain.is_empty() || filter.domain == case.domain)
        && (filter.subdomain.is_empty() || filter.subdomain == case.subdomain)
        && (filter.field.is_empty() || filter.field == case.field)
        && filter.kind.is_none_or(|kind| case.items.iter().any(|it| it.types.contains(&kind)))
        && (filter.from.is_empty() || !day.is_empty() && filter.from.as_str() <= day)
        && (filter.to.is_empty() || !day.is_empty() && day <= filter.to.as_str())
        && (text.is_empty() || has(&case.query) || case.items.iter().any(|it| has(&it.text)))
        && sampled.is_none_or(|it| it.contains(&at))
}

fn name(prefix: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![2 => Just(String::new()), 1 => (0..4_u8).prop_map(move |n| format!("{prefix}{n}"))]
}

fn date() -> impl Strategy<Value = String> {
    prop_oneof![2 => Just(String::new()), 1 => (1..9_u8).prop_map(|n| format!("2024-01-{n:02}"))]
}

fn filter() -> impl Strategy<Value = Filter> {
    let kind = prop_oneof![2 => Just(None), 1 => (0..6_usize).prop_map(|n| Some(ItemType::ALL[n]))];
    let text = prop_oneof![Just(String::new()), "[aB é]{1,2}"];
    let sample = prop_oneof![Just(None), (0..3_u32, 0..9_u64).prop_map(Some)];
    (name("D"), name("S"), name("F"), kind, (date(), date()), text, sample).prop_map(
        |(domain, subdomain, field, kind, (from, to), text, sample)| Filter {
            domain,
            subdomain,
            field,
            kind,
            from,
            to,
            text,
            sample,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_and_counted_is_what_the_filter_says(
        rows in vec((0..3_u8, 0..3_u8, 0..3_u8, 0..6_u8, 0..9_u8, "[abAB éÉ]{0,4}"), 1..20),
        filter in filter(),
    ) {
        let benchmark = benchmark(&rows);
        let cases: Vec<Case> = benchmark.cases().map(CaseRef::to_case).collect();
        let sampled = filter.sample.map(|(n, seed)| sample::choose(&benchmark, Some(n), seed));
        let count = |filter: &Filter| -> Vec<u32> {
            let all = cases.iter().enumerate();
            all.filter(|(at, case)| passes(filter, case, sampled.as_deref(), *at)).map(|(at, _)| at as u32).collect()
        };
        let found = explore(&benchmark, &filter);
        prop_assert_eq!(&found.places, &count(&filter));
        prop_assert_eq!(found.items, found.places.len() as u64 * 2);
        let check = |list: &[Named<String>], with: fn(&mut Filter, String)| {
            for name in (0..4).flat_map(|n| ["D", "S", "F"].map(|it| format!("{it}{n}"))) {
                let mut other = filter.clone();
                with(&mut other, name.clone());
                let expected = count(&other).len() as u64;
                let counted = list.iter().find(|it| it.of == name).map_or(0, |it| it.queries);
                // A name of another list is not a name of this one.
                if 0 < counted || list.iter().any(|it| it.of.starts_with(&name[..1])) {
                    assert_eq!(counted, expected, "{name} {filter:?}");
                }
            }
        };
        check(&found.domains, |it, name| it.domain = name);
        check(&found.subdomains, |it, name| it.subdomain = name);
        check(&found.fields, |it, name| it.field = name);
        for kind in ItemType::ALL {
            let other = Filter { kind: Some(kind), ..filter.clone() };
            let counted = found.kinds.iter().find(|it| it.of == kind).map_or(0, |it| it.queries);
            prop_assert_eq!(counted, count(&other).len() as u64, "{:?}", kind);
        }
    }

    #[test]
    fn hits_are_found_as_by_lower_case_and_pieces_are_the_text(
        text in "[abAB éÉßİK \u{212a}\u{1F600}]{0,20}",
        needle in "[abAB éÉß]{1,3}",
    ) {
        let Some(needle_) = Needle::new(&needle) else { return Ok(()) };
        let parts = pieces(&text, Some(&needle_));
        let joined: String = parts.iter().map(|(part, _)| part.as_str()).collect();
        prop_assert_eq!(&joined, &text);
        let expected = text.to_lowercase().matches(&needle.trim().to_lowercase()).count();
        let hits: Vec<&String> = parts.iter().filter(|(_, hit)| *hit).map(|(part, _)| part).collect();
        prop_assert_eq!(!hits.is_empty(), expected != 0, "{} in {}", needle, text);
        for hit in hits {
            prop_assert_eq!(hit.to_lowercase(), needle.trim().to_lowercase());
        }
        prop_assert_eq!(needle_.is_at(&text), expected != 0);
    }
}

#[test]
fn a_sigma_is_one_letter_wherever_it_stands() {
    for (needle, text) in [("ΟΔΟΣ", "ΟΔΟΣ"), ("οδος", "Οδοσ"), ("ΟΔΟΣ", "η οδός, οδος")]
    {
        assert!(Needle::new(needle).unwrap().is_at(text), "{needle} in {text}");
    }
}

#[test]
fn an_id_is_found_whole_only() {
    let benchmark = benchmark(&[(0, 0, 0, 0, 0, String::new()), (0, 0, 0, 0, 0, String::new())]);
    let found = |text: &str| {
        explore(&benchmark, &Filter { text: text.to_owned(), ..Filter::default() }).places
    };
    assert_eq!(found("1-S1"), [1]);
    assert_eq!(found("-s1"), Vec::<u32>::new());
}
