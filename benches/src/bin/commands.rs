//! Prints the cost of whole programs, as people and clients start them, on packages with files.
//!
//! `commands PROWESS [ROUNDS]`: 7 rounds by default, three times as many up to 1,000 skills. Each
//! row is the CPU time of a fresh process from its start to its end, or to the answer that is
//! named, with warm files. It is compared with a program that lists each directory of the same tree
//! once, and reads 4 KiB of each `SKILL.md`.
//! `commands floor DIRECTORY...` is that program.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use benches::children::{cpu_of, cpu_of_children, run};
use benches::table::{milliseconds, print_alone, print_beside};
use benches::{corpus, floor, measure};
use tempfile::TempDir;

const SIZES: [usize; 4] = [0, 1_000, 10_000, 50_000];

/// Returns the most that a command may take where there are no skills, in milliseconds. `doctor`
/// starts this program once more, to see what the sandbox offers: that takes as long as its own
/// start, 3 ms, and the namespaces and watches about as much, of which nothing can be left out.
fn most_empty(name: &str) -> f64 {
    if name == "doctor" { 12.0 } else { 5.0 }
}

/// The most that a command may take that reads each file whole, and the number of skills.
const MOST_OF_WHOLE: (usize, f64) = (10_000, 1_500.0);

/// How old files are before anything is measured: one that has just changed is read once more.
const UNTIL_OLD: Duration = Duration::from_secs(4);

