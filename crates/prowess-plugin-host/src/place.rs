//! Where a plugin may lie.
//!
//! The rights of a file decide which users may replace it. They matter although a digest is
//! compared later: a signature covers every version that its owner ever made.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use prowess_dir::is_user_or_root;
use prowess_text::shell_word;

use crate::regular_file::{LastLink, open_any};
use crate::{PluginError, PluginErrorKind, PluginPolicy};

/// The way in which a plugin's file was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The operator named this very file, on the command line or in a configuration of their own.
    Named,
    /// It lies in a directory of plugins.
    Directory,
}

/// A plugin's file, open and looked at.
pub(crate) struct Opened {
    file: File,
    pub(crate) stat: Metadata,
    named: PathBuf,
}

/// Opens a file that lies where the policy lets plugins lie.
pub(crate) fn open(
    path: &Path,
    origin: Origin,
    policy: &PluginPolicy,
) -> Result<Opened, PluginError> {
    if !path.is_absolute() {
        let help = "write the path from the root: what a relative one names depends on who runs it";
        return Err(refused(path, "is not an absolute path", help));
    }
    let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
    let directories = match origin {
        Origin::Named => real.parent().map(|parent| vec![parent]).unwrap_or_default(),
        Origin::Directory => {
            let top = allowed_directory(path, &real, policy)?;
            real.ancestors().skip(1).take_while(|parent| parent.starts_with(&top)).collect()
        }
    };
    for directory in directories {
        let stat = directory.metadata().map_err(|error| unreadable(path, &error))?;
        writers(path, directory, &stat)?;
    }
    let opened = open_resolved(path, &real)?;
    writers(path, &real, &opened.stat)?;
    Ok(opened)
}

impl Opened {
    /// Reads the whole content.
    pub(crate) fn read(mut self, policy: &PluginPolicy) -> Result<Vec<u8>, PluginError> {
        let most = policy.max_bytes;
        // The size is known before a byte is read: a file with holes has gigabytes for nothing.
        if self.stat.len() > most {
            return Err(self.too_large(most));
        }
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&self.named, &error))?;
        match bytes.len() as u64 > most {
            true => Err(self.too_large(most)),
            false => Ok(bytes),
        }
    }

    fn too_large(&self, most: u64) -> PluginError {
        let reason = format!("has more than {most} bytes");
        let help = "build it without debug information (`strip`), or raise `max_bytes`";
        PluginError::refused(PluginErrorKind::TooLarge, &self.named, reason, help)
    }
}

/// The directory of the policy that holds the file, where its links lead to.
fn allowed_directory(
    path: &Path,
    real: &Path,
    policy: &PluginPolicy,
) -> Result<PathBuf, PluginError> {
    let directories = policy.directories.iter().filter(|directory| directory.is_absolute());
    let directories: Vec<_> =
        directories.filter_map(|directory| directory.canonicalize().ok()).collect();
    let holder = directories.into_iter().find(|directory| real.starts_with(directory));
    holder.ok_or_else(|| {
        let reason = match path == real {
            true => "lies in no directory of plugins".to_owned(),
            false => format!("leads to `{}`, out of the directories of plugins", real.display()),
        };
        refused(path, reason, "copy it into a directory of the policy's `directories`")
    })
}

/// Without links at the end, without waiting for a FIFO, and not for children.
fn open_resolved(path: &Path, real: &Path) -> Result<Opened, PluginError> {
    let opened = open_any(real, LastLink::Refuse);
    let (file, stat) = opened.map_err(|error| unreadable(path, &error))?;
    if !stat.is_file() {
        let help = "name the dynamic library that the plugin's build made";
        let kind = PluginErrorKind::NotALibrary;
        return Err(PluginError::refused(kind, path, "is not a regular file", help));
    }
    Ok(Opened { file, stat, named: path.to_owned() })
}

/// Only root and this user may replace a file here. In a directory with the sticky bit others may
/// add files, but not replace ours.
fn writers(path: &Path, place: &Path, stat: &Metadata) -> Result<(), PluginError> {
    let is_sticky = stat.is_dir() && stat.mode() & 0o1000 != 0;
    if stat.mode() & 0o002 != 0 && !is_sticky {
        let reason = format!("can be replaced by anybody: `{}` is world-writable", place.display());
        let help = format!("take the right away: chmod o-w {}", shell_word(place));
        return Err(refused(path, reason, help));
    }
    if !is_user_or_root(stat.uid()) {
        let owner = stat.uid();
        let reason = format!("can be replaced by user {owner}, who owns `{}`", place.display());
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
