//! Identities of open directories, which their paths do not have.

use std::path::Path;

use crate::{Dir, Error, ErrorKind, FileTime, Result};

/// The identity of a directory on the running machine.
///
/// Two directories that are at one path at different times have different identities. The inode
/// alone does not distinguish them, because a file system reuses the inode of a removed directory;
/// the creation time, which no program can set, does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device. Devices may be renumbered when the machine restarts.
    pub device: u64,
    /// The inode on that device.
    pub inode: u64,
    /// The creation time, if the file system stores it.
    pub created: Option<FileTime>,
}

impl Dir {
    /// Returns the identity of the directory that this handle refers to, whatever is at its path
    /// now.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel cannot describe the file.
    pub fn identity(&self) -> Result<Identity> {
        imp::identity(self)
    }

    /// Checks that this handle refers to the directory with this identity; `path` is for the
    /// message.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Replaced`] if it is another directory, or an error if the kernel cannot
    /// describe it.
    pub fn require(&self, expected: &Identity, path: &Path) -> Result<()> {
        if self.identity()? == *expected {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Replaced, path.to_string_lossy()))
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use rustix::fs::{AtFlags, StatxFlags};
    use rustix::io::Errno;

    use super::Identity;
    use crate::stat::stat_of;
    use crate::{Dir, Error, FileTime, Result};

    pub(super) fn identity(directory: &Dir) -> Result<Identity> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = match rustix::fs::statx(&directory.handle, "", AtFlags::EMPTY_PATH, wanted) {
            Ok(stat) => stat,
            // A kernel or a filter without `statx`.
            Err(Errno::NOSYS | Errno::PERM) => {
                let stat = stat_of(&directory.handle, "".into())?;
                return Ok(Identity { device: stat.device, inode: stat.inode, created: None });
            }
            Err(cause) => return Err(Error::of(cause, "")),
        };
        let is_dated = stat.stx_mask & StatxFlags::BTIME.bits() != 0;
        let created = is_dated.then_some(FileTime {
            seconds: stat.stx_btime.tv_sec,
            nanoseconds: stat.stx_btime.tv_nsec,
        });
        let device = rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor);
        Ok(Identity { device, inode: stat.stx_ino, created })
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::fs::File;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::Identity;
    use crate::stat::stat_of;
    use crate::{Dir, FileTime, Result};

    pub(super) fn identity(directory: &Dir) -> Result<Identity> {
        let stat = stat_of(&directory.handle, "".into())?;
        let created = directory.handle.try_clone().map(File::from);
        let created = created.and_then(|file| file.metadata()?.created()).ok();
        Ok(Identity { device: stat.device, inode: stat.inode, created: created.and_then(time) })
    }

    fn time(time: SystemTime) -> Option<FileTime> {
        let since = time.duration_since(UNIX_EPOCH).ok()?;
        let seconds = i64::try_from(since.as_secs()).ok()?;
        Some(FileTime { seconds, nanoseconds: since.subsec_nanos() })
    }
}
