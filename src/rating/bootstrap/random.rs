//! Random numbers for eight rounds at once, the same on every machine.
//!
//! xoshiro256++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its
//! state filled by SplitMix64 as its authors advise. Each round has a state of its own, made from the
//! seed and the number of the round: what a round draws does not depend on which others are computed.

/// Rounds that are computed together.
pub(super) const LANES: usize = 8;

/// One generator for each of eight rounds.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: [[u64; LANES]; 4],
}

impl Random {
    /// The generators of eight rounds from `first`.
    pub(super) fn of_rounds(seed: u64, first: u64) -> Self {
        let mut state = [[0; LANES]; 4];
        for lane in 0..LANES {
            let round = first + lane as u64;
            // Two seeds, or two rounds, that differ in one bit only shall have nothing in common.
            let mut split = Split(mixed(seed) ^ mixed(!round));
            for word in &mut state {
                word[lane] = split.next();
            }
        }
        Self { state }
    }

    /// The next number of every round.
    #[inline]
    pub(super) fn all(&mut self) -> [u64; LANES] {
        let [a, b, c, d] = &mut self.state;
        let mut result = [0; LANES];
        for lane in 0..LANES {
            result[lane] = a[lane].wrapping_add(d[lane]).rotate_left(23).wrapping_add(a[lane]);
            let shifted = b[lane] << 17;
            c[lane] ^= a[lane];
            d[lane] ^= b[lane];
            b[lane] ^= c[lane];
            a[lane] ^= d[lane];
            c[lane] ^= shifted;
            d[lane] = d[lane].rotate_left(45);
        }
        result
    }

    /// The next number of one round.
    #[inline]
    pub(super) fn one(&mut self, lane: usize) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a[lane].wrapping_add(d[lane]).rotate_left(23).wrapping_add(a[lane]);
        let shifted = b[lane] << 17;
        c[lane] ^= a[lane];
        d[lane] ^= b[lane];
        b[lane] ^= c[lane];
        a[lane] ^= d[lane];
        c[lane] ^= shifted;
        d[lane] = d[lane].rotate_left(45);
        result
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Split(u64);

impl Split {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(self.0)
    }
}

/// The output function of SplitMix64.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the authors' C code from the state 1, 2, 3, 4, and of SplitMix64 from 0.
    #[test]
    fn published_streams() {
        let mut random = Random { state: [[1; LANES], [2; LANES], [3; LANES], [4; LANES]] };
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        for expected in expected {
            let found = random.all();
            assert_eq!(found, [expected; LANES]);
        }
        assert_eq!(Split(0).next(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn a_round_draws_the_same_in_any_company() {
        let mut together = Random::of_rounds(7, 16);
        let mut others = Random::of_rounds(7, 12);
        assert_eq!(together.all()[1], others.all()[5]);
        assert_eq!(together.one(1), others.all()[5]);
    }
}
