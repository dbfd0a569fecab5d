//! Discovery with cold caches, on a separate file system that is mounted again for each run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::checked;
use crate::process::{Failure, built, cargo, succeed};

/// The number of skills, and of rounds of each way.
const SKILLS: &str = "1000";
const ROUNDS: usize = 5;

/// One thread, 32 parallel reads, and prowess, by their names in the program `once`.
const WAYS: [&str; 3] = ["floor", "many", "wait"];

/// The maximum ratio to 32 parallel reads.
const MOST: f64 = 1.5;

/// Prints the wall-clock time of discovery on a disk that is not cached, and fails if it is too
/// long. It needs the right to mount.
pub(crate) fn run() -> Result<(), Failure> {
    let [one, many, ours] = measured()?;
    println!("{SKILLS} skills, cold caches, the least of {ROUNDS} rounds:");
    println!(
        "one read at a time {one:.0} ms, 32 parallel reads {many:.0} ms, prowess {ours:.0} ms"
    );
    println!("prowess / 32 parallel reads = {:.2}, at most {MOST}", ours / many);
    if ours <= MOST * many {
        return Ok(());
    }
    Err(Failure(format!("discovery on a cold disk takes {:.2} times as long", ours / many)))
}

/// Returns the row of the page; without the right to mount, a row with the reason.
pub(crate) fn row() -> String {
    let what = format!(
        "| discovery with cold caches, wall-clock time, compared with 32 parallel reads | {SKILLS} |"
    );
    match measured() {
        Ok([_, many, ours]) => {
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

/// Returns the times of one thread, of 32 parallel reads and of prowess in milliseconds.
fn measured() -> Result<[f64; 3], Failure> {
    cargo(["build", "--profile", "dist", "--package", "benches", "--bin", "once"])?;
    let once = built("dist", "once")?;
    let directory = tempfile::tempdir()?;
    let disk = Disk { image: directory.path().join("image"), place: directory.path().join("disk") };
    let skills = disk.place.join("skills");
    std::fs::create_dir(&disk.place)?;
    checked(Command::new("truncate").args(["--size", "2G"]).arg(&disk.image))?;
    checked(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&disk.image))?;
    let mounted = disk.mount()?;
    std::fs::create_dir(&skills)?;
    checked(Command::new(&once).arg("generate").arg(&skills).arg(SKILLS))?;
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
    checked(Command::new(once).arg("nothing").arg(&disk.place))?;
    let _mounted = disk.mount()?;
    let began = Instant::now();
    checked(Command::new(once).arg(way).arg(disk.place.join("skills")))?;
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
        checked(Command::new("mount").arg(&mounted.device).arg(&self.place))?;
        Ok(mounted)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.disk.place).status());
        drop(Command::new("losetup").arg("--detach").arg(&self.device).status());
    }
}
