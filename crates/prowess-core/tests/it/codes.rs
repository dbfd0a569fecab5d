//! Tests that the codes of errors are declared.

use std::collections::BTreeSet;

use prowess_core::{SessionError, SessionId, SourceErrorKind, StoreError, codes};

#[test]
fn errors_have_declared_codes() {
    let id = SessionId::new("one").expect("a valid id");
    let sessions = [
        SessionError::TooManySkills { wanted: 2, cap: 1 },
        SessionError::AlreadyActive("pdf".into()),
        SessionError::NotOnTop("pdf".into()),
        SessionError::NothingActive,
        SessionError::NotAllowed("pdf".into()),
        SessionError::NotFound(id.clone()),
        SessionError::Contended(id),
        SessionError::Store(StoreError("the disk is full".into())),
    ];
    let mut used: BTreeSet<_> = sessions.iter().map(SessionError::code).collect();
    used.extend(SourceErrorKind::ALL.map(SourceErrorKind::as_str));
    used.insert(SessionId::new("").unwrap_err().code());
    let changed = codes::PACKAGE_CHANGED;
    used.insert(changed.as_str());
    let declared: BTreeSet<_> = codes::ALL.iter().map(|entry| entry.code.as_str()).collect();
    assert_eq!(used, declared);
}
