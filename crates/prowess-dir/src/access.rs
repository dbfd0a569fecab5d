//! The ways to open a path: the links that are followed, and the flags of each kind of handle.

use rustix::fs::OFlags;

/// Policy for symbolic links on the path of a file or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A link is an error.
    Refuse,
    /// A link is followed if it stays inside the directory, which an absolute link never does.
    FollowInside,
}

/// The flags of a handle for reading: opening a FIFO does not block, a terminal does not become the
/// controlling one, and child processes do not inherit the handle.
pub(crate) const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

/// The flags of a handle on a directory.
pub(crate) const DIRECTORY: OFlags = FILE.union(OFlags::DIRECTORY);

/// The flags of a handle that identifies a file and cannot read it.
#[cfg(target_os = "linux")]
pub(crate) const PATH_ONLY: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(crate) const PATH_ONLY: OFlags = FILE;
