//! Reads and lists for models and other machines, which get no credentials.

use std::collections::BTreeMap;

use super::{Catalog, Record};
use crate::withheld::withheld_part;
use crate::{
    Listing, MachineDirectories, ReadLimit, Resource, ResourcePath, SourceError, SourceErrorKind,
    withheld_content, withheld_path,
};

/// How many bytes of files are looked at before they are listed.
const MOST_LOOKED_AT: usize = 256 << 10;

impl Catalog {
    /// Reads a file as [`Self::read`] does, for a model or another machine: one that may hold
    /// credentials is withheld. The `SKILL.md` never is.
    ///
    /// # Errors
    ///
    /// As for [`read`](crate::SkillSource::read) of a source, or the file is withheld.
    pub fn read_public(
        &self,
        record: Record<'_>,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let withheld = |reason: &str| {
            let message = format!("`{resource}` {reason}, and is not shown");
            SourceError::new(SourceErrorKind::Denied, message)
        };
        if let Some(reason) = self.withheld(record, resource) {
            return Err(withheld(reason));
        }
        let content = self.read(record, resource, limit)?;
        if resource.as_str() == record.file() {
            return Ok(content);
        }
        withheld_content(resource.as_str(), &content)
            .map_or(Ok(content), |reason| Err(withheld(reason)))
    }

    /// Returns why a file is withheld by its path, or by an environment or cache around it.
    pub fn withheld(&self, record: Record<'_>, resource: &ResourcePath) -> Option<&'static str> {
        let is_file = |path: &str| {
            let path = ResourcePath::new(path).ok();
            let read = path.map(|path| self.read(record, &path, ReadLimit(0)));
            read.is_some_and(|it| {
                it.map_or_else(|it| it.kind == SourceErrorKind::TooLarge, |_| true)
            })
        };
        let around = || {
            let machine = MachineDirectories::around_file(resource.as_str(), is_file);
            machine.around(resource.as_str()).map(|(_, reason)| reason)
        };
        withheld_path(resource.as_str()).or_else(around)
    }

    /// Lists files as [`Self::list`] does, without those that are withheld by their path.
    ///
    /// # Errors
    ///
    /// As for [`list`](crate::SkillSource::list) of a source.
    pub fn list_public(&self, record: Record<'_>, most: usize) -> Result<Listing, SourceError> {
        Ok(self.list_apart(record, most)?.0)
    }

    /// Lists files as [`Self::list_public`] does, and returns what is left out, with the reasons.
    /// Of the first files, as many as have 256 KiB, those are left out too that are withheld by
    /// their contents.
    ///
    /// # Errors
    ///
    /// As for [`list`](crate::SkillSource::list) of a source.
    pub fn list_shown(
        &self,
        record: Record<'_>,
        most: usize,
    ) -> Result<(Listing, BTreeMap<String, &'static str>), SourceError> {
        let (mut listing, mut left_out) = self.list_apart(record, most)?;
        let mut left = MOST_LOOKED_AT;
        listing.resources.retain(|Resource { path, bytes }| {
            let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
            let Some(rest) = left.checked_sub(bytes) else { return true };
            left = rest;
            let is_other = path.as_str() != record.file();
            let content =
                is_other.then(|| self.read(record, path, ReadLimit(bytes)).ok()).flatten();
            let reason = content.and_then(|content| withheld_content(path.as_str(), &content));
            left_out.extend(reason.map(|reason| (path.to_string(), reason)));
            reason.is_none()
        });
        Ok((listing, left_out))
    }

    /// Lists files, and apart from them what is withheld by its path: a file, or a directory with
    /// all that is in it.
    fn list_apart(
        &self,
        record: Record<'_>,
        most: usize,
    ) -> Result<(Listing, BTreeMap<String, &'static str>), SourceError> {
        // Caches are left out before the limit counts, as far as the double of it goes.
        let mut listing = self.list(record, most.saturating_mul(2))?;
        let paths = listing.resources.iter().map(|resource| resource.path.as_str());
        let machine = MachineDirectories::of(paths);
        let mut left_out = BTreeMap::new();
        listing.resources.retain(|resource| {
            let path = resource.path.as_str();
            let around = || machine.around(path).map(|(it, reason)| (format!("{it}/"), reason));
            let withheld = withheld_part(path).map(|(part, reason)| (part.to_owned(), reason));
            let withheld = withheld.or_else(around);
            let is_public = withheld.is_none();
            left_out.extend(withheld);
            is_public
        });
        listing.is_complete &= listing.resources.len() <= most;
        listing.resources.truncate(most);
        Ok((listing, left_out))
    }
}
