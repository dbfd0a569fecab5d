//! Directory handles.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags};

use crate::access::{self, Links};
use crate::open::{self, Confinement, Fence};
use crate::stat::stat_of;
use crate::{
    Entries, Entry, EntryBuffer, Error, File, Refusals, RelativePath, Result, Stat, UncheckedFile,
    path,
};

/// An open directory. Paths are relative to it, with `/` as separator; the empty path is the
/// directory itself.
#[derive(Debug)]
pub struct Dir {
    pub(crate) handle: Arc<OwnedFd>,
    pub(crate) fence: Fence,
    /// Whether it is on another mount than the directory that it was opened from.
    is_mounted: bool,
    // A listing moves the handle's read position, so a second one needs its own handle.
    was_listed: AtomicBool,
}

impl Dir {
    /// Opens a directory at a path of the host's. Links on this path are followed, because the host
    /// chose it.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory does not exist or cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::opened(path.as_ref(), open::open_root)
    }

    /// As [`Dir::open`], but does not use the kernel to confine paths. [`Dir::open`] falls back to
    /// this if the kernel does not support it. It is safe, but slower by one open per path part.
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
    /// Returns an error if the path is not of the requested kind, leads outside, is behind a link
    /// that `links` refuses, or cannot be read.
    pub fn open_dir(&self, path: &str, links: Links) -> Result<Self> {
        let (handle, is_mounted) = self.open_handle(path, access::DIRECTORY, links)?;
        Ok(Self { is_mounted, ..Self::new(handle, self.fence) })
    }

    /// Opens a directory by a path relative to this one, and follows links to anywhere. Use it only
    /// if everyone with write access to this directory may select any other directory.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory does not exist or cannot be read.
    pub fn open_dir_anywhere(&self, path: &str) -> Result<Self> {
        path::check(path)?;
        let handle = RelativePath::from(path).call(|path: &CStr| {
            rustix::fs::openat(&self.handle, path, access::DIRECTORY, Mode::empty())
        })?;
        Ok(Self { is_mounted: true, ..Self::new(handle, self.fence) })
    }

    /// Returns whether the directory may be on another mount than the one that [`Self::open`]
    /// opened, from which it was.
    pub fn is_mounted(&self) -> bool {
        self.is_mounted
    }

    /// Opens a regular file inside this directory. It takes two system calls.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not of the requested kind, leads outside, is behind a link
    /// that `links` refuses, or cannot be read.
    pub fn open_file<'a>(&self, path: &'a str, links: Links) -> Result<File<'a>> {
        self.open_unchecked(path, links)?.into_file()
    }

    /// Opens a file inside this directory without checking its kind, in one system call. Meant for
    /// reading the first bytes of very many files.
    ///
    /// # Errors
    ///
    /// As for [`Dir::open_file`], but a file that is not regular may be detected only when it is
    /// read.
    pub fn open_unchecked<'a>(
        &self,
        path: impl Into<RelativePath<'a>>,
        links: Links,
    ) -> Result<UncheckedFile<'a>> {
        let path = path.into();
        let (handle, is_mounted) = self.open_handle(path, access::FILE, links)?;
        Ok(UncheckedFile { handle, path, refusals: self.fence.refusals, is_mounted })
    }

    /// Reads a whole regular file. Links that stay inside are followed.
    ///
    /// # Errors
    ///
    /// As for [`Dir::open_file`], or the file is larger than `limit` bytes.
    pub fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>> {
        self.open_file(path, Links::FollowInside)?.read_whole(limit)
    }

    /// Returns the state of a file inside this directory. A link at the end is followed if `links`
    /// allows it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, or the path leads outside.
    pub fn stat(&self, path: &str, links: Links) -> Result<Stat> {
        let (handle, _) = self.open_handle(path, access::PATH_ONLY, links)?;
        stat_of(&handle, path.into())
    }

    /// Returns the path that a symbolic link contains, without following it.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a link, or has another link on it.
    pub fn read_link(&self, path: &str) -> Result<Vec<u8>> {
        path::check(path)?;
        let read = |parent: &Self, name| rustix::fs::readlinkat(&parent.handle, name, Vec::new());
        let text = match path.rsplit_once('/') {
            Some((parent, name)) => read(&self.open_dir(parent, Links::Refuse)?, name),
            None => read(self, path),
        };
        text.map(CString::into_bytes).map_err(|cause| Error::of(cause, path))
    }

    /// Returns the state of a file, in one system call that does not confine the directories on its
    /// path.
    ///
    /// If one of them is replaced by a link meanwhile, the result may describe a file elsewhere.
    /// Use it only to check that a file known by its inode is unchanged, never to decide what to
    /// read. A link at the end is never followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist.
    pub fn stat_unconfined<'p>(&self, path: impl Into<RelativePath<'p>>) -> Result<Stat> {
        let path = path.into();
        path.check()?;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        path.call(|path| rustix::fs::statat(&self.handle, path, flags)).map(|stat| Stat::of(&stat))
    }

    /// Returns whether the directory of this entry contains this name. For names that are not UTF-8
    /// and so cannot be paths.
    pub fn has_below(&self, entry: &Entry<'_>, name: &str) -> bool {
        let path = [entry.name_bytes(), b"/", name.as_bytes()].concat();
        rustix::fs::statat(&self.handle, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Starts a listing. The first one of a handle needs no further system call to open it.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be opened again.
    pub fn entries<'a>(&mut self, buffer: &'a mut EntryBuffer) -> Result<Entries<'a>> {
        self.listing(buffer)
    }

    /// As [`Dir::entries`], for a directory that is shared: of two listings at once, one opens it
    /// again.
    pub(crate) fn listing<'a>(&self, buffer: &'a mut EntryBuffer) -> Result<Entries<'a>> {
        let handle = if self.was_listed.swap(true, Ordering::Relaxed) {
            Arc::new(self.open_handle("", access::DIRECTORY, Links::Refuse)?.0)
        } else {
            Arc::clone(&self.handle)
        };
        Ok(Entries::new(handle, buffer))
    }

    /// Opens a regular file below a directory of the host's in one step, if no part of either path
    /// is a link. It takes two system calls; opening the directory first takes four.
    ///
    /// # Errors
    ///
    /// As for [`Dir::open_file`]. Also [`crate::ErrorKind::Link`] for a link anywhere, and if the
    /// kernel cannot confine paths: then open the directory first.
    pub fn open_file_below<'a>(directory: &Path, path: &'a str) -> Result<File<'a>> {
        path::check(path)?;
        let whole = directory.join(path);
        let handle = open::open_without_links(&whole)
            .map_err(|cause| Error::of(cause, path).behind(Links::Refuse))?;
        let refusals = Refusals::default();
        UncheckedFile { handle, path: path.into(), refusals, is_mounted: true }.into_file()
    }

    /// Sets the files that are refused by every later call on this handle.
    #[must_use]
    pub fn refusing(mut self, refusals: Refusals) -> Self {
        self.fence.refusals = refusals;
        self
    }

    /// Returns the refusals that apply below the directory.
    pub fn refusals(&self) -> Refusals {
        self.fence.refusals
    }

    fn opened(
        path: &Path,
        open: impl Fn(&Path) -> Result<(OwnedFd, Confinement), rustix::io::Errno>,
    ) -> Result<Self> {
        let (handle, confinement) =
            open(path).map_err(|cause| Error::of(cause, path.to_string_lossy()))?;
        let fence = Fence { confinement, refusals: Refusals::default() };
        Ok(Self::new(handle, fence))
    }

    fn new(handle: OwnedFd, fence: Fence) -> Self {
        let was_listed = AtomicBool::new(false);
        Self { handle: Arc::new(handle), fence, is_mounted: false, was_listed }
    }

    /// Opens a path, and says whether that may be on another mount than the first directory.
    fn open_handle<'p>(
        &self,
        path: impl Into<RelativePath<'p>>,
        flags: OFlags,
        links: Links,
    ) -> Result<(OwnedFd, bool)> {
        let path = path.into();
        path.check()?;
        let opened = open::open_beneath(self.handle.as_fd(), self.fence, path, flags, links);
        opened
            .map(|(handle, is_mounted)| (handle, is_mounted || self.is_mounted))
            .map_err(|error| error.behind(links))
    }
}
