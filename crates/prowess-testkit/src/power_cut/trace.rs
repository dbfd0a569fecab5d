//! Reads the system calls that `strace` records as changes of a disk.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use super::Step;
use super::call::{Call, Descriptor, calls};
use super::disk::{Change, Content, Disk, Entry, Inode};

/// The permissions that a new file does not get, as most machines are set up.
const MASK: u32 = 0o022;

/// The calls that were read so far.
pub(super) struct Calls<'a> {
    root: &'a Path,
    /// The disk before the program, with the files that it creates, which have no name there.
    before: &'a mut Disk,
    /// The disk as the program sees it.
    now: Disk,
    steps: Vec<Step>,
    /// Where the next write of a descriptor goes; `None` at the end of the file.
    positions: HashMap<(u32, Inode), Option<usize>>,
    /// Files without a name, by their last one.
    removed: HashMap<PathBuf, Inode>,
}

impl<'a> Calls<'a> {
    /// Reads the text of `strace`, for the directory `root`.
    pub(super) fn read(text: &str, root: &'a Path, before: &'a mut Disk) -> Self {
        let now = before.clone();
        let (positions, removed) = (HashMap::new(), HashMap::new());
        let mut read = Self { root, before, now, steps: Vec::new(), positions, removed };
        for call in calls(text) {
            read.add(&call);
        }
        read
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    fn add(&mut self, call: &Call) {
        match call.name.as_str() {
            "creat" => self.open(call, &call.path(None, 0), "O_CREAT|O_TRUNC", 1),
            "open" => self.open(call, &call.path(None, 0), call.argument(1), 2),
            "openat" => self.open(call, &call.path(Some(0), 1), call.argument(2), 3),
            "openat2" => {
                let path = call.path(Some(0), 1);
                let is_reading = !call.text().contains("O_CREAT") || self.entry(&path).is_none();
                assert!(is_reading, "`openat2` creates a file");
                self.open(call, &path, "", 0);
            }
            "write" | "writev" => self.write(call),
            "pwrite64" => {
                let offset = call.number(3);
                self.write_at(&call.descriptor(0), call.written(), offset);
            }
            "ftruncate" => {
                let inode = self.of(&call.descriptor(0));
                self.resize(inode, call.number(1));
            }
            "fallocate" => self.allocate(call),
            "lseek" => {
                let descriptor = call.descriptor(0);
                if let Some(inode) = self.of(&descriptor) {
                    let position = usize::try_from(call.result()).expect("it succeeded");
                    self.positions.insert((descriptor.number, inode), Some(position));
                }
            }
            "fchmod" => {
                if let Some(inode) = self.of(&call.descriptor(0)) {
                    self.before.set_mode(inode, call.mode(1));
                    self.now.set_mode(inode, call.mode(1));
                }
            }
            "fsync" | "fdatasync" => {
                let synced = self.of(&call.descriptor(0));
                self.steps.extend(synced.map(Step::Sync));
            }
            "sync" | "syncfs" => self.steps.push(Step::SyncAll),
            // It makes nothing durable.
            "sync_file_range" => {}
            _ => self.change_names(call),
        }
    }

    fn change_names(&mut self, call: &Call) {
        match call.name.as_str() {
            "rename" => self.rename(&call.path(None, 0), &call.path(None, 1)),
            "renameat" | "renameat2" => {
                assert!(!call.text().contains("RENAME_EXCHANGE"), "{call:?} is not known");
                self.rename(&call.path(Some(0), 1), &call.path(Some(2), 3));
            }
            "link" => self.link(&call.path(None, 0), &call.path(None, 1)),
            "linkat" => self.link(&call.path(Some(0), 1), &call.path(Some(2), 3)),
            "unlink" | "rmdir" => self.remove(&call.path(None, 0)),
            "unlinkat" => self.remove(&call.path(Some(0), 1)),
            "mkdir" => self.create_directory(&call.path(None, 0), call.mode(1)),
            "mkdirat" => self.create_directory(&call.path(Some(0), 1), call.mode(2)),
            "symlink" => self.create_link(call.string(0), &call.path(None, 1)),
            "symlinkat" => self.create_link(call.string(0), &call.path(Some(1), 2)),
            _ => {
                let is_outside = call.descriptors().all(|it| self.of(&it).is_none());
                assert!(is_outside, "{call:?} is not known");
            }
        }
    }

    fn open(&mut self, call: &Call, path: &Path, flags: &str, mode: usize) {
        let is_unnamed = flags.contains("O_TMPFILE") && path.starts_with(self.root);
        assert!(!is_unnamed, "an unnamed file is not known: {}", path.display());
        if flags.contains("O_CREAT")
            && let Some(entry) = self.entry(path)
            && self.now.named(&entry).is_none()
        {
            self.create(entry, Content::File(<_>::default()), call.mode(mode) & !MASK);
        }
        let opened = call.opened();
        let Some(inode) = self.of(&opened) else { return };
        if flags.contains("O_TRUNC") {
            self.resize(Some(inode), 0);
        }
        let position = if flags.contains("O_APPEND") { None } else { Some(0) };
        self.positions.insert((opened.number, inode), position);
    }

    fn write(&mut self, call: &Call) {
        let descriptor = call.descriptor(0);
        let bytes = call.written();
        if descriptor.number == 1 && descriptor.path.to_string_lossy().starts_with("pipe:") {
            return self.steps.push(Step::Printed(bytes));
        }
        let Some(inode) = self.of(&descriptor) else { return };
        let end = self.now.length(inode);
        let position = self.positions.entry((descriptor.number, inode)).or_insert(Some(0));
        let offset = position.unwrap_or(end);
        if let Some(position) = position {
            *position += bytes.len();
        }
        self.write_at(&descriptor, bytes, offset);
    }

    fn write_at(&mut self, descriptor: &Descriptor, bytes: Vec<u8>, offset: usize) {
        if let Some(inode) = self.of(descriptor) {
            self.change(Change::Write { inode, offset, bytes: bytes.into() });
        }
    }

    fn resize(&mut self, inode: Option<Inode>, length: usize) {
        if let Some(inode) = inode.filter(|inode| self.now.length(*inode) != length) {
            self.change(Change::Truncate { inode, length });
        }
    }

    fn allocate(&mut self, call: &Call) {
        let Some(inode) = self.of(&call.descriptor(0)) else { return };
        assert_eq!(call.argument(1), "0", "{call:?} is not known");
        let end = call.number(2) + call.number(3);
        self.resize(Some(inode), end.max(self.now.length(inode)));
    }

    fn rename(&mut self, from: &Path, to: &Path) {
        let (Some(from_entry), Some(to_entry)) = (self.entry(from), self.entry(to)) else {
            let is_outside = [from, to].iter().all(|path| !path.starts_with(self.root));
            return assert!(is_outside, "{} leaves the directory", from.display());
        };
        if let Some(replaced) = self.now.named(&to_entry) {
            self.removed.insert(to.to_owned(), replaced);
        }
        self.change(Change::Rename { from: from_entry, to: to_entry });
    }

    fn link(&mut self, from: &Path, to: &Path) {
        let Some(entry) = self.entry(to) else { return };
        let inode = self.inode(from).expect("only files of the directory are linked");
        self.change(Change::Name(entry, inode));
    }

    fn remove(&mut self, path: &Path) {
        let Some(entry) = self.entry(path) else { return };
        if let Some(inode) = self.now.named(&entry) {
            self.removed.insert(path.to_owned(), inode);
        }
        self.change(Change::Remove(entry));
    }

    fn create_directory(&mut self, path: &Path, mode: u32) {
        if let Some(entry) = self.entry(path) {
            self.create(entry, Content::Directory(BTreeMap::new()), mode & !MASK);
        }
    }

    fn create_link(&mut self, target: String, path: &Path) {
        if let Some(entry) = self.entry(path) {
            self.create(entry, Content::Link(target.into()), 0o777);
        }
    }

    fn create(&mut self, entry: Entry, content: Content, mode: u32) {
        self.before.create(content.clone(), mode);
        let inode = self.now.create(content, mode);
        self.change(Change::Name(entry, inode));
    }

    fn change(&mut self, change: Change) {
        self.now.apply(&change);
        self.steps.push(Step::Change(change));
    }

    /// Returns the file of a descriptor; `None` if it is not in the directory.
    fn of(&self, descriptor: &Descriptor) -> Option<Inode> {
        if descriptor.is_deleted {
            return self.removed.get(&descriptor.path).copied();
        }
        self.inode(&descriptor.path)
    }

    fn inode(&self, path: &Path) -> Option<Inode> {
        if path == self.root { Some(0) } else { self.now.named(&self.entry(path)?) }
    }

    /// Returns the directory and the name of a path; `None` if it is not below the root.
    fn entry(&self, path: &Path) -> Option<Entry> {
        let mut names = path.strip_prefix(self.root).ok()?.components().map(|part| match part {
            Component::Normal(name) => name.to_str().expect("names are UTF-8").to_owned(),
            _ => panic!("{} is not a plain path", path.display()),
        });
        let last = names.next_back()?;
        let parent = names.try_fold(0, |directory, name| self.now.named(&(directory, name)));
        Some((parent?, last))
    }
}
