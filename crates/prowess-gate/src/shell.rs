//! Shell commands, as far as they are lists of literal words.
//!
//! A command passes two readers. [`filter`] goes through its characters once, without recursion,
//! and refuses everything that is not literal text, quotes, blanks or one of `|`, `||`, `&&`, `;`
//! and line feeds. What it accepts cannot nest, so the parser behind it needs no depth; and it
//! counts the words, which the parser then has to find as well. Commands whose words are plain or
//! in quotes as a whole need neither ([`plain`]).

mod builtins;
mod filter;
#[cfg(feature = "shell")]
mod parse;
#[cfg(not(feature = "shell"))]
#[path = "shell/no_parse.rs"]
mod parse;
#[cfg(feature = "shell")]
mod plain;
mod unreadable;

pub use unreadable::{Unreadable, UnreadableKind};

/// The longest command that is read, in bytes (16 KiB).
pub const MAX_COMMAND_BYTES: usize = 16 * 1024;

/// The most simple commands that a command may have.
pub const MAX_SIMPLE_COMMANDS: usize = 128;

/// A simple command: a program or builtin and its arguments, all of them literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The words without their quotes, exactly as the program receives them. There is at least one.
    pub words: Vec<String>,
}

/// Returns the simple commands of a shell command, in the order in which they are written.
///
/// The words are those that a non-interactive `bash` or POSIX `sh` passes on: nothing in them is
/// expanded. Pipes, `&&`, `||`, `;`, line feeds and comments may stand between and after simple
/// commands. Everything else is unreadable: redirections, substitutions, expansions (also of `~`,
/// braces and file name patterns, which change the words), assignments, here-documents, functions,
/// `&`, compound commands, control and invisible characters, and more than
/// [`MAX_COMMAND_BYTES`] or [`MAX_SIMPLE_COMMANDS`].
///
/// ```
/// use prowess_gate::shell_commands;
///
/// let commands = shell_commands("git commit -m 'a; b' && git push")?;
/// assert_eq!(commands[0].words, ["git", "commit", "-m", "a; b"]);
/// assert_eq!(commands[1].words, ["git", "push"]);
/// assert!(shell_commands("git log $(touch x)").is_err());
/// # Ok::<_, prowess_gate::Unreadable>(())
/// ```
///
/// # Errors
///
/// The first thing in the command that is not a literal word, or the reason why the shell might
/// run something else than what was read.
pub fn shell_commands(command: &str) -> Result<Vec<SimpleCommand>, Unreadable> {
    let commands = match plain(command) {
        Some(commands) => commands,
        None => parsed(command)?,
    };
    match commands.iter().find_map(|command| builtins::evaluating(&command.words)) {
        Some(builtin) => Err(Unreadable::of(UnreadableKind::Builtin(builtin.to_owned()))),
        None => Ok(commands),
    }
}

/// Returns the simple commands if their words are plain or in quotes as a whole.
#[cfg(feature = "shell")]
fn plain(command: &str) -> Option<Vec<SimpleCommand>> {
    plain::commands(command)
}

/// Without the parser, no command is read.
#[cfg(not(feature = "shell"))]
const fn plain(_: &str) -> Option<Vec<SimpleCommand>> {
    None
}

/// Returns the simple commands that both the filter and the parser find.
fn parsed(command: &str) -> Result<Vec<SimpleCommand>, Unreadable> {
    let counted = filter::check(command)?;
    let commands = parse::commands(command)?;
    let words = commands.iter().map(|command| command.words.len()).sum::<usize>();
    if words == counted { Ok(commands) } else { Err(Unreadable::of(UnreadableKind::Syntax)) }
}
