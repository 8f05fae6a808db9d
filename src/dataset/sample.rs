//! Which questions to use when not all of them are.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::Digest;

use super::Benchmark;

/// Positions of the chosen questions, in benchmark order. All of them where no number is given.
///
/// In each field, the questions are ranked by a hash of seed and id, and the first `per_field` are
/// taken. So the choice depends neither on the order of the file nor on the other fields, and a larger
/// number keeps what a smaller one chose.
pub fn choose(benchmark: &Benchmark, per_field: Option<u32>, seed: u64) -> Vec<usize> {
    let Some(per_field) = per_field else {
        return (0..benchmark.len()).collect();
    };
    let mut fields: BTreeMap<&str, Vec<(u64, &str, usize)>> = BTreeMap::new();
    for (index, case) in benchmark.cases().enumerate() {
        let id = case.id();
        fields.entry(case.field()).or_default().push((rank(seed, id), id, index));
    }
    let mut chosen = BTreeSet::new();
    for mut field in fields.into_values() {
        field.sort_unstable();
        chosen.extend(field.iter().take(per_field as usize).map(|(_, _, index)| *index));
    }
    chosen.into_iter().collect()
}

fn rank(seed: u64, id: &str) -> u64 {
    let id = Digest::of_texts([id]).seed();
    // Mixed once alone, so that seeds next to each other do not give orders that resemble each other.
    split_mix(split_mix(seed) ^ id)
}

/// One step of `SplitMix64`. Written out here since its values may never change: a seed names a choice.
fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_published_generator() {
        // The first outputs for the state 0, as given with the reference code.
        assert_eq!(split_mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(split_mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }
}
