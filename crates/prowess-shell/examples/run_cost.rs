//! Measures a command in a shell, in this process and in one of its own, beside the start of a
//! process: `cargo xtask bench --start`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{Cancel, Catalog, MemorySource, SessionId, ShellRequest, VirtualShell};
use prowess_shell::{InMemoryShell, Program, ShellPolicy};
use prowess_testkit::catalog_over;

const ROUNDS: usize = 300;

/// The names of what is measured.
const NAMES: [&str; 7] = [
    "process, `/bin/true`",
    "shell in this process, first command of a session",
    "shell in this process, next command",
    "shell in this process, script of a skill",
    "shell in a process of its own, first command of a session",
    "shell in a process of its own, next command",
    "shell in a process of its own, script of a skill",
];

fn main() {
    let catalog = catalog();
    let here = InMemoryShell::new(ShellPolicy::default());
    let worker = std::env::args_os().nth(1).expect("the path of `prowess-shell-worker`");
    let there = InMemoryShell::in_processes(ShellPolicy::default(), Program::new(worker));
    let script = "sh /.sandbox/skills/report/scripts/run.sh";
    let mut times = NAMES.map(|_| Vec::new());
    for round in 0..ROUNDS {
        let new = format!("session-{round}");
        let mut measured = vec![measure(|| {
            Command::new("/bin/true").status().expect("it starts");
        })];
        for shell in [&here, &there] {
            let commands = ["true", "true", script];
            measured.extend(commands.map(|one| measure(|| run(shell, &catalog, &new, one))));
        }
        for (times, time) in times.iter_mut().zip(measured) {
            times.push(time);
        }
    }
    println!("| one run | p50 | p95 |\n|---|--:|--:|");
    for (name, mut times) in NAMES.into_iter().zip(times) {
        times.sort_unstable();
        let [median, most] = [50, 95].map(|share| times[(ROUNDS - 1) * share / 100]);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
        println!("| {name} | {:.2} ms | {:.2} ms |", milliseconds(median), milliseconds(most));
    }
}

fn measure(run: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    run();
    begun.elapsed()
}

fn run(shell: &InMemoryShell, catalog: &Arc<Catalog>, session: &str, command: &str) {
    let session = SessionId::new(session).expect("it is an id");
    let request = ShellRequest { catalog, session: &session, command, rule: None };
    let outcome = shell.execute(&request, &Cancel::default()).expect("the command runs");
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
}

fn catalog() -> Arc<Catalog> {
    let source = MemorySource::builder("memory")
        .file("report/SKILL.md", "---\nname: report\ndescription: Writes reports.\n---\nRun it.\n")
        .file("report/scripts/run.sh", "echo ran\n");
    let source = Arc::new(source.build().expect("the paths are good"));
    catalog_over(source, [("report", "Writes reports.", &[][..])])
}
