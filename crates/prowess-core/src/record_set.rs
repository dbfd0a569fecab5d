//! The records of one source's scan, packed: one text and a small entry each.

mod bytes;

use std::borrow::Cow;
use std::sync::Arc;

use crate::{Conditions, Diagnostic, Stamp};

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
/// All texts lie in one string: a thousand skills cost a handful of allocations, and a catalog of
/// unchanged records costs one reference count.
#[derive(Debug, Default)]
pub struct RecordSet {
    text: Box<str>,
    entries: Box<[Entry]>,
    /// By the number of the entry. Few skills say any, so the others pay nothing for it.
    conditions: Box<[(u32, Arc<Conditions>)]>,
    /// Likewise.
    versions: Box<[Version]>,
    rejected: Box<[Rejected]>,
    diagnostics: Box<[PackageDiagnostic]>,
}

/// Which entry has a version, and where it lies in the set's text.
#[derive(Clone, Copy, Debug)]
struct Version {
    entry: u32,
    start: u32,
    length: u16,
}

/// Where one record's texts lie in the set's text. Kept small: there is one for each skill.
#[derive(Clone, Copy, Debug)]
struct Entry {
    stamp: Option<Stamp>,
    starts: [u32; TEXTS],
    lengths: [u16; TEXTS],
    priority: i16,
    is_lower_case_file: bool,
}

/// Room for the records of a first few hundred skills; what is not needed is given back.
const FIRST_TEXT_BYTES: usize = 128 * 1024;
const FIRST_ENTRIES: usize = 256;

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
        self.entries.is_empty()
    }

    /// The path of a record's package in its source.
    pub fn package(&self, at: usize) -> &str {
        self.text(at, Text::Package)
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
        let place = self.versions.binary_search_by_key(&at, |version| version.entry as usize);
        let Version { start, length, .. } = self.versions[place.ok()?];
        Some(&self.text[start as usize..][..usize::from(length)])
    }

    /// When and to whom a record's skill is to be offered, where it says so.
    pub fn conditions(&self, at: usize) -> Option<&Arc<Conditions>> {
        let place = self.conditions.binary_search_by_key(&at, |(entry, _)| *entry as usize).ok()?;
        Some(&self.conditions[place].1)
    }

    /// The records that say when and to whom they are to be offered, in their order.
    pub fn conditioned(&self) -> impl Iterator<Item = (usize, &Arc<Conditions>)> {
        self.conditions.iter().map(|(entry, conditions)| (*entry as usize, conditions))
    }

    /// The version of a record that was read.
    pub fn stamp(&self, at: usize) -> Option<Stamp> {
        self.entries[at].stamp
    }

    /// Packages that cannot be used.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Every finding of the scan.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().map(|found| &found.diagnostic)
    }

    /// The findings about no package, which each scan tells anew.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_no_package = |found: &&PackageDiagnostic| found.package.is_none();
        self.diagnostics.iter().filter(of_no_package).map(|found| &found.diagnostic)
    }

    fn text(&self, at: usize, which: Text) -> &str {
        let entry = &self.entries[at];
        let start = entry.starts[which as usize] as usize;
        &self.text[start..start + usize::from(entry.lengths[which as usize])]
    }
}

/// Packs records into a [`RecordSet`].
#[derive(Debug, Default)]
pub struct RecordSetBuilder {
    text: String,
    entries: Vec<Entry>,
    conditions: Vec<(u32, Arc<Conditions>)>,
    versions: Vec<Version>,
    rejected: Vec<Rejected>,
    diagnostics: Vec<PackageDiagnostic>,
}

