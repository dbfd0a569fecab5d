//! Which packages are found, and where.

use prowess_core::SkillSource;
use prowess_source_fs::{FsConfig, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

const TREE: &str = include_str!("../data/scan.txt");

#[track_caller]
fn check(tree: &str, change: impl Fn(&mut FsConfig), packages: &[&str], reported: &[&str]) {
    let tree = Tree::new(tree);
    let mut config = config(&tree);
    change(&mut config);
    let scan = scan(config);
    assert_eq!(scan.packages(), packages, "the packages of the tree");
    assert_eq!(problems(&scan, tree.path()), reported, "the findings of the scan");
}

#[test]
fn a_package_ends_the_walk_and_hidden_directories_are_walked() {
    let found = ["both", "group/.claude/skills/deep", "lower", "pdf"];
    check(TREE, |_| {}, &found, &[]);
}

#[test]
fn packages_inside_packages_are_found_when_asked_for() {
    let found = ["both", "group/.claude/skills/deep", "lower", "pdf", "pdf/nested"];
    let reported = ["warning skill-md-repeated /both/skill.md"];
    check(TREE, |config| config.nested = Nested::Descend, &found, &reported);
}

#[test]
fn a_root_may_be_the_package() {
    let tree = "//- /SKILL.md\nroot\n//- /inner/SKILL.md\ninner\n";
    check(tree, |_| {}, &[""], &[]);
    check(tree, |config| config.nested = Nested::Descend, &["", "inner"], &[]);
    for file in ["SKILL.md", "skill.md", "Skill.md"] {
        let tree = format!("//- /{file}\ndraft\n//- /inner/SKILL.md\ninner\n");
        check(
            &tree,
            |config| config.holds_skills = true,
            &["inner"],
            &[&format!("warning file-misplaced /{file}")],
        );
    }
}

#[test]
fn a_root_is_absolute_without_a_last_slash_and_may_be_a_link() {
    let tree = Tree::new("//- /real/pdf/SKILL.md\npdf\n");
    std::os::unix::fs::symlink("real", tree.join("link")).unwrap();
    let mut slashed = tree.join("link").into_os_string();
    slashed.push("/");
    let source = source(FsConfig::new(slashed));
    assert_eq!(source.root(), tree.join("link").to_str().unwrap(), "the host's own word for it");
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.packages(), ["pdf"], "a root that the host names is followed");
    let relative = crate::source(FsConfig::new("some/where"));
    assert!(relative.root().starts_with('/'), "a relative root is made absolute");
    assert!(relative.root().ends_with("/some/where"), "from the working directory");
}
