//! Hidden files in the directories that scripts may change: programs outside of the sandbox take
//! orders from them, as git does from its hooks.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most names that are looked at. Directories far below others come last.
const MOST_NAMES: usize = 200_000;

/// The hidden names that programs take orders from. Others are data, as the locks in caches are.
const ORDERS: &str = include_str!("kept/orders.txt");

/// Distinguishes a file from one that gets its inode later.
type Identity = (u64, Option<SystemTime>);

/// The hidden entries below the directories that a script may change, before it runs.
#[derive(Default)]
pub(crate) struct Kept {
    granted: Vec<PathBuf>,
    /// The directories whose every name was looked at, those above others first.
    directories: BTreeMap<PathBuf, Identity>,
    /// Those that cannot be listed.
    closed: BTreeSet<PathBuf>,
    /// All directories that were met.
    met: HashSet<Identity>,
    /// The hidden entries that are not granted themselves, and whether each is a link: nothing
    /// keeps a script from replacing that.
    hidden: BTreeMap<PathBuf, (Identity, bool)>,
    /// Whether there were more names than are looked at.
    is_cut: bool,
    /// Seconds: what was there before has not changed since.
    since: i64,
}

impl Kept {
    /// Looks at these directories. `now` is a directory that was made just now.
    pub(crate) fn of(write: &[PathBuf], now: &Path) -> Self {
        let since = now.metadata().map_or(i64::MAX, |it| it.ctime());
        Self { since, ..Self::look(write, MOST_NAMES) }
    }

    fn look(write: &[PathBuf], most: usize) -> Self {
        let granted: Vec<_> = write.iter().filter_map(|it| it.canonicalize().ok()).collect();
        let mut kept = Self { granted: granted.clone(), ..Self::default() };
        let (mut pending, mut left) = (VecDeque::from(granted), most);
        while left > 0
            && let Some(directory) = pending.pop_front()
        {
            let Ok(own) = directory.symlink_metadata() else { continue };
            let Ok(entries) = fs::read_dir(&directory) else {
                kept.closed.insert(directory);
                continue;
            };
            let mut is_whole = true;
            for entry in entries {
                let Some(entry) = entry.ok().filter(|_| left > 0) else {
                    (is_whole, kept.is_cut) = (false, left == 0);
                    break;
                };
                left -= 1;
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                let is_hidden = ORDERS.split_whitespace().any(|order| name == order);
                if !is_hidden && !kind.is_dir() {
                    continue;
                }
                let Ok(found) = entry.metadata() else { continue };
                kept.met.insert(identity(&found));
                if is_hidden {
                    kept.hidden.insert(path, (identity(&found), kind.is_symlink()));
                } else if name != "node_modules" {
                    pending.push_back(path);
                }
            }
            if is_whole {
                kept.met.insert(identity(&own));
                kept.directories.insert(directory, identity(&own));
            }
        }
        kept.is_cut |= !pending.is_empty();
        kept.hidden.retain(|path, _| !kept.granted.contains(path));
        kept
    }

