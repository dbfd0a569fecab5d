//! The help: which options and formats a command shows, and the short help of the program.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{
    Arg, ArgMatches, Args as _, Command, CommandFactory as _, FromArgMatches as _, ValueEnum as _,
};

use prowess::tools::closest;

use super::run::with_separator;
use super::{
    Args, Format, Global, List, PolicyOptions, PromptArgs, Run, Search, Serve, SkillOptions,
    renamed,
};
use crate::interrupt::command as named_command;

/// The command with formats of its own.
const VALIDATE: &str = "validate";

/// The minimum similarity of a suggested command, in hundredths.
pub(crate) const LEAST_SIMILARITY: u8 = 60;

/// Commands that use the policies and no skills of the machine.
const WITHOUT_SKILLS: [&str; 6] = ["approvals", "audit", "config", "new", "tour", VALIDATE];

/// Commands that use neither.
const WITHOUT_POLICIES: &str = "add completions help man publish read-properties remove \
    sync to-prompt trust update verify version";

/// The commands by purpose: the order of both helps of the program.
const GROUPS: [(&str, &str); 6] = [
    ("Start", "tour new list show search trust"),
    ("Check", "validate doctor explain config"),
    ("Use", "prompt serve mcp call run"),
    ("Decide", "approvals proposals history"),
    ("Install", "add remove sync update"),
    ("More", "audit plugin"),
];

/// The options in the short help of the program, which is one screen.
const SHORT_OPTIONS: &str = include_str!("short_options.txt");

/// The end of the help of each command.
const SHARED: &str = "`prowess help options` describes the options of all commands.";

/// Returns the command line as it is documented.
pub(crate) fn command() -> Command {
    command_with(|_| true)
}

/// Returns the command line in which these commands are as they are documented: the others are
/// neither parsed nor shown, and each of them takes as long as reading a skill.
fn command_with(is_meant: impl Fn(&str) -> bool) -> Command {
    let mut command = Args::command();
    let global: Vec<_> = command.get_arguments().cloned().collect();
    let names = command.get_subcommands().map(Command::get_name);
    let names: Vec<_> = names.filter(|name| is_meant(name)).map(ToOwned::to_owned).collect();
    for name in names {
        let unused = unused(&name);
        let options = global.iter().map(|option| option_of(option.clone(), &name, &unused));
        command = command.mut_subcommand(&name, |it| pointing_to_shared(it.args(options)));
    }
    command
}

/// Adds where the options of all commands are described to the help of a command.
fn pointing_to_shared(command: Command) -> Command {
    command.after_help(SHARED).mut_subcommands(pointing_to_shared)
}

/// Returns an option of every command as a command shows it: one page describes it for all of them.
fn option_of(option: Arg, command: &str, unused: &[String]) -> Arg {
    let id = option.get_id().as_str();
    let is_unused = unused.iter().any(|other| other == id);
    if id == "format" && command == VALIDATE {
        return option.value_parser(all_formats());
    }
    option.hide(is_unused).hide_short_help(true).hide_long_help(true)
}

/// Returns the help of the options of all commands.
pub(crate) fn shared_options() -> String {
    let options = Args::command().get_arguments().cloned().collect::<Vec<_>>();
    let command = Command::new("").max_term_width(80).disable_help_flag(true).args(options);
    command.help_template("{all-args}\n").render_long_help().to_string()
}

/// Returns the help of the program: its commands by purpose, on one screen or with a line for each.
fn program_help(command: &Command, is_short: bool) -> String {
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n\n");
    for (purpose, names) in GROUPS {
        if is_short {
            let _ = writeln!(text, "{purpose:9} {}", names.replace(' ', ", "));
            continue;
        }
        let _ = writeln!(text, "{purpose}:");
        for name in names.split(' ') {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:10} {about}");
        }
        text.push('\n');
    }
    if is_short {
        return text + "\n" + SHORT_OPTIONS;
    }
    // One line each: the pages have the rest.
    let options = command.get_arguments().cloned().collect::<Vec<_>>();
    let options = options.into_iter().map(|option| option.hide_short_help(false));
    let options = Command::new("").disable_help_flag(true).args(options);
    let options = options.help_template("{all-args}").render_help().to_string();
    text + options.trim_end()
        + "\n\n`prowess -h` is this on one screen, `prowess COMMAND -h` describes a command,\n\
           `prowess help options` says more about the options, and `prowess help` lists\n\
           topics. `prowess man` has examples; `prowess completions` is for your shell.\n"
}

/// Returns the parser that shows the formats of `validate` too. The other commands parse them, so
/// that the error can name `validate`, and neither show nor complete them.
fn all_formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::value_variants().iter().filter_map(Format::to_possible_value);
    PossibleValuesParser::new(values.map(|value| value.hide(false)))
        .try_map(|name| Format::from_str(&name, false))
}

/// Adds the arguments of a command to it.
type Augment = fn(Command) -> Command;

/// The commands that clients and scripts start.
const ALONE: [(&str, Augment); 6] = [
    ("doctor", |command| command),
    ("list", List::augment_args),
    ("prompt", PromptArgs::augment_args),
    ("run", Run::augment_args),
    ("search", Search::augment_args),
    ("serve", Serve::augment_args),
];

