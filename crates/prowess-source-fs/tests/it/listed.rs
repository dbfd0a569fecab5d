//! A root is not listed again while it holds what it held, and every change shows all the same.

use std::collections::BTreeMap;
use std::fs::{create_dir, remove_dir_all, remove_file, rename};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{Cancel, KnownPackages, PreviousScan, SkillSource, Stamp};
use prowess_source_fs::{FsConfig, FsSource};
use prowess_testkit::{ScanRecorder, Tree, time_after_changes};

use crate::{problems, source};

/// Counts the packages that a source asks about by their names, as one does that lists a directory.
struct Counting<'a> {
    known: &'a Vec<(String, Stamp)>,
    asked: AtomicUsize,
}

impl KnownPackages for Counting<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        self.asked.fetch_add(usize::from(!package.is_empty()), Ordering::Relaxed);
        self.known.stamp(package)
    }

    fn package(&self, index: usize) -> Option<(&str, Option<Stamp>)> {
        self.known.package(index)
    }
}

/// A scan, and how many packages it asked about by name.
struct Rescan {
    recorder: ScanRecorder,
    asked: usize,
}

fn tree() -> Tree {
    let tree = Tree::new(include_str!("../data/listed-tree.txt"));
    tree.write("skills/s5/skill.md", "not looked at, as long as there is a better one");
    // More than are probed together.
    (0..20).for_each(|at| tree.write(&format!("skills/s{at}/SKILL.md"), format!("text of {at}")));
    tree
}

fn over(tree: &Tree) -> FsSource {
    source(FsConfig::new(tree.join("skills")))
}

/// Returns a source that counts the changes so far as old.
fn over_old(tree: &Tree) -> FsSource {
    over(tree).with_old_changes(time_after_changes(tree.path()))
}

fn rescan(source: &FsSource, last: &ScanRecorder) -> Rescan {
    let ScanRecorder { known, known_listing, .. } = last.next();
    let known = known.into_iter().collect();
    let known = Counting { known: &known, asked: AtomicUsize::new(0) };
    let previous = PreviousScan::new(&known).with_listing(known_listing);
    let mut recorder = ScanRecorder::default();
    let scanned = source.scan(&previous, &mut recorder, &Cancel::default()).unwrap();
    recorder.listing = scanned.listing;
    Rescan { recorder, asked: known.asked.into_inner() }
}

/// What each package begins with, by what was found now and, for what is unchanged, before.
fn texts(scan: &ScanRecorder, before: &ScanRecorder) -> BTreeMap<String, Vec<u8>> {
    let found = |scan: &ScanRecorder| -> BTreeMap<_, _> {
        scan.found.iter().map(|found| (found.package.clone(), found.head.clone())).collect()
    };
    let (mut texts, before) = (found(scan), found(before));
    for package in &scan.unchanged {
        let text = before.get(package).expect("what is unchanged was there before");
        let twice = texts.insert(package.clone(), text.clone());
        assert_eq!(twice, None, "`{package}` is reported once");
    }
    texts
}

