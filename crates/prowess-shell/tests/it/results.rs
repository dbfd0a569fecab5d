//! Outcomes, and commands that do not run.

use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

#[test]
fn exit_code_and_both_streams_are_an_outcome() {
    let outcome = empty().run("echo out; echo err >&2; exit 3");
    let found = (outcome.exit_code, outcome.stdout.as_str(), outcome.stderr.as_str());
    assert_eq!(found, (3, "out\n", "err\n"));
    assert_eq!((outcome.truncated, outcome.stopped), (false, None));
}

#[test]
fn session_goes_on_after_exit() {
    let setup = empty();
    setup.run("x=1; exit 3");
    assert_eq!(setup.run("echo after $x").stdout, "after 1\n");
}

#[test]
fn syntax_error_is_an_outcome() {
    let outcome = empty().run("if then (");
    assert_eq!(outcome.exit_code, 2, "{outcome:?}");
    assert!(!outcome.stderr.is_empty(), "the message says what is wrong: {outcome:?}");
}

#[test]
fn unknown_command_is_an_outcome() {
    let outcome = empty().run("python3 script.py");
    assert_eq!(outcome.exit_code, 127, "{outcome:?}");
    assert!(outcome.stderr.contains("python3: command not found"), "{outcome:?}");
}

#[test]
fn output_over_the_limit_is_cut() {
    let limits = ShellLimits { output_bytes: 1000, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..Default::default() });
    let outcome = setup.run("seq 1 1000");
    assert!(outcome.stdout.len() <= 1000 && outcome.stdout.starts_with("1\n2\n"), "{outcome:?}");
    assert!(outcome.truncated, "the outcome says that something is missing");
}

#[test]
fn limit_keeps_the_output_so_far() {
    let outcome = empty().run("echo before; while true; do :; done; echo after");
    assert_eq!(outcome.exit_code, 124, "{outcome:?}");
    assert_eq!(outcome.stdout, "before\n", "{outcome:?}");
    assert!(outcome.stopped.is_some_and(|reason| reason.contains("exceeded")));
}

#[test]
fn long_command_does_not_run() {
    let setup = empty();
    let error = setup.in_session("session", &format!("echo {}", "x".repeat(70_000))).unwrap_err();
    assert_eq!(error.code.as_str(), "command-too-long");
}
