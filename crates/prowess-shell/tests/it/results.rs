//! Outcomes, and commands that do not run.

use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

#[test]
fn exit_code_and_both_streams_are_an_outcome() {
    for (command, code, stdout, stderr) in [
        ("echo out; echo err >&2; exit 3", 3, "out\n", "err\n"),
        ("if then (", 2, "", "syntax error"),
        ("python3 script.py", 127, "", "python3: command not found"),
    ] {
        let setup = empty();
        let outcome = setup.run(&format!("x=1; {command}"));
        assert_eq!((outcome.exit_code, outcome.stdout.as_str()), (code, stdout), "{outcome:?}");
        assert!(outcome.stderr.contains(stderr), "the message says what is wrong: {outcome:?}");
        assert_eq!((outcome.truncated, outcome.stopped), (false, None));
        assert_eq!(setup.run("echo after").stdout, "after\n", "the session goes on");
    }
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

/// Returns the commands of a table with what is expected of each.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = (String, String)> {
    let row = |line: &str| line.replace('␤', "\n");
    table.lines().filter_map(move |line| line.split_once(" ⇒ ")).map(move |(a, b)| (row(a), row(b)))
}

#[test]
fn limit_that_is_not_seen_ends_the_command() {
    for (command, limit) in rows(include_str!("../data/limits.txt")) {
        for setup in [empty(), Setup::in_this_process(ShellPolicy::default())] {
            let outcome = setup.run(&command);
            assert_eq!(outcome.stdout, "", "`{command}` has no result");
            let reason = outcome.stopped.unwrap_or_default();
            assert!(reason.contains(&limit), "`{command}` names its limit: {reason}");
            assert_eq!(outcome.exit_code, 124, "`{command}` fails");
        }
    }
    for (command, output) in rows(include_str!("../data/whole.txt")) {
        let setup = empty();
        setup.run("echo 'seq 20000' > a.sh");
        assert_eq!(setup.run(&command).stdout, output, "`{command}` has its whole result");
    }
}
