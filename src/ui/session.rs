//! What outlives a page: every signal, and the one place where commands become calls.

mod aside;
mod batch;
mod explorer;
mod hub;
mod keeping;
mod keys;
mod panel;
pub mod ratings;

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;

use futures_util::lock::Mutex;
use js_sys::Uint8Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::edge::{EdgeError, Pool, WorkerEvent, clock, download, files, page};
use crate::ids::Digest;
use crate::judge::provider::ModelEntry;
use crate::judge::{Capabilities, JudgeSpec, http};
use crate::metrics::{Decider, View};
use crate::protocol::Reading;
use crate::report::{self, Block, Provenance};
use crate::rubric::Label;
use crate::run::record::Settings;
use crate::run::{Choice, Phase, Plan};
use crate::ui::command::Command;
use crate::ui::draft::{Draft, Field, FieldError, JudgeKind};
use crate::ui::order::put_before;
use crate::ui::react::{effect, memo};
use crate::ui::route::Route;
use crate::ui::session::keeping::Keeping;
use crate::worker::{
    Brought, DataEvent, DataJob, DataReply, Examined, ExportFormat, HandOut, HandView, Inspection,
    KeysJob, Notice, Role, RunEvent, RunJob, RunReply, RunSummary, StatsEvent, StatsJob,
    StatsReply, Tables, Taken, Workspace,
};

pub use aside::{Aside, Sketch};
pub use batch::{BatchSession, BatchStep};
pub use explorer::{ExplorerSession, PAGE};
pub use hub::HubSession;
pub use keeping::{CopyState, KeepingSession};
pub use keys::KeySession;
pub use panel::PanelSession;
pub use ratings::{Battles, RatingSession};

/// A value that comes from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Load<T> {
    Idle,
    Loading,
    Ready(T),
    Failed(Notice),
}

impl<T> Load<T> {
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }
}

/// The models that a host says it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostModels {
    host: Option<String>,
    list: Vec<ModelEntry>,
}

impl HostModels {
    /// `None` where this host was not asked.
    pub fn of(&self, host: Option<&str>) -> Option<&[ModelEntry]> {
        (host.is_some() && self.host.as_deref() == host).then_some(&self.list)
    }
}

/// How a notice is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Warn,
    Bad,
}

/// Judgement files whose judge has not been named yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingImport {
    pub names: Vec<String>,
}

/// The files of the bundled sample.
const SAMPLE: [&str; 6] = [
    "questions.json",
    "answers/alder-research.json",
    "answers/birch.json",
    "answers/cedar-brief.json",
    "answers/dogwood-long.json",
    "answers/elm-search.json",
];

/// Every signal. Copied freely; pages read it and send commands.
#[derive(Clone, Copy)]
pub struct Session {
    pub route: RwSignal<Route>,
    /// Names of workers that have said they are ready.
    pub ready: RwSignal<Vec<Role>>,
    pub workspace: RwSignal<Load<Workspace>>,
    pub hub: HubSession,
    pub explorer: ExplorerSession,
    pub ratings: RatingSession,
    pub keeping: KeepingSession,
    pub draft: RwSignal<Draft>,
    pub keys: KeySession,
    pub batch: BatchSession,
    pub panel: PanelSession,
    /// What the last examination of the endpoint found.
    pub diagnosis: RwSignal<Load<Examined>>,
    /// Models that the host in the draft says it has.
    pub models: RwSignal<HostModels>,
    pub plan: RwSignal<Load<Plan>>,
    /// What was asked for beside the page's own tables, the last of each kind.
    pub asides: RwSignal<Vec<(Aside, Load<Vec<Block>>)>>,
    /// What to know of the plan beside its numbers.
    pub plan_notes: RwSignal<Vec<Block>>,
    pub sketch: RwSignal<Sketch>,
    /// Raised when a run came to a stand.
    pub news: RwSignal<u64>,
    /// Newest first.
    pub runs: RwSignal<Vec<RunSummary>>,
    /// The run that pages show.
    pub run: RwSignal<Option<String>>,
    /// The run that is going on.
    pub active: RwSignal<Option<String>>,
    pub reading: RwSignal<Reading>,
    pub view: RwSignal<View>,
    pub tables: RwSignal<Load<Tables>>,
    pub inspection: RwSignal<Load<Inspection>>,
    pub hand: RwSignal<Load<HandView>>,
    pub import: RwSignal<Option<PendingImport>>,
    /// Problems in run files and judgement files.
    pub report_problems: RwSignal<crate::dataset::Problems>,
    pub report_notes: RwSignal<Vec<String>>,
    pub notice: RwSignal<Option<(Tone, Notice)>>,
    /// What is being done that takes a moment.
    pub busy: RwSignal<Option<String>>,
    pub theme: RwSignal<Option<&'static str>>,
    /// What the browser said when asked to keep this page's data.
    pub persisted: RwSignal<Option<bool>>,
    /// Raised when replies have come in, at most once a second while a run goes on.
    revision: RwSignal<u64>,
    inner: StoredValue<Rc<Inner>, LocalStorage>,
}

/// Run, reading and revision that a sheet is of.
type SheetKey = (String, Reading, u64);

struct Inner {
    pool: RefCell<Option<Rc<Pool>>>,
    import_files: RefCell<Vec<File>>,
    /// Whether tables are being computed, and whether something has changed meanwhile.
    computing: Cell<bool>,
    stale: Cell<bool>,
    /// What the sheet in the statistics worker was made from.
    sheet: RefCell<Option<SheetKey>>,
    /// The sheet and the rule that the worker's battles are of.
    rated: RefCell<Option<(Option<SheetKey>, Option<Decider>)>>,
    last_revision: Cell<f64>,
    /// Loading a sheet and computing from it must not be parted by another sheet.
    stats: Mutex<()>,
    /// Whether a plan is being made, and the settings to plan for next.
    planning: Cell<bool>,
    next_plan: RefCell<Option<Settings>>,
    keeping: Keeping,
}

type Outcome<T> = Result<T, Notice>;

/// Work that is compiled once, however many wait for it.
type Later<T> = Pin<Box<dyn Future<Output = Outcome<T>>>>;

