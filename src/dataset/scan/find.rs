//! Where a JSON string stops being plain, many bytes at a time.

/// The first quotation mark, backslash or control character at or behind `from`.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
pub(super) fn special(bytes: &[u8], mut from: usize) -> Option<usize> {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};

    while let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk::<16>) {
        let [low, high] = [0, 8].map(|at| {
            let mut half = [0; 8];
            half.copy_from_slice(&block[at..at + 8]);
            u64::from_le_bytes(half)
        });
        let block = u64x2(low, high);
        let quote = u8x16_eq(block, u8x16_splat(b'"'));
        let escape = u8x16_eq(block, u8x16_splat(b'\\'));
        let control = u8x16_lt(block, u8x16_splat(0x20));
        let found = u8x16_bitmask(v128_or(v128_or(quote, escape), control));
        if found != 0 {
            return Some(from + found.trailing_zeros() as usize);
        }
        from += 16;
    }
    one_by_one(bytes, from)
}

/// The first quotation mark, backslash or control character at or behind `from`.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(super) fn special(bytes: &[u8], mut from: usize) -> Option<usize> {
    const LANES: usize = 16;
    while let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk::<LANES>) {
        // Without a branch, so that the compiler takes all lanes in one step.
        let found = block.iter().fold(0, |found, byte| found | u8::from(is_special(*byte)));
        if found != 0 {
            break;
        }
        from += LANES;
    }
    one_by_one(bytes, from)
}

fn one_by_one(bytes: &[u8], from: usize) -> Option<usize> {
    let found = bytes.get(from..)?.iter().position(|byte| is_special(*byte))?;
    Some(from + found)
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_byte_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..40 {
                let mut text = [b'a'; 40];
                text[at] = byte;
                let expected = is_special(byte).then_some(at);
                assert_eq!(special(&text, 0), expected, "{byte} at {at}");
                assert_eq!(special(&text, at), expected);
                assert_eq!(special(&text, at + 1), None);
            }
        }
        assert_eq!(special(b"", 0), None);
        assert_eq!(special(b"", 9), None);
    }
}
