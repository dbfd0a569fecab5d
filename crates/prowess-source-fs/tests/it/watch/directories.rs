//! Directories that are created, moved and removed.

use std::fs;

use prowess_testkit::Tree;

use super::{SKILL, check, check_in_each, config, rename, tree, watched, write};

#[test]
fn a_directory_that_is_renamed_is_reported_by_both_names() {
    check(|skills| rename(skills.join("pdf"), skills.join("forms")), "pdf");
    check(|skills| rename(skills.join("pdf"), skills.join("forms")), "forms");
    check(|skills| rename(skills.join("group"), skills.join("team")), "team/inner");
}

#[test]
fn a_directory_that_was_renamed_is_still_watched() {
    let tree = tree();
    let watched = watched(config(&tree));
    rename(tree.join("skills/tables"), tree.join("skills/aardvark"));
    watched.exactly("aardvark", || write(tree.join("skills/aardvark/SKILL.md")));
}

/// Makes a directory, waits until it is reported, and checks that a later edit in it is reported too.
#[track_caller]
fn check_new(make: impl Fn(&Tree), package: &str) {
    check_in_each(|tree, watched| {
        make(tree);
        watched.wait_for(package);
        let file = tree.join("skills").join(package).join("SKILL.md");
        watched.exactly(package, || write(&file));
        fs::remove_file(file).expect("it goes");
        watched.wait_for(package).is_some()
    });
}

#[test]
fn a_directory_that_is_made_or_moved_in_is_watched() {
    check_new(|tree| tree.write("skills/new/SKILL.md", SKILL), "new");
    check_new(|tree| tree.write("skills/a/b/c/SKILL.md", SKILL), "a/b/c");
    check_new(|tree| rename(tree.join("outside"), tree.join("skills/inside")), "inside/shared");
    let there_and_back = |tree: &Tree| {
        rename(tree.join("skills/group"), tree.join("away"));
        rename(tree.join("away"), tree.join("skills/group"));
    };
    check_new(there_and_back, "group/inner");
}

#[test]
fn packages_below_one_that_ends_the_walk_come_with_its_end() {
    let tree = tree();
    tree.write("skills/pdf/deep/SKILL.md", SKILL);
    let watched = watched(config(&tree));
    fs::remove_file(tree.join("skills/pdf/SKILL.md")).expect("it goes");
    watched.wait_for("pdf/deep");
    watched.exactly("pdf/deep", || write(tree.join("skills/pdf/deep/SKILL.md")));
    watched.exactly("pdf/deep", || write(tree.join("skills/pdf/SKILL.md")));
}

#[test]
fn many_changes_at_once_are_reported() {
    let tree = tree();
    let watched = watched(config(&tree));
    for number in 0..1_000 {
        tree.write(&format!("skills/many/skill-{number}/SKILL.md"), SKILL);
    }
    watched.exactly("tables", || write(tree.join("skills/tables/SKILL.md")));
    // Reported one by one or as a whole, each is watched in the end.
    watched.exactly("many/skill-999", || write(tree.join("skills/many/skill-999/SKILL.md")));
}

#[test]
fn directory_that_is_gone_at_once_is_reported() {
    let tree = tree();
    let watched = watched(config(&tree));
    // A scan of everything may find it in between, and has to learn that it is gone.
    for number in 0..100 {
        let name = format!("brief-{number}");
        tree.write(&format!("skills/{name}/SKILL.md"), SKILL);
        fs::remove_dir_all(tree.join(&format!("skills/{name}"))).expect("it was written");
        watched.wait_for(&name);
    }
}
