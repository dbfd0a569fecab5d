//! Runs the tests of both programs, and compares what one of them prints.
#![allow(dead_code, reason = "the `main` of a program is not called here")]

#[path = "../../src/main.rs"]
mod conversation;
#[path = "../../src/bin/printed_shell/main.rs"]
mod printed_shell;

use std::process::Command;

#[test]
fn printed_shell_prints_commands() {
    let lines = ["$ cat /.sandbox/skills/bread/scripts/timer.count", r#""minutes left""#];
    let program = env!("CARGO_BIN_EXE_printed_shell");
    let output = Command::new(program).output().expect("the program is built with this test");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(printed.lines().collect::<Vec<_>>(), lines);
}
