//! The names of a whole archive: none occurs twice, on any file system.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use unicode_normalization::UnicodeNormalization as _;

use crate::RefusalKind;

/// The paths that were added so far, by their folded form.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<String, Known>);

/// A path of the archive.
#[derive(Debug)]
struct Known {
    spelling: String,
    kind: KnownKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownKind {
    File,
    Directory,
    /// A directory that is known only as a part of other paths.
    Implied,
}

impl Names {
    /// Adds a file.
    ///
    /// # Errors
    ///
    /// The path occurs twice, or clashes with another one.
    pub(crate) fn add_file(&mut self, path: &str) -> Result<(), RefusalKind> {
        self.add(path, KnownKind::File)
    }

    /// Adds a directory that has an entry of its own.
    ///
    /// # Errors
    ///
    /// The path occurs twice, or clashes with another one.
    pub(crate) fn add_directory(&mut self, path: &str) -> Result<(), RefusalKind> {
        self.add(path, KnownKind::Directory)
    }

    fn add(&mut self, path: &str, kind: KnownKind) -> Result<(), RefusalKind> {
        let mut folded = String::with_capacity(path.len());
        for (at, part) in parts(path) {
            if !folded.is_empty() {
                folded.push('/');
            }
            push_folded(&mut folded, part);
            let end = at + part.len();
            let kind = if end == path.len() { kind } else { KnownKind::Implied };
            self.add_one(&folded, &path[..end], kind)?;
        }
        Ok(())
    }

    fn add_one(
        &mut self,
        folded: &str,
        spelling: &str,
        kind: KnownKind,
    ) -> Result<(), RefusalKind> {
        let mut entry = match self.0.entry(folded.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(Known { spelling: spelling.to_owned(), kind });
                return Ok(());
            }
            Entry::Occupied(entry) => entry,
        };
        let known = entry.get_mut();
        if known.spelling != spelling {
            return Err(RefusalKind::Clash);
        }
        match (known.kind, kind) {
            (KnownKind::Directory | KnownKind::Implied, KnownKind::Implied) => Ok(()),
            (KnownKind::Implied, KnownKind::Directory) => {
                known.kind = KnownKind::Directory;
                Ok(())
            }
            (before, _) if before == kind => Err(RefusalKind::Duplicate),
            _ => Err(RefusalKind::Clash),
        }
    }
}

/// Returns the parts of a path with their positions.
fn parts(path: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    path.split('/').map(move |part| {
        let at = start;
        start += part.len() + 1;
        (at, part)
    })
}

/// Appends a form that is equal for all names that a file system may take for one: without case,
/// and in one normal form. Upper case first, which maps more letters to one than lower case does.
fn push_folded(target: &mut String, part: &str) {
    if part.is_ascii() {
        target.extend(part.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    let upper = part.nfkc().flat_map(char::to_uppercase);
    target.extend(upper.flat_map(char::to_lowercase).nfkc());
}