impl Session {
    /// Starts the workers and reads what the last visit left.
    pub fn start() -> Self {
        let session = Self {
            route: RwSignal::new(Route::read(&page::hash())),
            ready: RwSignal::new(Vec::new()),
            workspace: RwSignal::new(Load::Loading),
            hub: HubSession::new(),
            explorer: ExplorerSession::new(),
            ratings: RatingSession::new(),
            keeping: KeepingSession::new(),
            draft: RwSignal::new(Draft::new()),
            keys: KeySession::new(),
            batch: BatchSession::new(),
            panel: PanelSession::new(),
            diagnosis: RwSignal::new(Load::Idle),
            models: RwSignal::new(HostModels::default()),
            plan: RwSignal::new(Load::Idle),
            asides: RwSignal::new(Vec::new()),
            plan_notes: RwSignal::new(Vec::new()),
            sketch: RwSignal::new(Sketch::default()),
            news: RwSignal::new(0),
            runs: RwSignal::new(Vec::new()),
            run: RwSignal::new(None),
            active: RwSignal::new(None),
            reading: RwSignal::new(Reading::Recommended),
            view: RwSignal::new(View::default()),
            tables: RwSignal::new(Load::Idle),
            inspection: RwSignal::new(Load::Idle),
            hand: RwSignal::new(Load::Idle),
            import: RwSignal::new(None),
            report_problems: RwSignal::new(crate::dataset::Problems::default()),
            report_notes: RwSignal::new(Vec::new()),
            notice: RwSignal::new(None),
            busy: RwSignal::new(None),
            theme: RwSignal::new(None),
            persisted: RwSignal::new(None),
            revision: RwSignal::new(0),
            inner: StoredValue::new_local(Rc::new(Inner {
                pool: RefCell::new(None),
                import_files: RefCell::default(),
                computing: Cell::new(false),
                stale: Cell::new(false),
                sheet: RefCell::new(None),
                rated: RefCell::new(None),
                last_revision: Cell::new(0.0),
                stats: Mutex::new(()),
                planning: Cell::new(false),
                next_plan: RefCell::new(None),
                keeping: Keeping::default(),
            })),
        };
        match Pool::start(move |event| session.hear(event)) {
            Ok(pool) => {
                session.inner().pool.replace(Some(Rc::new(pool)));
                session.restore();
            }
            Err(error) => session.fail(&Notice::new(
                "The page could not start its workers",
                error.to_string(),
                "Use a current Chrome, Edge, Firefox or Safari, and serve the files over http.",
            )),
        }
        // Before anything reads the address or keeps it.
        session.find_keys();
        page::on_hash(move |hash| session.route.set(Route::read(&hash)));
        session.theme.set(match page::setting("theme").as_deref() {
            Some("dark") => Some("dark"),
            Some("light") => Some("light"),
            _ => None,
        });
        session.watch();
        session
    }

    fn inner(self) -> Rc<Inner> {
        self.inner.with_value(Rc::clone)
    }

    fn pool(self) -> Outcome<Rc<Pool>> {
        self.inner().pool.borrow().clone().ok_or_else(|| {
            Notice::new(
                "The workers are not there",
                "They could not be started.",
                "Reload the page.",
            )
        })
    }

    /// The summary of the chosen run.
    pub fn current(self) -> Option<RunSummary> {
        let id = self.run.get()?;
        self.runs.with(|runs| runs.iter().find(|run| run.id == id).cloned())
    }

    /// The run that the fields name, if there is one already.
    pub fn drafted(self) -> Option<String> {
        let id = self.drafted_id()?;
        self.runs.with(|runs| runs.iter().any(|run| run.id == id)).then_some(id)
    }

    /// The id of the run that the fields name, begun or not.
    fn drafted_id(self) -> Option<String> {
        let settings = self.draft.with(Draft::settings).ok()?;
        let digest = self.workspace.with(|it| Some(it.ready()?.dataset.as_ref()?.digest))?;
        Some(crate::run::Record::id_of(&settings, digest))
    }

    pub fn field_error(self, field: Field) -> Option<String> {
        match self.draft.with(Draft::settings) {
            Ok(_) => None,
            Err(errors) => {
                errors.into_iter().find(|it| it.field == field).map(|FieldError { what, .. }| what)
            }
        }
    }

    /// What follows from what: title, plan, tables, listing.
    fn watch(self) {
        Effect::new(move |before: Option<Route>| {
            let route = self.route.get();
            page::set_title(&route.title());
            if before.is_some_and(|before| before != route) {
                page::scroll_to_top();
                page::focus("#main");
            }
            route
        });
        effect(move || match self.theme.get() {
            Some(theme) => page::set_root("data-theme", theme),
            None => page::unset_root("data-theme"),
        });
        effect(move || {
            let names: Vec<&str> =
                self.ready.with(|it| it.iter().map(|role| role.as_str()).collect());
            if !names.is_empty() {
                page::set_root("data-workers", &names.join(" "));
            }
        });
        effect(move || {
            let settings = self.draft.with(Draft::settings);
            let loaded =
                self.workspace.with(|it| it.ready().is_some_and(|it| it.dataset.is_some()));
            let _ = self.workspace.with(|it| it.ready().map(|it| it.systems.len()));
            match settings {
                Ok(settings) if loaded => self.price(settings),
                _ => {
                    self.inner().next_plan.take();
                    self.plan.set(Load::Idle);
                    self.plan_notes.set(Vec::new());
                }
            }
        });
        effect(move || {
            let on_page = matches!(self.route.get(), Route::Results | Route::Report);
            let run = self.run.get();
            self.reading.track();
            self.view.track();
            self.revision.track();
            if on_page && run.is_some() {
                self.compute();
            }
        });
        effect(move || {
            if let Route::Inspect(case) = self.route.get()
                && let Some(run) = self.run.get()
            {
                self.revision.track();
                self.inspect(run, case);
            }
        });
        let asked = memo(move || {
            self.draft.with(|it| (it.host().map(str::to_owned), it.model.trim().to_owned()))
        });
        effect(move || {
            let (host, model) = asked.get();
            let listed = self.draft.with_untracked(|it| it.listed.clone());
            let found = self.models.with(|models| {
                let list = models.of(host.as_deref())?;
                let entry = list.iter().find(|it| it.id == model);
                Some(entry.and_then(|it| host.clone().zip(it.prices.clone())))
            });
            // Without a list of this host nothing is known of it. What another host's list said goes.
            let of_another = listed.as_ref().is_some_and(|it| Some(&it.0) != host.as_ref());
            let offer = found.or_else(|| of_another.then_some(None));
            if let Some(offer) = offer.filter(|it| *it != listed) {
                self.draft.update(|it| it.offer(offer));
            }
        });
        let asked_at = memo(move || {
            self.draft.with(|it| {
                (it.judge, it.provider, it.base_url.trim().to_owned(), it.model.trim().to_owned())
            })
        });
        effect(move || {
            // Not `track`: nobody would compute what it watches.
            asked_at.with(|_| {});
            self.diagnosis.update(|it| {
                if *it != Load::Loading {
                    *it = Load::Idle;
                }
            });
        });
        self.watch_explorer();
        self.watch_ratings();
    }

