//! Creates and removes directories and files, through handles only.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::{Dir, Error, ErrorKind, Links, Result, path};

/// The maximum depth of a tree that is removed.
pub(crate) const MOST_LEVELS: usize = 64;

/// The bits of a mode that are permissions.
const ALL: Mode = Mode::from_raw_mode(0o7777);

/// The permissions of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    /// Everyone may read the file (`644`).
    Readable,
    /// Everyone may read and execute the file (`755`).
    Executable,
    /// Only the user may read the file (`600`).
    Private,
}

impl Permissions {
    pub(crate) fn mode(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Readable => 0o644,
            Self::Executable => 0o755,
            Self::Private => 0o600,
        })
    }
}

impl Dir {
    /// Creates a directory of this name, which everyone may read, and opens it.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is a path, exists, or cannot be created.
    pub fn create_dir(&self, name: &str) -> Result<Self> {
        check_name(name)?;
        let created = rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o755));
        created.map_err(|cause| Error::unwritable(cause, name))?;
        self.open_dir(name, Links::Refuse)
    }

    /// Opens the directory of this name, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is a path, is not a directory, or cannot be created.
    pub fn open_or_create_dir(&self, name: &str) -> Result<Self> {
        self.open_or_create(name, Mode::from_raw_mode(0o755))
    }

    /// As [`Self::open_or_create_dir`], but a directory that is created is for the user alone.
    ///
    /// # Errors
    ///
    /// As [`Self::open_or_create_dir`].
    pub fn open_or_create_private_dir(&self, name: &str) -> Result<Self> {
        self.open_or_create(name, Mode::from_raw_mode(0o700))
    }

    fn open_or_create(&self, name: &str, mode: Mode) -> Result<Self> {
        check_name(name)?;
        let created = rustix::fs::mkdirat(&self.handle, name, mode);
        match (self.open_dir(name, Links::Refuse), created) {
            (Err(error), Err(cause)) if error.kind() == ErrorKind::NotFound => {
                Err(Error::unwritable(cause, name))
            }
            (opened, _) => opened,
        }
    }

    /// Opens the directory at this path, and creates the parts of it that do not exist. Links are
    /// followed inside of this directory.
    ///
    /// # Errors
    ///
    /// As [`Dir::open_dir`], or if a part cannot be created.
    pub fn open_or_create_dirs(&self, path: &str) -> Result<Self> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let mut parent = self.open_dir("", Links::Refuse)?;
        let mut start = 0;
        for end in ends.filter(|end| *end > 0) {
            parent = match self.open_dir(&path[..end], Links::FollowInside) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    parent.create_dir(&path[start..end])?
                }
                opened => opened?,
            };
            start = end + 1;
        }
        Ok(parent)
    }

    /// Creates a file of this name with this content. It is not written to the disk before
    /// [`Dir::sync`].
    ///
    /// # Errors
    ///
    /// Returns an error if the name is a path, exists, or the file cannot be written.
    pub fn create_file(&self, name: &str, content: &[u8], permissions: Permissions) -> Result<()> {
        check_name(name)?;
        self.create_and_write(name, content, permissions)
            .map(drop)
            .map_err(|cause| Error::unwritable(cause, name))
    }

    pub(crate) fn create_and_write(
        &self,
        name: &str,
        content: &[u8],
        permissions: Permissions,
    ) -> Result<File, Errno> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(&self.handle, name, flags, permissions.mode())?;
        let mut file = File::from(handle);
        let written = file.write_all(content);
        written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        // The mask of the process must not decide whether a file is executable. Most masks change
        // nothing, and to look costs less than to write.
        let mode = permissions.mode();
        if Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) & ALL != mode {
            rustix::fs::fchmod(&file, mode)?;
        }
        Ok(file)
    }

    /// Creates or replaces a file in one step: at any time it has the old or the new content, also
    /// after a power failure. `temporary` is the name that the new content has meanwhile; a file of
    /// that name is removed first.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is a path, or the file cannot be written. The old content is then
    /// kept.
    pub fn put_file(
        &self,
        name: &str,
        temporary: &str,
        content: &[u8],
        permissions: Permissions,
    ) -> Result<()> {
        check_name(name)?;
        check_name(temporary)?;
        let put = || -> Result<(), Errno> {
            match rustix::fs::unlinkat(&self.handle, temporary, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(cause) => return Err(cause),
            }
            let file = self.create_and_write(temporary, content, permissions)?;
            rustix::fs::fsync(&file)?;
            rustix::fs::renameat(&self.handle, temporary, &self.handle, name)?;
            rustix::fs::fsync(&self.handle)
        };
        put().map_err(|cause| Error::unwritable(cause, name))
    }

    /// Creates a symbolic link of this name, whose target need not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is a path, exists, or cannot be created.
    pub fn create_link(&self, name: &str, target: &Path) -> Result<()> {
        check_name(name)?;
        rustix::fs::symlinkat(target, &self.handle, name)
            .map_err(|cause| Error::unwritable(cause, name))
    }

    /// Moves an entry of this directory to a name in another one on the same disk, where no entry
    /// may have that name.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is a path, the target exists and is not an empty directory, or it
    /// cannot be moved.
    pub fn move_into(&self, name: &str, target: &Self, target_name: &str) -> Result<()> {
        check_name(name)?;
        check_name(target_name)?;
        rustix::fs::renameat(&self.handle, name, &target.handle, target_name)
            .map_err(|cause| Error::unwritable(cause, target_name))
    }

    /// Exchanges an entry of this directory with one of another one on the same disk, in one step:
    /// each name has one of the two at any time.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is a path or does not exist, or the file system cannot do that.
    pub fn exchange(&self, name: &str, other: &Self, other_name: &str) -> Result<()> {
        check_name(name)?;
        check_name(other_name)?;
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        let exchanged = {
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(&self.handle, name, &other.handle, other_name, flags)
        };
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        let exchanged = Err(Errno::NOSYS);
        exchanged.map_err(|cause| Error::unwritable(cause, name))
    }

    /// Writes everything below this directory to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk is full or fails.
    pub fn sync(&self) -> Result<()> {
        // One call for all files, instead of one for each.
        #[cfg(target_os = "linux")]
        let synced = rustix::fs::syncfs(&self.handle);
        #[cfg(not(target_os = "linux"))]
        let synced = {
            rustix::fs::sync();
            rustix::fs::fsync(&self.handle)
        };
        synced.map_err(|cause| Error::unwritable(cause, ""))
    }

    /// Removes a file, or a directory with everything in it. Links are removed and not followed. An
    /// entry that does not exist is no error.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is a path, or something cannot be removed.
    pub fn remove_tree(&self, name: &str) -> Result<()> {
        check_name(name)?;
        self.remove(name, MOST_LEVELS).map_err(|cause| Error::unwritable(cause, name))
    }

    fn remove(&self, name: &str, levels: usize) -> Result<(), Errno> {
        let removed = rustix::fs::unlinkat(&self.handle, name, AtFlags::empty());
        match removed {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            // Linux and POSIX have different errors for a directory.
            Err(Errno::ISDIR | Errno::PERM) if levels > 0 => {}
            Err(cause) => return Err(cause),
        }
        let directory = self.open_dir(name, Links::Refuse).map_err(|_| Errno::ACCESS)?;
        for child in directory.names()? {
            directory.remove(&child, levels - 1)?;
        }
        rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        let mut listing = rustix::fs::Dir::read_from(&self.handle)?;
        while let Some(entry) = listing.read() {
            let entry = entry?;
            let name = entry.file_name().to_str().map_err(|_| Errno::ILSEQ)?;
            if !matches!(name, "." | "..") {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// Rejects a text that is not the name of one entry.
fn check_name(name: &str) -> Result<()> {
    path::check(name)?;
    if name.is_empty() || name == "." || name.contains('/') {
        return Err(Error::new(ErrorKind::Escape, name));
    }
    Ok(())
}
