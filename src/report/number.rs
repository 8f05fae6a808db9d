//! Numbers as a person reads them: rounded like Python, a true minus sign, signs on differences.
//!
//! Shares `0.0..=1.0` go in, per cent and points come out, without the word or the sign for it.

/// Stands where there is no number.
pub const NONE: &str = "–";

/// With so many decimals, correctly rounded on the exact binary value, exact ties to even: Rust’s formatting
/// rounds as Python’s `round` does (protocols §0). What rounds to zero carries no sign, and what is no number is [`NONE`].
pub fn fixed(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// [`fixed`], with a plus sign before what is above zero.
pub fn signed(value: f64, digits: usize) -> String {
    let text = fixed(value, digits);
    let is_positive = text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) && 0.0 < value;
    if is_positive { format!("+{text}") } else { text }
}

/// A share in per cent: `0.668` is `66.8`.
pub fn percent1(share: f64) -> String {
    fixed(share * 100.0, 1)
}

/// A standard error in points: `0.012` is `1.20`.
pub fn se2(se: f64) -> String {
    fixed(se * 100.0, 2)
}

/// Two shares in per cent: `64.4–69.1`, and `−0.8 to 5.2` where a dash would meet a minus.
pub fn interval(low: f64, high: f64) -> String {
    let (low, high) = (percent1(low), percent1(high));
    if low.starts_with('−') || high.starts_with('−') {
        format!("{low} to {high}")
    } else {
        format!("{low}–{high}")
    }
}

/// A difference of shares in points: `+2.2`, `−20.0`, `0.0`.
pub fn points(difference: f64) -> String {
    signed(difference * 100.0, 1)
}

/// Bounds of a difference in points: `−0.8 to +5.2`. Both carry signs, so no dash joins them.
pub fn points_interval(low: f64, high: f64) -> String {
    format!("{} to {}", points(low), points(high))
}

/// A median of words: whole, ties to even.
pub fn words(words: f64) -> String {
    fixed(words, 0)
}

/// How many times as much: `2.2`.
pub fn ratio(ratio: f64) -> String {
    fixed(ratio, 1)
}

/// A count as plain digits.
pub fn count(n: u64) -> String {
    n.to_string()
}

/// The digits of a count in groups of three, to be set with drawn gaps. Four digits stand together.
pub fn digit_groups(n: u64) -> Vec<String> {
    let digits = n.to_string();
    if digits.len() < 5 {
        return vec![digits];
    }
    let first = match digits.len() % 3 {
        0 => 3,
        short => short,
    };
    let mut groups = vec![digits[..first].to_owned()];
    let mut rest = &digits[first..];
    while !rest.is_empty() {
        let (group, after) = rest.split_at(3);
        groups.push(group.to_owned());
        rest = after;
    }
    groups
}

/// A number that may not exist.
pub fn or_none(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), format)
}

/// Bounds that may not exist.
pub fn bounds_or_none(
    low: Option<f64>,
    high: Option<f64>,
    format: impl Fn(f64, f64) -> String,
) -> String {
    low.zip(high).map_or_else(|| NONE.to_owned(), |(low, high)| format(low, high))
}

/// `1 query`, `3 queries`.
pub fn counted(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
