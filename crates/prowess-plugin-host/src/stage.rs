//! The bytes that were verified, where the system's loader can open them.
//!
//! The loader takes a path, and the file at a path can be replaced after it was verified. So the
//! original path is never opened again: the bytes go into memory that no process can change any
//! more, or, where the system cannot do that, into a directory that only this user can enter.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{PluginError, PluginErrorKind, VerifiedPlugin};

/// Where the bytes of a plugin can be opened, for as long as this value lives.
///
/// Keep it for as long as the host runs if the plugin was opened in the host: the loader knows a
/// library by its path, and the path of a closed file comes back as that of another one.
#[derive(Debug)]
pub struct Staged {
    file: OwnedFd,
    path: PathBuf,
    /// The directory to remove, where the bytes are not in memory.
    directory: Option<PathBuf>,
}

/// Puts the bytes of a plugin where they can be opened: into sealed memory or, where there is none,
/// below `directory`.
///
/// # Errors
///
/// Neither works.
pub fn stage(plugin: &VerifiedPlugin, directory: &Path) -> Result<Staged, PluginError> {
    in_memory(plugin).or_else(|_| stage_in_directory(plugin, directory))
}

/// As [`stage`], but always below `directory`, which has to be on a file system that programs may
/// run from. What lies there is removed with the value.
///
/// # Errors
///
/// The directory cannot be made or written.
pub fn stage_in_directory(
    plugin: &VerifiedPlugin,
    directory: &Path,
) -> Result<Staged, PluginError> {
    below(plugin, directory).map_err(|error| {
        let place = directory.display();
        let reason = format!("cannot be staged in memory or in `{place}`: {error}");
        let help = "give the host a directory that it may write to and run programs from";
        PluginError::refused(PluginErrorKind::Staging, plugin.file(), reason, help)
    })
}

impl Staged {
    /// A path that leads to the bytes in this process, and in no other.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes as a file, to hand to another process.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Staged {
    /// Returns the directory of the bytes, if they are not in memory.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // This is a drop, without a caller to report to; what stays behind is in a directory of
            // our own.
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory(plugin: &VerifiedPlugin) -> io::Result<Staged> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let name = plugin.manifest().name.replace('\0', "");
    let name: String = name.chars().take(60).collect();
    // A kernel may be set up to make such memory without the right to run; an older one does not
    // know the flag that asks for it.
    let file =
        memfd_create(&name, flags | MemfdFlags::EXEC).or_else(|_| memfd_create(&name, flags))?;
    let mut file = File::from(file);
    file.write_all(plugin.bytes())?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, seals)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    // In a container without `/proc` there is no path to the memory.
    path.metadata()?;
    Ok(Staged { file: file.into(), path, directory: None })
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &VerifiedPlugin) -> io::Result<Staged> {
    Err(io::ErrorKind::Unsupported.into())
}

fn below(plugin: &VerifiedPlugin, directory: &Path) -> io::Result<Staged> {
    /// A loader takes two files of one path for one library, so no path is used twice.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("prowess-plugin-{}-{number}", std::process::id());
    let directory = std::path::absolute(directory)?.join(name);
    DirBuilder::new().mode(0o700).create(&directory)?;
    let path = directory.join(format!("plugin{}", std::env::consts::DLL_SUFFIX));
    let mut new = OpenOptions::new();
    let mut file = new.write(true).create_new(true).mode(0o500).open(&path)?;
    file.write_all(plugin.bytes())?;
    drop(file);
    // A handle that is open for writing keeps the file from being run.
    let file = File::open(&path)?.into();
    Ok(Staged { file, path, directory: Some(directory) })
}
