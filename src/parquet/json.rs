//! Values as JSON, written straight into the text.

use std::io::Write as _;

use crate::dataset::date::from_days;

/// What comes of a value that JSON, or the readers behind it, cannot hold. It is written as null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unwritable {
    /// Bytes that are no text.
    Binary,
    /// Before the year 1 or after 9999.
    Date,
    /// A decimal of more digits than are read.
    Decimal,
}

/// Writes text in quotes.
pub(super) fn text(out: &mut Vec<u8>, text: &[u8]) -> Result<(), Unwritable> {
    let (is_ascii, is_plain) = look(text);
    if !is_ascii && std::str::from_utf8(text).is_err() {
        return Err(Unwritable::Binary);
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    if is_plain {
        out.extend_from_slice(text);
    } else {
        escape(out, text);
    }
    out.push(b'"');
    Ok(())
}

/// Whether text is ASCII throughout, and whether nothing in it needs an escape. Most text is both, and
/// this is the only time that it is looked at.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn look(text: &[u8]) -> (bool, bool) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut high = [0_u8; BLOCK];
    let mut special = [0_u8; BLOCK];
    for block in blocks {
        for (at, byte) in block.iter().enumerate() {
            high[at] |= byte;
            special[at] |= u8::from(needs_escape(*byte));
        }
    }
    let rest_high = rest.iter().fold(0, |high, byte| high | byte);
    let rest_special = rest.iter().any(|byte| needs_escape(*byte));
    let high = high.iter().fold(rest_high, |high, byte| high | byte);
    (high < 0x80, !rest_special && special == [0; BLOCK])
}

/// Bytes that are looked at together.
const BLOCK: usize = 16;

/// Copies what needs no escape in one go, from one byte that does to the next.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn escape(out: &mut Vec<u8>, text: &[u8]) {
    let mut copied = 0;
    let mut at = 0;
    while at < text.len() {
        if let Some(block) = text[at..].first_chunk::<BLOCK>() {
            // Without an early end, so that the compiler looks at the whole block at once.
            let found =
                block.iter().fold(0_u8, |found, byte| found | u8::from(needs_escape(*byte)));
            if found == 0 {
                at += BLOCK;
                continue;
            }
        }
        let end = text.len().min(at + BLOCK);
        while at < end {
            let byte = text[at];
            if needs_escape(byte) {
                out.extend_from_slice(&text[copied..at]);
                one(out, byte);
                copied = at + 1;
            }
            at += 1;
        }
    }
    out.extend_from_slice(&text[copied..]);
}

#[expect(clippy::needless_bitwise_bool, reason = "`||` ends early, which is slower for a block")]
const fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn one(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend([b'\\', short]);
}

/// JSON has no word for what is no number.
pub(super) fn double(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        serde_json::to_writer(out, &value).ok();
    } else {
        out.extend_from_slice(b"null");
    }
}

/// As short as tells it from its neighbours of the same width: 0.1, not 0.10000000149.
pub(super) fn float(out: &mut Vec<u8>, value: f32) {
    if value.is_finite() {
        serde_json::to_writer(out, &value).ok();
    } else {
        out.extend_from_slice(b"null");
    }
}

/// Sixteen bits: a sign, five for the exponent, ten for the rest.
pub(super) fn half(out: &mut Vec<u8>, bits: u16) {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    let size = match exponent {
        31 => f32::NAN,
        0 => fraction * 2_f32.powi(-24),
        _ => (1024.0 + fraction) * 2_f32.powi(exponent - 25),
    };
    float(out, if bits >> 15 == 0 { size } else { -size });
}

pub(super) fn whole(out: &mut Vec<u8>, value: i64) {
    serde_json::to_writer(out, &value).ok();
}

pub(super) fn natural(out: &mut Vec<u8>, value: u64) {
    serde_json::to_writer(out, &value).ok();
}

pub(super) fn decimal(out: &mut Vec<u8>, value: i128, scale: u32) {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale as usize + 1);
    let (before, after) = digits.split_at(digits.len() - scale as usize);
    let sign = if value < 0 { "-" } else { "" };
    let point = if after.is_empty() { "" } else { "." };
    write!(out, "{sign}{before}{point}{after}").ok();
}

/// A number with its sign in the first bit, the highest byte first.
pub(super) fn big_endian(bytes: &[u8]) -> Result<i128, Unwritable> {
    const WIDTH: usize = 16;
    let fill = if bytes.first().is_some_and(|byte| 0x80 <= *byte) { 0xff } else { 0 };
    let mut wide = [fill; WIDTH];
    let (extra, own) = bytes.split_at(bytes.len().saturating_sub(WIDTH));
    if extra.iter().any(|byte| *byte != fill) {
        return Err(Unwritable::Decimal);
    }
    wide[WIDTH - own.len()..].copy_from_slice(own);
    let value = i128::from_be_bytes(wide);
    if (value < 0) == (fill == 0xff) { Ok(value) } else { Err(Unwritable::Decimal) }
}

