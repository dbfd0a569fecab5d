//! The trust store and its file.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use expect_test::expect_file;
use prowess_core::{Digest, Timestamp};
use prowess_plugin_host::{
    Inspection, Manifest, Older, Pinned, PluginError, PluginErrorKind, SignedOffBy, TrustError,
    TrustStore, inspect,
};
use tempfile::TempDir;

use crate::library::{Library, manifest};

const FILE: &str = "/plugins/notes.so";

pub(crate) fn signed_off_by() -> SignedOffBy {
    SignedOffBy { who: "ada".into(), when: Timestamp(1_795_311_600_000) }
}

fn described(version: &str) -> Inspection {
    let manifest = Manifest { version: version.into(), ..manifest() };
    inspect(Path::new(FILE), &Library::new(&manifest).build()).unwrap()
}

fn pin(store: &mut TrustStore, version: &str, older: Older) -> Result<(), PluginError> {
    let digest = Digest::of(version.as_bytes());
    store.pin(Path::new(FILE), digest, &described(version), &signed_off_by(), older).map(drop)
}

/// Creates a trust store file with one pin.
fn stored() -> (TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("deep/plugins.json");
    TrustStore::update(&path, |store| pin(store, "1.2.0", Older::Refuse).map_err(TrustError::from))
        .expect("the store is written");
    (place, path)
}

#[test]
fn store_file_is_private() {
    let (_place, path) = stored();
    let mode = path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "only the owner may access the file");
    let written = std::fs::read_to_string(&path).unwrap();
    let target = &manifest().target;
    expect_file!["../data/trust.txt"].assert_eq(&written.replace(target, "TARGET"));
    let store = TrustStore::read(&path).unwrap();
    assert_eq!(store.pins[0].pinned_at, signed_off_by().when, "the time survives a round trip");
}

#[test]
fn missing_file_is_an_empty_store() {
    let place = tempfile::tempdir().unwrap();
    let store = TrustStore::read(&place.path().join("none.json")).unwrap();
    assert_eq!(store, TrustStore::default(), "nothing is trusted by default");
}

#[test]
fn damaged_store_is_an_error_and_not_overwritten() {
    let whole = std::fs::read_to_string(stored().1).unwrap();
    for text in [
        "",
        "{",
        &whole[..whole.len() / 2],
        &whole.replace("\"form\": 1", "\"form\": 2"),
        &whole.replace("sha256:", "md5:"),
        &whole.replace("1.2.0", "one"),
        &whole.replace("\"keys\"", "\"more\": 1, \"keys\""),
        &whole.replace("2026-", "then-"),
    ] {
        let (_place, path) = stored();
        std::fs::write(&path, text).unwrap();
        let refused = TrustStore::read(&path).expect_err("a damaged store is not read");
        assert!(refused.to_string().contains("so no plugin is trusted"), "{refused}");
        TrustStore::update(&path, |_| Ok::<_, TrustError>(()))
            .expect_err("a damaged store is not changed");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the file is unchanged");
    }
}

#[test]
fn store_writable_by_others_is_an_error() {
    for mode in [0o620, 0o602, 0o666] {
        let (_place, path) = stored();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let refused = TrustStore::read(&path).expect_err("other users may have changed it");
        assert!(refused.to_string().contains("others may write to it"), "{refused}");
    }
    let (place, path) = stored();
    let link = place.path().join("link.json");
    symlink(&path, &link).unwrap();
    TrustStore::read(&link).expect_err("a link is refused");
}

#[test]
fn refused_change_leaves_the_file_unchanged() {
    let (_place, path) = stored();
    let before = std::fs::read_to_string(&path).unwrap();
    let change = |store: &mut TrustStore| pin(store, "1.1.0", Older::Refuse);
    TrustStore::update(&path, |store| change(store).map_err(TrustError::from))
        .expect_err("an older version is refused");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "the file is unchanged");
}

