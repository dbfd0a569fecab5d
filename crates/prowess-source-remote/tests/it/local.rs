//! Local folders and files.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use prowess_archive::{Limits, read, read_packages};
use prowess_core::{ArtifactKind, Cancel, Remote, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::LocalRemote;

fn fetched(path: &Path) -> Result<(ArtifactKind, Vec<u8>), RemoteErrorKind> {
    let request = RemoteRequest::latest(path.to_string_lossy());
    let resolved = LocalRemote::default().resolve(&request, &Cancel::default());
    let artifact = resolved.map_err(|error| error.kind)?.remove(0);
    let bytes = LocalRemote::default().fetch(&artifact, 1024 * 1024, &Cancel::default());
    Ok((artifact.kind, bytes.map_err(|error| error.kind)?))
}

#[test]
fn folder_is_packed_without_its_repository() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join(".git")).unwrap();
    fs::write(place.path().join(".git/config"), "token").unwrap();
    fs::write(place.path().join("SKILL.md"), "text").unwrap();
    let script = place.path().join("run.sh");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let (kind, bytes) = fetched(place.path()).unwrap();
    assert_eq!(kind, ArtifactKind::Archive);
    let archive = read(&bytes, &Limits::default()).unwrap();
    let files: Vec<_> =
        archive.files().iter().map(|file| (file.path.as_str(), file.is_executable)).collect();
    assert_eq!(files, [("SKILL.md", false), ("run.sh", true)]);
    // In a skill of a folder named so, a link is as much its own as in any other.
    fs::remove_file(place.path().join("SKILL.md")).unwrap();
    let skill = place.path().join("secrets/pdf");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("skill.md"), "text").unwrap();
    symlink("skill.md", skill.join("notes.txt")).unwrap();
    let packed = LocalRemote::packed_for_others(place.path(), &[], &Cancel::default()).unwrap();
    assert_eq!(packed.withheld, []);
    // One that would lack a file is left out alone.
    fs::create_dir_all(place.path().join("far")).unwrap();
    fs::write(place.path().join("far/SKILL.md"), "text").unwrap();
    symlink("/etc", place.path().join("far/etc")).unwrap();
    let packed = LocalRemote::packed_for_others(place.path(), &[], &Cancel::default()).unwrap();
    let left_out: Vec<_> = packed.left_out.iter().map(|(it, error)| (&**it, error.kind)).collect();
    assert_eq!(left_out, [("far", RemoteErrorKind::Invalid)]);
    let found = read_packages(&packed.bytes, &Limits::default(), &["skill.md"], &|_| true);
    assert!(!found.unwrap().is_empty());
}

#[test]
fn part_of_a_file_that_is_being_saved_is_not_fetched() {
    let place = tempfile::tempdir().unwrap();
    let (file, is_done) = (place.path().join("SKILL.md"), AtomicBool::new(false));
    let whole = "whole".repeat(100);
    fs::write(&file, &whole).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                fs::write(&file, &whole[..5]).unwrap();
                thread::yield_now();
                fs::write(&file, &whole).unwrap();
            }
        });
        for path in [place.path(), &file] {
            let content = fetched(path).map(|(kind, bytes)| match kind {
                ArtifactKind::SkillMd => bytes,
                _ => read(&bytes, &Limits::default()).unwrap().files()[0].content.clone(),
            });
            let is_part = content.is_ok_and(|content| content != whole.as_bytes());
            is_done.store(is_part, Ordering::Relaxed);
            assert!(!is_part, "a part of {}", path.display());
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(fetched(&file).is_ok_and(|(_, bytes)| bytes == whole.as_bytes()));
}

#[test]
fn link_out_of_the_folder_is_left_out() {
    let place = tempfile::tempdir().unwrap();
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("id_rsa"), "CANARY").unwrap();
    fs::write(place.path().join("SKILL.md"), "text").unwrap();
    let (_, before) = fetched(place.path()).unwrap();
    symlink(secret.path().join("id_rsa"), place.path().join("key")).unwrap();
    symlink(secret.path(), place.path().join("keys")).unwrap();
    assert_eq!(fetched(place.path()).unwrap().1, before, "nothing outside is read");
}

#[test]
fn files_are_recognized_by_their_names() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = place.path().join(name);
        fs::write(&path, name).unwrap();
        fetched(&path)
    };
    assert_eq!(file("SKILL.md"), Ok((ArtifactKind::SkillMd, b"SKILL.md".to_vec())));
    for name in ["a.tar.gz", "a.tgz", "a.tar", "a.ZIP", "a.skill"] {
        assert_eq!(file(name), Ok((ArtifactKind::Archive, name.as_bytes().to_vec())));
    }
    assert_eq!(file("a.exe"), Err(RemoteErrorKind::Unsupported));
}
