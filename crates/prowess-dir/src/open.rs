//! Opens paths, resolved and confined in one step. This is the second guard.

#[cfg(target_os = "linux")]
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

#[cfg(target_os = "linux")]
use crate::access::FILE;
use crate::access::{DIRECTORY, Links, PATH_ONLY};
use crate::refusals::are_on_one_mount;
use crate::{Error, ErrorKind, Refusals, RelativePath, resolve};

/// The mechanism that confines paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// The kernel's `openat2`.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    Kernel,
    /// This crate opens each path part by part.
    ByHand,
}

/// The confinement of paths below a directory, and the files that are refused there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    pub(crate) confinement: Confinement,
    pub(crate) refusals: Refusals,
}

/// Opens a directory by a path of the host's, and determines how paths below it are confined.
pub(crate) fn open_root(path: &Path) -> Result<(OwnedFd, Confinement), Errno> {
    #[cfg(target_os = "linux")]
    match openat2(CWD, path, DIRECTORY, ResolveFlags::empty()) {
        // A container's filter returns `EPERM` for system calls that it does not know.
        Err(Errno::NOSYS | Errno::PERM) => {}
        answer => return answer.map(|handle| (handle, Confinement::Kernel)),
    }
    open_root_by_hand(path)
}

/// Opens a file if no part of its path is a link; fails with `ELOOP` where the kernel cannot check
/// that.
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

/// Opens a directory and confines paths below it part by part.
pub(crate) fn open_root_by_hand(path: &Path) -> Result<(OwnedFd, Confinement), Errno> {
    let handle = rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty())?;
    Ok((handle, Confinement::ByHand))
}

/// Opens a checked path, and nothing outside `directory`. Says whether what was opened is on another
/// mount; only such a file costs the kernel's confinement a further call.
pub(crate) fn open_beneath(
    directory: BorrowedFd<'_>,
    fence: Fence,
    path: RelativePath<'_>,
    flags: OFlags,
    links: Links,
) -> crate::Result<(OwnedFd, bool)> {
    let open =
        |flags, mounts| open_confined(directory, fence.confinement, path, flags, (links, mounts));
    let refuses = fence.refusals.mounts;
    let (handle, is_mounted) = match open(flags, false) {
        Ok(handle) if fence.confinement == Confinement::ByHand => {
            let is_mounted = !are_on_one_mount(directory, handle.as_fd());
            (handle, is_mounted)
        }
        // The kernel returns one error for a path that leads out and for one on another mount.
        Err(error) if error.kind() == ErrorKind::Escape => {
            (open(if refuses { PATH_ONLY } else { flags }, true)?, true)
        }
        opened => (opened?, false),
    };
    if refuses && is_mounted {
        return Err(Error::new(ErrorKind::OtherMount, path.text()));
    }
    Ok((handle, is_mounted))
}

/// Opens a path, with the kernel only on the same mount unless it `crosses` mounts.
fn open_confined(
    directory: BorrowedFd<'_>,
    confinement: Confinement,
    path: RelativePath<'_>,
    flags: OFlags,
    (links, crosses): (Links, bool),
) -> crate::Result<OwnedFd> {
    path.call(|path| match confinement {
        #[cfg(target_os = "linux")]
        Confinement::Kernel => {
            let mounts = if crosses { ResolveFlags::empty() } else { ResolveFlags::NO_XDEV };
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
        // The text was checked: it is relative and has no `..`. Without links, each part lies in
        // the one before it, so nothing leads out; adding `BENEATH` makes an open about 5 % slower.
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
    /// The number of attempts for a path that was moved while the kernel resolved it.
    const TRIES: usize = 256;
    /// The number of attempts after which those that move paths are let go on.
    const SOON: usize = 8;

    let mut answer = openat2(directory, path, flags, resolve);
    for attempt in 1..TRIES {
        if !matches!(answer, Err(Errno::AGAIN | Errno::INTR)) {
            break;
        }
        if attempt >= SOON {
            std::thread::yield_now();
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
