//! Copies verified bytes to where the system's loader can open them.
//!
//! The loader needs a path, but the file at the original path may be replaced after it was
//! verified. So the bytes are copied into sealed memory, which no process can change, or into a
//! directory that only this user can access if the system has no sealed memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_dir::ScratchDir;

use crate::{PluginError, PluginErrorKind, VerifiedPlugin};

/// The staged bytes of a plugin. They can be opened until this value is dropped.
///
/// If the library was opened in this process, keep this value until the process ends: the loader
/// identifies libraries by path, and the path of a closed file descriptor may be reused.
#[derive(Clone, Debug)]
pub struct Staged {
    file: Arc<OwnedFd>,
    path: PathBuf,
    /// The directory, which is removed at the end; `None` if the bytes are in memory.
    directory: Option<Arc<ScratchDir>>,
}

/// Copies the bytes of a plugin into sealed memory, or into `directory` if the system has none.
///
/// # Errors
///
/// Returns an error if both fail.
pub fn stage(plugin: &VerifiedPlugin, directory: &Path) -> Result<Staged, PluginError> {
    in_memory(plugin).or_else(|_| stage_in_directory(plugin, directory))
}

/// Copies the bytes of a plugin into a new directory in `directory`, whose file system must allow
/// programs to run. It is removed when the result is dropped.
///
/// # Errors
///
/// Returns an error if the directory cannot be created or written.
pub fn stage_in_directory(
    plugin: &VerifiedPlugin,
    directory: &Path,
) -> Result<Staged, PluginError> {
    in_directory(plugin, directory).map_err(|error| {
        let path = directory.display();
        let reason = format!("cannot be staged in memory or in `{path}`: {error}");
        let help = "give the host a directory that it may write to and run programs from";
        PluginError::refused(PluginErrorKind::Staging, plugin.file(), reason, help)
    })
}

impl Staged {
    /// Returns a path to the bytes that is valid in this process only.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes as a file descriptor, to pass to another process.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Returns the directory of the bytes, if they are not in memory.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref().map(ScratchDir::path)
    }
}

#[cfg(target_os = "linux")]
fn in_memory(plugin: &VerifiedPlugin) -> io::Result<Staged> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let name = plugin.manifest().name.replace('\0', "");
    let name: String = name.chars().take(60).collect();
    // Some kernels create such memory non-executable by default; older ones do not support the
    // flag.
    let file =
        memfd_create(&name, flags | MemfdFlags::EXEC).or_else(|_| memfd_create(&name, flags))?;
    let mut file = File::from(file);
    file.write_all(plugin.bytes())?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, seals)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    // In a container without `/proc` there is no path to the memory.
    path.metadata()?;
    Ok(Staged { file: Arc::new(file.into()), path, directory: None })
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &VerifiedPlugin) -> io::Result<Staged> {
    Err(io::ErrorKind::Unsupported.into())
}

fn in_directory(plugin: &VerifiedPlugin, directory: &Path) -> io::Result<Staged> {
    // The loader treats two files at the same path as one library; the name is random.
    let directory = ScratchDir::create(directory, "prowess-plugin-")?;
    let path = std::path::absolute(directory.path())?;
    let path = path.join(format!("plugin{}", std::env::consts::DLL_SUFFIX));
    let mut new = OpenOptions::new();
    let mut file = new.write(true).create_new(true).mode(0o500).open(&path)?;
    file.write_all(plugin.bytes())?;
    drop(file);
    // A file that is open for writing cannot be executed.
    let file = Arc::new(File::open(&path)?.into());
    Ok(Staged { file, path, directory: Some(Arc::new(directory)) })
}
