//! The second guard: a path is resolved and confined in one step.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::access::{DIRECTORY, FILE, Links, PATH_ONLY};
use crate::refusals::are_on_one_mount;
use crate::{Error, ErrorKind, Refusals, RelativePath, resolve};

/// Who confines a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// The kernel, in `openat2`.
    Kernel,
    /// We, part by part.
    ByHand,
}

/// How paths below a directory are confined, and what is refused there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    pub(crate) confinement: Confinement,
    pub(crate) refusals: Refusals,
}

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
    fence: Fence,
    path: RelativePath<'_>,
    flags: OFlags,
    links: Links,
) -> crate::Result<OwnedFd> {
    let opened = open_confined(directory, fence, path, flags, links);
    if !fence.refusals.mounts {
        return opened;
    }
    let other_mount = || Error::new(ErrorKind::OtherMount, path.text());
    match opened {
        Ok(handle) if fence.confinement == Confinement::ByHand => {
            let is_inside = are_on_one_mount(directory, handle.as_fd());
            if is_inside { Ok(handle) } else { Err(other_mount()) }
        }
        // The kernel has one error for what leads out and for what is on another mount.
        Err(error) if error.kind() == ErrorKind::Escape => {
            let fence = Fence { refusals: Refusals::default(), ..fence };
            let anywhere = open_confined(directory, fence, path, PATH_ONLY, links);
            Err(anywhere.map_or_else(|error| error, |_| other_mount()))
        }
        opened => opened,
    }
}

fn open_confined(
    directory: BorrowedFd<'_>,
    fence: Fence,
    path: RelativePath<'_>,
    flags: OFlags,
    links: Links,
) -> crate::Result<OwnedFd> {
    path.call(|path| match fence.confinement {
        #[cfg(target_os = "linux")]
        Confinement::Kernel => {
            let mounts = match fence.refusals.mounts {
                true => ResolveFlags::NO_XDEV,
                false => ResolveFlags::empty(),
            };
            open_by_kernel(directory, path, flags, resolve_flags(links) | mounts)
        }
        #[cfg(not(target_os = "linux"))]
        Confinement::Kernel => resolve::open(directory, path.to_bytes(), flags, links),
        Confinement::ByHand => resolve::open(directory, path.to_bytes(), flags, links),
    })
}

#[cfg(target_os = "linux")]
fn resolve_flags(links: Links) -> ResolveFlags {
    match links {
        // The text was checked: it is relative and has no `..`. Without a link of any kind each part
        // lies in the one before it, and nothing leads out; `BENEATH` too costs a twentieth of an open.
        Links::Refuse => ResolveFlags::NO_SYMLINKS,
        Links::FollowInside => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
    }
}

#[cfg(target_os = "linux")]
fn open_by_kernel(
    directory: BorrowedFd<'_>,
    path: &CStr,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Result<OwnedFd, Errno> {
    /// How often a path is tried again that was moved while the kernel resolved it.
    const TRIES: usize = 32;

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
