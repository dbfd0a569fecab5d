//! What a repository says is not part of it, where a host goes by that.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use prowess_dir::{Dir, Kind};

/// The name of the files that are gone by. The repository's own excludes and the user's global ones are
/// not: they are no part of the tree.
const FILE: &str = ".gitignore";

/// More than any list of patterns has.
const LIMIT: usize = 256 * 1024;

/// The patterns that hold in one directory: its own, then those of the directories above it.
pub(crate) struct Rules {
    own: Gitignore,
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
        let mut builder = GitignoreBuilder::new(path);
        for line in String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').lines() {
            // A pattern that cannot be read leaves out nothing, as in git.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(own) => Some(Rc::new(Self { own, above })),
            Err(_) => above,
        }
    }

    /// Whether what is at an absolute path is left out: the innermost pattern that speaks of it decides.
    pub(crate) fn leaves_out(&self, path: &Path, kind: Kind) -> bool {
        let mut rules = Some(self);
        while let Some(Self { own, above }) = rules {
            match own.matched(path, kind == Kind::Directory) {
                Match::None => rules = above.as_deref(),
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }
}
