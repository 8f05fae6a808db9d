//! The run worker's book: all runs and all replies, and every question about them. Pure.
//!
//! What it gives back as replies to store is stored before it is counted: the edge writes first and
//! admits after.

pub mod batch;
mod bridge;
mod compare;
mod panel;
mod power;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::dataset::Place;
use crate::dataset::Problems;
use crate::dataset::judgements::{ImportedCase, ImportedSet};
use crate::ids::{CaseId, Digest};
use crate::judge::retry::RetryPolicy;
use crate::judge::{Attempt, ErrorKind, Finish, JudgeSpec, Outcome, Usage, practice};
use crate::ledger::{Ledger, Pass};
use crate::protocol::{CoverageTask, Reading, Request, Task, preference, settle};
use crate::rating::Winner;
use crate::report::exchange::Exchange;
use crate::rubric::Label;
use crate::run::batches::{SentBatch, out};
use crate::run::record::{Extension, Origin, Record, Settings};
use crate::run::repeats::Repeats;
use crate::run::{AnswerState, Frame, FrameCase, FrameSystem, Phase, Texts, matchups, merge};
use crate::worker::{
    HandView, InspectedBatch, InspectedBattle, InspectedDuel, InspectedItem, InspectedSystem,
    Inspection, Notice, RunSummary,
};

fn gone() -> Notice {
    Notice::new("This run is not here any more", "It was deleted.", "Choose another run.")
}

/// A reply ready to be stored.
pub type Reply = (Digest, Attempt);

#[derive(Default)]
pub struct Book {
    pub records: BTreeMap<String, Record>,
    /// Texts in memory.
    pub texts: BTreeMap<String, Texts>,
    /// Runs whose texts lie in storage.
    pub stored_texts: BTreeSet<String>,
    power: Option<power::Kept>,
}

impl Book {
    pub fn record(&self, run: &str) -> Result<&Record, Notice> {
        self.records.get(run).ok_or_else(gone)
    }

    pub fn record_mut(&mut self, run: &str) -> Result<&mut Record, Notice> {
        self.records.get_mut(run).ok_or_else(gone)
    }

    pub fn texts(&self, run: &str) -> Result<&Texts, Notice> {
        self.texts.get(run).ok_or_else(|| {
            Notice::new(
                "The texts of this run are not here",
                "A run file holds no questions and answers unless they were asked for.",
                "Open the dataset and answer files on the Data page, then press “Start run”.",
            )
        })
    }

    /// Forgets a run with its texts; its replies are not the book's.
    pub fn remove(&mut self, run: &str) {
        self.records.remove(run);
        self.texts.remove(run);
        self.stored_texts.remove(run);
    }

    pub fn summary(&self, record: &Record, ledger: &Ledger) -> RunSummary {
        RunSummary {
            id: record.id.clone(),
            name: record.name.clone(),
            created: record.created,
            updated: record.updated,
            origin: record.origin,
            settings: record.settings.clone(),
            judge: record.settings.judge.stamp(),
            dataset: record.frame.dataset.name.clone(),
            dataset_digest: record.frame.dataset.digest,
            dataset_on_hub: record.frame.dataset.on_hub(),
            n_cases: record.frame.cases.len() as u64,
            systems: record.frame.systems.iter().map(|it| it.name.to_string()).collect(),
            progress: record.progress(ledger),
            conflicts: record.conflicts.clone(),
            extensions: record.extensions.clone(),
            bridge: record.bridge.clone(),
            batched: out(&record.batches),
            has_texts: self.texts.contains_key(&record.id)
                || self.stored_texts.contains(&record.id),
            stored: true,
            elsewhere: false,
        }
    }

    /// Newest first.
    pub fn summaries(&self, ledger: &Ledger) -> Vec<RunSummary> {
        let mut list: Vec<RunSummary> =
            self.records.values().map(|record| self.summary(record, ledger)).collect();
        list.sort_by(|a, b| b.updated.total_cmp(&a.updated));
        list
    }

