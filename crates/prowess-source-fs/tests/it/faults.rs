//! Whatever stands where a `SKILL.md` should: it is reported, and the other skills are found.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::Tree;

use crate::{config, make_fifo, problems, scan};

/// Puts something hostile at `bad/SKILL.md` beside a good skill.
#[track_caller]
fn check(make: impl Fn(&Path), reported: &str) {
    let tree =
        Tree::new("//- /good/SKILL.md\ngood\n//- /bad/notes.md\nnotes\n//- /secret\nsecret\n");
    let file = tree.join("bad/SKILL.md");
    make(&file);
    for nested in [Nested::Stop, Nested::Descend] {
        let scan = scan(FsConfig { nested, ..config(&tree) });
        assert_eq!(scan.packages(), ["good"], "the other skill is found");
        assert_eq!(problems(&scan, tree.path()), [reported], "the bad one is reported once");
        assert!(
            scan.problems.iter().all(|problem| !problem.help.is_empty()),
            "a problem says what to do"
        );
    }
}

#[test]
fn a_fifo_is_reported_and_never_waited_for() {
    check(make_fifo, "error not-a-file /bad/SKILL.md");
}

#[test]
fn a_directory_is_reported() {
    check(|file| fs::create_dir(file).unwrap(), "error not-a-file /bad/SKILL.md");
}

#[test]
fn a_socket_is_reported() {
    check(|file| drop(UnixListener::bind(file).unwrap()), "error not-a-file /bad/SKILL.md");
}

#[test]
fn a_link_to_a_device_is_reported() {
    check(|file| symlink("/dev/zero", file).unwrap(), "error path-escape /bad/SKILL.md");
}

#[test]
fn a_dangling_link_is_reported() {
    check(|file| symlink("nothing", file).unwrap(), "error dangling-link /bad/SKILL.md");
}

#[test]
fn a_link_in_a_circle_is_reported() {
    check(|file| symlink("SKILL.md", file).unwrap(), "error symlink-loop /bad/SKILL.md");
}

#[test]
fn a_link_out_of_the_package_is_reported() {
    check(|file| symlink("../secret", file).unwrap(), "error path-escape /bad/SKILL.md");
}

#[test]
fn a_link_to_another_package_leaves_its_own() {
    check(|file| symlink("../good/SKILL.md", file).unwrap(), "error path-escape /bad/SKILL.md");
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
fn a_bad_file_is_not_replaced_by_the_second_choice() {
    check(
        |file| {
            fs::create_dir(file).unwrap();
            fs::write(file.with_file_name("skill.md"), "second").unwrap();
        },
        "error not-a-file /bad/SKILL.md",
    );
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
fn a_missing_root_is_a_warning() {
    let tree = Tree::new("//- /file\ntext\n");
    check_root(&tree.join("missing"), "warning root-missing ");
}

#[test]
fn a_root_that_is_a_file_or_a_fifo_is_an_error() {
    let tree = Tree::new("//- /file\ntext\n");
    check_root(&tree.join("file"), "error root-not-a-directory ");
    let fifo = tree.join("fifo");
    make_fifo(&fifo);
    check_root(&fifo, "error root-not-a-directory ");
}
