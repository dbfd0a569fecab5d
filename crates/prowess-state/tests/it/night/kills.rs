//! Processes that are killed or interrupted at their system calls, by `strace`.

use std::collections::BTreeMap;

use prowess_testkit::Tree;

use crate::processes::{is_stopped, process};
use crate::steps;

/// The system calls that change files.
const CHANGES: [&str; 11] = [
    "fallocate", "fdatasync", "fsync", "ftruncate", "linkat", "pwrite64", "rename", "renameat2",
    "unlink", "unlinkat", "write",
];

/// The number of kills for each kind of system call. A kill takes a tenth of a second.
const MOST_KILLS: usize = 75;

/// A process is killed at its system calls that change files, from the creation of the database to
/// its last change: at each call of a kind of which there are few, else at every second or third.
/// Each acknowledged change is stored, and no half of a change is.
#[test]
fn killed_process_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    let mut kills = 0;
    for (call, count) in counted_calls() {
        for number in (1..=count).step_by(count.div_ceil(MOST_KILLS)) {
            let inject = format!("inject={call}:signal=KILL:when={number}");
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
            kills += usize::from(is_stopped(&strace, &expected));
        }
    }
    assert!(kills > 80, "a process was killed {kills} times");
}

/// A signal interrupts a call, which then has done nothing.
#[test]
fn interrupted_call_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    for call in ["openat", "pwrite64", "fdatasync", "fsync", "ftruncate", "write"] {
        for number in [1, 2, 5, 9] {
            let inject = format!("inject={call}:error=EINTR:when={number}");
            is_stopped(&["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject], &expected);
        }
    }
}

/// Returns how often a process makes each call that changes files.
fn counted_calls() -> BTreeMap<String, usize> {
    let tree = Tree::new("");
    let log = tree.join("calls");
    let trace = format!("trace={}", CHANGES.join(","));
    let path = log.to_str().expect("it is UTF-8");
    let strace = ["strace", "-f", "-qq", "-o", path, "-e", &trace];
    let done = process(&strace, "steps", &tree.join("state/state.db")).output();
    let done = done.expect("`strace` can be started; it is needed for this test");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let call = line.split_once(' ').and_then(|(_, call)| call.trim().split_once('('));
        if let Some((call, _)) = call.filter(|(call, _)| CHANGES.contains(call)) {
            *counts.entry(call.to_owned()).or_default() += 1;
        }
    }
    counts
}
