//! The help: which options and formats a command shows, and the short help of the program.

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _, ValueEnum as _};

use super::{Args, Format, PolicyOptions, SkillOptions, renamed};

/// The command with formats of its own.
const VALIDATE: &str = "validate";

/// Commands that use the policies and no skills of the machine.
const WITHOUT_SKILLS: [&str; 5] = ["approvals", "config", "new", "tour", VALIDATE];

/// Commands that use neither.
const WITHOUT_POLICIES: &str = "add audit completions help man publish read-properties remove \
    sync to-prompt trust update verify version";

/// The short help of the program: the commands by purpose, on one screen.
const SHORT: &str = "\
{about}

{usage-heading} {usage}

Start        tour, new, list, show, search, trust
Check        validate, doctor, explain, config
Give skills  prompt, serve, mcp, call, run, approvals
Install      add, remove, sync, update, verify, publish
More         audit, plugin

Options:
      --root [LAYER=]DIR   Directory of skills, instead of those that are found
      --set KEY=VALUE      Value of the configuration
      --format json        One JSON document instead of text
  -q, --quiet              Results only, without warnings and remarks
  -h, --help               This overview; `--help` has all commands and options
  -V, --version            Version

`prowess COMMAND -h` describes a command, `prowess help` lists topics.
";

/// Returns the command line as it is parsed and documented.
pub(crate) fn command() -> Command {
    let command = Args::command();
    let global: Vec<_> = command.get_arguments().cloned().collect();
    command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let unused = unused(&name);
        command.args(global.iter().map(|option| option_of(option.clone(), &name, &unused)))
    })
}

/// Returns an option of every command as a command shows it.
fn option_of(option: Arg, command: &str, unused: &[String]) -> Arg {
    let id = option.get_id().as_str();
    let is_unused = unused.iter().any(|other| other == id);
    if id == "format" && command == VALIDATE {
        return option.value_parser(all_formats());
    }
    option.hide(is_unused)
}

/// Returns the parser that shows the formats of `validate` too. The other commands parse them, so
/// that the error can name `validate`, and neither show nor complete them.
fn all_formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::value_variants().iter().filter_map(Format::to_possible_value);
    PossibleValuesParser::new(values.map(|value| value.hide(false)))
        .try_map(|name| Format::from_str(&name, false))
}

/// Parses the arguments of the program.
pub(crate) fn parse() -> Result<Args, clap::Error> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let is_short = arguments.iter().any(|argument| argument == "-h");
    let mut command = if is_short { command().help_template(SHORT) } else { command() };
    let matches = match command.try_get_matches_from_mut(&arguments) {
        Err(error) => with_new_names(error, arguments, &mut command)?,
        Ok(matches) => matches,
    };
    refuse_unused(&mut command, &matches)?;
    Args::from_arg_matches(&matches)
}

/// Parses a command line with an old name again, as it is written today.
fn with_new_names(
    error: clap::Error,
    arguments: Vec<OsString>,
    command: &mut Command,
) -> Result<ArgMatches, clap::Error> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return Err(error);
    };
    let Some(renamed) = renamed::rewrite(name, arguments) else { return Err(error) };
    let is_quiet = renamed.arguments.iter().any(|option| option == "-q" || option == "--quiet");
    if !is_quiet {
        eprintln!("note: `{}` is now `{}`", renamed.old, renamed.new);
    }
    command.try_get_matches_from_mut(&renamed.arguments)
}

/// Refuses an option that the command does not use: it would have no effect.
fn refuse_unused(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, _)) = matches.subcommand() else { return Ok(()) };
    let is_given = |id: &String| matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(id) = unused(name).into_iter().find(is_given) else { return Ok(()) };
    let (purpose, users) = if ids::<SkillOptions>().contains(&id) {
        ("it is about the skills that are found", "`list`, `prompt` and `serve`")
    } else {
        ("it changes the configuration", "`list`, `validate`, `serve` and `config show`")
    };
    let option = id.replace('_', "-");
    let message =
        format!("`--{option}` has no effect on `{name}`: {purpose}, for commands such as {users}");
    Err(command.error(ErrorKind::ArgumentConflict, message))
}

/// Returns the options that a command does not use. Its help leaves them out, and they are refused.
fn unused(command: &str) -> Vec<String> {
    if WITHOUT_POLICIES.split(' ').any(|other| other == command) {
        [ids::<SkillOptions>(), ids::<PolicyOptions>()].concat()
    } else if WITHOUT_SKILLS.contains(&command) {
        ids::<SkillOptions>()
    } else {
        Vec::new()
    }
}

/// Returns the ids of a group of options.
fn ids<Options: clap::Args>() -> Vec<String> {
    let group = Options::augment_args(Command::new(""));
    group.get_arguments().map(|option| option.get_id().to_string()).collect()
}
