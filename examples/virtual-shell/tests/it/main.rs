//! Runs the tests of both programs, and compares what one of them prints.
#![allow(dead_code, reason = "the `main` of a program is not called here")]

#[path = "../../src/main.rs"]
mod conversation;
#[path = "../../src/bin/printed_shell/main.rs"]
mod printed_shell;

use std::process::Command;

#[track_caller]
fn check(program: &str, lines: &[&str]) {
    let output = Command::new(program).output().expect("the program is built with this test");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    assert_eq!(printed.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn printed_shell_prints_commands() {
    let lines = ["$ cat /.sandbox/skills/bread/scripts/timer.count", r#""minutes left""#];
    check(env!("CARGO_BIN_EXE_printed_shell"), &lines);
}

#[test]
fn mounted_skills_are_listed() {
    let lines = [
        "/.sandbox/skills/bread: Bakes bread. Use when somebody is hungry.",
        "/.sandbox/skills/tea: Brews tea. Use when somebody is thirsty.",
    ];
    check(env!("CARGO_BIN_EXE_mounted_skills"), &lines);
}
