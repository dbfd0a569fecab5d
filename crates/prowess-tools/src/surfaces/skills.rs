//! The surface `skills`: one tool for each operation.

pub(super) mod describe;
pub(super) mod find;
pub(super) mod load;
pub(super) mod read;
pub(super) mod run;
