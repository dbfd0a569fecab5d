//! The arguments of `trust`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `trust`.
#[derive(Debug, Default, Args)]
pub(crate) struct Trust {
    /// Directory to trust; defaults to the enclosing repository, else the working directory
    ///
    /// Trust covers everything below the directory except other repositories and `node_modules`. It
    /// is tied to that directory itself: if it is replaced by another one, trust ends.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Trust the directory even if it contains your home directory
    #[arg(long, conflicts_with_all = ["list", "revoke", "source", "signer", "skill"])]
    pub(crate) wide: bool,
    /// Trust the skills that are installed from this source, as `add` names it, or of the catalog
    /// at this URL
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["path", "list", "revoke"])]
    pub(crate) source: Option<String>,
    /// Trust skills and catalogs that this key has signed: a `.pub` file of minisign, or its last
    /// line
    #[arg(long, value_name = "KEY", conflicts_with_all = ["path", "list", "revoke", "source"])]
    pub(crate) signer: Option<String>,
    /// Offer a skill that an agent has written with these files: `ID@DIGEST`, as `list` shows it
    ///
    /// Its layer stays untrusted. Each change of its files hides it again.
    #[arg(
        long,
        value_name = "SKILL",
        conflicts_with_all = ["path", "list", "revoke", "source", "signer"]
    )]
    pub(crate) skill: Option<String>,
    /// List the trusted directories, sources, signers and reviewed skills
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Revoke the trust in a directory, which may no longer exist, a source, a signer or a skill
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<String>,
}
