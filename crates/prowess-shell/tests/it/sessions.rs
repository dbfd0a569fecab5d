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
fn sessions_do_not_see_each_other() {
    let setup = empty();
    setup.in_session("one", "x=secret; echo secret > /tmp/file; cd /tmp").unwrap();
    let other = setup.in_session("two", "echo \"[$x]\"; pwd; ls /tmp; cat /tmp/file").unwrap();
    assert_eq!(other.stdout, "[]\n/home/agent\n", "{other:?}");
}

#[test]
fn each_sandbox_has_an_id_of_its_own() {
    let setup = empty();
    let first = setup.in_session("one", "true").unwrap();
    let second = setup.in_session("two", "true").unwrap();
    assert_ne!(first.sandbox, second.sandbox, "two sessions have two sandboxes");
    assert_eq!(setup.in_session("one", "true").unwrap().sandbox, first.sandbox);
}

#[test]
fn oldest_sandbox_is_dropped_over_the_limit() {
    let limits = ShellLimits { sandboxes: 2, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..Default::default() });
    let first = setup.in_session("one", "true").unwrap().sandbox;
    let second = setup.in_session("two", "true").unwrap().sandbox;
    setup.in_session("three", "true").unwrap();
    assert_eq!(setup.in_session("two", "true").unwrap().sandbox, second, "it was used later");
    assert_ne!(setup.in_session("one", "true").unwrap().sandbox, first, "it was the oldest");
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
    let setup = empty();
    setup.run("echo kept > /tmp/kept");
    let session = SessionId::new("session").unwrap();
    for command in ["while true; do x=$x; done", "sleep 60"] {
        let cancel = Cancel::default();
        cancel.cancel();
        let request = ShellRequest { catalog: &setup.catalog, session: &session, command };
        match setup.shell.execute(&request, &cancel) {
            Ok(outcome) => assert!(outcome.stopped.is_some(), "`{command}`: {outcome:?}"),
            Err(error) => assert_eq!(error.code.as_str(), "shell-lost", "`{command}`: {error}"),
        }
    }
    assert_eq!(setup.run("echo again").stdout, "again\n", "the session runs further commands");
}

#[test]
fn shell_runs_inside_an_async_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(async { empty().run("echo inside") });
    assert_eq!(outcome.stdout, "inside\n");
}
