//! Runs commands in real shells, among programs that log their arguments.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use prowess_gate::shell_commands;

/// Logs the words of the call in one write, and ends with the exit code of the run.
const STUB: &str =
    "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" END >> \"$LOG\"\nexit \"$CODE\"\n";

/// Logs its arguments, as a stub with the name of the first.
const LOGGER: &str = "printf '%s\\0' \"$@\" END >> \"$LOG\"\nexit \"$CODE\"\n";

/// Writes a program. A thread that did it could not start the program while another thread forks,
/// whose child has the file open for a moment.
const INSTALL: &str = "printf '%s' \"$2\" > \"$1\" && chmod 755 \"$1\"";

/// A shell of the machine.
pub(crate) struct Shell {
    /// The program, and its arguments before the command.
    pub(crate) line: &'static [&'static str],
    /// The lines in front of the command.
    pub(crate) start: &'static str,
    /// The builtins that no stub can replace. Commands with them are not compared.
    pub(crate) builtins: &'static [&'static str],
}

pub(crate) const BASH: Shell = Shell { line: &["/bin/bash", "-c"], start: "", builtins: &[] };

/// Logs programs without a stub as well, and disables the builtins that are read as programs. Only
/// `bash` runs this.
const BASH_START: &str = "command_not_found_handle() { /bin/sh \"$LOGGER\" \"$@\"; }\n\
    enable -n : [ cd echo exit false kill popd printf pushd pwd test true umask\n";

type Words = Vec<String>;

/// The result of running a command.
#[derive(Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) calls: BTreeSet<Words>,
    /// The messages of the shell; the stubs write none.
    pub(crate) messages: String,
}

/// Runs a command with stubs for these programs.
pub(crate) fn run(shell: &Shell, command: &str, programs: &BTreeSet<&str>) -> Ran {
    let directory = tempfile::tempdir().expect("a directory");
    let [bin, work, log] = ["bin", "work", "log"].map(|name| directory.path().join(name));
    fs::create_dir(&bin).expect("a directory");
    fs::create_dir(&work).expect("a directory");
    let start = directory.path().join("start");
    fs::write(&start, BASH_START).expect("a file");
    let [logger, stub] = ["logger", "stub"].map(|name| directory.path().join(name));
    fs::write(&logger, LOGGER).expect("a file");
    install(&stub, STUB);
    for program in programs {
        symlink(&stub, bin.join(program)).expect("a link");
    }
    let mut messages = String::new();
    for code in ["0", "1"] {
        let mut child = Command::new(shell.line[0]);
        child.args(&shell.line[1..]).arg(format!("{}{command}", shell.start));
        child.env_clear().current_dir(&work).stdin(Stdio::null()).stdout(Stdio::null());
        child.env("PATH", &bin).env("BASH_ENV", &start).env("LOG", &log).env("CODE", code);
        let output = child.env("LOGGER", &logger).stderr(Stdio::piped()).output();
        let output = output.unwrap_or_else(|error| panic!("{} runs: {error}", shell.line[0]));
        messages += &String::from_utf8_lossy(&output.stderr);
    }
    assert!(is_empty(&work), "{command:?} left nothing behind");
    Ran { calls: calls(&fs::read_to_string(&log).unwrap_or_default()), messages }
}

fn install(path: &Path, text: &str) {
    let mut child = Command::new("/bin/sh");
    let status = child.args(["-c", INSTALL, "install"]).arg(path).arg(text).status();
    assert!(status.is_ok_and(|status| status.success()), "the program is written");
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn calls(log: &str) -> BTreeSet<Words> {
    let mut calls = BTreeSet::new();
    let mut words = Vec::new();
    for word in log.split_terminator('\0') {
        if word == "END" {
            calls.insert(std::mem::take(&mut words));
        } else {
            words.push(word.to_owned());
        }
    }
    assert!(words.is_empty(), "each call is logged whole: {words:?}");
    calls
}

/// Compares what was read of a command, if it can be read, with what the shell runs. Returns
/// whether it can be read.
pub(crate) fn check(shell: &Shell, command: &str) -> bool {
    let Ok(commands) = shell_commands(command) else { return false };
    let read: BTreeSet<Words> = commands.into_iter().map(|command| command.words).collect();
    let programs: BTreeSet<&str> = read.iter().map(|words| words[0].as_str()).collect();
    if programs.iter().all(|program| is_runnable(shell, program)) {
        let ran = run(shell, command, &programs);
        let expected = Ran { calls: read, messages: String::new() };
        assert_eq!(ran, expected, "what {} runs of {command:?} is what was read", shell.line[0]);
    }
    true
}

/// Returns whether a stub can have this name.
fn is_runnable(shell: &Shell, program: &str) -> bool {
    let is_name = !program.contains('/') && !["", ".."].contains(&program) && program.len() <= 255;
    is_name && !shell.builtins.contains(&program)
}