    /// The run these settings name, new or extended. Judgements made before stay.
    pub fn begin(&mut self, settings: Settings, frame: Frame, texts: Texts, now: f64) -> &Record {
        let name = format!("{}, {}", frame.dataset.name, settings.judge.stamp().name);
        self.open((name, None), settings, (frame, texts), now)
    }

    /// As [`Self::begin`], of the run with this name where it is new, and with this source.
    fn open(
        &mut self,
        (name, bridge): (String, Option<String>),
        settings: Settings,
        (frame, texts): (Frame, Texts),
        now: f64,
    ) -> &Record {
        let dataset = frame.dataset.digest;
        let id = match &bridge {
            Some(from) => Record::id_of_bridge(&settings, dataset, from),
            None => Record::id_of(&settings, dataset),
        };
        self.texts.insert(id.clone(), texts);
        let kept = self.records.get(&id).map_or_else(Vec::new, |before| {
            matchups::carry(&before.frame, &before.battles, &frame)
        });
        let battles = settings
            .matching()
            .map(|matching| matchups::plan(&frame, matching, &kept).battles)
            .unwrap_or_default();
        let is_new = !self.records.contains_key(&id);
        let record = self.records.entry(id.clone()).or_insert_with(|| Record {
            id,
            name,
            created: now,
            updated: now,
            origin: Origin::Here,
            settings: settings.clone(),
            frame: frame.clone(),
            battles: Vec::new(),
            pass: 0,
            phase: Phase::Idle,
            conflicts: Vec::new(),
            extensions: Vec::new(),
            bridge,
            batches: Vec::new(),
        });
        let before = record.size();
        record.settings = settings;
        record.frame = frame;
        record.battles = battles;
        record.updated = now;
        let after = record.size();
        if before != after && !is_new {
            record.extensions.push(Extension { at: now, before, after });
        }
        record
    }

    /// Takes in the run of a run file, and says what became of it. Questions and systems of both are
    /// kept; texts stay only with the very frame they belong to.
    pub fn reopen(
        &mut self,
        file: &str,
        n_replies: usize,
        mut record: Record,
        texts: Option<Texts>,
    ) -> String {
        let id = record.id.clone();
        let Some(here) = self.records.get(&id) else {
            record.origin = Origin::RunFile;
            self.texts.extend(texts.map(|texts| (id.clone(), texts)));
            self.records.insert(id, record);
            return format!("{file}: {n_replies} replies read.");
        };
        let joined = merge::union(&[&here.frame, &record.frame]);
        let mut kept = texts.filter(|_| joined == record.frame);
        if kept.is_none() && joined == here.frame {
            kept = self.texts.get(&id).cloned();
        } else {
            self.texts.remove(&id);
            self.stored_texts.remove(&id);
        }
        self.texts.extend(kept.map(|texts| (id.clone(), texts)));
        let mut battles = matchups::carry(&here.frame, &here.battles, &joined);
        battles.extend(matchups::carry(&record.frame, &record.battles, &joined));
        battles.sort_unstable();
        battles.dedup();
        record.battles = battles;
        record.frame = joined;
        // What is known here of a batch is as new as what a file knows, or newer.
        let mut batches = here.batches.clone();
        let is_new = |it: &SentBatch| !here.batches.iter().any(|own| own.is_same(it));
        batches.extend(record.batches.into_iter().filter(is_new));
        batches.sort_by(|a, b| a.at.total_cmp(&b.at));
        record.batches = batches;
        record.origin = here.origin;
        record.pass = record.pass.max(here.pass);
        record.settings.repeats = Repeats::larger(record.settings.repeats, here.settings.repeats);
        self.records.insert(id, record);
        format!("{file}: {n_replies} replies joined to the same run here.")
    }

