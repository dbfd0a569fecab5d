//! The tests of prowess-prompt.

mod active;
mod budget;
mod catalog;
mod composer;
#[cfg(feature = "exact-tokens")]
mod exact;
mod fixture;
mod hostile;
mod overflow;
mod policy;
mod role;
mod skills_ref;