    /// Returns the paths that stay as they are.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let kept = self.hidden.iter().filter(|(_, (_, is_link))| !is_link);
        kept.map(|(path, _)| path.clone()).collect()
    }

    /// Gives what a script has put where programs take orders a name that they do not look for, in
    /// the directories that were there and in new ones. Returns a line for each.
    pub(crate) fn set_aside_new(&self) -> Vec<String> {
        let after = Self::look(&self.granted, MOST_NAMES);
        let whole: HashSet<_> = self.directories.values().collect();
        let mut looked: BTreeSet<&Path> = self.directories.keys().map(PathBuf::as_path).collect();
        // One that was not met is new, if its parent was looked at before, or is new itself.
        for (path, found) in &after.directories {
            let is_new = || path.parent().is_some_and(|above| looked.contains(above));
            if whole.contains(found) || !self.met.contains(found) && is_new() {
                looked.insert(path);
            }
        }
        // A script may make more names than are listed. A link leads to what it could not change.
        let closed = after.closed.difference(&self.closed).map(PathBuf::as_path);
        let unlisted = looked.iter().copied().chain(closed);
        let unlisted = unlisted.filter(|it| !after.directories.contains_key(*it));
        let unlisted = unlisted.filter(|it| it.canonicalize().is_ok_and(|real| real == **it));
        let named = unlisted.flat_map(|it| ORDERS.split_whitespace().map(|name| it.join(name)));
        let listed = after.hidden.keys();
        let listed = listed.filter(|path| path.parent().is_some_and(|it| looked.contains(it)));
        let paths: BTreeSet<_> = listed.cloned().chain(named).collect();
        let paths = paths.iter().filter(|path| !self.granted.contains(path));
        let cut = "there are too many new files to look at each: hidden ones may give orders to \
                   programs outside of the sandbox\n";
        let cut = (after.is_cut && !self.is_cut).then(|| cut.to_owned());
        paths.filter_map(|it| self.aside(it)).chain(cut).collect()
    }

    fn aside(&self, path: &Path) -> Option<String> {
        let found = path.symlink_metadata().ok()?;
        let own = identity(&found);
        // Nothing that was there is renamed, whatever a list has missed. What a script could not
        // change is another program's: an editor and `git config` replace files. A script can move
        // it only with its directory.
        let is_in_place = || {
            let (above, before) =
                path.parent().and_then(|it| self.directories.get_key_value(it))?;
            Some(identity(&above.metadata().ok()?) == *before)
        };
        let was_there = match self.hidden.get(path) {
            Some((before, true)) => *before == own,
            Some((_, false)) => is_in_place() != Some(false),
            None => false,
        };
        let is_moved = || self.hidden.values().any(|it| *it == (own, false));
        if was_there || found.ctime() < self.since || is_moved() {
            return None;
        }
        let name = path.file_name()?.to_string_lossy();
        let free = |number| path.with_file_name(format!("of-script-{number}{name}"));
        let free = (1..).map(free).find(|it| it.symlink_metadata().is_err())?;
        let result = match fs::rename(path, &free) {
            Ok(()) => format!("is now `{}`", free.file_name()?.to_string_lossy()),
            Err(error) => format!("could not be renamed: {}", error.kind()),
        };
        Some(format!(
            "`{name}`, which programs outside of the sandbox take orders from, {result}; grant the \
             path itself to let a script make it\n"
        ))
    }
}

fn identity(found: &Metadata) -> Identity {
    (found.ino(), found.created().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_where_it_is() {
        let place = tempfile::tempdir().unwrap();
        let (top, inner) = (place.path().to_owned(), place.path().join("inner"));
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join(".envrc"), "").unwrap();
        for most in [0, 1, 2, 3] {
            let kept = Kept::look(std::slice::from_ref(&top), most);
            assert_eq!(kept.set_aside_new(), [""; 0], "after {most} names: not all were looked at");
        }
        let kept = Kept { since: i64::MAX, ..Kept::look(&[inner], 9) };
        fs::rename(top.join("inner/.envrc"), top.join("inner/.saved")).unwrap();
        fs::write(top.join("inner/.envrc"), "of the user's editor").unwrap();
        fs::write(top.join("inner/.mcp.json"), "").unwrap();
        assert_eq!(kept.set_aside_new(), [""; 0], "it has not changed since");
        let kept = Kept { since: 0, ..kept };
        assert_eq!(kept.set_aside_new().len(), 1);
        // A script has replaced a directory by a link to what it could not change, and moved one.
        let other = tempfile::tempdir().unwrap();
        fs::create_dir(other.path().join(".git")).unwrap();
        fs::rename(top.join("inner"), top.join("moved")).unwrap();
        std::os::unix::fs::symlink(other.path(), top.join("inner")).unwrap();
        assert_eq!(kept.set_aside_new(), [""; 0]);
        assert!(other.path().join(".git").exists(), "what is outside of the directory stays");
    }
}