    pub fn inspect(&self, ledger: &Ledger, run: &str, case: usize) -> Result<Inspection, Notice> {
        let record = self.record(run)?;
        let frame = &record.frame;
        let Some(meta) = frame.cases.get(case) else {
            return Err(Notice::new(
                "There is no such question in this run",
                format!("The run has {} questions.", frame.cases.len()),
                format!("Choose a number from 1 to {}.", frame.cases.len()),
            ));
        };
        let texts = self.texts.get(run);
        let case_text = texts.map(|it| &it.cases[case]);
        let pass = Pass { ledger, run, number: record.pass };
        let format = record.settings.judge.format();
        let mut systems: Vec<InspectedSystem> = frame
            .systems
            .iter()
            .enumerate()
            .map(|(index, system)| InspectedSystem {
                name: system.name.to_string(),
                state: system.answers[case],
                answer: texts.and_then(|it| it.answers[index][case].clone()),
                marks: Vec::new(),
                evidence: Vec::new(),
                batches: Vec::new(),
            })
            .collect();
        for task in record.tasks().iter().filter(|task| task.case as usize == case) {
            let attempts = ledger.attempts(task.key).to_vec();
            let system = &mut systems[task.system as usize];
            system.marks.extend(settle(task, format, Reading::Recommended, &pass));
            let evidence = attempts.iter().rev().find_map(|it| match &it.outcome {
                Outcome::Reply { evidence, .. } if evidence.len() == task.len as usize => {
                    Some(evidence.clone())
                }
                _ => None,
            });
            system.evidence.extend(evidence.unwrap_or_else(|| vec![None; task.len as usize]));
            let prompt = match (&record.settings.judge, case_text, &system.answer) {
                (JudgeSpec::Endpoint(endpoint), Some(text), Some(answer)) => {
                    Some(endpoint.prompt.fill(answer, &items(&text.items, task), endpoint.format))
                }
                _ => None,
            };
            system.batches.push(InspectedBatch {
                key: task.key,
                first: task.first,
                len: task.len,
                prompt,
                exchanges: attempts
                    .iter()
                    .map(|it| Exchange::of(it, task.len as usize, format))
                    .collect(),
            });
        }
        Ok(Inspection {
            case,
            n_cases: frame.cases.len(),
            id: meta.id.to_string(),
            domain: meta.domain.clone(),
            field: meta.field.clone(),
            query: case_text.map(|it| it.query.clone()),
            date: case_text.and_then(|it| it.date.clone()),
            items: meta
                .items
                .iter()
                .enumerate()
                .map(|(index, item)| InspectedItem {
                    text: case_text.map(|it| it.items[index].clone()),
                    types: item.types.clone(),
                    weight: item.weight,
                })
                .collect(),
            systems,
            battles: self.inspect_battles(record, &pass, case),
        })
    }

    fn inspect_battles(
        &self,
        record: &Record,
        pass: &Pass<'_>,
        case: usize,
    ) -> Vec<InspectedBattle> {
        let form = record.settings.form();
        let name = |system: u32| record.frame.systems[system as usize].name.to_string();
        let answered =
            |system: u32| record.frame.systems[system as usize].answers[case].is_answered();
        let duels = record.duels();
        let here = record.battles.iter().filter(|battle| battle.case as usize == case);
        here.map(|battle| {
            let tasks = duels.iter().filter(|task| task.battle == *battle);
            InspectedBattle {
                first: name(battle.first),
                second: name(battle.second),
                forfeit: match (answered(battle.first), answered(battle.second)) {
                    (true, false) => Some(Winner::First),
                    (false, true) => Some(Winner::Second),
                    _ => None,
                },
                duels: tasks
                    .map(|task| InspectedDuel {
                        key: task.key,
                        order: task.order,
                        verdict: preference::settle(task, form, Reading::Recommended, pass),
                        prompt: self.prompt(record, &Task::Preference(*task)).ok(),
                        exchanges: pass
                            .ledger
                            .attempts(task.key)
                            .iter()
                            .map(|it| Exchange::of(it, 0, form.format))
                            .collect(),
                    })
                    .collect(),
            }
        })
        .collect()
    }