    fn hear(self, event: WorkerEvent) {
        match event {
            WorkerEvent::Ready(role) => self.ready.update(|it| {
                // One that was started anew says so again.
                if !it.contains(&role) {
                    it.push(role);
                }
            }),
            WorkerEvent::WrongVersion(_) => self.fail(&Notice::new(
                "This page is of another version than its workers",
                "The site was updated while your browser kept a part of the old one.",
                "Reload the page. What you have judged is kept.",
            )),
            WorkerEvent::Broken(role, why) => {
                if role == Role::Run {
                    self.give_up_runs();
                }
                self.fail(&Notice::new(
                    format!("The {} worker stopped", role.as_str()),
                    why,
                    "Reload the page. What was judged so far is stored, and the run can go on.",
                ));
            }
            WorkerEvent::Data(DataEvent::Download(state)) => {
                // The last words of a download can come after its end.
                self.hub.download.update(|it| {
                    if let Some(it) = it {
                        *it = state;
                    }
                });
            }
            WorkerEvent::Stats(StatsEvent::Resampled { done, of }) => {
                self.ratings.progress.set(Some((done, of)));
            }
            WorkerEvent::Run(RunEvent::Progress { run, progress }) => {
                self.runs.update(|runs| {
                    if let Some(summary) = runs.iter_mut().find(|it| it.id == run) {
                        summary.progress = *progress;
                    }
                });
                self.copy_in_time(&run, false);
                let inner = self.inner();
                if 1000.0 < clock::now() - inner.last_revision.get() {
                    inner.last_revision.set(clock::now());
                    self.revision.update(|it| *it += 1);
                }
            }
            WorkerEvent::Run(RunEvent::Listed(runs)) => {
                let gone = |run: &String| !runs.iter().any(|it| it.id == *run);
                if self.run.with_untracked(|it| it.as_ref().is_some_and(gone)) {
                    self.run.set(None);
                    self.tables.set(Load::Idle);
                }
                self.runs.set(runs);
                self.revision.update(|it| *it += 1);
            }
            WorkerEvent::Run(RunEvent::Locked) => self.vault_locked(),
            WorkerEvent::Run(RunEvent::Ended { summary, notice }) => {
                if self.active.get_untracked().as_ref() == Some(&summary.id) {
                    self.active.set(None);
                }
                self.copy_in_time(&summary.id, true);
                let (run, phase) = (summary.id.clone(), summary.phase());
                self.keep_summary(*summary);
                self.panel_goes_on(&run, phase);
                self.revision.update(|it| *it += 1);
                self.news.update(|it| *it += 1);
                if let Some(notice) = notice {
                    self.notice.set(Some((Tone::Warn, notice)));
                }
            }
        }
    }

    /// Nobody drives a run any more: what was in flight came to nothing, and a reload asks it again.
    fn give_up_runs(self) {
        self.active.set(None);
        self.runs.update(|runs| {
            for progress in runs.iter_mut().map(|it| &mut it.progress) {
                if progress.phase.is_active() {
                    progress.phase = Phase::Stopped;
                    progress.tally.in_flight = 0;
                    (progress.in_flight, progress.pace, progress.held_until) = (0, 0, None);
                }
            }
        });
    }

    fn raise_revision(self) {
        self.revision.update(|it| *it += 1);
    }

    fn keep_summary(self, summary: RunSummary) {
        // Hidden systems and the baseline go by place.
        let other = self.runs.with_untracked(|runs| {
            runs.iter().any(|it| it.id == summary.id && it.systems != summary.systems)
        });
        if other && self.run.get_untracked().as_ref() == Some(&summary.id) {
            self.view.update(|view| {
                view.hidden.clear();
                view.baseline = None;
            });
        }
        self.runs.update(|runs| {
            runs.retain(|it| it.id != summary.id);
            let updated = summary.updated;
            put_before(runs, summary, |it| it.updated <= updated);
        });
    }

    pub fn fail(self, notice: &Notice) {
        self.busy.set(None);
        self.notice.set(Some((Tone::Bad, notice.clone())));
    }

    /// Runs `work` and shows what went wrong.
    fn task(self, busy: Option<&str>, work: impl Future<Output = Outcome<()>> + 'static) {
        self.task_later(busy, Box::pin(work));
    }

    /// Boxed, so that what stands around all tasks is compiled once.
    fn task_later(self, busy: Option<&str>, work: Later<()>) {
        if let Some(busy) = busy {
            self.busy.set(Some(busy.to_owned()));
        }
        let shown = busy.is_some();
        spawn_local(async move {
            if let Err(notice) = work.await {
                self.fail(&notice);
            }
            if shown {
                self.busy.set(None);
            }
        });
    }

    fn data(self, job: DataJob, bytes: &[Uint8Array]) -> Later<(DataReply, Vec<Uint8Array>)> {
        let bytes = bytes.to_vec();
        Box::pin(async move {
            let (reply, bytes) =
                self.pool()?.ask(Role::Data, &job, &bytes).await.map_err(|error| edge(&error))?;
            match reply {
                DataReply::Failed(notice) => Err(notice),
                reply => Ok((reply, bytes)),
            }
        })
    }

    fn runner(self, job: RunJob, bytes: &[Uint8Array]) -> Later<(RunReply, Vec<Uint8Array>)> {
        let bytes = bytes.to_vec();
        Box::pin(async move {
            let (reply, bytes) =
                self.pool()?.ask(Role::Run, &job, &bytes).await.map_err(|error| edge(&error))?;
            match reply {
                RunReply::Failed(notice) => Err(notice),
                reply => Ok((reply, bytes)),
            }
        })
    }

    fn stats(self, job: StatsJob, bytes: &[Uint8Array]) -> Later<StatsReply> {
        let bytes = bytes.to_vec();
        Box::pin(async move {
            let (reply, _) =
                self.pool()?.ask(Role::Stats, &job, &bytes).await.map_err(|error| edge(&error))?;
            match reply {
                StatsReply::Failed(notice) => Err(notice),
                reply => Ok(reply),
            }
        })
    }

