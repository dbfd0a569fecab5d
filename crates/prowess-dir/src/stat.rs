//! The metadata of files.

use std::os::fd::OwnedFd;

use rustix::fs::FileType;

use crate::{Error, RelativePath, Result};

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file, the only kind that can be read.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket, a device.
    Other,
}

/// A point in time, as file systems store it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileTime {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanoseconds: u32,
}

/// The metadata that distinguishes versions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stat {
    /// The kind of file.
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change of content (`mtime`); programs can set it.
    pub modified: FileTime,
    /// The time of the last change of content, owner, permissions or links (`ctime`); only the
    /// kernel sets it.
    pub changed: FileTime,
    /// The inode number on the device.
    pub inode: u64,
    /// The device.
    pub device: u64,
    /// The number of hard links.
    pub links: u64,
    /// Whether its mode lets someone execute it.
    pub is_executable: bool,
}

/// The bits of a mode that let the owner, the group or others execute a file.
pub(crate) const EXECUTABLE: u32 = 0o111;

impl Kind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

impl Stat {
    // The widths of these fields differ between systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation)]
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            kind: Kind::of(FileType::from_raw_mode(stat.st_mode)),
            size: stat.st_size as u64,
            modified: FileTime {
                seconds: stat.st_mtime as i64,
                nanoseconds: stat.st_mtime_nsec as u32,
            },
            changed: FileTime {
                seconds: stat.st_ctime as i64,
                nanoseconds: stat.st_ctime_nsec as u32,
            },
            inode: stat.st_ino as u64,
            device: stat.st_dev as u64,
            links: stat.st_nlink as u64,
            is_executable: stat.st_mode as u32 & EXECUTABLE != 0,
        }
    }
}

/// Returns the metadata of an open file.
pub(crate) fn stat_of(handle: &OwnedFd, path: RelativePath<'_>) -> Result<Stat> {
    rustix::fs::fstat(handle)
        .map(|stat| Stat::of(&stat))
        .map_err(|cause| Error::of(cause, path.text()))
}
