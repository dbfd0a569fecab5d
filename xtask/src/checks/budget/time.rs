//! Times of builds from nothing, which depend on the machine.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::process::{Failure, cargo_command, run, succeed};
use crate::root;

/// The rows, in the order in which [`measure`] returns them.
pub(super) const NAMES: [&str; 5] = [
    "CPU seconds of a cold `cargo run -- tour`",
    "seconds of it on two idle cores",
    "CPU seconds of a cold release build",
    "seconds of a cold `cargo xtask test`",
    "MB of `target` after it",
];

/// The directory of the builds, which is removed.
const TARGET: &str = "target/budget";

/// Measures each build in an empty directory, one after another.
pub(super) fn measure() -> Result<[f64; 5], Failure> {
    let tour = cold(&["run", "--quiet", "--", "tour"])?;
    let release = cold(&["build", "--release", "--package", "prowess-cli"])?;
    let test = cold(&["xtask", "test"])?;
    Ok([tour.cpu, tour.wall, release.cpu, test.wall, test.megabytes])
}

/// Returns the CPU seconds of a build from nothing.
pub(super) fn cpu(arguments: &[&str]) -> Result<f64, Failure> {
    Ok(cold(arguments)?.cpu)
}

/// The costs of a build.
struct Taken {
    /// User and system time of all its processes, in seconds.
    cpu: f64,
    wall: f64,
    megabytes: f64,
}

/// Runs cargo with nothing built.
fn cold(arguments: &[&str]) -> Result<Taken, Failure> {
    let target = root().join(TARGET);
    remove(&target)?;
    let before = cpu_of_children()?;
    let begun = Instant::now();
    run(cargo_command(arguments).env("CARGO_TARGET_DIR", &target))?;
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu_of_children()? - before);
    let megabytes = size(&target)?;
    remove(&target)?;
    Ok(Taken { cpu: cpu.round(), wall: wall.round(), megabytes })
}

fn remove(directory: &Path) -> Result<(), Failure> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    Ok(())
}

/// The size on the disk, in which links count once.
fn size(directory: &Path) -> Result<f64, Failure> {
    let printed =
        succeed(Command::new("du").args(["--summarize", "--block-size=1000000"]).arg(directory))?;
    let printed = String::from_utf8_lossy(&printed);
    let size = printed.split_whitespace().next().and_then(|size| size.parse().ok());
    size.ok_or_else(|| Failure(format!("`du` printed {printed}")))
}

/// Returns the CPU time of the child processes that have ended, in seconds, as Linux counts it.
fn cpu_of_children() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    ticks_of_children(&stat).ok_or_else(|| Failure("`/proc/self/stat` has no times".into()))
}

/// Reads the fields `cutime` and `cstime`, in hundredths of a second, behind the name in brackets.
fn ticks_of_children(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_behind_the_name() {
        let stat = "12 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 150 50 20 0";
        assert_eq!(ticks_of_children(stat), Some(2.0));
        assert_eq!(ticks_of_children("12 (a) S 1"), None);
    }
}
