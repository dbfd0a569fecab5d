//! Tests of replacing files: the old content or the new, never outside, and nothing left behind.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_dir::{Dir, ErrorKind, Links};
use prowess_testkit::without_sync;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::{CANARY, Place, WAYS, make_fifo};

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn content_is_replaced_and_permissions_kept() {
    let place = Place::new();
    let file = place.inside("references/notes.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    for (directory, [before, after]) in
        place.opened().iter().zip([["notes", "first"], ["first", "second"]])
    {
        let path = "references/notes.md";
        directory.replace_file(path, Links::Refuse, before.as_bytes(), after.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), after);
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640, "permissions are kept");
        assert_eq!(names(&place.inside("references")), ["notes.md"], "nothing else is left");
    }
}

/// Only root may give a file to another user.
#[test]
fn owner_is_kept_where_the_system_allows_it() {
    let place = Place::new();
    let file = place.inside("file.md");
    let user = fs::metadata(&file).unwrap().uid();
    let owner = if user == 0 { 12_345 } else { user };
    std::os::unix::fs::chown(&file, Some(owner), None).unwrap();
    let directory = Dir::open(place.inside("")).unwrap();
    directory.replace_file("file.md", Links::Refuse, b"file", b"new").unwrap();
    let metadata = fs::metadata(&file).unwrap();
    assert_eq!((metadata.uid(), fs::read(&file).unwrap()), (owner, b"new".to_vec()));
}

