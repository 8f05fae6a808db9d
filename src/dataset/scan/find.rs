//! Where a JSON string stops being plain, a block or two of sixteen bytes at a time.

/// How many bytes [`specials`] looks at.
pub(super) const BLOCK: usize = 16;

/// One bit a byte, the first the lowest: whether it is a quotation mark, a backslash or a control
/// character, at which a string ends, means something else, or is at fault. And whether all are ASCII.
#[cfg(target_arch = "wasm32")]
#[inline]
pub(super) fn specials(block: &[u8; BLOCK]) -> (u32, bool) {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};

    let (words, _) = block.as_chunks::<8>();
    let block = u64x2(u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]));
    let quote = u8x16_eq(block, u8x16_splat(b'"'));
    let escape = u8x16_eq(block, u8x16_splat(b'\\'));
    let control = u8x16_lt(block, u8x16_splat(0x20));
    let found = u8x16_bitmask(v128_or(v128_or(quote, escape), control));
    (u32::from(found), u8x16_bitmask(block) == 0)
}

/// One bit a byte, the first the lowest: whether it is a quotation mark, a backslash or a control
/// character, at which a string ends, means something else, or is at fault. And whether all are ASCII.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(super) fn specials(block: &[u8; BLOCK]) -> (u32, bool) {
    let bits = block.iter().enumerate();
    (bits.fold(0, |all, (at, byte)| all | u32::from(is_special(*byte)) << at), block.is_ascii())
}

/// As [`specials`], of two blocks.
#[inline]
pub(super) fn specials_of_two(blocks: &[u8; 2 * BLOCK]) -> (u32, bool) {
    let (blocks, _) = blocks.as_chunks();
    let (first, first_ascii) = specials(&blocks[0]);
    let (second, second_ascii) = specials(&blocks[1]);
    (first | second << BLOCK, first_ascii & second_ascii)
}

/// The first special byte at or behind `from`, and whether what is before it is surely ASCII.
#[inline]
pub(super) fn special(bytes: &[u8], mut from: usize) -> Option<(usize, bool)> {
    let mut is_ascii = true;
    while let Some(blocks) = bytes.get(from..).and_then(<[u8]>::first_chunk::<{ 2 * BLOCK }>) {
        let (found, all_ascii) = specials_of_two(blocks);
        is_ascii &= all_ascii;
        if found != 0 {
            return Some((from + found.trailing_zeros() as usize, is_ascii));
        }
        from += 2 * BLOCK;
    }
    while let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk) {
        let (found, all_ascii) = specials(block);
        is_ascii &= all_ascii;
        if found != 0 {
            return Some((from + found.trailing_zeros() as usize, is_ascii));
        }
        from += BLOCK;
    }
    let rest = bytes.get(from..)?;
    let found = rest.iter().position(|byte| is_special(*byte))?;
    Some((from + found, is_ascii && rest[..found].is_ascii()))
}

/// Whether `expected` stands at `at`. Meant for some dozen bytes, where a call costs more than they do.
#[inline]
pub(super) fn begins(bytes: &[u8], at: usize, expected: &[u8]) -> bool {
    let Some(found) = bytes.get(at..at + expected.len()) else { return false };
    let word = |part: &[u8; 8]| u64::from_le_bytes(*part);
    let (Some(found_last), Some(last)) = (found.last_chunk(), expected.last_chunk()) else {
        return found.iter().zip(expected).all(|(a, b)| a == b);
    };
    // The last word overlaps the one before it: bytes left over would have to be looked at singly.
    let ((found, _), (expected, _)) = (found.as_chunks::<8>(), expected.as_chunks::<8>());
    word(found_last) == word(last) && found.iter().zip(expected).all(|(a, b)| word(a) == word(b))
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_byte_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..80 {
                let mut text = [b'a'; 80];
                text[at] = byte;
                let expected = is_special(byte).then_some((at, true));
                assert_eq!(special(&text, 0), expected, "{byte} at {at}");
                assert_eq!(special(&text, at), expected);
                assert_eq!(special(&text, at + 1), None);
                text[79] = b'"';
                if !byte.is_ascii() && at < 79 {
                    assert_eq!(special(&text, 0), Some((79, false)));
                }
            }
        }
        assert_eq!(special(b"", 0), None);
        assert_eq!(special(b"", 9), None);
    }

    #[test]
    fn beginnings_are_compared_to_the_last_byte() {
        let text: Vec<u8> = (0..60).collect();
        for from in 0..60 {
            for to in from..60 {
                let mut expected = text[from..to].to_vec();
                assert!(begins(&text, from, &expected));
                assert!(to - from == 0 || !begins(&text, from + 1, &expected));
                for at in 0..expected.len() {
                    expected[at] ^= 1;
                    assert!(!begins(&text, from, &expected), "{from}..{to}, byte {at}");
                    expected[at] ^= 1;
                }
            }
        }
    }
}
