//! Files of a directory on this machine.

use std::path::Path;

use prowess_dir::{Dir, ErrorKind};

use crate::{CatalogFile, CatalogFileError};

type Result<T> = std::result::Result<T, CatalogFileError>;

pub(crate) fn open_in(directory: &Path, name: &str) -> Result<CatalogFile> {
    let path = directory.join(name);
    CatalogFile::open(&path).map_err(|error| match error {
        CatalogFileError::Access(error) if error.kind() == std::io::ErrorKind::NotFound => {
            CatalogFileError::NotFound(path.display().to_string())
        }
        error => error,
    })
}

pub(crate) fn read(directory: &Path, path: &str, limit: usize) -> Result<Vec<u8>> {
    let read = Dir::open(directory).and_then(|directory| directory.read(path, limit));
    read.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            CatalogFileError::NotFound(directory.join(path).display().to_string())
        }
        ErrorKind::TooLarge => CatalogFileError::Damaged("a file is larger than it says"),
        _ => other(error).into(),
    })
}

/// Removes the catalog files of a directory but these.
pub(crate) fn remove_others(directory: &Path, names: &[String]) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_catalog = path.extension().is_some_and(|extension| extension == "prowess");
        if is_catalog && !names.iter().any(|name| path.file_name() == Some(name.as_ref())) {
            // Another process may have removed it.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

pub(crate) fn other(error: prowess_dir::Error) -> std::io::Error {
    std::io::Error::other(error)
}
