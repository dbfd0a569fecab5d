//! The tests of prowess-prompt.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts the allocations of the process.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

mod active;
mod allocations;
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
mod levels;
mod messages;
mod overflow;
mod places;
mod policy;
mod reading;
mod segments;
mod skills_prompt;
mod stability;
