//! Measures what a sandbox adds to the start of `/bin/true`: `start_cost STAGE [PYTHON]`, where
//! `STAGE` is the path of the program `prowess-sandbox-stage`, and `PYTHON` one that has the package
//! `sandlock`. `cargo xtask bench --start` builds and installs both.
//!
//! Rows with "stage ready" wait until a stage is prepared, as it is where the next script comes
//! later; those with "one after the other" start the program just after its last end. `bwrap` and
//! `sandlock` show the same paths; the interpreter of the latter runs before it is measured.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is a measurement for a terminal")]

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use prowess_sandbox::{DemandedLevel, Isolation, Native, Plan, Program, Streams};

const ROUNDS: usize = 300;
/// How long a stage that was started may take to prepare itself.
const PREPARATION: Duration = Duration::from_millis(12);

/// A way to start the program and wait for its end.
struct Way {
    name: &'static str,
    start: Box<dyn Fn()>,
    /// What comes before each start, and is not measured.
    before: fn(&Self),
    times: Vec<Duration>,
}

fn main() {
    let stage = Program::new(std::env::args_os().nth(1).expect("the path of the stage"));
    let plain = || {
        let mut command = Command::new("/bin/true");
        ends_well(command.env_clear().stdin(Stdio::null()));
    };
    let mut ways = vec![Way::new("plain fork and exec", plain)];
    let started = |way: &Way| (way.start)();
    let rested = |_: &Way| std::thread::sleep(PREPARATION);
    for (level, names) in [
        (DemandedLevel::Floor, ["floor", "floor, one after the other", "floor, stage ready"]),
        (
            DemandedLevel::Namespaces,
            ["namespaces", "namespaces, one after the other", "namespaces, stage ready"],
        ),
    ] {
        let [fresh, following, ready] = names;
        ways.push(Way::confined(fresh, plan(&stage, level), false));
        ways.push(Way::confined(following, plan(&stage, level), true).before(started));
        ways.push(Way::confined(ready, plan(&stage, level), true).before(rested));
    }
    // Nothing has to end what the program leaves.
    let mut alone = plan(&stage, DemandedLevel::Floor);
    alone.confinement.rights.processes = false;
    let name = "floor, stage ready, a program that starts no others";
    ways.push(Way::confined(name, alone, true).before(rested));
    if Command::new("bwrap").arg("--version").output().is_ok() {
        ways.push(Way::new("bwrap", || ends_well(&mut bubblewrap())));
    }
    if let Some(python) = std::env::args_os().nth(2) {
        let interpreter = RefCell::new(Interpreter::start(&python));
        ways.push(Way::new("sandlock", move || interpreter.borrow_mut().run()));
    }
    // One after the other in each round, so that load on the machine is on all of them.
    for _ in 0..ROUNDS {
        ways.iter_mut().for_each(Way::measure);
    }
    ways.iter_mut().for_each(|way| way.times.sort_unstable());
    println!("| start of `/bin/true` | p50 | p95 | p50 over plain |\n|---|--:|--:|--:|");
    let plain = ways[0].at(50);
    for way in &ways {
        let over = way.at(50).saturating_sub(plain);
        let [median, most, over] = [way.at(50), way.at(95), over].map(milliseconds);
        println!("| {} | {median} | {most} | {over} |", way.name);
    }
}

impl Way {
    fn new(name: &'static str, start: impl Fn() + 'static) -> Self {
        Self { name, start: Box::new(start), before: |_| (), times: Vec::new() }
    }

    fn confined(name: &'static str, plan: Plan, keeps_ready: bool) -> Self {
        let mut native = Native::new(plan.stage.clone());
        if keeps_ready {
            native = native.keep_ready();
        }
        Self::new(name, move || {
            let mut running = native.spawn(&plan, &Streams::null(), &[]).unwrap();
            assert!(running.child.wait().unwrap().success());
        })
    }

    fn before(self, before: fn(&Self)) -> Self {
        Self { before, ..self }
    }

    fn measure(&mut self) {
        (self.before)(self);
        let begun = Instant::now();
        (self.start)();
        self.times.push(begun.elapsed());
    }

    fn at(&self, share: usize) -> Duration {
        self.times[(ROUNDS - 1) * share / 100]
    }
}

fn plan(stage: &Program, level: DemandedLevel) -> Plan {
    let mut plan = Plan::run(stage, Program::new("/bin/true"));
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
    command.args(["--", "/bin/true"]);
    command
}

/// Starts the program once for each line, and answers with a line.
const SANDLOCK: &str = r#"
import sys
from sandlock import Sandbox
readable = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/bin", "/usr/bin", "/etc"]
sandbox = Sandbox(fs_readable=readable)
for line in sys.stdin:
    assert sandbox.run(["/bin/true"]).success
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

    fn run(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let answer = self.answers.read_line(&mut String::new()).unwrap();
        assert_eq!(answer, 1, "the program ends well");
    }
}

impl Drop for Interpreter {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn ends_well(command: &mut Command) {
    assert!(command.stdout(Stdio::null()).status().unwrap().success());
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}
