//! Each shell runs what was read.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::oracle::shells::{BASH, Shell, check, run};
use crate::oracle::{check_corpora, line, pieces};

const DASH: Shell = Shell { line: &["/bin/dash", "-c"], start: START, builtins: BUILTINS };

const BUSYBOX: Shell =
    Shell { line: &["/bin/busybox", "sh", "-c"], start: START, builtins: BUILTINS };

/// Replaces the builtins that are read as programs.
const START: &str = include_str!("../../data/shells-start.txt");

/// These cannot be the names of functions.
const BUILTINS: &[&str] = &[":", "[", "exit"];

/// The lines of each test.
const CASES: u32 = 1_000;

fn check_lines(shell: &Shell) {
    let lines = prop_oneof![line(), pieces()];
    let mut runner = TestRunner::new(Config { cases: CASES, ..Config::default() });
    let result = runner.run(&lines, |command| {
        check(shell, &command);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn bash_runs_what_was_read_of_many_lines() {
    check_lines(&BASH);
}

#[test]
fn dash_runs_what_was_read() {
    check_corpora(&DASH);
    check_lines(&DASH);
}

#[test]
fn busybox_runs_what_was_read() {
    check_corpora(&BUSYBOX);
    check_lines(&BUSYBOX);
}

/// Without this, a shell might run more than what is compared.
#[test]
fn shells_report_what_was_not_read() {
    for shell in [DASH, BUSYBOX] {
        let ran = run(&shell, "git status $(touch pwn) && rm x", &BTreeSet::from(["git"]));
        assert!(
            ran.calls.iter().any(|words| *words == ["git", "status"]),
            "the stub logs its call: {ran:?}"
        );
        for program in ["touch", "rm"] {
            assert!(ran.messages.contains(program), "there is no stub for {program}: {ran:?}");
        }
    }
}
