//! Names that make no path, and names that look the same.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use prowess_core::PackagePath;
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

#[track_caller]
fn check(directory: &[u8], reported: [&str; 2]) {
    for (file, reported) in ["SKILL.md", "README.md"].into_iter().zip(reported) {
        let tree = Tree::new("//- /good/SKILL.md\ngood\n");
        let directory = tree.path().join(OsStr::from_bytes(directory));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(file), "text").unwrap();
        let scan = scan(config(&tree));
        assert_eq!(scan.packages(), ["good"], "the other skill is found");
        assert_eq!(problems(&scan, tree.path()), [reported], "the name is reported");
    }
}

#[test]
fn a_name_that_no_client_can_have_is_reported() {
    let reported =
        ["error path-not-utf8 /caf\u{fffd}/SKILL.md", "warning path-not-utf8 /caf\u{fffd}"];
    check(b"caf\xe9", reported);
    let reported = ["error path-not-portable /c:x/SKILL.md", "warning path-not-portable /c:x"];
    check(b"c:x", reported);
    let reported = ["error path-not-portable /a\\b/SKILL.md", "warning path-not-portable /a\\b"];
    check(b"a\\b", reported);
}

#[test]
fn instructions_under_a_name_that_is_not_used_are_reported() {
    let tree = Tree::new("//- /good/SKILL.md\ngood\n//- /team/pdf/Skill.md\npdf\n");
    tree.write("notes/SKILL.MD", "notes");
    // Where there is a `SKILL.md`, the other file is one of the package's own.
    tree.write("good/Skill.md", "other");
    let config = FsConfig { nested: Nested::Descend, ..config(&tree) };
    let found = scan(config.clone());
    assert_eq!(found.packages(), ["good"], "no client finds another name");
    let reported =
        ["error file-misnamed /notes/SKILL.MD", "error file-misnamed /team/pdf/Skill.md"];
    assert_eq!(problems(&found, tree.path()), reported);

    let source = source(config);
    let asked = [PackagePath::new("team/pdf").unwrap(), PackagePath::new("good").unwrap()];
    let (recorder, _) = ScanRecorder::default().record_packages(&source, &asked).unwrap();
    assert_eq!(
        problems(&recorder, tree.path()),
        reported[1..],
        "a scan of one package reports it too"
    );
}

#[test]
fn names_that_differ_in_composition_only_are_two_skills_and_a_warning() {
    let tree = Tree::new("//- /caf\u{e9}/SKILL.md\none\n//- /cafe\u{301}/SKILL.md\ntwo\n");
    let scan = scan(config(&tree));
    assert_eq!(scan.packages(), ["cafe\u{301}", "caf\u{e9}"], "the bytes are the name");
    let reported = problems(&scan, tree.path());
    assert_eq!(reported.len(), 1, "the two are reported once");
    assert!(reported[0].starts_with("warning normalisation-collision /caf"), "{reported:?}");
}
