//! The arguments of `trust`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `trust`.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Directory to trust; defaults to the enclosing repository, else the working directory
    ///
    /// Trust covers everything below the directory except other repositories and `node_modules`. It
    /// is tied to that directory itself: if it is replaced by another one, trust ends.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// List the trusted directories
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Revoke the trust in a directory, which may no longer exist
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<PathBuf>,
}
