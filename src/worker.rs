//! What the page and its three workers say to each other. Control as serde values; bulk as bytes beside.
//!
//! One binary is started three times: the data worker owns the benchmark and the answers, the run
//! worker the queue, the driver and the storage, the statistics worker the tables.

pub mod data;
pub mod parquet;
pub mod runs;
pub mod stats;
pub mod tabs;

use serde::{Deserialize, Serialize};

use crate::dataset::explore::{Filter, Named};
use crate::dataset::{JoinReport, Problems, Summary};
use crate::hub::Source;
use crate::ids::Digest;
use crate::judge::doctor::{Diagnosis, Surroundings};
use crate::judge::local::System;
use crate::judge::provider::ModelEntry;
use crate::judge::{Capabilities, Endpoint, ProviderId};
use crate::metrics::leaderboard::{Amounts, Rated};
use crate::metrics::power::PlanSketch;
use crate::metrics::{
    CoverageTable, Decider, Difference, Disagreement, Group, Headline, Leaderboard, RatingView,
    Seats, View,
};
use crate::observation::{Mark, Tally};
use crate::protocol::{Order, Reading};
use crate::rating::Winner;
use crate::report::exchange::Exchange;
use crate::report::{self, Block, Provenance};
use crate::rubric::{Citation, ItemType, Label};
use crate::run::money::Prices;
use crate::run::record::{Conflict, Extension, Limits, Origin, Settings};
use crate::run::{AnswerState, Choice, JudgeStamp, Phase, Plan, Progress, Wish};

/// Bumped with every change of the messages: worker file names carry no hash, so a page can meet a
/// worker from an older build.
pub const VERSION: u32 = 6;

/// Which part a worker plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    Data,
    Run,
    Stats,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Data, Self::Run, Self::Stats];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Run => "run",
            Self::Stats => "stats",
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// Something a person must know: what happened, why, what next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub what: String,
    pub why: String,
    pub next: String,
}

impl Notice {
    pub fn new(what: impl Into<String>, why: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into(), next: next.into() }
    }
}

// ------------------------------------------------------------------ data worker

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DataJob {
    /// Reads again what was kept from the last visit.
    Restore,
    /// Files, whose bytes lie beside in the same order. Each goes to the reader its content asks for;
    /// what no reader knows is told where it was brought.
    Ingest {
        names: Vec<String>,
        brought: Brought,
    },
    /// Replaces everything by the bundled sample, whose files lie beside.
    Sample {
        names: Vec<String>,
    },
    RenameSystem {
        system: usize,
        name: String,
    },
    RemoveSystem {
        system: usize,
    },
    RemoveDataset,
    /// Loads a split of a dataset from a Hub, or from what is kept of it.
    HubLoad(HubWish),
    /// Gives up the download that is going on.
    HubCancel,
    /// What is kept of Hubs.
    HubKept,
    /// Deletes what is kept of a dataset at one commit.
    HubDelete {
        base: String,
        repo: String,
        commit: String,
    },
    /// Which questions pass a filter. What is found stays in the worker, to be read in parts.
    Explore {
        filter: Filter,
    },
    /// Some of what was found last, from `start` on.
    Rows {
        view: u64,
        start: u64,
        len: u64,
    },
    /// One question in full, with what the filter looks for marked.
    Question {
        place: u64,
        text: String,
    },
    Plan {
        settings: Settings,
    },
    /// Answers with the postcard bytes of `(Frame, Texts)`.
    Frame {
        choice: Choice,
    },
    HandOut {
        choice: Choice,
        format: HandOut,
    },
    Forget,
}

/// What to load from a Hub, as a person typed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubWish {
    pub dataset: String,
    pub base: String,
    pub revision: String,
    pub split: String,
    /// Also where an older commit is kept.
    pub newest: bool,
}

/// How far a download is. Sent unasked by the data worker, ten times a second at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DownloadState {
    /// Bytes.
    pub done: u64,
    pub total: Option<u64>,
    /// Bytes a second.
    pub rate: Option<f64>,
    /// Seconds.
    pub left: Option<f64>,
    /// Why nothing comes at the moment.
    pub waiting: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DataEvent {
    Download(DownloadState),
}

