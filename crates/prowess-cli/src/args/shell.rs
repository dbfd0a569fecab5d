//! The arguments of `shell`.

use clap::Args;

/// The arguments of `shell`.
#[derive(Debug, Args)]
pub(crate) struct Shell {
    /// Skills to load first, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    pub(crate) load: Vec<String>,
    /// Run this command instead of those on standard input
    #[arg(short, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}
