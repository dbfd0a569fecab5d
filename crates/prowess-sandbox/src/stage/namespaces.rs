//! Namespaces of its own for a process: an outer process that the host knows, an init process that
//! is the first of the namespace, and the confined one.
//!
//! The outer process ends as the confined one does. When the init process ends, the kernel ends
//! every process of the namespace; it ends with the outer process, and that one with the host.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use rustix::process::{getegid, geteuid, setsid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities};

use super::fork::fork;
use super::outer::Host;
use super::{descriptors, init, outer};

/// Moves this process into namespaces of its own, which still show the files of the host. Returns
/// in the confined process alone, which has `kept` open. With `host`, the processes also end when
/// the host closes that connection.
pub(super) fn enter(
    kept: &[RawFd],
    host: Option<Host<'_>>,
    has_own_network: bool,
) -> io::Result<()> {
    unshare(has_own_network)?;
    let (outside, inside) = UnixStream::pair()?;
    if let Some(init) = fork()? {
        let of_host = host.iter().flat_map(Host::files);
        let files: Vec<_> = of_host.chain([outside.as_raw_fd()]).collect();
        descriptors::close_everything_except(&files)?;
        outer::wait(init, &outside, host.as_ref());
    }
    init::prepare(&inside)?;
    if let Some(confined) = fork()? {
        descriptors::close_everything_except(&[inside.as_raw_fd()])?;
        init::wait(confined, &inside);
    }
    // Signals to its group do not reach the processes around it.
    setsid()?;
    drop((outside, inside, host));
    descriptors::close_all_except(kept)
}

/// Creates the namespaces. A user without rights gets them in a user namespace of its own.
fn unshare(has_own_network: bool) -> io::Result<()> {
    let mut flags =
        UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    // The filter denies sockets to a process that reaches nothing, which costs less time.
    flags.set(UnshareFlags::NEWNET, has_own_network);
    let is_admin = capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN);
    if is_admin {
        return unshare_now(flags);
    }
    let user = geteuid().as_raw();
    let group = getegid().as_raw();
    unshare_now(flags | UnshareFlags::NEWUSER)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

#[allow(unsafe_code, reason = "rustix cannot know that no thread shares open files")]
fn unshare_now(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: open files are not unshared, and the stage has a single thread.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}
