//! Mounts for tests: of directories and files that are there, and of new file systems.

use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount};

/// The kernel's number of the capability to mount.
const CAP_SYS_ADMIN: u32 = 21;

/// A mount that ends when it is dropped.
#[derive(Debug)]
pub struct BindMount(PathBuf);

impl BindMount {
    /// Mounts `from` at `to`, too. Returns `None` if this process may not mount anything.
    pub fn new(from: &Path, to: &Path) -> Option<Self> {
        Self::made(to, || mount_bind(from, to))
    }

    /// The same with a new file system in memory.
    pub fn memory(to: &Path) -> Option<Self> {
        Self::made(to, || mount("none", to, "tmpfs", MountFlags::empty(), c""))
    }

    fn made(to: &Path, mount: impl FnOnce() -> rustix::io::Result<()>) -> Option<Self> {
        may_mount().then(|| {
            mount().expect("a process with the right to mount can mount");
            Self(to.to_owned())
        })
    }
}

impl Drop for BindMount {
    fn drop(&mut self) {
        // A failed test may have a file open below it.
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}

fn may_mount() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    effective.is_some_and(|set| set & (1 << CAP_SYS_ADMIN) != 0)
}
