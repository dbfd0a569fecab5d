//! Records, in groups that are read at once.

use prowess_core::{Digest, SKILL_MD_FILES};

use crate::CatalogFileError;
use crate::bytes::{Bytes, put_count, put_text};
use crate::error::SHORT;
use crate::header::Part;

/// One skill of a catalog file, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// The id, as a model writes it.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The description: what the skill does and when to use it.
    pub description: String,
    /// Tags to filter and search by.
    pub tags: Vec<String>,
    /// The author's version.
    pub version: Option<String>,
    /// The path of the package in its source.
    pub package: String,
    /// Whether a host has to check more before it offers the skill: an audience, a requirement, or
    /// a rule of the publisher that has hidden it. Only a registry over the source does.
    pub is_conditional: bool,
    pub(crate) priority: i16,
    pub(crate) is_lower_case_file: bool,
    /// The size and the digest of the `SKILL.md`.
    pub(crate) skill_md: (u64, Digest),
    pub(crate) details: Part,
}

const LOWER_CASE_FILE: u8 = 1;
const CONDITIONAL: u8 = 2;
const VERSION: u8 = 4;

impl CatalogEntry {
    /// Returns the name of the skill's file.
    pub(crate) fn file(&self) -> &'static str {
        SKILL_MD_FILES[usize::from(self.is_lower_case_file)]
    }

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
        bytes.push(
            flag(self.is_lower_case_file, LOWER_CASE_FILE)
                | flag(self.is_conditional, CONDITIONAL)
                | flag(self.version.is_some(), VERSION),
        );
        bytes.extend(self.priority.to_le_bytes());
        for text in [&self.id, &self.name, &self.description, &self.tags.join("\n"), &self.package]
        {
            put_text(bytes, text);
        }
        self.version.iter().for_each(|version| put_text(bytes, version));
        bytes.extend(self.skill_md.0.to_le_bytes());
        bytes.extend(self.skill_md.1.as_bytes());
        self.details.put(bytes);
    }

    fn take(rest: &mut Bytes<'_>) -> Result<Self, CatalogFileError> {
        let flags = rest.u8()?;
        let priority = i16::from_le_bytes(rest.array()?);
        let (id, name) = (rest.text()?.to_owned(), rest.text()?.to_owned());
        let description = rest.text()?.to_owned();
        let tags = rest.text()?.split('\n').filter(|tag| !tag.is_empty()).map(str::to_owned);
        Ok(Self {
            id,
            name,
            description,
            tags: tags.collect(),
            package: rest.text()?.to_owned(),
            version: if flags & VERSION == 0 { None } else { Some(rest.text()?.to_owned()) },
            is_conditional: flags & CONDITIONAL != 0,
            priority,
            is_lower_case_file: flags & LOWER_CASE_FILE != 0,
            skill_md: (rest.u64()?, rest.digest()?),
            details: Part::take(rest)?,
        })
    }
}

impl Bytes<'_> {
    pub(crate) fn digest(&mut self) -> Result<Digest, CatalogFileError> {
        Ok(Digest::from_bytes(self.array()?))
    }
}

/// Consecutive records: so many that the index is small, so few that one is read at once.
pub(crate) struct Group<'b> {
    /// The ends of the records in `records`.
    ends: &'b [[u8; 4]],
    records: &'b [u8],
}

impl<'b> Group<'b> {
    pub(crate) const RECORDS: usize = 32;

    pub(crate) fn write(entries: &[CatalogEntry]) -> Vec<u8> {
        let (mut bytes, mut records) = (Vec::new(), Vec::new());
        put_count(&mut bytes, entries.len());
        for entry in entries {
            entry.put(&mut records);
            put_count(&mut bytes, records.len());
        }
        bytes.extend(records);
        bytes
    }

    pub(crate) fn read(bytes: &'b [u8]) -> Result<Self, CatalogFileError> {
        let mut rest = Bytes(bytes);
        let count = rest.u32()? as usize;
        if count > Self::RECORDS {
            return Err(SHORT);
        }
        let ends = rest.take(count * 4)?.as_chunks().0;
        Ok(Self { ends, records: rest.0 })
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn entry(&self, slot: usize) -> Result<CatalogEntry, CatalogFileError> {
        CatalogEntry::take(&mut self.record(slot)?)
    }

    /// Finds an id among the first `offered` records, which are sorted.
    pub(crate) fn find(&self, id: &str, offered: usize) -> Result<Option<usize>, CatalogFileError> {
        let (mut low, mut high) = (0, self.len().min(offered));
        while low < high {
            let middle = usize::midpoint(low, high);
            let mut record = self.record(middle)?;
            record.take(3)?;
            match record.text()?.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn record(&self, slot: usize) -> Result<Bytes<'b>, CatalogFileError> {
        let end = |slot: usize| self.ends.get(slot).map(|end| u32::from_le_bytes(*end) as usize);
        let start = slot.checked_sub(1).map_or(Some(0), end).ok_or(SHORT)?;
        let end = end(slot).ok_or(SHORT)?;
        self.records.get(start..end).map(Bytes).ok_or(SHORT)
    }
}
