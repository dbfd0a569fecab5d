//! Artifacts in quarantine.

use std::fs;

use prowess_core::Digest;
use prowess_store::{Quarantined, StoreError};

use crate::Place;

#[test]
fn artifact_is_kept_until_it_is_released() {
    let place = Place::new();
    let change = place.store.begin().unwrap();
    let artifact = Digest::of(b"other bytes");
    let note = Quarantined {
        id: "pdf".to_owned(),
        source: "https://example.com".to_owned(),
        revision: "1.0.0".to_owned(),
        expected: Digest::of(b"bytes"),
        artifact,
    };
    change.quarantine(&note, b"other bytes").unwrap();
    assert_eq!(place.store.quarantined().unwrap(), std::slice::from_ref(&note));
    assert_eq!(change.release(&artifact).unwrap(), (note, b"other bytes".to_vec()));
    assert_eq!(place.store.quarantined().unwrap(), []);
    assert_eq!(change.release(&artifact), Err(StoreError::NotInQuarantine(artifact)));
}

#[test]
fn changed_artifact_is_not_released() {
    let place = Place::new();
    let change = place.store.begin().unwrap();
    let artifact = Digest::of(b"other bytes");
    let note = Quarantined {
        id: "pdf".to_owned(),
        source: String::new(),
        revision: String::new(),
        expected: artifact,
        artifact,
    };
    change.quarantine(&note, b"other bytes").unwrap();
    for entry in fs::read_dir(place.directory.path().join("store/quarantine")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "artifact") {
            fs::write(path, "third bytes").unwrap();
        }
    }
    assert_eq!(change.release(&artifact), Err(StoreError::Changed(artifact, vec![])));
}
