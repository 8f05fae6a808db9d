//! Durations, times and sizes as text. Pure.

pub use crate::report::number::counted;

/// `about 24 min left` without the words: `24 min`, `40 s`, `3 h 10 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_owned();
    }
    let seconds = seconds.round() as u64;
    match seconds {
        0..=89 => format!("{seconds} s"),
        90..=5399 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `1.7 M`, `24 k`, `812`.
pub fn rough(n: u64) -> String {
    match n {
        0..=999 => n.to_string(),
        1000..=999_999 => format!("{:.0} k", n as f64 / 1e3),
        _ => format!("{:.1} M", n as f64 / 1e6),
    }
}

/// `$1.25`; two significant digits below a dime: `$0.0042`.
pub fn usd(amount: f64) -> String {
    if amount == 0.0 {
        return "$0".to_owned();
    }
    if 0.1 <= amount {
        return format!("${amount:.2}");
    }
    let digits = (1.0 - amount.log10().floor()).clamp(2.0, 9.0) as usize;
    format!("${amount:.digits$}")
}

/// `11.2 MB`.
pub fn bytes(n: f64) -> String {
    if n < 1e6 { format!("{:.0} kB", n / 1e3) } else { format!("{:.1} MB", n / 1e6) }
}

/// `2026-11-12 14:05 UTC` of `2026-11-12T14:05:31Z`.
pub fn moment(rfc3339: &str) -> String {
    match (rfc3339.get(..10), rfc3339.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(40.2), "40 s");
        assert_eq!(duration(1440.0), "24 min");
        assert_eq!(duration(11_400.0), "3 h 10 min");
        assert_eq!(duration(f64::INFINITY), "unknown");
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(counted(1, "query", "queries"), "1 query");
        assert_eq!(counted(0, "query", "queries"), "0 queries");
        assert_eq!(rough(1_712_000), "1.7 M");
    }
}
