//! How steady a judge is, in words and a table.

use crate::metrics::Kin;
use crate::metrics::repeats::{JudgeNoise, RepeatReport};
use crate::report::block::{self, Block, Table};
use crate::report::number::{self, counted};

/// Empty where nothing was planned to be judged twice and nobody is the judge's kin.
pub fn blocks(found: &RepeatReport) -> Vec<Block> {
    let mut out: Vec<Block> = kin(&found.kin).into_iter().collect();
    let Some(planned) = found.planned else {
        return out;
    };
    out.push(Block::Text(format!(
        "The judge was asked {} times in all about {} of {}, the same words each time. Of {} asked, {} scored; {} \
         still to be asked. None of this enters any other table.",
        planned.times,
        counted(found.queries, "query", "queries"),
        found.of_queries,
        counted(found.tally.asked(), "verdict", "verdicts"),
        found.tally.scored,
        found.not_asked
    )));
    if found.judge.practice {
        out.push(Block::Warning(
            "Practice.".to_owned(),
            "The practice judge wavers at random, so that there is something to see here."
                .to_owned(),
        ));
    }
    let mut table = Table::new("Repeats", 1, &["Measure", "Value (95%)", "Judged twice", "Of"]);
    let mut line = |what: &str, value: String, twice: u64, of: u64| {
        table.rows.push(vec![what.to_owned(), value, twice.to_string(), of.to_string()]);
    };
    let items = found.items;
    if 0 < items.items {
        let (twice, of) = (items.twice, items.items);
        line("Items whose label flipped, %", block::share(items.flipped), twice, of);
        line("Pairs of verdicts with the same label, %", block::share(items.agreement), twice, of);
        line("Krippendorff’s α, ordered labels", block::coefficient(items.alpha), twice, of);
        let answers = found.answers;
        line(
            "ICC(1) of an answer’s coverage",
            block::coefficient(answers.icc),
            answers.twice,
            answers.answers,
        );
    }
    let duels = found.duels;
    if 0 < duels.duels {
        let (twice, of) = (duels.twice, duels.duels);
        line("Battle verdicts that flipped, %", block::share(duels.flipped), twice, of);
        line("Pairs of battle verdicts that agree, %", block::share(duels.agreement), twice, of);
    }
    out.push(Block::Table(table));
    if let JudgeNoise::Known { variance, differences, .. } = found.answers.judge {
        out.push(Block::Text(format!(
            "The judge alone moves the difference of two answers to one query by {} points (one standard \
             deviation, from {}).",
            number::fixed(variance.sqrt() * 100.0, 1),
            counted(differences, "difference judged twice", "differences judged twice")
        )));
    }
    out.push(Block::Text(
        "α and ICC: 1 is perfect, 0 is chance. Intervals are over resampled queries. With fewer than 10 queries \
         they are guesses."
            .to_owned(),
    ));
    out
}

/// That the judge may favour its own kin.
pub fn kin(kin: &Kin) -> Option<Block> {
    let (_, family) = kin.systems.first()?;
    let names: Vec<&str> = kin.systems.iter().map(|(name, _)| name.as_str()).collect();
    Some(Block::Warning(
        "The judge’s own kin.".to_owned(),
        format!(
            "By their names the judge and {} are of one maker, {}. Judges have been found to favour texts of \
             their own kind; a judge of another maker is a check.",
            names.join(", "),
            family.as_str()
        ),
    ))
}
