//! Listing the plugins of a directory.

use std::path::{Path, PathBuf};

use prowess_core::Digest;
use prowess_plugin_host::{
    InventoryCache, Listed, Manifest, Older, Placement, PluginPolicy, TrustStore, inspect, list,
};
use tempfile::TempDir;

use crate::library::{Library, good, manifest};
use crate::trust::signed_off_by;

/// A directory with a trusted plugin, an untrusted one, a text file with the extension of a
/// library, and a file with another extension.
struct Place {
    directory: TempDir,
    policy: PluginPolicy,
    trust: TrustStore,
    cache: InventoryCache,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        let other = Manifest { name: "other".into(), ..manifest() };
        std::fs::write(path.join("notes.so"), good()).unwrap();
        std::fs::write(path.join("other.so"), Library::new(&other).build()).unwrap();
        std::fs::write(path.join("text.so"), "text").unwrap();
        std::fs::write(path.join("notes.so.minisig.txt"), "no library").unwrap();
        let mut trust = TrustStore::default();
        let (file, digest) = (path.join("notes.so"), Digest::of(&good()));
        let inspection = inspect(&file, &good()).unwrap();
        trust.pin(&file, digest, &inspection, &signed_off_by(), Older::Refuse).unwrap();
        let policy = PluginPolicy { directories: vec![path], ..PluginPolicy::default() };
        Self { directory, policy, trust, cache: InventoryCache::default() }
    }

    fn list(&mut self) -> Vec<Listed> {
        list(&self.policy, &self.trust, &mut self.cache).unwrap()
    }

    fn cache_file(&self) -> PathBuf {
        self.directory.path().join("cache/plugins.json")
    }
}

/// Returns each file with its verdict, and whether it was read.
fn outcomes(listed: &[Listed]) -> Vec<(String, String, bool)> {
    let outcome = |listed: &Listed| {
        let name = listed.file.file_name().unwrap().to_string_lossy().into_owned();
        let verdict = match &listed.verdict {
            Ok(Placement::InProcess) => "in-process".to_owned(),
            Ok(Placement::Process) => "process".to_owned(),
            Err(error) => error.kind.as_str().to_owned(),
        };
        (name, verdict, listed.was_read)
    };
    listed.iter().map(outcome).collect()
}

fn expected(was_read: bool) -> Vec<(String, String, bool)> {
    let row = |name: &str, verdict: &str, was_read| (name.to_owned(), verdict.to_owned(), was_read);
    vec![
        row("notes.so", "in-process", was_read),
        row("other.so", "plugin-not-trusted", was_read),
        row("text.so", "plugin-not-a-library", true),
    ]
}

#[test]
fn each_library_has_a_verdict() {
    let mut place = Place::new();
    assert_eq!(
        outcomes(&place.list()),
        expected(true),
        "each file is there once, with its verdict"
    );
}

#[test]
fn unchanged_files_are_cached() {
    let mut place = Place::new();
    place.list();
    place.cache.write(&place.cache_file()).unwrap();
    place.cache = InventoryCache::read(&place.cache_file());
    assert_eq!(outcomes(&place.list()), expected(false), "cached files are not read");
    place.trust = TrustStore::default();
    let verdict = outcomes(&place.list())[0].1.clone();
    assert_eq!(verdict, "plugin-not-trusted", "trust is not cached");
}

#[test]
fn changed_files_are_read_again() {
    let mut place = Place::new();
    place.list();
    let file = place.policy.directories[0].join("notes.so");
    let times = file.metadata().unwrap().modified().unwrap();
    let mut bytes = good();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    // Any user may set the modification time back, but not the change time.
    let handle = std::fs::File::options().write(true).open(&file).unwrap();
    handle.set_modified(times).unwrap();
    let outcome = outcomes(&place.list())[0].clone();
    assert_eq!(outcome.1, "plugin-digest-mismatch", "the new digest is checked: {outcome:?}");
    assert!(outcome.2, "the file was read");
}

#[test]
fn invalid_cache_counts_as_empty() {
    let mut place = Place::new();
    place.list();
    let path = place.cache_file();
    place.cache.write(&path).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    for text in ["", "{", "[]", &whole[..whole.len() / 2], &whole.replace("sha256", "md5")] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(InventoryCache::read(&path), InventoryCache::default(), "the cache is ignored");
    }
}

#[test]
fn missing_directory_is_empty() {
    let policy = PluginPolicy { directories: vec!["/nowhere".into()], ..PluginPolicy::default() };
    let listed = list(&policy, &TrustStore::default(), &mut InventoryCache::default()).unwrap();
    assert!(listed.is_empty(), "a missing directory has no plugins");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let policy = PluginPolicy { directories: vec![file], ..PluginPolicy::default() };
    let error = list(&policy, &TrustStore::default(), &mut InventoryCache::default()).unwrap_err();
    assert!(error.to_string().contains("Cargo.toml` cannot be listed"), "{error}");
}

#[test]
fn second_file_with_the_same_name_is_refused() {
    let mut place = Place::new();
    let mut other = good();
    other.extend(b"another build");
    std::fs::write(place.policy.directories[0].join("second.so"), other).unwrap();
    let outcome = outcomes(&place.list()).into_iter().find(|(name, ..)| name == "second.so");
    assert_eq!(outcome.unwrap().1, "plugin-name-taken", "the name is reported, not the digest");
}
