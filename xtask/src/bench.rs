//! Benchmarks, and counts that do not depend on the load of the machine.

pub(crate) mod cold;
pub(crate) mod compare;
pub(crate) mod page;
mod parsing;
pub(crate) mod start;

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{Failure, built, cargo, output, succeed};

/// The profile of measured and counted programs: optimized as a whole, as in a release.
const DIST: [&str; 2] = ["--profile", "dist"];

/// Two sizes, whose difference does not include the start and the end of a process.
const SIZES: [u64; 2] = [100, 1_000];

/// The maximum cost of a skill: system calls of a first scan and of the next one, user
/// instructions, and bytes on the heap.
const MOST_CALLS: f64 = 3.1;
const MOST_CALLS_AGAIN: f64 = 1.1;
const MOST_INSTRUCTIONS: f64 = 6_600.0;
const MOST_BYTES: f64 = 400.0;

/// The age of the files before anything is counted: a file that has just changed is read once more.
const UNTIL_OLD: Duration = Duration::from_secs(4);

/// The programs that print the rows of the page.
const PROGRAMS: [&str; 7] = ["ratios", "facade", "start", "watch", "readers", "search", "plugins"];

/// Runs the benchmarks and writes `benches/README.md`. The arguments are the number of rounds and a
/// directory of real skills.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    // `ratios` starts `memory`.
    let programs = PROGRAMS.iter().chain(&["memory"]).flat_map(|program| ["--bin", program]);
    let build = ["build", DIST[0], DIST[1], "--package", "benches", "--features", "compare"];
    cargo(build.into_iter().chain(programs))?;
    cargo(["build", DIST[0], DIST[1], "--package", "prowess-plugin-host", "--bins"])?;
    let plugins = crate::night::plugins::build()?.display().to_string();
    let mut rows = String::new();
    for program in PROGRAMS {
        let arguments = match program {
            "ratios" => arguments,
            "plugins" => &[&*plugins],
            _ => &[],
        };
        let printed = succeed(Command::new(built("dist", program)?).args(arguments))?;
        rows.push_str(&String::from_utf8_lossy(&printed));
        if program == "ratios" {
            rows.push_str(&cold::row());
        }
    }
    let page = page::written(&rows);
    print!("{page}");
    std::fs::write(crate::root().join(page::PATH), page)?;
    Ok(())
}

/// Prints the system calls, instructions and memory of each further skill, and fails if they are
/// too many.
pub(crate) fn count() -> Result<(), Failure> {
    let programs = ["--bin", "once", "--bin", "memory", "--bin", "parse"];
    let build = ["build", DIST[0], DIST[1], "--package", "benches", "--no-default-features"];
    cargo(build.iter().chain(&programs))?;
    let once = built("dist", "once")?;
    let mut found = [0; 2];
    let mut again = [0; 2];
    let mut instructions = [0; 2];
    let directories = [tempfile::tempdir()?, tempfile::tempdir()?];
    for (directory, size) in directories.iter().zip(SIZES) {
        let corpus = directory.path().join("skills");
        std::fs::create_dir(&corpus)?;
        checked(Command::new(&once).arg("generate").arg(&corpus).arg(size.to_string()))?;
    }
    std::thread::sleep(UNTIL_OLD);
    for (at, directory) in directories.iter().enumerate() {
        let corpus = directory.path().join("skills");
        let calls = |work: &str| system_calls(&once, work, &corpus, directory.path().join(work));
        found[at] = calls("discover")?;
        again[at] = calls("settled")?.saturating_sub(calls("reload")?);
        instructions[at] = user_instructions(&once, &corpus)?;
    }
    let bytes = bytes_held(&directories[1].path().join("skills"), SIZES[1])?;
    let [found, again, instructions] = [found, again, instructions].map(each);
    println!("system calls a skill: {found:.2}, and {again:.2} to see that nothing changed");
    println!("user instructions a skill: {instructions:.0}");
    println!("bytes on the heap a skill: {bytes:.0}");
    parsing::count()?;
    let is_cheap = found <= MOST_CALLS
        && again <= MOST_CALLS_AGAIN
        && instructions <= MOST_INSTRUCTIONS
        && bytes <= MOST_BYTES;
    if is_cheap {
        return Ok(());
    }
    Err(Failure(format!(
        "a skill may take {MOST_CALLS} system calls, {MOST_CALLS_AGAIN} to see that nothing changed, \
         {MOST_INSTRUCTIONS} user instructions and {MOST_BYTES} bytes; see what was added with `valgrind --tool=callgrind`"
    )))
}

/// Returns the bytes per skill that a catalog of `count` skills has on the heap, by a counting
/// allocator.
fn bytes_held(corpus: &Path, count: u64) -> Result<f64, Failure> {
    let mut memory = Command::new(built("dist", "memory")?);
    let printed = succeed(memory.arg(corpus).arg(count.to_string()))?;
    let printed = String::from_utf8_lossy(&printed);
    let bytes = printed.split_whitespace().next().and_then(|bytes| bytes.parse().ok());
    bytes.ok_or_else(|| Failure(format!("`memory` printed {printed}")))
}

/// Returns what each skill beyond the smaller size adds.
fn each([small, large]: [u64; 2]) -> f64 {
    let [few, many] = SIZES;
    (large as f64 - small as f64) / (many - few) as f64
}

fn system_calls(once: &Path, work: &str, corpus: &Path, log: PathBuf) -> Result<u64, Failure> {
    let mut strace = tool("strace")?;
    checked(strace.arg("-f").arg("-o").arg(&log).arg(once).arg(work).arg(corpus))?;
    // One line for each call; those of signals and of the end begin otherwise.
    let is_call = |line: &&str| line.contains('(') && !line.contains("<unfinished");
    Ok(std::fs::read_to_string(log)?.lines().filter(is_call).count() as u64)
}

/// Counts user instructions. Valgrind has no `openat2`, so files are opened by the fallback, which
/// is not counted: with `openat2` it is one system call.
fn user_instructions(once: &Path, corpus: &Path) -> Result<u64, Failure> {
    instructions(once, &["discover".as_ref(), corpus.as_os_str()])
}

/// Returns the number of instructions of a program with these arguments.
fn instructions(program: &Path, arguments: &[&OsStr]) -> Result<u64, Failure> {
    let mut valgrind = tool("valgrind")?;
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    // In this order: the first turns off what the second turns on again.
    valgrind.args(["--toggle-collect=prowess_dir::resolve::open", "--collect-atstart=yes"]);
    let said = checked(valgrind.arg(program).args(arguments))?;
    let total = said.lines().find_map(|line| line.split_once("Collected :"));
    let total = total.and_then(|(_, total)| total.trim().parse().ok());
    total.ok_or_else(|| Failure(format!("valgrind gave no count: {said}")))
}

/// Returns a command of a program that is not part of a Rust installation.
fn tool(name: &str) -> Result<Command, Failure> {
    match Command::new(name).arg("--version").output() {
        Ok(_) => Ok(Command::new(name)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure(format!(
            "`{name}` is not installed; install it with your system's package manager and count again"
        ))),
        Err(error) => Err(Failure(format!("cannot start `{name}`: {error}"))),
    }
}

/// Runs a program that must succeed, and returns its standard error.
fn checked(command: &mut Command) -> Result<String, Failure> {
    let ended = output(command)?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    if ended.status.success() { Ok(said) } else { Err(Failure(format!("{command:?}: {said}"))) }
}
