//! Code that the benchmarks share: a generated corpus on disk, the floor, and CPU time.
//!
//! The **floor** is what the kernel charges for the same work: list the root, open each `SKILL.md`,
//! read 4 KiB, close; one thread, no parsing. An absolute time says more of the machine than of the
//! code, so results are ratios to the floor, taken in turn with it in one run.

pub mod children;
pub mod corpus;
pub mod floor;
pub mod measure;
pub mod parsing;
#[cfg(feature = "turns")]
pub mod plugin;
pub mod queries;
pub mod table;
#[cfg(feature = "turns")]
pub mod turn;

/// How many skills: what a person may have, and what an organisation may have.
pub const SIZES: [usize; 2] = [1_000, 10_000];

/// How many skills are found in a directory: at the largest size it shows whether the work grows
/// with their number alone.
pub const DISCOVERED: [usize; 3] = [1_000, 10_000, 50_000];
