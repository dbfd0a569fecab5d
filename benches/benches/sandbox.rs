//! What it costs to start a program in the sandbox: from the start to the end of `true`, beside a
//! plain `fork` and `exec` and, if it is installed, beside `bwrap`.
//!
//! ```console
//! $ cargo bench -p benches --bench sandbox
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use prowess_sandbox::{
    Confinement, DemandedLevel, Isolation, Native, Plan, Program, Rights, Streams, run_stage,
};

/// The argument that makes this program the stage.
const STAGE: &str = "stage";
/// The program that is started.
const TRUE: &str = "/usr/bin/true";
/// How often each way starts the program. The ways take turns.
const ROUNDS: usize = 300;

/// A way to start the program and wait for its end.
struct Way {
    name: &'static str,
    start: Box<dyn Fn() -> io::Result<()>>,
    times: Vec<Duration>,
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(STAGE) {
        return run_stage();
    }
    // A run of the tests only looks whether each way works.
    let is_test = std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions);
    match measure(if is_test { 1 } else { ROUNDS }) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the start cost cannot be measured: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(rounds: usize) -> io::Result<String> {
    let mut ways = ways()?;
    for _ in 0..rounds {
        for way in &mut ways {
            let begun = Instant::now();
            (way.start)().map_err(|error| io::Error::other(format!("{}: {error}", way.name)))?;
            way.times.push(begun.elapsed());
        }
    }
    Ok(table(&mut ways, rounds))
}

fn ways() -> io::Result<Vec<Way>> {
    let stage = Program::new(std::env::current_exe()?).argument(STAGE);
    let mut ways = vec![
        way("plain fork and exec", || run(&mut Command::new(TRUE))),
        confined("level `floor`", &stage, DemandedLevel::Floor),
        confined("level `namespaces`", &stage, DemandedLevel::Namespaces),
        proxied(&stage),
    ];
    let bwrap = || {
        let system = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
        run(Command::new("bwrap").arg("--unshare-all").args(system).arg(TRUE))
    };
    if bwrap().is_ok() {
        ways.push(way("bwrap --unshare-all", bwrap));
    }
    Ok(ways)
}

fn way(name: &'static str, start: impl Fn() -> io::Result<()> + 'static) -> Way {
    Way { name, start: Box::new(start), times: Vec::new() }
}

/// Starts the program with the rights of a script: programs of the system, processes of its own.
fn confined(name: &'static str, stage: &Program, level: DemandedLevel) -> Way {
    with_proxy(name, stage, level, None)
}

/// Starts the program in a network of its own, as a script that is granted hosts.
fn proxied(stage: &Program) -> Way {
    let name = "level `namespaces`, with a proxy";
    with_proxy(name, stage, DemandedLevel::Namespaces, Some(3_128))
}

fn with_proxy(
    name: &'static str,
    stage: &Program,
    level: DemandedLevel,
    proxy_port: Option<u16>,
) -> Way {
    let isolation = Native::new(stage.clone());
    let execute = ["/usr/bin", "/bin"].map(Into::into).into();
    let rights = Rights { execute, processes: true, private_tmp: true, ..Rights::default() };
    let confinement = Confinement { level, rights, ..Confinement::default() };
    let plan = Plan { confinement, proxy_port, ..Plan::run(stage, Program::new(TRUE)) };
    way(name, move || {
        let started = isolation.spawn(&plan, &Streams::null(), &[]);
        let mut running = started.map_err(io::Error::other)?;
        ended(running.child.wait()?.success())
    })
}

fn run(command: &mut Command) -> io::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ended(command.status()?.success())
}

fn ended(is_success: bool) -> io::Result<()> {
    if is_success { Ok(()) } else { Err(io::Error::other("it failed")) }
}

/// Writes the medians, and what each way takes over the plain one.
fn table(ways: &mut [Way], rounds: usize) -> String {
    for way in ways.iter_mut() {
        way.times.sort_unstable();
    }
    let at = |way: &Way, hundredth: usize| way.times[(way.times.len() - 1) * hundredth / 100];
    let plain = ways.first().map_or(Duration::ZERO, |way| at(way, 50));
    let mut text = format!("start and end of `true`, {rounds} rounds\n\n");
    text += "| way | p50 ms | p95 ms | over plain, p50 ms |\n|---|--:|--:|--:|\n";
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    for way in ways.iter() {
        let over = at(way, 50).saturating_sub(plain);
        let [median, most, over] = [at(way, 50), at(way, 95), over].map(millis);
        text += &format!("| {} | {median:.2} | {most:.2} | {over:.2} |\n", way.name);
    }
    text
}
