//! Writes a catalog file.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};

use prowess_core::{
    Availability, Caller, Cancel, Catalog, Conditions, Digest, MAY_HOLD_CREDENTIALS, ReadLimit,
    Record, ResourcePath, SourceErrorKind,
};
use prowess_format::{Head, MAX_FILE_BYTES, Profile, Summarized, summarize};
use prowess_search::SearchIndex;

use crate::bytes::count_of;
use crate::details::{Details, PackageFile};
use crate::file::package_key;
use crate::header::{Header, Part};
use crate::index::{IndexParts, PACKAGES_PER_PAGE};
use crate::record::Group;
use crate::{CatalogEntry, CatalogFileError};

type Result<T> = std::result::Result<T, CatalogFileError>;

/// The maximum number of files of a package, and the maximum size of one of them in bytes.
const MOST_FILES: usize = 20_000;
pub(crate) const MOST_FILE_BYTES: usize = 64 * 1024 * 1024;

/// The size of the beginning of a `SKILL.md` that is tried first.
const HEAD_BYTES: usize = 512;

/// Stores a file of a package under its digest.
pub type StoreFile<'s> = &'s mut dyn FnMut(&Digest, &[u8]) -> io::Result<()>;

/// A skill that is not published, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The id of the skill.
    pub skill: String,
    /// The file or directory of the skill; `None` for all of it.
    pub path: Option<String>,
    /// The reason.
    pub reason: String,
    /// Whether the skill was to be published.
    pub is_fault: bool,
}

/// Writes a catalog as a file, and passes each file of its packages to `store`. Equal catalogs give
/// equal bytes.
///
/// It has the offered skills, and those that another host may offer: with requirements that this
/// machine lacks, for other audiences, and for users alone. Files that may hold credentials are
/// left out. Returns the digest of the catalog file, and all that was left out but shadowed skills.
///
/// # Errors
///
/// A file cannot be written.
pub fn write_catalog(
    catalog: &Catalog,
    name: &str,
    to: &mut File,
    store: StoreFile<'_>,
    cancel: &Cancel,
) -> Result<(Digest, Vec<LeftOut>)> {
    let is_left_out = |record: &Record<'_>| {
        !may_be_offered(catalog, *record) && record.availability() != Availability::Shadowed
    };
    let left_out = catalog.excluded().filter(is_left_out).map(|record| LeftOut {
        skill: record.id().to_owned(),
        path: None,
        reason: record.reason().unwrap_or("it is hidden").to_owned(),
        is_fault: false,
    });
    let left_out = left_out.collect();
    let others = catalog.excluded().filter(|record| may_be_offered(catalog, *record));
    let mut records: Vec<_> = catalog.skills().chain(others).collect();
    // Shadowed skills are left out, but a skill may be both hidden and for users.
    records.dedup_by_key(|record| record.index());
    let mut used: Vec<_> = records.iter().map(|record| record.index().source()).collect();
    used.sort_unstable();
    used.dedup();
    let (to, index) = (BufWriter::new(to), IndexParts::default());
    let mut writer = Writer { to, at: 0, index, left_out };
    writer.append(&[0; Header::BYTES])?;
    let mut packages = Vec::with_capacity(records.len());
    let (mut entries, mut offered) = (Vec::with_capacity(Group::RECORDS), Vec::new());
    for (at, record) in records.into_iter().enumerate() {
        if cancel.is_cancelled() {
            return Err(CatalogFileError::Cancelled);
        }
        let entry = match writer.package(catalog, record, &used, store) {
            Err(CatalogFileError::Skill { id: skill, reason }) => {
                writer.left_out.push(LeftOut { skill, path: None, reason, is_fault: true });
                continue;
            }
            entry => entry?,
        };
        packages.push((package_key(&entry.package), count_of(packages.len())));
        offered.extend((at < catalog.len()).then_some(record));
        entries.push(entry);
        if entries.len() == Group::RECORDS {
            writer.group(&mut entries)?;
        }
    }
    writer.group(&mut entries)?;
    let header = Header {
        offered: count_of(offered.len()),
        packages: count_of(packages.len()),
        ..Header::default()
    };
    writer.package_table(packages)?;
    let ranker = SearchIndex::of_skills(offered.into_iter());
    for page in ranker.stored_lists() {
        let part = writer.append(&page)?;
        writer.index.lists.push(part);
    }
    let words = writer.append(&ranker.stored_words())?;
    let left_out = std::mem::take(&mut writer.left_out);
    Ok((writer.finish(name, Header { words, ..header })?, left_out))
}

/// Returns whether a skill that is not offered here may be offered elsewhere. What a rule of the
/// publisher hides, or a folder that is not trusted has, is not published.
fn may_be_offered(catalog: &Catalog, record: Record<'_>) -> bool {
    match record.availability() {
        Availability::Offered | Availability::NotReady | Availability::OutOfScope => true,
        Availability::Hidden => catalog.may_load(record, Caller::User),
        Availability::Shadowed | Availability::Rejected => false,
    }
}

struct Writer<'f> {
    to: BufWriter<&'f mut File>,
    at: u64,
    index: IndexParts,
    left_out: Vec<LeftOut>,
}

