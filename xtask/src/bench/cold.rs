//! Discovery with cold caches, which the kernel drops before each run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::generate;
use crate::process::{Failure, built, built_in, succeed};

const SKILLS: usize = 1_000;
const ROUNDS: usize = 5;

/// 32 parallel reads, and prowess, by their names in the program `once`.
const WAYS: [&str; 2] = ["many", "wait"];

/// The maximum ratio to 32 parallel reads.
const MOST: f64 = 1.5;

/// Returns the row of the page; without the rights of root, a row with the reason.
pub(super) fn row() -> String {
    let what = format!(
        "| discovery with cold caches, wall-clock time, compared with 32 parallel reads | {SKILLS} |"
    );
    match measured() {
        Ok([many, ours]) => {
            let is_met = if ours <= MOST * many { "yes" } else { "**no**" };
            let ratio = ours / many;
            format!("{what} {ours:.0}ms | {many:.0}ms | {ratio:.2} | ≤ {MOST} | {is_met} |\n")
        }
        Err(Failure(why)) => {
            let why = why.lines().next().unwrap_or_default().replace('|', " ");
            format!("{what} not measured: {why} | | | ≤ {MOST} | **no** |\n")
        }
    }
}

/// Returns the least times of both ways in milliseconds.
fn measured() -> Result<[f64; 2], Failure> {
    let once = built("dist", "once")?;
    // Below `target`, because temporary files may be in memory.
    let directory = tempfile::tempdir_in(built_in("")?)?;
    let skills = generate(&once, "generate", directory.path(), SKILLS)?;
    let mut least = [Duration::MAX; WAYS.len()];
    for _ in 0..ROUNDS {
        for (way, least) in WAYS.into_iter().zip(&mut least) {
            *least = timed(&skills, &once, way)?.min(*least);
        }
    }
    Ok(least.map(|time| time.as_secs_f64() * 1e3))
}

/// Measures one way, with the start and the end of the program.
fn timed(skills: &Path, once: &Path, way: &str) -> Result<Duration, Failure> {
    succeed(&mut Command::new("sync"))?;
    std::fs::write("/proc/sys/vm/drop_caches", "3")?;
    // The program itself is in memory before the measurement.
    succeed(Command::new(once).arg("nothing").arg(once))?;
    let began = Instant::now();
    succeed(Command::new(once).arg(way).arg(skills))?;
    Ok(began.elapsed())
}
