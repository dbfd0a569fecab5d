//! What is opened are the bytes that were verified, whatever became of the file.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::Digest;
use prowess_plugin_host::{
    Older, Origin, PluginPolicy, Staged, TrustStore, VerifiedPlugin, inspect, stage,
    stage_in_directory, verify,
};
use tempfile::TempDir;

use crate::library::good;
use crate::trust::witness;

pub(crate) fn verified() -> (TempDir, VerifiedPlugin) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().canonicalize().unwrap().join("notes.so");
    std::fs::write(&file, good()).unwrap();
    let plugin = verify(&file, Origin::Named, &PluginPolicy::default(), &trusting(&file)).unwrap();
    (place, plugin)
}

fn trusting(file: &std::path::Path) -> TrustStore {
    let mut trust = TrustStore::default();
    let inspection = inspect(file, &good()).unwrap();
    trust.pin(file, Digest::of(&good()), &inspection, &witness(), Older::Refuse).unwrap();
    trust
}

fn content(staged: &Staged) -> Vec<u8> {
    std::fs::read(staged.path()).expect("the staged bytes can be read")
}

#[test]
fn the_file_may_be_swapped_after_the_check() {
    let (_place, plugin) = verified();
    std::fs::write(plugin.file(), "another file").unwrap();
    let directory = tempfile::tempdir().unwrap();
    for staged in [stage, stage_in_directory].map(|stage| stage(&plugin, directory.path()).unwrap())
    {
        assert_eq!(content(&staged), good(), "what was verified is what is opened");
    }
}

#[test]
fn a_file_that_is_swapped_all_the_time_gives_what_was_trusted_or_nothing() {
    let (_place, plugin) = verified();
    let file = plugin.file();
    let (trust, policy) = (trusting(file), PluginPolicy::default());
    let mut evil = good();
    *evil.last_mut().unwrap() ^= 1;
    let directory = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    let opened = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for bytes in [&evil, &good()] {
                    let other = file.with_extension("new");
                    std::fs::write(&other, bytes).unwrap();
                    std::fs::rename(&other, file).unwrap();
                }
            }
        });
        let mut opened = 0;
        for _ in 0..10_000 {
            if let Ok(plugin) = verify(file, Origin::Named, &policy, &trust) {
                let staged = stage(&plugin, directory.path()).unwrap();
                assert!(content(&staged) == good(), "only what is trusted is ever opened");
                opened += 1;
            }
        }
        is_over.store(true, Ordering::Relaxed);
        opened
    });
    assert!(opened > 0, "some of the races are won by the trusted file");
}

#[test]
#[cfg(target_os = "linux")]
fn staged_memory_cannot_be_changed() {
    let (_place, plugin) = verified();
    let staged = stage(&plugin, std::path::Path::new("/nowhere")).unwrap();
    assert!(staged.path().starts_with("/proc/self/fd"), "the bytes are in memory");
    let file = std::fs::File::from(staged.as_fd().try_clone_to_owned().unwrap());
    (&file).write(b"x").expect_err("nobody writes to it");
    file.set_len(0).expect_err("nobody cuts it off");
    rustix::fs::fcntl_add_seals(&file, rustix::fs::SealFlags::FUTURE_WRITE)
        .expect_err("nobody changes the seals");
    let mut bytes = Vec::new();
    (&file).read_to_end(&mut bytes).unwrap();
    assert_eq!(content(&staged), good(), "the bytes are as they were");
}

#[test]
fn a_staged_file_is_for_this_user_alone_and_goes_with_its_value() {
    let (_place, plugin) = verified();
    let directory = tempfile::tempdir().unwrap();
    let staged = stage_in_directory(&plugin, directory.path()).unwrap();
    let again = stage_in_directory(&plugin, directory.path()).unwrap();
    assert_ne!(staged.path(), again.path(), "no path is used twice");
    let parent = staged.path().parent().unwrap().to_owned();
    let mode = parent.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700, "nobody else enters the directory");
    drop((staged, again));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing stays behind");
}

#[test]
fn a_place_that_cannot_be_written_is_reported() {
    let (_place, plugin) = verified();
    let error = stage_in_directory(&plugin, std::path::Path::new("/proc/none")).unwrap_err();
    assert_eq!(error.kind.as_str(), "plugin-staging-failed", "{error}");
    assert!(error.to_string().ends_with("; nothing was executed"), "{error}");
}