/// Days since 1970.
pub(super) fn date(out: &mut Vec<u8>, days: i64) -> Result<(), Unwritable> {
    let date = from_days(days).ok_or(Unwritable::Date)?;
    write!(out, "\"{date}\"").ok();
    Ok(())
}

/// `per_second` ticks a second since 1970.
pub(super) fn timestamp(
    out: &mut Vec<u8>,
    ticks: i64,
    per_second: i64,
    zone: &str,
) -> Result<(), Unwritable> {
    let per_day = per_second * SECONDS;
    let date = from_days(ticks.div_euclid(per_day)).ok_or(Unwritable::Date)?;
    write!(out, "\"{date}T").ok();
    clock(out, ticks.rem_euclid(per_day), per_second);
    write!(out, "{zone}\"").ok();
    Ok(())
}

/// Ticks since midnight.
pub(super) fn time(out: &mut Vec<u8>, ticks: i64, per_second: i64) -> Result<(), Unwritable> {
    if !(0..per_second * SECONDS).contains(&ticks) {
        return Err(Unwritable::Date);
    }
    out.push(b'"');
    clock(out, ticks, per_second);
    out.push(b'"');
    Ok(())
}

/// Of a day without a leap second.
const SECONDS: i64 = 86_400;

fn clock(out: &mut Vec<u8>, ticks: i64, per_second: i64) {
    let (seconds, rest) = (ticks / per_second, ticks % per_second);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    write!(out, "{hours:02}:{minutes:02}:{seconds:02}").ok();
    if rest != 0 {
        let width = per_second.ilog10() as usize;
        write!(out, ".{rest:0width$}").ok();
    }
}

/// The old twelve bytes: nanoseconds of the day, then the day by the astronomers' count.
pub(super) fn int96(out: &mut Vec<u8>, parts: &[u32]) -> Result<(), Unwritable> {
    const NOON_OF_1970: i64 = 2_440_588;
    let &[low, high, day] = parts else { return Err(Unwritable::Date) };
    let nanos = i64::try_from(u64::from(high) << 32 | u64::from(low)).ok();
    let nanos = nanos.filter(|it| *it < SECONDS * NANO).ok_or(Unwritable::Date)?;
    let date = from_days(i64::from(day) - NOON_OF_1970).ok_or(Unwritable::Date)?;
    write!(out, "\"{date}T").ok();
    clock(out, nanos, NANO);
    out.push(b'"');
    Ok(())
}

/// A second in billionths.
pub(super) const NANO: i64 = 1_000_000_000;

pub(super) fn uuid(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    for (index, byte) in bytes.iter().enumerate() {
        let dash = if [4, 6, 8, 10].contains(&index) { "-" } else { "" };
        write!(out, "{dash}{byte:02x}").ok();
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(write: impl FnOnce(&mut Vec<u8>), expected: &str) {
        let mut out = Vec::new();
        write(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn every_text_survives_being_escaped() {
        let all: String = (0..=0x2000_u32).filter_map(char::from_u32).collect();
        for start in 0..40 {
            for length in [0, 1, 15, 16, 17, 33, 300] {
                let part: String = all.chars().skip(start * 7).take(length).collect();
                let mut out = Vec::new();
                text(&mut out, part.as_bytes()).unwrap();
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), part);
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_no_text_wherever_they_stand() {
        for length in 1..40 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = 0xff;
                assert_eq!(text(&mut Vec::new(), &bytes), Err(Unwritable::Binary));
            }
        }
    }

    #[test]
    fn numbers_as_json_has_them() {
        check(|out| double(out, f64::NAN), "null");
        check(|out| double(out, 1e300), "1e+300");
        check(|out| float(out, 0.1), "0.1");
        check(|out| decimal(out, -5, 2), "-0.05");
        check(|out| decimal(out, 12_345, 2), "123.45");
        check(|out| decimal(out, 12, 0), "12");
        check(|out| half(out, 0x3c00), "1.0");
        check(|out| half(out, 0xc000), "-2.0");
        check(|out| half(out, 0x7c00), "null");
        assert_eq!(big_endian(&[0xff; 20]), Ok(-1));
        assert_eq!(big_endian(&[1, 0]), Ok(256));
        assert_eq!(big_endian(&[]), Ok(0));
        assert_eq!(big_endian(&[1; 17]), Err(Unwritable::Decimal));
    }

    #[test]
    fn times_as_iso_writes_them() {
        check(|out| timestamp(out, -1, 1_000, "Z").unwrap(), "\"1969-12-31T23:59:59.999Z\"");
        check(|out| timestamp(out, 1_620_000_000, 1, "").unwrap(), "\"2021-05-03T00:00:00\"");
        check(|out| time(out, 3_661_000_001, 1_000_000).unwrap(), "\"01:01:01.000001\"");
        assert_eq!(date(&mut Vec::new(), i64::MAX), Err(Unwritable::Date));
        assert_eq!(int96(&mut Vec::new(), &[0, u32::MAX, 0]), Err(Unwritable::Date));
    }
}
