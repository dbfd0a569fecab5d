//! The previous scan, as a source receives it.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, PreviousScan, ScanSink, ScanSummary, SkillSource, SourceError, Stamp, Trust,
};
use prowess_testkit::{OverriddenSource, SourceOverrides};

use crate::fixture::{Changing, registry, skill_md};

/// A source whose list of packages has a stamp. It records what it receives of earlier scans.
#[derive(Default)]
struct Listed {
    inner: Changing,
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

impl SourceOverrides for Listed {
    fn inner(&self) -> &dyn SkillSource {
        &self.inner
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let packages =
            previous.packages_from(0).map(|(package, stamp)| (package.to_owned(), stamp));
        let received = (previous.listing(), packages.collect());
        self.received.lock().expect("the lock is not poisoned").push(received);
        self.inner.scan(previous, sink, cancel)?;
        Ok(ScanSummary { listing: *self.listing.lock().expect("the lock is not poisoned") })
    }
}

#[test]
fn source_receives_its_previous_scan() {
    let source = Arc::new(OverriddenSource(Listed::default()));
    source.inner.set("bad", "nonsense", 1);
    source.inner.set("good", skill_md("good", "It."), 1);
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
