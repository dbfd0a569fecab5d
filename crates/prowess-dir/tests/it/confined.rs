//! Tests of paths that lead out, by their text and by links.

use prowess_dir::{ErrorKind, Links};

use crate::{Place, make_fifo};

/// Reads a path with both mechanisms.
#[track_caller]
fn check(place: &Place, path: &str, expected: Result<&str, ErrorKind>) {
    for (way, directory) in ["kernel", "by hand"].into_iter().zip(place.opened()) {
        let read = directory.read(path, 100).map_err(|error| error.kind());
        let expected = expected.map(|text| text.as_bytes().to_vec());
        assert_eq!(read, expected, "{way}: reading {path:?}");
    }
}

#[test]
fn files_inside_are_read() {
    let place = Place::new();
    check(&place, "file.md", Ok("file"));
    check(&place, "references/notes.md", Ok("notes"));
    check(&place, "./references//notes.md", Ok("notes"));
}

/// These stay inside, so only the check of the text can reject them.
#[test]
fn dot_dot_is_refused_by_its_text() {
    let place = Place::new();
    check(&place, "references/../file.md", Err(ErrorKind::Escape));
    check(&place, "references/..", Err(ErrorKind::Escape));
}

#[test]
fn escaping_paths_are_refused_by_their_text() {
    let place = Place::new();
    check(&place, "../CANARY", Err(ErrorKind::Escape));
    check(&place, "references/../../CANARY", Err(ErrorKind::Escape));
    let absolute = place.inside("file.md");
    check(&place, absolute.to_str().unwrap(), Err(ErrorKind::Escape));
    check(&place, "file.md\0.png", Err(ErrorKind::Malformed));
    check(&place, "..\\CANARY", Err(ErrorKind::NotFound));
}

/// The text of these paths is valid: only their resolution rejects them.
#[test]
fn escaping_links_are_refused_by_resolution() {
    let place = Place::new();
    place.link("link", "../CANARY");
    place.link("up", "..");
    place.link("absolute", place.outside("CANARY"));
    place.link("round-about", "references/../../CANARY");
    place.link("references/deep", "../up/elsewhere");
    place.link("back-in", "../inside/file.md");
    check(&place, "link", Err(ErrorKind::Escape));
    check(&place, "up/CANARY", Err(ErrorKind::Escape));
    check(&place, "absolute", Err(ErrorKind::Escape));
    check(&place, "round-about", Err(ErrorKind::Escape));
    check(&place, "references/deep/notes.md", Err(ErrorKind::Escape));
    check(&place, "back-in", Err(ErrorKind::Escape));
}

#[test]
fn directories_and_stats_are_confined() {
    let place = Place::new();
    place.link("out", "../elsewhere");
    for directory in place.opened() {
        let opened = directory.open_dir("out", Links::FollowInside);
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::Escape, "a directory outside");
        let looked = directory.stat("out/notes.md", Links::FollowInside);
        assert_eq!(looked.unwrap_err().kind(), ErrorKind::Escape, "a look outside");
        let below = directory.open_dir("references", Links::Refuse).unwrap();
        let up = below.read("../file.md", 100);
        assert_eq!(up.unwrap_err().kind(), ErrorKind::Escape, "an inner handle is a boundary too");
    }
}

#[test]
fn inner_links_follow_the_policy() {
    let place = Place::new();
    place.link("link", "references/../file.md");
    place.link("deep", "references");
    place.link("references/chain", "../link");
    check(&place, "link", Ok("file"));
    check(&place, "deep/notes.md", Ok("notes"));
    check(&place, "deep/chain", Ok("file"));
    for directory in place.opened() {
        for path in ["link", "deep/notes.md"] {
            let refused = directory.open_file(path, Links::Refuse).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Link, "{path} is behind a link");
            assert!(refused.to_string().contains(path), "the sentence names it: {refused}");
        }
    }
}

#[test]
fn link_loops_are_errors() {
    let place = Place::new();
    place.link("l1", "l2");
    place.link("l2", "l1");
    place.link("self", "self/deeper");
    check(&place, "l1", Err(ErrorKind::Loop));
    check(&place, "self", Err(ErrorKind::Loop));
    place.link("gone", "nothing");
    check(&place, "gone", Err(ErrorKind::NotFound));
}

/// As many links as Linux follows, and one more.
#[test]
fn link_chains_have_the_limit_of_the_kernel() {
    let place = Place::new();
    place.link("link-0", "file.md");
    for number in 1..=40 {
        place.link(&format!("link-{number}"), format!("link-{}", number - 1));
    }
    check(&place, "link-39", Ok("file"));
    check(&place, "link-40", Err(ErrorKind::Loop));
}

/// Returns the result of `work`, or `None` if it does not return within a long time.
fn without_waiting<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(std::time::Duration::from_secs(20)).ok()
}

#[test]
fn special_files_are_refused_without_blocking() {
    let place = Place::new();
    make_fifo(&place.inside("fifo"));
    drop(std::os::unix::net::UnixListener::bind(place.inside("socket")).unwrap());
    let refused = without_waiting(move || {
        for path in ["fifo", "socket", "references", "", "."] {
            check(&place, path, Err(ErrorKind::NotRegular));
        }
        place
    });
    let place = refused.expect("an open of a FIFO waits for its writer unless a flag says not to");
    check(&place, "missing", Err(ErrorKind::NotFound));
    for path in ["file.md/below", "socket/below", "./socket/below"] {
        check(&place, path, Err(ErrorKind::NotADirectory));
    }
    check(&place, &"x".repeat(300), Err(ErrorKind::NotFound));
}

/// The text of links such as `/proc/self/root` does not state their target.
#[cfg(target_os = "linux")]
#[test]
fn magic_links_are_refused() {
    let directory = prowess_dir::Dir::open("/proc/self").unwrap();
    let read = directory.read("root/etc/passwd", 100).unwrap_err();
    assert!(matches!(read.kind(), ErrorKind::Loop | ErrorKind::Escape), "it leads nowhere: {read}");
    assert!(directory.read("cwd/Cargo.toml", 100).is_err(), "a magic link leads nowhere");
    let by_hand = prowess_dir::Dir::open_by_hand("/proc/self").unwrap();
    assert!(by_hand.read("root/etc/passwd", 100).is_err(), "by hand neither");
}

#[test]
fn missing_and_non_directory_are_different_errors() {
    let place = Place::new();
    for open in [prowess_dir::Dir::open, prowess_dir::Dir::open_by_hand] {
        let missing = open(place.outside("missing")).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound, "nothing there");
        let file = open(place.outside("CANARY")).unwrap_err();
        assert_eq!(file.kind(), ErrorKind::NotADirectory, "a file there");
    }
}
