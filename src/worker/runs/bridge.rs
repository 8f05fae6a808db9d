//! A bridge: what one judge judged, judged again by another over a sample of queries.

use crate::judge::JudgeSpec;
use crate::ledger::Ledger;
use crate::observation::Mark;
use crate::protocol::Reading;
use crate::run::record::{Record, Settings};
use crate::run::repeats::sampled;
use crate::run::{Frame, Texts};
use crate::worker::Notice;
use crate::worker::runs::Book;

impl Book {
    /// Begins, or extends, the run in which the judge of `settings` judges answers of run `from` again:
    /// those to `sample` of the queries with a verdict there, from the texts kept with that run.
    ///
    /// Which queries depends on the seed of `settings` and on their ids alone; a larger sample holds the
    /// smaller one, and a smaller one takes none away. Rubric items are judged, and nothing else: battles
    /// are planned for all queries of a run. Gives the id of the run.
    ///
    /// # Errors
    /// In words, where nothing could be judged again: the same judge, no judge to ask, no texts, no verdicts.
    pub fn bridge(
        &mut self,
        ledger: &Ledger,
        from: &str,
        mut settings: Settings,
        sample: u32,
        now: f64,
    ) -> Result<String, Notice> {
        let source = self.record(from)?;
        let texts = self.texts(from)?;
        check_judge(source, &settings)?;
        let systems: Vec<usize> = (0..source.frame.systems.len())
            .filter(|&system| texts.answers[system].iter().any(Option::is_some))
            .collect();
        let sheet = source.sheet(ledger, Reading::Recommended);
        let is_scored = |case: usize| {
            let marks = systems.iter().flat_map(|&system| &sheet.marks[system][case]);
            marks.into_iter().any(|mark| matches!(mark, Mark::Scored(_)))
        };
        // Without its text an answer can neither be judged nor be called missing.
        let is_readable = |case: usize| {
            systems.iter().all(|&system| {
                let answered = source.frame.systems[system].answers[case].is_answered();
                !answered || texts.answers[system][case].is_some()
            })
        };
        settings.coverage = true;
        settings.preference = None;
        settings.per_field = None;
        let dataset = source.frame.dataset.digest;
        let id = Record::id_of_bridge(&settings, dataset, from);
        let before = self.records.get(&id);
        let is_known = |case: usize| {
            let id = &source.frame.cases[case].id;
            before.is_some_and(|run| run.frame.cases.iter().any(|it| it.id == *id))
        };
        let may = |case: usize| is_scored(case) && is_readable(case);
        let chosen = sampled(&source.frame, settings.seed, sample, may);
        let cases: Vec<usize> = (0..source.frame.cases.len())
            .filter(|case| may(*case) && (chosen.contains(&(*case as u32)) || is_known(*case)))
            .collect();
        if cases.is_empty() {
            return Err(nothing(&systems, sample));
        }
        let parts = subset(&source.frame, texts, &systems, &cases);
        let name = format!("Bridge: {}, {}", source.name, settings.judge.stamp().name);
        Ok(self.open((name, Some(from.to_owned())), settings, parts, now).id.clone())
    }
}

fn check_judge(source: &Record, settings: &Settings) -> Result<(), Notice> {
    if settings.judge.identity() == source.settings.judge.identity() {
        return Err(Notice::new(
            "This judge has judged these answers already",
            "A bridge needs another judge, another prompt or other parameters.",
            "To ask the same judge again, set repeats.",
        ));
    }
    match settings.judge {
        JudgeSpec::Practice | JudgeSpec::Endpoint(_) | JudgeSpec::ByHand { .. } => Ok(()),
        JudgeSpec::Imported { .. } | JudgeSpec::Merged { .. } => Err(Notice::new(
            "Nobody can be asked",
            "Judgements made elsewhere judge nothing anew.",
            "Choose a model, or judge by hand.",
        )),
    }
}

fn nothing(systems: &[usize], sample: u32) -> Notice {
    if sample == 0 {
        return Notice::new(
            "No queries were asked for",
            "The sample is 0.",
            "Choose at least one query.",
        );
    }
    if systems.is_empty() {
        return Notice::new(
            "The answers of this run are not here",
            "Its judgements came without the texts they are about.",
            "Open the dataset and answer files on the Data page, and bring the judgements again.",
        );
    }
    Notice::new(
        "There is nothing to judge again",
        "No query of this run has both a verdict and the texts of its answers.",
        "Judge some of it first.",
    )
}

/// Some queries of some systems, with their texts.
fn subset(frame: &Frame, texts: &Texts, systems: &[usize], cases: &[usize]) -> (Frame, Texts) {
    let mut out = Frame {
        dataset: frame.dataset.clone(),
        cases: cases.iter().map(|&case| frame.cases[case].clone()).collect(),
        systems: Vec::with_capacity(systems.len()),
    };
    let mut kept = Texts {
        cases: cases.iter().map(|&case| texts.cases[case].clone()).collect(),
        answers: Vec::with_capacity(systems.len()),
    };
    for &system in systems {
        let mut own = frame.systems[system].clone();
        own.answers = cases.iter().map(|&case| own.answers[case]).collect();
        out.systems.push(own);
        let answers = &texts.answers[system];
        kept.answers.push(cases.iter().map(|&case| answers[case].clone()).collect());
    }
    (out, kept)
}
