//! The ways of paths: the links and the directories that they lead through.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The number of links in a chain after which the system reports a loop.
const MOST_LINKS: usize = 40;

/// Resolves paths. Each part is looked at once, however many paths lead through it.
#[derive(Default)]
pub(crate) struct Ways(HashMap<PathBuf, Result<Option<PathBuf>, ErrorKind>>);

/// The end of a way, with all links resolved.
#[cfg_attr(not(feature = "watch"), allow(dead_code))]
pub(crate) enum End {
    /// A file or a directory.
    There(PathBuf),
    /// The first part that is missing, or that cannot be entered.
    Awaited(PathBuf),
    /// Nothing that can appear: a loop of links, for example. Fixing it changes a link.
    Nothing,
}

impl Ways {
    /// Returns where an absolute path leads, and the real paths of the links on the way.
    pub(crate) fn resolve(&mut self, path: &Path) -> (End, Vec<PathBuf>) {
        let mut links = Vec::new();
        (self.end(path, &mut links), links)
    }

    /// Returns the real path of what is there.
    pub(crate) fn there(&mut self, path: &Path) -> Option<PathBuf> {
        match self.resolve(path).0 {
            End::There(real) => Some(real),
            End::Awaited(_) | End::Nothing => None,
        }
    }

    /// The same; without one, the path itself.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        self.there(path).unwrap_or_else(|| path.to_owned())
    }

    fn end(&mut self, path: &Path, links: &mut Vec<PathBuf>) -> End {
        let mut at = PathBuf::new();
        let mut rest = reversed(path);
        while let Some(part) = rest.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            at.push(part);
            match self.look(&at) {
                Ok(None) => {}
                Ok(Some(_)) if links.len() == MOST_LINKS => return End::Nothing,
                Ok(Some(text)) => {
                    rest.extend(reversed(&text));
                    links.push(at.clone());
                    at.pop();
                }
                Err(ErrorKind::NotFound) => return End::Awaited(at),
                // The part before is a file, or cannot be entered.
                Err(ErrorKind::NotADirectory | ErrorKind::PermissionDenied) => {
                    at.pop();
                    return End::Awaited(at);
                }
                Err(_) => return End::Nothing,
            }
        }
        End::There(at)
    }

    /// Returns the text of a link; `None` for what is none.
    fn look(&mut self, part: &Path) -> Result<Option<PathBuf>, ErrorKind> {
        if let Some(known) = self.0.get(part) {
            return known.clone();
        }
        let text = match part.read_link() {
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(None),
            text => text.map(Some).map_err(|error| error.kind()),
        };
        self.0.insert(part.to_owned(), text.clone());
        text
    }
}

fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.iter().rev().filter(|part| *part != ".");
    parts.map(OsStr::to_owned).collect()
}
