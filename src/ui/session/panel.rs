//! Several judges over one plan, one after the other.

use std::collections::VecDeque;

use leptos::prelude::*;

use crate::judge::JudgeSpec;
use crate::judge::provider::{self, NeedsKey};
use crate::run::record::{Limits, Settings};
use crate::run::{Phase, Progress};
use crate::ui::draft::Draft;
use crate::ui::session::{Session, Tone, agreed, unusable_fields};
use crate::worker::Notice;

/// A judge with what it may cost. What is judged is the plan’s, the same for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelJudge {
    pub name: String,
    judge: JudgeSpec,
    limits: Limits,
}

#[derive(Clone, Copy)]
pub struct PanelSession {
    pub judges: RwSignal<Vec<PanelJudge>>,
    /// Those whose turn is still to come, while the panel goes on.
    queue: RwSignal<VecDeque<Settings>>,
}

impl PanelSession {
    pub(super) fn new() -> Self {
        Self { judges: RwSignal::new(Vec::new()), queue: RwSignal::new(VecDeque::new()) }
    }

    /// How many judges are still to come.
    pub fn left(&self) -> usize {
        self.queue.with(VecDeque::len)
    }
}

impl Session {
    /// Takes the judge of the fields into the panel.
    pub(super) fn join_panel(self) {
        let Ok(settings) = self.draft.with_untracked(Draft::settings) else {
            self.fail(&unusable_fields());
            return;
        };
        let (name, limits) = (settings.judge.stamp().name, settings.limits());
        let joins = PanelJudge { name, judge: settings.judge, limits };
        self.panel.judges.update(|list| {
            list.retain(|it| it.judge.identity() != joins.judge.identity());
            list.push(joins);
        });
    }

    /// Judges the plan of the fields by each of the panel.
    pub(super) fn start_panel(self) {
        let Ok(settings) = self.draft.with_untracked(Draft::settings) else {
            self.fail(&unusable_fields());
            return;
        };
        let judges = self.panel.judges.get_untracked();
        if !judges.iter().all(|it| agreed(&it.judge)) {
            return;
        }
        let all = judges.into_iter().map(|it| {
            let mut one = Settings { judge: it.judge, ..settings.clone() };
            one.set_limits(it.limits);
            one
        });
        self.panel.queue.set(all.collect());
        self.next_judge();
    }

    /// A run came to a stand: the next judge’s turn, unless somebody stopped it.
    pub(super) fn panel_goes_on(self, progress: &Progress) {
        if self.panel.queue.with_untracked(VecDeque::is_empty) {
            return;
        }
        match progress.phase {
            Phase::Done | Phase::DoneWithFailures => self.next_judge(),
            Phase::Idle | Phase::Running | Phase::Paused | Phase::Stopped => {
                self.panel.queue.update(VecDeque::clear);
            }
        }
    }

    fn next_judge(self) {
        let next = self.panel.queue.try_update(VecDeque::pop_front).flatten();
        let Some(settings) = next else {
            return;
        };
        self.draft.set(Draft::of(&settings));
        let known = untrack(|| self.drafted());
        if !self.agreed_to_pay_twice(known.as_deref()) {
            self.panel.queue.update(VecDeque::clear);
            return;
        }
        if let JudgeSpec::Endpoint(endpoint) = &settings.judge {
            let wants = provider::profile(endpoint.provider).key == NeedsKey::Yes;
            if wants && untrack(|| self.keys.host()).as_deref() != Some(endpoint.host()) {
                self.panel.queue.update(VecDeque::clear);
                let notice = Notice::new(
                    format!("The panel waits at {}", settings.judge.stamp().name),
                    format!(
                        "It wants a key for {}, and one key is held at a time.",
                        endpoint.host()
                    ),
                    "Enter that key and start the panel again: what was judged is not asked twice.",
                );
                self.notice.set(Some((Tone::Warn, notice)));
                return;
            }
        }
        self.task(None, async move { self.begin(settings).await });
    }
}
