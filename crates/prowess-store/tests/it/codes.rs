//! The codes of refused archives.

use std::collections::BTreeSet;

use prowess_archive::RefusalKind;
use prowess_core::RemoteErrorKind;
use prowess_store::codes;

#[test]
fn every_refusal_has_a_declared_code() {
    let declared = codes::ALL.iter().map(|entry| entry.code.as_str());
    let declared: BTreeSet<_> = declared.filter(|code| code.starts_with("archive-")).collect();
    let kinds: BTreeSet<_> = RefusalKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(declared, kinds);
    assert_eq!(kinds.len(), RefusalKind::ALL.len(), "no two kinds have one code");
}

#[test]
fn every_error_of_a_remote_has_a_declared_code() {
    for kind in RemoteErrorKind::ALL {
        assert!(codes::ALL.iter().any(|entry| entry.code.as_str() == kind.as_str()), "{kind:?}");
    }
}
