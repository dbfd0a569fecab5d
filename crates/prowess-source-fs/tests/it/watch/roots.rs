//! Roots that appear, move and disappear, and `.gitignore` files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use prowess_core::SourceChange;
use prowess_source_fs::FsConfig;
use prowess_testkit::{Tree, without_override};

use super::{LONG, SKILL, config, rename, tree, watched, write};

#[test]
fn a_root_that_is_made_later_is_watched() {
    let tree = Tree::new("");
    let watched = watched(FsConfig::new(tree.join("a/b/skills")));
    fs::create_dir(tree.join("a")).expect("it can be made");
    watched.wait_for_everything();
    tree.write("a/b/skills/pdf/SKILL.md", SKILL);
    // Each write is reported, by name once the watch is up and as anything before.
    loop {
        write(tree.join("a/b/skills/pdf/SKILL.md"));
        let reported = watched.changes.recv_timeout(LONG).expect("a write is reported");
        if matches!(reported, SourceChange::Packages(_)) {
            break;
        }
    }
}

#[test]
fn a_root_that_goes_and_comes_back_is_watched() {
    let tree = tree();
    let watched = watched(config(&tree));
    rename(tree.join("skills"), tree.join("away"));
    watched.wait_for_everything();
    rename(tree.join("away"), tree.join("skills"));
    watched.wait_for_everything();
    write(tree.join("skills/pdf/SKILL.md"));
    watched.wait_for("pdf");
}

#[test]
fn a_root_that_is_moved_with_the_directory_above_it_is_reported() {
    let tree = Tree::new("");
    tree.write("project/.agents/skills/pdf/SKILL.md", SKILL);
    let watched = watched(FsConfig::new(tree.join("project/.agents/skills")));
    for (from, to) in [(".agents", ".off"), (".agents/skills", ".agents/off")] {
        let (from, to) = (tree.join("project").join(from), tree.join("project").join(to));
        rename(&from, &to);
        watched.wait_for_everything();
        rename(&to, &from);
        watched.wait_for_everything();
        while watched.changes.recv_timeout(Duration::from_millis(100)).is_ok() {}
    }
    write(tree.join("project/.agents/skills/pdf/SKILL.md"));
    watched.wait_for("pdf");
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
        tree.write("skills/pdf/SKILL.md", SKILL);
        watched.wait_for("pdf");
    });
}

/// Sources share the instance of the operating system, and each path of it.
#[test]
fn source_that_ends_leaves_the_watches_of_others() {
    let tree = tree();
    let inner = || FsConfig { root: tree.join("skills/group"), ..config(&tree) };
    let (outer, first, second) = (watched(config(&tree)), watched(inner()), watched(inner()));
    drop(first);
    write(tree.join("skills/group/inner/SKILL.md"));
    outer.wait_for("group/inner");
    second.wait_for("inner");
    drop(outer);
    write(tree.join("skills/group/inner/SKILL.md"));
    second.wait_for("inner");
    tree.write("skills/group/late/SKILL.md", SKILL);
    second.wait_for("late");
}
