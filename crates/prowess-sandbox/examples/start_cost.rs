//! Measures what a sandbox adds to a run of `/bin/echo`, to its first output and to its end:
//! `start_cost STAGE [PYTHON]`, where `STAGE` is the path of the program `prowess-sandbox-stage`, and
//! `PYTHON` one that has the package `sandlock`. `cargo xtask bench --start` builds and installs
//! both.
//!
//! `bwrap` and `sandlock` show the same paths; the interpreter of the latter runs before it is
//! measured, and gives the output at the end only.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use prowess_sandbox::{DemandedLevel, Isolation, Native, Plan, Program, Stream, Streams};

const ROUNDS: usize = 300;

/// A way to start the program and wait for its end.
struct Way {
    name: &'static str,
    /// Returns the time of the first output, if it is known.
    run: Box<dyn Fn() -> Option<Instant>>,
    outputs: Vec<Duration>,
    ends: Vec<Duration>,
}

fn main() {
    let stage = Program::new(std::env::args_os().nth(1).expect("the path of the stage"));
    let plain = || {
        let mut command = Command::new("/bin/echo");
        run(command.env_clear().arg("a").stdin(Stdio::null()))
    };
    let mut ways = vec![Way::new("plain fork and exec", plain)];
    for (level, name) in
        [(DemandedLevel::Floor, "floor"), (DemandedLevel::Namespaces, "namespaces")]
    {
        ways.push(Way::confined(name, plan(&stage, level)));
    }
    // Nothing has to end what the program leaves.
    let mut alone = plan(&stage, DemandedLevel::Floor);
    alone.confinement.rights.processes = false;
    ways.push(Way::confined("floor, a program that starts no others", alone));
    if Command::new("bwrap").arg("--version").output().is_ok() {
        ways.push(Way::new("bwrap", || run(&mut bubblewrap())));
    }
    if let Some(python) = std::env::args_os().nth(2) {
        let interpreter = RefCell::new(Interpreter::start(&python));
        ways.push(Way::new("sandlock", move || interpreter.borrow_mut().run()));
    }
    // One after the other in each round, so that load on the machine is on all of them.
    for _ in 0..ROUNDS {
        ways.iter_mut().for_each(Way::measure);
    }
    println!(
        "| run of `/bin/echo` | first output, p50 | over plain | end, p50 | p95 | over plain |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    let plain = [&ways[0].outputs, &ways[0].ends].map(|times| at(times, 50));
    for way in &ways {
        let [output, end] = [&way.outputs, &way.ends].map(|times| at(times, 50));
        let over =
            |time: Option<Duration>, plain: Option<Duration>| Some(time?.saturating_sub(plain?));
        let [output, output_over, end, most, end_over] =
            [output, over(output, plain[0]), end, at(&way.ends, 95), over(end, plain[1])]
                .map(milliseconds);
        println!("| {} | {output} | {output_over} | {end} | {most} | {end_over} |", way.name);
    }
}

impl Way {
    fn new(name: &'static str, run: impl Fn() -> Option<Instant> + 'static) -> Self {
        let (outputs, ends) = (Vec::new(), Vec::new());
        Self { name, run: Box::new(run), outputs, ends }
    }

    fn confined(name: &'static str, plan: Plan) -> Self {
        let native = Native::new(plan.stage.clone());
        Self::new(name, move || {
            let streams = Streams { stdout: Stream::Piped, stderr: Stream::Null };
            ends_well(&mut native.spawn(&plan, &streams, &[]).unwrap().child)
        })
    }

    fn measure(&mut self) {
        let begun = Instant::now();
        let output = (self.run)();
        self.ends.push(begun.elapsed());
        self.outputs.extend(output.map(|output| output - begun));
    }
}

/// Returns the time that this share of the runs, in percent, does not exceed.
fn at(times: &[Duration], share: usize) -> Option<Duration> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get((ROUNDS - 1) * share / 100).copied()
}

fn plan(stage: &Program, level: DemandedLevel) -> Plan {
    let mut plan = Plan::run(stage, Program::new("/bin/echo"));
    plan.exec.as_mut().unwrap().arguments.push("a".into());
    plan.confinement.level = level;
    plan.confinement.rights.execute = vec!["/bin".into(), "/usr/bin".into()];
    plan.confinement.rights.processes = true;
    plan
}

fn bubblewrap() -> Command {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop", "ALL"]);
    command.args(["--proc", "/proc", "--dev", "/dev"]);
    for path in ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/bin"] {
        command.args(["--ro-bind-try", path, path]);
    }
    for path in ["/usr/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"] {
        command.args(["--ro-bind-try", path, path]);
    }
    command.args(["--", "/bin/echo", "a"]);
    command
}

/// Starts the program once for each line, and answers with a line.
const SANDLOCK: &str = r#"
import sys
from sandlock import Sandbox
readable = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/bin", "/usr/bin", "/etc"]
sandbox = Sandbox(fs_readable=readable)
for line in sys.stdin:
    assert sandbox.run(["/bin/echo", "a"]).success
    print(flush=True)
"#;

/// A running interpreter, which ends when its input does.
struct Interpreter {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Interpreter {
    fn start(python: &OsStr) -> Self {
        let mut command = Command::new(python);
        command.args(["-c", SANDLOCK]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    fn run(&mut self) -> Option<Instant> {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let answer = self.answers.read_line(&mut String::new()).unwrap();
        assert_eq!(answer, 1, "the program ends well");
        None
    }
}

impl Drop for Interpreter {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Runs a command, and returns when its output came.
fn run(command: &mut Command) -> Option<Instant> {
    ends_well(&mut command.stdout(Stdio::piped()).spawn().unwrap())
}

/// Returns when the output of a program came, which ends after it.
fn ends_well(child: &mut Child) -> Option<Instant> {
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let output = Instant::now();
    assert!(child.wait().unwrap().success(), "the program ends well");
    Some(output)
}

fn milliseconds(time: Option<Duration>) -> String {
    time.map_or("-".to_owned(), |time| format!("{:.2} ms", time.as_secs_f64() * 1_000.0))
}