impl Writer<'_> {
    fn append(&mut self, bytes: &[u8]) -> Result<Part> {
        let part = Part::of(self.at, bytes);
        self.to.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(part)
    }

    /// Writes a group of entries, if there are any.
    fn group(&mut self, entries: &mut Vec<CatalogEntry>) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let part = self.append(&Group::write(entries))?;
        self.index.groups.push((part, entries.swap_remove(0).id));
        entries.clear();
        Ok(())
    }

    /// Stores the files of a package and writes its details.
    fn package(
        &mut self,
        catalog: &Catalog,
        record: Record<'_>,
        sources: &[usize],
        store: StoreFile<'_>,
    ) -> Result<CatalogEntry> {
        let failed =
            |error: prowess_core::SourceError| CatalogFileError::skill(record.id(), &error);
        let main = ResourcePath::new(record.file())
            .map_err(|error| CatalogFileError::skill(record.id(), &error))?;
        let content = catalog.read_public(record, &main, ReadLimit::default()).map_err(failed)?;
        let skill_md = Digest::of(&content);
        store(&skill_md, &content)?;
        let (listing, left_out) = catalog.list_shown(record, MOST_FILES).map_err(failed)?;
        if !listing.is_complete {
            return Err(CatalogFileError::skill(record.id(), &"it has too many files"));
        }
        for (path, reason) in left_out {
            self.leave_out(record, &path, reason);
        }
        let mut details = Details { head: head(&content).to_vec(), files: Vec::new() };
        for resource in listing.resources {
            let path = resource.path;
            let bytes = match catalog.read_public(record, &path, ReadLimit(MOST_FILE_BYTES)) {
                Err(error) if error.kind == SourceErrorKind::Denied => {
                    self.leave_out(record, path.as_str(), MAY_HOLD_CREDENTIALS);
                    continue;
                }
                bytes => bytes.map_err(failed)?,
            };
            let digest = Digest::of(&bytes);
            store(&digest, &bytes)?;
            details.files.push(PackageFile { path, bytes: bytes.len() as u64, digest });
        }
        let details = self.append(&details.write())?;
        let package = record.package();
        Ok(CatalogEntry {
            id: record.id().to_owned(),
            name: record.name().to_owned(),
            description: record.description().to_owned(),
            tags: record.tags().map(str::to_owned).collect(),
            version: record.version().map(str::to_owned),
            package: path_of(package.as_str(), record.index().source(), sources),
            is_conditional: record.availability() != Availability::Offered
                || record.conditions().is_some_and(is_condition),
            priority: record.priority(),
            is_lower_case_file: record.file() != prowess_core::SKILL_MD_FILES[0],
            skill_md: (content.len() as u64, skill_md),
            details,
        })
    }

    fn leave_out(&mut self, record: Record<'_>, path: &str, reason: &str) {
        let (skill, path) = (record.id().to_owned(), Some(path.to_owned()));
        let left_out = LeftOut { skill, path, reason: reason.to_owned(), is_fault: false };
        self.left_out.push(left_out);
    }

    /// Writes the table by which a package is found.
    fn package_table(&mut self, mut packages: Vec<(u64, u32)>) -> Result<()> {
        packages.sort_unstable();
        for page in packages.chunks(PACKAGES_PER_PAGE) {
            let mut bytes = Vec::with_capacity(page.len() * 12);
            for (key, position) in page {
                bytes.extend(key.to_le_bytes());
                bytes.extend(position.to_le_bytes());
            }
            let part = self.append(&bytes)?;
            self.index.packages.push((part, page[0].0));
        }
        Ok(())
    }

    /// Writes the index, and the header last.
    fn finish(mut self, name: &str, header: Header) -> Result<Digest> {
        let index = self.index.write(name);
        let index = self.append(&index)?;
        let header = Header { index, bytes: self.at, ..header }.write();
        self.to.seek(SeekFrom::Start(0))?;
        self.to.write_all(&header)?;
        self.to.flush()?;
        Ok(Digest::of(&header))
    }
}

/// Returns whether more than tools are named, which limit nothing that a reader has to know.
fn is_condition(conditions: &Conditions) -> bool {
    let rest = Conditions { tools: Vec::new(), ..conditions.clone() };
    rest != Conditions::default()
}

/// Returns the path of a package in the published source. Packages of several sources may have one
/// path, so the number of the source is in front of it.
fn path_of(package: &str, source: usize, sources: &[usize]) -> String {
    let number = sources.binary_search(&source).unwrap_or_default() + 1;
    match (sources.len(), package) {
        (..=1, package) => package.to_owned(),
        (_, "") => number.to_string(),
        (_, package) => format!("{number}/{package}"),
    }
}

/// Returns the beginning of a `SKILL.md` that a scan needs.
fn head(content: &[u8]) -> &[u8] {
    let mut length = HEAD_BYTES;
    loop {
        let bytes = &content[..length.min(content.len())];
        let is_whole_file = bytes.len() == content.len();
        match summarize(Head { bytes, is_whole_file }, None, Profile::Lenient) {
            Summarized::NeedsBytes(_) if !is_whole_file && length < MAX_FILE_BYTES => {
                length += HEAD_BYTES;
            }
            _ => return bytes,
        }
    }
}
