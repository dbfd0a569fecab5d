//! Listing and reading a package's files.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use prowess_core::{
    Listing, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceError, SourceErrorKind,
};
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, make_fifo, source};

fn package() -> Tree {
    Tree::new(include_str!("../data/read.txt"))
}

fn read(tree: &Tree, path: &str) -> Result<Vec<u8>, SourceErrorKind> {
    let package = PackagePath::new("alpha").unwrap();
    let resource = ResourcePath::new(path).unwrap();
    let read = source(config(tree)).read(&package, &resource, ReadLimit::default());
    read.map_err(|error| error.kind)
}

fn list(tree: &Tree, most: usize) -> Result<Listing, SourceError> {
    source(config(tree)).list(&PackagePath::new("alpha").unwrap(), most)
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.resources.iter().map(|resource| resource.path.as_str()).collect()
}

/// A change that the clock of this source does not show is noticed only by another read or listing.
#[test]
fn what_a_scan_keeps_is_not_read_or_listed_again() {
    let tree = package();
    let source = source(FsConfig { keeps: true, nested: Nested::Descend, ..config(&tree) });
    let package = PackagePath::new("alpha").unwrap();
    let file = ResourcePath::new("SKILL.md").unwrap();
    let text = || source.read(&package, &file, ReadLimit::default()).unwrap();
    let listed = || source.list(&package, 10).unwrap().resources.len();
    ScanRecorder::scan(&source).unwrap();
    let (whole, files) = (fs::read(tree.path().join("alpha/SKILL.md")).unwrap(), 4);
    tree.write("alpha/SKILL.md", "ALPHA\n");
    tree.write("alpha/scripts/more.sh", "more");
    assert_eq!(listed(), files, "the scan listed both directories");
    assert_eq!(
        [text(), text()],
        [whole.clone(), b"ALPHA\n".to_vec()],
        "a text is kept for one read"
    );
    ScanRecorder::scan(&source).unwrap();
    tree.write("alpha/SKILL.md", "a longer one");
    assert_eq!(text(), b"a longer one", "a text of another size is not that of the file");
    assert_eq!(listed(), files + 1);
}

#[test]
fn what_no_listing_shows_is_not_read() {
    let tree = package();
    let repository = Tree::new("//- /SKILL.md\none\n//- /.git/config\npassword\n");
    let resource = ResourcePath::new(".git/config").unwrap();
    let read_root = source(config(&repository)).read(
        &PackagePath::new("").unwrap(),
        &resource,
        ReadLimit::default(),
    );
    assert_eq!(read_root.map_err(|error| error.kind), Err(SourceErrorKind::NotFound));
    assert_eq!(read(&tree, ".git/config"), Err(SourceErrorKind::NotFound));
    symlink("../.git/config", tree.join("alpha/references/more.md")).unwrap();
    symlink(".git", tree.join("alpha/kept")).unwrap();
    for link in ["references/more.md", "kept/config"] {
        assert_eq!(read(&tree, link), Err(SourceErrorKind::NotFound), "{link} leads there too");
    }
    assert_eq!(read(&tree, ".hidden"), Ok(b"hidden\n".to_vec()), "a hidden file is part of it");
    tree.write("alpha/node_modules/alpha/SKILL.md", "from a registry\n");
    fs::remove_file(tree.join("alpha/SKILL.md")).unwrap();
    symlink("node_modules/alpha/SKILL.md", tree.join("alpha/SKILL.md")).unwrap();
    let skill_md = read(&tree, "SKILL.md");
    assert_eq!(skill_md, Ok(b"from a registry\n".to_vec()), "what a scan reads can be read");
}

#[test]
fn a_listing_is_sorted_and_holds_regular_files_only() {
    let tree = package();
    make_fifo(&tree.join("alpha/fifo"));
    symlink("b.md", tree.join("alpha/link.md")).unwrap();
    let listing = list(&tree, 100).unwrap();
    let expected = [".hidden", "b.md", "references/notes.md", "scripts/run.sh"];
    assert_eq!(paths(&listing), expected, "hidden files are there, `.git` and links are not");
    assert!(listing.is_complete, "nothing was cut");
    assert_eq!(listing.resources[2].bytes, 6, "a resource has its size");
}

#[test]
fn a_listing_that_is_cut_says_so() {
    let listing = list(&package(), 2).unwrap();
    assert_eq!(paths(&listing), [".hidden", "b.md"], "the first by name");
    assert!(!listing.is_complete, "there are more");
    assert!(list(&package(), 4).unwrap().is_complete, "exactly as many as there are is all");
}

#[test]
fn a_directory_of_very_many_files_is_listed_up_to_a_bound() {
    let tree = package();
    for number in 0..1_000 {
        fs::File::create(tree.join(&format!("alpha/file-{number}"))).unwrap();
    }
    let mut config = config(&tree);
    config.max_listed = 500;
    let source = source(config);
    let all = source.list(&PackagePath::new("alpha").unwrap(), usize::MAX).unwrap();
    assert!(!all.is_complete, "a bound that bit is reported");
    assert!((400..=500).contains(&all.resources.len()), "what was seen before is listed");
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.packages(), ["alpha"], "finding the skill does not depend on it");
}

#[test]
fn a_missing_package_is_not_found() {
    let missing = PackagePath::new("missing").unwrap();
    let error = source(config(&package())).list(&missing, 1).unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::NotFound, "there is no such directory");
    assert!(error.message.contains("`missing`"), "it is named: {error}");
}

/// Makes something at `alpha/link` and reads `path`.
#[track_caller]
fn check(target: &str, path: &str, expected: Result<&str, SourceErrorKind>) {
    let tree = package();
    symlink(target, tree.join("alpha/link")).unwrap();
    let expected = expected.map(|text| text.as_bytes().to_vec());
    assert_eq!(read(&tree, path), expected, "link -> {target}, reading {path}");
}

#[test]
fn a_link_is_read_as_far_as_it_stays_inside() {
    check("b.md", "link", Ok("b\n"));
    check("references/../b.md", "link", Ok("b\n"));
    check("references", "link/notes.md", Ok("notes\n"));
    check("../CANARY", "link", Err(SourceErrorKind::Escape));
    check("..", "link/CANARY", Err(SourceErrorKind::Escape));
    check("/etc/passwd", "link", Err(SourceErrorKind::Escape));
    check("references/../../CANARY", "link", Err(SourceErrorKind::Escape));
    check("references/../link", "link", Err(SourceErrorKind::Loop));
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let tree = package();
    make_fifo(&tree.join("alpha/ref.md"));
    let begin = Instant::now();
    assert_eq!(read(&tree, "ref.md"), Err(SourceErrorKind::NotRegular), "a FIFO is no file");
    assert!(begin.elapsed() < Duration::from_secs(10), "no call waits for its writer");
    assert_eq!(read(&tree, "references"), Err(SourceErrorKind::NotRegular), "nor a directory");
}

#[test]
fn names_are_their_bytes() {
    let tree = package();
    tree.write("alpha/caf\u{e9}.md", "composed");
    tree.write("alpha/cafe\u{301}.md", "decomposed");
    assert_eq!(read(&tree, "caf\u{e9}.md"), Ok(b"composed".to_vec()), "no normalisation");
    assert_eq!(read(&tree, "cafe\u{301}.md"), Ok(b"decomposed".to_vec()), "no normalisation");
    for path in ["%2e%2e/CANARY", "..%2fCANARY", "..%252fCANARY", "\u{ff0e}\u{ff0e}/CANARY"] {
        assert_eq!(read(&tree, path), Err(SourceErrorKind::NotFound), "{path} is a name like any");
    }
}