/// Files of one dataset at one commit that are kept on this device.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeptDownload {
    pub base: String,
    pub repo: String,
    pub commit: String,
    pub files: Vec<String>,
    pub bytes: u64,
}

/// What a person brought files as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Brought {
    Dataset,
    Answers,
    /// Dropped somewhere.
    #[default]
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandOut {
    Jsonl,
    Csv,
    PromptPack,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DataReply {
    Workspace(Box<Workspace>),
    /// The workspace after reading files, and what became of each, in their order.
    Ingested {
        workspace: Box<Workspace>,
        taken: Vec<Taken>,
    },
    HubLoaded {
        workspace: Box<Workspace>,
        /// The Hub's newest commit, where an older one was loaded from this device.
        newer: Option<String>,
        /// What else there is to know, such as that the Hub was not reached.
        notes: Vec<String>,
    },
    HubFailed {
        notice: Notice,
        /// Where the dataset is there and the split is not: those that are.
        splits: Vec<String>,
    },
    Kept(Vec<KeptDownload>),
    Explored(Box<Explored>),
    Rows {
        /// The rows are of this one. Empty where another has taken its place.
        view: u64,
        rows: Vec<QueryRow>,
    },
    Question(Box<QuestionView>),
    Plan {
        plan: Plan,
        /// What to know beside its numbers.
        notes: Vec<Block>,
    },
    Text(String),
    /// The bytes lie beside.
    Bytes,
    Failed(Notice),
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Taken {
    Questions,
    Answers,
    /// Belongs to the Report page: labels made elsewhere.
    Judgements,
    /// Belongs to the Report page.
    RunFile,
    /// Nothing in it could be used. The problems say why.
    Nothing,
}

/// What is loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workspace {
    pub dataset: Option<DatasetView>,
    pub dataset_problems: Problems,
    pub systems: Vec<SystemView>,
    pub answer_problems: Problems,
    /// Whether what is loaded is the bundled sample.
    pub is_sample: bool,
    /// Why files could not be kept for the next visit.
    pub not_kept: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetView {
    pub name: String,
    pub files: Vec<String>,
    pub digest: Digest,
    pub summary: Summary,
    /// How often files were read: also where nothing else here tells that they were read again.
    pub reading: u64,
    /// Set where it came from a Hub.
    pub source: Option<Source>,
    /// What does not fit what the source says of itself.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemView {
    pub name: String,
    pub files: Vec<String>,
    /// `None` without a benchmark to join with.
    pub join: Option<JoinReport>,
    /// Entries in its files.
    pub entries: u64,
}

/// What a filter found. The places stay in the worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explored {
    /// To ask for rows of exactly this.
    pub view: u64,
    pub total: u64,
    pub items: u64,
    /// Counts of questions by what could be chosen next.
    pub domains: Vec<Named<String>>,
    pub subdomains: Vec<Named<String>>,
    pub fields: Vec<Named<String>>,
    pub kinds: Vec<Named<ItemType>>,
}

/// A text in pieces, each with whether it is what was looked for.
pub type Pieces = Vec<(String, bool)>;

/// One question in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryRow {
    /// In the benchmark.
    pub place: u64,
    pub domain: String,
    pub field: String,
    pub date: Option<String>,
    pub query: Pieces,
    pub items: u64,
    /// Items with what was looked for.
    pub hits: u64,
}

/// One question in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionView {
    pub place: u64,
    pub id: String,
    pub domain: String,
    pub subdomain: String,
    pub field: String,
    pub date: Option<String>,
    pub query: Pieces,
    pub items: Vec<ItemView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemView {
    pub text: Pieces,
    pub types: Vec<ItemType>,
    pub weight: f64,
    pub citation: Option<Citation>,
}