    /// The order in which items are labelled by hand: answers shuffled by the run's seed, so that
    /// nothing tells whose they are; the items of one answer together.
    fn hand_order(record: &Record) -> Vec<CoverageTask> {
        let mut tasks = record.tasks();
        let seed = record.settings.seed.to_le_bytes();
        tasks.sort_by_cached_key(|task| {
            let system = record.frame.systems[task.system as usize].identity;
            let case = record.frame.cases[task.case as usize].id.as_str();
            (Digest::of([&seed[..], system.as_bytes(), case.as_bytes()]), task.first)
        });
        tasks
    }

    /// The item at `at`, or the first without a label.
    pub fn hand_task(
        &self,
        ledger: &Ledger,
        run: &str,
        at: Option<u64>,
    ) -> Result<HandView, Notice> {
        let record = self.record(run)?;
        let texts = self.texts(run)?;
        let order = Self::hand_order(record);
        let pass = Pass { ledger, run, number: record.pass };
        let label = |task: &CoverageTask| {
            settle(task, record.settings.judge.format(), Reading::Recommended, &pass)
                .first()
                .and_then(|mark| mark.label())
        };
        let labels: Vec<Option<Label>> = order.iter().map(label).collect();
        let labelled = labels.iter().flatten().count() as u64;
        let last = order.len().saturating_sub(1);
        let open = labels.iter().position(Option::is_none);
        let finished = at.is_none() && open.is_none();
        let at = match at {
            Some(at) => (at as usize).min(last),
            None => open.unwrap_or(last),
        };
        let Some(task) = order.get(at) else {
            return Err(Notice::new(
                "There is nothing to label",
                "No system has an answer to the chosen questions.",
                "Bring answers on the Systems page.",
            ));
        };
        let case = &texts.cases[task.case as usize];
        Ok(HandView {
            at: at as u64,
            key: task.key,
            of: order.len() as u64,
            labelled,
            finished,
            query: case.query.clone(),
            item: case.items[task.first as usize].clone(),
            item_no: task.first + 1,
            n_items: case.items.len() as u32,
            answer: texts.answers[task.system as usize][task.case as usize]
                .clone()
                .unwrap_or_default(),
            label: labels[at],
        })
    }

    /// The reply that says what a person chose. The item goes by place and key, since the order
    /// changes when the run grows.
    pub fn hand_reply(
        &self,
        ledger: &Ledger,
        run: &str,
        (at, key): (u64, Digest),
        label: Label,
        now: f64,
    ) -> Result<Reply, Notice> {
        let record = self.record(run)?;
        let order = Self::hand_order(record);
        let task = order.get(at as usize).filter(|task| task.key == key).ok_or_else(|| {
            Notice::new(
                "This label was not taken",
                "The run has changed meanwhile, and this item has another place.",
                "Choose the label again for the item now on show.",
            )
        })?;
        // The last word counts, also after the clock was set back.
        let last = ledger.attempts(key).last().map_or(now, |it| it.at + 1.0);
        Ok((task.key, plain_reply(record, label.as_str().to_owned(), now.max(last))))
    }

    /// The new frame with the systems judged before that are not among the new ones. Only those whose
    /// every verdict has been sought: they cost nothing more, and nobody wants to lose them.
    pub fn with_judged(
        &self,
        ledger: &Ledger,
        settings: &Settings,
        mut frame: Frame,
        mut texts: Texts,
    ) -> (Frame, Texts) {
        let id = Record::id_of(settings, frame.dataset.digest);
        let (Some(before), Some(old)) = (self.records.get(&id), self.texts.get(&id)) else {
            return (frame, texts);
        };
        if before.frame.cases != frame.cases || !old.fits(&before.frame) {
            return (frame, texts);
        }
        let pass = Pass { ledger, run: &id, number: before.pass };
        let form = before.settings.form();
        let mut open = vec![false; before.frame.systems.len()];
        // What is judged a second time is wanted anew with each start, and never lost a verdict.
        for task in before.first_tasks() {
            let is_open = task.evaluate(form, &pass, &RetryPolicy::STANDARD).is_err();
            match task {
                Task::Coverage(task) => open[task.system as usize] |= is_open,
                Task::Preference(task) => {
                    open[task.battle.first as usize] |= is_open;
                    open[task.battle.second as usize] |= is_open;
                }
            }
        }
        for (at, system) in before.frame.systems.iter().enumerate() {
            let again = frame
                .systems
                .iter()
                .any(|it| it.name == system.name || it.identity == system.identity);
            if !again && !open[at] {
                frame.systems.push(system.clone());
                texts.answers.push(old.answers[at].clone());
            }
        }
        (frame, texts)
    }

