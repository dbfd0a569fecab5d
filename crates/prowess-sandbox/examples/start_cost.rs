//! Measures what a sandbox adds to the start of `/bin/true`: `start_cost STAGE`, where `STAGE` is
//! the program `prowess-sandbox-stage`.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::process::Command;
use std::time::{Duration, Instant};

use prowess_sandbox::{DemandedLevel, Isolation, Native, Plan, Program, Streams};

const ROUNDS: usize = 200;

fn main() {
    let stage = Program::new(std::env::args_os().nth(1).expect("the path of the stage"));
    let native = Native::new(stage.clone());
    let plain = || {
        Command::new("/bin/true").env_clear().status().unwrap();
    };
    let bare = || drop(Command::new(&stage.path).env_clear().output().unwrap());
    let confined = |level| {
        let mut plan = Plan::run(&stage, Program::new("/bin/true"));
        plan.confinement.level = level;
        plan.confinement.rights.execute = vec!["/bin".into(), "/usr/bin".into()];
        plan.confinement.rights.processes = true;
        let mut running = native.spawn(&plan, &Streams::null(), &[]).unwrap();
        assert!(running.child.wait().unwrap().success());
    };
    let rows: [(&str, &dyn Fn()); 5] = [
        ("fork and exec", &plain),
        ("a stage that refuses", &bare),
        ("a stage without layers", &|| confined(DemandedLevel::Unconfined)),
        ("floor", &|| confined(DemandedLevel::Floor)),
        ("namespaces", &|| confined(DemandedLevel::Namespaces)),
    ];
    // One after the other in each round, so that load on the machine is on all of them.
    let mut times = rows.map(|_| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        for ((_, start), times) in rows.iter().zip(&mut times) {
            let begun = Instant::now();
            start();
            times.push(begun.elapsed());
        }
    }
    println!("| start of `/bin/true` | least | p10 | p50 | p95 |\n|---|--:|--:|--:|--:|");
    for ((name, _), times) in rows.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |share: usize| milliseconds(times[ROUNDS * share / 100]);
        println!("| {name} | {} | {} | {} | {} |", at(0), at(10), at(50), at(95));
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}