// ------------------------------------------------------------------- run worker

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RunJob {
    /// All runs in storage.
    List,
    /// Begins or extends the run that the settings name. The bytes of `(Frame, Texts)` lie beside.
    Start {
        settings: Settings,
    },
    /// Goes on with a stopped run from its stored texts.
    Continue {
        run: String,
        limits: Limits,
    },
    RetryFailed {
        run: String,
        limits: Limits,
    },
    /// What a person wants of a run that goes on, here or in another tab.
    Hand {
        run: String,
        wish: Wish,
    },
    SetConcurrency {
        run: String,
        concurrency: u32,
    },
    /// Goes on here with a run that another tab drives.
    TakeOver {
        run: String,
        limits: Limits,
    },
    /// Answers with the postcard bytes of a `Sheet`.
    Sheet {
        run: String,
        reading: Reading,
    },
    Inspect {
        run: String,
        case: usize,
    },
    /// The next item without a label, or the one asked for.
    HandTask {
        run: String,
        at: Option<u64>,
    },
    HandLabel {
        run: String,
        at: u64,
        key: Digest,
        label: Label,
    },
    /// The run file in parts, beside.
    Export {
        run: String,
        texts: bool,
    },
    /// The reference's coverage file of one system.
    Reference {
        run: String,
        system: usize,
        reading: Reading,
    },
    /// Run files, whose bytes lie beside.
    Reopen {
        names: Vec<String>,
    },
    Merge {
        runs: Vec<String>,
    },
    /// Coverage files, whose bytes lie beside; the first bytes are those of `(Frame, Texts)`.
    Import {
        names: Vec<String>,
        judge: String,
        prompt: String,
        date: String,
    },
    /// Judges answers of run `from` again, by the judge of the settings: those to a seeded sample of the
    /// queries that have a verdict there. Begins or extends a run of its own, answered as `Start` is.
    Bridge {
        from: String,
        settings: Settings,
        /// Queries.
        sample: u32,
    },
    Rename {
        run: String,
        name: String,
    },
    Delete {
        run: String,
    },
    /// Which models a host has. Sends the key, if it is that host's, and nothing else.
    Models {
        provider: ProviderId,
        capabilities: Option<Capabilities>,
        base_url: String,
    },
    /// Finds out with a cheap call whether an endpoint answers, and what it takes. Sends the key, if it is
    /// that host's.
    Doctor {
        endpoint: Box<Endpoint>,
        around: Box<Surroundings>,
        /// Tokens of the longest request that is planned, where that is known.
        longest: Option<u64>,
    },
    /// Deletes all runs, all replies and everything sealed.
    Forget,
    Batch(BatchJob),
    Table(TableJob),
    Keys(KeysJob),
}

/// What has to do with batches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BatchJob {
    /// Begins or extends the run that the settings name, and asks nothing. The bytes of `(Frame, Texts)` lie
    /// beside.
    Prepare { settings: Box<Settings> },
    /// What is left of a run, as files for the provider’s batches.
    Files { run: String },
    /// Results of batches, whose bytes lie beside. Each finds its run by itself.
    Results { names: Vec<String> },
    /// Submits what is left of a run in batches, within these limits.
    Submit { run: String, limits: Box<Limits> },
    /// Asks how far batches of a run are, and reads the results of those that have ended.
    Poll { run: String },
    /// Nothing more will come of the batches that are out, or may be, says who has looked.
    GiveUp { run: String },
    /// The batches of a run, as a table.
    List { run: String },
}

/// What stands beside tables, composed as it is to be set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TableJob {
    /// What it has cost, by protocol and system.
    Spent { run: String },
    /// Two runs of one benchmark, side by side.
    Compare { a: String, b: String, reading: Reading },
    /// Several judges over the same questions: runs with the same dataset, seed and choice, one a judge.
    Panel { runs: Vec<String>, reading: Reading },
    /// How far a run's judge agrees with itself.
    Repeats { run: String },
    /// What a plan takes and can show, learnt from a run where one is named. Without a sketch: of what the
    /// run did, or of a small plan.
    Power {
        run: Option<String>,
        sketch: Option<PlanSketch>,
        prices: Option<Prices>,
        max_tokens: Option<u32>,
    },
    /// What a host and its model can do, and what has to be allowed before a page can ask it.
    Provider {
        endpoint: Box<Endpoint>,
        around: Box<Surroundings>,
        /// What the browser runs on.
        system: System,
    },
}

