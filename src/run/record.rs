//! What is kept of a run beside its replies.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::ids::Digest;
use crate::judge::provider::Wanted;
use crate::judge::retry::RetryPolicy;
use crate::judge::{Duel, JudgeSpec};
use crate::ledger::{Ledger, Pass};
use crate::observation::{Mark, Unscored};
use crate::protocol::coverage::evaluate;
use crate::protocol::{
    Battling, CoverageTask, Form, Order, PreferenceTask, Reading, Task, coverage, preference,
    settle,
};
use crate::rating::Winner;
use crate::run::batches::{self, SentBatch};
use crate::run::driver::{Job, Phase, Progress, survey};
use crate::run::frame::Frame;
use crate::run::matchups::Matching;
use crate::run::money::{self, MoneyError, Prices};
use crate::run::plan::Choice;
use crate::run::repeats::{Repeated, RepeatedDuel, RepeatedItem, Repeats};
use crate::run::sheet::{Sheet, SheetBattle};

/// Everything a person can set. Holds no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub judge: JudgeSpec,
    pub seed: u64,
    /// `None`: all.
    pub per_field: Option<u32>,
    pub call_cap: Option<u64>,
    pub concurrency: u32,
    /// Whether rubric items are judged.
    #[serde(default = "yes")]
    pub coverage: bool,
    /// How answers are compared in pairs; `None` where they are not.
    #[serde(default)]
    pub preference: Option<Preference>,
    /// US dollars this run may cost in all; `None` for no limit.
    #[serde(default)]
    pub budget: Option<f64>,
    /// `None`: not known.
    #[serde(default)]
    pub prices: Option<Prices>,
    /// Of calls made in a batch; `None`: not known. Never made from `prices`.
    #[serde(default)]
    pub batch_prices: Option<Prices>,
    /// What is judged more than once; `None` for nothing. Extends a run, as more queries do.
    #[serde(default)]
    pub repeats: Option<Repeats>,
}

/// Runs of before judged rubric items and nothing else.
fn yes() -> bool {
    true
}

/// What may change when a run goes on: none of it changes a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    pub concurrency: u32,
    pub call_cap: Option<u64>,
    pub budget: Option<f64>,
    pub prices: Option<Prices>,
    pub batch_prices: Option<Prices>,
}

/// Pairwise preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preference {
    pub duel: Duel,
    /// Battles of each pair.
    pub per_pair: u32,
    /// Whether a missing answer loses its battle; otherwise there is no battle.
    pub no_answer_loses: bool,
}

impl Settings {
    /// Rubric items alone.
    pub fn of_coverage(judge: JudgeSpec, seed: u64) -> Self {
        Self {
            judge,
            seed,
            per_field: None,
            call_cap: None,
            concurrency: 1,
            coverage: true,
            preference: None,
            budget: None,
            prices: None,
            batch_prices: None,
            repeats: None,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits {
            concurrency: self.concurrency,
            call_cap: self.call_cap,
            budget: self.budget,
            prices: self.prices.clone(),
            batch_prices: self.batch_prices.clone(),
        }
    }

    pub fn set_limits(&mut self, limits: Limits) {
        let Limits { concurrency, call_cap, budget, prices, batch_prices } = limits;
        self.concurrency = concurrency;
        self.call_cap = call_cap;
        self.budget = budget;
        self.prices = prices;
        self.batch_prices = batch_prices;
    }

    /// Whether the budget can be kept with what is known.
    ///
    /// # Errors
    /// In words, when it cannot: such a run is not started.
    pub fn check_money(&self) -> Result<(), MoneyError> {
        if !matches!(self.judge, JudgeSpec::Endpoint(_)) {
            // Nobody is paid.
            return Ok(());
        }
        if self.batch_prices.as_ref().is_some_and(|it| !it.is_sound()) {
            return Err(MoneyError::Price);
        }
        money::check(self.budget, self.prices.as_ref(), self.max_tokens())
    }

    /// The most tokens of a reply, where there is a limit.
    pub fn max_tokens(&self) -> Option<u32> {
        match &self.judge {
            JudgeSpec::Endpoint(endpoint) => endpoint.max_tokens,
            _ => None,
        }
    }

    pub fn form(&self) -> Form {
        let may_tie = self.preference.as_ref().is_some_and(|it| it.duel.allow_tie);
        Form {
            format: self.judge.format(),
            // Words shared are often equally many, and the practice judge says so.
            allow_tie: may_tie || self.judge.is_practice(),
        }
    }

    pub fn choice(&self) -> Choice {
        Choice { per_field: self.per_field, seed: self.seed }
    }

    /// What a reply to this is to say.
    pub fn wanted(&self, task: &Task) -> Wanted {
        match task {
            Task::Coverage(task) => Wanted::Labels(task.len as usize),
            Task::Preference(_) => Wanted::Verdict { allow_tie: self.form().allow_tie },
        }
    }

    pub fn matching(&self) -> Option<Matching> {
        self.preference.as_ref().map(|it| Matching {
            per_pair: it.per_pair,
            seed: self.seed,
            no_answer_loses: it.no_answer_loses,
        })
    }
}

/// Where a run came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Here,
    RunFile,
    Import,
    Merge,
}

