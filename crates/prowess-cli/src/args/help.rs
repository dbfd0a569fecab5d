//! The help: which options a command shows, and the short help of the program.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _};

use super::Args;

/// The options that choose the skills.
const SKILLS: [&str; 4] = ["root", "plugin", "dynamic", "no_cache"];

/// The options that choose the policies.
const POLICIES: [&str; 4] = ["config", "set", "preset", "no_config"];

/// Commands that use the policies and no skills of the machine.
const WITHOUT_SKILLS: [&str; 5] = ["approvals", "config", "new", "tour", "validate"];

/// Commands that use neither.
const WITHOUT_POLICIES: [&str; 20] = [
    "add",
    "audit",
    "completions",
    "lock",
    "man",
    "outdated",
    "publish",
    "quarantine",
    "read-properties",
    "remove",
    "rollback",
    "schema",
    "stats",
    "sync",
    "to-prompt",
    "trust",
    "update",
    "verify",
    "version",
    "help",
];

/// The short help of the program: the commands by purpose, on one screen.
const SHORT: &str = "\
{about}

{usage-heading} {usage}

Start        tour, new, list, show, search, trust
Check        validate, doctor, explain, explain-call, config, probe, version
Give skills  prompt, serve, mcp, call, run, shell, approvals
Install      add, remove, sync, update, outdated, verify, rollback,
             quarantine, lock, publish
Look back    audit, stats
Extend       plugin, schema, read-properties, to-prompt, completions, man

Options:
      --root [LAYER=]DIR   Directory of skills, instead of those that are found
      --set KEY=VALUE      Value of the configuration
      --format json        One JSON document instead of text
  -q, --quiet              Results only, without warnings and remarks
  -h, --help               This overview; `--help` has all commands and options
  -V, --version            Version

`prowess COMMAND -h` describes a command.
";

/// Returns the command line as it is parsed and documented.
pub(crate) fn command() -> Command {
    let command = Args::command();
    let global: Vec<_> = command.get_arguments().cloned().collect();
    let hidden = |ids: &[&str]| -> Vec<_> {
        let of_group = global.iter().filter(|option| ids.contains(&option.get_id().as_str()));
        of_group.map(|option| option.clone().hide(true)).collect()
    };
    command.mut_subcommands(|command| {
        let unused = unused(command.get_name());
        command.args(unused.iter().flat_map(|group| hidden(group)))
    })
}

/// Parses the arguments of the program.
pub(crate) fn parse() -> Result<Args, clap::Error> {
    let is_short = std::env::args_os().any(|argument| argument == "-h");
    let mut command = if is_short { command().help_template(SHORT) } else { command() };
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    refuse_unused(&mut command, &matches)?;
    Args::from_arg_matches(&matches)
}

/// Refuses an option that the command does not use: it would have no effect.
fn refuse_unused(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, _)) = matches.subcommand() else { return Ok(()) };
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(id) = unused(name).iter().copied().flatten().copied().find(is_given) else {
        return Ok(());
    };
    let (purpose, users) = if SKILLS.contains(&id) {
        ("it is about the skills that are found", "`list`, `prompt` and `serve`")
    } else {
        ("it changes the configuration", "`list`, `validate`, `serve` and `config show`")
    };
    let option = id.replace('_', "-");
    let message =
        format!("`--{option}` has no effect on `{name}`: {purpose}, for commands such as {users}");
    Err(command.error(ErrorKind::ArgumentConflict, message))
}

/// Returns the groups of options that a command does not use. Its help leaves them out, and they
/// are refused.
fn unused(command: &str) -> &'static [&'static [&'static str]] {
    if WITHOUT_POLICIES.contains(&command) {
        &[&SKILLS, &POLICIES]
    } else if WITHOUT_SKILLS.contains(&command) {
        &[&SKILLS]
    } else {
        &[]
    }
}
