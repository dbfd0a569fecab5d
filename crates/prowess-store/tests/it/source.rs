//! The source over a store.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::Arc;

use prowess_archive::{Archive, File};
use prowess_core::{
    Cancel, Digest, FileMode, PackageDigest, PackagePath, PreviousScan, ReadLimit, ResourcePath,
    Severity, SkillSource, SourceErrorKind,
};
use prowess_store::{PlaceForm, StoreSource};
use prowess_testkit::{ScanRecorder, SourceFixture, Unreadable, check_source};

use crate::{Place, locked};

struct Fixture;

/// Installs each directory with a `SKILL.md`.
fn installed(files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    let is_skill = |path: &&str| path.ends_with("SKILL.md") || path.ends_with("skill.md");
    let skills = files.iter().map(|(path, _)| *path).filter(is_skill);
    let mut packages: BTreeMap<&str, Vec<File>> =
        skills.map(|path| (path.rsplit_once('/').map_or("", |it| it.0), Vec::new())).collect();
    let mut clashing = None;
    for (path, bytes) in files {
        let package = packages.iter_mut().rev().find_map(|(package, files)| {
            let below = path.strip_prefix(package)?;
            Some((if package.is_empty() { below } else { below.strip_prefix('/')? }, files))
        });
        let Some((below, files)) = package else { continue };
        if below == "skill.md" && files.iter().any(|file| file.path == "SKILL.md") {
            // No archive has both, but a directory can.
            clashing = Some(*bytes);
            continue;
        }
        files.push(File::new(below, *bytes));
    }
    let change = place.store.begin().unwrap();
    let mut lock = place.lock.load().unwrap();
    for (package, mut files) in packages {
        let mut tree = change.insert(&[&Archive::new(files.clone()).unwrap()]).unwrap()[0];
        if let Some(bytes) = clashing {
            let before = place.store.package_directory(&tree);
            let mut digest = PackageDigest::default();
            files.push(File::new("skill.md", bytes));
            for file in files {
                digest.add(FileMode::Regular, &file.path, Digest::of(&file.content));
            }
            tree = digest.finish();
            fs::rename(before, place.store.package_directory(&tree)).unwrap();
        }
        lock.skills.insert(package.to_owned(), locked(package, tree));
        if let Some(bytes) = clashing {
            fs::write(place.store.package_directory(&tree).join("skill.md"), bytes).unwrap();
        }
    }
    place.lock.save(&lock).unwrap();
    drop(change);
    place
}

/// Keeps a place until the end of the test, because its source only has its paths.
fn keep(place: Place) {
    thread_local!(static PLACES: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) });
    PLACES.with_borrow_mut(|places| places.push(place));
}

fn source(place: &Place) -> StoreSource {
    StoreSource::new(place.store.clone(), place.lock.clone())
}

impl SourceFixture for Fixture {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let place = installed(files);
        let source = source(&place);
        keep(place);
        Arc::new(source)
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let files = [files, &[("broken/SKILL.md", b"broken")]].concat();
        let place = installed(&files);
        let tree = place.lock.load().unwrap().skills["broken"].tree;
        fs::remove_file(place.store.package_directory(&tree).join("SKILL.md")).unwrap();
        let source = source(&place);
        let path = format!("{}/broken/SKILL.md", source.root());
        keep(place);
        Some(Unreadable { source: Arc::new(source), path })
    }
}

#[test]
fn source_keeps_every_rule() {
    check_source(&Fixture);
}

#[test]
fn digest_is_the_locked_one() {
    let place = Place::new();
    let tree = place.install("pdf", "one");
    let source = source(&place);
    let pdf = PackagePath::new("pdf").unwrap();
    assert_eq!(source.package_digest(&pdf, &Cancel::default()), Ok(tree));
    assert_eq!(source.identity(&pdf), Some(tree.to_string()));
    fs::write(place.store.package_directory(&tree).join("scripts/run.sh"), "rm -r ~").unwrap();
    assert_ne!(source.package_digest(&pdf, &Cancel::default()), Ok(tree), "approvals end");
}

#[test]
fn update_is_seen_by_the_next_scan() {
    let place = Place::new();
    place.install("pdf", "one");
    let source = source(&place);
    let first = ScanRecorder::scan(&source).unwrap();
    place.install("pdf", "two");
    let second = first.next().record(&source).unwrap();
    assert_eq!(second.found[0].head, b"two");
    fs::write(place.lock.path(), "<<<<<<< ours\n").unwrap();
    let mut sink = ScanRecorder::default();
    let scan = source.scan(&PreviousScan::none(), &mut sink, &Cancel::default());
    assert!(scan.is_err(), "a broken lock is neither an empty one nor the last good one");
    fs::remove_file(place.lock.path()).unwrap();
    assert_eq!(ScanRecorder::scan(&source).unwrap().found.len(), 0, "nothing is installed");
}

