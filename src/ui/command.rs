//! Everything a person can ask for. Carried out by the session, in one place.

use crate::ids::Digest;
use crate::judge::Capabilities;
use crate::judge::keyring::Keeping;
use crate::metrics::{Decider, PlanSketch};
use crate::protocol::Reading;
use crate::rubric::Label;
use crate::run::Wish;
use crate::ui::session::{Aside, BatchStep};
use crate::worker::{BattlesFormat, ExportFormat, HandOut, KeptDownload, VaultWish};

pub enum Command {
    TrySample,
    /// From an input or a drop, whatever they hold.
    OpenFiles(Vec<web_sys::File>),
    /// Files of battles, to be rated without a judge.
    OpenBattles(Vec<web_sys::File>),
    /// Back to the battles of the run.
    LeaveBattleFiles,
    DecideBy(Decider),
    ExportBattles(BattlesFormat),
    /// Gives up the rating that is being computed.
    StopRating,
    /// Run files by name.
    Reopen(Vec<web_sys::File>),
    /// Judgement files that wait for their judge to be named.
    Import {
        judge: String,
        prompt: String,
        date: String,
    },
    DropImport,
    RemoveDataset,
    RenameSystem {
        system: usize,
        name: String,
    },
    RemoveSystem(usize),
    /// Shows a question of the list in full; `None` closes it.
    OpenQuestion(Option<u64>),
    /// Takes the sample that is looked at for the next run.
    JudgeSample,
    /// Loads the split that the fields name.
    LoadFromHub {
        /// Also where an older commit is kept.
        newest: bool,
    },
    CancelDownload,
    ListDownloads,
    DeleteDownload(KeptDownload),
    /// Takes the token out of its field, for the Hub in the fields.
    SetToken(String),
    ForgetToken,
    HandOut(HandOut),
    /// Takes the key out of its field, for the base URL in the draft.
    SetKey(String),
    ForgetKey,
    /// How the next key is to be kept.
    KeepKeys(Keeping),
    /// Seals the key of the host in the fields, or opens what is sealed for it.
    Vault {
        wish: VaultWish,
        passphrase: String,
    },
    /// Deletes what is sealed for an origin.
    DeleteSealed(String),
    /// Every key, and everything sealed.
    ForgetKeys,
    /// Leaves for the host in the fields, to come back with a key.
    SignIn,
    /// Finds out with a cheap call whether the endpoint in the fields answers.
    Examine,
    /// Sets what an examination learned of the host in the fields.
    TakeLearned(Capabilities),
    /// Asks the host in the draft which models it has.
    ListModels,
    /// Something with batches of the run that the fields name.
    Batch(BatchStep),
    /// Files of results.
    BatchResults(Vec<web_sys::File>),
    /// Takes the judge of the fields into the panel.
    JoinPanel,
    /// Judges the plan by each of the panel, one after the other.
    StartPanel,
    /// Checks fields, and asks before anything leaves this machine.
    Start,
    /// What is wanted of a run that goes on, here or in another tab.
    Hand {
        run: String,
        wish: Wish,
    },
    /// Goes on here with a run that another tab drives.
    TakeOver(String),
    RetryFailed,
    SetConcurrency {
        run: String,
        concurrency: u32,
    },
    ChooseRun(String),
    RenameRun {
        run: String,
        name: String,
    },
    DeleteRun(String),
    Merge(Vec<String>),
    /// The item to label, or the next without a label.
    HandTask(Option<u64>),
    HandLabel {
        at: u64,
        key: Digest,
        label: Label,
    },
    /// Texts and tables that a worker composes.
    Ask(Aside),
    /// What a plan takes and can show; with none, of the chosen run.
    Sketch(Option<PlanSketch>),
    /// Judges a sample of a run again, by the judge of the fields.
    Bridge {
        from: String,
        /// Queries.
        sample: u32,
    },
    /// Lets the person pick a file, and writes the run to it again and again.
    KeepCopy(String),
    LeaveCopy,
    ExportRun {
        texts: bool,
    },
    ExportReference {
        system: usize,
    },
    ExportTable(ExportFormat),
    SetReading(Reading),
    SetTheme(Option<&'static str>),
    Persist,
    ForgetEverything,
    CloseNotice,
}
