//! The directories of places: how a lock names them, and how they are opened.

use std::fs;
use std::path::{Component, Path, PathBuf};

use prowess_dir::{Dir, ErrorKind, Links};

use crate::error::StoreError;
use crate::lock_file::LockFile;
use crate::placed::OUTSIDE;

/// Returns a directory as the lock names it: relative to the lock of a project, or absolute.
pub(super) fn locked_directory(file: &LockFile, directory: &Path) -> Result<String, StoreError> {
    let outside = || StoreError::PlaceRefused(directory.to_owned(), OUTSIDE);
    let absolute = lexically_normal(&std::path::absolute(directory)?);
    let named = if file.is_of_project() {
        let own = std::path::absolute(file.path())?;
        let below = absolute.strip_prefix(own.parent().unwrap_or(&own)).map_err(|_| outside())?;
        below.to_owned()
    } else {
        absolute
    };
    named.into_os_string().into_string().map_err(|_| outside())
}

/// Returns a path without `.` and `..`.
fn lexically_normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normal, part| {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
        normal
    })
}

/// Opens the directory of a place; `None` if it does not exist. That of a project is opened through
/// the directory of the lock, and no link leads out of that.
pub(super) fn open(file: &LockFile, directory: &str) -> Result<Option<Dir>, prowess_dir::Error> {
    let opened = if file.is_of_project() {
        file.open_directory()?.open_dir(directory, Links::FollowInside)
    } else {
        Dir::open(directory)
    };
    match opened {
        Ok(directory) => Ok(Some(directory)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether a link that leads out of the project, or a file, is on the way.
pub(super) fn is_blocked(kind: ErrorKind) -> bool {
    use ErrorKind::{Escape, Link, Loop, NotADirectory};
    matches!(kind, Escape | Link | Loop | NotADirectory)
}

/// Opens the directory of a place, and creates the parts of its path that do not exist.
pub(super) fn create(file: &LockFile, directory: &str) -> Result<Dir, StoreError> {
    if !file.is_of_project() {
        fs::create_dir_all(directory)?;
        return Ok(Dir::open(directory)?);
    }
    Ok(file.open_directory()?.open_or_create_dirs(directory)?)
}
