//! The run that the fields name, as far as there is one.

use leptos::prelude::*;

use crate::run::record::Settings;
use crate::run::{Phase, Plan, Progress};
use crate::ui::draft::{Draft, JudgeKind};
use crate::ui::react::{effect, memo};
use crate::ui::session::{Load, Session};

/// Which run the page shows, and how far it is. Without one: idle, and nothing counted.
#[derive(Clone, Copy)]
pub struct Shown {
    active: RwSignal<Option<String>>,
    /// Whether another tab drives it.
    pub elsewhere: Memo<bool>,
    plan: RwSignal<Load<Plan>>,
    exhausted: Memo<bool>,
    /// A run that brought its own questions and answers, while none are loaded.
    pub alone: Memo<Option<String>>,
    pub id: Memo<Option<String>>,
    pub progress: Memo<Progress>,
}

impl Shown {
    pub fn new(session: Session) -> Self {
        let alone = memo(move || alone(&session));
        let id = memo(move || session.drafted().or_else(|| alone.get()));
        let progress = memo(move || {
            id.with(|id| {
                let id = id.as_ref()?;
                session.runs.with(|runs| {
                    runs.iter().find(|run| run.id == *id).map(|run| run.progress.clone())
                })
            })
            .unwrap_or_default()
        });
        let elsewhere = memo(move || {
            id.with(|id| {
                id.as_ref().is_some_and(|id| {
                    session.runs.with(|runs| runs.iter().any(|it| it.id == *id && it.elsewhere))
                })
            })
        });
        let asked: Asked = expect_context();
        let exhausted = memo(move || {
            let (complete, done) = progress.with(|it| (it.calls <= it.calls_done, it.calls_done));
            let own = alone.with(Option::is_some);
            id.with(Option::is_some) && complete && (own || is_exhausted(&session, asked, done))
        });
        let (active, plan) = (session.active, session.plan);
        Self { active, elsewhere, plan, exhausted, alone, id, progress }
    }

    pub fn phase(self) -> Phase {
        self.progress.with(|it| it.phase)
    }

    /// Whether this very run is going on, here or in another tab.
    pub fn is_active(self) -> bool {
        self.elsewhere.get() || self.is_here()
    }

    /// Whether it is this tab that drives it.
    fn is_here(self) -> bool {
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

    /// Whether the run has come to the end of its plan, whatever else may be asked by now.
    pub fn is_complete(self) -> bool {
        self.id.with(Option::is_some) && self.progress.with(|it| it.calls <= it.calls_done)
    }

    /// Whether starting would ask nothing, for certain.
    pub fn is_exhausted(self) -> bool {
        self.exhausted.get()
    }
}

/// Whether a run that is done can be told to have nothing to add. Counts alone do not show it: an
/// answer may have been changed for another.
fn is_exhausted(session: &Session, asked: Asked, done: u64) -> bool {
    let (settings, by_hand) =
        session.draft.with(|it| (it.settings().ok(), it.judge == JudgeKind::ByHand));
    let all_done = session.plan.with(|it| it.ready().is_some_and(|plan| plan.calls <= done));
    let is_sample = session.workspace.with(|it| it.ready().is_some_and(|it| it.is_sample));
    let unchanged = is_sample || (settings.is_some() && asked.last.get() == settings);
    !by_hand && all_done && unchanged
}

/// The chosen run, where it can go on without the files it came from and the fields name it.
fn alone(session: &Session) -> Option<String> {
    let none_loaded =
        session.workspace.with(|it| it.ready().is_some_and(|it| it.dataset.is_none()));
    if !none_loaded {
        return None;
    }
    let wanted = session.draft.with(Draft::settings).ok()?;
    let run = session.current().filter(|run| run.has_texts)?;
    let same = run.settings.judge == wanted.judge
        && run.settings.seed == wanted.seed
        && run.settings.per_field == wanted.per_field;
    same.then_some(run.id)
}

/// The settings last started with, until questions or answers change. Outlives the Judge page.
#[derive(Clone, Copy)]
pub struct Asked {
    last: RwSignal<Option<Settings>>,
    pressed: StoredValue<Option<Settings>>,
}

impl Asked {
    /// Says that Start was pressed with these settings; with none, that something else was.
    pub fn press(self, settings: Option<Settings>) {
        self.pressed.set_value(settings);
    }

    pub fn watch(session: &Session) -> Self {
        let session = *session;
        let asked = Self { last: RwSignal::new(None), pressed: StoredValue::new(None) };
        effect(move || {
            session.workspace.track();
            asked.last.set(None);
        });
        effect(move || {
            // A press that led to no run, say after a question was answered with no, counts as none.
            if session.active.with(Option::is_some)
                && let Some(settings) = asked.pressed.try_update_value(Option::take).flatten()
            {
                asked.last.set(Some(settings));
            }
        });
        asked
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
