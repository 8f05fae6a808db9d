//! What a run has cost, as a table.

use crate::report::block::{Block, Table};
use crate::report::number::{NONE, counted, fixed};
use crate::run::spend::{Protocol, Spent};

/// A line for each protocol and system, and their sum.
pub fn blocks(lines: &[Spent]) -> Vec<Block> {
    let mut table = Table::new(
        "Cost",
        2,
        &["System", "For", "Attempts", "Tokens in", "Tokens out", "Cost (USD)"],
    );
    let row = |name: &str, protocol: &str, it: &Spent| {
        vec![
            name.to_owned(),
            protocol.to_owned(),
            // A battle stands half with each of its systems.
            fixed(it.attempts, usize::from(it.attempts.fract() != 0.0)),
            fixed(it.tokens_in, 0),
            fixed(it.tokens_out, 0),
            it.dollars.map_or_else(|| NONE.to_owned(), |it| fixed(it, 4)),
        ]
    };
    for it in lines {
        let protocol = match it.protocol {
            Protocol::Coverage => "coverage",
            Protocol::Preference => "preference",
        };
        table.rows.push(row(&it.system, protocol, it));
    }
    let all = total(lines);
    table.rows.push(row("All", "", &all));
    vec![Block::Table(table), Block::Text(note(&all))]
}

pub(super) fn total(lines: &[Spent]) -> Spent {
    let sum = |what: fn(&Spent) -> f64| lines.iter().map(what).sum();
    Spent {
        protocol: Protocol::Coverage,
        system: String::new(),
        attempts: sum(|it| it.attempts),
        tokens_in: sum(|it| it.tokens_in),
        tokens_out: sum(|it| it.tokens_out),
        uncounted: sum(|it| it.uncounted),
        dollars: lines.iter().map(|it| it.dollars).sum(),
    }
}

fn note(all: &Spent) -> String {
    let halves = "Of a battle, half stands with each system.";
    let prices = if all.dollars.is_some() {
        ""
    } else {
        " Without prices no cost is known; calls made in batches need prices of their own."
    };
    if all.uncounted == 0.0 {
        return format!("As the provider counted. {halves}{prices}");
    }
    let left_out = counted(all.uncounted.round() as u64, "attempt", "attempts");
    format!(
        "As the provider counted, which left out {left_out}, not in these sums. {halves}{prices}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_add_up_and_what_nobody_counted_is_said() {
        let line = |dollars, uncounted| Spent {
            protocol: Protocol::Preference,
            system: "a".to_owned(),
            attempts: 1.5,
            tokens_in: 1000.0,
            tokens_out: 10.0,
            uncounted,
            dollars,
        };
        let all = total(&[line(Some(0.25), 0.0), line(Some(0.5), 1.0)]);
        assert_eq!((all.attempts, all.dollars), (3.0, Some(0.75)));
        assert!(note(&all).contains("left out 1 attempt,"), "{}", note(&all));
        let partly = [line(Some(0.25), 0.0), line(None, 0.0)];
        assert_eq!(total(&partly).dollars, None, "what is not known is not zero");
        let Block::Table(table) = &blocks(&partly)[0] else { panic!("no table") };
        assert_eq!(table.rows[2], ["All", "", "3", "2000", "20", NONE]);
    }
}
