//! The files in which a copy differs from a package.

use prowess_archive::Limits;
use prowess_core::{Digest, MAY_HOLD_CREDENTIALS, withheld_path};
use prowess_dir::{Dir, Links, Walk, Walked};

use crate::error::named;
use crate::store::Packages;
use crate::tree::{FileStates, digest_of, walk};

/// The paths of the files in which a copy differs from a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) added: Vec<String>,
    changed: Vec<String>,
    /// Changed in nothing but their line ends.
    line_ends: Vec<String>,
    missing: Vec<String>,
    has_whole: bool,
}

impl Difference {
    /// Compares a copy with a package whose files the store knows, or the copy itself shows.
    pub(crate) fn from_locked(copy: &Dir, packages: &Packages, tree: &Digest) -> Option<Self> {
        Self::of(copy, &packages.files(tree).or_else(|| shown_files(copy, tree))?)
    }

    /// Compares a copy with files; `None` if not everything in it can be listed.
    pub(crate) fn of(copy: &Dir, files: &FileStates) -> Option<Self> {
        let Walk { found, .. } = walk(copy).ok().filter(|walk| walk.is_complete)?;
        let mut difference = Self::default();
        let mut missing = files.clone();
        for Walked { path, .. } in found {
            let Some(whole) = missing.remove(&path) else {
                difference.added.push(path);
                continue;
            };
            let whole = Some(whole);
            match states(copy, &path) {
                [as_is, _] if as_is == whole => difference.has_whole = true,
                [_, as_stored] if as_stored == whole => difference.line_ends.push(path),
                _ => difference.changed.push(path),
            }
        }
        difference.missing = missing.into_keys().collect();
        Some(difference)
    }

    /// Returns whether no file of the package was changed, and what was added can stay next to
    /// these files, which replace them.
    pub(crate) fn is_kept_by(&self, files: &FileStates) -> bool {
        let is_below = |path: &str, above: &str| {
            path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Some disks do not distinguish the case.
        let files: Vec<_> = files.keys().map(|path| path.to_lowercase()).collect();
        let is_in_way = |added: &String| {
            let added = added.to_lowercase();
            files.iter().any(|path| is_below(path, &added) || is_below(&added, path))
        };
        let is_copy = self.has_whole || !self.line_ends.is_empty();
        is_copy && self.is_unchanged() && !self.added.iter().any(is_in_way)
    }

    /// Returns whether a person has changed no file of the package, as far as they are there.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns whether the package itself is whole, and files were only added.
    pub(crate) fn is_addition(&self) -> bool {
        let Self { changed, line_ends, missing, .. } = self;
        [changed, line_ends, missing].iter().all(|paths| paths.is_empty())
    }

    /// Names the files, as the rest of a sentence.
    pub(crate) fn clause(&self) -> String {
        let Self { added, changed, line_ends, missing, .. } = self;
        let parts = [
            ("added", added),
            ("changed", changed),
            ("with other line ends, as git writes them by its attribute `text`", line_ends),
            ("missing", missing),
        ];
        let parts = parts.iter().filter(|(_, paths)| !paths.is_empty());
        let parts: Vec<_> = parts.map(|(what, paths)| format!("{what}{}", named(paths))).collect();
        parts.join("; ")
    }
}

/// Returns the files of the package that a copy is of, where no store has their list: what is left
/// without the files of one machine has its digest, maybe with the line ends that it had.
fn shown_files(copy: &Dir, tree: &Digest) -> Option<FileStates> {
    let Walk { found, .. } = walk(copy).ok().filter(|walk| walk.is_complete)?;
    let mut both = [FileStates::new(), FileStates::new()];
    let is_of_machine =
        |path: &str| withheld_path(path).is_some_and(|reason| reason != MAY_HOLD_CREDENTIALS);
    for Walked { path, .. } in found.into_iter().filter(|it| !is_of_machine(&it.path)) {
        let [as_is, as_stored] = states(copy, &path);
        both[1].insert(path.clone(), as_stored.or(as_is)?);
        both[0].insert(path, as_is?);
    }
    both.into_iter().find(|files| digest_of(files) == *tree)
}

/// Returns whether a file is executable, and its digest: as it is, and of a text with the line ends
/// of git. A file that cannot be read has none.
fn states(copy: &Dir, path: &str) -> [Option<(bool, Digest)>; 2] {
    let Ok(file) = copy.open_file(path, Links::Refuse) else { return [None; 2] };
    let Ok(content) = file.read_whole(Limits::default().bytes) else { return [None; 2] };
    let state = |content: &[u8]| Some((file.stat().is_executable, Digest::of(content)));
    let text = str::from_utf8(&content).ok().filter(|text| text.contains("\r\n"));
    [state(&content), text.and_then(|text| state(text.replace("\r\n", "\n").as_bytes()))]
}
