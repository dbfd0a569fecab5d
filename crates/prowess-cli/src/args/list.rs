//! The arguments of `list`.

use clap::{Args, ValueEnum};

/// The arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Show only skills with this text in the id or the description
    pub(crate) text: Option<String>,
    /// Show only the skills of this layer
    #[arg(long, value_name = "NAME")]
    pub(crate) layer: Option<String>,
    /// Show only skills that are not offered, and why
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Order of the skills; `directory` groups them by where they are
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = SkillOrder::Name)]
    pub(crate) sort: SkillOrder,
}

/// The order of a list of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillOrder {
    /// By id
    Name,
    /// By layer and directory, highest precedence first
    Directory,
    /// By the estimated tokens in each prompt, most first
    Tokens,
}