impl RecordSetBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing was added yet, neither a record nor a package that cannot be used.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.rejected.is_empty()
    }

    /// Adds a record. Texts longer than 65,535 bytes are cut.
    pub fn push(&mut self, record: &NewRecord<'_>) {
        if self.entries.is_empty() {
            // A text that grows from nothing would be moved again and again.
            self.text.reserve(FIRST_TEXT_BYTES);
            self.entries.reserve(FIRST_ENTRIES);
        }
        let package = self.append(record.package);
        // Most skills bear the name of their directory, and most ids are the name: say it once.
        let name = match package_tail(record.package, record.name) {
            Some(offset) => (package.0 + offset, to_length(record.name)),
            None => self.append(record.name),
        };
        let id = if record.id == record.name { name } else { self.append(record.id) };
        let description = self.append(record.description);
        let tags = match record.tags {
            [] => (0, 0),
            tags => self.append(&tags.join("\n")),
        };
        if let Ok(entry) = u32::try_from(self.entries.len()) {
            let conditions = record.conditions.as_ref();
            self.conditions.extend(conditions.map(|said| (entry, Arc::clone(said))));
            let version = record.version.map(|version| self.version(entry, version));
            self.versions.extend(version);
        }
        let texts = [package, name, id, description, tags];
        self.entries.push(Entry {
            stamp: record.stamp,
            starts: texts.map(|(start, _)| start),
            lengths: texts.map(|(_, length)| length),
            priority: record.priority,
            is_lower_case_file: record.file != "SKILL.md",
        });
    }

    /// Adds a package that cannot be used; why is told by a diagnostic.
    pub fn reject(&mut self, package: &str, stamp: Option<Stamp>) {
        self.rejected.push(Rejected { package: package.into(), stamp });
    }

    /// Adds a finding about a package, or about the source as a whole.
    pub fn diagnose(&mut self, package: Option<&str>, diagnostic: Diagnostic) {
        self.diagnostics.push(PackageDiagnostic { package: package.map(Into::into), diagnostic });
    }

    /// Takes over a record of an earlier set as of this version of its file.
    pub fn reuse(&mut self, earlier: &RecordSet, at: usize, stamp: Option<Stamp>) {
        let tags: Vec<_> = earlier.tags(at).map(Cow::Borrowed).collect();
        self.push(&NewRecord {
            package: earlier.package(at),
            file: earlier.file(at),
            id: earlier.id(at),
            name: earlier.name(at),
            description: earlier.description(at),
            tags: &tags,
            priority: earlier.priority(at),
            version: earlier.version(at),
            conditions: earlier.conditions(at).cloned(),
            stamp,
        });
    }

    /// Takes over the findings of an earlier set about packages that `is_kept` names.
    pub fn reuse_diagnostics(&mut self, earlier: &RecordSet, is_kept: impl Fn(&str) -> bool) {
        let kept = |found: &&PackageDiagnostic| found.package.as_deref().is_some_and(&is_kept);
        self.diagnostics.extend(earlier.diagnostics.iter().filter(kept).cloned());
    }

    /// The packed records, with no spare room; the findings sorted by place.
    pub fn finish(mut self) -> RecordSet {
        self.diagnostics.sort_by(|one, other| {
            let key = |found: &PackageDiagnostic| {
                let Diagnostic { path, line, column, .. } = &found.diagnostic;
                (path.clone(), *line, *column)
            };
            key(one).cmp(&key(other))
        });
        RecordSet {
            text: self.text.into_boxed_str(),
            entries: self.entries.into_boxed_slice(),
            conditions: self.conditions.into_boxed_slice(),
            versions: self.versions.into_boxed_slice(),
            rejected: self.rejected.into_boxed_slice(),
            diagnostics: self.diagnostics.into_boxed_slice(),
        }
    }

    /// Keeps a version. Skills of one author come one after another and often share theirs.
    fn version(&mut self, entry: u32, version: &str) -> Version {
        let is_it = |last: &&Version| {
            &self.text[last.start as usize..][..usize::from(last.length)] == version
        };
        let last = self.versions.last().filter(is_it).map(|last| (last.start, last.length));
        let (start, length) = last.unwrap_or_else(|| self.append(version));
        Version { entry, start, length }
    }

    fn append(&mut self, text: &str) -> (u32, u16) {
        let text = &text[..text.floor_char_boundary(usize::from(u16::MAX))];
        // 4 GiB of names and descriptions are beyond every bound of a scan; past them texts are empty.
        let Ok(start) = u32::try_from(self.text.len()) else {
            return (0, 0);
        };
        self.text.push_str(text);
        (start, to_length(text))
    }
}

fn to_length(text: &str) -> u16 {
    u16::try_from(text.len()).unwrap_or(u16::MAX)
}

/// Where `name` stands in `package`, if it is the package's directory.
fn package_tail(package: &str, name: &str) -> Option<u32> {
    let before = package.strip_suffix(name)?;
    let is_whole_part = before.is_empty() || before.ends_with('/');
    is_whole_part.then(|| u32::try_from(before.len()).ok()).flatten()
}
