//! The `.gitignore` files of a repository.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use prowess_core::{SourceError, SourceErrorKind};
use prowess_dir::{Dir, Kind};

use crate::FsConfig;

/// The name of the files. The repository's own excludes and the user's global ones are not used,
/// because they are not part of the tree.
const FILE: &str = ".gitignore";

/// The maximum size of a file, above that of any real list of patterns.
const LIMIT: usize = 256 * 1024;

/// The patterns that apply in one directory: its own, then those of the directories above it.
pub(crate) struct IgnoreRules {
    /// The directory of the own patterns.
    directory: PathBuf,
    own: Patterns,
    above: Option<Rc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Returns the rules that apply in a root, from those of `outermost` inwards, without the
    /// root's own; `Err` with the first directory on the path that is excluded itself.
    pub(crate) fn above(outermost: &Path, root: &Path) -> Result<Option<Rc<Self>>, PathBuf> {
        let mut rules = None;
        let Ok(inside) = root.strip_prefix(outermost) else { return Ok(rules) };
        let mut directory = outermost.to_owned();
        for part in inside.components() {
            if let Ok(opened) = Dir::open(&directory) {
                rules = Self::below(rules, &opened, &directory);
            }
            directory.push(part);
            if rules.as_ref().is_some_and(|rules| rules.leaves_out(&directory, Kind::Directory)) {
                return Err(directory);
            }
        }
        Ok(rules)
    }

    /// Returns the rules that apply in a directory, given its absolute path.
    pub(crate) fn below(above: Option<Rc<Self>>, directory: &Dir, path: &Path) -> Option<Rc<Self>> {
        let Ok(text) = directory.read(FILE, LIMIT) else { return above };
        match Patterns::read(&text) {
            Some(own) => Some(Rc::new(Self { directory: path.to_owned(), own, above })),
            None => above,
        }
    }

    /// Returns whether an absolute path is excluded: the innermost matching pattern decides.
    pub(crate) fn leaves_out(&self, path: &Path, kind: Kind) -> bool {
        let mut innermost = std::iter::successors(Some(self), |rules| rules.above.as_deref());
        innermost.find_map(|rules| rules.says(path, kind)).unwrap_or(false)
    }

    /// Returns whether the own patterns exclude or include a path; `None` if none matches.
    fn says(&self, path: &Path, kind: Kind) -> Option<bool> {
        self.own.says(path.strip_prefix(&self.directory).ok()?, kind)
    }
}

#[cfg(feature = "gitignore")]
struct Patterns(gix_ignore::glob::search::pattern::List<gix_ignore::search::Ignore>);

#[cfg(feature = "gitignore")]
impl Patterns {
    fn read(text: &[u8]) -> Option<Self> {
        use gix_ignore::glob::search::pattern::List;
        // Paths are matched relative to the directory, so it need not be passed.
        List::from_bytes(text, PathBuf::new(), None, gix_ignore::search::Ignore::default())
            .ok()
            .map(Self)
    }

    /// Returns whether the patterns exclude or include a relative path; `None` if none matches.
    fn says(&self, path: &Path, kind: Kind) -> Option<bool> {
        use gix_ignore::glob::pattern::Case;
        use gix_ignore::search::pattern_matching_relative_path;
        let path = path.as_os_str().as_encoded_bytes();
        let name = path.iter().rposition(|&byte| byte == b'/').map(|slash| slash + 1);
        let is_directory = Some(kind == Kind::Directory);
        pattern_matching_relative_path(&self.0, path.into(), name, is_directory, Case::Sensitive)
            .map(|found| !found.pattern.is_negative())
    }
}

/// No file is read without the feature: [`check`] has refused the scan.
#[cfg(not(feature = "gitignore"))]
enum Patterns {}

#[cfg(not(feature = "gitignore"))]
impl Patterns {
    fn read(_: &[u8]) -> Option<Self> {
        None
    }

    fn says(&self, _: &Path, _: Kind) -> Option<bool> {
        match *self {}
    }
}

/// Refuses a configuration with `.gitignore` files in a build that cannot read them.
pub(crate) fn check(config: &FsConfig) -> Result<(), SourceError> {
    if cfg!(feature = "gitignore") || config.gitignore.is_none() {
        return Ok(());
    }
    let message = "directories that a `.gitignore` excludes are skipped only with the feature \
                   `gitignore`, which this build lacks";
    Err(SourceError::new(SourceErrorKind::Unavailable, message))
}
