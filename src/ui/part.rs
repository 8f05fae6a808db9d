//! Parts that pages share. Each draws one thing and knows no session.

pub mod blocks;
pub mod field;
pub mod files;
pub mod mark;
pub mod notice;
pub mod number;
pub mod plot;
pub mod problems;
pub mod rename;
pub mod window;
