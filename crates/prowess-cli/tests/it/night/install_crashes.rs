//! `prowess update` is killed, interrupted, or runs out of disk space, by `strace`: the old version
//! or the new one is installed, never neither.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::install_crashes::Machine;

/// The system calls that change files, besides those that create one. A killed process leaves what
/// the last of them has left.
const CHANGES: &str = "copy_file_range fchmod fsync ftruncate linkat mkdir mkdirat rename renameat \
    renameat2 sendfile symlinkat syncfs unlink unlinkat write";

/// Set by `cargo xtask soak --updates`: the update is killed at every system call, and not only at
/// those that change files and the first one of each other kind.
const EVERY_CALL: &str = "PROWESS_TEST_EVERY_CALL";

/// The number of full disks for each kind of system call.
const MOST_FULL: usize = 5;

/// A system call of an update, by its number among those of its name.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) number: usize,
    pub(super) is_change: bool,
}

impl Machine {
    /// Updates with this fault, and checks what is there afterwards.
    fn update_with(&self, fault: &str) -> bool {
        self.reset();
        let mut command = self.traced(&["-e", fault]);
        let is_done = command.stdout(Stdio::null()).status().unwrap().success();
        if let Err(problem) = self.check(is_done) {
            panic!("{fault}: {problem}");
        }
        is_done
    }

    /// Returns the command of an update that `strace` follows.
    fn traced(&self, options: &[&str]) -> Command {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(self.tree.join("calls")).args(options);
        command.arg(env!("CARGO_BIN_EXE_prowess")).args(["update", "--accept", "--user"]);
        command.env_clear().env("HOME", self.tree.join("home")).stderr(Stdio::null());
        command
    }

    /// Returns the system calls of an update, in their order.
    fn calls(&self) -> Vec<Call> {
        self.reset();
        calls_of(&self.tree.join("calls"), || {
            self.traced(&[]).status().expect("`strace` is needed for this test").success()
        })
    }
}

/// Returns the system calls of a run that `strace` writes to a file, in their order.
pub(super) fn calls_of(file: &Path, run: impl FnOnce() -> bool) -> Vec<Call> {
    assert!(run());
    let mut counts = BTreeMap::new();
    let mut calls = Vec::new();
    for line in fs::read_to_string(file).unwrap().lines() {
        let call = line.split_once(' ').and_then(|(_, call)| call.trim().split_once('('));
        let is_name = |name: &str| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        let Some((name, rest)) = call.filter(|(name, _)| is_name(name)) else { continue };
        // The call by which `strace` starts the program: nothing can be injected there.
        if name == "execve" {
            continue;
        }
        let count: &mut usize = counts.entry(name.to_owned()).or_default();
        *count += 1;
        let is_change = CHANGES.split(' ').any(|change| change == name) || rest.contains("O_CREAT");
        calls.push(Call { name: name.to_owned(), number: *count, is_change });
    }
    calls
}

/// Returns at most this many numbers of calls, the first and the last ones included.
fn chosen(count: usize, most: usize) -> BTreeSet<usize> {
    let step = |number: usize| 1 + number * (count - 1) / (most - 1);
    if count <= most { (1..=count).collect() } else { (0..most).map(step).collect() }
}

#[test]
fn killed_update_leaves_one_of_the_versions() {
    let machine = Machine::new();
    let mut calls = machine.calls();
    if std::env::var_os(EVERY_CALL).is_none() {
        let mut kinds = BTreeSet::new();
        calls.retain(|call| call.is_change || kinds.insert(call.name.clone()));
    }
    let mut kills = 0;
    for Call { name, number, .. } in &calls {
        let fault = format!("inject={name}:signal=KILL:when={number}");
        kills += usize::from(!machine.update_with(&fault));
    }
    println!("an update of {} system calls was killed {kills} times", calls.len());
    assert!(kills > 40, "an update was killed {kills} times");
}

#[test]
fn full_disk_leaves_one_of_the_versions() {
    let machine = Machine::new();
    let calls = machine.calls();
    let mut failures = 0;
    for name in ["write", "fsync", "syncfs", "mkdirat", "renameat"] {
        let count = calls.iter().filter(|call| call.name == name).count();
        for number in chosen(count, MOST_FULL) {
            let fault = format!("inject={name}:error=ENOSPC:when={number}+");
            failures += usize::from(!machine.update_with(&fault));
        }
    }
    assert!(failures > 8, "an update failed {failures} times");
}

/// A signal interrupts a call, which then has done nothing.
#[test]
fn interrupted_call_leaves_one_of_the_versions() {
    let machine = Machine::new();
    let calls = machine.calls();
    for name in ["openat", "openat2", "write", "fsync", "syncfs", "mkdirat", "renameat", "flock"] {
        let count = calls.iter().filter(|call| call.name == name).count();
        for number in chosen(count, 3) {
            machine.update_with(&format!("inject={name}:error=EINTR:when={number}"));
        }
    }
}
