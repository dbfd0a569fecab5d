//! Open files whose kind was not checked, for reading the first bytes of very many.

use std::os::fd::OwnedFd;

use crate::file::read_at;
use crate::stat::stat_of;
use crate::{Error, ErrorKind, File, Head, Kind, Refusals, RelativePath, Result};

/// An open file whose kind was not checked. See [`crate::Dir::open_unchecked`].
#[derive(Debug)]
pub struct UncheckedFile<'a> {
    pub(crate) handle: OwnedFd,
    pub(crate) path: RelativePath<'a>,
    pub(crate) refusals: Refusals,
    pub(crate) is_mounted: bool,
}

impl<'a> UncheckedFile<'a> {
    /// Returns whether the directory refuses hard links, which [`Self::into_file`] checks.
    pub fn refuses_hard_links(&self) -> bool {
        self.refusals.hard_links
    }

    /// Returns whether the file may be on another mount than the directory that
    /// [`crate::Dir::open`] opened, from which it was.
    pub fn is_mounted(&self) -> bool {
        self.is_mounted
    }

    /// Reads the first bytes of the file into `buffer`, in one system call. If the buffer is full,
    /// the file may be longer.
    ///
    /// Reading fails for a FIFO, a socket or a directory; an empty file is checked further. Of a
    /// device, which only root can create, [`Self::size`] is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not regular or cannot be read.
    pub fn read_head(&self, buffer: &mut [u8]) -> Result<Head> {
        let length = read_at(&self.handle, self.path, buffer, 0)?;
        if length == 0 && stat_of(&self.handle, self.path)?.kind != Kind::File {
            return Err(Error::new(ErrorKind::NotRegular, self.path.text()));
        }
        // A read of a regular file is short only at its end.
        Ok(Head { length, is_whole_file: length < buffer.len() })
    }

    /// Returns the size of the file in bytes, with one system call.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not regular.
    pub fn size(&self) -> Result<u64> {
        let stat = stat_of(&self.handle, self.path)?;
        match stat.kind {
            Kind::File => Ok(stat.size),
            _ => Err(Error::new(ErrorKind::NotRegular, self.path.text())),
        }
    }

    /// Checks the file, in one system call.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not regular, or has several hard links and its directory
    /// refuses such files.
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
