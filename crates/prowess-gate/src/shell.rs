//! Shell commands, as far as they are lists of literal words.

mod builtins;
mod characters;
mod reader;
mod set;
mod unreadable;
mod word;

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
/// commands; redirections to and from `/dev/null` and between the outputs, such as `2>&1`, are left
/// out. Everything else is unreadable: other redirections, substitutions, expansions (also of `~`,
/// braces and file name patterns, which change the words), assignments, here-documents, functions,
/// `&`, compound commands, control and invisible characters, those that look like an operator, and
/// more than [`MAX_COMMAND_BYTES`] or [`MAX_SIMPLE_COMMANDS`].
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
    let commands = reader::commands(command)?;
    match commands.iter().find_map(|command| builtins::evaluating(&command.words)) {
        Some(builtin) => Err(Unreadable::of(UnreadableKind::Builtin(builtin.to_owned()))),
        None => Ok(commands),
    }
}
