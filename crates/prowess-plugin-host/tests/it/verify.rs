//! Verification of plugin files. None of these tests executes a plugin.

use std::fs::Permissions;
use std::io::Cursor;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::{KeyPair, PublicKey, SecretKey};
use prowess_core::{Digest, HostCommands};
use prowess_plugin_host::{
    Key, Manifest, Older, PluginError, PluginErrorKind, PluginPolicy, Revoked, TrustStore,
    TrustedBy, VerifiedPlugin, inspect, verify,
};
use tempfile::TempDir;

use crate::library::{Library, good, manifest};
use crate::trust::signed_off_by;

/// A plugin directory with one file, and a trust store.
struct Place {
    _directory: TempDir,
    file: PathBuf,
    policy: PluginPolicy,
    trust: TrustStore,
}

impl Place {
    fn new(bytes: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let plugins = directory.path().canonicalize().unwrap().join("plugins");
        std::fs::create_dir(&plugins).unwrap();
        let file = plugins.join("notes.so");
        std::fs::write(&file, bytes).unwrap();
        Self {
            _directory: directory,
            file,
            policy: PluginPolicy::default(),
            trust: TrustStore::default(),
        }
    }

    fn pin(&mut self, bytes: &[u8]) {
        let inspection = inspect(&self.file, bytes).unwrap();
        let digest = Digest::of(bytes);
        self.trust.pin(&self.file, digest, &inspection, &signed_off_by(), Older::Refuse).unwrap();
    }

    /// Signs the file as a release of this name, version and target.
    fn sign(&self, key: &KeyPair, comment: &str) {
        sign(&key.sk, &key.pk, &self.file, comment);
    }

    fn trust_key(&mut self, key: &KeyPair) {
        let text = key.pk.to_box().unwrap().into_string();
        assert!(self.trust.trust_key(Key::parse(&text, &signed_off_by()).unwrap()), "it is new");
    }

    fn verify(&self) -> Result<VerifiedPlugin, PluginError> {
        verify(&self.file, &self.policy, &self.trust)
    }

    #[track_caller]
    fn refused(&self, kind: PluginErrorKind, reason: &str) {
        check(self.verify(), kind, reason);
    }
}

pub(crate) fn sign(secret: &SecretKey, public: &PublicKey, file: &Path, comment: &str) {
    let bytes = Cursor::new(std::fs::read(file).unwrap());
    let signature = minisign::sign(Some(public), secret, bytes, Some(comment), None).unwrap();
    std::fs::write(file.with_extension("so.minisig"), signature.into_string()).unwrap();
}

/// Replaces the key id in the file's signature.
fn renumber(file: &Path, key: &str) {
    let path = file.with_extension("so.minisig");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().nth(1).unwrap();
    let (mut signature, key) = (STANDARD.decode(line).unwrap(), STANDARD.decode(key).unwrap());
    signature[2..10].copy_from_slice(&key[2..10]);
    std::fs::write(&path, text.replace(line, &STANDARD.encode(signature))).unwrap();
}

#[track_caller]
fn check(answer: Result<VerifiedPlugin, PluginError>, kind: PluginErrorKind, reason: &str) {
    let refused = answer.expect_err("the file is refused");
    assert_eq!(refused.kind, kind, "the code says why: {refused}");
    assert!(refused.reason.contains(reason), "the line says `{reason}`: {refused}");
    assert!(refused.to_string().ends_with("; nothing was executed"), "nothing ran: {refused}");
}

fn key() -> KeyPair {
    KeyPair::generate_unencrypted_keypair().unwrap()
}

fn own_comment() -> String {
    format!("notes 1.2.0 {}", manifest().target)
}

#[test]
fn nothing_is_trusted_by_default() {
    let place = Place::new(&good());
    let digest = Digest::of(&good()).to_string();
    place.refused(PluginErrorKind::NotTrusted, &format!("{digest} is not pinned"));
    let help = place.verify().expect_err("the file is refused").help;
    assert!(help.contains("trust the file /"), "the help names no command of a program: {help}");
}

#[test]
fn pinned_file_may_run() {
    let mut place = Place::new(&good());
    place.pin(&good());
    let verified = place.verify().expect("the file is pinned");
    assert_eq!(verified.trusted_by(), &TrustedBy::Pin, "the file is trusted by its pin");
    assert_eq!(verified.bytes(), good(), "the verified bytes are returned");
}

