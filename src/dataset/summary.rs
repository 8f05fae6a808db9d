//! What is in a benchmark, in counts, and its fingerprint.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::rubric::ItemType;

use super::{Benchmark, Case};

/// Counts over all questions of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub queries: u64,
    pub items: u64,
    /// Distinct names. Questions without one are in the facets, and not counted here.
    pub fields: u64,
    pub domains: u64,
    /// By name. The counts of each list add up to the totals; an empty name stands for none.
    pub by_domain: Vec<Facet>,
    pub by_subdomain: Vec<Facet>,
    pub by_field: Vec<Facet>,
    /// In the order of [`ItemType::ALL`], then the items without a type. Items with several types are
    /// counted once in each, so these do not add up.
    pub by_type: Vec<TypeCount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facet {
    pub name: String,
    pub queries: u64,
    pub items: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeCount {
    /// `None` for items without a type.
    pub kind: Option<ItemType>,
    /// Questions with at least one such item.
    pub queries: u64,
    pub items: u64,
}

impl Benchmark {
    /// Rubric items of all questions.
    pub fn n_items(&self) -> u64 {
        self.cases.iter().map(|case| case.items.len() as u64).sum()
    }

    /// Over ids, queries, item texts and weights, in id order: who brings the questions in another
    /// order or in other files gets the same.
    pub fn digest(&self) -> Digest {
        let mut cases: Vec<&Case> = self.cases.iter().collect();
        cases.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let digests: Vec<Digest> = cases.into_iter().map(case_digest).collect();
        Digest::of(digests.iter().map(|digest| &digest.as_bytes()[..]))
    }

    pub fn summary(&self) -> Summary {
        let by_domain = facets(&self.cases, |case| &case.domain);
        let by_field = facets(&self.cases, |case| &case.field);
        let named = |facets: &[Facet]| facets.iter().filter(|f| !f.name.is_empty()).count() as u64;
        Summary {
            queries: self.cases.len() as u64,
            items: self.n_items(),
            fields: named(&by_field),
            domains: named(&by_domain),
            by_domain,
            by_subdomain: facets(&self.cases, |case| &case.subdomain),
            by_field,
            by_type: types(&self.cases),
        }
    }
}

/// One question alone, so that the digest of the whole needs no copy of all texts.
fn case_digest(case: &Case) -> Digest {
    let weights: Vec<[u8; 8]> = case.items.iter().map(|item| item.weight.to_le_bytes()).collect();
    let items = case.items.iter().zip(&weights);
    let head = [case.id.as_str().as_bytes(), case.query.as_bytes()];
    Digest::of(
        head.into_iter()
            .chain(items.flat_map(|(item, weight)| [item.text.as_bytes(), &weight[..]])),
    )
}

fn facets(cases: &[Case], name: impl Fn(&Case) -> &String) -> Vec<Facet> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for case in cases {
        let (queries, items) = counts.entry(name(case)).or_default();
        *queries += 1;
        *items += case.items.len() as u64;
    }
    counts
        .into_iter()
        .map(|(name, (queries, items))| Facet { name: name.to_owned(), queries, items })
        .collect()
}

fn types(cases: &[Case]) -> Vec<TypeCount> {
    let kinds = ItemType::ALL.into_iter().map(Some).chain([None]);
    kinds
        .map(|kind| {
            let (mut queries, mut items) = (0, 0);
            for case in cases {
                let here = case.items.iter().filter(|item| match kind {
                    Some(kind) => item.types.contains(&kind),
                    None => item.types.is_empty(),
                });
                let here = here.count() as u64;
                items += here;
                queries += u64::from(0 < here);
            }
            TypeCount { kind, queries, items }
        })
        .filter(|count| 0 < count.items)
        .collect()
}
