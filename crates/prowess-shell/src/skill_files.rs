//! The mounted skills as a file system that commands only read: the sandbox writes to a layer over
//! it.

use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use bashkit::{
    DirEntry, FileSystem, FileSystemExt, FileType, FsUsage, Metadata, Result, async_trait,
};
use prowess_core::{ClosedFile, OpenedFile, ReadRule, ShellError, SourceErrorKind};

use crate::mounts::{Mount, Mounts};
use crate::opened::{Opened, Opens};
use crate::tree::{MountedFile, Node};

/// All files are executable, because a source does not report modes.
const FILE_MODE: u32 = 0o755;

/// The beginning of a comment in place of the text of a script, before its path.
const RUN: &str = "# script of a skill: ";

/// Ends the options of a shell by which it prints what it runs.
const UNSEEN: &str = "set +vx; ";

/// The files of the mounted skills, at their mount paths.
pub(crate) struct SkillFiles {
    /// The parts of the mount directory.
    directory: Vec<String>,
    mounts: RwLock<Arc<Mounts>>,
    /// Which files the current command may not read.
    rule: RwLock<Option<Arc<ReadRule>>>,
    pub(crate) opens: Opens,
}

/// The entry at a path.
enum Place<'m> {
    /// A directory above the skills, and the names in it.
    Above(Vec<String>),
    Node(&'m Mount, &'m str, &'m Node),
}

impl SkillFiles {
    /// Creates the file system. `directory` is the mount directory.
    pub(crate) fn new(directory: &str, mounts: Arc<Mounts>) -> Self {
        let parts = directory.split('/').filter(|part| !part.is_empty());
        Self {
            directory: parts.map(str::to_owned).collect(),
            mounts: RwLock::new(mounts),
            rule: RwLock::default(),
            opens: Opens::default(),
        }
    }

    /// Replaces the mounted skills.
    pub(crate) fn remount(&self, mounts: Arc<Mounts>) {
        *self.mounts.write().unwrap_or_else(PoisonError::into_inner) = mounts;
    }

    /// Replaces the rule about the files that commands may not read.
    pub(crate) fn set_rule(&self, rule: Option<Arc<ReadRule>>) {
        *self.rule.write().unwrap_or_else(PoisonError::into_inner) = rule;
    }

