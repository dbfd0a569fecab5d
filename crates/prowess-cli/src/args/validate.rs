//! The arguments of `validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prowess::format::Profile;

/// The arguments of `validate`.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Skill directories, `SKILL.md` files, or directories of skills
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Rules to check against: lenient, extended, spec, strict or skills-ref
    #[arg(long, default_value_t = Profile::Spec)]
    pub(crate) profile: Profile,
    /// Show hints too; for a single skill they are always shown
    #[arg(long)]
    pub(crate) hints: bool,
    /// Show every finding, not only the first ones
    #[arg(long)]
    pub(crate) all: bool,
    /// Fix findings that have exactly one right answer, and show each change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show what `--fix` would change without changing it
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    /// Show the roles that boxxy derives from the skills' names, and which one is missing
    #[arg(long)]
    pub(crate) roles: bool,
    /// Print findings for another program; overrides `--format`
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) report: Option<Report>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a pull request in a GitHub workflow
    Github,
}
