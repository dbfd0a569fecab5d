//! The digest of a whole package.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use prowess_core::{
    Cancel, Digest, FileMode, MemorySource, PackageDigest, PackagePath, SkillSource,
    SourceErrorKind,
};
use prowess_testkit::Tree;

use crate::{config, make_fifo, source};

fn tree() -> Tree {
    Tree::new(include_str!("../data/package-digest-tree.txt"))
}

fn alpha() -> PackagePath {
    PackagePath::new("alpha").unwrap()
}

fn digest(tree: &Tree) -> Result<Digest, SourceErrorKind> {
    let digest = source(config(tree)).package_digest(&alpha(), &Cancel::default());
    digest.map_err(|error| error.kind)
}

#[test]
fn lines_are_those_of_the_format() {
    let tree = tree();
    fs::set_permissions(tree.join("alpha/scripts/run.sh"), fs::Permissions::from_mode(0o755))
        .unwrap();
    symlink("scripts/run.sh", tree.join("alpha/run")).unwrap();
    let mut expected = PackageDigest::default();
    expected.add(FileMode::Regular, "SKILL.md", Digest::of(b"alpha\n"));
    expected.add(FileMode::Executable, "scripts/run.sh", Digest::of(b"run\n"));
    expected.add(FileMode::Link, "run", Digest::of(b"scripts/run.sh"));
    expected.add(FileMode::Regular, "node_modules/left/index.js", Digest::of(b"left\n"));
    expected.add(FileMode::Regular, ".git/config", Digest::of(b"config\n"));
    assert_eq!(digest(&tree), Ok(expected.finish()));
}

/// A change of the files of a package.
type Edit = fn(&Tree);

/// Each change of a package, which must change its digest.
const CHANGES: [(&str, Edit); 8] = [
    ("another content", |tree| tree.write("alpha/scripts/run.sh", "ruN\n")),
    ("another content with the old time", |tree| {
        let path = tree.join("alpha/scripts/run.sh");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        tree.write("alpha/scripts/run.sh", "ruN\n");
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    }),
    ("a new file", |tree| tree.write("alpha/assets/new", "")),
    ("a file of others", |tree| tree.write("alpha/node_modules/left/index.js", "right\n")),
    ("a file of the repository", |tree| tree.write("alpha/.git/config", "other\n")),
    ("another name", |tree| {
        fs::rename(tree.join("alpha/scripts/run.sh"), tree.join("alpha/scripts/go.sh")).unwrap();
    }),
    ("an executable bit", |tree| {
        let path = tree.join("alpha/scripts/run.sh");
        fs::set_permissions(path, fs::Permissions::from_mode(0o744)).unwrap();
    }),
    ("a link", |tree| symlink("SKILL.md", tree.join("alpha/link")).unwrap()),
];

#[test]
fn each_change_shows_also_to_the_source_that_knows_the_package() {
    for (what, change) in CHANGES {
        let tree = tree();
        let source = source(config(&tree));
        let compute = || source.package_digest(&alpha(), &Cancel::default()).unwrap();
        let before = compute();
        assert_eq!(compute(), before, "{what}: nothing has changed yet");
        change(&tree);
        assert_ne!(compute(), before, "{what} is not in the digest");
        assert_eq!(Ok(compute()), digest(&tree), "{what}: another source computes another digest");
    }
}

#[test]
fn what_is_not_read_has_none() {
    assert_eq!(digest(&Tree::new("//- /beta/SKILL.md\n")), Err(SourceErrorKind::NotFound));
    let (linked, special) = (tree(), tree());
    linked.write("outside", "secret");
    symlink("../outside", linked.join("alpha/link")).unwrap();
    assert_eq!(digest(&linked), Err(SourceErrorKind::Escape));
    make_fifo(&special.join("alpha/pipe"));
    assert_eq!(digest(&special), Err(SourceErrorKind::NotRegular));
}

#[test]
fn cancelled_calls_end() {
    let cancel = Cancel::default();
    cancel.cancel();
    let tree = tree();
    let error = source(config(&tree)).package_digest(&alpha(), &cancel).unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Cancelled);
}

#[test]
fn sources_without_modes_compute_it_from_their_files() {
    let memory = MemorySource::builder("memory")
        .file("alpha/SKILL.md", "alpha\n")
        .file("alpha/scripts/run.sh", "run\n")
        .build()
        .unwrap();
    let mut expected = PackageDigest::default();
    expected.add(FileMode::Regular, "SKILL.md", Digest::of(b"alpha\n"));
    expected.add(FileMode::Regular, "scripts/run.sh", Digest::of(b"run\n"));
    let digest = memory.package_digest(&alpha(), &Cancel::default()).unwrap();
    assert_eq!(digest, expected.finish());
}

#[test]
fn names_cannot_imitate_lines() {
    let mut two = PackageDigest::default();
    two.add(FileMode::Regular, "a", Digest::of(b"1"));
    two.add(FileMode::Regular, "b", Digest::of(b"2"));
    let hex = Digest::of(b"1").to_string();
    let imitation = format!("a {}\n100644 b", hex.trim_start_matches("sha256:"));
    let mut one = PackageDigest::default();
    one.add(FileMode::Regular, &imitation, Digest::of(b"2"));
    assert_ne!(one.finish(), two.finish());
}