/// Keys, and who got how many calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum KeysJob {
    /// Which host got how many calls.
    Hosts,
    /// Where to send a person who signs in at a host, to come back to `back`.
    SignIn { base_url: String, back: String },
    /// Trades the code that a person came back with for a key, which stays in the worker.
    SignedIn { base_url: String, code: String, verifier: String },
    /// What keys there are, and where.
    List,
    /// Drops the opened key. What is sealed stays.
    Lock,
    /// Deletes what is sealed for one host, and drops the key if it is that one's.
    DeleteSealed { origin: String },
    /// Drops the key and deletes everything sealed. What a tab keeps is the page's to delete.
    Forget,
    /// A text that is about to be saved, without keys and what looks like one.
    Clean { text: String },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RunReply {
    Runs(Vec<RunSummary>),
    Run(Box<RunSummary>),
    Inspect(Box<Inspection>),
    HandTask(Box<HandView>),
    /// To be set as they are.
    Blocks(Vec<Block>),
    /// What a plan takes and can show, and what sliders start from.
    Outlook {
        start: PlanSketch,
        blocks: Vec<Block>,
    },
    Models(Vec<ModelEntry>),
    Examined(Box<Examined>),
    Keys(Keys),
    /// Where to sign in, and the secret that is to be kept until then.
    SignIn {
        address: String,
        verifier: String,
    },
    /// A file, whose parts lie beside.
    File {
        /// That something was taken from it, where that is so.
        note: Option<String>,
    },
    Text {
        text: String,
        note: String,
    },
    Reopened {
        runs: Vec<RunSummary>,
        opened: Vec<String>,
        problems: Problems,
        notes: Vec<String>,
    },
    /// The bytes lie beside.
    Bytes,
    /// Files to hand out, whose bytes lie beside in the same order, and what to know of them.
    Files {
        files: Vec<WrittenFile>,
        notes: Vec<String>,
    },
    Done,
    Failed(Notice),
}

/// What an examination found, as it is to be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// Whether a run could start.
    pub works: bool,
    pub sentence: String,
    pub next: String,
    /// The host's words, the day of retirement, and what it took; each a sentence.
    pub beside: Vec<String>,
    /// What was left out or sent another way, in a clause each.
    pub changes: Vec<String>,
    /// To be set in the endpoint, which makes it another judge.
    pub learned: Option<Capabilities>,
    /// Models of the host with names like the one asked for.
    pub near: Vec<String>,
}

impl From<Diagnosis> for Examined {
    fn from(it: Diagnosis) -> Self {
        let words = (!it.words.is_empty()).then(|| format!("The host’s words: “{}”.", it.words));
        let retires =
            it.retires.map(|day| format!("The host’s list says that it is gone from {day}."));
        Self {
            works: it.finding.works(),
            sentence: it.sentence,
            next: it.next,
            beside: words.into_iter().chain(retires).chain([it.spent.words()]).collect(),
            changes: it.changes.into_iter().map(|it| it.what).collect(),
            learned: it.learned,
            near: it.near,
        }
    }
}

/// A file to hand out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    pub name: String,
    /// Requests in it.
    pub n: u64,
}

/// Which keys there are. None of them is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The host whose key is in memory, as an origin.
    pub open: Option<String>,
    /// Set where that key came from the vault or was put into it: seconds until it is dropped for want of
    /// use.
    pub locks_in: Option<u64>,
    /// Hosts whose keys are sealed on this device, as origins.
    pub sealed: Vec<String>,
    /// Whether this browser can seal and keep anything here.
    pub can_seal: bool,
}

/// What is done with the vault. Passphrase and key go beside, in no serde type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaultWish {
    /// Seals the key in memory.
    Seal,
    /// Opens what is sealed for a host.
    Open,
}

impl VaultWish {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Open => "open",
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        [Self::Seal, Self::Open].into_iter().find(|it| it.as_str() == text)
    }
}