    fn restore(self) {
        self.task(None, async move {
            match self.data(DataJob::Restore, &[]).await {
                Ok((DataReply::Workspace(workspace), _)) => self.set_workspace(*workspace),
                Ok(_) => self.set_workspace(Workspace::default()),
                Err(notice) => {
                    self.set_workspace(Workspace::default());
                    self.fail(&notice);
                }
            }
            if let (RunReply::Runs(runs), _) = self.runner(RunJob::List, &[]).await? {
                let newest = runs.first().cloned();
                self.runs.set(runs);
                self.tell_removed();
                effect(move || self.note_kept());
                if let Some(newest) = newest.filter(|_| self.run.get_untracked().is_none()) {
                    let shown = newest.settings.judge.is_driven() || is_by_hand(&newest.settings);
                    // Who has begun to type means what is typed.
                    if shown && self.draft.with_untracked(|it| *it == Draft::new()) {
                        self.draft.set(Draft::of(&newest.settings));
                    }
                    self.run.set(Some(newest.id));
                }
            }
            Ok(())
        });
    }

    fn set_workspace(self, workspace: Workspace) {
        self.workspace.set(Load::Ready(workspace));
    }

    pub fn send(self, command: Command) {
        match command {
            Command::TrySample => self.try_sample(),
            Command::OpenFiles(files) => self.open(files),
            Command::OpenBattles(files) => self.open_battles(files),
            Command::LeaveBattleFiles => self.leave_battle_files(),
            Command::DecideBy(decider) => self.decide_by(decider),
            Command::ExportBattles(format) => self.export_battles(format),
            Command::StopRating => self.stop_rating(),
            Command::Reopen(files) => {
                self.task(Some("Reading run files"), async move { self.reopen(files).await });
            }
            Command::Import { judge, prompt, date } => {
                self.task(Some("Reading judgements"), async move {
                    self.import_now(judge, prompt, date).await
                });
            }
            Command::DropImport => {
                self.inner().import_files.take();
                self.import.set(None);
            }
            Command::RemoveDataset => self.workspace_job(DataJob::RemoveDataset),
            Command::RenameSystem { system, name } => {
                self.workspace_job(DataJob::RenameSystem { system, name });
            }
            Command::RemoveSystem(system) => self.workspace_job(DataJob::RemoveSystem { system }),
            Command::OpenQuestion(place) => self.open_question(place),
            Command::JudgeSample => self.judge_sample(),
            Command::LoadFromHub { newest } => self.load_from_hub(newest),
            Command::CancelDownload => self.cancel_download(),
            Command::ListDownloads => self.list_kept(),
            Command::DeleteDownload(kept) => self.delete_download(kept),
            Command::SetToken(text) => self.set_token(&text),
            Command::ForgetToken => self.forget_token(),
            Command::HandOut(format) => self.hand_out(format),
            Command::SetKey(text) => self.set_key(&text),
            Command::ForgetKey => self.forget_key(),
            Command::KeepKeys(keeping) => self.keep_keys(keeping),
            Command::Vault { wish, passphrase } => self.vault(wish, passphrase),
            Command::DeleteSealed(origin) => self.keys_job(KeysJob::DeleteSealed { origin }),
            Command::ForgetKeys => self.forget_keys(),
            Command::SignIn => self.sign_in(),
            Command::Examine => self.examine(),
            Command::TakeLearned(learned) => self.take_learned(learned),
            Command::ListModels => self.list_models(),
            Command::Batch(step) => self.batch(step),
            Command::BatchResults(files) => self.batch_results(files),
            Command::JoinPanel => self.join_panel(),
            Command::StartPanel => self.start_panel(),
            Command::Start => self.start_run(),
            Command::Hand { run, wish } => self.task(None, async move {
                self.runner(RunJob::Hand { run, wish }, &[]).await.map(drop)
            }),
            Command::TakeOver(run) => self.take_over(run),
            Command::RetryFailed => self.retry_failed(),
            Command::SetConcurrency { run, concurrency } => self.task(None, async move {
                self.runner(RunJob::SetConcurrency { run, concurrency }, &[]).await.map(drop)
            }),
            Command::ChooseRun(run) => self.choose(run),
            Command::RenameRun { run, name } => self.list_job(RunJob::Rename { run, name }),
            Command::DeleteRun(run) => {
                if self.run.get_untracked().as_ref() == Some(&run) {
                    self.run.set(None);
                    self.tables.set(Load::Idle);
                }
                self.list_job(RunJob::Delete { run });
            }
            Command::Merge(runs) => self.task(Some("Merging runs"), async move {
                if let (RunReply::Run(summary), _) =
                    self.runner(RunJob::Merge { runs }, &[]).await?
                {
                    let id = summary.id.clone();
                    self.keep_summary(*summary);
                    self.choose(id);
                    page::go(&Route::Results.href());
                }
                Ok(())
            }),
            Command::HandTask(at) => self.hand_task(at),
            Command::HandLabel { at, key, label } => self.hand_label(at, key, label),
            Command::Ask(aside) => self.ask_aside(aside),
            Command::Sketch(sketch) => self.sketch_plan(sketch),
            Command::Bridge { from, sample } => self.bridge(from, sample),
            Command::KeepCopy(run) => self.keep_copy(run),
            Command::LeaveCopy => self.leave_copy(),
            Command::ExportRun { texts } => self.export_run(texts),
            Command::ExportReference { system } => self.export_reference(system),
            Command::ExportTable(format) => self.export_table(format),
            Command::SetReading(reading) => self.reading.set(reading),
            Command::SetTheme(theme) => {
                page::set_setting("theme", theme);
                self.theme.set(theme);
            }
            Command::Persist => spawn_local(async move {
                self.persisted.set(page::persist().await);
            }),
            Command::ForgetEverything => self.forget(),
            Command::CloseNotice => self.notice.set(None),
        }
    }

    fn workspace_job(self, job: DataJob) {
        self.task(None, async move {
            if let (DataReply::Workspace(workspace), _) = self.data(job, &[]).await? {
                self.set_workspace(*workspace);
            }
            Ok(())
        });
    }

    fn list_job(self, job: RunJob) {
        self.task(None, async move {
            if let (RunReply::Runs(runs), _) = self.runner(job, &[]).await? {
                self.runs.set(runs);
            }
            Ok(())
        });
    }

