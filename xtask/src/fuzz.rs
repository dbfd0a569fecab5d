//! Runs the fuzz targets of the crates that read untrusted bytes by libFuzzer, with the stable
//! compiler.

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

/// What `cargo fuzz` would set: each branch and comparison of the code tells libFuzzer that it was
/// met. Only the sanitizers need a nightly compiler, and code without `unsafe` can do without them.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds all targets and runs each for its part of the time, from the kept seeds and from what
/// earlier runs found below `target`. Fails if an input breaks one.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let seconds = seconds(arguments)?;
    let targets = targets()?;
    let host = host()?;
    for package in PACKAGES {
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

fn seconds(arguments: &[&str]) -> Result<u64, Failure> {
    match arguments {
        [] => Ok(SECONDS),
        [seconds] => seconds
            .parse()
            .map_err(|_| Failure(format!("`{seconds}` is no number of seconds; try {SECONDS}"))),
        _ => Err(Failure(format!("one number of seconds is enough; try {SECONDS}"))),
    }
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
    command.args(options(seconds)).arg(format!("-exact_artifact_path={}", input.display()));
    let dictionary = root().join(package).join("dictionary");
    command.arg(format!("-dict={}", dictionary.display()));
    // New inputs go to the first folder; the others are only read.
    command.arg(&found).arg(root().join(package).join("seeds").join(name));
    report(&mut command, &input)
}

/// A slow or a greedy input breaks a target as a panic does.
fn options(seconds: u64) -> [String; 6] {
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
    fn the_time_is_a_number_of_seconds() {
        assert_eq!(seconds(&[]).ok(), Some(SECONDS));
        assert_eq!(seconds(&["5"]).ok(), Some(5));
        for wrong in [&["-1"] as &[&str], &["long"], &["1", "2"]] {
            assert!(seconds(wrong).is_err(), "{wrong:?} is no time");
        }
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
