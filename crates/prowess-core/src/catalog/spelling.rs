//! Finds skills by other spellings of their names.
//!
//! A person or a model writes a name in another case, with `_` or blanks for `-`, in another
//! Unicode form, as the title in the file, as the directory, or with the pack in front of it. All
//! of them have one key, the slug.

use std::borrow::Cow;

use prowess_format::slug;

use crate::Record;

/// Longer references are no spelling of a name, and are not compared.
const MOST_BYTES: usize = 256;

/// A reference in the form in which spellings are compared.
pub(super) struct Spelling<'r> {
    written: &'r str,
    key: Cow<'r, str>,
    /// The key of the pack, and that of the name behind it.
    qualified: Option<(Cow<'r, str>, Cow<'r, str>)>,
}

/// How near a spelling is: the declared name as it is, an id or a declared name, a directory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    Directory,
    Name,
    Exact,
}

impl<'r> Spelling<'r> {
    /// Returns `None` for a reference that is no spelling of a name.
    pub(super) fn of(written: &'r str) -> Option<Self> {
        if written.len() > MOST_BYTES {
            return None;
        }
        let qualified = written.split_once(':').map(|(pack, name)| (slug(pack), slug(name)));
        let qualified = qualified.filter(|(pack, name)| !pack.is_empty() && !name.is_empty());
        Some(Self { written, key: slug(written), qualified })
    }

    /// Returns whether a record is meant.
    pub(super) fn is_of(&self, record: Record<'_>) -> bool {
        self.nearness(record).is_some()
    }

    pub(super) fn nearness(&self, record: Record<'_>) -> Option<Nearness> {
        if record.name() == self.written {
            return Some(Nearness::Exact);
        }
        // A path or a qualified name is no name, unless the name has such a separator itself.
        let is_own =
            |separator| !self.written.contains(separator) || record.name().contains(separator);
        let plain = ['/', '\\', ':'].into_iter().all(is_own);
        plain.then(|| nearness(record, &self.key)).flatten().or_else(|| {
            let (pack, name) = self.qualified.as_ref()?;
            nearness(record, name).filter(|_| is_in_pack(record, pack))
        })
    }
}

fn nearness(record: Record<'_>, key: &str) -> Option<Nearness> {
    // A name without a letter or digit has no other spelling.
    let is_key = |text: &str| !key.is_empty() && slug(text) == key;
    if is_key(record.base_id()) || is_key(record.name()) {
        return Some(Nearness::Name);
    }
    is_key(record.directory()).then_some(Nearness::Directory)
}

/// Returns whether a record is of a layer or a source with this key, or below a directory with it.
fn is_in_pack(record: Record<'_>, pack: &str) -> bool {
    let root = record.root_directory();
    let mut directories = root.split('/').rev().skip(1);
    slug(&record.layer().name) == pack
        || slug(record.source()) == pack
        || directories.any(|directory| slug(directory) == pack)
}
