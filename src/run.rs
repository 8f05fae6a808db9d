//! A run: which questions and systems, what is asked, and what came of it.

pub mod frame;
pub mod sheet;

pub use frame::{AnswerState, DatasetStamp, Frame, FrameCase, FrameItem, FrameSystem, Texts};
pub use sheet::{JudgeStamp, Sheet};