#[test]
fn changed_bit_is_refused() {
    let mut place = Place::new(&good());
    place.pin(&good());
    let mut bytes = good();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&place.file, &bytes).unwrap();
    place.refused(PluginErrorKind::DigestMismatch, "is not the trusted build of `notes`");
}

#[test]
fn revoked_pin_is_refused() {
    let mut place = Place::new(&good());
    place.pin(&good());
    place.trust.revoke("notes", signed_off_by().when);
    place.refused(PluginErrorKind::NotTrusted, "was trusted before, but its pin was revoked");
    let key = key();
    place.trust_key(&key);
    place.sign(&key, &own_comment());
    place.refused(PluginErrorKind::NotTrusted, "its pin was revoked");
}

#[test]
fn signed_file_may_run() {
    let (mut place, key) = (Place::new(&good()), key());
    place.sign(&key, &own_comment());
    place.trust_key(&key);
    let verified = place.verify().expect("the key is trusted");
    let id = place.trust.keys[0].id.clone();
    assert_eq!(verified.trusted_by(), &TrustedBy::Signature { key: id }, "by its signature");
}

#[test]
fn invalid_signatures_are_refused() {
    let kind = PluginErrorKind::Signature;
    let (mut place, trusted, other) = (Place::new(&good()), key(), key());
    place.trust_key(&trusted);
    let id = place.trust.keys[0].id.clone();
    place.sign(&other, &own_comment());
    place.refused(kind, "which is not trusted");
    renumber(&place.file, &place.trust.keys[0].key);
    place
        .refused(kind, &format!("has a signature by the key {id} that does not match its content"));
    for comment in [
        format!("notes 1.3.0 {}", manifest().target),
        format!("other 1.2.0 {}", manifest().target),
        "notes 1.2.0 elsewhere".into(),
        String::new(),
    ] {
        place.sign(&trusted, &comment);
        place.refused(kind, &format!("but the key {id} signed it as `{comment}`"));
    }
    place.sign(&trusted, &own_comment());
    let signature = place.file.with_extension("so.minisig");
    let text = std::fs::read_to_string(&signature).unwrap();
    std::fs::write(&signature, text.replace("notes 1.2.0", "notes 1.2.1")).unwrap();
    place
        .refused(kind, &format!("has a signature by the key {id} that does not match its content"));
    std::fs::write(&signature, text.replace("trusted comment", "comment")).unwrap();
    place.refused(kind, "has a damaged signature");
    std::fs::write(&signature, b"\xff\xfe").unwrap();
    place.refused(kind, "has a signature that cannot be read");
    std::fs::write(&signature, &text).unwrap();
    place.verify().expect("the signature is valid");
    let mut bytes = good();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&place.file, bytes).unwrap();
    place.refused(kind, "that does not match its content");
}

#[test]
fn revoked_key_is_refused() {
    let (mut place, key) = (Place::new(&good()), key());
    place.sign(&key, &own_comment());
    place.trust_key(&key);
    let id = place.trust.keys[0].id.clone();
    place.trust.revoke(&id.to_lowercase(), signed_off_by().when);
    place.refused(PluginErrorKind::Signature, &format!("by the key {id}, which was revoked"));
}

#[test]
fn signed_older_version_is_refused() {
    let (mut place, key) = (Place::new(&good()), key());
    place.sign(&key, &own_comment());
    place.trust_key(&key);
    let newer = Library::new(&Manifest { version: "1.3.0".into(), ..manifest() }).build();
    place.pin(&newer);
    place.refused(PluginErrorKind::Rollback, "is version 1.2.0 of `notes`, but 1.3.0 is trusted");
}

#[test]
fn invalid_key_is_an_error() {
    for text in ["", "RWQ", "untrusted comment: a key\nRWQ=", "ssh-ed25519 AAAAC3Nz"] {
        Key::parse(text, &signed_off_by()).expect_err("the text is not a minisign key");
    }
}

#[test]
fn file_is_named_by_an_absolute_path() {
    let mut place = Place::new(&good());
    place.pin(&good());
    let at = |path: &Path| verify(path, &place.policy, &place.trust);
    check(at(Path::new("plugins/notes.so")), PluginErrorKind::Place, "is not an absolute path");
    let directory = place.file.parent().unwrap();
    check(at(&directory.join("none.so")), PluginErrorKind::Unreadable, "cannot be read");
    check(at(directory), PluginErrorKind::NotALibrary, "is not a regular file");
    let link = place.file.with_file_name("link.so");
    symlink(&place.file, &link).unwrap();
    at(&link).expect("a link is followed");
}

