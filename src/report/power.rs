//! What a plan takes and can show, in words and a table.

use crate::metrics::power::{Design, LoadSource, Outlook, PlanSketch, PowerBase, Spread};
use crate::metrics::repeats::JudgeNoise;
use crate::report::block::{Block, Table};
use crate::report::number::{self, NONE, counted};

/// The outlook of a plan, and what it rests on.
pub fn blocks(sketch: &PlanSketch, base: &PowerBase, outlook: &Outlook) -> Vec<Block> {
    let mut table =
        Table::new("What the plan can show", 1, &["What", "Typical pair", "Widest pair"]);
    let gap = |share: f64| format!("{} points", number::fixed(share * 100.0, 1));
    table.rows.push(vec![
        "Smallest difference in coverage told apart".to_owned(),
        outlook.coverage.map_or_else(|| NONE.to_owned(), |it| gap(it.typical)),
        outlook.coverage.map_or_else(|| NONE.to_owned(), |it| gap(it.widest)),
    ]);
    table.rows.push(vec![
        "Smallest difference of two ratings told apart".to_owned(),
        outlook
            .rating
            .map_or_else(|| NONE.to_owned(), |it| format!("{} Elo", number::fixed(it, 0))),
        String::new(),
    ]);
    let dollars = match outlook.dollars {
        Some((low, high)) => {
            format!("between ${} and ${}", number::fixed(low, 2), number::fixed(high, 2))
        }
        None => "no known cost: there are no prices".to_owned(),
    };
    let battles = if outlook.duel_calls == 0 {
        String::new()
    } else {
        format!(", {} of them for battles", outlook.duel_calls)
    };
    let mut out = vec![
        Block::Text(format!(
            "{}{battles}; about {} tokens in and {} out; {dollars}.",
            counted(outlook.calls, "call", "calls"),
            outlook.tokens_in,
            outlook.tokens_out
        )),
        Block::Table(table),
        Block::Text(rests_on(base)),
    ];
    if 1 < sketch.repeats {
        let words = match base.judge {
            JudgeNoise::Known { .. } => {
                "Repeats shrink only the judge’s part of the difference, and only where all verdicts are averaged, \
                 which no table here does."
            }
            JudgeNoise::Unknown => {
                "How much repeats would help is not known: nothing was judged twice yet. They are counted in cost \
                 alone."
            }
        };
        out.push(Block::Text(words.to_owned()));
    }
    out
}

fn rests_on(base: &PowerBase) -> String {
    let spread = match &base.spread {
        Spread::Run { pairs, typical, .. } => format!(
            "from {} of this run: two systems differ from query to query by {} points (one standard deviation, at \
             its upper 80% limit)",
            counted(pairs.len() as u64, "pair of systems", "pairs of systems"),
            number::fixed(typical * 100.0, 1)
        ),
        Spread::Assumed { sd } => format!(
            "assumed: two systems differ from query to query by {} points (one standard deviation). Judge a few \
             queries of your systems to know it",
            number::fixed(sd * 100.0, 0)
        ),
    };
    let design = match base.design {
        Design::Run { factor, battles, .. } => format!(
            "Battles over one query go together, which makes errors {} times as large in this run’s {battles} battles.",
            number::fixed(factor, 2)
        ),
        Design::Assumed => "Battles are taken for independent.".to_owned(),
    };
    let load = match base.load.source {
        LoadSource::Run { calls, duels } => {
            format!("Tokens: from {} of this run.", counted(calls + duels, "call", "calls"))
        }
        LoadSource::Assumed => "Tokens: assumed, for answers of 250 words.".to_owned(),
    };
    format!(
        "Told apart with 80% probability, at 5% over all pairs together for coverage and for one pair for ratings. \
         The spread is {spread}. {design} {load}"
    )
}
