//! Sandboxes of sessions.

use std::sync::Arc;
use std::thread;

use prowess_core::{Cancel, SessionId, ShellRequest, VirtualShell as _};
use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

#[test]
fn session_keeps_files_variables_and_directory() {
    let setup = empty();
    setup.run("x=1; f() { echo f$x; }; mkdir /w; cd /w; echo text > file");
    assert_eq!(setup.run("pwd; f; cat file").stdout, "/w\nf1\ntext\n");
}

#[test]
fn each_command_has_its_own_streams() {
    for redirection in ["exec > log 2>&1", "exec 1>&-", "f() { exec 2>/dev/null >a; }; f"] {
        let setup = empty();
        setup.run(redirection);
        let outcome = setup.run("echo out; echo err >&2");
        let streams = (outcome.stdout.as_str(), outcome.stderr.as_str());
        assert_eq!(streams, ("out\n", "err\n"), "after `{redirection}`");
    }
}

#[test]
fn sessions_do_not_see_each_other() {
    let setup = empty();
    let command = "x=secret; echo secret > /tmp/file; cd /tmp";
    let one = setup.in_session("one", command).unwrap();
    let other = setup.in_session("two", "echo \"[$x]\"; pwd; ls /tmp; cat /tmp/file").unwrap();
    assert_eq!(other.stdout, "[]\n/home/agent\n", "{other:?}");
    assert_ne!(one.sandbox, other.sandbox, "two sessions have two sandboxes");
    assert_eq!(setup.in_session("one", "true").unwrap().sandbox, one.sandbox);
}

#[test]
fn session_learns_that_its_sandbox_was_dropped() {
    let limits = ShellLimits { sandboxes: 2, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..Default::default() });
    let run = |session: &str| setup.in_session(session, "echo >> /ran; wc -l < /ran");
    let first = run("one").unwrap().sandbox;
    let second = run("two").unwrap().sandbox;
    run("three").unwrap();
    assert_eq!(run("two").unwrap().sandbox, second, "it was used later");
    let dropped = run("one").unwrap_err();
    assert_eq!(dropped.code.as_str(), "sandbox-dropped", "it was the oldest");
    assert!(dropped.message.contains("2 sandboxes, or 1 GiB"), "{dropped}");
    let new = run("one").unwrap();
    assert!(new.sandbox != first && new.stdout.trim() == "1", "nothing ran before: {new:?}");
    for session in ["three", "two"] {
        assert_eq!(run(session).unwrap_err().code.as_str(), "sandbox-dropped", "{session}");
        assert_eq!(run(session).unwrap().stdout.trim(), "1", "{session}");
    }
}

#[test]
fn commands_of_one_session_wait_for_each_other() {
    let setup = Arc::new(empty());
    setup.run("n=0");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let setup = Arc::clone(&setup);
            thread::spawn(move || {
                for _ in 0..5 {
                    assert_eq!(setup.run("n=$((n+1))").exit_code, 0);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(setup.run("echo $n").stdout, "20\n", "no command is lost");
}

#[test]
fn cancelled_command_ends_and_the_session_goes_on() {
    let limits = ShellLimits { steps: usize::MAX, ..ShellLimits::default() };
    let policy = || ShellPolicy { limits: limits.clone(), ..Default::default() };
    let cancelled = "the command was cancelled";
    for setup in [Setup::new(&[], policy()), Setup::in_this_process(policy())] {
        setup.run("echo kept > /tmp/kept");
        let session = SessionId::new("session").unwrap();
        for (command, reason) in [
            ("while true; do x=$x; done", cancelled),
            ("sleep 60", "undone|and the files of this sandbox are dropped"),
        ] {
            let cancel = Cancel::default();
            cancel.cancel();
            let request =
                ShellRequest { catalog: &setup.catalog, session: &session, command, rule: None };
            let outcome = setup.shell.execute(&request, &cancel).unwrap();
            let stopped = outcome.stopped.clone().unwrap_or_default();
            let is_as_expected = reason.split('|').any(|end| stopped.ends_with(end));
            assert!(is_as_expected, "the command notices it, `{command}`: {outcome:?}");
            if reason == cancelled {
                assert_eq!(setup.run("cat /tmp/kept").stdout, "kept\n", "`{command}`");
            }
        }
        assert_eq!(setup.run("echo again").stdout, "again\n", "the session runs further commands");
    }
}

#[test]
fn shell_runs_inside_an_async_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(async { empty().run("echo inside") });
    assert_eq!(outcome.stdout, "inside\n");
}
