//! A file of which only the first bytes are wanted, and of which there are very many.

use std::os::fd::OwnedFd;

use crate::file::read_at;
use crate::stat::stat_of;
use crate::{Error, ErrorKind, File, Head, Kind, Refusals, RelativePath, Result};

/// A file that is open and that nobody has looked at. See [`crate::Dir::open_unchecked`].
#[derive(Debug)]
pub struct UncheckedFile<'a> {
    pub(crate) handle: OwnedFd,
    pub(crate) path: RelativePath<'a>,
    pub(crate) refusals: Refusals,
}

impl<'a> UncheckedFile<'a> {
    /// Whether the file may have one name only, of which [`Self::into_file`] makes sure.
    pub fn refuses_hard_links(&self) -> bool {
        self.refusals.hard_links
    }

    /// Fills `buffer` from the file's beginning, in one system call. A full buffer leaves open whether the
    /// file ends there.
    ///
    /// A FIFO, a socket or a directory has no beginning to read, and what has no bytes is looked at. A
    /// device, which only root can have put there, may be read from once.
    ///
    /// # Errors
    ///
    /// It is no regular file, or cannot be read.
    pub fn read_head(&self, buffer: &mut [u8]) -> Result<Head> {
        let length = read_at(&self.handle, self.path, buffer, 0)?;
        if length == 0 && stat_of(&self.handle, self.path)?.kind != Kind::File {
            return Err(Error::new(ErrorKind::NotRegular, self.path.text()));
        }
        // A regular file gives fewer bytes than asked for only where it ends.
        Ok(Head { length, is_whole_file: length < buffer.len() })
    }

    /// Looks at the file, in one system call.
    ///
    /// # Errors
    ///
    /// It is no regular file, or it has several names and its directory refuses such files.
    pub fn into_file(self) -> Result<File<'a>> {
        let stat = stat_of(&self.handle, self.path)?;
        match stat.kind {
            Kind::File if !self.refusals.admit(&stat) => {
                Err(Error::new(ErrorKind::MultipleLinks, self.path.text()))
            }
            Kind::File => Ok(File { handle: self.handle, path: self.path, stat }),
            _ => Err(Error::new(ErrorKind::NotRegular, self.path.text())),
        }
    }
}