/// Two people gave one item different labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub case: String,
    pub system: String,
    /// Counted from 1.
    pub item: u32,
    /// Who said what.
    pub labels: Vec<(String, String)>,
}

/// One run. Replies are kept apart, by key, and shared by all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// See [`Record::id_of`].
    pub id: String,
    pub name: String,
    /// UTC, milliseconds since the epoch.
    pub created: f64,
    pub updated: f64,
    pub origin: Origin,
    pub settings: Settings,
    pub frame: Frame,
    /// Who meets whom, by places in the frame. Kept, since a run that grows keeps its battles.
    #[serde(default)]
    pub battles: Vec<Battling>,
    /// Raised by "Retry failed".
    pub pass: u32,
    pub phase: Phase,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// When and how it grew, oldest first: who looks, extends and looks again finds more by chance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<Extension>,
    /// The run whose answers this one judges again, by a sample of its queries. Part of the id: such a
    /// run is never the one that judges all of them.
    #[serde(default)]
    pub bridge: Option<String>,
    /// Batches that were submitted from here, oldest first: one whose id is lost is paid for and lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<SentBatch>,
}

/// A run was started again with more to ask than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    /// UTC, milliseconds since the epoch.
    pub at: f64,
    pub before: Size,
    pub after: Size,
}

/// How much there is to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub queries: u64,
    pub systems: u64,
    pub battles: u64,
}

impl Record {
    pub fn size(&self) -> Size {
        Size {
            queries: self.frame.cases.len() as u64,
            systems: self.frame.systems.len() as u64,
            battles: self.battles.len() as u64,
        }
    }

    /// What makes a run: judge, benchmark, seed, and what is judged. More systems, answers, queries or
    /// battles extend it; anything else set differently is another run.
    pub fn id_of(settings: &Settings, dataset: Digest) -> String {
        let seed = settings.seed.to_le_bytes();
        let judge = settings.judge.identity();
        let mut parts: Vec<&[u8]> =
            vec![b"run/1".as_slice(), judge.as_bytes(), dataset.as_bytes(), &seed];
        // Runs of rubric items alone have the ids they had before there was anything else.
        let duel = settings.preference.as_ref().map(|it| {
            let losing: &[u8] = if it.no_answer_loses { b"no answer loses" } else { b"" };
            (it.duel.identity(&settings.judge), losing)
        });
        if let Some((duel, losing)) = &duel {
            parts.extend([duel.as_bytes().as_slice(), losing]);
            parts.extend((!settings.coverage).then_some(b"no coverage".as_slice()));
        }
        Digest::of(parts).to_string()
    }

    /// As [`Self::id_of`], of a run that judges a sample of what run `from` judged. The sample is no part
    /// of it: a larger one extends the run.
    pub fn id_of_bridge(settings: &Settings, dataset: Digest, from: &str) -> String {
        let plain = Self::id_of(settings, dataset);
        Digest::of_texts(["bridge/1", plain.as_str(), from]).to_string()
    }

    /// The id that its settings, its benchmark and its source give it.
    pub fn own_id(&self) -> String {
        let dataset = self.frame.dataset.digest;
        match &self.bridge {
            Some(from) => Self::id_of_bridge(&self.settings, dataset, from),
            None => Self::id_of(&self.settings, dataset),
        }
    }