#[test]
fn two_concurrent_pins_are_both_kept() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("plugins.json");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let manifest = Manifest { name: format!("notes-{number}"), ..manifest() };
                let inspection =
                    inspect(Path::new(FILE), &Library::new(&manifest).build()).unwrap();
                let digest = Digest::of(&[number]);
                TrustStore::update(path, |store| {
                    let older = Older::Refuse;
                    let pinned =
                        store.pin(Path::new(FILE), digest, &inspection, &signed_off_by(), older);
                    pinned.map_err(TrustError::from)
                })
                .expect("the store is written");
            });
        }
    });
    let store = TrustStore::read(&path).unwrap();
    assert_eq!(store.pins.len(), 8, "no pin is lost");
}

#[test]
fn older_version_needs_explicit_permission() {
    let mut store = TrustStore::default();
    pin(&mut store, "1.10.0", Older::Refuse).unwrap();
    let refused = pin(&mut store, "1.9.0", Older::Refuse).expect_err("1.9 is older than 1.10");
    assert_eq!(refused.kind, PluginErrorKind::Rollback, "{refused}");
    assert!(
        refused.reason.contains("is version 1.9.0 of `notes`, but 1.10.0 is trusted"),
        "{refused}"
    );
    assert!(refused.help.contains("allow the older one"), "{}", refused.help);
    pin(&mut store, "1.9.0", Older::Allow).expect("an older version is allowed");
    let versions: Vec<_> = store.pins.iter().map(|pin| pin.version.to_string()).collect();
    assert_eq!(versions, ["1.9.0"], "the newer pin is replaced");
}

#[test]
fn revocations_are_stored() {
    let mut store = TrustStore::default();
    pin(&mut store, "1.2.0", Older::Refuse).unwrap();
    assert_eq!(store.revoke("other", signed_off_by().when), [], "another name revokes nothing");
    let revoked = store.revoke("notes", signed_off_by().when);
    assert_eq!(revoked.len(), 1, "the pin is revoked: {revoked:?}");
    assert_eq!(store.pins[0].revoked_at, Some(signed_off_by().when), "the revocation is stored");
    assert_eq!(store.revoke("notes", signed_off_by().when), [], "a pin is revoked once");
    pin(&mut store, "1.2.0", Older::Refuse).expect("a revoked file may be pinned again");
    assert_eq!(store.pins.len(), 1, "the new pin replaces the revoked one");
    assert_eq!(store.pins[0].revoked_at, None, "the new pin is not revoked");
}

/// Pins a version at a path.
fn pin_at(store: &mut TrustStore, file: &str, version: &str) -> Pinned {
    let (file, digest) = (Path::new(file), Digest::of(version.as_bytes()));
    let pinned = store.pin(file, digest, &described(version), &signed_off_by(), Older::Refuse);
    pinned.expect("the version is newer")
}

#[test]
fn second_build_leaves_the_first_trusted() {
    let mut store = TrustStore::default();
    let first = pin_at(&mut store, "/plugins/notes.so", "1.2.0");
    let second = pin_at(&mut store, "/other/notes.so", "1.3.0");
    assert_eq!(second.others, std::slice::from_ref(&first.pin), "it names the build that stays");
    assert_eq!(store.pins, [first.pin, second.pin], "both may run");
}

#[test]
fn pin_of_the_same_path_is_replaced() {
    let mut store = TrustStore::default();
    let first = pin_at(&mut store, FILE, "1.2.0");
    let second = pin_at(&mut store, FILE, "1.3.0");
    assert_eq!(second.replaced, [first.pin], "the result names the replaced pin");
    assert_eq!(store.pins, [second.pin], "only the new pin is left");
}

#[test]
fn revoking_a_name_revokes_every_pinned_build() {
    let mut store = TrustStore::default();
    pin_at(&mut store, "/plugins/notes.so", "1.2.0");
    pin_at(&mut store, "/other/notes.so", "1.3.0");
    assert_eq!(store.revoke("notes", signed_off_by().when).len(), 2, "both are revoked");
    assert!(store.pins.iter().all(|pin| pin.revoked_at.is_some()), "none may run");
}

#[test]
fn fifo_for_the_lock_file_does_not_block() {
    let (_place, path) = stored();
    let lock = path.with_file_name("plugins.json.lock");
    std::fs::remove_file(&lock).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&lock).status();
    assert!(made.expect("the system has `mkfifo`").success(), "a FIFO can be made");
    TrustStore::update(&path, |_| Ok::<_, TrustError>(())).expect_err("a FIFO is not a lock file");
}
