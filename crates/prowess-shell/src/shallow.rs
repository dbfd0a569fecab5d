//! A file system that a deeply nested command cannot read, so that a script that runs itself ends,
//! and in which every script of `sh` can be run.

use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bashkit::{
    DirEntry, FileSystem, FileSystemExt, FsLimits, FsUsage, Metadata, OverlayFs, Result,
    VfsSnapshot, async_trait,
};

use crate::opened::Opened;
use crate::skill_files::{SkillFiles, with_line_feeds};
use crate::unseen;

/// The files of a sandbox, and a check of how deep the command is nested.
pub(crate) struct Shallow {
    files: Arc<OverlayFs>,
    skills: Arc<SkillFiles>,
    is_deep: Box<dyn Fn() -> bool + Send + Sync>,
    /// Ends the command at a limit.
    stop: Box<dyn Fn(&'static str) + Send + Sync>,
}

impl Shallow {
    pub(crate) fn new(
        files: Arc<OverlayFs>,
        skills: Arc<SkillFiles>,
        is_deep: impl Fn() -> bool + Send + Sync + 'static,
        stop: impl Fn(&'static str) + Send + Sync + 'static,
    ) -> Self {
        Self { files, skills, is_deep: Box::new(is_deep), stop: Box::new(stop) }
    }

    fn check(&self) -> Result<()> {
        if (self.is_deep)() {
            return Err(IoError::other("the command is nested too deeply").into());
        }
        Ok(())
    }
}

/// Returns whether a file is a script of `sh` by its name.
fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sh")
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
    /// Returns a script without the carriage returns of an editor of Windows, which would be parts
    /// of its words.
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        self.check()?;
        self.skills.opens.open(path);
        let content = self.files.read_file(path).await;
        let is_run = self.skills.opens.opened() != Opened::ToRead;
        self.skills.opens.done();
        let content = content?;
        if is_run && unseen::has_long_range(&String::from_utf8_lossy(&content)) {
            (self.stop)(unseen::BRACES);
        }
        Ok(if is_script(path) { with_line_feeds(content) } else { content })
    }

    /// Returns a script as a file that may be executed, wherever it comes from.
    async fn stat(&self, path: &Path) -> Result<Metadata> {
        self.check()?;
        self.skills.opens.looked(path);
        let mut metadata = self.files.stat(path).await?;
        if is_script(path) {
            metadata.mode |= 0o111;
        }
        Ok(metadata)
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

    /// A file that has the mode already, as each of a skill may be executed, is not copied, for
    /// which it would be read.
    async fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        self.skills.opens.done();
        if self.files.stat(path).await.is_ok_and(|now| now.mode == mode) {
            return Ok(());
        }
        match self.files.chmod(path, mode).await {
            Err(bashkit::Error::Io(error)) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            changed => changed,
        }
    }

    async fn set_modified_time(&self, path: &Path, time: SystemTime) -> Result<()> {
        self.files.set_modified_time(path, time).await
    }
}
