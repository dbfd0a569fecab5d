//! Finds skills by other spellings of their names.
//!
//! A person or a model writes a name in another case, with `_` or blanks for `-`, in another
//! Unicode form, as the title in the file, as the directory, or with the pack in front of it. All
//! of them have one key, the slug. A path has that of its last directory. Last come the letters
//! alone, for `pdfForms`.

use std::borrow::Cow;

use prowess_format::{slug, unaccented};

use crate::{Record, SKILL_MD_FILES};

/// Longer references are no spelling of a name, and are not compared.
const MOST_BYTES: usize = 256;

/// The start of an address that models have from a list of resources.
const URI: &str = "skill://";

/// A reference in the form in which spellings are compared.
pub(super) struct Spelling<'r> {
    written: &'r str,
    upper: String,
    key: Cow<'r, str>,
    /// The key of the pack, and that of the name behind it.
    qualified: Option<(Cow<'r, str>, Cow<'r, str>)>,
    /// The directories of a path, and the key of the last one.
    path: Option<(Vec<&'r str>, Cow<'r, str>)>,
}

/// How near a spelling is: the declared name as it is, that in another case, an id or a declared
/// name, a directory, a path with one of these at its end, one of these by its letters alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    Letters,
    Path,
    Directory,
    Name,
    Case,
    Exact,
}

impl<'r> Spelling<'r> {
    /// Returns `None` for a reference that is no spelling of a name.
    pub(super) fn of(written: &'r str) -> Option<Self> {
        if written.len() > MOST_BYTES {
            return None;
        }
        let written = written.strip_prefix(URI).unwrap_or(written);
        let qualified = written.split_once(':').map(|(pack, name)| (slug(pack), slug(name)));
        let qualified = qualified.filter(|(pack, name)| !pack.is_empty() && !name.is_empty());
        let upper = written.to_uppercase();
        Some(Self { written, upper, key: slug(written), qualified, path: path(written) })
    }

    /// Returns whether a record is meant.
    pub(super) fn is_of(&self, record: Record<'_>) -> bool {
        self.nearness(record).is_some()
    }

    pub(super) fn nearness(&self, record: Record<'_>) -> Option<Nearness> {
        if record.name() == self.written {
            return Some(Nearness::Exact);
        }
        if record.name().to_uppercase() == self.upper {
            return Some(Nearness::Case);
        }
        // A path or a qualified name is no name, unless the name has such a separator itself.
        let is_own =
            |separator| !self.written.contains(separator) || record.name().contains(separator);
        let is_plain = ['/', '\\', ':'].into_iter().all(is_own);
        let plain = || nearness(record, &self.key, as_written).filter(|_| is_plain);
        let qualified = || {
            let (pack, name) = self.qualified.as_ref()?;
            nearness(record, name, as_written).filter(|_| is_in_pack(record, pack))
        };
        let path = || {
            let (directories, key) = self.path.as_ref()?;
            nearness(record, key, as_written)
                .filter(|_| is_below(record, directories))
                .map(|_| Nearness::Path)
        };
        let by_letters = || {
            let path = self.path.as_ref().filter(|(directories, _)| is_below(record, directories));
            let key = is_plain.then_some(&self.key).or(path.map(|(_, key)| key))?;
            let found = nearness(record, &letters(key), letters);
            found.map(|_| Nearness::Letters)
        };
        plain().or_else(qualified).or_else(path).or_else(by_letters)
    }
}

/// Returns the directories and the key of a path to a skill: `/NAME`, `skills/NAME/SKILL.md`,
/// `NAME.md`.
fn path(written: &str) -> Option<(Vec<&str>, Cow<'_, str>)> {
    let place = written.trim_end_matches('/');
    let file = SKILL_MD_FILES.iter().find_map(|file| place.strip_suffix(file)?.strip_suffix('/'));
    let place = file.or_else(|| place.strip_suffix(".md")).unwrap_or(place);
    let mut directories: Vec<_> =
        place.split('/').filter(|directory| !matches!(*directory, "" | ".")).collect();
    let name = directories.pop()?;
    (place.contains('/') || place != written).then(|| (directories, slug(name)))
}

/// Returns whether a record is in these directories, or they are where skills are anywhere.
fn is_below(record: Record<'_>, directories: &[&str]) -> bool {
    let is_common =
        |directory: &&str| matches!(*directory, "skills" | "~") || directory.starts_with('.');
    let root = record.root_directory();
    let mut parents = root.rsplit('/').filter(|directory| !directory.is_empty()).skip(1);
    directories.iter().all(is_common)
        || directories.iter().rev().all(|it| parents.next().is_some_and(|parent| parent == *it))
}

fn as_written(slug: &str) -> Cow<'_, str> {
    Cow::Borrowed(slug)
}

/// Returns a slug without accents and hyphens, as in `pdfForms`. Between digits, a hyphen is a part of
/// a number.
fn letters(slug: &str) -> Cow<'_, str> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let mut letters = String::with_capacity(slug.len());
    for word in unaccented(slug).split('-') {
        if letters.ends_with(is_digit) && word.starts_with(is_digit) {
            letters.push('-');
        }
        letters += word;
    }
    Cow::Owned(letters)
}

fn nearness(record: Record<'_>, key: &str, form: fn(&str) -> Cow<'_, str>) -> Option<Nearness> {
    // A name without a letter or digit has no other spelling.
    let is_key = |text: &str| !key.is_empty() && form(&slug(text)) == key;
    if is_key(record.base_id()) || is_key(record.name()) {
        return Some(Nearness::Name);
    }
    is_key(record.directory()).then_some(Nearness::Directory)
}

/// Returns whether a record is of a layer or a source with this key, or below a directory with
/// it.
fn is_in_pack(record: Record<'_>, pack: &str) -> bool {
    let root = record.root_directory();
    let mut directories = root.split('/').rev().skip(1);
    slug(&record.layer().name) == pack
        || slug(record.source()) == pack
        || directories.any(|directory| slug(directory) == pack)
}
