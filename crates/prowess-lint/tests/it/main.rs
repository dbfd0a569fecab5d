//! Whole packages and trees, as an author has them.

mod across;
mod cancelling;
mod codes;
mod drift;
mod failing;
mod fixing;
mod fixture;
mod forms;
mod package;
mod profiles;
mod reference;
mod third_level;
