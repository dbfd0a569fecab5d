//! Files that the process may not read, tested as root too.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind};
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{Tree, without_override};

use crate::{config, problems, scan, source};

/// Takes all rights of `bad` away and looks at what a scan says.
#[track_caller]
fn check(bad: &str, mode: u32, packages: &[&str], reported: &[&str]) {
    let tree = Tree::new(
        "//- /good/SKILL.md\ngood\n//- /bad/SKILL.md\nbad\n//- /group/deep/SKILL.md\ndeep\n",
    );
    let bad = tree.join(bad);
    fs::set_permissions(&bad, Permissions::from_mode(mode)).unwrap();
    without_override(|| {
        let scan = scan(config(&tree));
        assert_eq!(scan.packages(), packages, "the readable skills are found");
        assert_eq!(problems(&scan, tree.path()), reported, "the unreadable one is reported");
        let shut = reported
            .iter()
            .filter_map(|reported| reported.strip_prefix("error directory-unreadable "));
        let shut: Vec<_> = shut.map(|path| path.trim_start_matches('/')).collect();
        assert_eq!(scan.unreadable, shut, "what lies in a directory that is shut is not gone");
    });
    fs::set_permissions(&bad, Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn what_cannot_be_read_is_reported() {
    let file = ["error file-unreadable /bad/SKILL.md"];
    check("bad/SKILL.md", 0o000, &["good", "group/deep"], &file);
    check("bad", 0o000, &["good", "group/deep"], &["error directory-unreadable /bad"]);
    check("group", 0o000, &["bad", "good"], &["error directory-unreadable /group"]);
    check("", 0o000, &[], &["error directory-unreadable "]);
    // A package is entered, and not listed.
    check("bad", 0o100, &["bad", "good", "group/deep"], &[]);
    check("group", 0o100, &["bad", "good"], &["error directory-unreadable /group"]);
}

/// Trust in a project covers no repository in it, whatever may be seen of that.
#[test]
fn repository_in_a_package_is_left_out_even_if_it_cannot_be_listed() {
    let tree =
        Tree::new("//- /pdf/SKILL.md\n-\n//- /pdf/git/.git/x\n-\n//- /pdf/git/SKILL.md\n-\n");
    for mode in [0o100, 0o700] {
        fs::set_permissions(tree.join("pdf/git"), Permissions::from_mode(mode)).unwrap();
        let (nested, within) = (Nested::Descend, Some(tree.path().to_owned()));
        let config = FsConfig { nested, within, ..config(&tree) };
        without_override(|| assert_eq!(scan(config).packages(), ["pdf"], "{mode:o}"));
    }
}

#[test]
fn reading_without_right_is_denied() {
    let tree = Tree::new("//- /pdf/SKILL.md\npdf\n//- /pdf/secret.md\nsecret\n");
    fs::set_permissions(tree.join("pdf/secret.md"), Permissions::from_mode(0o000)).unwrap();
    without_override(|| {
        let package = PackagePath::new("pdf").unwrap();
        let resource = ResourcePath::new("secret.md").unwrap();
        let error =
            source(config(&tree)).read(&package, &resource, ReadLimit::default()).unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Denied, "the system's refusal is passed on");
    });
}

/// A package of the project that a link leads to is not gone because it cannot be read.
#[test]
fn a_linked_package_that_is_shut_is_reported_and_not_gone() {
    let tree = Tree::new("//- /parts/pdf/SKILL.md\npdf\n//- /skills/own/SKILL.md\nown\n");
    std::os::unix::fs::symlink("../parts/pdf", tree.join("skills/pdf")).unwrap();
    let target = tree.join("parts/pdf");
    without_override(|| {
        for mode in [0o000, 0o600] {
            for links in [Links::WithinRoot, Links::Follow] {
                fs::set_permissions(&target, Permissions::from_mode(mode)).unwrap();
                let within = Some(tree.path().to_owned());
                let scan = scan(FsConfig { links, within, ..FsConfig::new(tree.join("skills")) });
                fs::set_permissions(&target, Permissions::from_mode(0o700)).unwrap();
                assert_eq!(scan.packages(), ["own"], "{mode:o} {links:?}");
                assert_eq!(scan.unreadable, ["pdf"], "{mode:o} {links:?}");
                let reported = ["error directory-unreadable /skills/pdf"];
                assert_eq!(problems(&scan, tree.path()), reported, "{mode:o} {links:?}");
            }
        }
    });
}