/// Sent unasked, at most once a frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RunEvent {
    Progress {
        run: String,
        progress: Box<Progress>,
    },
    /// The run came to a stand; its summary is final for now.
    Ended {
        summary: Box<RunSummary>,
        notice: Option<Notice>,
    },
    /// Another tab changed what there is.
    Listed(Vec<RunSummary>),
    /// A key from the vault was dropped for want of use.
    Locked,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    pub id: String,
    pub name: String,
    pub created: f64,
    pub updated: f64,
    pub origin: Origin,
    pub settings: Settings,
    pub judge: JudgeStamp,
    pub dataset: String,
    pub dataset_digest: Digest,
    /// Repository, commit and split, where it came from a Hub.
    pub dataset_on_hub: Option<String>,
    pub n_cases: u64,
    pub systems: Vec<String>,
    pub progress: Progress,
    pub conflicts: Vec<Conflict>,
    /// When and how it grew, oldest first.
    pub extensions: Vec<Extension>,
    /// The run whose answers this one judges again, by a sample of its queries.
    pub bridge: Option<String>,
    /// Requests that are out in batches, or may be.
    pub batched: u64,
    /// Whether questions and answers are here to read, and to ask about.
    pub has_texts: bool,
    /// Whether the last write reached storage that outlives the page.
    pub stored: bool,
    /// Whether another tab drives it.
    pub elsewhere: bool,
}

impl RunSummary {
    pub fn phase(&self) -> Phase {
        self.progress.phase
    }

    pub fn tally(&self) -> &Tally {
        &self.progress.tally
    }
}

/// Everything about one question of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    pub case: usize,
    pub n_cases: usize,
    pub id: String,
    pub domain: String,
    pub field: String,
    pub query: Option<String>,
    pub date: Option<String>,
    pub items: Vec<InspectedItem>,
    pub systems: Vec<InspectedSystem>,
    pub battles: Vec<InspectedBattle>,
}