/// Parses a command line of one of these commands by its own arguments: those of all others take
/// longer than the rest of a start. A line that is wrong or asks for help is parsed as a whole.
fn parsed_alone(arguments: &[OsString]) -> Option<ArgMatches> {
    let named = named_command(arguments.iter().skip(1).cloned())?;
    let (name, augment) = ALONE.into_iter().find(|(name, _)| named == **name)?;
    let command = Global::augment_args(Command::new("prowess"));
    let mut command = command.subcommand(augment(Command::new(name)));
    let matches = command.try_get_matches_from_mut(arguments).ok();
    std::mem::forget(command);
    matches
}

/// Parses the arguments of the program.
pub(crate) fn parse() -> Result<Args, clap::Error> {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(matches) = parsed_alone(&arguments) {
        return Args::from_arg_matches(&matches);
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let mut command = command_with(has);
    let is_group_with_h = |word: &str| {
        word.starts_with('-') && word[1..].starts_with(char::is_alphabetic) && word.contains('h')
    };
    let is_short = arguments.iter().filter_map(|argument| argument.to_str()).any(is_group_with_h);
    if is_short || has("--help") {
        let help = program_help(&command, is_short);
        command = command.help_template(help);
    }
    let matches = match command.try_get_matches_from_mut(&arguments) {
        Err(error) => with_new_names(error, &arguments, &mut command)?,
        Ok(matches) => matches,
    };
    refuse_unused(&mut command, &matches)?;
    // The process ends with it, and its drop would take a tenth of a short one.
    std::mem::forget(command);
    Args::from_arg_matches(&matches)
}

/// Parses a command line with an old name again, as it is written today, or names the command that
/// was meant: one that other tools name so, or else the most similar one beside it.
fn with_new_names(
    mut error: clap::Error,
    arguments: &[OsString],
    command: &mut Command,
) -> Result<ArgMatches, clap::Error> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return Err(with_separator(with_near_option(error), arguments));
    };
    let name = name.clone();
    let Some(renamed) = renamed::rewrite(&name, arguments) else {
        // The parser's own suggestions are names that merely begin alike.
        error.remove(ContextKind::SuggestedSubcommand);
        match meant(&name, arguments, command) {
            Some((level, Meant::Alias(ours))) => {
                let level = if level.is_empty() { level } else { format!("{level} ") };
                let tip = format!("here that is 'prowess {level}{ours}'").into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
            Some((_, Meant::Similar(near))) => {
                let near = ContextValue::Strings(vec![near]);
                error.insert(ContextKind::SuggestedSubcommand, near);
            }
            None => {}
        }
        return Err(error);
    };
    let is_quiet = renamed.arguments.iter().any(|option| option == "-q" || option == "--quiet");
    if !is_quiet {
        // A terminal that is gone is no reason to fail.
        _ = writeln!(io::stderr(), "note: `{}` is now `{}`", renamed.old, renamed.new);
    }
    let new = |name: &str| renamed.arguments.iter().any(|argument| argument == name);
    *command = command_with(new);
    command.try_get_matches_from_mut(&renamed.arguments)
}

/// Returns the error without a suggested option that is not near to the written one.
fn with_near_option(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.split(['=', ' ']).next(),
        _ => None,
    };
    let written = text(ContextKind::InvalidArg).unwrap_or_default().trim_start_matches('-');
    let near = text(ContextKind::SuggestedArg).unwrap_or_default().trim_start_matches('-');
    if !near.is_empty() && closest(written, [near], LEAST_SIMILARITY).is_none() {
        error.remove(ContextKind::SuggestedArg);
        // It is that of the suggestion.
        error.remove(ContextKind::Usage);
    }
    error
}

/// The command that an unknown one stands for.
enum Meant {
    /// One that other tools name so.
    Alias(&'static str),
    /// One that is written nearly so.
    Similar(String),
}

/// Returns the command that an unknown one in a command line stands for, and the one that it
/// belongs to.
fn meant(name: &str, arguments: &[OsString], command: &Command) -> Option<(String, Meant)> {
    let words = arguments.iter().skip(1).take_while(|word| *word != name);
    let parent = words.fold(command, |parent, word| {
        word.to_str().and_then(|word| parent.find_subcommand(word)).unwrap_or(parent)
    });
    let names = parent.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name);
    let level = if std::ptr::eq(parent, command) { "" } else { parent.get_name() };
    let similar = || closest(name, names, LEAST_SIMILARITY).map(|it| Meant::Similar(it.to_owned()));
    let meant = renamed::of_other_tools(level, name).map(Meant::Alias).or_else(similar);
    Some((level.to_owned(), meant?))
}

/// Refuses an option that the command does not use: it would have no effect.
fn refuse_unused(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, _)) = matches.subcommand() else { return Ok(()) };
    let is_given = |id: &String| matches.value_source(id) == Some(ValueSource::CommandLine);
    // Scripts give these to every command: one that uses no file does without it anyway.
    let is_refused = |id: &String| !["no_cache", "no_config"].contains(&id.as_str());
    let mut unused = unused(name).into_iter().filter(is_refused);
    let Some(id) = unused.find(is_given) else { return Ok(()) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_alone_has_the_arguments_of_the_whole() {
        let whole = Args::command();
        let arguments = |it: &Command| format!("{:?}", it.get_arguments().collect::<Vec<_>>());
        for (name, augment) in ALONE {
            let of_whole = whole.find_subcommand(name).map(arguments);
            assert_eq!(of_whole, Some(arguments(&augment(Command::new(name)))), "{name}");
            assert!(unused(name).is_empty(), "an option without effect on `{name}` is refused");
        }
    }
}
