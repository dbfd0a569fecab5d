//! Discovery where nothing is in memory: a file system of its own, mounted anew for each run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::checked;
use crate::process::{Failure, built, cargo, succeed};

/// How many skills, and how often each way is taken in turn.
const SKILLS: &str = "1000";
const ROUNDS: usize = 5;

/// One thread, thirty-two reads in flight, and ours, by their names in the program `once`.
const WAYS: [&str; 3] = ["floor", "many", "wait"];

/// At most how many times what it takes with thirty-two reads in flight.
const MOST: f64 = 1.5;

/// Prints what discovery takes on a disk that has to be waited for, by the clock on the wall; fails if it is
/// too much. It takes a user who may mount.
pub(crate) fn run() -> Result<(), Failure> {
    let [one, many, ours] = measured()?;
    println!("{SKILLS} skills, nothing in memory, the least of {ROUNDS} rounds:");
    println!("one read at a time {one:.0} ms, thirty-two {many:.0} ms, ours {ours:.0} ms");
    println!("ours : thirty-two = {:.2}, asked at most {MOST}", ours / many);
    if ours <= MOST * many {
        return Ok(());
    }
    Err(Failure(format!("discovery on a cold disk takes {:.2} times as long", ours / many)))
}

/// The same as a row of the page; where this user may not mount, a row that says so.
pub(crate) fn row() -> String {
    let what = format!("| discovery where nothing is in memory, by the clock | {SKILLS} |");
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

/// One thread, thirty-two reads in flight, and ours, in milliseconds.
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

/// How long one way takes, with what the program itself needs to begin and to end.
fn timed(disk: &Disk, once: &Path, way: &str) -> Result<Duration, Failure> {
    // The program itself is not what is waited for.
    checked(Command::new(once).arg("nothing").arg(&disk.place))?;
    let _mounted = disk.mount()?;
    let began = Instant::now();
    checked(Command::new(once).arg(way).arg(disk.place.join("skills")))?;
    Ok(began.elapsed())
}

/// A file with a file system in it, and where that is mounted.
struct Disk {
    image: PathBuf,
    place: PathBuf,
}

/// A disk that is mounted; dropping it takes it away, with all that is in memory of it.
struct Mounted<'d> {
    disk: &'d Disk,
    device: String,
}

impl Disk {
    fn mount(&self) -> Result<Mounted<'_>, Failure> {
        // Read directly, so that the kernel keeps nothing of the image either.
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