    /// Everything that is to be asked, coverage first, and last what is asked again on purpose.
    pub fn all_tasks(&self) -> Vec<Task> {
        let mut tasks = self.first_tasks();
        if let Some(repeats) = self.repeats() {
            tasks.extend(repeats.of(&self.frame, self.settings.seed, &tasks));
        }
        tasks
    }

    /// What is asked for the first time, coverage first.
    pub fn first_tasks(&self) -> Vec<Task> {
        let coverage = self.tasks().into_iter().map(Task::Coverage);
        coverage.chain(self.duels().into_iter().map(Task::Preference)).collect()
    }

    /// What is judged more than once. Nothing where nobody is asked: a person's labels or imported ones
    /// are there once.
    fn repeats(&self) -> Option<Repeats> {
        self.settings.repeats.filter(|it| 1 < it.times && self.settings.judge.is_driven())
    }

    /// All verdicts on what is judged more than once. Asks nothing.
    pub fn repeated(&self, ledger: &Ledger, reading: Reading) -> Repeated {
        let Some(planned) = self.repeats() else {
            return Repeated::default();
        };
        let pass = Pass { ledger, run: &self.id, number: self.pass };
        let format = self.settings.judge.format();
        let form = self.settings.form();
        let cases = planned.cases(&self.frame, self.settings.seed);
        let is_sampled = |case: u32| cases.binary_search(&case).is_ok();
        let mut out = Repeated { planned: Some(planned), ..Repeated::default() };
        for task in self.tasks().into_iter().filter(|task| is_sampled(task.case)) {
            let rounds: Vec<Vec<Mark>> = (0..planned.times)
                .map(|repeat| settle(&task.repeated(repeat), format, reading, &pass))
                .collect();
            let items = &self.frame.cases[task.case as usize].items;
            out.items.extend((0..task.len).map(|at| RepeatedItem {
                case: task.case,
                system: task.system,
                item: task.first + at,
                weight: items[(task.first + at) as usize].weight,
                marks: rounds.iter().map(|marks| marks[at as usize]).collect(),
            }));
        }
        out.duels = self
            .duels()
            .into_iter()
            .filter(|task| is_sampled(task.battle.case))
            .map(|task| RepeatedDuel {
                battle: task.battle,
                order: task.order,
                marks: (0..planned.times)
                    .map(|repeat| preference::settle(&task.repeated(repeat), form, reading, &pass))
                    .collect(),
            })
            .collect();
        out.cases = cases;
        out
    }

    /// The calls of the direct judge, the first time.
    pub fn duels(&self) -> Vec<PreferenceTask> {
        self.settings.preference.as_ref().map_or_else(Vec::new, |it| {
            preference::tasks(&self.settings.judge, &it.duel, &self.frame, &self.battles)
        })
    }

    /// The batches of rubric items, the first time.
    pub fn tasks(&self) -> Vec<CoverageTask> {
        if !self.settings.coverage {
            return Vec::new();
        }
        coverage::tasks(&self.settings.judge, &self.frame)
    }

    pub fn job<'a>(&'a self, tasks: &'a [Task]) -> Job<'a> {
        Job {
            tasks,
            form: self.settings.form(),
            policy: RetryPolicy::STANDARD,
            run: &self.id,
            pass: self.pass,
            call_cap: self.settings.call_cap,
            prices: self.settings.prices.as_ref().filter(|_| self.costs()),
            batch_prices: self.settings.batch_prices.as_ref().filter(|_| self.costs()),
            budget: self.settings.budget,
            set_aside: batches::at_most(&self.batches),
        }
    }

    /// Whether somebody may ask for money.
    fn costs(&self) -> bool {
        matches!(self.settings.judge, JudgeSpec::Endpoint(_))
    }

    /// Progress as the ledger tells it, in the phase last written down.
    pub fn progress(&self, ledger: &Ledger) -> Progress {
        let tasks = self.all_tasks();
        let mut progress = survey(&self.job(&tasks), ledger);
        // A run that was going when the page closed is now standing still.
        progress.phase = if progress.calls_done < progress.calls {
            let untouched = self.phase == Phase::Idle && progress.attempts == 0;
            if untouched { Phase::Idle } else { Phase::Stopped }
        } else if progress.tally.unscored() == 0 {
            Phase::Done
        } else {
            Phase::DoneWithFailures
        };
        progress
    }

