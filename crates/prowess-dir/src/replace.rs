//! Replaces a file's content atomically, through handles only.

use std::fs;
use std::io::Write as _;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags};
use rustix::io::Errno;

use crate::alike::{failed, keep};
use crate::{Dir, Error, ErrorKind, Links, Result};

/// The number of names to try for a temporary file.
const NAME_TRIES: u32 = 100;

impl Dir {
    /// Replaces the content of a regular file inside this directory, if its content still equals
    /// `before`.
    ///
    /// The file has either the old or the new content at any time. The new content is written to an
    /// unnamed file, which gets a temporary name only for the rename, so that a process that is
    /// killed earlier leaves nothing behind. On file systems without unnamed files it has a
    /// temporary name from the start. Permissions are kept, and the owner and the group if the
    /// process may set them; another group gets no rights.
    ///
    /// `links` applies to the directories of `path`. A file that is itself a link is refused.
    ///
    /// # Errors
    ///
    /// As for [`Dir::open_file`]; [`ErrorKind::Changed`] if the file's content is not `before`;
    /// [`ErrorKind::Unwritable`] if a write fails. The file is then unchanged, and the temporary
    /// file is removed.
    pub fn replace_file(
        &self,
        path: &str,
        links: Links,
        before: &[u8],
        after: &[u8],
    ) -> Result<()> {
        self.replace(path, links, [before, after], false, Staged::create)
    }

    /// Does what [`Dir::replace_file`] does, if the file keeps its owner and its group.
    ///
    /// # Errors
    ///
    /// As for [`Dir::replace_file`], or [`ErrorKind::Owner`].
    pub fn replace_own_file(
        &self,
        path: &str,
        links: Links,
        before: &[u8],
        after: &[u8],
    ) -> Result<()> {
        self.replace(path, links, [before, after], true, Staged::create)
    }

    fn replace(
        &self,
        path: &str,
        links: Links,
        [before, after]: [&[u8]; 2],
        keeps_owner: bool,
        create: impl FnOnce(&Self, &str) -> Result<Staged, Errno>,
    ) -> Result<()> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = self.open_dir(parent, links)?;
        let changed = || Error::new(ErrorKind::Changed, path);
        let unwritable = |cause| Error::unwritable(cause, path);
        let current = directory.open_file(name, Links::Refuse)?;
        let mut staged = create(&directory, name).map_err(unwritable)?;
        staged.write(after).map_err(unwritable)?;
        match staged.keep(&current.handle) {
            Err(cause) if keeps_owner => return Err(failed(cause, path)),
            Err(_) => staged.keep_group(&current.handle).map_err(unwritable)?,
            Ok(()) => {}
        }
        rustix::fs::fsync(&staged.file).map_err(unwritable)?;
        // Opened again: an editor may have replaced the file.
        let current = directory.open_file(name, Links::Refuse)?;
        if current.read_whole(before.len()).ok().as_deref() != Some(before) {
            return Err(changed());
        }
        staged.link(name).map_err(unwritable)?;
        if directory.stat(name, Links::Refuse)? != *current.stat() {
            return Err(changed());
        }
        staged.rename(name).map_err(unwritable)?;
        rustix::fs::fsync(&directory.handle).map_err(unwritable)
    }
}

/// The new content, in an unnamed file or one with a temporary name. Dropping it removes the name.
struct Staged {
    directory: std::sync::Arc<OwnedFd>,
    file: fs::File,
    temporary: Option<String>,
}

/// Only the user may read and write a file that is not complete.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

impl Staged {
    /// Creates an unnamed file if the file system supports it, otherwise a named one.
    fn create(directory: &Dir, target: &str) -> Result<Self, Errno> {
        match Self::create_unnamed(directory) {
            Some(staged) => Ok(staged),
            None => Self::create_named(directory, target),
        }
    }

