//! Battles and their leaderboard: whose they are, how they are looked at, and what the worker makes of it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::edge::{message, page};
use crate::metrics::leaderboard::Wanted;
use crate::metrics::{Leaderboard, RatingView};
use crate::rating::Tournament;
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, Tone, edge};
use crate::worker::{BattlesView, Notice, StatsJob, StatsReply};

/// Above so many systems the diagnostics would take longer than what they are beside.
const MOST_DIAGNOSED: usize = 200;

/// Battles that the statistics worker holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Battles {
    /// Where they came from, for people: `arena.csv`, or the name of a run.
    pub source: String,
    pub about: BattlesView,
    /// Raised with every load, also of the same battles.
    turn: u64,
}

/// What the battles can be read from once more.
enum Loaded {
    Files(Vec<File>),
    /// Postcard bytes of a `Tournament`.
    Bytes(Vec<u8>),
}

/// The signals of this part of the page.
#[derive(Clone, Copy)]
pub struct RatingSession {
    pub battles: RwSignal<Option<Battles>>,
    /// What a person chose here. The domain comes from the filter of the page, and so do hidden systems
    /// where there is a run.
    pub view: RwSignal<RatingView>,
    pub board: RwSignal<Load<Leaderboard>>,
    /// Resamples done and wanted, while they are computed.
    pub progress: RwSignal<Option<(u64, u64)>>,
    turn: RwSignal<u64>,
    computing: RwSignal<bool>,
    /// What the board was made for.
    rated: RwSignal<Option<(u64, RatingView)>>,
    loaded: StoredValue<Option<Loaded>, LocalStorage>,
}

impl RatingSession {
    pub(super) fn new() -> Self {
        Self {
            battles: RwSignal::new(None),
            view: RwSignal::new(RatingView::default()),
            board: RwSignal::new(Load::Idle),
            progress: RwSignal::new(None),
            turn: RwSignal::new(0),
            computing: RwSignal::new(false),
            rated: RwSignal::new(None),
            loaded: StoredValue::new_local(None),
        }
    }

    pub(super) fn clear(self) {
        self.battles.set(None);
        self.view.set(RatingView::default());
        self.board.set(Load::Idle);
        self.rated.set(None);
        self.loaded.set_value(None);
    }

    /// Whether battles are being rated for the first time or anew.
    pub fn is_computing(self) -> bool {
        self.computing.get()
    }
}

impl RatingSession {
    /// The domain that the board on show is of.
    pub fn shown_domain(self) -> Option<String> {
        self.rated.with(|it| it.as_ref().and_then(|(_, view)| view.domain.clone()))
    }
}

impl Session {
    /// Rates anew whenever the battles or the view of them change.
    pub(super) fn watch_ratings(self) {
        let wish = Memo::new(move |_| self.rating_wish());
        Effect::new(move |_| {
            if wish.with(Option::is_some) && self.route.get() == Route::Results {
                self.rate(wish);
            }
        });
    }

    /// The load and the view to rate. `None` without battles.
    fn rating_wish(self) -> Option<(u64, RatingView)> {
        self.ratings.battles.with(|battles| {
            let battles = battles.as_ref()?;
            let mut view = self.ratings.view.get();
            view.domain = self.view.with(|it| it.domain.clone());
            if self.run.with(Option::is_some) {
                // The run's tables have the choice, for all of the page.
                view.hidden = self.hidden_among(&battles.about.systems);
            }
            view.diagnostics = if battles.about.systems.len() <= MOST_DIAGNOSED {
                Wanted::Yes
            } else {
                Wanted::No
            };
            Some((battles.turn, view))
        })
    }

    /// Systems hidden on this page, by name, as numbers in the list.
    fn hidden_among(self, systems: &[String]) -> Vec<usize> {
        let hidden: Vec<String> = self.tables.with(|tables| {
            let names = tables.ready().map(|it| it.systems.as_slice()).unwrap_or_default();
            self.view
                .with(|view| view.hidden.iter().filter_map(|at| names.get(*at).cloned()).collect())
        });
        (0..systems.len()).filter(|at| hidden.contains(&systems[*at])).collect()
    }

    /// Hands battles to the statistics worker and shows their leaderboard. `source` says where they came
    /// from. What was chosen for other systems is forgotten.
    pub fn set_tournament(self, source: String, tournament: &Tournament) {
        let bytes = postcard::to_allocvec(tournament).unwrap_or_default();
        let parts = [message::buffer(&bytes)];
        self.task(None, async move {
            self.keep_battles(source, StatsJob::LoadBattles, &parts).await?;
            self.ratings.loaded.set_value(Some(Loaded::Bytes(bytes)));
            Ok(())
        });
    }

    /// Lets go of the battles.
    pub fn drop_tournament(self) {
        self.ratings.clear();
    }

