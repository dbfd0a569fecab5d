//! Discovery with cold caches, on a separate file system that is mounted again for each run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::generate;
use crate::process::{Failure, built, cargo, succeed};

/// The number of skills, and of rounds of each way.
const SKILLS: usize = 1_000;
const ROUNDS: usize = 5;

/// 32 parallel reads, and prowess, by their names in the program `once`.
const WAYS: [&str; 2] = ["many", "wait"];

/// The maximum ratio to 32 parallel reads.
const MOST: f64 = 1.5;

/// Returns the row of the page; without the right to mount, a row with the reason.
pub(crate) fn row() -> String {
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

/// Returns the times of 32 parallel reads and of prowess in milliseconds.
fn measured() -> Result<[f64; 2], Failure> {
    cargo(["build", "--profile", "dist", "--package", "benches", "--bin", "once"])?;
    let once = built("dist", "once")?;
    let directory = tempfile::tempdir()?;
    let disk = Disk { image: directory.path().join("image"), place: directory.path().join("disk") };
    std::fs::create_dir(&disk.place)?;
    succeed(Command::new("truncate").args(["--size", "2G"]).arg(&disk.image))?;
    succeed(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&disk.image))?;
    let mounted = disk.mount()?;
    generate(&once, &disk.place, SKILLS)?;
    drop(mounted);
    let mut least = [Duration::MAX; WAYS.len()];
    for _ in 0..ROUNDS {
        for (way, least) in WAYS.into_iter().zip(&mut least) {
            *least = timed(&disk, &once, way)?.min(*least);
        }
    }
    Ok(least.map(|time| time.as_secs_f64() * 1e3))
}

/// Measures one way, with the start and the end of the program.
fn timed(disk: &Disk, once: &Path, way: &str) -> Result<Duration, Failure> {
    // The program itself is in memory before the measurement.
    succeed(Command::new(once).arg("nothing").arg(&disk.place))?;
    let _mounted = disk.mount()?;
    let began = Instant::now();
    succeed(Command::new(once).arg(way).arg(disk.place.join("skills")))?;
    Ok(began.elapsed())
}

/// A file with a file system, and its mount point.
struct Disk {
    image: PathBuf,
    place: PathBuf,
}

/// A mounted disk. Dropping it unmounts the disk, with its caches.
struct Mounted<'d> {
    disk: &'d Disk,
    device: String,
}

impl Disk {
    fn mount(&self) -> Result<Mounted<'_>, Failure> {
        // Direct I/O, so that the kernel does not cache the image either.
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show", "--direct-io=on"]).arg(&self.image);
        let device = String::from_utf8_lossy(&succeed(&mut losetup)?).trim().to_owned();
        let mounted = Mounted { disk: self, device };
        succeed(Command::new("mount").arg(&mounted.device).arg(&self.place))?;
        Ok(mounted)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.disk.place).status());
        drop(Command::new("losetup").arg("--detach").arg(&self.device).status());
    }
}
