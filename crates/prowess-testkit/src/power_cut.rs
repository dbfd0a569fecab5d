//! Power cuts: what a disk may hold after the power fails while a program writes.
//!
//! `strace` records the program's writes. A disk holds everything that was synced, and of the
//! other writes any part: a file system may write them in any order. Two changes of one name keep
//! their order, and one rename is never half done.

mod call;
mod cuts;
mod disk;
mod trace;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use cuts::Pending;
use disk::{Change, Disk, Inode};
use trace::Calls;

/// The system calls of a record: those that change files, those that make changes durable, and
/// those that say where a descriptor writes.
const CALLS: &str = "trace=copy_file_range,creat,fallocate,fchmod,fdatasync,fsync,ftruncate,link,\
                     linkat,lseek,mkdir,mkdirat,open,openat,openat2,pwrite64,pwritev,pwritev2,\
                     rename,renameat,renameat2,rmdir,sendfile,symlink,symlinkat,sync,\
                     sync_file_range,syncfs,truncate,unlink,unlinkat,write,writev";

/// The writes of a program below a directory, in their order.
pub struct WriteRecord {
    before: Disk,
    steps: Vec<Step>,
}

/// A state of the disk that a power cut may leave.
pub struct PowerCut<'a> {
    /// What the program had written to its standard output, if that was a pipe.
    pub printed: &'a [u8],
    /// The place in the record, for people.
    pub place: &'a str,
    disk: &'a Disk,
}

enum Step {
    Change(Change),
    /// Everything is written to the disk.
    SyncAll,
    /// What was changed in this file or directory is written to the disk.
    Sync(Inode),
    Printed(Vec<u8>),
}

impl WriteRecord {
    /// Runs a program to its end, and records what it writes below `directory`, which exists.
    pub fn of(command: &Command, directory: &Path) -> Self {
        let directory = directory.canonicalize().expect("the directory exists");
        let mut before = Disk::read(&directory);
        let steps = Calls::read(&trace(command), &directory, &mut before).into_steps();
        Self { before, steps }
    }

    /// Removes the calls that write the entries of directories to the disk, as if the program had
    /// forgotten them.
    #[must_use]
    pub fn without_directory_syncs(mut self) -> Self {
        let Self { before, steps } = &mut self;
        steps.retain(|step| !matches!(step, Step::Sync(inode) if before.is_directory(*inode)));
        self
    }

    /// Removes the calls that write the contents of files to the disk.
    #[must_use]
    pub fn without_file_syncs(mut self) -> Self {
        let Self { before, steps } = &mut self;
        steps.retain(|step| !matches!(step, Step::Sync(inode) if !before.is_directory(*inode)));
        self
    }

    /// Calls `check` with each state that a power cut may leave: for each moment, every part of
    /// what is not synced, or about `most` of these parts if there are more. Equal states are
    /// checked once. Returns the number of states.
    pub fn cut(&self, most: usize, mut check: impl FnMut(&PowerCut<'_>)) -> usize {
        let mut pending = Pending::new(self.before.clone());
        let mut printed = Vec::new();
        let mut known = HashSet::new();
        let end = Step::Printed(Vec::new());
        for (number, step) in self.steps.iter().chain([&end]).enumerate() {
            if let Step::Change(change) = step {
                pending.push(change.clone());
                continue;
            }
            pending.for_each_part(most, |disk, part| {
                if known.insert((printed.len(), disk.fingerprint())) {
                    let place = format!("before step {number}, with {part}");
                    check(&PowerCut { printed: &printed, place: &place, disk });
                }
            });
            match step {
                Step::Sync(inode) => pending.sync(Some(*inode)),
                Step::SyncAll => pending.sync(None),
                Step::Printed(bytes) => printed.extend_from_slice(bytes),
                Step::Change(_) => {}
            }
        }
        known.len()
    }
}

impl PowerCut<'_> {
    /// Replaces the content of a directory by this state.
    pub fn write_to(&self, directory: &Path) {
        if directory.exists() {
            fs::remove_dir_all(directory).expect("the last state can be removed");
        }
        self.disk.write(directory);
    }
}

/// Returns the calls that a program made, as `strace` writes them.
fn trace(command: &Command) -> String {
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut traced = Command::new("strace");
    // Strings and paths are in hexadecimal, so that no text of theirs looks like syntax.
    traced.args(["-f", "-qq", "-y", "-xx", "-s", "10000000", "-e", CALLS, "-o"]).arg(log.path());
    traced.arg("--").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    let Output { status, stdout, stderr } =
        traced.stdin(Stdio::null()).output().expect("`strace` is installed");
    let printed = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "the program fails: {}", printed.join("\n"));
    fs::read_to_string(log.path()).expect("`strace` writes its file")
}
