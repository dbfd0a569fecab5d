//! Sources that are followed while a host runs.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::Timestamp;
use prowess_store::{Growth, LiveOptions, LiveSource, SignerRules};
use prowess_testkit::{ManualClock, ScanRecorder};

use crate::Place;
use crate::install::{PDF, Shelf};

/// A source that follows `site`, where a skill was published.
struct Following {
    shelf: Arc<Shelf>,
    clock: Arc<ManualClock>,
    source: LiveSource,
    _place: Place,
}

impl Following {
    fn new(growth: Growth) -> Self {
        let (place, shelf) = (Place::new(), Arc::new(Shelf::default()));
        shelf.put("site", &[("SKILL.md", PDF)]);
        let clock = Arc::new(ManualClock::at(Timestamp(0)));
        let (store, lock) = (place.store.clone(), place.lock.clone());
        let options = LiveOptions {
            sources: vec!["site".to_owned()],
            interval: Duration::from_secs(60),
            growth,
            signers: SignerRules::default(),
        };
        let source = LiveSource::new(store, lock, shelf.clone(), clock.clone(), options);
        Self { shelf, clock, source, _place: place }
    }

    /// Returns the last lines of the texts that a scan finds after a minute, and the codes of its
    /// reports.
    fn scan(&self) -> (Vec<String>, Vec<String>) {
        self.clock.advance(Duration::from_secs(60));
        let scanned = ScanRecorder::scan(&self.source).unwrap();
        let last = |head: &[u8]| {
            String::from_utf8_lossy(head).lines().last().unwrap_or_default().to_owned()
        };
        let found = scanned.found.iter().map(|found| last(&found.head)).collect();
        (found, scanned.problems.iter().map(|problem| problem.code.to_string()).collect())
    }
}

fn lists(found: &[&str], codes: &[&str]) -> (Vec<String>, Vec<String>) {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    (owned(found), owned(codes))
}

const GROWN: &[(&str, &str)] =
    &[("SKILL.md", "---\nname: pdf\ndescription: Fills.\n---\nTwo\n"), ("run.sh", "#!/bin/sh\n")];

#[test]
fn version_that_can_do_more_waits_for_the_operator() {
    let following = Following::new(Growth::Refuse);
    assert_eq!(following.scan(), lists(&["One"], &[]));
    following.shelf.put("site", GROWN);
    assert_eq!(following.scan(), lists(&["One"], &["surface-grown"]), "the old version stays");
    following.shelf.put("site", &GROWN[..1]);
    assert_eq!(following.scan(), lists(&["Two"], &[]));
}

#[test]
fn operator_may_accept_every_version() {
    let following = Following::new(Growth::Accept);
    assert_eq!(following.scan(), lists(&["One"], &[]));
    following.shelf.put("site", GROWN);
    assert_eq!(following.scan(), lists(&["Two"], &[]));
}

#[test]
fn damaged_version_keeps_the_last_good_one() {
    let following = Following::new(Growth::Refuse);
    assert_eq!(following.scan(), lists(&["One"], &[]));
    following.shelf.put_bytes("site", b"no archive".to_vec());
    assert_eq!(following.scan(), lists(&["One"], &["source-stale"]));
}

#[test]
fn installed_version_is_not_fetched_again() {
    let following = Following::new(Growth::Refuse);
    following.scan();
    let before = following.shelf.fetched();
    assert_eq!(following.scan(), lists(&["One"], &[]));
    assert_eq!(following.shelf.fetched(), before, "the digest says that nothing is new");
}
