//! Tests of the codes of errors, which are declared, and of their texts.

use std::collections::BTreeSet;

use prowess_core::{
    RemoteError, RemoteErrorKind, SessionError, SessionId, SourceError, SourceErrorKind,
    StoreError, codes,
};

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
        SessionError::Store(StoreError::new("the disk is full")),
    ];
    let mut used: BTreeSet<_> = sessions.iter().map(SessionError::code).collect();
    used.extend(SourceErrorKind::ALL.map(SourceErrorKind::as_str));
    let away = StoreError { retry_after: Some(std::time::Duration::ZERO), ..StoreError::new("") };
    used.insert(SessionError::Store(away).code());
    used.insert(SessionId::new("").unwrap_err().code());
    let changed = codes::PACKAGE_CHANGED;
    used.insert(changed.as_str());
    let declared: BTreeSet<_> = codes::ALL.iter().map(|entry| entry.code.as_str()).collect();
    assert_eq!(used, declared);
}

#[test]
fn errors_of_sources_are_shown_by_their_message() {
    let message = "there is no `a.md`";
    assert_eq!(SourceError::new(SourceErrorKind::NotFound, message).to_string(), message);
    assert_eq!(RemoteError::new(RemoteErrorKind::NotFound, message).to_string(), message);
}
