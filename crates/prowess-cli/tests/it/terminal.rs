//! Runs of the program at a terminal, with what a person types.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::Program;

/// Runs a command whose input and errors are those of a terminal. Returns its exit code, its
/// standard output and what the terminal shows.
pub(crate) fn run(command: Command, typed: &str) -> (Option<i32>, String, String) {
    run_in(command, typed, 0)
}

/// As [`run`], in a terminal of this number of columns; 0 for one that does not know its own.
fn run_in(mut command: Command, typed: &str, columns: u16) -> (Option<i32>, String, String) {
    let (mut terminal, open) = opened(columns);
    let child = command.stdin(open()).stderr(open()).spawn().unwrap();
    // Its copies of the terminal's other side go, so that the end of the program is seen here.
    drop(command);
    let mut answers = typed.split_inclusive('\n');
    let mut shown = Vec::new();
    let mut part = [0; 4096];
    // A terminal without a program at its other side fails to be read.
    while let Ok(length @ 1..) = terminal.read(&mut part) {
        shown.extend(&part[..length]);
        // A line that is typed before a question answers nothing.
        if [&b"] "[..], b": "].iter().any(|end| shown.ends_with(end)) {
            terminal.write_all(answers.next().unwrap_or_default().as_bytes()).unwrap();
        }
    }
    let ended = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&shown).replace('\r', ""))
}

/// Opens a terminal; returns it, and what opens its other side for a program.
pub(crate) fn opened(columns: u16) -> (File, impl Fn() -> File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let name = name.into_string().unwrap();
    let open = move || OpenOptions::new().read(true).write(true).open(&name).unwrap();
    (File::from(terminal), open)
}

#[test]
fn usage_errors_end_at_the_width_of_the_terminal() {
    for (arguments, columns) in [
        (&["list", "--no-such-option-of-this-program"][..], 60),
        (&["serve", "--format", "a value that is none of them"], 40),
        (&["add", "--no-such-option", "one", "two"], 44),
    ] {
        let (mut command, _place) = Program::new().into_command();
        command.args(arguments).env("NO_COLOR", "1");
        let (code, _, shown) = run_in(command, "", columns);
        assert_eq!(code, Some(2), "{arguments:?}: {shown}");
        let widest = shown.lines().map(str::len).max();
        assert!(widest <= Some(columns.into()), "{arguments:?}, {widest:?} of {columns}: {shown}");
    }
}
