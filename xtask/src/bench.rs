//! Benchmarks, and counts that do not depend on the load of the machine.

mod cold;
pub(crate) mod compare;
pub(crate) mod page;
pub(crate) mod start;
mod whole;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{Failure, built, built_in, cargo, output, run as run_program, succeed};

/// The profile of measured and counted programs: optimized as a whole, as in a release.
const DIST: [&str; 2] = ["--profile", "dist"];

/// Two sizes, whose difference does not include the start and the end of a process.
const SIZES: [usize; 2] = [100, 1_000];

/// The costs of a skill that are counted, each with its maximum. A second scan, by which a host
/// sees that nothing changed, takes fewer system calls.
const COSTS: [(&str, f64); 4] = [
    ("system calls", 3.05),
    ("system calls of a second scan", 1.05),
    ("user instructions", 8_000.0),
    ("bytes on the heap", 400.0),
];

/// The readers of a frontmatter whose instructions are counted; the second one for comparison.
const READERS: [&str; 2] = ["prowess-format", "yaml_serde"];

/// Denials, and the maximum instructions of a decision on `git status`. Those of other programs
/// cost little more than one.
const DECISIONS: [(&str, f64); 3] = [
    ("", 13_500.0),
    ("Bash(rm:*)", 28_000.0),
    ("Bash(rm:*),Bash(curl:*),Bash(git push:*)", 48_000.0),
];

/// The age of the files before anything is counted: a file that has just changed is read once more.
const UNTIL_OLD: Duration = Duration::from_secs(4);

const PROGRAMS: [&str; 8] =
    ["ratios", "facade", "start", "watch", "readers", "search", "plugins", "commands"];

/// What the measured programs start or load. They are built in one step and like the programs, so
/// that a plugin is compared with the same code.
const NEEDED: &str = "--bin memory --bin once --package prowess-plugin-host --bin prowess-plugin-runner \
    --package prowess-plugin-memory --package prowess-plugin-filesystem --package prowess-plugin-skill-tools";

/// Where the rows of a run are until its page is written.
const KEPT: &str = "bench";

/// Runs the benchmarks and writes `benches/README.md`. The arguments are the number of rounds and a
/// directory of real skills, by default the corpus next to the clone, if there is one.
///
/// The rows of each program are kept until the page is written: a run that was interrupted goes on
/// where it ended.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let programs = PROGRAMS.iter().flat_map(|program| ["--bin", program]).chain(NEEDED.split(' '));
    cargo(
        ["build", "--lib", DIST[0], DIST[1], "--package", "benches"].into_iter().chain(programs),
    )?;
    let own = own_program()?.display().to_string();
    let here = built_in(DIST[1])?.display().to_string();
    let corpus = crate::root().join("../shared/corpus").display().to_string();
    let real = arguments.get(1).copied().or(Path::new(&corpus).is_dir().then_some(&*corpus));
    let ratios: Vec<_> =
        arguments.first().copied().or(Some("15")).into_iter().chain(real).collect();
    let mut rows = String::new();
    for program in PROGRAMS {
        rows.push_str(&match program {
            "ratios" => kept_rows(program, &ratios)? + &cold::row(),
            "plugins" => kept_rows(program, &[&here])?,
            "commands" => page::COMMANDS.to_owned() + &kept_rows(program, &[&own])?,
            _ => kept_rows(program, &[])?,
        });
    }
    let page = page::written(&rows);
    print!("{page}");
    std::fs::write(crate::root().join(page::PATH), page)?;
    std::fs::remove_dir_all(built_in(KEPT)?)?;
    compare::draw()
}

