//! The tests of prowess-prompt.

mod active;
mod budget;
mod catalog;
mod fixture;
mod hostile;
mod policy;
mod reference;
