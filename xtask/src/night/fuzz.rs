//! Runs the fuzz targets of the crates that read untrusted bytes by libFuzzer, with the stable
//! compiler.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{Failure, cargo_with, fail_for, host, output};
use crate::root;

/// The packages, which are no part of the workspace.
const PACKAGES: [&str; 5] = [
    "crates/prowess-archive/fuzz",
    "crates/prowess-format/fuzz",
    "crates/prowess-gate/fuzz",
    "crates/prowess-source-remote/fuzz",
    "crates/prowess-store/fuzz",
];

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

/// Builds the targets and runs each for its part of the time, from the kept seeds and from what
/// earlier runs found below `target`. Fails if an input breaks one.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let (seconds, targets) = selected(arguments, targets()?)?;
    let host = host()?;
    let packages: BTreeSet<_> = targets.iter().map(|target| target.package).collect();
    for package in packages {
        build(package, &host)?;
    }
    let each = (seconds / targets.len() as u64).max(1);
    let mut broken = Vec::new();
    for target in &targets {
        println!("{}: {each} seconds", target.name);
        if let Some(input) = fuzz(target, &host, each)? {
            println!("{}: broken by {}", target.name, input.display());
            broken.push(target.name.as_str());
        }
    }
    fail_for("targets broke on an input", &broken)
}

/// Returns the seconds and the targets of a command line, `[SECONDS] [--target NAME]...`. Without a
/// name it selects all targets.
fn selected(arguments: &[&str], targets: Vec<Target>) -> Result<(u64, Vec<Target>), Failure> {
    let usage = || Failure("`fuzz` takes `[SECONDS] [--target NAME]...`".to_owned());
    let (seconds, rest) = match arguments {
        [seconds, rest @ ..] if !seconds.starts_with('-') => {
            (seconds.parse().map_err(|_| usage())?, rest)
        }
        rest => (SECONDS, rest),
    };
    let mut names = Vec::new();
    for pair in rest.chunks(2) {
        let ["--target", name] = pair else { return Err(usage()) };
        names.push(*name);
    }
    if let Some(unknown) = names.iter().find(|name| targets.iter().all(|it| it.name != **name)) {
        let known: Vec<_> = targets.iter().map(|target| target.name.as_str()).collect();
        return Err(Failure(format!("no target `{unknown}`; there are {}", known.join(", "))));
    }
    let is_selected = |target: &Target| names.is_empty() || names.contains(&target.name.as_str());
    Ok((seconds, targets.into_iter().filter(is_selected).collect()))
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
    let build = ["build", "--release", "--target", host, "--target-dir", TARGET];
    let arguments = build.into_iter().chain(["--manifest-path", &manifest]);
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
    // A slow or a greedy input breaks a target as a panic does.
    command.args(["-timeout=2", "-rss_limit_mb=512", "-max_len=4096", "-verbosity=0"]);
    command.args(["-print_final_stats=1", &format!("-max_total_time={seconds}")]);
    command.arg(format!("-exact_artifact_path={}", input.display()));
    let dictionary = root().join(package).join("dictionary");
    command.arg(format!("-dict={}", dictionary.display()));
    // New inputs go to the first folder; the others are only read.
    command.arg(&found).arg(root().join(package).join("seeds").join(name));
    let ended = output(&mut command)?;
    let printed = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() {
        let runs = "stat::number_of_executed_units:";
        let runs = printed.lines().find_map(|line| line.strip_prefix(runs));
        println!("  {} inputs", runs.unwrap_or("no").trim());
        return Ok(None);
    }
    eprintln!("{printed}");
    Ok(Some(input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_selects_time_and_targets() {
        let select = |words: &[&str]| {
            let names =
                |targets: Vec<Target>| targets.into_iter().map(|it| it.name).collect::<Vec<_>>();
            let selected = selected(words, targets().expect("the folders are there"));
            selected.map(|(seconds, targets)| (seconds, names(targets))).map_err(|it| it.0)
        };
        let of = |seconds, names: &[&str]| -> Result<(u64, Vec<String>), String> {
            Ok((seconds, names.iter().map(|name| (*name).to_owned()).collect()))
        };
        assert!(select(&[]).is_ok_and(|(seconds, all)| seconds == SECONDS && all.len() > 2));
        assert_eq!(select(&["--target", "lock"]), of(SECONDS, &["lock"]));
        let both = ["5", "--target", "lock", "--target", "archive"];
        assert_eq!(select(&both), of(5, &["archive", "lock"]));
        for wrong in [&["-1"] as &[&str], &["long"], &["1", "2"], &["--target"], &["--jobs", "2"]] {
            assert!(select(wrong).is_err(), "{wrong:?} cannot be read");
        }
        let refused = select(&["--target", "locks"]).expect_err("no target has this name");
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
