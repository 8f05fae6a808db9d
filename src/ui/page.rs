//! One file a page.

pub mod about;
pub mod compare;
pub mod data;
pub mod inspect;
pub mod judge;
pub mod report;
pub mod results;
pub mod settings;
pub mod start;
pub mod systems;