    fn try_sample(self) {
        if self.active.with_untracked(Option::is_some) {
            self.fail(&Notice::new(
                "A run is going on",
                "The sample would take the place of its questions and answers.",
                "Stop the run on the Judge page first, or let it finish.",
            ));
            return;
        }
        let own_files = self.workspace.with_untracked(|it| {
            it.ready()
                .is_some_and(|it| !it.is_sample && (it.dataset.is_some() || !it.systems.is_empty()))
        });
        let question = "The sample takes the place of the questions and answers you loaded. \
                        Runs and judgements stay. Go on?";
        if own_files && !page::confirm(question) {
            return;
        }
        self.task(Some("Reading the sample"), async move {
            let reads = SAMPLE
                .iter()
                .map(|path| async move { files::own(&format!("./sample/{path}")).await });
            let bytes = futures_util::future::try_join_all(reads).await.map_err(|error| {
                Notice::new(
                    "The sample could not be read",
                    error.to_string(),
                    "Check the connection and try again.",
                )
            })?;
            let names = SAMPLE
                .iter()
                .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned())
                .collect();
            if let (DataReply::Workspace(workspace), _) =
                self.data(DataJob::Sample { names }, &bytes).await?
            {
                self.set_workspace(*workspace);
            }
            self.draft.set(Draft::new());
            let settings = Draft::new().settings().map_err(|_| unusable_fields())?;
            self.begin(settings).await?;
            self.view.set(View::default());
            self.reading.set(Reading::Recommended);
            page::go(&Route::Results.href());
            Ok(())
        });
    }

    fn open(self, list: Vec<File>) {
        if list.is_empty() {
            return;
        }
        let label = if list.len() == 1 {
            format!("Reading {}", files::name(&list[0]))
        } else {
            format!("Reading {} files", list.len())
        };
        let brought = match self.route.get_untracked() {
            Route::Data => Brought::Dataset,
            Route::Systems => Brought::Answers,
            _ => Brought::Anything,
        };
        self.task(Some(&label), async move {
            let Read { list, names, bytes } = self.read_all(&list).await;
            if list.is_empty() {
                return Ok(());
            }
            let (DataReply::Ingested { workspace, taken }, _) =
                self.data(DataJob::Ingest { names, brought }, &bytes).await?
            else {
                return Ok(());
            };
            self.set_workspace(*workspace);
            self.tell_taken(&list, &taken, brought);
            let of = |kind| -> Vec<File> {
                list.iter()
                    .zip(&taken)
                    .filter(|(_, it)| **it == kind)
                    .map(|(file, _)| file.clone())
                    .collect()
            };
            let judgements = of(Taken::Judgements);
            if !judgements.is_empty() {
                self.import.set(Some(PendingImport {
                    names: judgements.iter().map(files::name).collect(),
                }));
                self.inner().import_files.replace(judgements);
                page::go(&Route::Report.href());
            }
            let run_files = of(Taken::RunFile);
            if !run_files.is_empty() {
                self.reopen(run_files).await?;
                page::go(&Route::Report.href());
            }
            Ok(())
        });
    }

    /// A word on files that are not shown where they were brought.
    fn tell_taken(self, list: &[File], taken: &[Taken], brought: Brought) {
        let mut lines = Vec::new();
        let mut bad = false;
        for (file, taken) in list.iter().zip(taken) {
            let name = files::name(file);
            match (taken, brought) {
                (Taken::Questions, Brought::Answers) => {
                    lines.push(format!("{name} holds questions: see the Data page."));
                }
                (Taken::Answers, Brought::Dataset) => {
                    lines.push(format!("{name} holds answers: see the Systems page."));
                }
                (Taken::Nothing, _) => {
                    bad = true;
                    lines.push(format!("{name} could not be used."));
                }
                _ => {}
            }
        }
        if lines.is_empty() {
            return;
        }
        let next = match (bad, brought) {
            (true, Brought::Answers) => {
                "The reason stands on the Systems page. Nothing else was changed."
            }
            (true, _) => "The reason stands in the list of problems. Nothing else was changed.",
            (false, _) => "Everything else is as it was.",
        };
        let tone = if bad { Tone::Warn } else { Tone::Plain };
        let what = if bad { "Not every file could be used" } else { "Some files belong elsewhere" };
        self.notice.set(Some((tone, Notice::new(what, lines.join(" "), next))));
    }

    /// Reads what can be read, and says which files could not be: one bad file never costs the others.
    async fn read_all(self, files: &[File]) -> Read {
        let mut read = Read { list: Vec::new(), names: Vec::new(), bytes: Vec::new() };
        let mut failed = Vec::new();
        for file in files {
            match files::read(file).await {
                Ok(bytes) => {
                    read.list.push(file.clone());
                    read.names.push(files::name(file));
                    read.bytes.push(bytes);
                }
                Err(error) => failed.push(error.to_string()),
            }
        }
        if !failed.is_empty() {
            self.fail(&Notice::new(
                if failed.len() == 1 {
                    "A file could not be read".to_owned()
                } else {
                    format!("{} files could not be read", failed.len())
                },
                format!("{}.", failed.join("; ")),
                "The others were read. Choose it again; it may have been moved or changed.",
            ));
        }
        read
    }

    async fn reopen(self, list: Vec<File>) -> Outcome<()> {
        if list.is_empty() {
            return Ok(());
        }
        let Read { names, bytes, .. } = self.read_all(&list).await;
        let (reply, _) = self.runner(RunJob::Reopen { names }, &bytes).await?;
        self.opened(reply);
        Ok(())
    }

    fn opened(self, reply: RunReply) {
        let RunReply::Reopened { runs, opened, problems, notes } = reply else {
            return;
        };
        self.runs.set(runs);
        self.view.set(View::default());
        self.report_problems.set(problems);
        self.report_notes.set(notes);
        self.revision.update(|it| *it += 1);
        if let Some(last) = opened.last() {
            self.choose(last.clone());
        }
    }

    async fn import_now(self, judge: String, prompt: String, date: String) -> Outcome<()> {
        let list = self.inner().import_files.borrow().clone();
        let Read { names, mut bytes, .. } = self.read_all(&list).await;
        let choice = Choice { per_field: None, seed: 0 };
        let (_, frame) = self.data(DataJob::Frame { choice }, &[]).await?;
        let mut all = frame;
        all.append(&mut bytes);
        let known = |text: String| {
            let text = text.trim().to_owned();
            if text.is_empty() { "unknown".to_owned() } else { text }
        };
        let job =
            RunJob::Import { names, judge: known(judge), prompt: known(prompt), date: known(date) };
        let (reply, _) = self.runner(job, &all).await?;
        self.inner().import_files.take();
        self.import.set(None);
        self.opened(reply);
        Ok(())
    }

    fn hand_out(self, format: HandOut) {
        let choice = self.draft.with_untracked(Draft::choice);
        self.task(None, async move {
            if let (DataReply::Text(text), _) =
                self.data(DataJob::HandOut { choice, format }, &[]).await?
            {
                let (name, mime) = match format {
                    HandOut::Jsonl => ("queries.jsonl", "application/x-ndjson"),
                    HandOut::Csv => ("queries.csv", "text/csv"),
                    HandOut::PromptPack => ("prompts.md", "text/markdown"),
                };
                self.save(name, mime, text).await?;
            }
            Ok(())
        });
    }

    fn examine(self) {
        let Ok(Settings { judge: JudgeSpec::Endpoint(endpoint), .. }) =
            self.draft.with_untracked(Draft::settings)
        else {
            return;
        };
        if self.diagnosis.with_untracked(|it| *it == Load::Loading) {
            return;
        }
        self.diagnosis.set(Load::Loading);
        self.task(None, async move {
            let around = Box::new(page::surroundings(&endpoint.base_url).await);
            let longest = self.plan.with_untracked(|it| it.ready().map(|it| it.longest));
            let asked = endpoint.clone();
            let job = RunJob::Doctor { endpoint: Box::new(endpoint), around, longest };
            let reply = self.runner(job, &[]).await;
            // What was found of one host is not said of another.
            let is_same = self.draft.with_untracked(|it| it.endpoint_now().is_at(&asked));
            self.diagnosis.set(match reply {
                Ok((RunReply::Examined(found), _)) if is_same => Load::Ready(*found),
                Ok(_) => Load::Idle,
                Err(notice) => Load::Failed(notice),
            });
            Ok(())
        });
    }

    fn take_learned(self, learned: Capabilities) {
        self.draft.update(|it| it.learned = Some((it.base_url.trim().to_owned(), learned)));
        self.diagnosis.set(Load::Idle);
        // The button that was pressed is gone.
        page::focus("#judge-try");
    }

    fn list_models(self) {
        let base_url = self.draft.with_untracked(|it| it.base_url.trim().to_owned());
        if http::origin(&base_url).is_none() {
            return;
        }
        let host = http::host(&base_url).map(str::to_owned);
        let (provider, capabilities) = self.draft.with_untracked(|it| (it.provider, it.learned()));
        let job = RunJob::Models { provider, capabilities, base_url };
        self.task(Some("Asking the host for its models"), async move {
            if let (RunReply::Models(models), _) = self.runner(job, &[]).await? {
                self.models.set(HostModels { host, list: models });
            }
            Ok(())
        });
    }

    /// Whether the base URL in the field is another host than the one the key was given for.
    pub fn key_is_elsewhere(self) -> bool {
        let host = self.draft.with(|it| http::host(it.base_url.trim()).map(str::to_owned));
        let key = self.keys.host();
        key.is_some() && key != host
    }

    fn start_run(self) {
        let Ok(settings) = self.draft.with_untracked(Draft::settings) else {
            self.fail(&unusable_fields());
            return;
        };
        if !agreed(&settings.judge) {
            return;
        }
        // A reopened run file with its texts can go on without the files it came from.
        let loaded =
            self.workspace.with_untracked(|it| it.ready().is_some_and(|it| it.dataset.is_some()));
        let goes_on = untrack(|| self.current())
            .filter(|run| !loaded && run.has_texts && run.settings.judge == settings.judge);
        let run = untrack(|| self.drafted()).or_else(|| goes_on.as_ref().map(|it| it.id.clone()));
        if !self.agreed_to_pay_twice(run.as_deref(), &settings.judge) {
            return;
        }
        self.task(None, async move {
            if settings.judge.is_driven() {
                self.persisted.set(page::persist().await);
            }
            if let Some(run) = goes_on {
                let job = RunJob::Continue { run: run.id, limits: settings.limits() };
                if let (RunReply::Run(summary), _) = self.runner(job, &[]).await? {
                    self.begun(*summary, true);
                }
                return Ok(());
            }
            let by_hand = is_by_hand(&settings);
            self.begin(settings).await?;
            if by_hand {
                self.hand_task(None);
            }
            Ok(())
        });
    }

    async fn begin(self, settings: Settings) -> Outcome<()> {
        let choice = Choice { per_field: settings.per_field, seed: settings.seed };
        let (_, frame) = self.data(DataJob::Frame { choice }, &[]).await?;
        let driven = settings.judge.is_driven();
        if let (RunReply::Run(summary), _) = self.runner(RunJob::Start { settings }, &frame).await?
        {
            self.begun(*summary, driven);
        }
        Ok(())
    }

    fn begun(self, summary: RunSummary, driven: bool) {
        self.notice.set(None);
        let id = summary.id.clone();
        // The worker may have been quicker: its last word counts, not this first one.
        if driven && summary.progress.phase == Phase::Running {
            self.active.set(Some(id.clone()));
        }
        self.keep_summary(summary);
        self.choose(id);
    }

    /// Goes on here with a run that another tab drives.
    fn take_over(self, run: String) {
        let known = self.runs.with_untracked(|runs| {
            runs.iter().find(|it| it.id == run).map(|it| it.settings.clone())
        });
        let Some(settings) = known.filter(|it| agreed(&it.judge)) else {
            return;
        };
        self.task(Some("Waiting for the other tab’s calls in flight"), async move {
            let job = RunJob::TakeOver { run, limits: settings.limits() };
            if let (RunReply::Run(summary), _) = self.runner(job, &[]).await? {
                self.begun(*summary, true);
            }
            Ok(())
        });
    }

    fn retry_failed(self) {
        let Some(run) = self.run.get_untracked() else {
            return;
        };
        let Ok(settings) = self.draft.with_untracked(Draft::settings) else {
            self.fail(&unusable_fields());
            return;
        };
        let judge = untrack(|| self.current()).map(|run| run.settings.judge);
        let judge = judge.as_ref().unwrap_or(&settings.judge);
        if !agreed(judge) || !self.agreed_to_pay_twice(Some(&run), judge) {
            return;
        }
        self.task(None, async move {
            let job = RunJob::RetryFailed { run, limits: settings.limits() };
            if let (RunReply::Run(summary), _) = self.runner(job, &[]).await? {
                self.begun(*summary, true);
            }
            Ok(())
        });
    }

    fn choose(self, run: String) {
        if self.run.get_untracked().as_ref() != Some(&run) {
            self.hand.set(Load::Idle);
            self.inspection.set(Load::Idle);
            self.tables.set(Load::Loading);
            self.view.set(View::default());
            // The Judge page shows the run that is looked at, and can go on with it.
            let settings = self.runs.with_untracked(|runs| {
                runs.iter().find(|it| it.id == run).map(|it| it.settings.clone())
            });
            let fields = settings.filter(|it| it.judge.is_driven() || is_by_hand(it));
            // Fields that name this run already stay as they were typed.
            if let Some(fields) = fields
                && untrack(|| self.drafted()).as_ref() != Some(&run)
            {
                self.draft.set(Draft::of(&fields));
            }
        }
        let allowed = self.runs.with_untracked(|runs| {
            runs.iter()
                .find(|it| it.id == run)
                .is_none_or(|it| it.settings.judge.allows_all_readings())
        });
        if !allowed {
            self.reading.set(Reading::Recommended);
        }
        self.run.set(Some(run));
        self.revision.update(|it| *it += 1);
    }

    fn hand_label(self, at: u64, key: Digest, label: Label) {
        self.task(None, async move {
            let Some(run) = self.run.get_untracked() else {
                return Ok(());
            };
            if let (RunReply::HandTask(view), _) =
                self.runner(RunJob::HandLabel { run: run.clone(), at, key, label }, &[]).await?
                && self.run.get_untracked() == Some(run)
            {
                self.hand.set(Load::Ready(*view));
            }
            Ok(())
        });
    }

    fn hand_task(self, at: Option<u64>) {
        self.task(None, async move {
            let Some(run) = self.run.get_untracked() else {
                return Ok(());
            };
            if let (RunReply::HandTask(view), _) =
                self.runner(RunJob::HandTask { run: run.clone(), at }, &[]).await?
                && self.run.get_untracked() == Some(run)
            {
                self.hand.set(Load::Ready(*view));
            }
            Ok(())
        });
    }

    /// Plans for the newest settings, one plan at a time: fields change with every key.
    fn price(self, settings: Settings) {
        let inner = self.inner();
        inner.next_plan.replace(Some(settings));
        if inner.planning.replace(true) {
            return;
        }
        spawn_local(async move {
            let inner = self.inner();
            while let Some(settings) = inner.next_plan.take() {
                let result = self.data(DataJob::Plan { settings }, &[]).await;
                if inner.next_plan.borrow().is_some() {
                    continue;
                }
                match result {
                    Ok((DataReply::Plan { plan, notes }, _)) => {
                        self.plan.set(Load::Ready(plan));
                        self.plan_notes.set(notes);
                    }
                    Ok(_) => {}
                    Err(notice) => self.plan.set(Load::Failed(notice)),
                }
            }
            inner.planning.set(false);
        });
    }

    fn inspect(self, run: String, case: usize) {
        self.task(None, async move {
            let wanted = (Some(run.clone()), Route::Inspect(case));
            let result = self.runner(RunJob::Inspect { run, case }, &[]).await;
            // An answer that comes after one has gone on is no longer wanted.
            if (self.run.get_untracked(), self.route.get_untracked()) != wanted {
                return Ok(());
            }
            match result {
                Ok((RunReply::Inspect(view), _)) => self.inspection.set(Load::Ready(*view)),
                Ok(_) => {}
                Err(notice) => self.inspection.set(Load::Failed(notice)),
            }
            Ok(())
        });
    }

    /// Computes the tables; changes that come meanwhile are taken up in one more round.
    fn compute(self) {
        let inner = self.inner();
        if inner.computing.replace(true) {
            inner.stale.set(true);
            return;
        }
        spawn_local(async move {
            let inner = self.inner();
            loop {
                inner.stale.set(false);
                let asked = self.run.get_untracked();
                let result = {
                    let _turn = inner.stats.lock().await;
                    match self.tables_now().await {
                        Ok(tables) => self.rate_run().await.map(|()| tables),
                        failed => failed,
                    }
                };
                // Tables of a run that is no longer chosen are nobody's.
                if asked == self.run.get_untracked() {
                    match result {
                        Ok(Some(tables)) => self.tables.set(Load::Ready(tables)),
                        Ok(None) => self.tables.set(Load::Idle),
                        Err(notice) => self.tables.set(Load::Failed(notice)),
                    }
                }
                if !inner.stale.get() {
                    break;
                }
            }
            inner.computing.set(false);
        });
    }

    async fn tables_now(self) -> Outcome<Option<Tables>> {
        let Some(run) = self.run.get_untracked() else {
            return Ok(None);
        };
        let wanted = (run.clone(), self.reading.get_untracked(), self.revision.get_untracked());
        if self.inner().sheet.borrow().as_ref() != Some(&wanted) {
            let job = RunJob::Sheet { run, reading: wanted.1 };
            let (_, bytes) = self.runner(job, &[]).await?;
            self.stats(StatsJob::Load, &bytes).await?;
            self.inner().sheet.replace(Some(wanted));
        }
        match self.stats(StatsJob::Tables { view: self.view.get_untracked() }, &[]).await? {
            StatsReply::Tables(tables) => Ok(Some(*tables)),
            _ => Ok(None),
        }
    }

    /// What travels with every file handed out.
    pub fn provenance(self) -> Option<Provenance> {
        let run = self.current()?;
        let mut notes = Vec::new();
        let view = self.view.get();
        if let Some(domain) = view.domain {
            notes.push(format!("Only questions of the domain {domain}."));
        }
        if let Some(field) = view.field {
            notes.push(format!("Only questions of the field {field}."));
        }
        if let Some(kind) = view.item_type {
            notes.push(format!("Only rubric items of the type {}.", kind.as_str()));
        }
        if !view.hidden.is_empty() {
            let names: Vec<String> =
                view.hidden.iter().filter_map(|at| run.systems.get(*at).cloned()).collect();
            notes.push(format!("Systems left out of the tables: {}.", names.join(", ")));
        }
        if view.common {
            notes.push("Only questions that every visible system answered.".to_owned());
        }
        notes.extend(run.extensions.iter().map(|it| {
            let date: String = clock::rfc3339(it.at).chars().take(10).collect();
            report::extended(&date, it)
        }));
        Some(Provenance {
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            dataset: match &run.dataset_on_hub {
                Some(source) => {
                    format!("{} ({source}, {})", run.dataset, run.dataset_digest.short())
                }
                None => format!("{} ({})", run.dataset, run.dataset_digest.short()),
            },
            n_cases: run.n_cases,
            judge: run.judge.name.clone(),
            how: run.judge.how.clone(),
            reading: self.reading.get(),
            seed: run.settings.seed,
            queries_per_field: run.settings.per_field,
            created_utc: clock::rfc3339(clock::now()),
            practice: run.judge.practice,
            complete: run.progress.calls_done == run.progress.calls,
            notes,
        })
    }

    fn export_run(self, texts: bool) {
        let Some(run) = self.run.get_untracked() else {
            return;
        };
        self.task(Some("Writing the run file"), async move {
            let id = run.clone();
            let (reply, parts) = self.runner(RunJob::Export { run, texts }, &[]).await?;
            let name = keeping::run_file_name(&id);
            download::parts(&name, "application/json", &parts).map_err(|error| edge(&error))?;
            if let RunReply::File { note: Some(note) } = reply {
                self.tell_cleaned(&name, note);
            }
            Ok(())
        });
    }

    fn export_reference(self, system: usize) {
        let Some(run) = untrack(|| self.current()) else {
            return;
        };
        let reading = self.reading.get_untracked();
        self.task(None, async move {
            let name = run.systems.get(system).cloned().unwrap_or_default();
            let job = RunJob::Reference { run: run.id, system, reading };
            if let (RunReply::Text { text, note }, _) = self.runner(job, &[]).await? {
                // The name is somebody else's as well.
                let name = self.clean(name).await?.0;
                let file = format!("{}-coverage.json", file_name(&name));
                let taken = self.save(&file, "application/json", text).await?;
                if !note.is_empty() {
                    let note = format!("{taken} {note}").trim_start().to_owned();
                    let notice = Notice::new(
                        format!("{file} is written"),
                        note,
                        "Press “Retry failed” on the Judge page to fill the gaps.",
                    );
                    self.notice.set(Some((Tone::Warn, notice)));
                }
            }
            Ok(())
        });
    }

    fn export_table(self, format: ExportFormat) {
        let Some(provenance) = untrack(|| self.provenance()) else {
            return;
        };
        let view = self.view.get_untracked();
        self.task(None, async move {
            // The sheet in the worker must be the one on show, until the text is written.
            let inner = self.inner();
            let reply = {
                let _turn = inner.stats.lock().await;
                self.tables_now().await?;
                self.stats(StatsJob::Export { view, format, provenance }, &[]).await?
            };
            if let StatsReply::Text(text) = reply {
                let (name, mime) = match format {
                    ExportFormat::Csv => ("coverage.csv", "text/csv"),
                    ExportFormat::Markdown => ("coverage.md", "text/markdown"),
                    ExportFormat::Latex => ("coverage.tex", "application/x-tex"),
                    ExportFormat::Summary => ("summary.md", "text/markdown"),
                };
                self.save(name, mime, text).await?;
            }
            Ok(())
        });
    }

    /// Saves a text without the keys in it. The worker that holds the very key takes them out.
    /// Gives what is to be told of that, if anything, which is told already.
    async fn save(self, name: &str, mime: &str, text: String) -> Outcome<String> {
        let (text, note) = self.clean(text).await?;
        download::text(name, mime, &text).map_err(|error| edge(&error))?;
        if !note.is_empty() {
            self.tell_cleaned(name, note.clone());
        }
        Ok(note)
    }

    /// A text without keys, and what to tell of it.
    async fn clean(self, text: String) -> Outcome<(String, String)> {
        match self.runner(RunJob::Keys(KeysJob::Clean { text }), &[]).await? {
            (RunReply::Text { text, note }, _) => Ok((text, note)),
            _ => Ok(Default::default()),
        }
    }

    fn tell_cleaned(self, name: &str, note: String) {
        let next = "Look for it in the files that were brought: a key does not belong there.";
        self.notice.set(Some((Tone::Warn, Notice::new(format!("{name} is written"), note, next))));
    }

    fn forget(self) {
        let question = "Delete all questions, answers, runs, judgements and settings kept in this browser? \
                        Run files you saved stay where they are.";
        if !page::confirm(question) {
            return;
        }
        self.task(Some("Forgetting"), async move {
            self.forget_keys();
            self.send(Command::ForgetToken);
            self.hub.kept.set(Vec::new());
            self.hub.outcome.set(None);
            self.hub.newer.set(None);
            self.runner(RunJob::Forget, &[]).await?;
            if let (DataReply::Workspace(workspace), _) = self.data(DataJob::Forget, &[]).await? {
                self.set_workspace(*workspace);
            }
            self.send(Command::SetTheme(None));
            self.leave_copy();
            self.asides.set(Vec::new());
            self.sketch.set(Sketch::default());
            self.runs.set(Vec::new());
            self.run.set(None);
            self.active.set(None);
            self.tables.set(Load::Idle);
            self.inspection.set(Load::Idle);
            self.hand.set(Load::Idle);
            self.draft.set(Draft::new());
            self.explorer.clear();
            self.ratings.clear();
            self.stats(StatsJob::Forget, &[]).await?;
            self.view.set(View::default());
            self.import.set(None);
            self.inner().import_files.take();
            self.report_notes.set(Vec::new());
            self.report_problems.set(crate::dataset::Problems::default());
            self.inner().sheet.take();
            self.inner().rated.take();
            self.notice.set(Some((
                Tone::Plain,
                Notice::new(
                    "Everything is forgotten",
                    "Questions, answers, runs, judgements and settings are deleted from this browser.",
                    "You can start anew.",
                ),
            )));
            Ok(())
        });
    }
}

