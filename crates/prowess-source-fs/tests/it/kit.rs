//! The rules that every source keeps.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use prowess_core::SkillSource;
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{FixtureSource, SourceFixture, Tree, Unreadable, WayOut, check_source};

use crate::source;

struct Fixture {
    links: Links,
    nested: Nested,
}

impl Fixture {
    fn over(&self, tree: Tree) -> Arc<dyn SkillSource> {
        let mut config = FsConfig::new(tree.path());
        config.links = self.links;
        config.nested = self.nested;
        Arc::new(FixtureSource { source: Arc::new(source(config)), fixture: tree })
    }
}

fn tree(files: &[(&str, &[u8])]) -> Tree {
    let tree = Tree::new("");
    for (path, bytes) in files {
        tree.write(path, bytes);
    }
    tree
}

impl SourceFixture for Fixture {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        self.over(tree(files))
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let tree = tree(files);
        let bad = tree.join("bad/SKILL.md");
        fs::create_dir_all(&bad).unwrap();
        Some(Unreadable { path: bad.to_string_lossy().into_owned(), source: self.over(tree) })
    }

    fn ways_out(&self) -> Vec<WayOut> {
        ["link.md", "up/neighbour/SKILL.md", "absolute"]
            .map(|resource| {
                let tree = Tree::new("//- /alpha/SKILL.md\nalpha\n//- /neighbour/SKILL.md\nx\n");
                symlink("../neighbour/SKILL.md", tree.join("alpha/link.md")).unwrap();
                symlink("..", tree.join("alpha/up")).unwrap();
                symlink("/etc/hostname", tree.join("alpha/absolute")).unwrap();
                WayOut { source: self.over(tree), package: "alpha", resource }
            })
            .into()
    }
}

#[test]
fn the_rules_are_kept_in_a_directory_of_skills() {
    check_source(&Fixture { links: Links::Follow, nested: Nested::Stop });
}

#[test]
fn the_rules_are_kept_in_a_tree_of_repositories() {
    check_source(&Fixture { links: Links::WithinRoot, nested: Nested::Descend });
}

#[test]
fn the_rules_are_kept_without_links() {
    check_source(&Fixture { links: Links::Never, nested: Nested::Stop });
}
