//! The previous scan, as a source receives it.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, Found, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, SourceErrorKind, Stamp, Trust,
};

use crate::fixture::{registry, skill_md};

/// A source whose list of packages has a stamp. It records what it receives of earlier scans.
#[derive(Default)]
struct Listed {
    listing: Mutex<Option<Stamp>>,
    received: Mutex<Vec<Previous>>,
}

/// The stamp of the list of packages, and the packages with their stamps.
type Previous = (Option<Stamp>, Vec<(String, Option<Stamp>)>);

impl Listed {
    fn set_listing(&self, number: u64) {
        *self.listing.lock().expect("the lock is not poisoned") = Some(stamp(number));
    }

    fn last_received(&self) -> Previous {
        let mut received = self.received.lock().expect("the lock is not poisoned");
        received.pop().expect("the source was scanned")
    }
}

fn stamp(number: u64) -> Stamp {
    Stamp::from_bits(NonZeroU64::new(number).expect("the number is not zero"))
}

impl SkillSource for Listed {
    fn name(&self) -> &str {
        "listed"
    }

    fn root(&self) -> &str {
        "listed://"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let packages =
            previous.packages_from(0).map(|(package, stamp)| (package.to_owned(), stamp));
        let received = (previous.listing(), packages.collect());
        self.received.lock().expect("the lock is not poisoned").push(received);
        for (package, text) in [("bad", "nonsense".to_owned()), ("good", skill_md("good", "It."))] {
            if previous.stamp(package).is_some() {
                sink.unchanged(package);
                continue;
            }
            sink.found(Found {
                package,
                file: "SKILL.md",
                stamp: Some(stamp(1)),
                size: None,
                head: text.as_bytes(),
                is_whole_file: true,
            });
        }
        Ok(ScanSummary { listing: *self.listing.lock().expect("the lock is not poisoned") })
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        _package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        Err(SourceError::new(SourceErrorKind::NotFound, "there is no such file"))
    }
}

#[test]
fn source_receives_its_previous_scan() {
    let source = Arc::new(Listed::default());
    let registry = registry(vec![("user", Trust::Trusted, source.clone())]);
    source.set_listing(5);
    registry.reload();
    assert_eq!(source.last_received(), (None, Vec::new()), "there was no scan before");
    let packages = ["good", "bad"].map(|package| (package.to_owned(), Some(stamp(1)))).to_vec();
    registry.reload();
    assert_eq!(source.last_received(), (Some(stamp(5)), packages.clone()));

    source.set_listing(6);
    registry.reload();
    assert_eq!(source.last_received(), (Some(stamp(5)), packages.clone()));
    registry.reload();
    assert_eq!(source.last_received(), (Some(stamp(6)), packages), "the newest stamp is kept");
}
