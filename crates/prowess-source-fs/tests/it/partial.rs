//! A look at a few packages, beside what a whole scan says of them.

use std::fs;
use std::os::unix::fs::symlink;

use prowess_core::{Coverage, PackagePath, SameVersion, ScanSummary};
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, scan, source};

const EVERYTHING: Coverage = Coverage::Everything(ScanSummary { listing: None });

const TREE: &str = include_str!("../data/partial.txt");

/// Asks for packages and checks which are reported, and that a whole scan says the same of them.
#[track_caller]
fn check(config: FsConfig, asked: &[&str], coverage: Coverage, reported: &[&str]) {
    let packages: Vec<_> =
        asked.iter().map(|path| PackagePath::new(path).expect("a good path")).collect();
    let source = source(config.clone());
    let recorded = ScanRecorder::default().record_packages(&source, &packages);
    let (recorder, covered) = recorded.expect("the tree can be read");
    assert_eq!(covered.is_everything(), coverage.is_everything(), "what was looked at");
    let whole = scan(config);
    let is_asked = |path: &&str| coverage.is_everything() || asked.contains(path);
    let wanted: Vec<_> = whole.packages().into_iter().filter(is_asked).collect();
    assert_eq!(recorder.packages(), wanted, "a whole scan says the same");
    if coverage == Coverage::Asked {
        assert_eq!(recorder.packages(), reported);
    }
}

#[test]
fn a_few_packages_are_reported_and_no_other() {
    let tree = Tree::new(TREE);
    check(config(&tree), &["pdf"], Coverage::Asked, &["pdf"]);
    check(config(&tree), &["group/inner", "lower"], Coverage::Asked, &["group/inner", "lower"]);
    check(config(&tree), &["notes", "nothing", "group"], Coverage::Asked, &[]);
}

#[test]
fn a_package_that_was_not_touched_since_a_first_scan_is_the_same() {
    let tree = Tree::new(TREE);
    let source = source(config(&tree));
    let recorder = ScanRecorder::scan(&source).unwrap().next();
    let asked = [PackagePath::new("pdf").unwrap(), PackagePath::new("group/inner").unwrap()];
    let (recorder, covered) = recorder.record_packages(&source, &asked).unwrap();
    assert_eq!(covered, Coverage::Asked);
    for found in &recorder.found {
        // It was written just before, so it is read again; nothing says that it is another.
        let [earlier, later] = [recorder.known[&found.package], found.stamp.unwrap()];
        assert!(
            earlier.is_provisional() && later.same_version(earlier) != SameVersion::No,
            "`{}` is as it was",
            found.package
        );
    }
    assert_eq!(recorder.found.len() + recorder.unchanged.len(), 2, "both were looked at");
}

#[test]
fn what_a_walk_does_not_come_to_is_not_reported() {
    let tree = Tree::new(TREE);
    check(config(&tree), &["pdf/deep"], Coverage::Asked, &[]);
    let nested = FsConfig { nested: Nested::Descend, ..config(&tree) };
    check(nested, &["pdf/deep"], Coverage::Asked, &["pdf/deep"]);
    check(config(&tree), &["node_modules/hidden"], Coverage::Asked, &[]);
    let shallow = FsConfig { max_depth: 1, ..config(&tree) };
    check(shallow, &["group/inner"], EVERYTHING, &[]);
}

#[test]
fn what_depends_on_more_than_a_package_takes_a_whole_scan() {
    let tree = Tree::new(TREE);
    symlink(tree.join("pdf"), tree.join("linked")).expect("links can be made");
    check(config(&tree), &["linked"], EVERYTHING, &[]);
    check(config(&tree), &["ünïcode"], EVERYTHING, &[]);
    check(config(&tree), &[""], EVERYTHING, &[]);
    fs::write(tree.join("SKILL.md"), "root").expect("it can be written");
    check(config(&tree), &["pdf"], EVERYTHING, &[]);
    let holder = FsConfig { holds_skills: true, ..config(&tree) };
    check(holder, &["pdf", "pdf/deep"], Coverage::Asked, &["pdf"]);
}

#[test]
fn a_root_that_is_not_there_is_reported() {
    let tree = Tree::new(TREE);
    let config = FsConfig::new(tree.join("nowhere"));
    check(config, &["pdf"], EVERYTHING, &[]);
}
