//! What is asked of the run worker beside runs themselves: costs, repeats, two runs side by side, and what
//! a plan can show.

use leptos::prelude::*;

use crate::edge::page;
use crate::judge::Endpoint;
use crate::judge::local::System;
use crate::metrics::PlanSketch;
use crate::report::Block;
use crate::run::record::Settings;
use crate::ui::draft::Draft;
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, agreed, unusable_fields};
use crate::worker::{BatchJob, KeysJob, RunJob, RunReply, StatsJob, StatsReply, TableJob};

/// Something that is shown as the worker composed it.
#[derive(Clone, Debug, PartialEq)]
pub enum Aside {
    /// What a run has cost.
    Spent(String),
    /// How far a run's judge agrees with itself.
    Repeats(String),
    /// Two runs by their ids.
    Compare { a: String, b: String },
    /// Several judges over the same questions, by the ids of their runs.
    Panel(Vec<String>),
    /// The batches of a run.
    Batches(String),
    /// What a host and its model can do.
    Provider(Box<Endpoint>),
    /// Which host got how many calls.
    Hosts,
    /// How each number is computed.
    About,
}

/// A plan that a person thinks about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// What sliders are at; `None` until they have somewhere to start.
    pub plan: Option<PlanSketch>,
    pub blocks: Vec<Block>,
    /// Whether the worker is at it.
    busy: bool,
    /// What sliders were moved to meanwhile.
    next: Option<PlanSketch>,
}

impl Session {
    pub(super) fn ask_aside(self, aside: Aside) {
        let reading = self.reading.get_untracked();
        self.asides.update(|list| {
            // One of each kind: what is no longer looked at is asked for again.
            let same = |it: &Aside| std::mem::discriminant(it) == std::mem::discriminant(&aside);
            list.retain(|(it, _)| !same(it) || *it == aside);
            if !list.iter().any(|(it, _)| *it == aside) {
                list.push((aside.clone(), Load::Loading));
            }
        });
        self.task(None, async move {
            let job = match aside.clone() {
                Aside::Spent(run) => Some(RunJob::Table(TableJob::Spent { run })),
                Aside::Repeats(run) => Some(RunJob::Table(TableJob::Repeats { run })),
                Aside::Compare { a, b } => Some(RunJob::Table(TableJob::Compare { a, b, reading })),
                Aside::Panel(runs) => Some(RunJob::Table(TableJob::Panel { runs, reading })),
                Aside::Batches(run) => Some(RunJob::Batch(BatchJob::List { run })),
                Aside::Provider(endpoint) => {
                    let around = Box::new(page::surroundings(&endpoint.base_url).await);
                    let system = System::of(&page::user_agent());
                    Some(RunJob::Table(TableJob::Provider { endpoint, around, system }))
                }
                Aside::Hosts => Some(RunJob::Keys(KeysJob::Hosts)),
                Aside::About => None,
            };
            let reply = match job {
                Some(job) => self.runner(job, &[]).await.map(|(reply, _)| match reply {
                    RunReply::Blocks(blocks) => blocks,
                    _ => Vec::new(),
                }),
                None => self.stats(StatsJob::About, &[]).await.map(|reply| match reply {
                    StatsReply::Blocks(blocks) => blocks,
                    _ => Vec::new(),
                }),
            };
            let found = reply.map_or_else(Load::Failed, Load::Ready);
            self.asides.update(|list| {
                if let Some((_, it)) = list.iter_mut().find(|(it, _)| *it == aside) {
                    *it = found;
                }
            });
            Ok(())
        });
    }

    /// Looks at a plan; with none, at what the chosen run did. One at a time: sliders move faster than
    /// anybody answers.
    pub(super) fn sketch_plan(self, plan: Option<PlanSketch>) {
        let mut is_busy = false;
        self.sketch.update(|it| {
            is_busy = it.busy;
            it.plan = plan.or(it.plan);
            it.busy = true;
            it.next = plan.filter(|_| is_busy);
        });
        if is_busy {
            return;
        }
        self.task(None, async move {
            let mut wanted = plan;
            loop {
                let settings = self.draft.with_untracked(Draft::settings).ok();
                let prices = settings.as_ref().and_then(|it| it.prices.clone());
                let max_tokens = settings.as_ref().and_then(Settings::max_tokens);
                let run = self.run.get_untracked();
                let job = TableJob::Power { run, sketch: wanted, prices, max_tokens };
                let reply = self.runner(RunJob::Table(job), &[]).await;
                let mut next = None;
                self.sketch.update(|it| {
                    if let Ok((RunReply::Outlook { start, blocks }, _)) = &reply {
                        it.plan.get_or_insert(*start);
                        it.blocks.clone_from(blocks);
                    }
                    next = it.next.take().filter(|_| reply.is_ok());
                    it.busy = next.is_some();
                });
                reply?;
                if next.is_none() {
                    return Ok(());
                }
                wanted = next;
            }
        });
    }

    /// Judges a sample of a run again, by the judge of the fields.
    pub(super) fn bridge(self, from: String, sample: u32) {
        let Ok(settings) = self.draft.with_untracked(Draft::settings) else {
            self.fail(&unusable_fields());
            return;
        };
        if !agreed(&settings.judge) {
            return;
        }
        let driven = settings.judge.is_driven();
        self.task(None, async move {
            let job = RunJob::Bridge { from, settings, sample };
            if let (RunReply::Run(summary), _) = self.runner(job, &[]).await? {
                self.begun(*summary, driven);
                if !driven {
                    page::go(&Route::Judge.href());
                }
            }
            Ok(())
        });
    }
}
