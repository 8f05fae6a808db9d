//! A run: which questions and systems, what is asked, and what came of it.

pub mod batches;
pub mod driver;
pub mod file;
pub mod frame;
pub mod hosts;
pub mod matchups;
pub mod merge;
pub mod money;
pub mod pace;
pub mod plan;
pub mod record;
pub mod repeats;
pub mod sheet;
pub mod spend;

pub use driver::{Control, Effects, Phase, Progress, StorageError, Wish, drive};
pub use frame::{AnswerState, DatasetStamp, Frame, FrameCase, FrameItem, FrameSystem, Texts};
pub use matchups::{Matching, Matchups, PairPlan};
pub use money::{Money, PriceSource, Prices, Purse, Tokens};
pub use pace::Pace;
pub use plan::{Choice, Plan};
pub use record::{Preference, Record, Settings};
pub use repeats::{Repeated, RepeatedDuel, RepeatedItem, Repeats};
pub use sheet::{JudgeStamp, Sheet, SheetBattle};
