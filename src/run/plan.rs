//! From a benchmark, the answers and a choice to the frame of a run, and what judging it would take.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::dataset::sample::choose;
use crate::dataset::{Answer, AnswerSet, Benchmark, answer_digest, words};
use crate::ids::{CaseId, Digest};
use crate::judge::JudgeSpec;
use crate::protocol::{Task, coverage, preference};
use crate::run::frame::{
    AnswerState, CaseText, DatasetStamp, Frame, FrameCase, FrameItem, FrameSystem, Texts,
};
use crate::run::matchups::{self, PairPlan};
use crate::run::record::Settings;

/// Which questions a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// `None`: all.
    pub per_field: Option<u32>,
    pub seed: u64,
}

/// What judging would take, before anything is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Distinct requests.
    pub calls: u64,
    /// Of these, for battles, repeated ones included.
    pub duel_calls: u64,
    /// Of all calls, those that ask the same again on purpose.
    pub repeat_calls: u64,
    /// Rubric items put to the judge, and seat orders of battles.
    pub verdicts: u64,
    /// How often each pair of systems meets; empty where nothing is compared.
    pub grid: Vec<PairPlan>,
    /// Names of the systems, for the grid.
    pub names: Vec<String>,
    pub cases: u64,
    pub systems: u64,
    pub answers: u64,
    /// Never sent, and counted.
    pub missing: u64,
    pub empty: u64,
    /// By our own count, four characters a token: off by a third either way for other languages.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Of the longest request, by the same count.
    pub longest: u64,
}

