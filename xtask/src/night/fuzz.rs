//! Runs the fuzz targets of the crates that read untrusted bytes by libFuzzer, with the stable
//! compiler.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, cargo_with, host, output};
use crate::root;

/// The packages, which are no part of the workspace.
const PACKAGES: [&str; 5] = [
    "crates/prowess-archive/fuzz",
    "crates/prowess-format/fuzz",
    "crates/prowess-gate/fuzz",
    "crates/prowess-source-remote/fuzz",
    "crates/prowess-store/fuzz",
];

/// A fuzz target of one of the packages.
struct Target {
    package: &'static str,
    name: String,
}

/// How long all targets run together, in seconds, if nothing else is said.
const SECONDS: u64 = 60;

/// The flags that `cargo fuzz` would set: each branch and comparison reports to libFuzzer that it
/// was met. Only the sanitizers need a nightly compiler, and code without `unsafe` can do without
/// them.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The command line: the time of all targets together, and the names of those to run, which are all
/// if there is none.
#[derive(Debug, PartialEq)]
struct Options {
    seconds: u64,
    names: Vec<String>,
}

/// Builds the targets and runs each for its part of the time, from the kept seeds and from what
/// earlier runs found below `target`. Fails if an input breaks one.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let Options { seconds, names } = options(arguments)?;
    let targets = selected(targets()?, &names)?;
    let host = host()?;
    let packages: BTreeSet<_> = targets.iter().map(|target| target.package).collect();
    for package in packages {
        build(package, &host)?;
    }
    let each = (seconds / targets.len() as u64).max(1);
    let mut broken = 0;
    for target in &targets {
        println!("{}: {each} seconds", target.name);
        if let Some(input) = fuzz(target, &host, each)? {
            println!("{}: broken by {}", target.name, input.display());
            broken += 1;
        }
    }
    match broken {
        0 => Ok(()),
        _ => Err(Failure(format!("{broken} of {} targets broke on an input", targets.len()))),
    }
}

fn options(arguments: &[&str]) -> Result<Options, Failure> {
    match arguments {
        [] => Ok(Options { seconds: SECONDS, names: Vec::new() }),
        ["--target", name, rest @ ..] => {
            let mut options = options(rest)?;
            options.names.push((*name).to_owned());
            Ok(options)
        }
        [seconds, rest @ ..] if rest.is_empty() || rest[0] == "--target" => {
            let seconds = seconds.parse().map_err(|_| {
                Failure(format!("`{seconds}` is no number of seconds; try {SECONDS}"))
            })?;
            Ok(Options { seconds, ..options(rest)? })
        }
        _ => Err(Failure(format!(
            "cannot read `{}`; try `[SECONDS] [--target NAME]...`",
            arguments.join(" ")
        ))),
    }
}

/// Returns the targets with these names, or all if there is no name.
fn selected(targets: Vec<Target>, names: &[String]) -> Result<Vec<Target>, Failure> {
    if let Some(unknown) = names.iter().find(|name| targets.iter().all(|it| it.name != **name)) {
        let known: Vec<_> = targets.iter().map(|target| target.name.as_str()).collect();
        return Err(Failure(format!("no target `{unknown}`; there are {}", known.join(", "))));
    }
    let is_selected = |target: &Target| names.is_empty() || names.contains(&target.name);
    Ok(targets.into_iter().filter(is_selected).collect())
}

/// The targets: each is a file, and has a folder of seeds.
fn targets() -> Result<Vec<Target>, Failure> {
    let mut targets = Vec::new();
    for package in PACKAGES {
        for entry in fs::read_dir(root().join(package).join("targets"))? {
            let path = entry?.path();
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            targets.extend(name.map(|name| Target { package, name }));
        }
    }
    targets.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(targets)
}

fn build(package: &str, host: &str) -> Result<(), Failure> {
    let manifest = format!("{package}/Cargo.toml");
    let arguments = [
        "build",
        "--release",
        "--target",
        host,
        "--target-dir",
        TARGET,
        "--manifest-path",
        &manifest,
    ];
    cargo_with(&[("RUSTFLAGS", FLAGS)], arguments).map_err(|Failure(failure)| {
        Failure(format!(
            "{failure}; libFuzzer is built from source, so a C++ compiler must be there"
        ))
    })
}

