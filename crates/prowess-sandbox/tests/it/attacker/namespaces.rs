//! Attacks by mounts and namespaces. The last ones change the attacker.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::calls::{address, attempt, call, signed, text};
use super::{Attack, By};

pub(super) const ATTACKS: &[Attack] = &[
    ("mounts a file system", By::Root, |target| {
        let at = text(target.directory.join("mount"));
        let kind = text("tmpfs");
        attempt(libc::SYS_mount, &[address(&*kind), address(&*at), address(&*kind), 0, 0])?;
        attempt(libc::SYS_umount2, &[address(&*at), 0])
    }),
    ("opens a file system", By::Root, |_| {
        let kind = text("tmpfs");
        attempt(libc::SYS_fsopen, &[address(&*kind), 0])
    }),
    ("opens a tree of mounts", By::Anyone, |_| {
        let root = text("/");
        attempt(libc::SYS_open_tree, &[signed(libc::AT_FDCWD), address(&*root), 0])
    }),
    ("copies a tree of mounts", By::Root, |_| {
        let root = text("/");
        attempt(libc::SYS_open_tree, &[signed(libc::AT_FDCWD), address(&*root), 1])
    }),
    ("changes its root", By::Root, |_| {
        let root = text("/");
        attempt(libc::SYS_chroot, &[address(&*root)])
    }),
    ("enters the host's namespaces", By::Root, |target| {
        let names = File::open(target.of_host("ns/uts"))?;
        attempt(libc::SYS_setns, &[u64::from(names.as_raw_fd().cast_unsigned()), 0])
    }),
    ("creates a namespace of names", By::Root, |_| unshare(libc::CLONE_NEWUTS)),
    ("creates a namespace of networks", By::Root, |_| unshare(libc::CLONE_NEWNET)),
    ("starts a process as root of a namespace", By::Anyone, |_| {
        let flags = u64::from((libc::CLONE_NEWUSER | libc::SIGCHLD).cast_unsigned());
        match call(libc::SYS_clone, &[flags, 0, 0, 0, 0])? {
            // The new process has one of the threads of this one and ends at once.
            0 => attempt(libc::SYS_exit_group, &[0]),
            started => attempt(libc::SYS_wait4, &[started.cast_unsigned(), 0, 0, 0]),
        }
    }),
];

fn unshare(flag: i32) -> std::io::Result<()> {
    call(libc::SYS_unshare, &[u64::from(flag.cast_unsigned())]).map(drop)
}
