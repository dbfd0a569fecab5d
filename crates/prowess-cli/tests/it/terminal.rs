//! Runs of the program at a terminal, with what a person types.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Runs a command whose input and errors are those of a terminal. Returns its exit code, its
/// standard output and what the terminal shows.
pub(crate) fn run(mut command: Command, typed: &str) -> (Option<i32>, String, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let open = || OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let child = command.stdin(open()).stderr(open()).spawn().unwrap();
    // Its copies of the terminal's other side go, so that the end of the program is seen here.
    drop(command);
    let mut terminal = File::from(terminal);
    terminal.write_all(typed.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // A terminal without a program at its other side fails to be read.
    let _ = terminal.read_to_end(&mut shown);
    let ended = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&shown).replace('\r', ""))
}
