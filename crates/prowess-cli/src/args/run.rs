//! The arguments of `run`.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use prowess::script::HostPattern;
use prowess_text::shell_word;

/// The arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Id of the skill
    #[arg(required_unless_present = "shell")]
    pub(crate) id: Option<String>,
    /// Path of the script in the skill, such as `scripts/fill.py`; without it, the scripts are listed
    pub(crate) script: Option<String>,
    /// Arguments of the script
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// File or directory that the script may read too; repeatable
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<PathBuf>,
    /// Directory that the script may change, but for what is hidden in it; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Vec<PathBuf>,
    /// Print what the script may do, and why, without running it
    #[arg(long)]
    pub(crate) explain: bool,
    /// Host that the script may reach: `api.example.com`, `*.example.com:8443`; repeatable
    #[arg(long, value_name = "HOST", hide = !cfg!(feature = "proxy"))]
    pub(crate) host: Vec<HostPattern>,
    /// The same, also where the host has an address of a private network; repeatable
    #[arg(
        long,
        value_name = "HOST",
        hide_short_help = true,
        hide = !cfg!(feature = "proxy")
    )]
    pub(crate) private_host: Vec<HostPattern>,
    /// Let the script reach every public host
    #[arg(long, hide_short_help = true, hide = !cfg!(feature = "proxy"))]
    pub(crate) network: bool,
    /// Seconds after which the script is ended, at most 600
    #[arg(
        long,
        value_name = "N",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    pub(crate) seconds: u64,
    /// Run commands over files in memory, with the skills in them, instead of a script
    #[arg(
        long,
        conflicts_with_all = ["id", "explain", "read", "write", "host", "network"],
        hide = !cfg!(feature = "virtual-shell")
    )]
    pub(crate) shell: bool,
    /// Command for `--shell`, instead of those on standard input
    #[arg(
        short,
        value_name = "COMMAND",
        requires = "shell",
        hide_short_help = true,
        hide = !cfg!(feature = "virtual-shell")
    )]
    pub(crate) command: Option<String>,
    /// Skills to load first for `--shell`, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ID",
        requires = "shell",
        hide_short_help = true,
        hide = !cfg!(feature = "virtual-shell")
    )]
    pub(crate) load: Vec<String>,
}

/// Adds to the error about an argument that is none of `run` where the arguments of a script go.
pub(super) fn with_separator(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let words: Vec<_> = arguments.iter().map(|it| it.to_string_lossy()).collect();
    let is_run = words.iter().any(|word| word == "run");
    let Some(ContextValue::String(wrong)) =
        error.get(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)
    else {
        return error;
    };
    let Some(at) = words.iter().rposition(|word| word.starts_with(wrong.as_str())) else {
        return error;
    };
    if is_run && !words.iter().any(|word| word == "--") {
        let shown = |words: &[Cow<'_, str>]| {
            words.iter().map(|word| shell_word(&**word).into_owned()).collect::<Vec<_>>().join(" ")
        };
        let (before, behind) = (shown(&words[1..at]), shown(&words[at..]));
        let tip = format!("arguments of the script go behind `--`: prowess {before} -- {behind}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        let meant = error.get(ContextKind::SuggestedArg).map(ToString::to_string);
        if !meant.is_some_and(|meant| meant.starts_with(&*words[at])) {
            error.remove(ContextKind::SuggestedArg);
        }
    }
    error
}

impl Run {
    /// Returns the id of the skill; empty with `--shell`.
    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// Returns the path of the script; empty with `--shell`.
    pub(crate) fn script(&self) -> &str {
        self.script.as_deref().unwrap_or_default()
    }
}
