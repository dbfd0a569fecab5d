//! Measures a command in a shell with files in memory, beside the start of a process:
//! `cargo xtask bench --start`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{Cancel, Catalog, MemorySource, SessionId, ShellRequest, VirtualShell};
use prowess_shell::{InMemoryShell, ShellPolicy};
use prowess_testkit::catalog_over;

const ROUNDS: usize = 300;

/// The names of what is measured.
const NAMES: [&str; 4] = [
    "process, `/bin/true`",
    "shell, first command of a session",
    "shell, next command",
    "shell, script of a skill",
];

fn main() {
    let catalog = catalog();
    let shell = InMemoryShell::new(ShellPolicy::default());
    let script = "sh /.sandbox/skills/report/scripts/run.sh";
    let mut times = NAMES.map(|_| Vec::new());
    for round in 0..ROUNDS {
        let new = format!("session-{round}");
        let measured = [
            measure(|| {
                Command::new("/bin/true").status().expect("it starts");
            }),
            measure(|| run(&shell, &catalog, &new, "true")),
            measure(|| run(&shell, &catalog, &new, "true")),
            measure(|| run(&shell, &catalog, &new, script)),
        ];
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
    let request = ShellRequest { catalog, session: &session, command };
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
