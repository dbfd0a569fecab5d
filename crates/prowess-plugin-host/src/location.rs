//! Opens a plugin's file after checking its location and which users can replace it.
//!
//! The check matters although a digest or signature is verified later: with a signature, another
//! user could replace the file by any other build that the key's owner has ever signed.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use prowess_dir::is_user_or_root;
use prowess_text::shell_path;

use crate::regular_file::{LastLink, open_any};
use crate::{PluginError, PluginErrorKind, PluginPolicy};

/// A plugin's open file.
pub(crate) struct OpenedFile {
    file: File,
    stat: Metadata,
    path: PathBuf,
}

/// Opens a plugin's file. Returns an error if the path is not absolute, other users can replace the
/// file, or it cannot be opened.
pub(crate) fn open(path: &Path) -> Result<OpenedFile, PluginError> {
    if !path.is_absolute() {
        let help = "use an absolute path: a relative one depends on the working directory";
        return Err(refused(path, "is not an absolute path", help));
    }
    let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
    if let Some(directory) = real.parent() {
        let stat = directory.metadata().map_err(|error| unreadable(path, &error))?;
        check_writers(path, directory, &stat)?;
    }
    let opened = open_resolved(path, &real)?;
    check_writers(path, &real, &opened.stat)?;
    Ok(opened)
}

impl OpenedFile {
    /// Reads the content.
    pub(crate) fn read(mut self, policy: &PluginPolicy) -> Result<Vec<u8>, PluginError> {
        let most = policy.max_bytes;
        // Checked before reading: a sparse file may have gigabytes.
        if self.stat.len() > most {
            return Err(self.too_large(most));
        }
        let mut bytes = Vec::new();
        // The file may have grown since it was opened.
        let read = (&mut self.file).take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&self.path, &error))?;
        if bytes.len() as u64 > most {
            return Err(self.too_large(most));
        }
        Ok(bytes)
    }

    fn too_large(&self, most: u64) -> PluginError {
        let reason = format!("has more than {most} bytes");
        let help = "build it without debug information (`strip`)";
        PluginError::refused(PluginErrorKind::TooLarge, &self.path, reason, help)
    }
}

/// Checks that a file is in a plugin directory after its links are resolved.
pub(crate) fn check_directory(path: &Path, policy: &PluginPolicy) -> Result<(), PluginError> {
    let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
    let mut directories = policy.directories.iter().filter_map(|path| path.canonicalize().ok());
    if directories.any(|directory| real.starts_with(directory)) {
        return Ok(());
    }
    let reason = format!("is a link to `{}`, which is not in a plugin directory", real.display());
    Err(refused(path, reason, "copy it into one of the policy's `directories`"))
}

/// Opens a file without following a link, without blocking on a FIFO, and closed on `exec`.
fn open_resolved(path: &Path, real: &Path) -> Result<OpenedFile, PluginError> {
    let opened = open_any(real, LastLink::Refuse);
    let (file, stat) = opened.map_err(|error| unreadable(path, &error))?;
    if !stat.is_file() {
        let help = "name the dynamic library that the plugin's build made";
        let kind = PluginErrorKind::NotALibrary;
        return Err(PluginError::refused(kind, path, "is not a regular file", help));
    }
    Ok(OpenedFile { file, stat, path: path.to_owned() })
}

/// Checks that only root and this user can replace the file. In a directory with the sticky bit
/// other users can add files, but not replace this one.
fn check_writers(path: &Path, entry: &Path, stat: &Metadata) -> Result<(), PluginError> {
    let is_sticky = stat.is_dir() && stat.mode() & 0o1000 != 0;
    if stat.mode() & 0o002 != 0 && !is_sticky {
        let reason =
            format!("can be replaced by any user: `{}` is world-writable", entry.display());
        let help = format!("remove the permission: chmod o-w {}", shell_path(entry));
        return Err(refused(path, reason, help));
    }
    if !is_user_or_root(stat.uid()) {
        let owner = stat.uid();
        let reason = format!("can be replaced by user {owner}, who owns `{}`", entry.display());
        return Err(refused(path, reason, "install it as yourself or as root"));
    }
    Ok(())
}

fn refused(path: &Path, reason: impl Into<String>, help: impl Into<String>) -> PluginError {
    PluginError::refused(PluginErrorKind::Place, path, reason, help)
}

fn unreadable(path: &Path, error: &std::io::Error) -> PluginError {
    let reason = format!("cannot be read: {error}");
    PluginError::refused(PluginErrorKind::Unreadable, path, reason, "name a plugin that exists")
}
