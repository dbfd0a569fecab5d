//! Repositories of git, by the program `git`.

mod error;
pub(crate) mod options;
mod packages;
pub(crate) mod page;
mod program;
mod reference;
pub(crate) mod remote;
pub(crate) mod source;
