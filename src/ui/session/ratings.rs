//! Battles and their leaderboard: whose they are, how they are looked at, and what the worker makes of it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::edge::page;
use crate::metrics::leaderboard::Wanted;
use crate::metrics::{Decider, Mode, RatingView};
use crate::protocol::Reading;
use crate::report::Block;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::{Load, Session, Tone, edge};
use crate::worker::{BattlesFormat, BattlesView, BoardView, Notice, StatsJob, StatsReply};

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

/// Where the battles on show come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BattlesOrigin {
    Run,
    Files,
}

/// The signals of this part of the page.
#[derive(Clone, Copy)]
pub struct RatingSession {
    pub battles: RwSignal<Option<Battles>>,
    /// What a person chose here. The domain comes from the filter of the page, and so do hidden systems
    /// where there is a run.
    pub view: RwSignal<RatingView>,
    pub origin: RwSignal<BattlesOrigin>,
    /// What a person wants a run's battles decided by; `None` for the best there is.
    decider: RwSignal<Option<Decider>>,
    pub board: RwSignal<Load<BoardView>>,
    /// Ratings by field, where a person has switched them on.
    pub fields: RwSignal<Option<Vec<Block>>>,
    pub wants_fields: RwSignal<bool>,
    /// Resamples done and wanted, while they are computed.
    pub progress: RwSignal<Option<(u64, u64)>>,
    turn: RwSignal<u64>,
    computing: RwSignal<bool>,
    /// What the board was made for.
    rated: RwSignal<Option<(u64, RatingView)>>,
    /// Files that the battles can be read from once more.
    loaded: StoredValue<Vec<File>, LocalStorage>,
}

impl RatingSession {
    pub(super) fn new() -> Self {
        Self {
            battles: RwSignal::new(None),
            view: RwSignal::new(RatingView::default()),
            origin: RwSignal::new(BattlesOrigin::Run),
            decider: RwSignal::new(None),
            board: RwSignal::new(Load::Idle),
            fields: RwSignal::new(None),
            wants_fields: RwSignal::new(false),
            progress: RwSignal::new(None),
            turn: RwSignal::new(0),
            computing: RwSignal::new(false),
            rated: RwSignal::new(None),
            loaded: StoredValue::new_local(Vec::new()),
        }
    }

    pub(super) fn clear(self) {
        self.battles.set(None);
        self.view.set(RatingView::default());
        self.origin.set(BattlesOrigin::Run);
        self.decider.set(None);
        self.fields.set(None);
        self.wants_fields.set(false);
        self.board.set(Load::Idle);
        self.rated.set(None);
        self.loaded.set_value(Vec::new());
    }

    /// Whether battles are being rated for the first time or anew.
    pub fn is_computing(self) -> bool {
        self.computing.get()
    }

    /// The domain that the board on show is of.
    pub fn shown_domain(self) -> Option<String> {
        self.rated.with(|it| it.as_ref().and_then(|(_, view)| view.domain.clone()))
    }
}

/// The arithmetic of a reading.
pub fn mode_of(reading: Reading) -> Mode {
    match reading {
        Reading::Recommended => Mode::Recommended,
        Reading::Paper => Mode::Paper,
        Reading::Released => Mode::Released,
    }
}

