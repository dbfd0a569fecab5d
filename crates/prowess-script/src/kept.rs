//! Hidden files in the directories that scripts may change: programs outside of the sandbox take
//! orders from them, as git does from its hooks.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The most names that are looked at. Directories far below others come last.
const MOST_NAMES: usize = 200_000;

/// The hidden names that hold no orders.
const DATA: &str = ".DS_Store .cache .dockerignore .editorconfig .gitignore .gitkeep .keep \
    .ipynb_checkpoints .mypy_cache .next .nojekyll .pytest_cache .ruff_cache .turbo";

/// The hidden names that programs look for, so that a new one is an order as well.
const ORDERS: &str = ".agents .bash_profile .bashrc .circleci .claude .codex .cursor .devcontainer \
    .direnv .env .envrc .gemini .git .gitattributes .gitconfig .github .gitlab-ci.yml .gitmodules \
    .husky .idea .kiro .mcp.json .npmrc .pre-commit-config.yaml .profile .prowess .ssh .vscode \
    .windsurf .yarnrc.yml .zed .zprofile .zshenv .zshrc";

/// The hidden entries below the directories that a script may change, before it runs.
#[derive(Default)]
pub(crate) struct Kept {
    granted: Vec<PathBuf>,
    /// The directories whose every name was looked at.
    directories: Vec<PathBuf>,
    /// The hidden entries that are not granted themselves. A link has its inode here: nothing keeps
    /// a script from replacing it.
    hidden: BTreeMap<PathBuf, Option<u64>>,
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
        while let Some(directory) = pending.pop_front().filter(|_| left > 0) {
            let Ok(entries) = fs::read_dir(&directory) else { continue };
            let mut is_whole = true;
            for entry in entries {
                let Some(entry) = entry.ok().filter(|_| left > 0) else {
                    is_whole = false;
                    break;
                };
                left -= 1;
                let (path, name) = (entry.path(), entry.file_name());
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                if is_hidden && !DATA.split_whitespace().any(|data| name == data) {
                    let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
                    kept.hidden.insert(path, is_link.then(|| entry.ino()));
                } else if name != "node_modules" && entry.file_type().is_ok_and(|it| it.is_dir()) {
                    pending.push_back(path);
                }
            }
            kept.directories.extend(is_whole.then_some(directory));
        }
        kept.hidden.retain(|path, _| !kept.granted.contains(path));
        kept
    }

    /// Returns the paths that stay as they are.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let kept = self.hidden.iter().filter(|(_, link)| link.is_none());
        kept.map(|(path, _)| path.clone()).collect()
    }

    /// Gives what a script has put where programs take orders a name that they do not look for.
    /// Returns a line for each.
    pub(crate) fn set_aside_new(&self) -> Vec<String> {
        let names = || ORDERS.split_whitespace();
        let paths = self.directories.iter().flat_map(|it| names().map(|name| it.join(name)));
        paths.filter(|path| !self.granted.contains(path)).filter_map(|it| self.aside(&it)).collect()
    }

    fn aside(&self, path: &Path) -> Option<String> {
        let found = path.symlink_metadata().ok()?;
        // Nothing that was there is renamed, whatever a list has missed. What a script could not
        // change is another program's: an editor and `git config` replace files.
        let was_there = self.hidden.get(path);
        if was_there.is_some_and(|link| link.is_none_or(|inode| inode == found.ino()))
            || found.ctime() < self.since
        {
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
        assert_eq!(Kept { since: 0, ..kept }.set_aside_new().len(), 1);
    }
}