    /// The practice judge's reply, from the texts themselves.
    pub fn practice_reply(
        &self,
        run: &str,
        request: &Request,
        now: f64,
    ) -> Result<Attempt, Notice> {
        let record = self.record(run)?;
        let texts = self.texts(run)?;
        let answer = |system: u32, case: u32| {
            texts.answers[system as usize][case as usize].as_deref().unwrap_or_default()
        };
        let (text, evidence) = match &request.task {
            Task::Coverage(task) => {
                let wanted = items(&texts.cases[task.case as usize].items, task);
                let answer = answer(task.system, task.case);
                let (labels, evidence) = match task.repeat {
                    0 => practice::mark(answer, &wanted),
                    _ => practice::mark_again(answer, &wanted, task.key),
                };
                let words: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
                (words.join("\n"), evidence)
            }
            Task::Preference(task) => {
                let case = task.battle.case;
                let (first, second) = task.seats();
                let seats = [first, second].map(|system| practice::Seat {
                    system: record.frame.systems[system as usize].name.as_str(),
                    answer: answer(system, case),
                });
                let bias = record.settings.preference.as_ref().map(|it| it.duel.bias.clone());
                let query = &texts.cases[case as usize].query;
                let bias = bias.unwrap_or_default();
                let (_, text) = match task.repeat {
                    0 => practice::prefer(query, seats, &bias),
                    _ => practice::prefer_again(query, seats, &bias, task.key),
                };
                (text, Vec::new())
            }
        };
        let mut attempt = plain_reply(record, String::new(), now);
        attempt.outcome = Outcome::Reply { text, finish: Finish::Stop, evidence };
        Ok(attempt)
    }

