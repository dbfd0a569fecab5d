//! What a repository says is not part of it, where a host goes by that.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix_ignore::glob::pattern::Case;
use gix_ignore::glob::search::pattern::List;
use gix_ignore::search::{Ignore, pattern_matching_relative_path};
use prowess_dir::{Dir, Kind};

/// The name of the files that are gone by. The repository's own excludes and the user's global ones are
/// not: they are no part of the tree.
const FILE: &str = ".gitignore";

/// More than any list of patterns has.
const LIMIT: usize = 256 * 1024;

/// The patterns that hold in one directory: its own, then those of the directories above it.
pub(crate) struct Rules {
    /// What the own patterns speak of is below it.
    directory: PathBuf,
    own: List<Ignore>,
    above: Option<Rc<Rules>>,
}

impl Rules {
    /// The rules that hold in a root, from those of `outermost` inwards, without the root's own; `Err`
    /// with the first directory on the way that is left out itself.
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

    /// The rules that hold in a directory, of which the path is absolute.
    pub(crate) fn below(above: Option<Rc<Self>>, directory: &Dir, path: &Path) -> Option<Rc<Self>> {
        let Ok(text) = directory.read(FILE, LIMIT) else { return above };
        // What is given to it is relative to the directory, so it need not know where that is.
        match List::from_bytes(&text, PathBuf::new(), None, Ignore::default()) {
            Ok(own) => Some(Rc::new(Self { directory: path.to_owned(), own, above })),
            Err(_) => above,
        }
    }

    /// Whether what is at an absolute path is left out: the innermost pattern that speaks of it decides.
    pub(crate) fn leaves_out(&self, path: &Path, kind: Kind) -> bool {
        let mut innermost = std::iter::successors(Some(self), |rules| rules.above.as_deref());
        innermost.find_map(|rules| rules.says(path, kind)).unwrap_or(false)
    }

    /// Whether the own patterns leave a path out or bring it back; `None` if none speaks of it.
    fn says(&self, path: &Path, kind: Kind) -> Option<bool> {
        let inside = path.strip_prefix(&self.directory).ok()?.as_os_str().as_encoded_bytes();
        let name = inside.iter().rposition(|&byte| byte == b'/').map(|slash| slash + 1);
        let is_directory = Some(kind == Kind::Directory);
        pattern_matching_relative_path(
            &self.own,
            inside.into(),
            name,
            is_directory,
            Case::Sensitive,
        )
        .map(|found| !found.pattern.is_negative())
    }
}
