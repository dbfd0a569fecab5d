//! Commands that want more memory than there is: each is an error, its session goes on as before,
//! and the host keeps its own memory.

use std::process::Command;

use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

/// The host's memory may grow by this much, in kilobytes.
const MOST_GROWTH: u64 = 64 << 10;
const CHILD: &str = "PROWESS_SHELL_TEST_HOST";

/// How data begins, and how it grows, in lines whose signs for a line feed are one.
const GROWTHS: &str = include_str!("../data/growths.txt");

/// The ways in which a command repeats a growth.
const LOOPS: &str = include_str!("../data/loops.txt");

/// Returns a command for each growth in each loop.
fn hostile() -> impl Iterator<Item = String> {
    GROWTHS.lines().flat_map(|growth| {
        let (begin, grow) = growth.split_once('\t').unwrap();
        LOOPS
            .lines()
            .map(move |form| form.replace("{I}", begin).replace("{G}", grow).replace('␤', "\n"))
    })
}

/// Returns the most memory that this process has had, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Runs `test`, which is this one, in a process of its own.
fn as_host(test: &str, run: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return run();
    }
    let mut host = Command::new(std::env::current_exe().unwrap());
    let host = host.args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert!(host.status.success(), "{}", String::from_utf8_lossy(&host.stderr));
}

fn leave_host_and_session(commands: impl Iterator<Item = String>) {
    let limits = ShellLimits { seconds: 1, steps: 2000, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
    setup.run("echo kept > /kept");
    let before = peak();
    for command in commands {
        let outcome = setup.in_session("session", &command).unwrap();
        let kept = setup.run("unset IFS x; cat /kept; x=on; echo $x; rm -rf /tmp/*");
        assert_eq!(kept.stdout, "kept\non\n", "after {command:?}: {outcome:?}");
        assert!(outcome.stdout.len() + outcome.stderr.len() <= 1 << 18, "{command:?}");
        assert!(
            peak().saturating_sub(before) < MOST_GROWTH,
            "the host has {} kB after {command:?}",
            peak()
        );
    }
}

#[test]
fn one_loop_of_each_growth_leaves_host_and_session() {
    let some = (0..).step_by(LOOPS.lines().count() + 1).take(GROWTHS.lines().count());
    let all: Vec<_> = hostile().collect();
    let picked: Vec<_> = some.map(|at: usize| all[at % all.len()].clone()).collect();
    as_host("memory::one_loop_of_each_growth_leaves_host_and_session", || {
        leave_host_and_session(picked.into_iter());
    });
}

#[test]
fn limit_of_memory_is_an_outcome() {
    let limits = ShellLimits { memory_bytes: 16 << 20, ..ShellLimits::default() };
    let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
    setup.run("echo kept > /kept");
    let grow = "awk 'BEGIN { while (1) m[i++] = sprintf(\"%9999s\", i) }'";
    let outcome = setup.run(&format!("echo before; echo changed > /kept; > /tmp/new; {grow}"));
    assert!(outcome.exit_code == 124 && outcome.stdout.starts_with("before\n"), "{outcome:?}");
    let reason = outcome.stopped.unwrap();
    assert!(reason.contains("16 MiB of memory") && reason.ends_with("is undone"), "{reason}");
    assert_eq!(setup.run("cat /kept; ls /tmp").stdout, "kept\n", "it is as before");
    let outcome = empty().run("set -- a b c d; while :; do set -- \"$@\" \"$@\"; done");
    let reason = outcome.stopped.as_deref();
    assert_eq!(reason, Some("the limit of the length of arguments was reached"), "{outcome:?}");
    assert!(!outcome.stderr.contains("hook"), "it is in the words of the shell: {outcome:?}");
}

#[test]
fn all_sandboxes_have_a_limit_together() {
    as_host("memory::all_sandboxes_have_a_limit_together", || {
        for (memory_bytes, is_kept) in [(128 << 20, true), (1 << 30, false)] {
            let limits = ShellLimits { memory_bytes, ..ShellLimits::default() };
            let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
            let [_, _, again] = ["one", "two", "one"]
                .map(|session| setup.in_session(session, "x=$(seq 9999)").map(|ran| ran.sandbox));
            let dropped = again.err().map(|error| error.code.as_str().to_owned());
            let expected = (!is_kept).then(|| "sandbox-dropped".to_owned());
            assert_eq!(dropped, expected, "the older sandbox goes for {memory_bytes} bytes");
        }
    });
}

#[test]
fn commands_at_once_drop_no_files() {
    as_host("memory::commands_at_once_drop_no_files", || {
        let limits = ShellLimits { memory_bytes: 256 << 20, ..ShellLimits::default() };
        let setup = Setup::new(&[], ShellPolicy { limits, ..ShellPolicy::default() });
        let idle = ["one", "two", "three"];
        for session in idle {
            setup.in_session(session, "echo mine > /tmp/k").unwrap();
        }
        std::thread::scope(|scope| {
            for at in 0..5 {
                let busy = format!("busy-{at}");
                let setup = &setup;
                scope.spawn(move || setup.in_session(&busy, "sleep 1").unwrap());
            }
        });
        for session in idle {
            assert_eq!(setup.in_session(session, "cat /tmp/k").unwrap().stdout, "mine\n");
        }
    });
}

pub(crate) mod night {
    use super::{as_host, hostile, leave_host_and_session};

    #[test]
    fn even_loops_leave_host_and_session() {
        as_host("memory::night::even_loops_leave_host_and_session", || half(0));
    }

    #[test]
    fn odd_loops_leave_host_and_session() {
        as_host("memory::night::odd_loops_leave_host_and_session", || half(1));
    }

    /// Two hosts take half of the time.
    fn half(first: usize) {
        assert!(hostile().count() > 1_000);
        leave_host_and_session(hostile().skip(first).step_by(2));
    }
}