    /// The marks under one reading. Asks nothing.
    pub fn sheet(&self, ledger: &Ledger, reading: Reading) -> Sheet {
        let format = self.settings.judge.format();
        let pass = Pass { ledger, run: &self.id, number: self.pass };
        let mut marks: Vec<Vec<Vec<Mark>>> = self
            .frame
            .systems
            .iter()
            .map(|system| {
                self.frame
                    .cases
                    .iter()
                    .zip(&system.answers)
                    .map(|(case, answer)| {
                        let n = if answer.is_answered() { case.items.len() } else { 0 };
                        vec![Mark::Unscored(Unscored::NotAsked); n]
                    })
                    .collect()
            })
            .collect();
        let mut complete = true;
        let mut aborted = None;
        for task in self.tasks() {
            let settled = settle(&task, format, reading, &pass);
            complete &=
                evaluate(&task, format, Reading::Recommended, &pass, &RetryPolicy::STANDARD)
                    .is_ok();
            if reading == Reading::Released && aborted.is_none() {
                aborted = self.unknown_label(&task, &settled, &pass);
            }
            let row = &mut marks[task.system as usize][task.case as usize];
            let first = task.first as usize;
            row[first..first + settled.len()].copy_from_slice(&settled);
        }
        let battles = self.sheet_battles(&pass, reading, &mut complete);
        Sheet {
            frame: self.frame.clone(),
            judge: self.settings.judge.stamp(),
            reading,
            marks,
            has_coverage: self.settings.coverage,
            duel: self.settings.preference.as_ref().map(|it| it.duel.how(&self.settings.judge)),
            may_have_position_bias: self
                .settings
                .preference
                .as_ref()
                .is_some_and(|it| !self.settings.judge.is_practice() || it.duel.bias.is_planted()),
            battles,
            complete,
            aborted,
        }
    }

    /// Every battle with its verdicts, in the order of the plan.
    fn sheet_battles(
        &self,
        pass: &Pass<'_>,
        reading: Reading,
        complete: &mut bool,
    ) -> Vec<SheetBattle> {
        let form = self.settings.form();
        let mut verdicts = HashMap::new();
        for task in self.duels() {
            let verdict = preference::settle(&task, form, reading, pass);
            verdicts.insert((task.battle, task.order), verdict);
            *complete &=
                Task::Preference(task).evaluate(form, pass, &RetryPolicy::STANDARD).is_ok();
        }
        let answered = |system: u32, case: u32| {
            self.frame.systems[system as usize].answers[case as usize].is_answered()
        };
        let unasked = Mark::Unscored(Unscored::NotAsked);
        self.battles
            .iter()
            .map(|battle| {
                let verdict = |order| verdicts.get(&(*battle, order)).copied().unwrap_or(unasked);
                let forfeit = match (
                    answered(battle.first, battle.case),
                    answered(battle.second, battle.case),
                ) {
                    (true, false) => Some(Winner::First),
                    (false, true) => Some(Winner::Second),
                    _ => None,
                };
                SheetBattle {
                    battle: *battle,
                    given: verdict(Order::Given),
                    swapped: verdict(Order::Swapped),
                    forfeit,
                }
            })
            .collect()
    }

    /// The authors' code stops at a reply of the right length with a word that is no label.
    fn unknown_label(
        &self,
        task: &CoverageTask,
        settled: &[Mark],
        pass: &Pass<'_>,
    ) -> Option<String> {
        let scored = settled.iter().any(|mark| mark.label().is_some());
        let unparsed = settled.contains(&Mark::Unscored(Unscored::Unparsed));
        let last = pass.ledger.attempts(task.key).iter().rfind(|it| it.is_reply())?;
        let crate::judge::Outcome::Reply { text, .. } = &last.outcome else {
            return None;
        };
        let right_count = matches!(
            coverage::read(
                text,
                task.len as usize,
                self.settings.judge.format(),
                Reading::Released
            ),
            coverage::Read::Labels(_)
        );
        (unparsed && (scored || right_count)).then(|| {
            format!(
                "A reply on query {} for {} holds a word that is not one of the five labels. The authors’ code stops there and saves nothing.",
                self.frame.cases[task.case as usize].id,
                self.frame.systems[task.system as usize].name
            )
        })
    }
}
