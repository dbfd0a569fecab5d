//! The refusal of files inside a directory that may also be reachable from outside.

use std::os::fd::BorrowedFd;

use crate::Stat;

/// The files inside a directory that are refused. By default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Files with several hard links. Another link may be outside the directory.
    pub hard_links: bool,
    /// Files and directories on another mount than the directory.
    pub mounts: bool,
}

impl Refusals {
    /// Returns whether a file with this state may be read.
    pub(crate) fn admit(self, stat: &Stat) -> bool {
        !self.hard_links || stat.links <= 1
    }
}

/// Returns whether two handles are on one mount; without mount ids, whether they are on one device.
pub(crate) fn are_on_one_mount(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let mounts = [imp::mount(one), imp::mount(other)];
    mounts[0].is_some() && mounts[0] == mounts[1]
}

#[cfg(target_os = "linux")]
mod imp {
    use std::os::fd::BorrowedFd;

    use rustix::fs::{AtFlags, StatxFlags};

    pub(super) fn mount(handle: BorrowedFd<'_>) -> Option<(bool, u64)> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let stat = rustix::fs::statx(handle, "", AtFlags::EMPTY_PATH, wanted).ok()?;
        if stat.stx_mask & StatxFlags::MNT_ID.bits() != 0 {
            return Some((true, stat.stx_mnt_id));
        }
        Some((false, rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor)))
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::os::fd::BorrowedFd;

    // The width of a device number differs between systems.
    #[allow(clippy::unnecessary_cast)]
    pub(super) fn mount(handle: BorrowedFd<'_>) -> Option<(bool, u64)> {
        rustix::fs::fstat(handle).ok().map(|stat| (false, stat.st_dev as u64))
    }
}
