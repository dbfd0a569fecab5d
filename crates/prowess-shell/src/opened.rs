//! The cause of a read: the interpreter opens a file in the same way for a program and to run it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bashkit::hooks::ToolEvent;

/// Programs that look at a file before they read it, as the shell does before it runs one.
const LOOKING: [&str; 17] = [
    "awk", "curl", "egrep", "fgrep", "gawk", "grep", "join", "less", "more", "nano", "pr", "rg",
    "tar", "truncate", "vi", "wc", "zip",
];

/// Programs that read no file: a read behind them that looks at nothing is that of `/bin/sh`.
const QUIET: [&str; 12] =
    ["", "[", "cd", "chmod", "echo", "exec", "export", "ls", "mkdir", "printf", "set", "test"];

/// The cause of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Opened {
    /// A program, or a redirection.
    #[default]
    ToRead,
    /// A shell that was started with the file, or a command that is its path.
    ToRun,
}

/// Follows the steps of a command, to distinguish its reads. An unclear one is that of a program.
#[derive(Default)]
pub(crate) struct Opens(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    program: String,
    args: Vec<String>,
    /// The files that the program has read.
    read: BTreeSet<PathBuf>,
    /// The script that a shell reads next.
    script: Option<Script>,
    /// The last three paths that were looked at since the last read.
    looked: Vec<PathBuf>,
    opened: Opened,
}

enum Script {
    /// The file of the arguments.
    Of(String),
    /// The file of the arguments or of this name in a directory of `PATH`.
    Found(String),
}

impl Opens {
    /// Notes that a program starts.
    pub(crate) fn started(&self, event: &ToolEvent) {
        let ToolEvent { name, args } = event;
        let script = script_of(name, args);
        *self.seen() =
            Seen { program: name.clone(), args: args.clone(), script, ..Seen::default() };
    }

    /// Notes that a path is looked at.
    pub(crate) fn looked(&self, path: &Path) {
        let seen = &mut *self.seen();
        if seen.looked.last().is_none_or(|last| last != path) {
            let gone = seen.looked.len().saturating_sub(2);
            seen.looked.drain(..gone);
            seen.looked.push(path.to_owned());
        }
        seen.script = seen.script.take().filter(|script| matches!(script, Script::Found(_)));
    }

    /// Notes the cause of a read, until [`Self::done`].
    pub(crate) fn open(&self, path: &Path) {
        let seen = &mut *self.seen();
        let looked = std::mem::take(&mut seen.looked);
        // A redirection, and the way through a link, look at the directories above a file, too.
        let is_resolved = looked.iter().rev().eq(path.ancestors().take(3));
        let is_looked = looked.last().is_some_and(|looked| looked == path);
        let is_own = match seen.script.take() {
            Some(Script::Of(name) | Script::Found(name)) => {
                Path::new(&name).file_name() == path.file_name()
            }
            None => !is_looked && QUIET.contains(&&*seen.program),
        };
        let is_run = is_own || (is_looked && !is_resolved && !seen.is_of_program(path));
        seen.opened = if is_run { Opened::ToRun } else { Opened::ToRead };
    }

    /// Notes that a file was read or changed, for which the last paths were looked at.
    pub(crate) fn done(&self) {
        let seen = &mut *self.seen();
        seen.opened = Opened::ToRead;
        seen.looked.clear();
    }

    /// Returns the cause of the present read.
    pub(crate) fn opened(&self) -> Opened {
        self.seen().opened
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Returns whether the last program reads this file, for the first time: its arguments have its
    /// name, or that of a directory around it.
    fn is_of_program(&mut self, path: &Path) -> bool {
        let is_deep = self.args.iter().any(|arg| arg.starts_with("-r") || arg.starts_with("-R"));
        let is_deep = is_deep || ["rg", "tar", "zip"].contains(&&*self.program);
        let is_around = |arg: &String| match Path::new(arg).file_name() {
            Some(name) => path.iter().any(|part| part == name),
            None => is_deep,
        };
        LOOKING.contains(&&*self.program)
            && self.args.iter().any(is_around)
            && self.read.insert(path.to_owned())
    }
}

/// Returns the script that a shell is started with. Options that only check it have none; those
/// that print what they run print nothing of a script that may not be read.
fn script_of(program: &str, args: &[String]) -> Option<Script> {
    let mut args = args.iter();
    if [".", "source"].contains(&program) {
        let file = args.find(|arg| *arg != "--").filter(|file| !file.starts_with('-'))?.clone();
        return Some(if file.contains('/') { Script::Of(file) } else { Script::Found(file) });
    }
    let mut args = args.filter(|_| ["bash", "sh"].contains(&program));
    loop {
        let arg = args.next()?;
        match arg.strip_prefix(['-', '+']).filter(|option| !option.is_empty()) {
            None => return Some(Script::Of(arg.clone())),
            Some("-") => return args.next().cloned().map(Script::Of),
            Some("-norc" | "-noprofile" | "-posix" | "-login") => {}
            Some(letters) if letters.chars().all(|letter| "aefhlmopuvxBCEHPT".contains(letter)) => {
                if letters.ends_with('o') && args.next()? == "noexec" {
                    return None;
                }
            }
            Some(_) => return None,
        }
    }
}