/// A change to a scanned root, and whether the root must be listed to detect it.
type Change = (&'static str, fn(&Path), bool);

fn moved(root: &Path, from: &str, to: &str) {
    rename(root.join(from), root.join(to)).unwrap();
}

fn gone(root: &Path, path: &str) {
    let path = root.join(path);
    if path.is_dir() { remove_dir_all(path) } else { remove_file(path) }.unwrap();
}

fn linked(root: &Path, target: &str, link: &str) {
    symlink(target, root.join(link)).unwrap();
}

const CHANGES: [Change; 15] = [
    ("nothing", |_| {}, false),
    ("an edit in place", |root| std::fs::write(root.join("s3/SKILL.md"), "new").unwrap(), false),
    ("an edit by renaming", |it| moved(it, "../elsewhere/SKILL.md", "s3/SKILL.md"), false),
    ("a file removed", |it| gone(it, "s3/SKILL.md"), false),
    ("a file removed beside an older one", |it| gone(it, "s5/SKILL.md"), false),
    ("a file in lower case", |it| moved(it, "s3/SKILL.md", "s3/skill.md"), false),
    (
        "a file that is a link",
        |root| {
            moved(root, "s3/SKILL.md", "s3/other.md");
            linked(root, "other.md", "s3/SKILL.md");
        },
        false,
    ),
    (
        "a file that is a directory",
        |root| {
            gone(root, "s3/SKILL.md");
            create_dir(root.join("s3/SKILL.md")).unwrap();
        },
        false,
    ),
    (
        "a package inside what was one, and links to others",
        |root| {
            gone(root, "s3/SKILL.md");
            moved(root, "../elsewhere/inner", "s3/inner");
            linked(root, "../s4", "s3/linked");
        },
        false,
    ),
    ("a package removed", |it| gone(it, "s3"), true),
    ("a package added", |it| moved(it, "../elsewhere", "s30"), true),
    ("a package renamed", |it| moved(it, "s3", "s33"), true),
    (
        "another directory in its place",
        |root| {
            gone(root, "s3");
            moved(root, "../elsewhere", "s3");
        },
        true,
    ),
    (
        "a link in its place",
        |root| {
            gone(root, "s3");
            linked(root, "../elsewhere", "s3");
        },
        true,
    ),
    (
        "a package in the root's place",
        |root| {
            let beside = root.parent().unwrap();
            moved(beside, "skills", "gone");
            moved(beside, "elsewhere", "skills");
        },
        false,
    ),
];

#[test]
fn a_root_of_packages_is_listed_again_when_it_changed_and_each_change_shows() {
    for (what, change, is_listed) in CHANGES {
        let tree = &tree();
        let source = over_old(tree);
        let before = ScanRecorder::scan(&source).unwrap();
        assert_eq!(before.found.len(), 20);
        change(&tree.join("skills"));
        let again = rescan(&source, &before);
        let cold = ScanRecorder::scan(&over(tree)).unwrap();
        assert_eq!(texts(&again.recorder, &before), texts(&cold, &before), "after {what}");
        let reported = |scan| problems(scan, tree.path());
        assert_eq!(reported(&again.recorder), reported(&cold), "the findings after {what}");
        // Elsewhere the dates of a directory are not relied on.
        let is_dated = before.found[0].stamp.is_some_and(Stamp::is_provisional);
        let asked = again.asked;
        assert_eq!(asked > 5, is_listed || !is_dated, "{asked} were asked about after {what}");
    }
}

#[test]
fn a_root_is_listed_where_its_names_may_not_be_those_of_the_last_time() {
    let trees = [tree(), tree(), tree(), tree(), tree()];
    trees[1].write("skills/group/inner/SKILL.md", "not in the root itself");
    trees[2].write("skills/skill.MD", "misnamed");
    symlink("../elsewhere", trees[3].join("skills/linked")).unwrap();
    std::fs::create_dir_all(trees[4].join("skills/odd/SKILL.md")).unwrap();
    let listed = |source: &FsSource, last: &ScanRecorder| {
        let again = rescan(source, last);
        assert_eq!(again.recorder.unchanged.len() + again.recorder.found.len(), last.found.len());
        again.asked > 5
    };
    let young = over(&trees[0]);
    let first = ScanRecorder::scan(&young).unwrap();
    assert!(listed(&young, &first), "it changed just before");

    let whys = ["a group", "a problem", "a link", "a package that cannot be read"];
    for (tree, why) in trees[1..].iter().zip(whys) {
        let source = over_old(tree);
        let first = ScanRecorder::scan(&source).unwrap();
        assert_eq!(first.listing, None, "there is {why} in it");
        assert!(listed(&source, &first), "there is {why} in it");
    }
    let old = over_old(&trees[0]);
    let first = ScanRecorder::scan(&old).unwrap();
    // Elsewhere the dates of a directory are not relied on.
    assert_eq!(first.listing.is_some(), first.found[0].stamp.is_some_and(Stamp::is_provisional));
    assert_eq!(
        listed(&over_old(&trees[0]), &first),
        first.listing.is_none(),
        "another source goes on with what this one has listed"
    );
    let mut forgotten = first.clone();
    forgotten.listing = None;
    assert!(listed(&old, &forgotten), "the sink knows of no listing");
    let mut other = first.clone();
    other.found[7].package = "unheard-of".into();
    let again = rescan(&old, &other);
    let (found, unchanged) = (again.recorder.packages(), again.recorder.unchanged.len());
    assert_eq!(
        (&found[..], unchanged),
        (&[&*first.found[7].package][..], 19),
        "the sink knows others"
    );
}
