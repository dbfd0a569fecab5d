//! The options of a log.

use std::time::Duration;

/// When an entry counts as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When it is on disk: it survives a power failure. The default.
    #[default]
    Disk,
    /// When the system has it: it survives the end of the process.
    System,
}

/// The size and age of the files of a log, and when its entries count as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// When an intent counts as stored.
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
