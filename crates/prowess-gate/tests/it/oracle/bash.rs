//! Runs commands in the real `bash`, among programs that log their arguments.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess_gate::shell_commands;

/// Logs the words of the call in one write, and ends with the exit code of the run.
const STUB: &str =
    "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" END >> \"$LOG\"\nexit \"$CODE\"\n";

/// Logs its arguments, as a stub with the name of the first.
const LOGGER: &str = "#!/bin/sh\nprintf '%s\\0' \"$@\" END >> \"$LOG\"\nexit \"$CODE\"\n";

/// Logs programs without a stub as well, and disables the builtins that are read as programs.
const START: &str = "command_not_found_handle() { \"$LOGGER\" \"$@\"; }\n\
    enable -n : [ cd echo exit false kill popd printf pushd pwd test true umask\n";

type Words = Vec<String>;

/// Runs a command with stubs for these programs, and returns the calls that happened.
pub(crate) fn run(command: &str, programs: &BTreeSet<&str>) -> BTreeSet<Words> {
    let directory = tempfile::tempdir().expect("a directory");
    let [bin, work, log] = ["bin", "work", "log"].map(|name| directory.path().join(name));
    fs::create_dir(&bin).expect("a directory");
    fs::create_dir(&work).expect("a directory");
    let start = directory.path().join("start");
    fs::write(&start, START).expect("a file");
    let logger = script(directory.path(), "logger", LOGGER);
    let stub = script(directory.path(), "stub", STUB);
    for program in programs {
        // A name that is too long for a file is one that no shell finds.
        let _ = symlink(&stub, bin.join(program));
    }
    for code in ["0", "1"] {
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", command]).env_clear().current_dir(&work).stdin(Stdio::null());
        bash.env("PATH", &bin).env("BASH_ENV", &start).env("LOG", &log).env("CODE", code);
        bash.env("LOGGER", &logger).stdout(Stdio::null()).stderr(Stdio::null());
        bash.status().expect("bash runs");
    }
    assert!(is_empty(&work), "{command:?} left nothing behind");
    calls(&fs::read_to_string(&log).unwrap_or_default())
}

fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path
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

/// Compares what was read of a command, if it can be read, with what `bash` runs. Returns whether
/// it can be read.
pub(crate) fn check(command: &str) -> bool {
    let Ok(commands) = shell_commands(command) else { return false };
    let read: BTreeSet<Words> = commands.into_iter().map(|command| command.words).collect();
    let programs: BTreeSet<&str> = read.iter().map(|words| words[0].as_str()).collect();
    let is_runnable = |program: &&str| !program.contains('/') && !program.is_empty();
    if !programs.iter().all(is_runnable) {
        return true;
    }
    assert_eq!(run(command, &programs), read, "what bash runs of {command:?} is what was read");
    true
}
