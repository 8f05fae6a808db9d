//! Joining the run files of several people who labelled the same benchmark.

use std::collections::HashMap;

use crate::ids::{CaseId, Digest};
use crate::judge::{Attempt, Finish, JudgeSpec, Outcome, Usage};
use crate::ledger::{Ledger, Pass};
use crate::observation::Mark;
use crate::protocol::{Reading, settle};
use crate::run::driver::Phase;
use crate::run::frame::{AnswerState, Frame, FrameSystem};
use crate::run::record::{Conflict, Origin, Record, Settings};

/// Why two runs cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("“{0}” was not judged by hand; only hand labels are merged")]
    NotByHand(String),
    #[error("“{0}” belongs to another benchmark: the fingerprints of questions and rubrics differ")]
    OtherBenchmark(String),
    #[error("there is nothing to merge: at least two people are needed")]
    TooFew,
}

/// One run with the labels of all, its replies, and where they disagree.
///
/// Where all who labelled an item agree, their label stands. Where they do not, the item has no
/// verdict: it is listed as a conflict and counted as unparsed, never averaged away.
pub fn merge(
    runs: &[(&Record, &Ledger)],
    now: f64,
) -> Result<(Record, Vec<(Digest, Attempt)>), MergeError> {
    let mut people: Vec<String> = Vec::new();
    for (record, _) in runs {
        match &record.settings.judge {
            JudgeSpec::ByHand { person } => people.push(person.clone()),
            // A merged run has lost what its conflicts were: merge the people's own runs.
            _ => return Err(MergeError::NotByHand(record.name.clone())),
        }
    }
    people.sort();
    people.dedup();
    let Some((first, _)) = runs.first() else {
        return Err(MergeError::TooFew);
    };
    if people.len() < 2 {
        return Err(MergeError::TooFew);
    }
    if let Some((other, _)) =
        runs.iter().find(|(it, _)| it.frame.dataset.digest != first.frame.dataset.digest)
    {
        return Err(MergeError::OtherBenchmark(other.name.clone()));
    }

    let votes: Vec<Votes<'_>> = runs.iter().map(|(run, ledger)| Votes::of(run, ledger)).collect();
    let settings = Settings {
        judge: JudgeSpec::Merged { people: people.clone(), labels: fingerprint(&votes) },
        coverage: true,
        preference: None,
        // Labels by people are there once.
        repeats: None,
        ..first.settings.clone()
    };
    let mut record = Record {
        id: Record::id_of(&settings, first.frame.dataset.digest),
        name: format!("Merged: {}", people.join(", ")),
        created: now,
        updated: now,
        origin: Origin::Merge,
        settings,
        frame: union(&runs.iter().map(|(run, _)| &run.frame).collect::<Vec<_>>()),
        battles: Vec::new(),
        pass: 0,
        phase: Phase::Done,
        conflicts: Vec::new(),
        extensions: Vec::new(),
        bridge: None,
        batches: Vec::new(),
    };

    let mut replies = Vec::new();
    for task in record.tasks() {
        let case = &record.frame.cases[task.case as usize].id;
        let system = &record.frame.systems[task.system as usize];
        let labels: Vec<(String, crate::rubric::Label)> = votes
            .iter()
            .filter_map(|it| {
                let mark = it.find(system.identity, case.as_str(), task.first as usize)?;
                Some((it.person.clone(), mark.label()?))
            })
            .collect();
        let Some((_, label)) = labels.first() else {
            continue;
        };
        let agreed = labels.iter().all(|(_, other)| other == label);
        let words: Vec<(String, String)> =
            labels.iter().map(|(who, label)| (who.clone(), label.as_str().to_owned())).collect();
        let text = if agreed {
            label.as_str().to_owned()
        } else {
            let list: Vec<String> =
                words.iter().map(|(who, label)| format!("{label} ({who})")).collect();
            format!("Conflict: {}", list.join(", "))
        };
        if !agreed {
            record.conflicts.push(Conflict {
                case: case.to_string(),
                system: system.name.to_string(),
                item: task.first + 1,
                labels: words,
            });
        }
        replies.push((
            task.key,
            Attempt {
                run: record.id.clone(),
                pass: 0,
                at: now,
                took: 0.0,
                model_asked: String::new(),
                model_answered: None,
                sent: Vec::new(),
                dropped: Vec::new(),
                usage: Usage::default(),
                outcome: Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() },
            },
        ));
    }
    Ok((record, replies))
}