    fn rule(&self) -> Option<Arc<ReadRule>> {
        self.rule.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the script that the line of [`instead`] runs, if this is that line's comment.
    pub(crate) fn script(&self, comment: &str) -> Option<Result<String>> {
        let path = comment.strip_prefix(RUN)?;
        let content = self.content(Path::new(path), Opened::ToRun, |_, script| script);
        let text = |bytes| String::from_utf8_lossy(&with_line_feeds(bytes)).into_owned();
        // Editors of Windows begin a file with a mark, which would be a part of the first word.
        Some(content.map(|bytes| UNSEEN.to_owned() + text(bytes).trim_start_matches('\u{feff}')))
    }

    pub(crate) fn mounts(&self) -> Arc<Mounts> {
        Arc::clone(&self.mounts.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns what is at an absolute path in normal form.
    fn find<'m>(&self, mounts: &'m Mounts, path: &'m str) -> Result<Place<'m>> {
        let path = path.trim_matches('/');
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        for (depth, directory) in self.directory.iter().enumerate() {
            match parts.next() {
                // Without skills there is no mount directory.
                None if mounts.is_empty() && depth > 0 => return Err(not_found()),
                None if mounts.is_empty() => return Ok(Place::Above(Vec::new())),
                None => return Ok(Place::Above(vec![directory.clone()])),
                Some(part) if part == directory && !mounts.is_empty() => {}
                Some(_) => return Err(not_found()),
            }
        }
        let Some(name) = parts.next() else {
            return Ok(Place::Above(mounts.names().map(str::to_owned).collect()));
        };
        let mount = mounts.mount(name).ok_or_else(not_found)?;
        let tree = mounts.tree(mount).map_err(not_mounted)?;
        let below = &path[self.depth_bytes() + name.len()..];
        let below = below.trim_start_matches('/');
        let node = tree.get(below).ok_or_else(not_found)?;
        Ok(Place::Node(mount, below, node))
    }

    /// Returns the length of the mount directory with the slash behind it, without the first one.
    fn depth_bytes(&self) -> usize {
        self.directory.iter().map(|part| part.len() + 1).sum()
    }

    fn metadata(&self, path: &Path) -> Result<Metadata> {
        let mounts = self.mounts();
        Ok(match self.find(&mounts, text(path)?)? {
            Place::Above(_) | Place::Node(_, _, Node::Directory) => directory(),
            Place::Node(_, _, Node::File(mounted)) => file(mounted),
        })
    }

    /// Returns the content of a file, if its rule permits that; `run` returns that of a script
    /// which may be run alone, from its path and its text.
    fn content(
        &self,
        path: &Path,
        opened: Opened,
        run: impl FnOnce(&str, Vec<u8>) -> Vec<u8>,
    ) -> Result<Vec<u8>> {
        let mounts = self.mounts();
        match self.find(&mounts, text(path)?)? {
            Place::Node(mount, _, Node::File(file)) => match mounts.read(mount, file) {
                Ok(bytes) => {
                    let (skill, is_run) = (&*mount.name, opened != Opened::ToRead);
                    let of = OpenedFile { skill, path: file.path(), bytes: bytes.len(), is_run };
                    match self.rule().and_then(|rule| rule(&of)) {
                        None => Ok(bytes.to_vec()),
                        Some(ClosedFile { may_run: true, .. }) if is_run => {
                            Ok(run(text(path)?, bytes.to_vec()))
                        }
                        Some(ClosedFile { reason, .. }) => {
                            Err(IoError::new(ErrorKind::PermissionDenied, reason).into())
                        }
                    }
                }
                Err(error) if error.kind == SourceErrorKind::TooLarge => {
                    Err(IoError::new(ErrorKind::FileTooLarge, "File too large").into())
                }
                Err(error) => Err(IoError::other(error.to_string()).into()),
            },
            _ => Err(IoError::new(ErrorKind::IsADirectory, "is a directory").into()),
        }
    }

    fn entries(&self, path: &Path) -> Result<Vec<DirEntry>> {
        let mounts = self.mounts();
        match self.find(&mounts, text(path)?)? {
            Place::Above(names) => {
                let entries = names.into_iter();
                Ok(entries.map(|name| DirEntry { name, metadata: directory() }).collect())
            }
            Place::Node(mount, path, Node::Directory) => {
                let tree = mounts.tree(mount).map_err(not_mounted)?;
                let entry = |(name, node): (&str, &Node)| DirEntry {
                    name: name.to_owned(),
                    metadata: match node {
                        Node::Directory => directory(),
                        Node::File(mounted) => file(mounted),
                    },
                };
                Ok(tree.children(path).map(entry).collect())
            }
            Place::Node(..) => {
                Err(IoError::new(ErrorKind::NotADirectory, "not a directory").into())
            }
        }
    }
}

impl FileSystemExt for SkillFiles {
    fn usage(&self) -> FsUsage {
        FsUsage::new(self.mounts().copied(), 0, 0)
    }
}

#[async_trait]
impl FileSystem for SkillFiles {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        self.content(path, self.opens.opened(), |path, _| instead(path).into_bytes())
    }

    async fn stat(&self, path: &Path) -> Result<Metadata> {
        self.metadata(path)
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>> {
        self.entries(path)
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        Ok(self.metadata(path).is_ok())
    }

    async fn read_link(&self, _path: &Path) -> Result<PathBuf> {
        Err(IoError::new(ErrorKind::InvalidInput, "not a symbolic link").into())
    }

    async fn write_file(&self, _path: &Path, _content: &[u8]) -> Result<()> {
        read_only()
    }

    async fn append_file(&self, _path: &Path, _content: &[u8]) -> Result<()> {
        read_only()
    }

    async fn mkdir(&self, _path: &Path, _recursive: bool) -> Result<()> {
        read_only()
    }

    async fn remove(&self, _path: &Path, _recursive: bool) -> Result<()> {
        read_only()
    }

    async fn rename(&self, _from: &Path, _to: &Path) -> Result<()> {
        read_only()
    }

    async fn copy(&self, _from: &Path, _to: &Path) -> Result<()> {
        read_only()
    }

    async fn symlink(&self, _target: &Path, _link: &Path) -> Result<()> {
        read_only()
    }

    async fn chmod(&self, _path: &Path, _mode: u32) -> Result<()> {
        read_only()
    }
}

/// Returns a line that runs a script which may not be read. Its argument is replaced when the line
/// runs, so that a program which is taken for a shell, and a shell that prints what it runs, have
/// nothing but the path.
fn instead(path: &str) -> String {
    format!("eval '{RUN}{}'\n", path.replace('\'', "'\\''"))
}

/// Returns a text whose lines end with a line feed alone.
pub(crate) fn with_line_feeds(content: Vec<u8>) -> Vec<u8> {
    if !content.windows(2).any(|pair| pair == b"\r\n") {
        return content;
    }
    let mut plain = Vec::with_capacity(content.len());
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let end = if line.ends_with(b"\r\n") { line.len() - 2 } else { line.len() };
        plain.extend_from_slice(&line[..end]);
        plain.extend_from_slice(if end < line.len() { b"\n" } else { b"" });
    }
    plain
}

fn directory() -> Metadata {
    metadata(FileType::Directory, 0)
}

fn file(file: &MountedFile) -> Metadata {
    metadata(FileType::File, file.bytes())
}

/// A source does not report times, so all are the same.
fn metadata(file_type: FileType, size: u64) -> Metadata {
    let time = SystemTime::UNIX_EPOCH;
    Metadata { file_type, size, mode: FILE_MODE, modified: time, created: time }
}

/// Returns a path as text. No skill has another path.
fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(not_found)
}

fn not_found() -> bashkit::Error {
    IoError::new(ErrorKind::NotFound, "not found").into()
}

fn not_mounted(error: &ShellError) -> bashkit::Error {
    IoError::other(error.to_string()).into()
}

/// Refuses a change. The layer above never asks for one.
fn read_only() -> Result<()> {
    Err(IoError::new(ErrorKind::ReadOnlyFilesystem, "read-only file system").into())
}
