//! The files and programs of the host, as far as rules depend on them.

use std::fmt;

use serde::Serialize;

/// The files and programs of the host. Without them, rules compare paths and programs as they are
/// written.
pub trait HostFiles: fmt::Debug {
    /// Returns the absolute path without links of the file that a path leads to, also if the file
    /// does not exist yet; `None` if that is not certain. A relative path is relative to the
    /// working directory, and an empty one is that directory.
    fn resolve(&self, path: &str) -> Option<String>;

    /// Returns whether the first directory of an absolute path exists: `/x/` may be a regular
    /// expression.
    fn has_root(&self, path: &str) -> bool {
        path.starts_with('/')
    }

    /// Returns the paths of the program that a name or a path runs, through all links.
    fn program(&self, name: &str) -> Vec<String>;
}

/// A path of a call, and the file that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReference {
    /// The path as the call has it.
    pub path: String,
    /// The absolute path without links.
    pub file: String,
}
