//! Roots that appear, move and disappear, and `.gitignore` files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use prowess_source_fs::FsConfig;
use prowess_testkit::{Tree, without_override};

use super::{SKILL, config, rename, tree, watched, write};

#[test]
fn a_root_that_is_made_later_is_watched() {
    let tree = Tree::new("");
    let watched = watched(FsConfig::new(tree.join("a/b/skills")));
    fs::create_dir(tree.join("a")).expect("it can be made");
    watched.wait_for_everything();
    watched.exactly("pdf", || tree.write("a/b/skills/pdf/SKILL.md", SKILL));
}

#[test]
fn a_root_that_is_moved_with_the_directory_above_it_is_reported() {
    for (from, to) in [(".agents", ".off"), (".agents/skills", ".agents/off")] {
        let tree = Tree::new("");
        tree.write("project/.agents/skills/pdf/SKILL.md", SKILL);
        let watched = watched(FsConfig::new(tree.join("project/.agents/skills")));
        let (from, to) = (tree.join("project").join(from), tree.join("project").join(to));
        rename(&from, &to);
        watched.wait_for_everything();
        rename(&to, &from);
        watched.exactly("pdf", || write(tree.join("project/.agents/skills/pdf/SKILL.md")));
    }
}

/// These files, in the tree or above it, decide what is searched.
#[test]
fn a_gitignore_that_comes_changes_or_goes_may_change_everything() {
    for place in ["skills/.gitignore", "skills/group/.gitignore", ".gitignore"] {
        let tree = tree();
        let watched = watched(FsConfig { gitignore: Some(tree.path().into()), ..config(&tree) });
        for text in ["drafts/\n", ""] {
            tree.write(place, text);
            watched.wait_for_everything();
        }
        fs::remove_file(tree.join(place)).expect("it goes");
        watched.wait_for_everything();
    }
}

/// What has become another repository is not in the project that was trusted.
#[test]
fn a_repository_that_comes_or_goes_in_a_project_may_change_everything() {
    for place in ["a", "a/b", "a/b/c/skills", "a/b/c/skills/group", "a/b/c/skills/group/inner"] {
        let tree = Tree::new("");
        tree.write("a/b/c/skills/group/inner/SKILL.md", SKILL);
        let within = Some(tree.path().to_owned());
        let root = tree.join("a/b/c/skills");
        let watched = watched(FsConfig { within, ..FsConfig::new(root) });
        let repository = tree.join(place).join(".git");
        fs::create_dir(&repository).expect("it can be made");
        watched.wait_for_everything();
        fs::remove_dir(&repository).expect("it goes");
        watched.wait_for_everything();
    }
}

#[test]
fn a_root_that_is_shut_for_a_while_is_reported_when_it_opens() {
    without_override(|| {
        let tree = tree();
        let skills = tree.join("skills");
        let rights = |mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(&skills, mode).expect("the rights change");
        };
        let watched = watched(config(&tree));
        rights(0o000);
        watched.wait_for_everything();
        rights(0o700);
        watched.wait_for_everything();
        watched.exactly("pdf", || tree.write("skills/pdf/SKILL.md", SKILL));
    });
}

/// Sources share the instance of the operating system, and each path of it.
#[test]
fn source_that_ends_leaves_the_watches_of_others() {
    let tree = tree();
    let inner = || FsConfig { root: tree.join("skills/group"), ..config(&tree) };
    let (outer, first, second) = (watched(config(&tree)), watched(inner()), watched(inner()));
    drop(first);
    outer.exactly("group/inner", || write(tree.join("skills/group/inner/SKILL.md")));
    second.wait_for("inner");
    drop(outer);
    second.exactly("inner", || write(tree.join("skills/group/inner/SKILL.md")));
    second.exactly("late", || tree.write("skills/group/late/SKILL.md", SKILL));
}
