//! The handle itself.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags};

use crate::access::{self, Links};
use crate::open::{self, Confinement, Fence};
use crate::stat::stat_of;
use crate::{
    Entries, Entry, EntryBuffer, Error, File, Refusals, RelativePath, Result, Stat, UncheckedFile,
    path,
};

/// A directory that is open. Paths are relative to it, with `/` between their parts; the empty path
/// is the directory itself.
#[derive(Debug)]
pub struct Dir {
    pub(crate) handle: Arc<OwnedFd>,
    pub(crate) fence: Fence,
    // A listing moves the handle's place, so a second one needs a handle of its own.
    was_listed: bool,
}

impl Dir {
    /// Opens a directory that the host names. Links on this path are followed: they are the host's.
    ///
    /// # Errors
    ///
    /// There is no such directory, or it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::opened(path.as_ref(), open::open_root)
    }

    /// The same, but never asks the kernel to confine a path. [`Dir::open`] falls back to this where
    /// the kernel cannot; it is safe, and slower by an open for each part of a path.
    ///
    /// # Errors
    ///
    /// As [`Dir::open`].
    pub fn open_by_hand(path: impl AsRef<Path>) -> Result<Self> {
        Self::opened(path.as_ref(), open::open_root_by_hand)
    }

    /// Opens a directory inside this one.
    ///
    /// # Errors
    ///
    /// It is none, leads outside, lies behind a link that `links` refuses, or cannot be read.
    pub fn open_dir(&self, path: &str, links: Links) -> Result<Self> {
        let handle = self.open_handle(path, access::DIRECTORY, links)?;
        Ok(Self { handle: Arc::new(handle), fence: self.fence, was_listed: false })
    }

    /// Opens a directory by a path from this one, and follows links wherever they lead. This is for
    /// directories of which the host lets whoever may write to them name any other.
    ///
    /// # Errors
    ///
    /// There is no such directory, or it cannot be read.
    pub fn open_dir_anywhere(&self, path: &str) -> Result<Self> {
        path::check(path)?;
        let open =
            |path: &CStr| rustix::fs::openat(&self.handle, path, access::DIRECTORY, Mode::empty());
        let handle = Arc::new(RelativePath::from(path).call(open)?);
        Ok(Self { handle, fence: self.fence, was_listed: false })
    }

    /// Opens a regular file inside this directory. It takes two system calls.
    ///
    /// # Errors
    ///
    /// It is none, leads outside, lies behind a link that `links` refuses, or cannot be read.
    pub fn open_file<'a>(&self, path: &'a str, links: Links) -> Result<File<'a>> {
        self.open_unchecked(path, links)?.into_file()
    }

    /// Opens a file inside this directory without looking at what it is, in one system call. It is for
    /// reading the first bytes of very many files.
    ///
    /// # Errors
    ///
    /// As [`Dir::open_file`], but what is no regular file may show only when it is read.
    pub fn open_unchecked<'a>(
        &self,
        path: impl Into<RelativePath<'a>>,
        links: Links,
    ) -> Result<UncheckedFile<'a>> {
        let path = path.into();
        let handle = self.open_handle(path, access::FILE, links)?;
        Ok(UncheckedFile { handle, path, refusals: self.fence.refusals })
    }

    /// Reads a regular file whole. Links that stay inside are followed.
    ///
    /// # Errors
    ///
    /// As [`Dir::open_file`], or it is larger than `limit` bytes.
    pub fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>> {
        self.open_file(path, Links::FollowInside)?.read_whole(limit)
    }

    /// What a file inside this directory is. A link at the end is followed where `links` says so.
    ///
    /// # Errors
    ///
    /// There is none, or it leads outside.
    pub fn stat(&self, path: &str, links: Links) -> Result<Stat> {
        let handle = self.open_handle(path, access::PATH_ONLY, links)?;
        stat_of(&handle, path.into())
    }

    /// What a file is, in one system call that does not confine the directories on the way to it.
    ///
    /// While someone swaps one of them for a link, the answer may be of a file elsewhere. It serves to
    /// see that a file known by its inode is unchanged; read nothing on the strength of it. A link at
    /// the end is never followed.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn stat_unconfined<'p>(&self, path: impl Into<RelativePath<'p>>) -> Result<Stat> {
        let path = path.into();
        path.check()?;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        path.call(|path| rustix::fs::statat(&self.handle, path, flags)).map(|stat| Stat::of(&stat))
    }

    /// Whether the directory of this entry has a file of this name, whatever it is. For names that are
    /// not UTF-8 and so cannot be paths.
    pub fn has_below(&self, entry: &Entry<'_>, name: &str) -> bool {
        let path = [entry.name_bytes(), b"/", name.as_bytes()].concat();
        rustix::fs::statat(&self.handle, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Begins a listing. The first one of a handle costs nothing but its reading.
    ///
    /// # Errors
    ///
    /// The directory cannot be opened once more.
    pub fn entries<'a>(&mut self, buffer: &'a mut EntryBuffer) -> Result<Entries<'a>> {
        let handle = if std::mem::replace(&mut self.was_listed, true) {
            Arc::new(self.open_handle("", access::DIRECTORY, Links::Refuse)?)
        } else {
            Arc::clone(&self.handle)
        };
        Ok(Entries::new(handle, buffer))
    }

    /// Opens a regular file below a directory that the host names, in one step, where no part of either
    /// path is a link. It takes two system calls, where opening the directory first takes four.
    ///
    /// # Errors
    ///
    /// As [`Dir::open_file`], with [`crate::ErrorKind::Link`] for a link anywhere, and where the kernel
    /// cannot confine paths: then open the directory first.
    pub fn open_file_below<'a>(directory: &Path, path: &'a str) -> Result<File<'a>> {
        path::check(path)?;
        let whole = directory.join(path);
        let handle = open::open_without_links(&whole)
            .map_err(|cause| Error::of(cause, path).without_links())?;
        UncheckedFile { handle, path: path.into(), refusals: Refusals::default() }.into_file()
    }

    fn opened(
        path: &Path,
        open: impl Fn(&Path) -> Result<(OwnedFd, Confinement), rustix::io::Errno>,
    ) -> Result<Self> {
        let (handle, confinement) =
            open(path).map_err(|cause| Error::of(cause, path.to_string_lossy()))?;
        let fence = Fence { confinement, refusals: Refusals::default() };
        Ok(Self { handle: Arc::new(handle), fence, was_listed: false })
    }

    fn open_handle<'p>(
        &self,
        path: impl Into<RelativePath<'p>>,
        flags: OFlags,
        links: Links,
    ) -> Result<OwnedFd> {
        let path = path.into();
        path.check()?;
        let answer = open::open_beneath(self.handle.as_fd(), self.fence, path, flags, links);
        answer.map_err(|error| match links {
            Links::Refuse => error.without_links(),
            Links::FollowInside => error,
        })
    }
}
