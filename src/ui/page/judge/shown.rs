//! The run that the fields name, as far as there is one.

use leptos::prelude::*;

use crate::run::{Phase, Plan, Progress};
use crate::ui::session::{Load, Session};

/// Which run the page shows, and how far it is. Without one: idle, and nothing counted.
#[derive(Clone, Copy)]
pub struct Shown {
    active: RwSignal<Option<String>>,
    plan: RwSignal<Load<Plan>>,
    pub id: Memo<Option<String>>,
    pub progress: Memo<Progress>,
}

impl Shown {
    pub fn new(session: Session) -> Self {
        let id = Memo::new(move |_| session.drafted());
        let progress = Memo::new(move |_| {
            id.with(|id| {
                let id = id.as_ref()?;
                session.runs.with(|runs| {
                    runs.iter().find(|run| run.id == *id).map(|run| run.progress.clone())
                })
            })
            .unwrap_or_default()
        });
        Self { active: session.active, plan: session.plan, id, progress }
    }

    pub fn phase(self) -> Phase {
        self.progress.with(|it| it.phase)
    }

    /// Whether this very run is going on.
    pub fn is_active(self) -> bool {
        self.active.with(|active| active.is_some() && self.id.with(|id| id == active))
    }

    /// Whether anything has been asked for it.
    pub fn is_started(self) -> bool {
        self.id.with(Option::is_some)
            && self.progress.with(|it| it.phase != Phase::Idle || 0 < it.attempts)
    }

    /// Calls in all: of the run, or of the plan where that asks for more than the run has yet.
    pub fn calls(self) -> u64 {
        let known = self.progress.with(|it| it.calls);
        if self.is_active() {
            return known;
        }
        let planned = self.plan.with(|it| it.ready().map_or(0, |plan| plan.calls));
        known.max(planned)
    }
}

/// Seconds until the last call, at the rate of the last few dozen.
pub fn seconds_left(progress: &Progress) -> Option<f64> {
    let rate = progress.per_minute.filter(|it| 0.0 < *it)?;
    (progress.phase == Phase::Running)
        .then(|| progress.calls.saturating_sub(progress.calls_done) as f64 / rate * 60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_needs_a_rate_and_a_running_run() {
        let mut progress =
            Progress { phase: Phase::Running, calls: 100, calls_done: 40, ..Progress::default() };
        assert_eq!(seconds_left(&progress), None);
        progress.per_minute = Some(30.0);
        assert_eq!(seconds_left(&progress), Some(120.0));
        progress.phase = Phase::Paused;
        assert_eq!(seconds_left(&progress), None);
    }
}
