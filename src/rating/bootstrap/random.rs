//! Random numbers for eight rounds at once, the same on every machine.
//!
//! xoshiro256++ 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its
//! state filled by `SplitMix64` as its authors advise. Each round has a state of its own, made from the
//! seed and the number of the round: what a round draws does not depend on which others are computed.

/// Rounds that are computed together.
pub(super) const LANES: usize = 8;

/// Numbers that are made at a time, for each round. Apart from their use, so that the compiler makes those of
/// several rounds at once.
const BLOCK: usize = 64;

/// Generators for each of eight rounds: one for what all draw in step, and one for what each draws as often as
/// it must.
#[derive(Clone, Debug)]
pub(super) struct Random {
    pub(super) single: [Single; LANES],
    state: [[u64; LANES]; 4],
    block: Vec<[u64; LANES]>,
    /// How many halves of numbers of the block are used.
    used: usize,
}

impl Random {
    /// The generators of eight rounds from `first`.
    pub(super) fn of_rounds(seed: u64, first: u64) -> Self {
        let mut state = [[0; LANES]; 4];
        let mut single = [Single { state: [0; 4] }; LANES];
        for lane in 0..LANES {
            let round = first + lane as u64;
            // Two seeds, or two rounds, that differ in one bit only shall have nothing in common.
            let mut split = Split(mixed(seed) ^ mixed(!round));
            for word in &mut state {
                word[lane] = split.bits();
            }
            for word in &mut single[lane].state {
                *word = split.bits();
            }
        }
        Self { single, state, block: vec![[0; LANES]; BLOCK], used: 2 * BLOCK }
    }

    /// The next 32 bits of every round: the lower half of a number, then the upper half.
    #[inline]
    pub(super) fn all(&mut self) -> [u32; LANES] {
        if self.used == 2 * BLOCK {
            self.fill();
        }
        let numbers = &self.block[self.used / 2];
        let upper = 32 * (self.used % 2);
        self.used += 1;
        numbers.map(|number| (number >> upper) as u32)
    }

    #[inline(never)]
    fn fill(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for numbers in &mut self.block {
            let sum = each(a, d, u64::wrapping_add);
            *numbers = each(sum.map(|word| word.rotate_left(23)), a, u64::wrapping_add);
            let shifted = b.map(|word| word << 17);
            c = each(c, a, |one, other| one ^ other);
            d = each(d, b, |one, other| one ^ other);
            b = each(b, c, |one, other| one ^ other);
            a = each(a, d, |one, other| one ^ other);
            c = each(c, shifted, |one, other| one ^ other);
            d = d.map(|word| word.rotate_left(45));
        }
        self.state = [a, b, c, d];
        self.used = 0;
    }
}

/// A generator of one round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    state: [u64; 4],
}

impl Single {
    /// The next two numbers of 32 bits.
    #[inline]
    pub(super) fn two(&mut self) -> [u32; 2] {
        let [a, b, c, d] = &mut self.state;
        let number = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        [number as u32, (number >> 32) as u32]
    }
}

#[inline]
fn each(one: [u64; LANES], other: [u64; LANES], join: impl Fn(u64, u64) -> u64) -> [u64; LANES] {
    std::array::from_fn(|lane| join(one[lane], other[lane]))
}

/// `SplitMix64` (Steele, Lea and Flood 2014): small, and the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Split(u64);

impl Split {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of the numbers below `n`, which is at least 1, each as likely but for 1 part in 2⁶⁴ ÷ n.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// The next 64 bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(self.0)
    }
}

/// The output function of `SplitMix64`.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the authors' C code from the state 1, 2, 3, 4, and of `SplitMix64` from 0.
    #[test]
    fn published_streams() {
        let mut random = Random::of_rounds(0, 0);
        let mut single = Single { state: [1, 2, 3, 4] };
        random.state = [[1; LANES], [2; LANES], [3; LANES], [4; LANES]];
        for expected in [41_943_041_u64, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386] {
            assert_eq!(single.two(), [expected as u32, (expected >> 32) as u32]);
            assert_eq!(random.all(), [expected as u32; LANES]);
            assert_eq!(random.all(), [(expected >> 32) as u32; LANES]);
        }
        assert_eq!(Split(0).bits(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn a_round_draws_the_same_in_any_company() {
        let mut together = Random::of_rounds(7, 16);
        let mut others = Random::of_rounds(7, 12);
        for _ in 0..300 {
            assert_eq!(together.all()[1], others.all()[5]);
            assert_eq!(together.single[1].two(), others.single[5].two());
        }
    }
}
