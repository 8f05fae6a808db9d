//! Pages in one of the delta encodings, written out plainly.
//!
//! The decoders of the `parquet` crate reserve what such a page declares and follow lengths below zero.

use super::thrift::Reader;

/// Whole numbers. `None` where there are more than `most`, or where they end too early.
pub(super) fn ints(page: &[u8], most: usize) -> Option<Vec<i64>> {
    unpack(&mut Reader::new(page), most)
}

/// Texts behind their lengths, as the plain encoding has them.
pub(super) fn lengths(page: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut reader = Reader::new(page);
    let lengths = unpack(&mut reader, most)?;
    let mut plain = Vec::with_capacity(reader.left() + lengths.len() * 4);
    for length in lengths {
        let text = reader.take(usize::try_from(length).ok()?)?;
        push(&mut plain, text)?;
    }
    Some(plain)
}

/// Texts that each begin with a part of the one before. `width` is 0 where they have lengths of their
/// own; at most `limit` bytes.
pub(super) fn prefixed(page: &[u8], most: usize, width: usize, limit: u64) -> Option<Vec<u8>> {
    let mut reader = Reader::new(page);
    let prefixes = unpack(&mut reader, most)?;
    let suffixes = unpack(&mut reader, most)?;
    (prefixes.len() == suffixes.len()).then_some(())?;
    let mut plain = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    for (prefix, suffix) in prefixes.into_iter().zip(suffixes) {
        let prefix = usize::try_from(prefix).ok().filter(|prefix| *prefix <= text.len())?;
        text.truncate(prefix);
        text.extend_from_slice(reader.take(usize::try_from(suffix).ok()?)?);
        if width == 0 {
            push(&mut plain, &text)?;
        } else {
            (text.len() == width).then_some(())?;
            plain.extend_from_slice(&text);
        }
        (plain.len() as u64 <= limit).then_some(())?;
    }
    Some(plain)
}

fn push(plain: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    plain.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
    plain.extend_from_slice(text);
    Some(())
}

/// Blocks of differences, each with its least one and so many bits for what is above it.
fn unpack(reader: &mut Reader<'_>, most: usize) -> Option<Vec<i64>> {
    /// Larger blocks than any writer makes.
    const LARGEST: u64 = 1 << 20;
    let block = reader.varint().filter(|block| (1..=LARGEST).contains(block))?;
    let minis = reader.varint().filter(|minis| (1..=block).contains(minis))?;
    let count = usize::try_from(reader.varint()?).ok().filter(|count| *count <= most)?;
    let mut value = reader.zigzag()?;
    let per_mini = usize::try_from(block / minis).ok()?;
    let minis = usize::try_from(minis).ok()?;
    (per_mini * minis == block as usize && per_mini.is_multiple_of(8)).then_some(())?;
    let mut ints = Vec::with_capacity(count);
    if count == 0 {
        return Some(ints);
    }
    ints.push(value);
    while ints.len() < count {
        let least = reader.zigzag()?;
        for width in reader.take(minis)? {
            let width = usize::from(*width);
            let wanted = per_mini.min(count - ints.len());
            if wanted == 0 {
                // The rest of the last block is not there, whatever its widths say.
                break;
            }
            (width <= 64).then_some(())?;
            let packed = reader.take(per_mini * width / 8)?;
            for index in 0..wanted {
                let above = bits(packed, index * width, width);
                value = value.wrapping_add(least).wrapping_add(above);
                ints.push(value);
            }
        }
    }
    Some(ints)
}

/// `width` bits from bit `at` on, the lowest first.
fn bits(packed: &[u8], at: usize, width: usize) -> i64 {
    let mut wide = [0; 16];
    let from = at / 8;
    let end = (at + width).div_ceil(8).min(packed.len());
    let bytes = packed.get(from..end).unwrap_or_default();
    wide[..bytes.len()].copy_from_slice(bytes);
    let mask = (1_u128 << width) - 1;
    ((u128::from_le_bytes(wide) >> (at % 8)) & mask) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format() {
        // 7, 5, 3, 1, 2, 3, 4, 5: one block, deltas from -2 on, two bits each.
        let mut page = vec![0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0];
        page.extend([0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0]);
        assert_eq!(ints(&page, 8), Some(vec![7, 5, 3, 1, 2, 3, 4, 5]));
        assert_eq!(ints(&page, 7), None);
        assert_eq!(ints(&page[..12], 8), None);
    }

    #[test]
    fn one_number_needs_no_block() {
        assert_eq!(ints(&[0x80, 0x01, 4, 1, 14], 9), Some(vec![7]));
        assert_eq!(ints(&[0x80, 0x01, 4, 0, 0], 9), Some(vec![]));
    }

    #[test]
    fn lengths_below_zero_are_no_lengths() {
        assert_eq!(lengths(&[0x80, 0x01, 4, 1, 1, b'a'], 9), None);
        assert_eq!(lengths(&[0x80, 0x01, 4, 1, 2, b'a'], 9), Some(vec![1, 0, 0, 0, b'a']));
    }
}
