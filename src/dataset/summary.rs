//! What is in a benchmark, in counts, and its fingerprint.

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::rubric::ItemType;

use super::{Benchmark, CaseRef};

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
    /// Over ids, queries, item texts and weights, in id order: who brings the questions in another
    /// order or in other files gets the same. Computed once.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| {
            let mut cases: Vec<CaseRef> = self.cases().collect();
            cases.sort_unstable_by_key(|case| case.id());
            let digests: Vec<Digest> = cases.into_iter().map(case_digest).collect();
            Digest::of(digests.iter().map(|digest| &digest.as_bytes()[..]))
        })
    }

    pub fn summary(&self) -> Summary {
        let by_domain = facets(self, self.domains(), CaseRef::domain_number);
        let by_field = facets(self, self.fields(), CaseRef::field_number);
        let named = |facets: &[Facet]| facets.iter().filter(|f| !f.name.is_empty()).count() as u64;
        Summary {
            queries: self.len() as u64,
            items: self.n_items(),
            fields: named(&by_field),
            domains: named(&by_domain),
            by_domain,
            by_subdomain: facets(self, self.subdomains(), CaseRef::subdomain_number),
            by_field,
            by_type: types(self),
        }
    }
}

/// One question alone, so that the digest of the whole needs no copy of all texts.
fn case_digest(case: CaseRef<'_>) -> Digest {
    let weights: Vec<[u8; 8]> = case.items().map(|item| item.weight().to_le_bytes()).collect();
    let items = case.items().zip(&weights);
    let head = [case.id().as_bytes(), case.query().as_bytes()];
    let items = items.flat_map(|(item, weight)| [item.text().as_bytes(), &weight[..]]);
    Digest::of(head.into_iter().chain(items))
}

fn facets<'a>(
    benchmark: &'a Benchmark,
    names: &[String],
    number: impl Fn(CaseRef<'a>) -> usize,
) -> Vec<Facet> {
    let empty = |name: &String| Facet { name: name.clone(), queries: 0, items: 0 };
    let mut facets: Vec<Facet> = names.iter().map(empty).collect();
    for case in benchmark.cases() {
        let facet = &mut facets[number(case)];
        facet.queries += 1;
        facet.items += case.n_items() as u64;
    }
    // A part of a benchmark keeps the names of the whole.
    facets.retain(|facet| 0 < facet.queries);
    facets.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    facets
}

fn types(benchmark: &Benchmark) -> Vec<TypeCount> {
    let kinds = ItemType::ALL.into_iter().map(Some).chain([None]);
    kinds
        .map(|kind| {
            let (mut queries, mut items) = (0, 0);
            for case in benchmark.cases() {
                let here = case.items().filter(|item| match kind {
                    Some(kind) => item.kinds().contains(kind),
                    None => item.kinds().is_empty(),
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
