//! Several judges over one plan, one after the other.

use std::collections::VecDeque;

use leptos::prelude::*;

use crate::judge::JudgeSpec;
use crate::judge::provider::{self, NeedsKey};
use crate::run::Phase;
use crate::run::record::{Limits, Settings};
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
    going: RwSignal<Going>,
}

/// How far a panel is that goes on.
#[derive(Clone, Debug, Default, PartialEq)]
struct Going {
    /// The run whose end the next judge waits for. No other run’s end moves a panel.
    now: Option<String>,
    queue: VecDeque<Settings>,
}

impl PanelSession {
    pub(super) fn new() -> Self {
        Self { judges: RwSignal::new(Vec::new()), going: RwSignal::new(Going::default()) }
    }

    /// How many judges are still to come.
    pub fn left(&self) -> usize {
        self.going.with(|it| it.queue.len())
    }

    fn stop(self) {
        self.going.set(Going::default());
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
        self.panel.going.set(Going { now: None, queue: all.collect() });
        self.next_judge();
    }

    /// A run came to a stand: the next judge’s turn, unless somebody stopped it.
    pub(super) fn panel_goes_on(self, run: &str, phase: Phase) {
        if self.panel.going.with_untracked(|it| it.now.as_deref() != Some(run)) {
            return;
        }
        match phase {
            Phase::Done | Phase::DoneWithFailures => self.next_judge(),
            Phase::Idle | Phase::Running | Phase::Paused | Phase::Stopped => self.panel.stop(),
        }
    }

    fn next_judge(self) {
        let next = self.panel.going.try_update(|it| it.queue.pop_front()).flatten();
        let Some(settings) = next else {
            self.panel.stop();
            return;
        };
        self.draft.set(Draft::of(&settings));
        let run = untrack(|| self.drafted_id());
        if !self.agreed_to_pay_twice(run.as_deref(), &settings.judge) {
            self.panel.stop();
            return;
        }
        if let JudgeSpec::Endpoint(endpoint) = &settings.judge {
            let wants = provider::profile(endpoint.provider).key == NeedsKey::Yes;
            if wants && untrack(|| self.keys.host()).as_deref() != Some(endpoint.host()) {
                self.panel.stop();
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
        // Before it begins: a run with nothing left to ask ends at once.
        self.panel.going.update(|it| it.now = run);
        self.task(None, async move {
            let begun = self.begin(settings).await;
            if begun.is_err() {
                self.panel.stop();
            }
            begun
        });
    }
}
