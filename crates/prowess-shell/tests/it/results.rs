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

#[test]
fn limit_that_is_not_seen_ends_the_command() {
    for (command, limit) in [
        ("diff <(seq 1 3000000) <(seq 1 3000000 | sed s/2999999/x/); echo same=$?", "`seq`"),
        ("x=$(seq 0.5 .000001 2 2>/dev/null | tail -1); echo $x", "`seq`"),
        ("seq -s 'a long separator' 90000 2>/dev/null | wc -c", "`seq`"),
        ("seq -f %0100g 20000 2>/dev/null | wc -c", "`seq`"),
        ("yes 2>/dev/null | tail -1", "`yes`"),
        ("x=$(yes a); echo ${#x}", "`yes`"),
        ("bc <<< 9^9^9", "`bc`"),
        ("x=$(echo 'scale=20; 1/3' | bc); echo $x", "`bc`"),
        ("bc 2>/dev/null <<< '2^53+1' | cat", "`bc`"),
        ("head -c 2M /dev/zero | wc -c", "endless device"),
        ("head --bytes=9000 /dev/urandom | wc -c", "endless device"),
        ("head -c 2M </dev/zero | wc -c", "endless device"),
        ("cat /dev/zero|tr '\\0' x | head -c 2000000 2>&1 | wc -c", "endless device"),
        ("x=$(</dev/urandom head --bytes 9000 | wc -c); echo $x", "endless device"),
        ("for i in {1..20000}; do :; done; echo $i", "range of braces"),
        ("echo {1..300}{1..300} | wc -w", "range of braces"),
    ] {
        for setup in [empty(), Setup::in_this_process(ShellPolicy::default())] {
            let outcome = setup.run(command);
            assert_eq!(outcome.stdout, "", "`{command}` has no result");
            let reason = outcome.stopped.unwrap_or_default();
            assert!(reason.contains(limit), "`{command}` names its limit: {reason}");
            assert_eq!(outcome.exit_code, 124, "`{command}` fails");
        }
    }
    for (command, output) in [
        ("seq 100000 | tail -1; seq -w 8 10 | head -1; seq 3 -1 1 | tail -1", "100000\n08\n1\n"),
        ("seq -s , 1 5; seq -f x%g 1 1; seq --separator=2 3 4", "1,2,3,4,5\nx1\n324\n"),
        ("yes | head -n 20000 | wc -l; yes a b | head -1", "20000\na b\n"),
        ("bc <<< '10/4; scale=2; 10/4; 2^40; -0.5'", "2\n2.50\n1099511627776.00\n-0.50\n"),
        ("head -c 8 /dev/zero | wc -c; head -c 3 <<< abcd", "8\nabc"),
        ("head -c 8 </dev/zero | wc -c; cat /dev/zero | head -c 3 | wc -c", "8\n3\n"),
        ("wc -c < /dev/null; head -c 2M <<< abcd", "0\nabcd\n"),
        ("echo {1..10000} | wc -w; echo {a..c} {1,2}", "10000\na b c 1 2\n"),
        ("x=$(seq 20000); echo 'seq 20000' > a.sh; sh a.sh > b; wc -l < b", "20000\n"),
        ("sh a.sh 2>&1 >/dev/null; bash -c 'sh a.sh >&2' 2> c; wc -l < c", "20000\n"),
    ] {
        let setup = empty();
        setup.run("echo 'seq 20000' > a.sh");
        assert_eq!(setup.run(command).stdout, output, "`{command}` has its whole result");
    }
}
