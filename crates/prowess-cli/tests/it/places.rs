//! Where skills come from when no root is named, and which of two is used.

use std::fs;
use std::path::Path;

use prowess_testkit::Tree;
use serde_json::Value;

use crate::plain_skill;
use crate::program::Program;

/// A machine: a home, and a repository with a directory deep inside.
fn machine() -> Tree {
    let tree = Tree::new("");
    tree.write("repository/.git/HEAD", "ref: refs/heads/main\n");
    for directory in ["home", "repository/crates/deep"] {
        fs::create_dir_all(tree.join(directory)).unwrap();
    }
    tree
}

/// Puts a skill into a directory of skills.
fn put(tree: &Tree, skills: &str, name: &str) {
    let directory = Path::new(skills).join(name);
    tree.write(&format!("{}/SKILL.md", directory.display()), plain_skill(name));
}

/// The skills of a directory whose project is trusted.
fn list(tree: &Tree, working: &str) -> Value {
    at(tree, working).run(&["trust"]).text();
    at(tree, working).run(&["list", "--format", "json"]).json()
}

fn at(tree: &Tree, working: &str) -> Program {
    Program::new().at_home_in(&tree.join("home")).working_in(&tree.join(working))
}

/// Each visible skill that is not embedded, with its layer and its place in the tree.
fn places(tree: &Tree, listed: &Value) -> Vec<String> {
    let root = format!("{}/", tree.path().display());
    let skills = listed["skills"].as_array().unwrap().iter();
    let others = skills.filter(|skill| skill["layer"] != "embedded");
    let text = |skill: &Value, key: &str| skill[key].as_str().unwrap().replace(&root, "");
    others.map(|skill| format!("{}: {}", text(skill, "layer"), text(skill, "location"))).collect()
}

#[test]
fn user_and_project_directories_are_searched() {
    let tree = Tree::new("");
    put(&tree, "home/.agents/skills", "a");
    put(&tree, "home/.prowess/skills", "b");
    put(&tree, "home/.config/agents/skills", "b2");
    put(&tree, "work/repository/.agents/skills", "c");
    put(&tree, "work/repository/.prowess/skills", "c2");
    put(&tree, "work/repository/crates/.agents/skills", "d");
    put(&tree, "work/repository/crates/deep/.agents/skills", "e");
    put(&tree, "work/.agents/skills", "outside");
    put(&tree, "work/repository/other/.agents/skills", "aside");
    tree.write("work/repository/.git/HEAD", "ref: refs/heads/main\n");
    let listed = list(&tree, "work/repository/crates/deep");
    let expected = [
        "user: home/.agents/skills/a/SKILL.md",
        "user: home/.prowess/skills/b/SKILL.md",
        "user: home/.config/agents/skills/b2/SKILL.md",
        "project: work/repository/.agents/skills/c/SKILL.md",
        "project: work/repository/.prowess/skills/c2/SKILL.md",
        "project: work/repository/crates/.agents/skills/d/SKILL.md",
        "project: work/repository/crates/deep/.agents/skills/e/SKILL.md",
    ];
    assert_eq!(places(&tree, &listed), expected);
}

#[test]
fn a_named_root_is_the_only_one() {
    let (tree, other) = (machine(), Tree::new(""));
    put(&tree, "home/.agents/skills", "not-asked-for");
    put(&other, "", "mine");
    let program = Program::new().at_home_in(&tree.join("home")).root("project", other.path());
    let listed = program.run(&["list", "--format", "json"]).json();
    let ids: Vec<_> = listed["skills"].as_array().unwrap().iter().map(|s| &s["id"]).collect();
    assert_eq!(ids, ["mine"]);
    assert_eq!(listed["skills"][0]["layer"], "project");
}

#[test]
fn a_root_without_a_layer_is_the_users_and_may_be_relative() {
    let tree = Tree::new("");
    put(&tree, "skills", "mine");
    let program = Program::new().working_in(tree.path());
    let listed = program.run(&["--root", "skills", "list", "--format", "json"]).json();
    assert_eq!(places(&tree, &listed), ["user: skills/mine/SKILL.md"]);
}

#[test]
fn unknown_layer_is_a_usage_error() {
    let tree = Tree::new("");
    let ran = Program::new().root("team", tree.path()).run(&["list", "--format", "json"]);
    assert_eq!(ran.code, Some(2), "the command itself is wrong");
    let message = ran.error()["message"].to_string();
    for layer in ["`team`", "`project`", "`user`", "`embedded`"] {
        assert!(message.contains(layer), "the message names {layer}: {message}");
    }
}

#[test]
fn scans_are_cached_unless_disabled() {
    let tree = machine();
    let here = || at(&tree, "repository");
    put(&tree, "home/.agents/skills", "mine");
    let cache = tree.join("home/.cache/prowess/records");
    let without = here().run(&["--no-cache", "list", "--format", "json"]).json();
    assert!(!tree.join("home/.cache").exists(), "nothing is kept");
    let first = here().run(&["list", "--format", "json"]).json();
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1, "a file for each directory with skills");
    let second = here().run(&["list", "--format", "json"]).json();
    assert_eq!((&first, &second), (&without, &without), "and the output is the same");
}

#[test]
fn a_directory_is_one_skill_with_a_name() {
    let tree = Tree::new("");
    put(&tree, "home/.agents/skills", "declared");
    put(&tree, "desk/odd as named", "inside");
    let named = format!("{}/home/.agents/skills/declared as given", tree.path().display());
    let whole = format!("{}/desk/odd as named", tree.path().display());
    for (root, expected) in [(&named, "given"), (&whole, "inside")] {
        let key = format!("discovery.roots={{ user: [{root}] }}");
        for option in [["--root", root], ["--set", &key]] {
            let list = [&option[..], &["list", "--format", "json"]].concat();
            let listed = at(&tree, "desk").run(&list).json();
            let mut skills = listed["skills"].as_array().unwrap().iter();
            assert!(skills.any(|skill| skill["id"] == expected), "{option:?}: {listed}");
        }
    }
    let refused = at(&tree, "desk").run(&["--root", &format!("{named}/../x"), "list"]);
    assert!(refused.stderr.contains("`given/../x` behind ` as ` names no skill"), "{refused:?}");
}