/// Asks before texts go to a host that is not this machine.
fn agreed(judge: &JudgeSpec) -> bool {
    let JudgeSpec::Endpoint(endpoint) = judge else {
        return true;
    };
    http::is_loopback(&endpoint.base_url)
        || page::confirm(&format!(
            "Answers and checklist items go to {}. Your account there pays for the calls. Start?",
            endpoint.host()
        ))
}

fn is_by_hand(settings: &Settings) -> bool {
    matches!(settings.judge, JudgeSpec::ByHand { .. })
}

/// Whether the fields choose a judge that sends texts away.
pub fn sends(draft: &Draft) -> bool {
    draft.judge == JudgeKind::Endpoint && !http::is_loopback(draft.base_url.trim())
}

fn unusable_fields() -> Notice {
    Notice::new(
        "The run cannot start yet",
        "Some fields are not usable.",
        "Mend the fields marked “Needed”.",
    )
}

fn edge(error: &EdgeError) -> Notice {
    Notice::new(
        "Something went wrong in this page",
        error.to_string(),
        "Reload the page and try again.",
    )
}

/// The files that could be read.
struct Read {
    list: Vec<File>,
    names: Vec<String>,
    bytes: Vec<Uint8Array>,
}

/// A name that any file system takes.
fn file_name(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(60)
        .collect();
    let clean = clean.trim_matches(['.', '-']).to_owned();
    if clean.is_empty() { "system".to_owned() } else { clean }
}