    /// Reads battle files and goes to their leaderboard.
    pub(super) fn open_battles(self, list: Vec<File>) {
        if list.is_empty() {
            return;
        }
        self.task(Some("Reading battles"), async move {
            let read = self.read_all(&list).await;
            if read.list.is_empty() {
                return Ok(());
            }
            let source = read.names.join(", ");
            let job = StatsJob::ReadBattles { names: read.names };
            self.keep_battles(source, job, &read.bytes).await?;
            self.ratings.loaded.set_value(Some(Loaded::Files(read.list)));
            let problems = self
                .ratings
                .battles
                .with_untracked(|it| it.as_ref().map(|it| it.about.problems.total()));
            if problems.is_some_and(|it| 0 < it) {
                self.notice.set(Some((
                    Tone::Warn,
                    Notice::new(
                        "Not every line of the battle files counts",
                        "Some could not be read.",
                        "Each is listed with its reason below the leaderboard.",
                    ),
                )));
            }
            page::go(&Route::Results.href());
            Ok(())
        });
    }

    async fn keep_battles(
        self,
        source: String,
        job: StatsJob,
        bytes: &[js_sys::Uint8Array],
    ) -> super::Outcome<()> {
        if let StatsReply::Battles(about) = self.stats(job, bytes).await? {
            let ratings = self.ratings;
            let same = ratings.battles.with_untracked(|it| {
                it.as_ref().is_some_and(|it| it.about.systems == about.systems)
            });
            if !same {
                ratings.view.set(RatingView::default());
            }
            ratings.board.set(Load::Loading);
            ratings.turn.update(|it| *it += 1);
            let turn = ratings.turn.get_untracked();
            ratings.battles.set(Some(Battles { source, about: *about, turn }));
        }
        Ok(())
    }

    /// Changes that come while the worker rates are taken up in one more round.
    fn rate(self, wish: Memo<Option<(u64, RatingView)>>) {
        let ratings = self.ratings;
        if ratings.computing.get_untracked()
            || ratings.rated.get_untracked() == wish.get_untracked()
        {
            return;
        }
        ratings.computing.set(true);
        spawn_local(async move {
            while let Some((turn, view)) = wish.get_untracked() {
                // Also where one went back to what is on show.
                if ratings.rated.get_untracked() == Some((turn, view.clone())) {
                    break;
                }
                let job = StatsJob::Leaderboard { view: view.clone() };
                let result = self.stats(job, &[]).await;
                let wanted = wish.get_untracked();
                let asked = Some((turn, view));
                if wanted != asked {
                    continue;
                }
                ratings.rated.set(asked);
                match result {
                    Ok(StatsReply::Leaderboard(board)) => ratings.board.set(Load::Ready(*board)),
                    Ok(_) => {}
                    Err(notice) => ratings.board.set(Load::Failed(notice)),
                }
                break;
            }
            ratings.progress.set(None);
            ratings.computing.set(false);
        });
    }

    /// Gives up the rating that is being computed, and goes back to the one on show.
    pub(super) fn stop_rating(self) {
        let ratings = self.ratings;
        if !ratings.computing.get_untracked() {
            return;
        }
        let restarted =
            self.pool().and_then(|pool| pool.restart_stats().map_err(|error| edge(&error)));
        if let Err(notice) = restarted {
            self.fail(&notice);
            return;
        }
        // The new worker knows no sheet; tables that the old one was asked for are asked for again.
        let inner = self.inner();
        inner.sheet.take();
        inner.stale.set(true);
        let turn = ratings.battles.with_untracked(|it| it.as_ref().map(|it| it.turn));
        match ratings.rated.get_untracked() {
            Some((rated, view)) if Some(rated) == turn => {
                self.view.update(|it| it.domain.clone_from(&view.domain));
                ratings.view.set(view);
                self.task(None, async move { self.load_battles_again().await });
            }
            _ => {
                ratings.clear();
                self.notice.set(Some((
                    Tone::Plain,
                    Notice::new(
                        "The battles are not rated",
                        "The computation was stopped before there was a result.",
                        "Bring the files again when you want one.",
                    ),
                )));
            }
        }
    }

    async fn load_battles_again(self) -> super::Outcome<()> {
        let again = self.ratings.loaded.with_value(|it| match it {
            None => None,
            Some(Loaded::Files(files)) => Some(Err(files.clone())),
            Some(Loaded::Bytes(bytes)) => Some(Ok(message::buffer(bytes))),
        });
        match again {
            None => {}
            Some(Ok(bytes)) => {
                self.stats(StatsJob::LoadBattles, &[bytes]).await?;
            }
            Some(Err(files)) => {
                let read = self.read_all(&files).await;
                self.stats(StatsJob::ReadBattles { names: read.names }, &read.bytes).await?;
            }
        }
        Ok(())
    }
}