    #[cfg(target_os = "linux")]
    fn create_unnamed(directory: &Dir) -> Option<Self> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&directory.handle, ".", flags, PRIVATE);
        let staged = Self::new(directory, file.ok()?, None);
        // Without a mounted `/proc` the file could never be linked.
        let is_linkable = rustix::fs::stat(staged.magic_link()).is_ok();
        is_linkable.then_some(staged)
    }

    #[cfg(not(target_os = "linux"))]
    fn create_unnamed(_directory: &Dir) -> Option<Self> {
        None
    }

    fn create_named(directory: &Dir, target: &str) -> Result<Self, Errno> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let (name, file) = with_free_name(target, |name| {
            rustix::fs::openat(&directory.handle, name, flags, PRIVATE)
        })?;
        Ok(Self::new(directory, file, Some(name)))
    }

    fn new(directory: &Dir, file: OwnedFd, temporary: Option<String>) -> Self {
        Self { directory: directory.handle.clone(), file: file.into(), temporary }
    }

    fn write(&mut self, content: &[u8]) -> Result<(), Errno> {
        let written = self.file.write_all(content);
        written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    /// Takes over the owner, the group, the attributes and the permissions of `model`.
    fn keep(&self, model: &OwnedFd) -> Result<(), Errno> {
        keep(&self.file, model, |mode| mode & 0o777)
    }

    /// Takes over the permissions of `model`, and its group or else no rights of a group.
    fn keep_group(&self, model: &OwnedFd) -> Result<(), Errno> {
        let stat = rustix::fs::fstat(model)?;
        let group = Gid::from_raw(stat.st_gid);
        let is_kept = rustix::fs::fchown(&self.file, None, Some(group)).is_ok();
        let bits = if is_kept { 0o777 } else { 0o707 };
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(stat.st_mode & bits))
    }

    /// Gives the file a temporary name, unless it has one.
    fn link(&mut self, target: &str) -> Result<(), Errno> {
        if self.temporary.is_some() {
            return Ok(());
        }
        let source = self.magic_link();
        let (name, ()) = with_free_name(target, |name| {
            rustix::fs::linkat(CWD, &source, &self.directory, name, AtFlags::SYMLINK_FOLLOW)
        })?;
        self.temporary = Some(name);
        Ok(())
    }

    /// Renames the file to `target`, replacing the file of that name.
    fn rename(mut self, target: &str) -> Result<(), Errno> {
        if let Some(temporary) = &self.temporary {
            rustix::fs::renameat(&self.directory, temporary, &self.directory, target)?;
            self.temporary = None;
        }
        Ok(())
    }

    /// Returns the path in `/proc` of the open file.
    fn magic_link(&self) -> String {
        format!("/proc/self/fd/{}", self.file.as_raw_fd())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = rustix::fs::unlinkat(&self.directory, temporary, AtFlags::empty());
        }
    }
}

/// Calls `create` with names next to `target` until one is free. A name that exists, links
/// included, is never used.
fn with_free_name<T>(
    target: &str,
    create: impl Fn(&str) -> Result<T, Errno>,
) -> Result<(String, T), Errno> {
    for number in 0..NAME_TRIES {
        let name = format!(".{target}.{}-{number}.tmp", std::process::id());
        match create(&name) {
            Err(Errno::EXIST) => {}
            created => return created.map(|created| (name, created)),
        }
    }
    Err(Errno::EXIST)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

    use super::*;

    #[test]
    fn file_systems_without_unnamed_files_get_a_temporary_name() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.md");
        fs::write(&file, "old").unwrap();
        let directory = Dir::open(place.path()).unwrap();
        let replace = |before: &[u8]| {
            directory.replace("a.md", Links::Refuse, [before, b"new"], false, Staged::create_named)
        };
        assert_eq!(replace(b"other").unwrap_err().kind(), ErrorKind::Changed);
        assert_eq!(fs::read(&file).unwrap(), b"old", "a file that changed is kept");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "the temporary file is removed");
        replace(b"old").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "the other file was renamed");
    }

    #[test]
    fn names_that_are_taken_are_not_used() {
        let place = tempfile::tempdir().unwrap();
        let victim = place.path().join("victim");
        fs::write(&victim, "victim").unwrap();
        let first = format!(".a.md.{}-0.tmp", std::process::id());
        std::os::unix::fs::symlink(&victim, place.path().join(&first)).unwrap();
        fs::write(place.path().join("a.md"), "old").unwrap();
        let directory = Dir::open(place.path()).unwrap();
        for create in [Staged::create, Staged::create_named] {
            fs::write(place.path().join("a.md"), "old").unwrap();
            directory.replace("a.md", Links::Refuse, [b"old", b"new"], false, create).unwrap();
            assert_eq!(fs::read(place.path().join("a.md")).unwrap(), b"new");
            assert_eq!(fs::read(&victim).unwrap(), b"victim", "the link was not followed");
            assert!(place.path().join(&first).is_symlink(), "the other file keeps its name");
        }
    }
}