    /// The prompt of a task for a model, as it is sent.
    ///
    /// # Errors
    /// In words, where a text is not here: what is not here must not be judged as if it were empty.
    pub fn prompt(&self, record: &Record, task: &Task) -> Result<String, &'static str> {
        let JudgeSpec::Endpoint(endpoint) = &record.settings.judge else {
            return Err("nobody is asked");
        };
        let texts = self.texts.get(&record.id).ok_or("the texts are gone")?;
        let answer = |system: u32, case: u32| {
            let answer = texts.answers[system as usize][case as usize].as_deref();
            answer.ok_or("the answer’s text is not here")
        };
        match task {
            Task::Coverage(task) => {
                let wanted = items(&texts.cases[task.case as usize].items, task);
                let answer = answer(task.system, task.case)?;
                Ok(endpoint.prompt.fill(answer, &wanted, endpoint.format))
            }
            Task::Preference(task) => {
                let case = task.battle.case;
                let (first, second) = task.seats();
                let answers = [answer(first, case)?, answer(second, case)?];
                let preference =
                    record.settings.preference.as_ref().ok_or("no preference is asked for")?;
                let query = &texts.cases[case as usize].query;
                let form = (endpoint.format, preference.duel.allow_tie);
                Ok(preference.duel.prompt.fill(query, answers, form))
            }
        }
    }

    /// A run from judgements made elsewhere, one judge for all files. What does not fit the rubric is
    /// a problem, and left out.
    pub fn import(
        &mut self,
        sets: &[ImportedSet],
        judge: JudgeSpec,
        (frame, texts): (Frame, Texts),
        now: f64,
    ) -> (String, Vec<Reply>, Problems) {
        let settings = Settings::of_coverage(judge, 0);
        let id = Record::id_of(&settings, frame.dataset.digest);
        let before = self.records.get(&id).zip(self.texts.get(&id)).filter(|(run, texts)| {
            // What the same judge's files brought before stays.
            texts.fits(&run.frame)
        });
        let (frame, texts) = frame_of_import(sets, frame, texts, before);
        let record = self.begin(settings, frame, texts, now).clone();
        let mut tasks: BTreeMap<(u32, u32), Vec<CoverageTask>> = BTreeMap::new();
        for task in record.tasks() {
            tasks.entry((task.system, task.case)).or_default().push(task);
        }
        let places: HashMap<&CaseId, usize> =
            record.frame.cases.iter().enumerate().map(|(at, case)| (&case.id, at)).collect();
        let mut problems = Problems::default();
        let mut replies = Vec::new();
        for set in sets {
            for (index, case) in set.cases.iter().enumerate() {
                match fit(&record, &places, &tasks, set, case) {
                    Ok(tasks) => replies.extend(tasks.iter().map(|task| {
                        (task.key, plain_reply(&record, label_lines(case, task), now))
                    })),
                    Err((what, cure)) => {
                        problems.report(&set.file, Place::Record(index as u64 + 1), what, cure);
                    }
                }
            }
        }
        // An answer whose labels the judge left out was asked about and has no verdict.
        let given: HashSet<Digest> = replies.iter().map(|(key, _)| *key).collect();
        for task in record.tasks() {
            let name = &record.frame.systems[task.system as usize].name;
            if sets.iter().any(|set| set.name == *name) && !given.contains(&task.key) {
                let mut attempt = plain_reply(&record, String::new(), now);
                attempt.outcome = Outcome::failure(ErrorKind::NoLabels, "");
                replies.push((task.key, attempt));
            }
        }
        if let Some(record) = self.records.get_mut(&record.id) {
            record.origin = Origin::Import;
            record.phase = Phase::Done;
        }
        (record.id, replies, problems)
    }

    pub fn item_texts(&self, run: &str) -> Result<Vec<Vec<String>>, Notice> {
        Ok(self.texts(run)?.cases.iter().map(|case| case.items.clone()).collect())
    }
}

/// The questions and systems that were judged, and no others, with those of `before`. Where answers
/// are not here, the labels stand for them.
fn frame_of_import(
    sets: &[ImportedSet],
    mut frame: Frame,
    mut texts: Texts,
    before: Option<(&Record, &Texts)>,
) -> (Frame, Texts) {
    let mut wanted: HashSet<&CaseId> =
        sets.iter().flat_map(|set| &set.cases).map(|case| &case.id).collect();
    if let Some((run, _)) = before {
        wanted.extend(run.frame.cases.iter().map(|case| &case.id));
    }
    let places: Vec<usize> =
        (0..frame.cases.len()).filter(|&at| wanted.contains(&frame.cases[at].id)).collect();
    frame.cases = places.iter().map(|&at| frame.cases[at].clone()).collect();
    texts.cases = places.iter().map(|&at| texts.cases[at].clone()).collect();
    for (system, answers) in frame.systems.iter_mut().zip(&mut texts.answers) {
        system.answers = places.iter().map(|&at| system.answers[at]).collect();
        *answers = places.iter().map(|&at| answers[at].take()).collect();
    }

    for set in sets {
        if frame.systems.iter().any(|it| it.name == set.name) {
            continue;
        }
        let judged: HashSet<&CaseId> = set.cases.iter().map(|case| &case.id).collect();
        let answers = frame
            .cases
            .iter()
            .map(|case| {
                if judged.contains(&case.id) {
                    let parts = ["imported", set.name.as_str(), case.id.as_str()];
                    // How long the answer was is not known.
                    AnswerState::Answered { digest: Digest::of_texts(parts), words: 0 }
                } else {
                    AnswerState::Missing
                }
            })
            .collect();
        texts.answers.push(vec![None; frame.cases.len()]);
        frame.systems.push(FrameSystem {
            name: set.name.clone(),
            identity: Digest::of_texts(["imported", set.name.as_str()]),
            answers,
        });
    }
    let kept: Vec<usize> = (0..frame.systems.len())
        .filter(|&at| sets.iter().any(|set| set.name == frame.systems[at].name))
        .collect();
    frame.systems = kept.iter().map(|&at| frame.systems[at].clone()).collect();
    texts.answers = kept.iter().map(|&at| texts.answers[at].clone()).collect();

    let Some((run, old)) = before else {
        return (frame, texts);
    };
    let place: HashMap<&CaseId, usize> =
        run.frame.cases.iter().enumerate().map(|(at, case)| (&case.id, at)).collect();
    for (system, answers) in run.frame.systems.iter().zip(&old.answers) {
        if frame.systems.iter().any(|it| it.name == system.name) {
            continue;
        }
        let at = |case: &FrameCase| place.get(&case.id).copied();
        let states = frame
            .cases
            .iter()
            .map(|case| at(case).map_or(AnswerState::Missing, |at| system.answers[at]))
            .collect();
        texts.answers.push(
            frame.cases.iter().map(|case| at(case).and_then(|at| answers[at].clone())).collect(),
        );
        frame.systems.push(FrameSystem { answers: states, ..system.clone() });
    }
    (frame, texts)
}

