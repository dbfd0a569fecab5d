//! The files of one mounted skill.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    Catalog, ReadLimit, Record, ResourcePath, ShellError, SourceError, SourceErrorKind,
};
use prowess_text::quoted;

use crate::codes;
use crate::policy::{ShellLimits, is_path_component};

/// The files and directories of a skill, by their path below its mount path. The skill's own
/// directory has the empty path.
pub(crate) struct Tree(BTreeMap<String, Node>);

/// A file or a directory.
pub(crate) enum Node {
    Directory,
    File(MountedFile),
}

/// A file of a skill, and its copy as soon as it is read.
pub(crate) struct MountedFile {
    path: ResourcePath,
    /// The size in the listing.
    bytes: u64,
    copy: OnceLock<Arc<[u8]>>,
}

impl Tree {
    /// Returns the tree of a skill. It checks all paths before it returns any.
    pub(crate) fn new(
        catalog: &Catalog,
        record: Record<'_>,
        limits: &ShellLimits,
    ) -> Result<Self, ShellError> {
        let refused = |reason: &str| not_mounted(record.id(), reason);
        let most = usize::try_from(limits.files).unwrap_or(usize::MAX);
        let listing =
            catalog.list_public(record, most).map_err(|error| unreadable(record.id(), &error))?;
        if !listing.is_complete {
            return Err(refused("it has too many files, or some cannot be listed"));
        }
        let mut tree = Self(BTreeMap::from([(String::new(), Node::Directory)]));
        tree.insert(skill_md(catalog, record, limits)?, limits).map_err(|error| refused(&error))?;
        for resource in listing.resources {
            let file = MountedFile::new(resource.path, resource.bytes);
            tree.insert(file, limits).map_err(|error| refused(&error))?;
        }
        Ok(tree)
    }

    /// Returns the tree of these files, which a host has checked.
    pub(crate) fn listed(files: Vec<(String, u64)>, limits: &ShellLimits) -> Result<Self, String> {
        let mut tree = Self(BTreeMap::from([(String::new(), Node::Directory)]));
        for (path, bytes) in files {
            let path = ResourcePath::new(&path).map_err(|error| error.to_string())?;
            tree.insert(MountedFile::new(path, bytes), limits)?;
        }
        Ok(tree)
    }

    /// Adds a file and the directories above it.
    fn insert(&mut self, file: MountedFile, limits: &ShellLimits) -> Result<(), String> {
        let path = file.path.as_str().to_owned();
        let shown = quoted(&path);
        let parts: Vec<&str> = path.split('/').collect();
        if !parts.iter().all(|part| is_path_component(part)) {
            return Err(format!("{shown} cannot be a path"));
        }
        if parts.len() > limits.depth {
            return Err(format!("{shown} is too deep"));
        }
        for depth in 1..parts.len() {
            let directory = parts[..depth].join("/");
            if let Node::File(_) = self.0.entry(directory).or_insert(Node::Directory) {
                return Err(format!("{shown} is below a file"));
            }
        }
        match self.0.insert(path, Node::File(file)) {
            None => Ok(()),
            Some(_) => Err(format!("{shown} is there twice")),
        }
    }

    /// Returns the file or directory at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Node> {
        self.0.get(path)
    }

    /// Returns the names in a directory, with what they are.
    pub(crate) fn children<'t>(
        &'t self,
        directory: &str,
    ) -> impl Iterator<Item = (&'t str, &'t Node)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let below = self.0.range(prefix.clone()..);
        let below = below.map_while(move |(path, node)| {
            path.strip_prefix(prefix.as_str()).map(|name| (name, node))
        });
        below.filter(|(name, _)| !name.is_empty() && !name.contains('/'))
    }

    /// Returns all files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &MountedFile> {
        self.0.values().filter_map(|node| match node {
            Node::File(file) => Some(file),
            Node::Directory => None,
        })
    }
}

impl MountedFile {
    fn new(path: ResourcePath, bytes: u64) -> Self {
        Self { path, bytes, copy: OnceLock::new() }
    }

    pub(crate) fn path(&self) -> &ResourcePath {
        &self.path
    }

    /// Returns the size of the copy, or the listed size before there is one.
    pub(crate) fn bytes(&self) -> u64 {
        self.copy.get().map_or(self.bytes, |copy| size(copy))
    }

    /// Returns the copy, if there is one.
    pub(crate) fn copied(&self) -> Option<&[u8]> {
        self.copy.get().map(|copy| &**copy)
    }

    /// Copies the file from its source, if it has no more bytes than `most`.
    pub(crate) fn copy(
        &self,
        catalog: &Catalog,
        record: Record<'_>,
        most: u64,
    ) -> Result<&[u8], SourceError> {
        let limit = ReadLimit(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(self.keep(catalog.read_public(record, &self.path, limit)?))
    }

    /// Keeps the content of the file.
    pub(crate) fn keep(&self, bytes: Vec<u8>) -> &[u8] {
        self.copy.get_or_init(|| bytes.into())
    }
}

pub(crate) fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Returns the skill's own file, which a listing does not have. Its size is only known once it is
/// read.
fn skill_md(
    catalog: &Catalog,
    record: Record<'_>,
    limits: &ShellLimits,
) -> Result<MountedFile, ShellError> {
    let path = ResourcePath::new(record.file());
    let path = path.map_err(|error| not_mounted(record.id(), &error.to_string()))?;
    let file = MountedFile::new(path, 0);
    match file.copy(catalog, record, limits.file_bytes) {
        Ok(_) => Ok(file),
        Err(error) if error.kind == SourceErrorKind::NotFound => {
            Err(not_mounted(record.id(), "Skill must contain a SKILL.md file"))
        }
        Err(error) => Err(unreadable(record.id(), &error)),
    }
}

pub(crate) fn not_mounted(skill: &str, reason: &str) -> ShellError {
    let message = format!(
        "{} is not mounted: {reason}; read its files with another tool, or tell the user",
        quoted(skill)
    );
    ShellError::new(codes::SKILL_NOT_MOUNTED, message)
}

pub(crate) fn unreadable(skill: &str, error: &SourceError) -> ShellError {
    not_mounted(skill, &format!("its files cannot be read: {error}"))
}
