//! A control group that limits the processes of a sandbox.
//!
//! The kernel does not limit the processes of root by a resource limit. A real user id of its own
//! would help, but a program that starts with two user ids runs in the secure mode of the C
//! library, without `TMPDIR`, and shells refuse to change it back with a warning.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The beginning of the names of groups.
const PREFIX: &str = "prowess-";
/// How often a group is created that another stage has removed meanwhile.
const ATTEMPTS: usize = 10;

/// Moves this process into a group of its own, with room for this many processes and threads.
pub(super) fn join(number: u32, processes: u64) -> io::Result<()> {
    let parent = parent(&fs::read_to_string("/proc/self/cgroup")?)?;
    remove_empty(&parent)?;
    let group = parent.join(format!("{PREFIX}{number}"));
    let mut joined = Err(io::ErrorKind::NotFound.into());
    for _ in 0..ATTEMPTS {
        joined = create(&group).and_then(|()| enter(&group, processes));
        if !joined.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            break;
        }
    }
    joined
}

/// Returns the group of this process that counts processes: of the first version of control groups,
/// or of the second where the controller is delegated.
fn parent(groups: &str) -> io::Result<PathBuf> {
    let below = |root: &str, path: &str| Path::new(root).join(path.trim_start_matches('/'));
    let of_first = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let counts = controllers.split(',').any(|controller| controller == "pids");
        counts.then(|| below("/sys/fs/cgroup/pids", path))
    });
    let of_second = groups.lines().find_map(|line| {
        let group = below("/sys/fs/cgroup", line.strip_prefix("0::")?);
        let delegated = fs::read_to_string(group.join("cgroup.subtree_control")).ok()?;
        delegated.split_whitespace().any(|controller| controller == "pids").then_some(group)
    });
    of_first.or(of_second).ok_or_else(|| io::Error::other("no control group counts processes"))
}

/// Removes the groups of sandboxes that have ended: the kernel keeps those with a process.
fn remove_empty(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)?.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
    Ok(())
}

fn create(group: &Path) -> io::Result<()> {
    match fs::create_dir(group) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

fn enter(group: &Path, processes: u64) -> io::Result<()> {
    fs::write(group.join("pids.max"), processes.to_string())?;
    // The process that writes it.
    fs::write(group.join("cgroup.procs"), "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_that_counts_processes_is_found() {
        let groups = "9:name=systemd:/\n8:pids:/job/1\n7:cpu,cpuacct:/\n0::/\n";
        assert_eq!(parent(groups).ok(), Some("/sys/fs/cgroup/pids/job/1".into()));
        let together = "4:cpu,pids:/\n";
        assert_eq!(parent(together).ok(), Some("/sys/fs/cgroup/pids/".into()));
    }

    #[test]
    fn a_machine_without_one_is_an_error() {
        for groups in ["", "7:cpu:/\n", "0::/a/group/that/is/not/there\n", "pids"] {
            assert!(parent(groups).is_err(), "{groups}");
        }
    }
}
