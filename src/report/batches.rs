//! How far batches are, as a table.

use crate::report::block::{Block, Table};
use crate::report::number::{NONE, count, counted};
use crate::run::batches::{BatchStage, SentBatch, out};

/// A line for each batch. `date` writes a moment.
pub fn blocks(batches: &[SentBatch], date: impl Fn(f64) -> String) -> Vec<Block> {
    if batches.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(
        "Batches",
        3,
        &["File", "State", "Its provider says", "Requests", "Done", "Begun (UTC)"],
    );
    table.rows = batches
        .iter()
        .map(|it| {
            vec![
                it.name.clone(),
                state(&it.stage).to_owned(),
                if it.word.is_empty() { NONE.to_owned() } else { it.word.clone() },
                count(it.n),
                it.done.map_or_else(|| NONE.to_owned(), |(done, _)| count(done)),
                date(it.at),
            ]
        })
        .collect();
    let mut blocks = vec![Block::Table(table)];
    let lost = batches.iter().filter(|it| it.stage == BatchStage::Beginning).count() as u64;
    if 0 < lost {
        blocks.push(Block::Warning(
            "Nobody here knows whether it began.".to_owned(),
            format!(
                "The answer to {} never came. Look at your provider’s own page: if it is there, download its results and bring them; if not, press “Wait no longer” and submit it again.",
                counted(lost, "submission", "submissions")
            ),
        ));
    }
    let out = out(batches);
    if 0 < out {
        blocks.push(Block::Text(format!(
            "{} out. What is asked live meanwhile is paid twice.",
            counted(out, "request is", "requests are")
        )));
    }
    blocks
}

fn state(stage: &BatchStage) -> &'static str {
    match stage {
        BatchStage::Uploading => "not submitted",
        BatchStage::Beginning => "not known",
        BatchStage::Waiting(_) => "under way",
        BatchStage::Read(_) => "results read",
        BatchStage::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_is_told_and_what_may_be_is_a_warning() {
        let batch = |name: &str, n, stage| SentBatch::new(name, n, 0.0, stage);
        let list = [
            batch("a", 10, BatchStage::Read("b1".to_owned())),
            batch("b", 20, BatchStage::Waiting("b2".to_owned())),
            batch("c", 5, BatchStage::Beginning),
            batch("d", 7, BatchStage::Uploading),
            batch("e", 9, BatchStage::Failed),
        ];
        assert_eq!(out(&list), 25);
        let blocks = blocks(&list, |_| "today".to_owned());
        let Block::Table(table) = &blocks[0] else { panic!("no table") };
        let states: Vec<&str> = table.rows.iter().map(|it| it[1].as_str()).collect();
        assert_eq!(states, ["results read", "under way", "not known", "not submitted", "failed"]);
        assert!(matches!(&blocks[1], Block::Warning(..)));
        let Block::Text(text) = &blocks[2] else { panic!("no text") };
        assert!(text.starts_with("25 requests are out."), "{text}");
        assert!(super::blocks(&[], |_| String::new()).is_empty());
    }
}
