//! The names in a directory.

use std::ffi::CStr;
use std::fmt;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use crate::{Error, Kind, Result};

/// The names in a directory, without `.` and `..`, in the order in which the file system keeps them.
#[derive(Debug)]
pub struct Entries<'a> {
    handle: Arc<OwnedFd>,
    buffer: &'a mut EntryBuffer,
}

/// One name in a directory and what it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    name: &'a CStr,
    inode: u64,
    kind: Kind,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(handle: Arc<OwnedFd>, buffer: &'a mut EntryBuffer) -> Self {
        Self { handle, buffer }
    }

    /// Shows each name to `visit` until it breaks; gives what it broke with.
    ///
    /// Costs a system call for some hundred names, and one more for a name whose kind the file system
    /// does not keep beside it.
    ///
    /// # Errors
    ///
    /// The directory cannot be read, or not to its end.
    pub fn visit<B>(
        self,
        mut visit: impl FnMut(Entry<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let handle = &*self.handle;
        let answer = for_each_raw(handle, self.buffer, |name, inode, kind| {
            if matches!(name.to_bytes(), b"." | b"..") {
                return ControlFlow::Continue(());
            }
            let kind = match kind {
                FileType::Unknown => kind_of(handle, name),
                kind => Kind::of(kind),
            };
            visit(Entry { name, inode, kind })
        });
        answer.map_err(|cause| Error::of(cause, "."))
    }
}

impl<'a> Entry<'a> {
    /// The name, if it is UTF-8.
    pub fn name(&self) -> Option<&'a str> {
        self.name.to_str().ok()
    }

    /// The name as its bytes.
    pub fn name_bytes(&self) -> &'a [u8] {
        self.name.to_bytes()
    }

    /// What it is; a link is a link, whatever it leads to.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The number of the file on the directory's device; of a mount point, the number of the
    /// directory under it.
    pub fn inode(&self) -> u64 {
        self.inode
    }
}

/// What has gone meanwhile is of no kind that anybody opens.
fn kind_of(directory: &OwnedFd, name: &CStr) -> Kind {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(Kind::Other, |stat| Kind::of(FileType::from_raw_mode(stat.st_mode)))
}

/// Room for the names of a listing, to be used again for the next one. By default 32 KiB: about a
/// thousand names to a system call.
pub struct EntryBuffer(#[cfg(target_os = "linux")] Box<[std::mem::MaybeUninit<u8>]>);

impl Default for EntryBuffer {
    fn default() -> Self {
        Self(
            #[cfg(target_os = "linux")]
            Box::new_uninit_slice(32 * 1024),
        )
    }
}

impl fmt::Debug for EntryBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EntryBuffer")
    }
}

/// The names stay where the kernel wrote them.
#[cfg(target_os = "linux")]
fn for_each_raw<B>(
    handle: &OwnedFd,
    buffer: &mut EntryBuffer,
    mut visit: impl FnMut(&CStr, u64, FileType) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, Errno> {
    let mut names = rustix::fs::RawDir::new(handle, &mut buffer.0);
    while let Some(entry) = names.next() {
        let entry = entry?;
        let answer = visit(entry.file_name(), entry.ino(), entry.file_type());
        if answer.is_break() {
            return Ok(answer);
        }
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(not(target_os = "linux"))]
fn for_each_raw<B>(
    handle: &OwnedFd,
    _: &mut EntryBuffer,
    mut visit: impl FnMut(&CStr, u64, FileType) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, Errno> {
    for entry in rustix::fs::Dir::read_from(handle)? {
        let entry = entry?;
        let answer = visit(entry.file_name(), entry.ino(), entry.file_type());
        if answer.is_break() {
            return Ok(answer);
        }
    }
    Ok(ControlFlow::Continue(()))
}
