//! The rules that every source keeps.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use prowess_core::SkillSource;
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{
    FixtureSource, SourceFixture, Tree, Unreadable, WayOut, check_source, time_after_changes,
};

use crate::source;

#[derive(Clone, Copy)]
struct Fixture {
    links: Links,
    nested: Nested,
    /// Whether the files count as some seconds old.
    is_old: bool,
}

impl Fixture {
    fn over(&self, tree: Tree) -> Arc<dyn SkillSource> {
        let mut config = FsConfig::new(tree.path());
        config.links = self.links;
        config.nested = self.nested;
        let mut source = source(config);
        if self.is_old {
            source = source.with_old_changes(time_after_changes(tree.path()));
        }
        Arc::new(FixtureSource { source: Arc::new(source), fixture: tree })
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

const DIRECTORY: Fixture = Fixture { links: Links::Follow, nested: Nested::Stop, is_old: false };

#[test]
fn the_rules_are_kept_in_a_directory_of_skills() {
    check_source(&DIRECTORY);
}

/// The kit compared the stamps of old files with themselves.
#[test]
fn the_rules_are_kept_for_old_files() {
    check_source(&Fixture { is_old: true, ..DIRECTORY });
}

#[test]
fn the_rules_are_kept_in_a_tree_of_repositories() {
    let (links, nested) = (Links::WithinRoot, Nested::Descend);
    check_source(&Fixture { links, nested, ..DIRECTORY });
}

#[test]
fn the_rules_are_kept_without_links() {
    check_source(&Fixture { links: Links::Never, ..DIRECTORY });
}
