//! The surface `skills`: one tool for each operation.

pub(super) mod describe;
pub(super) mod list;
pub(super) mod load;
pub(super) mod read;
pub(super) mod run;
pub(super) mod search;
pub(super) mod unload;
