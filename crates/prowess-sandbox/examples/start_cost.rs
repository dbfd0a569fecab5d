//! Measures what a sandbox adds to a run of `/bin/echo`: `start_cost STAGE`, where `STAGE` is the
//! path of the program `prowess-sandbox-stage`. `cargo xtask bench --start` builds both.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use prowess_sandbox::{DemandedLevel, Isolation, Native, Plan, Program, Streams};

const ROUNDS: usize = 300;

/// A way to start the program, with the durations of its runs.
struct Way {
    name: &'static str,
    /// Runs the program to its end.
    run: Box<dyn Fn() -> ExitStatus>,
    runs: Vec<Duration>,
}

fn main() {
    let stage = Program::new(std::env::args_os().nth(1).expect("the path of the stage"));
    let mut ways = [
        Way::new("plain fork and exec", || {
            let mut command = Command::new("/bin/echo");
            command.env_clear().arg("a").stdin(Stdio::null()).stdout(Stdio::null());
            command.status().unwrap()
        }),
        Way::confined("floor", &stage, DemandedLevel::Floor, true),
        Way::confined("floor, no other programs", &stage, DemandedLevel::Floor, false),
        Way::confined("namespaces", &stage, DemandedLevel::Namespaces, true),
    ];
    // One after the other in each round, so that load on the machine is on all of them.
    for _ in 0..ROUNDS {
        ways.iter_mut().for_each(Way::measure);
    }
    println!("| run of `/bin/echo` | p50 | p95 | over plain |\n|---|--:|--:|--:|");
    let plain = ways[0].at(50);
    for way in &ways {
        let [half, most, over] = [way.at(50), way.at(95), way.at(50).saturating_sub(plain)]
            .map(|time| time.as_secs_f64() * 1_000.0);
        println!("| {} | {half:.2} ms | {most:.2} ms | {over:.2} ms |", way.name);
    }
}

impl Way {
    fn new(name: &'static str, run: impl Fn() -> ExitStatus + 'static) -> Self {
        Self { name, run: Box::new(run), runs: Vec::new() }
    }

    fn confined(
        name: &'static str,
        stage: &Program,
        level: DemandedLevel,
        starts_processes: bool,
    ) -> Self {
        let mut plan = Plan::run(stage, Program::new("/bin/echo").argument("a"));
        plan.confinement.level = level;
        plan.confinement.rights.execute = vec!["/bin".into(), "/usr/bin".into()];
        plan.confinement.rights.processes = starts_processes;
        let native = Native::new(stage.clone());
        Self::new(name, move || {
            native.spawn(&plan, &Streams::null(), &[]).unwrap().child.wait().unwrap()
        })
    }

    fn measure(&mut self) {
        let begun = Instant::now();
        assert!((self.run)().success(), "the program ends well");
        self.runs.push(begun.elapsed());
    }

    /// Returns the time that this share of the runs, in percent, does not exceed.
    fn at(&self, share: usize) -> Duration {
        let mut runs = self.runs.clone();
        runs.sort_unstable();
        runs[(ROUNDS - 1) * share / 100]
    }
}