/// Where all of this is built and found, from the top of the repository.
const TARGET: &str = "target/fuzz";

/// Runs a target and gives the input that broke it.
fn fuzz(target: &Target, host: &str, seconds: u64) -> Result<Option<PathBuf>, Failure> {
    let Target { package, name } = target;
    let place = root().join(TARGET);
    let found = place.join("found").join(name);
    fs::create_dir_all(&found)?;
    let input = place.join(format!("{name}.broken"));
    let mut command = Command::new(place.join(host).join("release").join(name));
    command
        .args(libfuzzer_options(seconds))
        .arg(format!("-exact_artifact_path={}", input.display()));
    let dictionary = root().join(package).join("dictionary");
    command.arg(format!("-dict={}", dictionary.display()));
    // New inputs go to the first folder; the others are only read.
    command.arg(&found).arg(root().join(package).join("seeds").join(name));
    report(&mut command, &input)
}

/// A slow or a greedy input breaks a target as a panic does.
fn libfuzzer_options(seconds: u64) -> [String; 6] {
    [
        format!("-max_total_time={seconds}"),
        "-timeout=2".into(),
        "-rss_limit_mb=512".into(),
        "-max_len=4096".into(),
        "-verbosity=0".into(),
        "-print_final_stats=1".into(),
    ]
}

fn report(command: &mut Command, input: &Path) -> Result<Option<PathBuf>, Failure> {
    let ended = output(command)?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() {
        let runs =
            said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        println!("  {} inputs", runs.unwrap_or("no").trim());
        return Ok(None);
    }
    eprintln!("{said}");
    Ok(Some(input.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_seconds_and_targets() {
        let read = |words: &[&str]| options(words).map_err(|failure| failure.0);
        let of = |seconds, names: &[&str]| {
            Ok(Options { seconds, names: names.iter().map(|name| (*name).to_owned()).collect() })
        };
        assert_eq!(read(&[]), of(SECONDS, &[]), "there is a default");
        assert_eq!(read(&["5"]), of(5, &[]), "seconds alone run all targets");
        assert_eq!(read(&["--target", "lock"]), of(SECONDS, &["lock"]), "a target needs no time");
        let both = ["5", "--target", "lock", "--target", "archive"];
        assert_eq!(read(&both), of(5, &["archive", "lock"]), "a target can be one of many");
        assert_eq!(read(&["--target", "lock", "5"]), of(5, &["lock"]), "the time may be last");
        for wrong in [&["-1"] as &[&str], &["long"], &["1", "2"], &["--target"], &["--jobs", "2"]] {
            assert!(read(wrong).is_err(), "{wrong:?} cannot be read");
        }
    }

    #[test]
    fn only_the_named_targets_run() {
        let names_of = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let selected = selected(targets().expect("the folders are there"), &names);
            selected
                .map(|targets| targets.into_iter().map(|it| it.name).collect::<Vec<_>>())
                .map_err(|failure| failure.0)
        };
        assert_eq!(names_of(&["lock", "archive"]), Ok(vec!["archive".into(), "lock".into()]));
        assert!(names_of(&[]).is_ok_and(|names| names.len() > 2), "no name selects all");
        let refused = names_of(&["lock", "locks"]).expect_err("no target has this name");
        assert!(refused.starts_with("no target `locks`; there are "), "{refused}");
    }

    #[test]
    fn each_target_has_seeds_and_is_built() {
        let targets = targets().expect("the folders are there");
        assert!(!targets.is_empty(), "there are targets");
        for Target { package, name } in targets {
            let package = root().join(package);
            let seeds = fs::read_dir(package.join("seeds").join(&name)).map(Iterator::count);
            assert!(seeds.is_ok_and(|seeds| seeds > 0), "`{name}` has seeds");
            let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("it is a package");
            let path = format!("path = \"targets/{name}.rs\"");
            assert!(manifest.contains(&path), "the manifest names `{name}`");
        }
    }
}
