//! The directories of a repository, of which those are fetched that lead to what is wanted.

use std::collections::BTreeSet;

use prowess_core::{RemoteError, RemoteErrorKind, SKILL_MD_FILES};

use super::{DIRECTORY, LINK, MAX_TREES, Partial, invalid, is_in};
use crate::local_remote::join;

/// The filters of a fetch: nothing but what is asked for, and all but files.
pub(crate) const NOTHING_ELSE: &str = "--filter=tree:0";
pub(crate) const NO_FILES: &str = "--filter=blob:none";

impl Partial<'_> {
    /// Reads the directories that are needed for the packages below one. If each of the names is
    /// that of a directory with a package, or its whole path, those nearest to the root are
    /// returned, and of all others no more is read than the way there.
    pub(super) fn find(
        &mut self,
        below: &str,
        names: &[String],
    ) -> Result<Option<Vec<String>>, RemoteError> {
        if !self.reaches(below)? {
            self.read_below("")?;
            return Ok(None);
        }
        let mut found = Vec::new();
        for path in names.iter().filter(|name| name.contains('/') && is_in(name, below)) {
            if self.reaches(path)? && self.has_package(path) {
                found.push(path.clone());
            }
        }
        let is_met = |found: &[String]| {
            let has = |name: &String| found.iter().any(|path| is_called(path, name));
            !names.is_empty() && names.iter().all(has)
        };
        while !names.is_empty() && !is_met(&found) {
            let is_meant = |path: &String| names.iter().any(|name| is_called(path, name));
            let (meant, others): (Vec<_>, Vec<_>) =
                self.unread_below(below).into_iter().partition(is_meant);
            if meant.is_empty() && others.is_empty() {
                break;
            }
            self.read(if meant.is_empty() { &others } else { &meant }, NOTHING_ELSE)?;
            found.extend(meant.into_iter().filter(|path| self.has_package(path)));
        }
        let found = is_met(&found).then_some(found);
        let whole = found.clone().unwrap_or_else(|| vec![below.to_owned()]);
        for directory in &whole {
            self.read_below(directory)?;
        }
        // A link may lead to anything else.
        let is_whole = |path: &str| whole.iter().any(|it| is_in(path, it));
        if self.known.modes.iter().any(|(path, mode)| mode == LINK && is_whole(path)) {
            self.read_below("")?;
        }
        Ok(found)
    }

    /// Reads everything at and below a directory.
    pub(super) fn read_below(&mut self, directory: &str) -> Result<(), RemoteError> {
        loop {
            let unread = self.unread_below(directory);
            if unread.is_empty() {
                return Ok(());
            }
            self.read(&unread, NO_FILES)?;
        }
    }

    /// Reads the directories on the way to one and it, and returns whether there is one.
    fn reaches(&mut self, path: &str) -> Result<bool, RemoteError> {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for directory in [""].into_iter().chain(ends.map(|end| &path[..end])) {
            if self.known.unread.contains(directory) {
                self.read(&[directory.to_owned()], NOTHING_ELSE)?;
            } else if !self.known.trees.contains_key(directory) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_package(&self, directory: &str) -> bool {
        SKILL_MD_FILES.iter().any(|name| self.known.objects.contains_key(&join(directory, name)))
    }

    fn unread_below(&self, directory: &str) -> Vec<String> {
        let is_there = |path: &&String| *path == directory || is_in(path, directory);
        self.known.unread.iter().filter(is_there).cloned().collect()
    }

    /// Reads directories, which are fetched first if they are not there.
    fn read(&mut self, directories: &[String], filter: &str) -> Result<(), RemoteError> {
        let objects: BTreeSet<String> =
            directories.iter().map(|it| self.known.trees[it].clone()).collect();
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        self.fetch_missing(objects.iter().copied().collect(), filter)?;
        let contents = self.contents(&objects)?;
        for directory in directories {
            let at = objects.binary_search(&&*self.known.trees[directory]);
            let added = at.ok().and_then(|at| self.add(directory, &contents[at]));
            added.ok_or_else(|| invalid("git reports directories that cannot be read"))?;
            self.known.unread.remove(directory);
            // A few objects may name each other as any number of directories.
            if self.known.length > MAX_TREES {
                let message = "the repository has too many directories";
                return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
            }
        }
        Ok(())
    }

    /// Adds the entries of a directory: a mode, a space, the name, a zero and the object.
    fn add(&mut self, directory: &str, mut entries: &[u8]) -> Option<()> {
        let bytes = self.known.trees[directory].len() / 2;
        while !entries.is_empty() {
            let space = entries.iter().position(|&byte| byte == b' ')?;
            let end = entries.iter().position(|&byte| byte == 0)?;
            let (mode, name) = (&entries[..space], entries.get(space + 1..end)?);
            let object = entries.get(end + 1..end + 1 + bytes)?;
            entries = &entries[end + 1 + bytes..];
            let object: String = object.iter().map(|byte| format!("{byte:02x}")).collect();
            let path = join(directory, &String::from_utf8_lossy(name));
            self.known.length += (path.len() + object.len()) as u64;
            let mode = str::from_utf8(mode).ok()?;
            let is_named = str::from_utf8(name).is_ok();
            if mode == DIRECTORY && is_named {
                self.known.unread.insert(path.clone());
                self.known.trees.insert(path, object);
            } else {
                let mode = if is_named || mode == DIRECTORY { mode } else { "" };
                self.known.modes.insert(path.clone(), mode.to_owned());
                self.known.objects.insert(path, object);
            }
        }
        Some(())
    }
}

/// Returns whether a directory has this name, or this path.
pub(super) fn is_called(path: &str, name: &str) -> bool {
    path == name || path.rsplit('/').next() == Some(name)
}
