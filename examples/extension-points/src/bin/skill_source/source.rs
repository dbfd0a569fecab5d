//! The rules of a source, over the files of a bundle.

use prowess::{
    Cancel, Found, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, SourceErrorKind, Stamp,
};

use super::{BundleSource, error};

type Result<T> = std::result::Result<T, SourceError>;

impl SkillSource for BundleSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary> {
        // A bundle never changes, so every version is the first.
        let stamp = Some(Stamp::exact(1));
        for (package, file, text) in self.skills() {
            if cancel.is_cancelled() {
                return Err(error(SourceErrorKind::Cancelled, "the scan was cancelled"));
            }
            if previous.stamp(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            let head = text.as_bytes();
            sink.found(Found { package, file, stamp, size: None, head, is_whole_file: true });
        }
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing> {
        self.list_files(package.as_str(), most)
    }

    fn read(
        &self,
        package: &PackagePath,
        file: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>> {
        self.read_file(package.as_str(), file.as_str(), limit)
    }
}
