//! Detects by the times of a file whether it has changed since a point in time.

use crate::{Dir, FileTime, RelativePath, Stat};

/// A moment on the clock that the kernel uses for times of files, with the values needed to compare
/// a file's times with it later.
///
/// Only the kernel sets the time of a file's last change (`ctime`), so a file whose `ctime` is
/// before the moment is the file that was there at that moment, if
///
/// - the directory that it was found in is still the same, which the caller checks by its inode: a
///   directory may be renamed without a change of the files in it;
/// - renaming, exchanging and linking a file change its time, as they do on the file systems of
///   [`Dir::epoch`] (on XFS two files can be exchanged without);
/// - it is on the mount of the directory, so that nothing was mounted over it, and that is the same
///   mount of the same file system, as [`Epoch::place`] says;
/// - the clock was not set back, which would date a later change before the moment: the time of the
///   machine's start by that clock would differ;
/// - the moment is far enough after the change that the resolution of the clock does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The time.
    pub moment: FileTime,
    /// The machine's start time by that clock, in seconds. It changes when the clock is set.
    pub started: i64,
    /// The mount that the directory is on. A Linux before 6.8 gives later ones the same number.
    pub mount: u64,
    /// As [`Dir::file_system`] returns it.
    pub file_system: u64,
}

/// The minimum number of seconds from a change to the moment. The kernel's clock has a resolution
/// of hundredths of a second, and a step of less than a second does not show in [`Epoch::started`].
const MARGIN_SECONDS: i64 = 2;

impl Epoch {
    /// Returns whether a file on this mount with this `ctime` has not changed since the second
    /// `moment`.
    pub fn is_older(changed: FileTime, moment: i64) -> bool {
        changed.seconds.saturating_add(MARGIN_SECONDS) < moment
    }

    /// Returns what has to be the same for times to be compared at two moments.
    pub fn place(&self) -> [u64; 3] {
        [self.mount, self.started.cast_unsigned(), self.file_system]
    }
}

impl Dir {
    /// Returns the current time, if the times of files in this directory are reliable: on ext2 to
    /// ext4, Btrfs and tmpfs of a Linux with mount ids.
    pub fn epoch(&self) -> Option<Epoch> {
        imp::epoch(self)
    }

    /// Returns the identity that the file system has whatever device it is on, such as that of an
    /// image; 0 if it has none.
    pub fn file_system(&self) -> u64 {
        rustix::fs::fstatvfs(&self.handle).map_or(0, |system| system.f_fsid)
    }

    /// Like [`Dir::stat_unconfined`], with the mount that the file is on, if the kernel reports it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist.
    pub fn stat_on_mount<'p>(
        &self,
        path: impl Into<RelativePath<'p>>,
    ) -> crate::Result<(Stat, Option<u64>)> {
        imp::stat(self, path.into())
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use rustix::fs::{AtFlags, FileType, Statx, StatxFlags};
    use rustix::time::{ClockId, Timespec, clock_gettime};

    use super::Epoch;
    use crate::stat::EXECUTABLE;
    use crate::{Dir, FileTime, Kind, RelativePath, Result, Stat};

    /// The file systems that update the `ctime` for every change of the file behind a name.
    const EXT: u64 = 0xef53;
    const BTRFS: u64 = 0x9123_683e;
    const TMPFS: u64 = 0x0102_1994;

    /// The number of a mount that no other one gets (Linux 6.8), or the one that it has meanwhile.
    const MOUNT: StatxFlags =
        StatxFlags::MNT_ID.union(StatxFlags::from_bits_retain(libc::STATX_MNT_ID_UNIQUE));

    pub(super) fn epoch(directory: &Dir) -> Option<Epoch> {
        let system = rustix::fs::fstatfs(&directory.handle).ok()?;
        if !matches!(u64::try_from(system.f_type), Ok(EXT | BTRFS | TMPFS)) {
            return None;
        }
        let looked = rustix::fs::statx(&directory.handle, "", AtFlags::EMPTY_PATH, MOUNT).ok()?;
        let now = clock_gettime(ClockId::Realtime);
        let running = clock_gettime(ClockId::Boottime);
        Some(Epoch {
            moment: moment(now.tv_sec, u32::try_from(now.tv_nsec).unwrap_or_default()),
            started: seconds_between(running, now),
            mount: mount(&looked)?,
            file_system: directory.file_system(),
        })
    }

    pub(super) fn stat(directory: &Dir, path: RelativePath<'_>) -> Result<(Stat, Option<u64>)> {
        path.check()?;
        let wanted = StatxFlags::BASIC_STATS | MOUNT;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let stat = path.call(|path| rustix::fs::statx(&directory.handle, path, flags, wanted))?;
        Ok((of(&stat), mount(&stat)))
    }

    fn mount(stat: &Statx) -> Option<u64> {
        (stat.stx_mask & MOUNT.bits() != 0).then_some(stat.stx_mnt_id)
    }

    fn of(stat: &Statx) -> Stat {
        Stat {
            kind: Kind::of(FileType::from_raw_mode(stat.stx_mode.into())),
            size: stat.stx_size,
            modified: moment(stat.stx_mtime.tv_sec, stat.stx_mtime.tv_nsec),
            changed: moment(stat.stx_ctime.tv_sec, stat.stx_ctime.tv_nsec),
            inode: stat.stx_ino,
            device: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
            links: stat.stx_nlink.into(),
            is_executable: u32::from(stat.stx_mode) & EXECUTABLE != 0,
        }
    }

    fn moment(seconds: i64, nanoseconds: u32) -> FileTime {
        FileTime { seconds, nanoseconds }
    }

    /// Returns the difference rounded to seconds, so that two readings agree if no clock was set.
    fn seconds_between(running: Timespec, now: Timespec) -> i64 {
        let seconds = now.tv_sec - running.tv_sec;
        let nanoseconds = now.tv_nsec - running.tv_nsec;
        seconds + (nanoseconds + 500_000_000).div_euclid(1_000_000_000)
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::Epoch;
    use crate::{Dir, RelativePath, Result, Stat};

    pub(super) fn epoch(_: &Dir) -> Option<Epoch> {
        None
    }

    pub(super) fn stat(directory: &Dir, path: RelativePath<'_>) -> Result<(Stat, Option<u64>)> {
        directory.stat_unconfined(path).map(|stat| (stat, None))
    }
}
