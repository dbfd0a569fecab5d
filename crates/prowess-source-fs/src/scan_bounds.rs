//! The limits of a search.

use serde::{Deserialize, Serialize};

/// The maximum depth in a discovered directory. Skills are one or two levels below it.
pub(crate) const FOUND_DEPTH: usize = 6;

/// The maximum depth in a named tree, which may be a checkout of repositories: the deepest of
/// 10,281 real packages is at 9.
pub(crate) const NAMED_DEPTH: usize = 16;

/// The limits of a search. Exceeding one emits a `scan-truncated` warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScanBounds {
    /// The maximum depth of a package. By default 16 in a named tree, and 6 in a discovered
    /// directory.
    pub max_depth: Option<usize>,
    /// The maximum number of directories without a package, to which each package adds 16. By
    /// default 20,000. No key of a file: it protects the scan.
    #[serde(skip)]
    pub max_directories: usize,
    /// The maximum number of names. By default 500,000. No key of a file: it protects the scan.
    #[serde(skip)]
    pub max_entries: usize,
    /// The maximum number of skills. By default 200,000. No key of a file: it protects the scan.
    #[serde(skip)]
    pub max_skills: usize,
    /// The maximum duration of a scan, in seconds. By default 60. No key of a file: it protects the
    /// scan.
    #[serde(skip)]
    pub max_seconds: u64,
}

impl Default for ScanBounds {
    fn default() -> Self {
        Self {
            max_depth: None,
            max_directories: 20_000,
            max_entries: 500_000,
            max_skills: 200_000,
            max_seconds: 60,
        }
    }
}
