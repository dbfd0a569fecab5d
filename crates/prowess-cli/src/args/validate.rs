//! The arguments of `validate`.

use std::path::PathBuf;

use clap::Args;
use prowess::format::Profile;

/// The arguments of `validate`.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Directories, `SKILL.md` files, names of skills, or `-` for standard input
    ///
    /// A directory is a skill, or has skills. Standard input is the text of one `SKILL.md`.
    #[arg(required_unless_present = "schema", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Rules to check against: lenient, extended, spec, strict, skills-ref or claude-code
    ///
    /// Defaults to `registry.profile` of the configuration if it is set. Otherwise, skills below
    /// `.claude` are checked by claude-code, which has the fields of that client, those below
    /// `.github` and `.cursor` by extended, and others by spec. The other checker settings come
    /// from the configuration too: `registry.name_rule`, `registry.limits` and `discovery.bounds`.
    #[arg(long)]
    pub(crate) profile: Option<Profile>,
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
    /// Show the role (Coordinator, Generator, Verifier) that the length of each skill's name gives
    /// it, and which one is missing
    #[arg(long, hide_short_help = true)]
    pub(crate) roles: bool,
    /// Print the JSON Schema of the frontmatter, for editors, and check nothing
    #[arg(long, conflicts_with_all = ["paths", "fix", "roles"], hide_short_help = true)]
    pub(crate) schema: bool,
}
