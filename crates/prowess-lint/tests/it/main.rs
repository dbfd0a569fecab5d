//! Whole packages and trees, as an author has them.

mod across;
mod cancelling;
mod fixing;
mod fixture;
mod forms;
mod package;
mod profiles;
mod reference;
