//! The records of one source's scan, packed: one text and a small entry each.

mod builder;
mod bytes;
mod entries;
mod revision;
mod texts;

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Conditions, Diagnostic, Stamp};

pub use builder::RecordSetBuilder;

use entries::Entries;
use texts::{Slice, Texts};

/// What a scan learned of one skill, to be packed.
#[derive(Clone, Debug)]
pub struct NewRecord<'a> {
    /// The package's path in its source.
    pub package: &'a str,
    /// The file's own name.
    pub file: &'a str,
    /// What a model types for it, before collisions are settled.
    pub id: &'a str,
    /// The declared name.
    pub name: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// Words to filter and search by.
    pub tags: &'a [Cow<'a, str>],
    /// Settles collisions inside a layer; the higher wins.
    pub priority: i16,
    /// The version that its author gives it.
    pub version: Option<&'a str>,
    /// When and to whom it is to be offered, where it says so.
    pub conditions: Option<Arc<Conditions>>,
    /// The version that was read.
    pub stamp: Option<Stamp>,
}

/// A package whose `SKILL.md` cannot be used. It is kept so that an unchanged one is not read again.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The package's path in its source.
    pub package: Box<str>,
    /// The version that was read.
    pub stamp: Option<Stamp>,
}

/// The records of one source, immutable and shared between generations of the catalog.
///
/// All texts lie in two strings: a thousand skills cost a handful of allocations, and a catalog of
/// unchanged records costs one reference count. A set that follows another shares these strings, so that
/// one changed file costs as much as that file and a small entry for each of the others.
#[derive(Debug, Default)]
pub struct RecordSet {
    /// Packages, names and ids. Whatever goes through all records reads these and no more, so they lie
    /// close together.
    names: Texts,
    /// What a skill says beside its name.
    texts: Texts,
    entries: Entries,
    rejected: Box<[Rejected]>,
    /// What the source has said of the list of packages.
    listing: Option<Stamp>,
    /// Shared with the sets that still have them.
    diagnostics: Box<[Arc<PackageDiagnostic>]>,
}

/// Where one record's texts lie in those of the set. Kept small: there is one for each skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    stamp: Option<Stamp>,
    starts: [u32; TEXTS],
    lengths: [u16; TEXTS],
    priority: i16,
    is_lower_case_file: bool,
}

/// How many texts an entry has: those of [`Text`].
const TEXTS: usize = 5;

/// The texts of an entry, in the order of its arrays.
#[derive(Clone, Copy)]
enum Text {
    Package,
    Name,
    Id,
    Description,
    Tags,
}

/// A finding with the package that it comes and goes with.
#[derive(Clone, Debug)]
struct PackageDiagnostic {
    package: Option<Box<str>>,
    diagnostic: Diagnostic,
}

impl RecordSet {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path of a record's package in its source.
    pub fn package(&self, at: usize) -> &str {
        self.text(at, Text::Package)
    }

    /// Whether a record's package is the one at this path. Most are told apart by their lengths, without a
    /// look at their texts, which lie all over the memory.
    pub fn is_package(&self, at: usize, path: &str) -> bool {
        self.is_of_package(&self.entries[at], path)
    }

    /// The record of the package at this path, found by a look at each.
    pub fn find_package(&self, path: &str) -> Option<usize> {
        self.entries.iter().position(|entry| self.is_of_package(entry, path))
    }

    fn is_of_package(&self, entry: &Entry, path: &str) -> bool {
        let Entry { starts, lengths, .. } = entry;
        let (start, length) = (starts[Text::Package as usize], lengths[Text::Package as usize]);
        usize::from(length) == path.len() && self.names.is(Slice { start, length }, path)
    }

    /// `SKILL.md`, or `skill.md` where that is all there is.
    pub fn file(&self, at: usize) -> &'static str {
        if self.entries[at].is_lower_case_file { "skill.md" } else { "SKILL.md" }
    }

    /// What a model types for a record, before collisions are settled.
    pub fn id(&self, at: usize) -> &str {
        self.text(at, Text::Id)
    }

    /// A record's declared name.
    pub fn name(&self, at: usize) -> &str {
        self.text(at, Text::Name)
    }

    /// What a record's skill does and when to use it.
    pub fn description(&self, at: usize) -> &str {
        self.text(at, Text::Description)
    }

    /// A record's tags.
    pub fn tags(&self, at: usize) -> impl Iterator<Item = &str> {
        self.text(at, Text::Tags).split('\n').filter(|tag| !tag.is_empty())
    }

    /// Settles collisions inside a layer; the higher wins.
    pub fn priority(&self, at: usize) -> i16 {
        self.entries[at].priority
    }

    /// The version that a record's author gives it, where there is one.
    pub fn version(&self, at: usize) -> Option<&str> {
        self.entries.version(at).map(|slice| self.texts.get(slice))
    }

    /// When and to whom a record's skill is to be offered, where it says so.
    pub fn conditions(&self, at: usize) -> Option<&Arc<Conditions>> {
        self.entries.conditions(at)
    }

    /// The records that say when and to whom they are to be offered, in their order.
    pub fn conditioned(&self) -> impl Iterator<Item = (usize, &Arc<Conditions>)> {
        self.entries.conditioned()
    }

    /// The version of a record that was read.
    pub fn stamp(&self, at: usize) -> Option<Stamp> {
        self.entries[at].stamp
    }

    /// Packages that cannot be used.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// The version of the list of packages, where the source has given one.
    pub fn listing(&self) -> Option<Stamp> {
        self.listing
    }

    /// Every finding of the scan.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().map(|found| &found.diagnostic)
    }

    /// The findings about no package, which each scan tells anew.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_no_package = |found: &&Arc<PackageDiagnostic>| found.package.is_none();
        self.diagnostics.iter().filter(of_no_package).map(|found| &found.diagnostic)
    }

    // Whoever asks knows which, so that one place of two is left.
    #[inline]
    fn text(&self, at: usize, which: Text) -> &str {
        let Entry { starts, lengths, .. } = &self.entries[at];
        let texts = match which {
            Text::Package | Text::Name | Text::Id => &self.names,
            Text::Description | Text::Tags => &self.texts,
        };
        texts.get(Slice { start: starts[which as usize], length: lengths[which as usize] })
    }
}
