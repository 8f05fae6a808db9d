//! Dates as data sets write them, to `YYYY-MM-DD`.

use super::json::Json;

/// `Ok(None)` where there is none, `Err` where there is something that is no date.
pub(crate) fn read(value: Option<&Json>) -> Result<Option<String>, ()> {
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Int(number)) => from_timestamp(*number).map(Some).ok_or(()),
        // A float holds a time of today in nanoseconds to about 200 of them: days are safe.
        Some(Json::Float(number)) => from_timestamp(*number as i128).map(Some).ok_or(()),
        Some(Json::Text(text)) => from_text(text),
        Some(Json::Bool(_) | Json::List(_) | Json::Object(_)) => Err(()),
    }
}

fn from_text(text: &str) -> Result<Option<String>, ()> {
    let text = text.trim();
    // The last three are how Python writes a missing time.
    if ["", "null", "nat", "nan", "none"].iter().any(|none| text.eq_ignore_ascii_case(none)) {
        return Ok(None);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == text.len() && digits != 8 {
        return text.parse().ok().and_then(from_timestamp).map(Some).ok_or(());
    }
    let parts: Option<(&str, &str, &str)> = if 8 <= digits {
        text.get(..4).zip(text.get(4..6)).zip(text.get(6..8)).map(|((y, m), d)| (y, m, d))
    } else {
        let mut parts = text.splitn(3, ['-', '/']);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(y), Some(m), Some(d)) => {
                // A time may follow: `T10:00:00Z`, ` 00:00:00`.
                let end = d.find(|c: char| !c.is_ascii_digit()).unwrap_or(d.len());
                let time = d[end..].starts_with(['T', 't', ' ']) || end == d.len();
                time.then_some((y, m, &d[..end]))
            }
            _ => None,
        }
    };
    let (year, month, day) = parts.ok_or(())?;
    let number = |text: &str, longest| {
        let fits = text.len() <= longest && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| fits)
    };
    let year = number(year, 4).filter(|_| year.len() == 4).ok_or(())?;
    let (month, day) = (number(month, 2).ok_or(())?, number(day, 2).ok_or(())?);
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return Err(());
    }
    Ok(Some(format!("{year:04}-{month:02}-{day:02}")))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Seconds, or a thousandth, millionth or billionth of one, told apart by size.
///
/// The borders lie at about the year 5138 in each unit. Small numbers are rather years than seconds.
fn from_timestamp(number: i128) -> Option<String> {
    let size = number.unsigned_abs();
    let unit = match size {
        0..100_000 => return None,
        100_000..100_000_000_000 => 1,
        100_000_000_000..100_000_000_000_000 => 1_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000_000,
        _ => 1_000_000_000,
    };
    let days = i64::try_from(number.div_euclid(unit * 86_400)).ok()?;
    from_days(days)
}

/// Days since 1970-01-01 in the Gregorian calendar.
///
/// Counted in eras of 400 years from 1 March of the year 0, so that the leap day comes last.
pub(crate) fn from_days(days: i64) -> Option<String> {
    const ERA: i64 = 146_097;
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(ERA);
    let day_of_era = days.rem_euclid(ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (1..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Result<Option<&str>, ()>) {
        let value: Json = serde_json::from_str(json).unwrap();
        assert_eq!(read(Some(&value)), expected.map(|date| date.map(str::to_owned)), "{json}");
    }

    #[test]
    fn all_the_ways_a_date_is_written() {
        check("null", Ok(None));
        check("\"\"", Ok(None));
        check("\"NaT\"", Ok(None));
        check("\"2021-05-03\"", Ok(Some("2021-05-03")));
        check("\" 2021-5-3 \"", Ok(Some("2021-05-03")));
        check("\"2021/05/03\"", Ok(Some("2021-05-03")));
        check("\"20210503\"", Ok(Some("2021-05-03")));
        check("\"2021-05-03T10:11:12.5Z\"", Ok(Some("2021-05-03")));
        check("\"2021-05-03 00:00:00\"", Ok(Some("2021-05-03")));
        check("\"2024-02-29\"", Ok(Some("2024-02-29")));
        check("1620000000", Ok(Some("2021-05-03")));
        check("1620000000000", Ok(Some("2021-05-03")));
        check("1620000000000000", Ok(Some("2021-05-03")));
        check("1620000000000000000", Ok(Some("2021-05-03")));
        check("1.62e18", Ok(Some("2021-05-03")));
        check("\"1620000000000\"", Ok(Some("2021-05-03")));
        check("-86400000", Ok(Some("1967-04-07")));
    }

    #[test]
    fn what_is_no_date_is_no_date() {
        for json in [
            "\"2021\"",
            "\"2021-05\"",
            "\"2023-02-29\"",
            "\"2021-13-01\"",
            "\"2021-00-01\"",
            "\"May 2021\"",
            "\"2021-05-03x\"",
            "\"21-05-03\"",
            "\"２０２１-05-03\"",
            "2021",
            "1e300",
            "true",
            "[]",
            "{}",
            "\"99999999999999999999999999999999999999999999\"",
        ] {
            check(json, Err(()));
        }
    }
}