/// The chosen part of a benchmark with the answers to it, and the texts apart.
pub fn frame(benchmark: &Benchmark, sets: &[AnswerSet], choice: Choice) -> (Frame, Texts) {
    let chosen = choose(benchmark, choice.per_field, choice.seed);
    let chosen: Vec<_> = chosen.into_iter().map(|at| benchmark.case(at)).collect();
    let cases = chosen
        .iter()
        .map(|case| FrameCase {
            id: CaseId::new(case.id()),
            domain: case.domain().to_owned(),
            subdomain: case.subdomain().to_owned(),
            field: case.field().to_owned(),
            query: Some(Digest::of_texts([case.query()])),
            items: case
                .items()
                .map(|item| FrameItem {
                    digest: Digest::of_texts([item.text()]),
                    types: item.kinds().iter().collect(),
                    weight: item.weight(),
                })
                .collect(),
        })
        .collect();
    let mut texts = Texts {
        cases: chosen
            .iter()
            .map(|case| CaseText {
                query: case.query().to_owned(),
                date: case.date(),
                items: case.items().map(|item| item.text().to_owned()).collect(),
            })
            .collect(),
        answers: Vec::with_capacity(sets.len()),
    };
    let mut systems = Vec::with_capacity(sets.len());
    for set in sets {
        let by_id: HashMap<&str, &Answer> =
            set.answers.iter().map(|answer| (answer.id.as_str(), answer)).collect();
        let found: Vec<Option<&Answer>> =
            chosen.iter().map(|case| by_id.get(case.id()).copied()).collect();
        systems.push(FrameSystem {
            name: set.name.clone(),
            identity: set.identity(),
            answers: found
                .iter()
                .map(|answer| match answer {
                    None => AnswerState::Missing,
                    Some(answer) if answer.is_empty() => AnswerState::Empty,
                    Some(answer) => AnswerState::Answered {
                        digest: answer_digest(&answer.text),
                        words: words(&answer.text),
                    },
                })
                .collect(),
        });
        texts.answers.push(
            found
                .iter()
                .map(|answer| answer.filter(|it| !it.is_empty()).map(|it| it.text.clone()))
                .collect(),
        );
    }
    let source = match benchmark.files() {
        [] => "none".to_owned(),
        files => files
            .iter()
            .map(|file| format!("{} ({})", file.name, file.digest.short()))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let dataset = DatasetStamp {
        name: benchmark.name.clone(),
        source,
        digest: benchmark.digest(),
        n_cases: benchmark.len() as u64,
        n_items: benchmark.n_items(),
    };
    (Frame { dataset, cases, systems }, texts)
}

impl Plan {
    pub fn of(settings: &Settings, frame: &Frame, texts: &Texts) -> Self {
        let mut plan = Self {
            cases: frame.cases.len() as u64,
            systems: frame.systems.len() as u64,
            names: frame.systems.iter().map(|it| it.name.to_string()).collect(),
            ..Self::default()
        };
        for state in frame.systems.iter().flat_map(|system| &system.answers) {
            match state {
                AnswerState::Missing => plan.missing += 1,
                AnswerState::Empty => plan.empty += 1,
                AnswerState::Answered { .. } => plan.answers += 1,
            }
        }
        let mut tasks = Vec::new();
        if settings.coverage {
            tasks.extend(coverage::tasks(&settings.judge, frame).into_iter().map(Task::Coverage));
        }
        if let (Some(preference), Some(matching)) = (&settings.preference, settings.matching()) {
            let matchups = matchups::plan(frame, matching, &[]);
            let duels =
                preference::tasks(&settings.judge, &preference.duel, frame, &matchups.battles);
            tasks.extend(duels.into_iter().map(Task::Preference));
            plan.grid = matchups.pairs;
        }
        if let Some(repeats) = settings.repeats.filter(|_| settings.judge.is_driven()) {
            tasks.extend(repeats.of(frame, settings.seed, &tasks));
        }
        let mut seen = HashSet::new();
        for task in tasks {
            plan.verdicts += u64::from(task.verdicts());
            if seen.insert(task.key()) {
                plan.add(settings, task, texts);
            }
        }
        plan.calls = seen.len() as u64;
        if !matches!(settings.judge, JudgeSpec::Endpoint(_)) {
            (plan.tokens_in, plan.tokens_out, plan.longest) = (0, 0, 0);
        }
        plan
    }

    /// One distinct request.
    fn add(&mut self, settings: &Settings, task: Task, texts: &Texts) {
        /// A verdict with a sentence or two.
        const REPLY: u64 = 80;
        let answer = |system: u32, case: u32| {
            characters(texts.answers[system as usize][case as usize].as_deref())
        };
        match task {
            Task::Coverage(task) => {
                let template = match &settings.judge {
                    JudgeSpec::Endpoint(endpoint) => endpoint.prompt.text.chars().count(),
                    _ => 0,
                };
                let items: usize = texts.cases[task.case as usize].items
                    [task.first as usize..(task.first + task.len) as usize]
                    .iter()
                    .map(|item| item.chars().count() + 4)
                    .sum();
                let sent = template + AROUND + answer(task.system, task.case) + items;
                self.repeat_calls += u64::from(0 < task.repeat);
                self.add_tokens(sent);
                self.tokens_out += 4 * u64::from(task.len) + 8;
            }
            Task::Preference(task) => {
                let template = settings
                    .preference
                    .as_ref()
                    .map_or(0, |preference| preference.duel.prompt.text.chars().count());
                let case = task.battle.case;
                let (first, second) = task.seats();
                let query = texts.cases[case as usize].query.chars().count();
                let sent = template + 2 * AROUND + answer(first, case) + answer(second, case);
                self.repeat_calls += u64::from(0 < task.repeat);
                self.duel_calls += 1;
                self.add_tokens(sent + query);
                self.tokens_out += REPLY;
            }
        }
    }

    fn add_tokens(&mut self, characters: usize) {
        let tokens = characters.div_ceil(4) as u64;
        self.tokens_in += tokens;
        self.longest = self.longest.max(tokens);
    }

    /// Battles in all, and of these such as a missing answer decides.
    pub fn battles(&self) -> (u64, u64) {
        let sum = |of: fn(&PairPlan) -> u32| self.grid.iter().map(|pair| u64::from(of(pair))).sum();
        (sum(|pair| pair.battles), sum(|pair| pair.forfeits))
    }
}

/// Characters of fences and of the sentence on the output format.
const AROUND: usize = 250;

fn characters(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.chars().count())
}
