//! Gives what replaces a file or a directory the owner, the permissions and the attributes of that.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Gid, Mode, RawMode, Stat, Timespec, Timestamps, Uid};
use rustix::io::Errno;

use crate::create::{MOST_LEVELS, Permissions};
use crate::{Dir, Error, ErrorKind, Links, Result};

/// The bits of a mode that let a program run as the owner or the group of its file.
const SET_ID: RawMode = 0o6000;

/// Gives a new file or directory the owner, the group and the attributes of a model, such as its
/// access control list, and a mode that is made from its own.
pub(crate) fn keep(
    new: &impl AsFd,
    model: &OwnedFd,
    mode: impl FnOnce(RawMode) -> RawMode,
) -> Result<(), Errno> {
    let (own, kept) = (rustix::fs::fstat(new)?, rustix::fs::fstat(model)?);
    give(new, &own, &kept)?;
    #[cfg(target_os = "linux")]
    attributes::copy(new, model)?;
    let mode = mode(mode_of(&kept));
    if mode_of(&rustix::fs::fstat(new)?) != mode {
        rustix::fs::fchmod(new, Mode::from_raw_mode(mode))?;
    }
    Ok(())
}

/// Gives a file to the owner and the group of another one.
fn give(file: &impl AsFd, own: &Stat, kept: &Stat) -> Result<(), Errno> {
    if (own.st_uid, own.st_gid) == (kept.st_uid, kept.st_gid) {
        return Ok(());
    }
    let (user, group) = (Uid::from_raw(kept.st_uid), Gid::from_raw(kept.st_gid));
    rustix::fs::fchown(file, Some(user), Some(group))
}

fn mode_of(stat: &Stat) -> RawMode {
    stat.st_mode & 0o7777
}

/// Returns the error of a file whose owner, group or attributes are not this process's to give.
pub(crate) fn failed(cause: Errno, path: &str) -> Error {
    match cause {
        Errno::PERM | Errno::ACCESS | Errno::INVAL => Error::new(ErrorKind::Owner, path),
        cause => Error::unwritable(cause, path),
    }
}

