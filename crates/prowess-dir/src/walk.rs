//! Walks everything below a directory, within limits.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{Dir, Entry, EntryBuffer, Kind, Links, Listing, Result};

/// The limits of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBounds {
    /// The number of levels of directories below the first to list. By default 16.
    pub depth: usize,
    /// The maximum number of names. By default 20,000.
    pub entries: usize,
}

impl Default for WalkBounds {
    fn default() -> Self {
        Self { depth: 16, entries: 20_000 }
    }
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Everything but directories, sorted by path.
    pub found: Vec<Walked>,
    /// Whether the result is complete; `false` if a limit was exceeded, a directory could not be
    /// listed, or a name is not UTF-8.
    pub is_complete: bool,
    /// Whether a limit was exceeded, or a directory could not be listed.
    pub is_cut: bool,
    /// What the names that are not UTF-8 stand for, with a replacement for what is not UTF-8.
    pub unnamed: Vec<Walked>,
}

/// One file below a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Walked {
    /// Its path, relative to the directory.
    pub path: String,
    /// Its kind.
    pub kind: Kind,
    /// Its inode, which further names of the same file have, too.
    pub inode: u64,
}

impl Dir {
    /// Lists everything below this directory except the content of directories for whose name
    /// `enter` returns `false`. Links are listed and not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if this directory itself cannot be listed.
    pub fn walk(&self, bounds: WalkBounds, enter: impl Fn(&str) -> bool) -> Result<Walk> {
        self.walk_kept(bounds, enter, |_| None)
    }

    /// As [`Dir::walk`], with the names of an earlier listing wherever `kept` has one of a path.
    ///
    /// # Errors
    ///
    /// As for [`Dir::walk`].
    pub fn walk_kept(
        &self,
        bounds: WalkBounds,
        enter: impl Fn(&str) -> bool,
        kept: impl Fn(&str) -> Option<Arc<Listing>>,
    ) -> Result<Walk> {
        let mut walker = Walker {
            directory: self,
            buffer: EntryBuffer::default(),
            entries_left: bounds.entries,
            pending: Vec::new(),
            walk: Walk { is_complete: true, ..Walk::default() },
        };
        walker.list("", bounds.depth, &enter, kept(""))?;
        // An explicit list instead of recursion: `entries` limits the memory for a deep tree.
        while let Some((path, depth)) = walker.pending.pop() {
            let listed = depth > 0 && walker.list(&path, depth - 1, &enter, kept(&path)).is_ok();
            walker.walk.is_complete &= listed;
            walker.walk.is_cut |= !listed;
        }
        let mut walk = walker.walk;
        walk.found.sort_unstable();
        Ok(walk)
    }
}

struct Walker<'a> {
    directory: &'a Dir,
    buffer: EntryBuffer,
    entries_left: usize,
    pending: Vec<(String, usize)>,
    walk: Walk,
}

impl Walker<'_> {
    fn list(
        &mut self,
        path: &str,
        depth: usize,
        enter: &impl Fn(&str) -> bool,
        kept: Option<Arc<Listing>>,
    ) -> Result<()> {
        let visit = |entry: Entry<'_>| {
            if self.entries_left == 0 {
                (self.walk.is_complete, self.walk.is_cut) = (false, true);
                return ControlFlow::Break(());
            }
            self.entries_left -= 1;
            match (entry.name(), entry.kind()) {
                (None, kind) => {
                    self.walk.is_complete = false;
                    let name = String::from_utf8_lossy(entry.name_bytes());
                    let (path, inode) = (join(path, &name), entry.inode());
                    self.walk.unnamed.push(Walked { path, kind, inode });
                }
                (Some(name), Kind::Directory) if enter(name) => {
                    self.pending.push((join(path, name), depth));
                }
                (Some(_), Kind::Directory) => {}
                (Some(name), kind) => {
                    let (path, inode) = (join(path, name), entry.inode());
                    self.walk.found.push(Walked { path, kind, inode });
                }
            }
            ControlFlow::<()>::Continue(())
        };
        if let Some(kept) = kept {
            let _ = kept.entries().try_for_each(visit);
            return Ok(());
        }
        let entries = match path {
            // The open handle is that of the directory itself.
            "" => self.directory.listing(&mut self.buffer)?,
            _ => self.directory.open_dir(path, Links::Refuse)?.listing(&mut self.buffer)?,
        };
        entries.visit(visit).map(drop)
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}