type Measured = (&'static str, &'static [&'static str], [Option<f64>; 2]);

/// The measured commands: a name, the arguments, and the maximum ratio to the floor, without
/// and with the record cache. `ID` and `ROOT` are replaced.
const COMMANDS: [Measured; 8] = [
    ("list", &["list"], [Some(1.6), Some(1.0)]),
    ("search", &["search", "review a report"], [Some(1.7), None]),
    ("prompt", &["prompt"], [Some(1.7), None]),
    ("explain", &["explain", "ID"], [None, None]),
    ("call skills_load", &["call", "skills_load", r#"{"names":["ID"]}"#], [None, None]),
    ("run a script that does nothing", &["run", "ID", "scripts/nothing.sh"], [None, None]),
    ("validate", &["validate", "ROOT"], [None, None]),
    ("doctor", &["doctor"], [None, None]),
];

/// The requests of a client at its start, each with the name of its row and the maximum ratio.
const REQUESTS: [(&str, &str, f64); 2] = [
    (
        "serve, until the answer to `initialize`",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
        1.5,
    ),
    (
        "serve, until the answer to `tools/list`",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
        1.7,
    ),
];

/// Rows of a server that watches: names, units and limits.
const WATCHING: [(&str, &str, Option<f64>); 6] = [
    ("CPU time until it watches", "ms", None),
    ("resident memory once it watches", "MB", None),
    ("descriptors once it watches", "", None),
    ("threads once it watches", "", None),
    ("CPU time in ten idle seconds", "ms", Some(0.0)),
    ("context switches in ten idle seconds", "", Some(0.0)),
];

/// A server has set up its watches when it has not run for so long, in which threads without work
/// have ended, too; and how long it is looked at then.
const UNTIL_IDLE: Duration = Duration::from_secs(11);
const IDLE: Duration = Duration::from_secs(10);

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().expect("the program to measure is the first argument");
    let second = arguments.next();
    if program == "floor" {
        let roots = second.into_iter().chain(arguments);
        let files: usize = roots.map(|root| floor::walk(Path::new(&root))).sum();
        std::process::exit(i32::from(files == usize::MAX));
    }
    let rounds = second.and_then(|rounds| rounds.parse().ok()).unwrap_or(7);
    for count in SIZES {
        // A small tree takes little time, of which more rounds can be had.
        let rounds = if count <= SIZES[1] { 3 * rounds } else { rounds };
        let (_tree, root) = corpus::packages_on_disk(count);
        std::thread::sleep(UNTIL_OLD);
        let home = tempfile::tempdir().expect("a temporary directory");
        let (program, roots) = (program.clone().into(), vec![root]);
        let mut bench = Bench { program, roots, home, count, rounds };
        bench.print();
        if count == SIZES[1] {
            bench.print_default_layout();
        }
    }
}

struct Bench {
    program: PathBuf,
    roots: Vec<PathBuf>,
    home: TempDir,
    count: usize,
    rounds: usize,
}

/// Waits until a server watches, and returns what it holds then and what it does while it is idle.
fn watching(server: u32) -> Vec<f64> {
    let work_after = |time| {
        std::thread::sleep(time);
        measure::work_of(server)
    };
    let mut before = [0; 2];
    loop {
        let now = work_after(UNTIL_IDLE);
        if now == before {
            break;
        }
        before = now;
    }
    let held = measure::held_by(server);
    let after = work_after(IDLE);
    let [time, switches] = [0, 1].map(|at| after[at].abs_diff(before[at]) as f64);
    held.into_iter().chain([time / 1e6, switches]).collect()
}

impl Bench {
    fn print(&self) {
        for (name, arguments, most_of) in COMMANDS {
            // Both read each file whole; the others see it as `list` does.
            let is_measured_twice = !matches!(name, "validate" | "doctor");
            let time = self.row(name, most_of[0], || run(&mut self.command(arguments, false)));
            let (count, most) = MOST_OF_WHOLE;
            if !is_measured_twice && self.count == count {
                let name = format!("{name}, total");
                print_alone(&name, count, milliseconds(time), "ms", Some(most));
            }
            if self.count > 0 && is_measured_twice {
                // The first run writes the cache, the second one finds that files are old.
                for _ in 0..2 {
                    run(&mut self.command(arguments, true));
                }
                let name = format!("{name}, with the record cache");
                self.row(&name, most_of[1], || run(&mut self.command(arguments, true)));
            }
        }
        let (times, floor) = self.medians(|| self.serve(drop).0);
        for ((name, _, most), time) in REQUESTS.into_iter().zip(times) {
            self.print_row(name, Some(most), time, floor);
        }
        let peak = self.serve(measure::peak_kib_of).1 as f64 / 1024.0;
        print_alone("serve, peak memory at the answer", self.count, peak, "MB", None);
        let mut held = Vec::new();
        let time = cpu_of_children(|| held = self.serve(watching).1);
        let values = std::iter::once(milliseconds(time)).chain(held);
        for ((name, unit, most), value) in WATCHING.into_iter().zip(values) {
            print_alone(&format!("serve, {name}"), self.count, value, unit, most);
        }
    }

    /// Prints the rows of skills in the home and in a project in which two clients share them.
    fn print_default_layout(&mut self) {
        let project = self.roots[0].ancestors().nth(2).expect("it is below a project").to_owned();
        let of_user = self.home.path().join(".claude/skills");
        let made = [&project.join(".git"), &project.join(".claude"), &of_user];
        made.iter().for_each(|it| std::fs::create_dir_all(it).expect("it can be made"));
        symlink("../.agents/skills", project.join(".claude/skills")).expect("it can be made");
        corpus::write_packages(&of_user, self.count..2 * self.count);
        self.roots.push(of_user);
        std::thread::sleep(UNTIL_OLD);
        let rows =
            [("", &["--no-cache", "list"][..], 1.6), (", with the record cache", &["list"], 1.0)];
        for (cache, arguments, most) in rows {
            let work = || {
                let mut command = Command::new(&self.program);
                command.env_clear().env("HOME", self.home.path()).current_dir(&project);
                assert!(run(command.args(arguments)), "the skills are listed");
            };
            // The first run writes the cache, the second one finds that files are old.
            (0..2).for_each(|_| work());
            self.row(&format!("list, home and project{cache}"), Some(most), work);
        }
    }

    /// Prints the median of the CPU times, beside the floor's of the same rounds, and returns it.
    fn row<T>(&self, name: &str, most: Option<f64>, mut work: impl FnMut() -> T) -> Duration {
        let ([time], floor) = self.medians(|| [cpu_of_children(|| drop(work()))]);
        self.print_row(name, most, time, floor);
        time
    }

    fn print_row(&self, name: &str, most: Option<f64>, time: Duration, floor: Duration) {
        if self.count == 0 {
            print_alone(name, 0, milliseconds(time), "ms", Some(most_empty(name)));
        } else {
            print_beside(name, self.count, time, floor, most);
        }
    }

    /// Returns the medians of the times that each round measures, and the floor's.
    fn medians<const N: usize>(
        &self,
        mut round: impl FnMut() -> [Duration; N],
    ) -> ([Duration; N], Duration) {
        let itself = std::env::current_exe().expect("the program has a path");
        let median = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2]
        };
        let (times, floors): (Vec<_>, _) = (0..self.rounds)
            .map(|_| {
                let mut floor = Command::new(&itself);
                floor.arg("floor").args(&self.roots);
                let reach = || assert!(run(&mut floor), "the floor is reached");
                (round(), cpu_of_children(reach))
            })
            .unzip();
        let each = std::array::from_fn(|at| median(times.iter().map(|it| it[at]).collect()));
        (each, median(floors))
    }

    fn command(&self, arguments: &[&str], with_cache: bool) -> Command {
        let root = self.roots[0].display().to_string();
        let id = corpus::skill(0).0;
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", self.home.path()).current_dir(self.home.path());
        command.env("PATH", "/usr/bin:/bin").arg("--no-config");
        // It takes the directory as its argument, and no skills of others.
        if arguments[0] != "validate" {
            command.arg(format!("--root=user={root}"));
        }
        if !with_cache {
            command.arg("--no-cache");
        }
        let own = arguments.iter().map(|text| text.replace("ID", &id).replace("ROOT", &root));
        command.args(own);
        command
    }

    /// Starts a server, makes the requests one after another, looks at its process, by its number,
    /// and ends it. Returns its CPU time at each answer, too: what it does afterwards is not part
    /// of that.
    fn serve<T>(&self, look: impl FnOnce(u32) -> T) -> ([Duration; REQUESTS.len()], T) {
        let mut command = self.command(&["serve"], false);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the program can be started");
        let mut input = server.stdin.take().expect("it is piped");
        let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
        let times = REQUESTS.map(|(_, request, _)| {
            writeln!(input, "{request}").expect("the server reads");
            let mut answer = String::new();
            while !answer.contains("\"result\"") {
                answer.clear();
                let read = output.read_line(&mut answer).expect("the server writes");
                assert!(read > 0, "the server ended before it answered {request}");
            }
            let time = cpu_of(server.id());
            writeln!(input, "{INITIALIZED}").expect("the server reads");
            time
        });
        let seen = look(server.id());
        server.kill().expect("it runs");
        server.wait().expect("it has ended");
        (times, seen)
    }
}
