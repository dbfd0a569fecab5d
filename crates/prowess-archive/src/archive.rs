//! A checked list of files.

use crate::file::File;
use crate::name::EntryName;
use crate::names::Names;
use crate::{Limits, Refusal, RefusalKind, pack};

/// The files of an archive, sorted by path, each with a path of its own. Empty directories are not
/// part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    files: Vec<File>,
}

impl Archive {
    /// Checks files by the rules of an archive that is read, with the default limits.
    ///
    /// # Errors
    ///
    /// An archive with these files would be refused.
    pub fn new(files: Vec<File>) -> Result<Self, Refusal> {
        let limits = Limits::default();
        if files.len() > limits.entries {
            return Err(RefusalKind::TooManyEntries.into());
        }
        let mut names = Names::default();
        let mut bytes = 0;
        for file in &files {
            let of = |kind: RefusalKind| kind.of(file.path.as_bytes());
            let name = EntryName::check(file.path.as_bytes(), &limits).map_err(of)?;
            if name.is_directory || name.path != file.path {
                return Err(of(RefusalKind::InvalidName));
            }
            names.add_file(&file.path).map_err(of)?;
            bytes += file.content.len();
            if bytes > limits.bytes {
                return Err(of(RefusalKind::TooLarge));
            }
        }
        Self::from_checked(files)
    }

    /// Creates an archive of files that were checked while they were read.
    pub(crate) fn from_checked(mut files: Vec<File>) -> Result<Self, Refusal> {
        if files.is_empty() {
            return Err(RefusalKind::Empty.into());
        }
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { files })
    }

    /// Returns the files, sorted by path.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Packs the files without compression, in the same order.
    pub fn to_tar(&self) -> Vec<u8> {
        pack::tar(&self.files)
    }

    /// Packs the files. Equal files give equal bytes: the entries are sorted and have no times and
    /// no owners.
    pub fn to_tar_gz(&self) -> Vec<u8> {
        pack::tar_gz(&self.files)
    }
}