impl Session {
    /// Rates anew whenever the battles or the view of them change.
    pub(super) fn watch_ratings(self) {
        let wish = memo(move || self.rating_wish());
        effect(move || {
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
            // Constants of the ensemble and arithmetic of ratings belong to one reading: never mixed.
            if battles.about.run.is_some() {
                view.mode = mode_of(self.reading.get());
            }
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

    /// Shows the battles of the chosen run, whose sheet the statistics worker has, unless a person looks
    /// at files. The caller keeps the worker's turn.
    pub(super) async fn rate_run(self) -> super::Outcome<()> {
        let ratings = self.ratings;
        if ratings.origin.get_untracked() == BattlesOrigin::Files {
            return Ok(());
        }
        let decider = ratings.decider.get_untracked();
        let wanted = (self.inner().sheet.borrow().clone(), decider);
        let has = self.ratings.battles.with_untracked(Option::is_some);
        if has && self.inner().rated.borrow().as_ref() == Some(&wanted) {
            return Ok(());
        }
        match self.stats(StatsJob::RunBattles { decider }, &[]).await? {
            StatsReply::Battles(about) => self.have_battles("this run".to_owned(), *about),
            _ => ratings.battles.set(None),
        }
        self.inner().rated.replace(Some(wanted));
        Ok(())
    }

    /// Lets go of battle files, for the battles of the run.
    pub(super) fn leave_battle_files(self) {
        self.ratings.origin.set(BattlesOrigin::Run);
        self.ratings.battles.set(None);
        self.compute();
    }

    pub(super) fn decide_by(self, decider: Decider) {
        self.ratings.decider.set(Some(decider));
        self.compute();
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
            let reply = {
                let inner = self.inner();
                let _turn = inner.stats.lock().await;
                self.stats(job, &read.bytes).await?
            };
            let StatsReply::Battles(about) = reply else { return Ok(()) };
            self.ratings.origin.set(BattlesOrigin::Files);
            self.ratings.loaded.set_value(read.list);
            self.have_battles(source, *about);
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

    fn have_battles(self, source: String, about: BattlesView) {
        let ratings = self.ratings;
        let same = ratings
            .battles
            .with_untracked(|it| it.as_ref().is_some_and(|it| it.about.systems == about.systems));
        if !same {
            ratings.view.set(RatingView::default());
            ratings.board.set(Load::Loading);
        }
        ratings.turn.update(|it| *it += 1);
        let turn = ratings.turn.get_untracked();
        ratings.battles.set(Some(Battles { source, about, turn }));
        ratings.fields.set(None);
        if ratings.wants_fields.get_untracked() {
            self.rate_fields(true);
        }
    }

    /// Rates field by field, or lets go of it.
    pub fn rate_fields(self, on: bool) {
        let ratings = self.ratings;
        ratings.wants_fields.set(on);
        if !on {
            ratings.fields.set(None);
            return;
        }
        let turn = ratings.turn.get_untracked();
        self.task(None, async move {
            let reply = self.stats(StatsJob::FieldRatings, &[]).await?;
            if let StatsReply::Blocks(fields) = reply
                && ratings.turn.get_untracked() == turn
            {
                ratings.fields.set(Some(fields));
            }
            Ok(())
        });
    }

    /// The battles on show as a file.
    pub(super) fn export_battles(self, format: BattlesFormat) {
        self.task(None, async move {
            let inner = self.inner();
            let reply = {
                let _turn = inner.stats.lock().await;
                if self.ratings.origin.get_untracked() == BattlesOrigin::Run {
                    self.tables_now().await?;
                    self.rate_run().await?;
                }
                self.stats(StatsJob::ExportBattles { format }, &[]).await?
            };
            let StatsReply::BattlesText { text, note } = reply else { return Ok(()) };
            let (name, mime) = match format {
                BattlesFormat::Reference => ("battles.json", "application/json"),
                BattlesFormat::Arena => ("battles-arena.csv", "text/csv"),
                BattlesFormat::Evalica => ("battles-evalica.csv", "text/csv"),
            };
            let practice = self.ratings.battles.with_untracked(|it| {
                it.as_ref().is_some_and(|it| it.about.run.as_ref().is_some_and(|run| run.practice))
            });
            // These formats have no place for a word of warning but their name.
            let name = if practice { format!("practice-{name}") } else { name.to_owned() };
            self.save(&name, mime, text).await?;
            if let Some(note) = note {
                let notice = Notice::new("The file does not hold everything", note, "");
                self.notice.set(Some((Tone::Warn, notice)));
            }
            Ok(())
        });
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
        if self.ratings.origin.get_untracked() == BattlesOrigin::Run {
            self.inner().rated.take();
            self.compute();
            return Ok(());
        }
        let files = self.ratings.loaded.get_value();
        let read = self.read_all(&files).await;
        self.stats(StatsJob::ReadBattles { names: read.names }, &read.bytes).await?;
        Ok(())
    }
}
