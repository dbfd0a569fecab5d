//! The tests of prowess-prompt.

mod active;
mod blocks;
mod budget;
mod catalog;
mod composer;
#[cfg(feature = "exact-tokens")]
mod exact;
mod fixture;
mod formats;
mod hostile;
mod hostile_formats;
mod messages;
mod overflow;
mod places;
mod policy;
mod reading;
mod role;
mod skills_ref;
mod stability;