/// Returns the rows that a program prints, or those that were kept since it was built.
fn kept_rows(program: &str, arguments: &[&str]) -> Result<String, Failure> {
    let kept = built_in(KEPT)?.join(program);
    let measured = arguments.iter().map(PathBuf::from).chain([built(DIST[1], program)?]);
    let time = |path: &Path| path.metadata().ok()?.modified().ok();
    if measured.into_iter().all(|path| time(&path) < time(&kept)) {
        return Ok(std::fs::read_to_string(kept)?);
    }
    let printed = succeed(Command::new(built(DIST[1], program)?).args(arguments))?;
    std::fs::create_dir_all(built_in(KEPT)?)?;
    std::fs::write(kept, &printed)?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Prints the rows of whole programs alone.
pub(crate) fn print_commands() -> Result<(), Failure> {
    run_program(&mut commands()?)
}

/// Returns the program that measures whole programs, with the one to measure.
fn commands() -> Result<Command, Failure> {
    cargo(["build", DIST[0], DIST[1], "--package", "benches", "--bin", "commands"])?;
    let mut commands = Command::new(built("dist", "commands")?);
    commands.arg(own_program()?);
    Ok(commands)
}

fn own_program() -> Result<PathBuf, Failure> {
    cargo(["build", DIST[0], DIST[1], "--package", "prowess-cli"])?;
    built("dist", "prowess")
}

/// Prints the system calls, instructions and memory of each further skill, and fails if they are
/// too many.
pub(crate) fn count() -> Result<(), Failure> {
    let programs = ["--bin", "once", "--bin", "memory", "--bin", "parse"];
    let build = ["build", DIST[0], DIST[1], "--package", "benches", "--no-default-features"];
    cargo(build.iter().chain(&programs))?;
    let [once, memory, parse] =
        [built("dist", "once")?, built("dist", "memory")?, built("dist", "parse")?];
    let places = [tempfile::tempdir()?, tempfile::tempdir()?];
    let mut corpora = Vec::new();
    for (place, size) in places.iter().zip(SIZES) {
        corpora.push(generate(&once, "generate", place.path(), size)?);
    }
    std::thread::sleep(UNTIL_OLD);
    let calls = |at: usize, work: &str| {
        system_calls(Command::new(&once).arg(work).arg(&corpora[at]), &places[at].path().join(work))
    };
    let measured = [
        each(|at| calls(at, "discover"))?,
        each(|at| Ok(calls(at, "settled")?.saturating_sub(calls(at, "reload")?)))?,
        each(|at| instructions(Command::new(&once).arg("discover").arg(&corpora[at])))?,
        bytes_held(&memory, &corpora[1])?,
    ];
    let mut problems = Vec::new();
    for ((cost, most), measured) in COSTS.into_iter().zip(measured) {
        println!("{cost} a skill: {measured:.2}, at most {most}");
        problems.extend((measured > most).then_some(cost));
    }
    let reader = |name: &'static str| {
        let parse = &parse;
        each(move |at| instructions(Command::new(parse).arg(name).arg(SIZES[at].to_string())))
    };
    let nothing = reader("nothing")?;
    for name in READERS {
        println!("user instructions a frontmatter, {name}: {:.0}", reader(name)? - nothing);
    }
    for (denials, most) in DECISIONS {
        let measured = reader(denials)? - nothing;
        println!("user instructions a decision, denied {denials:?}: {measured:.0}, at most {most}");
        problems.extend((measured > most).then_some("instructions of a decision"));
    }
    problems.extend(whole::count(&once)?);
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure(format!(
        "too many {}; see what was added with `valgrind --tool=callgrind`",
        problems.join(" and ")
    )))
}

/// Writes so many skills, in one of the ways of `once`: `generate` or `packages`.
fn generate(once: &Path, way: &str, place: &Path, skills: usize) -> Result<PathBuf, Failure> {
    let corpus = place.join("skills");
    std::fs::create_dir(&corpus)?;
    succeed(Command::new(once).arg(way).arg(&corpus).arg(skills.to_string()))?;
    Ok(corpus)
}

/// Returns the bytes that a catalog has on the heap for each skill, by a counting allocator.
fn bytes_held(memory: &Path, corpus: &Path) -> Result<f64, Failure> {
    let printed = succeed(Command::new(memory).arg(corpus).arg(SIZES[1].to_string()))?;
    let printed = String::from_utf8_lossy(&printed);
    let bytes = printed.split_whitespace().next().and_then(|bytes| bytes.parse().ok());
    bytes.ok_or_else(|| Failure(format!("`memory` printed {printed}")))
}

/// Returns what each skill beyond the smaller size adds to a count.
fn each(count: impl Fn(usize) -> Result<u64, Failure>) -> Result<f64, Failure> {
    let [few, many] = SIZES;
    Ok((count(1)? as f64 - count(0)? as f64) / (many - few) as f64)
}

fn system_calls(command: &Command, log: &Path) -> Result<u64, Failure> {
    succeed(&mut traced(command, log))?;
    traced_calls(log)
}

/// Returns a command that writes the system calls of another one to a file.
fn traced(command: &Command, log: &Path) -> Command {
    let mut strace = Command::new("strace");
    strace.arg("-f").arg("-o").arg(log).arg(command.get_program()).args(command.get_args());
    strace
}

fn traced_calls(log: &Path) -> Result<u64, Failure> {
    // One line for each call; those of signals and of the end begin otherwise.
    let is_call = |line: &&str| line.contains('(') && !line.contains("<unfinished");
    Ok(std::fs::read_to_string(log)?.lines().filter(is_call).count() as u64)
}

/// Counts the user instructions of a command. Valgrind has no `openat2`, so files are opened by the
/// fallback, which is counted: a stripped program has no names by which to leave it out.
fn instructions(command: &Command) -> Result<u64, Failure> {
    let ended = output(&mut valgrind(command))?;
    counted_instructions(&String::from_utf8_lossy(&ended.stderr))
}

/// Returns a command that counts the instructions of another one.
fn valgrind(command: &Command) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(command.get_program()).args(command.get_args());
    valgrind
}

fn counted_instructions(printed: &str) -> Result<u64, Failure> {
    let total = printed.lines().find_map(|line| line.split_once("Collected :"));
    let total = total.and_then(|(_, total)| total.trim().parse().ok());
    total.ok_or_else(|| Failure(format!("valgrind gave no count: {printed}")))
}