impl Dir {
    /// Writes files to this new directory, each as its path, its content and whether it can be
    /// executed. With a model, which this directory is to replace, what exists there keeps its
    /// owner, group, permissions and attributes, also directories without files. What is new
    /// belongs to the owner of the directory above it, and is no more open than that.
    ///
    /// # Errors
    ///
    /// Returns an error if something cannot be written, or [`ErrorKind::Owner`] if it cannot have
    /// the owner that it had.
    pub fn write_files<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f str, &'f [u8], bool)>,
        model: Option<&Self>,
    ) -> Result<()> {
        if let Some(model) = model {
            self.keep_of(model, "")?;
        }
        // Files are sorted, so most are in the directory of the file before.
        let mut last = ("", self.open_dir("", Links::Refuse)?);
        for (path, content, is_executable) in files {
            let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
            if last.0 != parents {
                last = (parents, self.directory_like(parents, model)?);
            }
            let permissions =
                if is_executable { Permissions::Executable } else { Permissions::Readable };
            match model {
                None => last.1.create_file(name, content, permissions)?,
                Some(model) => last.1.create_like(name, content, permissions, model, path)?,
            }
        }
        model.map_or(Ok(()), |model| self.keep_directories(model, MOST_LEVELS))
    }

    /// Gives entries of a model, which this new directory is to replace, further names here: links,
    /// and files whose contents are not read. So each directory has all of them at any time.
    ///
    /// # Errors
    ///
    /// Returns an error if a path is that of a directory, or an entry cannot have a further name.
    pub fn link_entries<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        model: &Self,
    ) -> Result<()> {
        let mut last = ("", self.open_dir("", Links::Refuse)?, model.open_dir("", Links::Refuse)?);
        for path in paths {
            let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
            if last.0 != parents {
                let known = model.open_dir(parents, Links::Refuse)?;
                last = (parents, self.directory_like(parents, Some(model))?, known);
            }
            rustix::fs::linkat(&last.2.handle, name, &last.1.handle, name, AtFlags::empty())
                .map_err(|cause| Error::unwritable(cause, path))?;
        }
        Ok(())
    }

    /// Opens the directory at a path, and creates the parts of the path that do not exist.
    fn directory_like(&self, path: &str, model: Option<&Self>) -> Result<Self> {
        let mut above = self.open_dir("", Links::Refuse)?;
        let mut end = 0;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            end += usize::from(end > 0) + name.len();
            above = match above.open_dir(name, Links::Refuse) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let new = above.create_dir(name)?;
                    if let Some(model) = model {
                        let known = model.open_dir(&path[..end], Links::Refuse);
                        new.keep_of(known.as_ref().unwrap_or(&above), &path[..end])?;
                    }
                    new
                }
                opened => opened?,
            };
        }
        Ok(above)
    }

    /// Takes over what [`keep`] does. The owner can still write here, until all is written.
    fn keep_of(&self, model: &Self, path: &str) -> Result<()> {
        keep(&*self.handle, &model.handle, |mode| mode | 0o700).map_err(|cause| failed(cause, path))
    }

    fn create_like(
        &self,
        name: &str,
        content: &[u8],
        permissions: Permissions,
        model: &Self,
        path: &str,
    ) -> Result<()> {
        let unwritable = |cause| Error::unwritable(cause, path);
        let new = self.create_and_write(name, content, Permissions::Private).map_err(unwritable)?;
        let new = OwnedFd::from(new);
        let wanted = permissions.mode().as_raw_mode();
        let Ok(known) = model.open_file(path, Links::Refuse) else {
            let own = rustix::fs::fstat(&new).map_err(unwritable)?;
            let above = rustix::fs::fstat(&self.handle).map_err(unwritable)?;
            if own.st_uid != above.st_uid {
                give(&new, &own, &above).map_err(|cause| failed(cause, path))?;
            }
            let mode = wanted & (mode_of(&above) | 0o600);
            return rustix::fs::fchmod(&new, Mode::from_raw_mode(mode)).map_err(unwritable);
        };
        let is_same = known.read_whole(content.len()).is_ok_and(|before| before == content);
        let is_executable = wanted & 0o111 != 0;
        let mode = |mode: RawMode| match (is_executable, mode & 0o111 != 0) {
            (true, false) => (mode | ((mode & 0o444) >> 2)) & !SET_ID,
            (false, true) => mode & !(0o111 | SET_ID),
            // As the kernel does it, where a program writes to such a file.
            _ if !is_same => mode & !SET_ID,
            _ => mode,
        };
        keep(&new, &known.handle, mode).map_err(|cause| failed(cause, path))?;
        if is_same {
            let modified = known.stat().modified;
            let nanoseconds = modified.nanoseconds.into();
            let time = Timespec { tv_sec: modified.seconds, tv_nsec: nanoseconds };
            let times = Timestamps { last_access: time, last_modification: time };
            rustix::fs::futimens(&new, &times).map_err(unwritable)?;
        }
        Ok(())
    }

    /// Creates the directories that have no file in the model, and gives all directories the mode
    /// that they have there.
    fn keep_directories(&self, model: &Self, levels: usize) -> Result<()> {
        let unreadable = |cause| Error::of(cause, "");
        for name in model.names().map_err(unreadable)? {
            let Ok(below) = model.open_dir(&name, Links::Refuse) else { continue };
            let own = match self.open_dir(&name, Links::Refuse) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    if !below.has_no_file(levels) {
                        continue;
                    }
                    self.directory_like(&name, Some(model))?
                }
                opened => opened?,
            };
            if levels > 0 {
                own.keep_directories(&below, levels - 1)?;
            }
        }
        keep(&*self.handle, &model.handle, |mode| mode).map_err(|cause| failed(cause, ""))
    }

    fn has_no_file(&self, levels: usize) -> bool {
        let is_bare = |name: String| {
            let below = self.open_dir(&name, Links::Refuse);
            levels > 0 && below.is_ok_and(|below| below.has_no_file(levels - 1))
        };
        self.names().is_ok_and(|names| names.into_iter().all(is_bare))
    }
}

/// Attributes with which a file system stores access control lists and the notes of programs.
#[cfg(target_os = "linux")]
mod attributes {
    use std::os::fd::{AsFd, OwnedFd};

    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    use rustix::io::Errno;

    /// The maximum size of the names and of one value, as the kernel limits them.
    const MOST: usize = 64 * 1024;

    /// Copies those attributes. Others, such as the rights of programs, are not for a new content.
    pub(super) fn copy(new: &impl AsFd, model: &OwnedFd) -> Result<(), Errno> {
        let mut names = vec![0; MOST];
        let length = match flistxattr(model, &mut names[..]) {
            // The file system has none.
            Err(Errno::NOTSUP) => return Ok(()),
            length => length?,
        };
        let mut value = Vec::new();
        let is_copied =
            |name: &&[u8]| name.starts_with(b"user.") || name.starts_with(b"system.posix_acl_");
        for name in names[..length].split(|byte| *byte == 0).filter(is_copied) {
            value.resize(MOST, 0);
            let length = fgetxattr(model, name, &mut value[..])?;
            fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
        }
        Ok(())
    }
}
