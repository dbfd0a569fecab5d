//! A source whose skills change with each scan, for tests of readers that run meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{
    Cancel, Catalog, Found, Listing, PackagePath, PreviousScan, ReadLimit, Record, ResourcePath,
    ScanSink, ScanSummary, SkillSource, SourceError, SourceErrorKind, Stamp,
};

/// The number of skills of each version.
const SKILLS: usize = 1_000;

/// The number of skills that differ in each version: the first, the last, and some between.
const CHANGING: usize = 8;

/// A source in which some skills differ in each scan: their descriptions contain the number of the
/// scan, and so does the name of one. The others are unchanged, so that ten thousand reloads take
/// seconds.
#[derive(Debug, Default)]
pub struct VersionedSource(AtomicU64);

fn is_changing(number: usize) -> bool {
    number % (SKILLS / (CHANGING - 1)) == 1
}

impl SkillSource for VersionedSource {
    fn name(&self) -> &str {
        "versions"
    }

    fn root(&self) -> &str {
        "versions://"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let version = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut report = |name: &str, text: &str, stamp: Option<Stamp>| {
            if stamp.is_some() && previous.stamp(name) == stamp {
                return sink.unchanged(name);
            }
            let text = format!("---\nname: {name}\ndescription: {text}\n---\nBody of {name}\n");
            let head = text.as_bytes();
            let (file, size) = ("SKILL.md", None);
            let found = Found { package: name, file, stamp, size, head, is_whole_file: true };
            sink.found(found);
        };
        let stamp = Some(Stamp::exact(1));
        for number in 1..SKILLS {
            let name = format!("skill-{number:03}");
            match is_changing(number) {
                true => report(&name, &version.to_string(), None),
                false => report(&name, "Stays as it is.", stamp),
            }
        }
        report(&format!("version-{version}"), &version.to_string(), None);
        Ok(ScanSummary::default())
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Ok(Listing::default())
    }

    fn read(
        &self,
        _package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Err(SourceError::new(SourceErrorKind::NotFound, "no file is read"))
    }
}

impl VersionedSource {
    /// Checks that a catalog of this source alone is complete, and that its changing skills are of
    /// the version of its generation.
    pub fn check(catalog: &Catalog) {
        let version = catalog.generation().to_string();
        assert_eq!(catalog.len(), SKILLS, "the catalog is complete");
        let is_of_version = |skill: Record<'_>| skill.description() == version;
        let changing = catalog.skills().filter(|skill| skill.description() != "Stays as it is.");
        assert_eq!(changing.clone().count(), CHANGING + 1, "each skill occurs once");
        assert!(changing.into_iter().all(is_of_version), "all skills are of one version");
        let named = catalog.get(&format!("version-{version}"));
        assert!(named.is_some_and(is_of_version), "lookups have the same version as the list");
    }
}
