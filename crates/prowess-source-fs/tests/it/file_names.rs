//! Names of a package's files that no listing shows as they are.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind};
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

fn tree_config(tree: &Tree) -> FsConfig {
    FsConfig { nested: Nested::Descend, ..config(tree) }
}

#[test]
fn second_skill_md_is_a_warning() {
    let tree = Tree::new("//- /pdf/SKILL.md\nupper\n//- /pdf/skill.md\nlower\n");
    tree.write("one/skill.md", "alone");
    let source = source(tree_config(&tree));
    let mut scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.packages(), ["one", "pdf"]);
    let warning = ["warning skill-md-repeated /pdf/skill.md"];
    assert_eq!(problems(&scan, tree.path()), warning);
    assert!(scan.problems[0].message.contains("`SKILL.md`"), "it names the file that is used");
    for _ in 0..2 {
        scan = scan.next().record(&source).unwrap();
        assert_eq!(problems(&scan, tree.path()), warning, "a later scan reports it too");
    }
    let pdf = [PackagePath::new("pdf").unwrap()];
    let (scan, _) = ScanRecorder::default().record_packages(&source, &pdf).unwrap();
    assert_eq!(problems(&scan, tree.path()), warning, "so does a scan of the package alone");
    fs::remove_file(tree.join("pdf/skill.md")).unwrap();
    std::os::unix::fs::symlink("SKILL.md", tree.join("pdf/skill.md")).unwrap();
    let scan = crate::scan(tree_config(&tree));
    assert_eq!(problems(&scan, tree.path()), warning, "also where it is a link");
}

#[test]
fn file_name_that_is_not_utf8_is_a_warning() {
    let tree = Tree::new("//- /pdf/SKILL.md\nx\n//- /pdf/docs/a.md\nx\n//- /notes/b.md\nx\n");
    let odd = OsStr::from_bytes(b"\xff\xfe.md");
    for directory in ["pdf", "pdf/docs", "notes"] {
        fs::write(tree.join(directory).join(odd), "x").unwrap();
    }
    let scan = scan(tree_config(&tree));
    let [finding] = &scan.problems[..] else { panic!("one finding: {:?}", scan.problems) };
    assert_eq!(finding.code.as_str(), "path-not-utf8");
    assert!(!finding.is_error(), "the skill can be used");
    assert!(
        finding.message.contains("and 1 more"),
        "files outside packages do not count: {finding}"
    );
}

/// A path with the replacement character is that of another file.
#[test]
fn file_name_that_is_not_utf8_is_left_out_and_never_read() {
    let tree = Tree::new("//- /pdf/SKILL.md\nx\n//- /pdf/a.md\nx\n");
    fs::write(tree.join("pdf").join(OsStr::from_bytes(b"\xff\xfe.md")), "odd").unwrap();
    let source = source(tree_config(&tree));
    let package = PackagePath::new("pdf").unwrap();
    let listed = source.list(&package, 9).unwrap();
    let paths: Vec<_> = listed.resources.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["a.md"]);
    for path in ["\u{fffd}\u{fffd}.md", "%ff%fe.md", "\u{ff}\u{fe}.md"] {
        let path = ResourcePath::new(path).unwrap();
        let read = source.read(&package, &path, ReadLimit::default());
        assert_eq!(read.unwrap_err().kind, SourceErrorKind::NotFound, "{path}");
    }
}

#[test]
fn file_names_that_differ_in_composition_are_a_warning() {
    let tree = Tree::new("//- /pdf/SKILL.md\nx\n");
    tree.write("pdf/docs/caf\u{e9}.md", "one");
    tree.write("pdf/docs/cafe\u{301}.md", "two");
    tree.write("pdf/caf\u{e9}.md", "another directory");
    let scan = scan(tree_config(&tree));
    let codes: Vec<_> = scan.problems.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["normalisation-collision"], "{:?}", scan.problems);
}
