//! The arguments of `new`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `new`.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The skill's name: `a` to `z`, `0` to `9` and single hyphens
    pub(crate) name: String,
    /// What the skill does and when to use it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Create it in your home, for all projects
    #[arg(long, conflicts_with = "directory")]
    pub(crate) user: bool,
    /// Directory in which the skill is created; defaults to `.agents/skills` of the project
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
