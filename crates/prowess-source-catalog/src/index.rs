//! The index: what is read when a file is opened.

use crate::CatalogFileError;
use crate::bytes::{Bytes, put_count, put_text};
use crate::header::{Header, Part};
use crate::pages::Pages;
use crate::record::Group;

/// The number of entries of a page of the table of packages.
pub(crate) const PACKAGES_PER_PAGE: usize = 256;

/// Where every part is.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) name: Box<str>,
    pub(crate) groups: Pages,
    first_ids: FirstIds,
    /// The table of packages, and the first key of each page.
    pub(crate) packages: Pages,
    package_keys: Box<[u64]>,
    /// The lists of the ranker.
    pub(crate) lists: Pages,
}

/// The first id of each group, in one text.
#[derive(Debug, Default)]
struct FirstIds {
    text: String,
    ends: Vec<u32>,
}

/// The parts that an [`Index`] is written from.
#[derive(Default)]
pub(crate) struct IndexParts {
    pub(crate) groups: Vec<(Part, String)>,
    pub(crate) packages: Vec<(Part, u64)>,
    pub(crate) lists: Vec<Part>,
}

impl IndexParts {
    pub(crate) fn write(&self, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_text(&mut bytes, name);
        put_count(&mut bytes, self.groups.len());
        for (part, first) in &self.groups {
            part.put(&mut bytes);
            put_text(&mut bytes, first);
        }
        put_count(&mut bytes, self.packages.len());
        for (part, key) in &self.packages {
            part.put(&mut bytes);
            bytes.extend(key.to_le_bytes());
        }
        put_count(&mut bytes, self.lists.len());
        self.lists.iter().for_each(|part| part.put(&mut bytes));
        bytes
    }
}

impl Index {
    pub(crate) fn read(bytes: &[u8], header: &Header) -> Result<Self, CatalogFileError> {
        let mut rest = Bytes(bytes);
        let name = rest.text()?.into();
        let (count, mut first_ids) = (rest.u32()? as usize, FirstIds::default());
        let groups = rest.items(count, |rest| {
            let part = Part::take(rest)?;
            first_ids.push(rest.text()?);
            Ok(part)
        })?;
        let count = rest.u32()? as usize;
        let packages = rest.items(count, |rest| Ok((Part::take(rest)?, rest.u64()?)))?;
        let count = rest.u32()? as usize;
        let lists = Pages::new(rest.items(count, Part::take)?);
        let (packages, keys): (Vec<_>, Vec<_>) = packages.into_iter().unzip();
        let index = Self {
            name,
            groups: Pages::new(groups),
            first_ids,
            packages: Pages::new(packages),
            package_keys: keys.into(),
            lists,
        };
        let is_whole = rest.0.is_empty()
            && index.groups.len() == (header.packages as usize).div_ceil(Group::RECORDS)
            && index.packages.len() == (header.packages as usize).div_ceil(PACKAGES_PER_PAGE)
            && index.package_keys.is_sorted();
        is_whole.then_some(index).ok_or(CatalogFileError::Damaged("its index is incomplete"))
    }

    /// Returns the group that has an id among the first groups, if any has.
    pub(crate) fn group_of(&self, id: &str, offered: usize) -> Option<usize> {
        let groups = offered.div_ceil(Group::RECORDS).min(self.first_ids.ends.len());
        let (mut low, mut high) = (0, groups);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.first_ids.get(middle) <= id { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1)
    }

    /// Returns the pages of the table of packages that may have a key.
    pub(crate) fn pages_of(&self, key: u64) -> std::ops::Range<usize> {
        let start = self.package_keys.partition_point(|&first| first < key);
        start.saturating_sub(1)..self.package_keys.partition_point(|&first| first <= key)
    }
}

impl FirstIds {
    fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..self.ends[number] as usize).unwrap_or_default()
    }
}
