//! A file system that a deeply nested command cannot read, so that a script that runs itself ends.

use std::io::Error as IoError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bashkit::{
    DirEntry, FileSystem, FileSystemExt, FsLimits, FsUsage, Metadata, OverlayFs, Result,
    VfsSnapshot, async_trait,
};

/// The files of a sandbox, and a check of how deep the command is nested.
pub(crate) struct Shallow {
    files: Arc<OverlayFs>,
    is_deep: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Shallow {
    pub(crate) fn new(
        files: Arc<OverlayFs>,
        is_deep: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { files, is_deep: Box::new(is_deep) }
    }

    fn check(&self) -> Result<()> {
        if (self.is_deep)() {
            return Err(IoError::other("the command is nested too deeply").into());
        }
        Ok(())
    }
}

#[async_trait]
impl FileSystemExt for Shallow {
    fn usage(&self) -> FsUsage {
        self.files.usage()
    }

    async fn mkfifo(&self, path: &Path, mode: u32) -> Result<()> {
        self.files.mkfifo(path, mode).await
    }

    fn limits(&self) -> FsLimits {
        self.files.limits()
    }

    fn vfs_snapshot(&self) -> Option<VfsSnapshot> {
        self.files.vfs_snapshot()
    }

    fn vfs_restore(&self, snapshot: &VfsSnapshot) -> Result<()> {
        self.files.vfs_restore(snapshot)
    }

    fn backend_kind(&self) -> &'static str {
        self.files.backend_kind()
    }
}

#[async_trait]
impl FileSystem for Shallow {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        self.check()?;
        self.files.read_file(path).await
    }

    async fn stat(&self, path: &Path) -> Result<Metadata> {
        self.check()?;
        self.files.stat(path).await
    }

    async fn lstat(&self, path: &Path) -> Result<Metadata> {
        self.check()?;
        self.files.lstat(path).await
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>> {
        self.check()?;
        self.files.read_dir(path).await
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        self.files.exists(path).await
    }

    async fn read_link(&self, path: &Path) -> Result<PathBuf> {
        self.files.read_link(path).await
    }

    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        self.files.write_file(path, content).await
    }

    async fn append_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        self.files.append_file(path, content).await
    }

    async fn mkdir(&self, path: &Path, recursive: bool) -> Result<()> {
        self.files.mkdir(path, recursive).await
    }

    async fn remove(&self, path: &Path, recursive: bool) -> Result<()> {
        self.files.remove(path, recursive).await
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.files.rename(from, to).await
    }

    async fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        self.files.copy(from, to).await
    }

    async fn symlink(&self, target: &Path, link: &Path) -> Result<()> {
        self.files.symlink(target, link).await
    }

    async fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        self.files.chmod(path, mode).await
    }

    async fn set_modified_time(&self, path: &Path, time: SystemTime) -> Result<()> {
        self.files.set_modified_time(path, time).await
    }
}