/// A directory is written again: what was there keeps its owner, its rights and its time, and what
/// is new is no more open than what is around it.
#[test]
fn rewritten_directory_keeps_owners_and_modes() {
    let place = tempfile::tempdir().unwrap();
    let path = |path: &str| place.path().join(path);
    let set = |name: &str, mode| {
        fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(path("old/empty/inner")).unwrap();
    fs::create_dir_all(path("old/gone")).unwrap();
    fs::create_dir_all(path("old/closed")).unwrap();
    let modes = [("a.md", 0o640), ("b.md", 0o600), ("run.sh", 0o2750), ("closed/c.md", 0o604)];
    for (name, mode) in modes {
        fs::write(path("old").join(name), name).unwrap();
        set(&format!("old/{name}"), mode);
    }
    fs::write(path("old/gone/x.md"), "x").unwrap();
    let directories = [("", 0o2770), ("empty", 0o705), ("empty/inner", 0o700), ("closed", 0o1550)];
    for (name, mode) in directories.into_iter().rev() {
        set(&format!("old/{name}"), mode);
    }
    let is_root = fs::metadata(path("old")).unwrap().uid() == 0;
    let owner = if is_root { 12_345 } else { fs::metadata(path("old")).unwrap().uid() };
    for name in ["old", "old/a.md", "old/closed", "old/empty"] {
        let mode = fs::metadata(path(name)).unwrap().mode();
        let group = is_root.then_some(54_321);
        std::os::unix::fs::chown(path(name), Some(owner), group).unwrap();
        set(name, mode & 0o7777);
    }
    let attribute = rustix::fs::setxattr(
        path("old/b.md"),
        "user.note",
        b"mine",
        rustix::fs::XattrFlags::empty(),
    );
    let files: [(&str, &[u8], bool); 7] = [
        ("a.md", b"changed", false),
        ("b.md", b"b.md", false),
        ("closed/c.md", b"c", true),
        ("closed/new.sh", b"new", true),
        ("fresh/new.md", b"new", false),
        ("new.md", b"new", false),
        ("run.sh", b"run.sh", true),
    ];
    fs::create_dir(path("new")).unwrap();
    let old = Dir::open(path("old")).unwrap();
    Dir::open(path("new")).unwrap().write_files(files, Some(&old)).unwrap();
    let expected = directories.into_iter().chain([
        ("a.md", 0o640),
        ("b.md", 0o600),
        ("closed/c.md", 0o705),
        ("closed/new.sh", 0o750),
        ("fresh", 0o2770),
        ("fresh/new.md", 0o640),
        ("new.md", 0o640),
        ("run.sh", 0o2750),
    ]);
    let state = |path: &Path| fs::metadata(path).map(|it| (it.mode() & 0o7777, it.uid(), it.gid()));
    for (name, mode) in expected {
        let (found, user, group) = state(&path("new").join(name)).unwrap();
        assert_eq!(format!("{found:o}"), format!("{mode:o}"), "{name}");
        match state(&path("old").join(name)) {
            Ok((_, had_user, had_group)) => {
                assert_eq!((user, group), (had_user, had_group), "{name}");
            }
            Err(_) => assert_eq!(user, owner, "{name} belongs to the owner of the directory"),
        }
    }
    assert_eq!(names(&path("new/closed")), ["c.md", "new.sh"]);
    assert!(!path("new/gone").exists(), "a directory whose files are gone is gone");
    let modified = |name: &str| fs::metadata(path(name)).unwrap().modified().unwrap();
    assert_eq!(modified("new/b.md"), modified("old/b.md"), "an unchanged file is as old as before");
    if attribute.is_ok() {
        let mut value = [0; 8];
        let length = rustix::fs::getxattr(path("new/b.md"), "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"mine", "attributes, as of access control lists, are kept");
    }
}

#[test]
fn changed_file_is_not_overwritten() {
    let place = Place::new();
    for directory in place.opened() {
        for before in ["file ", "fil", "", "FILE"] {
            let error = directory.replace_file("file.md", Links::Refuse, before.as_bytes(), b"new");
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Changed, "{before:?}");
        }
        assert_eq!(fs::read(place.inside("file.md")).unwrap(), b"file");
        assert_eq!(names(&place.inside("")), ["file.md", "references"], "nothing is left behind");
    }
}

#[test]
fn links_and_paths_outside_are_refused() {
    let place = Place::new();
    place.link("linked.md", "../CANARY");
    place.link("linked", "../elsewhere");
    place.link("near.md", "file.md");
    make_fifo(&place.inside("fifo"));
    let canary = CANARY.as_bytes();
    for directory in place.opened() {
        for (path, links, kind) in [
            ("../CANARY", Links::FollowInside, ErrorKind::Escape),
            ("references/../../CANARY", Links::FollowInside, ErrorKind::Escape),
            ("linked/notes.md", Links::FollowInside, ErrorKind::Escape),
            ("linked/notes.md", Links::Refuse, ErrorKind::Link),
            ("linked.md", Links::FollowInside, ErrorKind::Link),
            ("near.md", Links::FollowInside, ErrorKind::Link),
            ("absent.md", Links::Refuse, ErrorKind::NotFound),
            ("references", Links::Refuse, ErrorKind::NotRegular),
            ("fifo", Links::Refuse, ErrorKind::NotRegular),
        ] {
            let error = directory.replace_file(path, links, canary, b"new").unwrap_err();
            assert_eq!(error.kind(), kind, "{path}: {error}");
        }
    }
    assert_eq!(fs::read(place.outside("CANARY")).unwrap(), canary);
    assert_eq!(fs::read(place.outside("elsewhere/notes.md")).unwrap(), canary);
    assert_eq!(names(&place.outside("elsewhere")), ["notes.md"], "nothing is left behind");
}

#[test]
fn directory_behind_an_inner_link_is_written_where_it_is() {
    let place = Place::new();
    place.link("near", "references");
    for (directory, content) in place.opened().iter().zip(["notes", "new"]) {
        let content = content.as_bytes();
        directory.replace_file("near/notes.md", Links::FollowInside, content, b"new").unwrap();
        assert_eq!(fs::read(place.inside("references/notes.md")).unwrap(), b"new");
        assert!(place.inside("near").is_symlink(), "the link is kept");
    }
}

/// Swaps `package` and a link to a victim with equal content while the file is replaced, and
/// returns how often it was replaced and how often refused.
fn race(open: fn(&Path) -> Dir, links: Links) -> (usize, usize) {
    const TRIES: usize = 1_000;

    let place = Place::new();
    let victim = place.outside("elsewhere/notes.md");
    let known = fs::metadata(&victim).unwrap();
    fs::rename(place.inside("references"), place.inside("package")).unwrap();
    fs::write(place.inside("package/notes.md"), CANARY).unwrap();
    place.link("spare", "../elsewhere");
    let directory = open(&place.inside(""));
    let done = AtomicBool::new(false);
    let (mut replaced, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let [one, other] = ["package", "spare"].map(|name| place.inside(name));
            while !done.load(Ordering::Relaxed) {
                let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
            }
        });
        let mut tries = 0;
        // A busy machine may start the swaps late: continue until both outcomes were seen.
        while tries < TRIES || (replaced == 0 || refused == 0) && tries < 300 * TRIES {
            tries += 1;
            let canary = CANARY.as_bytes();
            match directory.replace_file("package/notes.md", links, canary, canary) {
                Ok(()) => replaced += 1,
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let now = fs::metadata(&victim).unwrap();
    assert_eq!((now.ino(), now.ctime_nsec()), (known.ino(), known.ctime_nsec()), "{links:?}");
    assert_eq!(names(&place.outside("elsewhere")), ["notes.md"], "{links:?}: not in the victim");
    let package = ["package", "spare"].map(|name| place.inside(name));
    let package = package.iter().find(|path| !path.is_symlink()).unwrap();
    assert_eq!(names(package), ["notes.md"], "{links:?}: no temporary file is left");
    (replaced, refused)
}

#[test]
fn directory_that_becomes_a_link_outside_is_never_written() {
    for open in WAYS {
        for links in [Links::Refuse, Links::FollowInside] {
            let (replaced, refused) = race(open, links);
            assert!(replaced > 0, "{links:?}: the file inside was replaced between the swaps");
            assert!(refused > 0, "{links:?}: the link outside was met and refused");
        }
    }
}

/// After a power failure, a file that was renamed before its content was on the disk may be empty.
#[test]
fn content_that_is_not_on_the_disk_replaces_no_file() {
    let place = Place::new();
    for directory in place.opened() {
        without_sync(|| {
            let replaced = directory.replace_file("file.md", Links::Refuse, b"file", b"new");
            assert_eq!(replaced.unwrap_err().kind(), ErrorKind::Unwritable);
        });
        assert_eq!(fs::read(place.inside("file.md")).unwrap(), b"file");
        assert_eq!(names(&place.inside("")), ["file.md", "references"], "nothing is left behind");
    }
}