/// Two answers to one question, and what was said of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedBattle {
    pub first: String,
    pub second: String,
    /// Set where a missing answer decides.
    pub forfeit: Option<Winner>,
    /// One a seat order; empty where a missing answer decides.
    pub duels: Vec<InspectedDuel>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedDuel {
    pub key: Digest,
    pub order: Order,
    /// On the battle's systems, not on seats.
    pub verdict: Mark<Winner>,
    /// The prompt as sent, where texts are here and there is a prompt.
    pub prompt: Option<String>,
    pub exchanges: Vec<Exchange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedItem {
    pub text: Option<String>,
    pub types: Vec<ItemType>,
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedSystem {
    pub name: String,
    pub state: AnswerState,
    pub answer: Option<String>,
    /// One an item; empty without an answer.
    pub marks: Vec<Mark>,
    /// Where the evidence of each item stands in the answer, in Unicode scalar values.
    pub evidence: Vec<Option<(u32, u32)>>,
    pub batches: Vec<InspectedBatch>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InspectedBatch {
    pub key: Digest,
    /// Items `first..first + len`.
    pub first: u32,
    pub len: u32,
    /// The prompt as sent, where texts are here and there is a prompt.
    pub prompt: Option<String>,
    pub exchanges: Vec<Exchange>,
}

/// One item to be labelled by hand, blind to the system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandView {
    /// Place in the shuffled order of all items, from 0, and how many there are.
    pub at: u64,
    /// Of the item, should the order change meanwhile.
    pub key: Digest,
    pub of: u64,
    pub labelled: u64,
    /// Nothing is left to label, and no item was asked for: keys must not change the last one.
    pub finished: bool,
    pub query: String,
    pub item: String,
    /// Item of the answer's rubric, from 1, and how many it has.
    pub item_no: u32,
    pub n_items: u32,
    pub answer: String,
    /// The label given before, if any.
    pub label: Option<Label>,
}

// ------------------------------------------------------------ statistics worker

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum StatsJob {
    /// Keeps a sheet for the jobs that follow; its postcard bytes lie beside.
    Load,
    Tables {
        view: View,
    },
    Export {
        view: View,
        format: ExportFormat,
        provenance: Provenance,
    },
    /// Keeps battles for the jobs that follow, from files whose bytes lie beside.
    ReadBattles {
        names: Vec<String>,
    },
    /// The same from the sheet: decided as wished, or else by the best there is.
    RunBattles {
        decider: Option<Decider>,
    },
    /// The battles as a file.
    ExportBattles {
        format: BattlesFormat,
    },
    Leaderboard {
        view: RatingView,
    },
    /// Of all battles kept, field by field.
    FieldRatings,
    /// How each number is computed.
    About,
    /// Lets go of the sheet and the battles.
    Forget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    Csv,
    Markdown,
    Latex,
    Summary,
}

/// A format that other programs read battles in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BattlesFormat {
    Reference,
    Arena,
    Evalica,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum StatsReply {
    Loaded,
    Tables(Box<Tables>),
    Text(String),
    /// A file with battles, and a word on what is not in it.
    BattlesText {
        text: String,
        note: Option<String>,
    },
    /// The run has no battles.
    NoBattles,
    Battles(Box<BattlesView>),
    Leaderboard(Box<BoardView>),
    /// To be set as they are.
    Blocks(Vec<Block>),
    Failed(Notice),
}

/// A leaderboard as a page shows it: figures where it draws them, and all else composed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BoardView {
    Rated {
        rated: Box<Rated>,
        /// To unfold below the table: titles, and what stands under them.
        unfold: Vec<(String, Vec<Block>)>,
    },
    /// No rating exists: the heading over what is said instead, and that.
    Withheld {
        amounts: Amounts,
        title: String,
        blocks: Vec<Block>,
    },
    Nothing {
        amounts: Amounts,
        text: String,
    },
}

impl BoardView {
    pub fn of(board: Leaderboard) -> Self {
        match board {
            Leaderboard::Rated(rated) => {
                let mut unfold = vec![report::board::resamples(&rated)];
                if let Some(grid) = &rated.grid {
                    unfold.push(("Win–tie–loss grid".to_owned(), report::board::grid(grid)));
                }
                if let Some(found) = &rated.diagnostics {
                    let title = "Diagnostics: online Elo, a model of ties".to_owned();
                    unfold.push((title, report::board::diagnostics(found)));
                }
                Self::Rated { rated: Box::new(rated), unfold }
            }
            Leaderboard::Withheld(it) => Self::Withheld {
                title: report::rating::gate_title(&it),
                blocks: report::board::gate(&it),
                amounts: it.amounts,
            },
            Leaderboard::Nothing(it) => Self::Nothing {
                text: format!(
                    "{} {}.",
                    report::rating::nothing(it.why),
                    report::rating::amounts(&it.amounts)
                ),
                amounts: it.amounts,
            },
        }
    }

    /// What it was made from.
    pub fn amounts(&self) -> &Amounts {
        match self {
            Self::Rated { rated, .. } => &rated.amounts,
            Self::Withheld { amounts, .. } | Self::Nothing { amounts, .. } => amounts,
        }
    }
}

/// Sent unasked by the statistics worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatsEvent {
    /// So many resamples of so many are rated.
    Resampled { done: u64, of: u64 },
}

/// Battles that are kept, as far as a page must know them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BattlesView {
    /// Names, by number.
    pub systems: Vec<String>,
    /// Names of those that are known.
    pub domains: Vec<String>,
    /// Decided.
    pub battles: u64,
    pub undecided: u64,
    /// Of the files they were read from.
    pub problems: Problems,
    /// How results were made of what files say. Full sentences.
    pub notes: Vec<String>,
    /// Set where they are a run's.
    pub run: Option<RunBattles>,
}

/// What is known of a run's battles beside their results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBattles {
    /// What could decide them, with its words, the best first.
    pub deciders: Vec<(Decider, String)>,
    pub decider: Decider,
    /// How answers were compared; `None` where they were not.
    pub duel: Option<String>,
    pub seats: Seats,
    pub disagreement: Option<Disagreement>,
    pub practice: bool,
    pub complete: bool,
}

/// All that the results page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    pub coverage: CoverageTable,
    pub by_domain: Vec<Group>,
    pub by_field: Vec<Group>,
    /// By type of item, to be set as it is.
    pub types: Vec<Block>,
    pub baseline: Option<usize>,
    pub differences: Vec<Difference>,
    pub headline: Headline,
    /// Names to choose from, in the order of the data.
    pub domains: Vec<String>,
    /// With their domain.
    pub fields: Vec<(String, String)>,
    pub systems: Vec<String>,
    pub tally: Tally,
}
