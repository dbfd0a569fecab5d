//! Whatever stands where a `SKILL.md` should: it is reported, and the other skills are found.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::Tree;

use crate::{config, make_fifo, problems, scan};

/// Puts something hostile at `bad/SKILL.md` beside a good skill.
fn check(what: &str, make: fn(&Path), reported: &str) {
    let tree =
        Tree::new("//- /good/SKILL.md\ngood\n//- /bad/notes.md\nnotes\n//- /secret\nsecret\n");
    make(&tree.join("bad/SKILL.md"));
    let reported = [format!("error {reported} /bad/SKILL.md")];
    for nested in [Nested::Stop, Nested::Descend] {
        let scan = scan(FsConfig { nested, ..config(&tree) });
        assert_eq!(scan.packages(), ["good"], "{what}: the other skill is found");
        assert_eq!(problems(&scan, tree.path()), reported, "{what} is reported once");
        assert!(!scan.problems[0].help.is_empty(), "{what}: the problem says what to do");
    }
}

#[test]
fn hostile_file_is_reported_alone() {
    check("a FIFO without a writer", make_fifo, "not-a-file");
    check("a directory", |file| fs::create_dir(file).unwrap(), "not-a-file");
    check("a socket", |file| drop(UnixListener::bind(file).unwrap()), "not-a-file");
    check("a device", make_device, "not-a-file");
    check("a link to a device", |file| symlink("/dev/zero", file).unwrap(), "path-escape");
    check("a dangling link", |file| symlink("nothing", file).unwrap(), "dangling-link");
    check("a link in a circle", |file| symlink("SKILL.md", file).unwrap(), "symlink-loop");
    check("a link out of it", |file| symlink("../secret", file).unwrap(), "path-escape");
    let to_another = |file: &Path| symlink("../good/SKILL.md", file).unwrap();
    check("a link to another package", to_another, "path-escape");
    let beside_the_second_choice = |file: &Path| {
        fs::create_dir(file).unwrap();
        fs::write(file.with_file_name("skill.md"), "second").unwrap();
    };
    check("a directory beside `skill.md`", beside_the_second_choice, "not-a-file");
}

/// Makes a device that is full of zeros, or a directory where that is not allowed.
fn make_device(file: &Path) {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let made = mknodat(CWD, file, FileType::CharacterDevice, Mode::RUSR, makedev(1, 5));
    if made.is_err() || fs::File::open(file).is_err() {
        let _ = fs::remove_file(file);
        fs::create_dir(file).unwrap();
    }
}

#[test]
fn long_file_is_not_read_whole_by_a_scan() {
    let tree = Tree::new("//- /good/SKILL.md\ngood\n");
    tree.write("long/SKILL.md", vec![b'x'; 3 << 20]);
    let scan = scan(config(&tree));
    assert_eq!(scan.packages(), ["good", "long"], "the registry decides by the size");
    assert!(scan.found.iter().all(|found| found.head.len() <= 4096), "a head of each");
}

#[test]
fn the_content_is_not_this_layers_business() {
    let tree = Tree::new("//- /empty/SKILL.md\n//- /latin/SKILL.md\n");
    tree.write("latin/SKILL.md", b"\xff\xfe");
    let scan = scan(config(&tree));
    assert_eq!(scan.packages(), ["empty", "latin"], "both are shipped to the parser");
    assert!(scan.problems.is_empty(), "and nothing is said of them here");
}

#[test]
fn a_link_inside_the_package_is_followed() {
    let tree = Tree::new("//- /pdf/docs/main.md\nlinked\n");
    symlink("docs/main.md", tree.join("pdf/SKILL.md")).unwrap();
    let scan = scan(config(&tree));
    assert_eq!(scan.packages(), ["pdf"], "a file of the package may have two names");
    assert_eq!(scan.found[0].head, b"linked\n", "its text is the target's");
}

#[track_caller]
fn check_root(root: &Path, reported: &str) {
    let scan = scan(FsConfig::new(root));
    assert!(scan.found.is_empty(), "there is nothing to find");
    assert_eq!(problems(&scan, root), [reported], "the root is reported");
}

#[test]
fn a_root_that_is_no_directory_is_reported() {
    let tree = Tree::new("//- /file\ntext\n");
    make_fifo(&tree.join("fifo"));
    check_root(&tree.join("missing"), "warning root-missing ");
    check_root(&tree.join("file"), "error root-not-a-directory ");
    check_root(&tree.join("fifo"), "error root-not-a-directory ");
}