#[test]
fn world_writable_file_is_refused() {
    let mut place = Place::new(&good());
    place.pin(&good());
    let directory = place.file.parent().unwrap().to_owned();
    for (path, mode) in [(&place.file, 0o646), (&directory, 0o777)] {
        let before = path.metadata().unwrap().permissions();
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        place.refused(PluginErrorKind::Place, "is world-writable");
        std::fs::set_permissions(path, before).unwrap();
    }
    std::fs::set_permissions(&directory, Permissions::from_mode(0o1777)).unwrap();
    place.verify().expect("a directory with the sticky bit is allowed");
}

#[test]
fn file_of_another_user_is_refused() {
    let mut place = Place::new(&good());
    place.pin(&good());
    // Only root may change the owner of a file.
    match std::os::unix::fs::chown(&place.file, Some(12_345), None) {
        Ok(()) => place.refused(PluginErrorKind::Place, "can be replaced by user 12345"),
        Err(_) => place.verify().map(drop).expect("the owner is unchanged"),
    }
}

#[test]
fn size_of_a_file_is_limited() {
    let mut place = Place::new(&good());
    place.pin(&good());
    place.policy.max_bytes = good().len() as u64 - 1;
    place.refused(PluginErrorKind::TooLarge, "has more than");
    place.policy.max_bytes += 1;
    place.verify().expect("a file of the maximum size is read");
}

/// Creates a FIFO without a writer.
fn fifo(path: &Path) {
    let _ = std::fs::remove_file(path);
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("the system has `mkfifo`").success(), "a FIFO can be made");
}

#[test]
fn fifo_for_a_signature_is_refused_at_once() {
    let place = Place::new(&good());
    fifo(&place.file.with_extension("so.minisig"));
    place.refused(PluginErrorKind::Signature, "it is not a regular file");
}

#[test]
fn fifo_or_device_for_a_plugin_is_refused_at_once() {
    let place = Place::new(&good());
    fifo(&place.file);
    place.refused(PluginErrorKind::NotALibrary, "is not a regular file");
    let device = Path::new("/dev/zero");
    let answer = verify(device, &place.policy, &place.trust);
    check(answer, PluginErrorKind::NotALibrary, "is not a regular file");
}

#[test]
fn large_signature_is_refused_unread() {
    let place = Place::new(&good());
    let signature = std::fs::File::create(place.file.with_extension("so.minisig")).unwrap();
    signature.set_len(1 << 40).unwrap();
    place.refused(PluginErrorKind::Signature, "it has more than 4096 bytes");
}

#[test]
fn sparse_plugin_is_refused_by_its_size() {
    let place = Place::new(&good());
    std::fs::File::create(&place.file).unwrap().set_len(4 << 30).unwrap();
    let before = read_bytes_so_far();
    place.refused(PluginErrorKind::TooLarge, "has more than 268435456 bytes");
    let read = read_bytes_so_far() - before;
    assert!(read < 1 << 20, "it is not read: {read} bytes were");
}

/// Returns how many bytes this thread has read from files.
fn read_bytes_so_far() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let line = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    line.parse().unwrap()
}

#[test]
fn revoked_name_stops_signed_builds_too() {
    let (mut place, key) = (Place::new(&good()), key());
    place.sign(&key, &own_comment());
    place.trust_key(&key);
    place.verify().expect("the key is trusted");
    let revoked = place.trust.revoke("notes", signed_off_by().when);
    assert_eq!(revoked, [Revoked::Signed { name: "notes".into() }], "and says so");
    place.refused(
        PluginErrorKind::NotTrusted,
        "is a signed build of `notes`, whose builds were revoked",
    );
    place.pin(&good());
    place.verify().expect("its very bytes are trusted");
    assert!(place.trust.revoked_names.is_empty(), "signed builds run again, as the pin reports");
}

#[test]
fn file_name_is_one_word_in_a_command() {
    let mut place = Place::new(&good());
    let file = place.file.with_file_name("x';touch pwn;'.so");
    std::fs::rename(&place.file, &file).unwrap();
    place.file = file;
    place.policy.commands = HostCommands::PROWESS;
    let help = place.verify().expect_err("it is not trusted").help;
    let command = help.split('`').nth(1).expect("there is a command");
    let words = format!("set -- {command}; printf %s \"$#:$4\"");
    let shell = std::process::Command::new("sh").args(["-c", &words]).output().unwrap();
    let expected = format!("4:{}", place.file.display());
    assert_eq!(String::from_utf8_lossy(&shell.stdout), expected, "{command}");
}