/// The batches that labels from elsewhere belong to, or what is wrong with them and the cure.
fn fit<'t>(
    record: &Record,
    places: &HashMap<&CaseId, usize>,
    tasks: &'t BTreeMap<(u32, u32), Vec<CoverageTask>>,
    set: &ImportedSet,
    labels: &ImportedCase,
) -> Result<&'t [CoverageTask], (String, &'static str)> {
    const WRONG_BENCHMARK: &str = "Load the benchmark these judgements were made with.";
    let id = &labels.id;
    let Some(&at) = places.get(id) else {
        let what = format!("No question has the id {id}; its labels are left out.");
        return Err((what, WRONG_BENCHMARK));
    };
    let items = &record.frame.cases[at].items;
    if labels.items.len() != items.len() {
        let (n, wanted) = (labels.items.len(), items.len());
        let what = format!("{id} has {n} labels for {wanted} rubric items; they are left out.");
        return Err((what, "Bring the whole list of labels, in the order of the rubric."));
    }
    let differs = labels.items.iter().zip(items).position(|(label, item)| {
        label.text.as_ref().is_some_and(|text| Digest::of_texts([text.as_str()]) != item.digest)
    });
    if let Some(item) = differs {
        let what = format!(
            "Item {} of {id} is worded differently in the benchmark; its labels are left out.",
            item + 1
        );
        return Err((what, WRONG_BENCHMARK));
    }
    let system = record.frame.systems.iter().position(|it| it.name == set.name);
    system.and_then(|system| tasks.get(&(system as u32, at as u32))).map(Vec::as_slice).ok_or_else(
        || {
            let what = format!("{} has no answer to {id} here; its labels are left out.", set.name);
            (what, "Bring the answers these judgements are about, or remove the system first.")
        },
    )
}

/// One line an item, also where there is no label: a missing one must not shift the rest.
fn label_lines(case: &ImportedCase, task: &CoverageTask) -> String {
    case.items[task.first as usize..(task.first + task.len) as usize]
        .iter()
        .map(|item| {
            let line = item.score.split_whitespace().collect::<Vec<_>>().join(" ");
            if line.is_empty() { "(none)".to_owned() } else { line }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn items<'a>(all: &'a [String], task: &CoverageTask) -> Vec<&'a str> {
    all[task.first as usize..(task.first + task.len) as usize].iter().map(String::as_str).collect()
}

/// A reply that no model gave: a person's, the practice judge's, an imported one.
fn plain_reply(record: &Record, text: String, now: f64) -> Attempt {
    Attempt {
        run: record.id.clone(),
        pass: record.pass,
        at: now,
        took: 0.0,
        model_asked: String::new(),
        model_answered: None,
        sent: Vec::new(),
        dropped: Vec::new(),
        usage: Usage::default(),
        outcome: Outcome::Reply { text, finish: Finish::Stop, evidence: Vec::new() },
    }
}
