//! Tests of what an open directory is, and of the files in it that are refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;

use prowess_dir::{
    Dir, ErrorKind, Links, Refusals, check_owner, check_private, is_loop, is_user_or_root,
};

use crate::{Place, WAYS};

const BOTH: [Links; 2] = [Links::Refuse, Links::FollowInside];

/// Returns the kind of the error of opening a file; `None` if it opens.
fn refused(directory: &Dir, path: &str, links: Links) -> Option<ErrorKind> {
    directory.open_file(path, links).err().map(|error| error.kind())
}

#[test]
fn parent_of_the_directory_is_never_opened() {
    let place = Place::new();
    for directory in place.opened() {
        for links in BOTH {
            for path in ["..", "../CANARY", "references/../../CANARY", "./../CANARY", "/CANARY"] {
                let escape = Some(ErrorKind::Escape);
                assert_eq!(refused(&directory, path, links), escape, "{path}, {links:?}");
                let listed = directory.open_dir(path, links).err().map(|error| error.kind());
                assert_eq!(listed, escape, "{path}, {links:?}");
            }
            for path in ["a..b", "..a", "a.."] {
                let expected = Some(ErrorKind::NotFound);
                assert_eq!(refused(&directory, path, links), expected, "{path} is a name");
            }
        }
    }
}

#[test]
fn identity_is_that_of_the_open_directory() {
    let place = Place::new();
    let path = place.inside("references");
    for open in WAYS {
        let directory = open(&path);
        let identity = directory.identity().unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((identity.device, identity.inode), (metadata.dev(), metadata.ino()));
        let created = metadata.created().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
        let own = identity.created.expect("this file system stores it");
        let own = (own.seconds.cast_unsigned(), own.nanoseconds);
        assert_eq!(own, (created.as_secs(), created.subsec_nanos()));
        directory.require(&identity, &path).expect("it is the same directory");

        fs::rename(&path, place.inside("moved")).unwrap();
        fs::create_dir(&path).unwrap();
        directory.require(&identity, &path).expect("its path does not matter");
        let error = open(&path).require(&identity, &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Replaced, "another directory at its path");
        fs::remove_dir_all(place.inside("moved")).unwrap();
    }
}

#[test]
fn hard_links_are_refused_if_asked() {
    let place = Place::new();
    fs::hard_link(place.outside("CANARY"), place.inside("linked")).unwrap();
    for directory in place.opened() {
        assert_eq!(directory.refusals(), Refusals::default());
        assert_eq!(refused(&directory, "linked", Links::Refuse), None, "they are read by default");
        let refusals = Refusals { hard_links: true, mounts: false };
        let directory = directory.refusing(refusals);
        assert_eq!(directory.refusals(), refusals);
        for links in BOTH {
            assert_eq!(refused(&directory, "linked", links), Some(ErrorKind::MultipleLinks));
            assert_eq!(refused(&directory, "file.md", links), None, "a file with one name");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn other_mounts_are_refused_if_asked() {
    let refusals = Refusals { hard_links: false, mounts: true };
    let place = Place::new();
    place.link("out", place.outside("CANARY"));
    let _socket = UnixListener::bind(place.inside("socket")).unwrap();
    for open in WAYS {
        let root = open(Path::new("/"));
        assert_eq!(refused(&root, "proc/version", Links::Refuse), None, "read by default");
        let root = root.refusing(refusals);
        let inside = open(&place.inside("")).refusing(refusals);
        for links in BOTH {
            let kind = refused(&root, "proc/version", links);
            assert_eq!(kind, Some(ErrorKind::OtherMount), "{links:?}");
            assert_eq!(refused(&inside, "references/notes.md", links), None, "{links:?}");
            let kind = refused(&inside, "socket", links);
            assert_eq!(kind, Some(ErrorKind::NotRegular), "it is on the mount, {links:?}");
        }
        let kind = refused(&inside, "out", Links::FollowInside);
        assert_eq!(kind, Some(ErrorKind::Escape), "a link that leads out is named as one");
    }
}

#[test]
fn file_that_others_may_change_is_not_private() {
    let place = Place::new();
    let path = place.inside("file.md");
    for (mode, is_private) in
        [(0o600, true), (0o644, true), (0o755, true), (0o620, false), (0o602, false)]
    {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(check_private(&metadata).is_ok(), is_private, "{mode:o}");
        assert_eq!(check_owner(&metadata).is_ok(), is_private, "{mode:o}");
    }
    let directory = fs::metadata(place.inside("references")).unwrap();
    assert!(check_private(&directory).is_err(), "a directory is no regular file");
    let own = directory.uid();
    assert!(is_user_or_root(0) && is_user_or_root(own));
    assert!(!is_user_or_root(own + 12_345), "another user");
    if own == 0 {
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert!(check_private(&fs::metadata(&path).unwrap()).is_err(), "another user's file");
    }
}

#[test]
fn link_is_read_without_being_followed() {
    let place = Place::new();
    place.link("references/link", "../../CANARY");
    place.link("away", "references");
    for directory in place.opened() {
        assert_eq!(directory.read_link("references/link").unwrap(), b"../../CANARY");
        assert!(directory.read_link("file.md").is_err(), "it is no link");
        let behind = directory.read_link("away/link").unwrap_err();
        assert_eq!(behind.kind(), ErrorKind::Link, "behind a link");
        assert_eq!(directory.read_link("../x").unwrap_err().kind(), ErrorKind::Escape);
    }
}

#[test]
fn loops_of_links_are_told_from_other_errors() {
    let place = Place::new();
    place.link("one", "two");
    place.link("two", "one");
    assert!(is_loop(&fs::File::open(place.inside("one")).unwrap_err()));
    assert!(!is_loop(&fs::File::open(place.inside("gone")).unwrap_err()));
}