/// All questions and all systems that occur in any frame, joined by id and by identity.
pub fn union(frames: &[&Frame]) -> Frame {
    let mut all = frames[0].clone();
    let mut cases: HashMap<CaseId, usize> =
        all.cases.iter().enumerate().map(|(at, case)| (case.id.clone(), at)).collect();
    for case in frames[1..].iter().flat_map(|frame| &frame.cases) {
        if !cases.contains_key(&case.id) {
            cases.insert(case.id.clone(), all.cases.len());
            all.cases.push(case.clone());
        }
    }
    let n_cases = all.cases.len();
    for system in &mut all.systems {
        system.answers.resize(n_cases, AnswerState::Missing);
    }
    for frame in &frames[1..] {
        for system in &frame.systems {
            let at = match all.systems.iter().position(|it| it.identity == system.identity) {
                Some(at) => at,
                None => {
                    let answers = vec![AnswerState::Missing; n_cases];
                    all.systems.push(FrameSystem { answers, ..system.clone() });
                    all.systems.len() - 1
                }
            };
            for (case, answer) in frame.cases.iter().zip(&system.answers) {
                if let Some(&index) = cases.get(&case.id)
                    && *answer != AnswerState::Missing
                {
                    all.systems[at].answers[index] = *answer;
                }
            }
        }
    }
    all
}

/// Over everybody's labels: merging again after a label has changed is another run, so that an old
/// agreement never hides a new conflict.
fn fingerprint(votes: &[Votes<'_>]) -> Digest {
    let mut lines: Vec<String> = Vec::new();
    for vote in votes {
        for (system, cases) in vote.record.frame.systems.iter().zip(&vote.marks) {
            for (case, marks) in vote.record.frame.cases.iter().zip(cases) {
                let labels: Vec<&str> =
                    marks.iter().map(|it| it.label().map_or("-", |it| it.as_str())).collect();
                lines.push(format!(
                    "{}\t{}\t{}\t{}",
                    vote.person,
                    system.identity,
                    case.id,
                    labels.join(",")
                ));
            }
        }
    }
    lines.sort_unstable();
    Digest::of_texts(lines.iter().map(String::as_str))
}

/// One person's marks, findable by system and question.
struct Votes<'a> {
    person: String,
    record: &'a Record,
    marks: Vec<Vec<Vec<Mark>>>,
    cases: HashMap<&'a str, usize>,
}

impl<'a> Votes<'a> {
    fn of(record: &'a Record, ledger: &Ledger) -> Self {
        let person = match &record.settings.judge {
            JudgeSpec::ByHand { person } => person.clone(),
            _ => record.name.clone(),
        };
        let pass = Pass { ledger, run: &record.id, number: record.pass };
        let mut marks: Vec<Vec<Vec<Mark>>> =
            vec![vec![Vec::new(); record.frame.cases.len()]; record.frame.systems.len()];
        for task in record.tasks() {
            let settled =
                settle(&task, record.settings.judge.format(), Reading::Recommended, &pass);
            marks[task.system as usize][task.case as usize].extend(settled);
        }
        let cases = record.frame.cases.iter().enumerate();
        let cases = cases.map(|(at, case)| (case.id.as_str(), at)).collect();
        Self { person, record, marks, cases }
    }

    fn find(&self, system: Digest, case: &str, item: usize) -> Option<Mark> {
        let frame = &self.record.frame;
        let system = frame.systems.iter().position(|it| it.identity == system)?;
        self.marks[system][*self.cases.get(case)?].get(item).copied()
    }
}
