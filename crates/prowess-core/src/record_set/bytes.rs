//! Serialises a set, for the record cache on disk.
//!
//! Numbers come first, then the set's own texts as they lie in memory, then those of the findings.
//! Whole texts are read into their final allocation, and checked for UTF-8 at once. Nothing that is
//! read is trusted: each length is checked, and a package's path must be in normal form, because
//! any other could lead out of its source.

mod findings;
mod parts;

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use super::builder::package_tail;
use super::entries::EntriesBuilder;
use super::texts::{Slice, Texts};
use super::{Entry, RecordSet, Rejected, Text};
use crate::PackagePath;
use findings::{read_diagnostic, write_diagnostic};
use parts::{Parts, Reader, Writer};

impl RecordSet {
    /// Serialises the set, to be read by [`Self::read_from`] of the same version of this crate.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.length(self.len());
        (0..self.len()).for_each(|index| self.write_record(index, &mut writer));
        writer.length(self.rejected.len());
        for rejected in &self.rejected {
            writer.text(&rejected.package);
            writer.stamp(rejected.stamp);
        }
        writer.stamp(self.listing);
        writer.length(self.diagnostics.len());
        self.diagnostics.iter().for_each(|found| write_diagnostic(found, &mut writer));
        writer.finish()
    }

    /// Reads a set that [`Self::to_bytes`] wrote. `length` is the true number of bytes, which
    /// limits the allocations.
    ///
    /// # Errors
    ///
    /// The bytes are not a serialised set, or reading them fails.
    pub fn read_from(reader: &mut impl Read, length: u64) -> io::Result<Self> {
        let parts = Parts::read(reader, length)?;
        let set = Self::without_texts(parts.reader()).ok_or(ErrorKind::InvalidData)?;
        let [names, texts] = [parts.names, parts.texts].map(|text| Texts::packed(text, set.len()));
        Ok(Self { names, texts, ..set })
    }

    fn without_texts(mut reader: Reader<'_>) -> Option<Self> {
        let records = reader.length()?;
        let mut entries = EntriesBuilder::default();
        for _ in 0..records {
            read_record(&mut entries, &mut reader)?;
        }
        let rejected = (0..reader.length()?)
            .map(|_| Some(Rejected { package: reader.package()?.into(), stamp: reader.stamp()? }));
        let rejected = rejected.collect::<Option<_>>()?;
        let listing = reader.stamp()?;
        let diagnostics = (0..reader.length()?).map(|_| read_diagnostic(&mut reader).map(Arc::new));
        let diagnostics = diagnostics.collect::<Option<_>>()?;
        let entries = entries.finish();
        let read = Self { entries, rejected, listing, diagnostics, ..Self::default() };
        reader.is_at_end().then_some(read)
    }

    fn write_record(&self, index: usize, writer: &mut Writer) {
        let package = self.package(index);
        let name = self.name(index);
        let id = self.id(index);
        let is_name_the_directory = package_tail(package, name).is_some();
        let is_id_the_name = id == name;
        let conditions =
            self.conditions(index).and_then(|said| serde_json::to_string(&**said).ok());
        let is_other_file = self.file(index) != prowess_format::SKILL_MD_FILES[0];
        let version = self.version(index);
        writer.flags([
            is_name_the_directory,
            is_id_the_name,
            is_other_file,
            conditions.is_some(),
            version.is_some(),
        ]);
        writer.stamp(self.stamp(index));
        writer.numbers.extend(self.priority(index).to_le_bytes());
        writer.name(package);
        writer.length(name.len());
        if !is_name_the_directory {
            writer.names.push_str(name);
        }
        if !is_id_the_name {
            writer.name(id);
        }
        writer.own(self.description(index));
        writer.own(self.text(index, Text::Tags));
        if let Some(version) = version {
            writer.own(version);
        }
        if let Some(conditions) = conditions {
            writer.text(&conditions);
        }
    }
}

fn read_record(entries: &mut EntriesBuilder, reader: &mut Reader<'_>) -> Option<()> {
    let [is_name_the_directory, is_id_the_name, is_lower_case_file, has_conditions, has_version] =
        reader.flags()?;
    let stamp = reader.stamp()?;
    let priority = i16::from_le_bytes(reader.number()?);
    let (package, path) = reader.name()?;
    let length = reader.length()?;
    let name = if is_name_the_directory {
        directory(package, path, length)?
    } else {
        reader.names.cut(length)?.0
    };
    let id = if is_id_the_name { name } else { reader.name()?.0 };
    let description = reader.own()?;
    let tags = reader.own()?;
    let version = if has_version { Some(reader.own()?) } else { None };
    let conditions = if has_conditions {
        Some(Arc::new(serde_json::from_str(reader.text()?).ok()?))
    } else {
        None
    };
    let texts = [package, name, id, description, tags];
    let entry = Entry {
        stamp,
        starts: texts.map(|slice| slice.start),
        lengths: texts.map(|slice| slice.length),
        priority,
        is_lower_case_file,
    };
    entries.push(entry, conditions, version);
    PackagePath::is_normal(path).then_some(())
}

/// Returns the last part of a package's path, if it has this length.
fn directory(package: Slice, path: &str, length: usize) -> Option<Slice> {
    let name = path.get(path.len().checked_sub(length)?..)?;
    let start = package.start + package_tail(path, name)?;
    Some(Slice { start, length: u16::try_from(length).ok()? })
}
