//! The options of a log.

use std::time::Duration;

/// The durability of stored entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A stored entry is on disk and survives a power failure. The default.
    #[default]
    Disk,
    /// A stored entry is written to the system and survives the end of the process.
    System,
}

/// The size and age of the files of a log, and when its entries count as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The durability of intents.
    pub durability: Durability,
    /// The size in bytes beyond which a file is replaced by a new one. By default 64 MiB.
    pub max_bytes: u64,
    /// The age beyond which a file is replaced by a new one, counted from when it was opened or
    /// created. By default there is none.
    pub max_age: Option<Duration>,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { durability: Durability::default(), max_bytes: 64 << 20, max_age: None }
    }
}
