//! Which packages are found, and where.

use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::Tree;

use crate::{config, problems, scan};

const TREE: &str = "
//- /pdf/SKILL.md
pdf
//- /pdf/nested/SKILL.md
nested
//- /group/.claude/skills/deep/SKILL.md
deep
//- /lower/skill.md
lower
//- /both/skill.md
wrong
//- /both/SKILL.md
right
//- /.git/hidden/SKILL.md
no
//- /node_modules/vendored/SKILL.md
no
//- /notes/README.md
no
";

#[track_caller]
fn check(tree: &str, change: impl Fn(&mut FsConfig), packages: &[&str], told: &[&str]) {
    let tree = Tree::new(tree);
    let mut config = config(&tree);
    change(&mut config);
    let scan = scan(config);
    assert_eq!(scan.packages(), packages, "the packages of the tree");
    assert_eq!(problems(&scan, tree.path()), told, "what the scan tells of");
}

#[test]
fn a_package_ends_the_walk_and_hidden_directories_are_walked() {
    let found = ["both", "group/.claude/skills/deep", "lower", "pdf"];
    check(TREE, |_| {}, &found, &[]);
}

#[test]
fn packages_inside_packages_are_found_when_asked_for() {
    let found = ["both", "group/.claude/skills/deep", "lower", "pdf", "pdf/nested"];
    check(TREE, |config| config.nested = Nested::Descend, &found, &[]);
}

#[test]
fn a_root_may_be_the_package() {
    let tree = "//- /SKILL.md\nroot\n//- /inner/SKILL.md\ninner\n";
    check(tree, |_| {}, &[""], &[]);
    check(tree, |config| config.nested = Nested::Descend, &["", "inner"], &[]);
}

#[test]
fn links_policy_default_is_to_follow() {
    assert_eq!(FsConfig::new("/x").links, Links::Follow, "installers link skills");
}
