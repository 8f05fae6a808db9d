//! Where commas, line feeds and quotes are, many bytes at once.

/// Bytes that are looked at together.
const BLOCK: usize = 16;

/// Places of `,`, line feed and `"`, in order.
#[derive(Clone, Debug)]
pub(super) struct Marks<'a> {
    bytes: &'a [u8],
    /// Where the block begins.
    base: usize,
    /// A bit for each byte of the block, those already told taken away.
    found: u32,
}

impl<'a> Marks<'a> {
    pub(super) fn of(bytes: &'a [u8], from: usize) -> Self {
        let mut marks = Self { bytes, base: from, found: 0 };
        marks.found = marks.block();
        marks
    }

    #[inline]
    fn block(&self) -> u32 {
        let rest = self.bytes.get(self.base..).unwrap_or_default();
        if let Some(block) = rest.first_chunk() {
            marked(block)
        } else {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            marked(&block)
        }
    }
}

impl Iterator for Marks<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if self.bytes.len() <= self.base {
                return None;
            }
            self.base += BLOCK;
            self.found = self.block();
        }
        let at = self.base + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(at)
    }
}

#[cfg(target_arch = "wasm32")]
#[inline]
fn marked(block: &[u8; BLOCK]) -> u32 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| block[at + byte]));
    let bytes = u64x2(word(0), word(8));
    let is = |mark| u8x16_eq(bytes, u8x16_splat(mark));
    u32::from(u8x16_bitmask(v128_or(v128_or(is(b','), is(b'\n')), is(b'"'))))
}

#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn marked(block: &[u8; BLOCK]) -> u32 {
    // The compiler compares all bytes at once and gathers one bit of each.
    let hits = block.map(|byte| u8::from(matches!(byte, b',' | b'\n' | b'"')));
    hits.iter().enumerate().fold(0, |bits, (at, hit)| bits | u32::from(*hit) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_and_nothing_else() {
        let bytes: Vec<u8> = (0..1000_u32).map(|at| (at * at * 31 % 251) as u8).collect();
        for from in [0, 1, 15, 16, 990, 1000] {
            for to in [from, 995.max(from), 1000] {
                let expected: Vec<usize> =
                    (from..to).filter(|at| b",\n\"".contains(&bytes[*at])).collect();
                assert_eq!(Marks::of(&bytes[..to], from).collect::<Vec<_>>(), expected);
            }
        }
    }
}
