//! Files and directories as a disk holds them.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of a file or directory. It outlives its names.
pub(super) type Inode = usize;

/// A name in a directory.
pub(super) type Entry = (Inode, String);

#[derive(Clone, Hash)]
pub(super) enum Content {
    File(Arc<Vec<u8>>),
    Directory(BTreeMap<String, Inode>),
    Link(PathBuf),
}

#[derive(Clone, Hash)]
struct Node {
    content: Content,
    mode: u32,
}

/// A change that reaches the disk as a whole or not at all.
#[derive(Clone)]
pub(super) enum Change {
    Name(Entry, Inode),
    Remove(Entry),
    Rename { from: Entry, to: Entry },
    Write { inode: Inode, offset: usize, bytes: Arc<Vec<u8>> },
    Truncate { inode: Inode, length: usize },
}

/// The files and directories. The first one is the root.
#[derive(Clone)]
pub(super) struct Disk {
    nodes: Vec<Node>,
}

impl Disk {
    /// Reads a directory with everything below it.
    pub(super) fn read(root: &Path) -> Self {
        let mut disk = Self { nodes: Vec::new() };
        disk.add(root);
        disk
    }

    fn add(&mut self, path: &Path) -> Inode {
        let metadata = fs::symlink_metadata(path).expect("it was just listed");
        let kind = metadata.file_type();
        let content = if kind.is_symlink() {
            Content::Link(fs::read_link(path).expect("it is a link"))
        } else if kind.is_dir() {
            Content::Directory(BTreeMap::new())
        } else {
            Content::File(Arc::new(fs::read(path).expect("it is a file")))
        };
        let inode = self.create(content, metadata.permissions().mode() & 0o7777);
        if kind.is_dir() {
            for entry in fs::read_dir(path).expect("it is a directory") {
                let entry = entry.expect("it can be listed");
                let child = self.add(&entry.path());
                let name = entry.file_name().into_string().expect("names are UTF-8");
                self.apply(&Change::Name((inode, name), child));
            }
        }
        inode
    }

    /// Creates something that has no name yet.
    pub(super) fn create(&mut self, content: Content, mode: u32) -> Inode {
        self.nodes.push(Node { content, mode });
        self.nodes.len() - 1
    }

    pub(super) fn set_mode(&mut self, inode: Inode, mode: u32) {
        self.nodes[inode].mode = mode;
    }

    pub(super) fn is_directory(&self, inode: Inode) -> bool {
        matches!(self.nodes[inode].content, Content::Directory(_))
    }

    pub(super) fn named(&self, (directory, name): &Entry) -> Option<Inode> {
        let Content::Directory(entries) = &self.nodes[*directory].content else { return None };
        entries.get(name).copied()
    }

    /// Returns the number of bytes of a file.
    pub(super) fn length(&self, inode: Inode) -> usize {
        let Content::File(bytes) = &self.nodes[inode].content else { return 0 };
        bytes.len()
    }

    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Name((directory, name), inode) => {
                self.entries(*directory).insert(name.clone(), *inode);
            }
            Change::Remove((directory, name)) => {
                self.entries(*directory).remove(name);
            }
            Change::Rename { from, to } => {
                if let Some(inode) = self.entries(from.0).remove(&from.1) {
                    self.entries(to.0).insert(to.1.clone(), inode);
                }
            }
            Change::Write { inode, offset, bytes } => {
                let file = self.file(*inode);
                let end = offset + bytes.len();
                file.resize(file.len().max(end), 0);
                file[*offset..end].copy_from_slice(bytes);
            }
            Change::Truncate { inode, length } => self.file(*inode).resize(*length, 0),
        }
    }

    fn entries(&mut self, inode: Inode) -> &mut BTreeMap<String, Inode> {
        let Content::Directory(entries) = &mut self.nodes[inode].content else {
            panic!("only a directory has entries")
        };
        entries
    }

    fn file(&mut self, inode: Inode) -> &mut Vec<u8> {
        let Content::File(bytes) = &mut self.nodes[inode].content else {
            panic!("only a file has bytes")
        };
        Arc::make_mut(bytes)
    }

    /// Returns a number that differs for disks whose files, as a program sees them, differ.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash_below(0, &mut hasher);
        hasher.finish()
    }

    fn hash_below(&self, inode: Inode, hasher: &mut DefaultHasher) {
        let Node { content, mode } = &self.nodes[inode];
        mode.hash(hasher);
        let Content::Directory(entries) = content else { return content.hash(hasher) };
        entries.len().hash(hasher);
        for (name, child) in entries {
            name.hash(hasher);
            self.hash_below(*child, hasher);
        }
    }

    /// Writes everything to a directory that does not exist.
    pub(super) fn write(&self, root: &Path) {
        self.write_node(0, root);
    }

    fn write_node(&self, inode: Inode, path: &Path) {
        let Node { content, mode } = &self.nodes[inode];
        match content {
            Content::Link(target) => return symlink(target, path).expect("it has no name yet"),
            Content::File(bytes) => fs::write(path, bytes.as_slice()).expect("there is room"),
            Content::Directory(entries) => {
                fs::create_dir_all(path).expect("there is room");
                for (name, child) in entries {
                    self.write_node(*child, &path.join(name));
                }
            }
        }
        fs::set_permissions(path, Permissions::from_mode(*mode)).expect("it is the test's own");
    }
}