#[test]
fn changed_package_reaches_no_prompt() {
    let skill_md = b"---\nname: pdf\ndescription: D.\n---\nOne\n".as_slice();
    let place = installed(&[("pdf/SKILL.md", skill_md), ("pdf/notes.md", b"One")]);
    let source = source(&place);
    let tree = place.lock.load().unwrap().skills["pdf"].tree;
    let package = PackagePath::new("pdf").unwrap();
    let read =
        |file| source.read(&package, &ResourcePath::new(file).unwrap(), ReadLimit::default());
    assert_eq!(read("SKILL.md").unwrap(), skill_md);
    assert_eq!(read("notes.md").unwrap(), b"One");
    let first = ScanRecorder::scan(&source).unwrap();
    let notes = place.store.package_directory(&tree).join("notes.md");
    fs::write(&notes, "Two").unwrap();
    let sentence = "the files of `pdf` were changed after it was installed: `notes.md`";
    let digest = source.package_contents(&package, &Cancel::default()).map(drop);
    for refused in [read("SKILL.md").map(drop), read("notes.md").map(drop), digest] {
        let error = refused.unwrap_err();
        let message = format!("{sentence}; install it again");
        assert_eq!((error.kind, error.message), (SourceErrorKind::Changed, message));
    }
    let next = first.next().record(&source).unwrap();
    assert_eq!(next.problems[0].code.as_str(), "package-changed", "it leaves the catalog");
    let mut recorder = ScanRecorder::default();
    source.scan(&PreviousScan::none(), &mut recorder, &Cancel::default()).unwrap();
    assert_eq!(recorder.problems[0].code.as_str(), "package-changed");
    assert_eq!(recorder.problems[0].message, sentence);
    let directory = place.store.package_directory(&tree);
    fs::rename(&notes, directory.join("new")).unwrap();
    assert!(read("SKILL.md").unwrap_err().message.contains(": `new` and `notes.md`; install"));
    // That of another package, or none, names no file.
    let list = directory.join("../../lists").join(directory.file_name().unwrap());
    fs::write(&list, "{}").unwrap();
    assert!(read("SKILL.md").unwrap_err().message.contains(" was installed; install"));
}

const LINE_ENDS: &str =
    ": with other line ends, as git writes them by its attribute `text`: `scripts/run.sh`";

/// Whatever differs at a place is announced by scans and to loads, and nothing else is.
#[test]
fn altered_copy_is_announced() {
    use PlaceForm::{Copy, Link};
    let edits = [
        (Copy, ":", None),
        (Copy, "rm -r pdf", None),
        (Copy, "rm pdf/SKILL.md", None),
        (Copy, "echo > pdf/SKILL.md", Some(": changed: `SKILL.md`")),
        (Copy, "echo > pdf/scripts/run.sh", Some(": changed: `scripts/run.sh`")),
        (Copy, "echo > pdf/m.pyc; ln -s / pdf/n", Some(": added: `m.pyc` and `n`")),
        (Copy, "rm -r pdf/scripts", Some(": missing: `scripts/run.sh`")),
        (Copy, "printf '#!/bin/sh\\r\\n' > pdf/scripts/run.sh", Some(LINE_ENDS)),
        // Without a store, the digest shows the files if nothing but those of a machine differ.
        (Copy, "rm -r ../store; echo > pdf/m.pyc", Some(": added: `m.pyc`")),
        (Copy, "rm -r ../store; printf '#!/bin/sh\\r\\n' > pdf/scripts/run.sh", Some(LINE_ENDS)),
        (Copy, "rm -r ../store; echo > pdf/more.md", Some("")),
        (Copy, "rm -r pdf; ln -s / pdf", Some("")),
        (Link, ":", None),
        (Link, "echo > pdf/SKILL.md", Some(": changed: `SKILL.md`")),
    ];
    for (form, edit, altered) in edits {
        let place = Place::new();
        place.install("pdf", "one");
        let directory = place.directory.path().join("agents");
        place.store.begin().unwrap().place(&place.lock, &["pdf".into()], &directory, form).unwrap();
        let ran = Command::new("sh").args(["-c", edit]).current_dir(&directory).status().unwrap();
        assert!(ran.success(), "{edit}");
        let (source, copy) = (source(&place), directory.join("pdf").display().to_string());
        let found = ScanRecorder::scan(&source).unwrap().problems;
        let found =
            found.iter().find(|it| it.path.as_deref() == Some(&*format!("{copy}/SKILL.md")));
        let code = found.map(|it| (it.severity, it.code.as_str()));
        assert_eq!(code, altered.map(|_| (Severity::Warning, "package-changed")), "{edit}");
        let clause = found.map(|it| it.message.split_once(" names").unwrap().1);
        assert_eq!(clause, altered, "{edit}");
        assert_eq!(source.altered("pdf", &copy).as_deref(), found.map(|it| &*it.message), "{edit}");
        assert!(source.places(&copy) && !source.places(&format!("{copy}x")), "{edit}");
        let renamed = directory.join("group");
        fs::create_dir(&renamed).unwrap();
        let moved = fs::rename(&copy, renamed.join("b"));
        let found = source.altered("pdf", &renamed.join("b").display().to_string());
        assert_eq!(found.is_some(), altered.is_some() && moved.is_ok(), "{edit}: renamed");
    }
}
