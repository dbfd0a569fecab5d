//! The second guard: a path is resolved and confined in one step.

use std::ffi::CStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::{PathBelow, resolve};

/// What to do about a symbolic link on the way to a file or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// It is an error.
    Refuse,
    /// It is followed as long as it stays inside the directory; an absolute one never does.
    FollowInside,
}

/// Who confines a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// The kernel, in `openat2`.
    Kernel,
    /// We, part by part.
    ByHand,
}

/// A FIFO must not block the open, a terminal must not become ours, a child must not inherit it.
pub(crate) const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

pub(crate) const DIRECTORY: OFlags = FILE.union(OFlags::DIRECTORY);

/// A handle that says what a file is and cannot read it.
#[cfg(target_os = "linux")]
pub(crate) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(crate) const LOOK: OFlags = FILE;

/// Opens a directory by a path of the host's own, and learns who can confine paths below it.
pub(crate) fn open_root(path: &Path) -> Result<(OwnedFd, Confinement), Errno> {
    #[cfg(target_os = "linux")]
    match openat2(CWD, path, DIRECTORY, ResolveFlags::empty()) {
        // `EPERM` is what a container's filter answers to a call that it does not know.
        Err(Errno::NOSYS | Errno::PERM) => {}
        answer => return answer.map(|handle| (handle, Confinement::Kernel)),
    }
    open_root_by_hand(path)
}

/// Opens a file where no part of its path is a link; `ELOOP` where nobody can make sure of that.
pub(crate) fn open_without_links(path: &Path) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    match openat2(CWD, path, FILE, ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => {}
        answer => return answer,
    }
    #[cfg(not(target_os = "linux"))]
    let _ = path;
    Err(Errno::LOOP)
}

/// Opens a directory whose paths are confined part by part.
pub(crate) fn open_root_by_hand(path: &Path) -> Result<(OwnedFd, Confinement), Errno> {
    let handle = rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty())?;
    Ok((handle, Confinement::ByHand))
}

/// Opens a path that was checked, and nothing outside `directory`.
pub(crate) fn open_beneath(
    directory: BorrowedFd<'_>,
    confinement: Confinement,
    path: PathBelow<'_>,
    flags: OFlags,
    links: Links,
) -> crate::Result<OwnedFd> {
    path.call(|path| match confinement {
        #[cfg(target_os = "linux")]
        Confinement::Kernel => open_by_kernel(directory, path, flags, links),
        #[cfg(not(target_os = "linux"))]
        Confinement::Kernel => resolve::open(directory, path.to_bytes(), flags, links),
        Confinement::ByHand => resolve::open(directory, path.to_bytes(), flags, links),
    })
}

#[cfg(target_os = "linux")]
fn open_by_kernel(
    directory: BorrowedFd<'_>,
    path: &CStr,
    flags: OFlags,
    links: Links,
) -> Result<OwnedFd, Errno> {
    /// How often a path is tried again that was moved while the kernel resolved it.
    const TRIES: usize = 32;

    let resolve = match links {
        // The text was checked: it is relative and has no `..`. Without a link of any kind each part lies in
        // the one before it, and nothing leads out; asking for `BENEATH` too costs a twentieth of an open.
        Links::Refuse => ResolveFlags::NO_SYMLINKS,
        Links::FollowInside => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
    };
    let mut answer = openat2(directory, path, flags, resolve);
    for _ in 1..TRIES {
        if !matches!(answer, Err(Errno::AGAIN | Errno::INTR)) {
            break;
        }
        answer = openat2(directory, path, flags, resolve);
    }
    answer
}

#[cfg(target_os = "linux")]
fn openat2(
    directory: BorrowedFd<'_>,
    path: impl rustix::path::Arg,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(directory, path, flags, Mode::empty(), resolve)
}
