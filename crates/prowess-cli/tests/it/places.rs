//! Where skills come from when no root is named, and which of two is used.

use std::fs;
use std::path::Path;

use prowess_testkit::Tree;
use serde_json::Value;

use crate::plain_skill;
use crate::program::{Program, Ran};

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
fn outside_of_a_repository_only_the_working_directory_counts() {
    let tree = Tree::new("");
    put(&tree, "work/.agents/skills", "above");
    put(&tree, "work/here/.agents/skills", "here");
    fs::create_dir_all(tree.join("home")).unwrap();
    let listed = list(&tree, "work/here");
    assert_eq!(places(&tree, &listed), ["project: work/here/.agents/skills/here/SKILL.md"]);
}

#[test]
fn layers_have_their_precedence() {
    let tree = machine();
    for skills in ["home/.agents/skills", "repository/.agents/skills"] {
        put(&tree, skills, "both");
        put(&tree, skills, "skill-review");
    }
    put(&tree, "home/.agents/skills", "skill-writing");
    let listed = list(&tree, "repository/crates/deep");
    let layer_of = |id: &str| {
        let skills = listed["skills"].as_array().unwrap();
        skills.iter().find(|skill| skill["id"] == id).map(|skill| skill["layer"].clone())
    };
    for (id, layer) in [
        ("both", "project"),
        ("skill-review", "project"),
        ("skill-writing", "user"),
        ("prowess-usage", "embedded"),
    ] {
        assert_eq!(layer_of(id), Some(layer.into()), "`{id}` comes from the highest layer");
    }
    let shadowed = listed["shadowed"].as_array().unwrap();
    let hidden: Vec<_> =
        shadowed.iter().map(|skill| (&skill["id"], &skill["layer"], &skill["state"])).collect();
    for (id, layer) in [
        ("both", "user"),
        ("skill-review", "embedded"),
        ("skill-review", "user"),
        ("skill-writing", "embedded"),
    ] {
        let is_reported = hidden.contains(&(&id.into(), &layer.into(), &"shadowed".into()));
        assert!(is_reported, "`{id}` of `{layer}` is reported as shadowed: {hidden:?}");
    }
}

/// Installers link a skill from one place into each client's directory, and a project links its own
/// parts.
#[test]
fn links_follow_the_trust_or_the_policy() {
    let tree = machine();
    put(&tree, "common", "shared");
    put(&tree, "repository/parts", "own");
    for (link, target) in [
        ("home/.agents/skills/a", "common/shared"),
        ("repository/.agents/skills/b", "common/shared"),
        ("repository/.agents/skills/c", "repository/parts/own"),
    ] {
        fs::create_dir_all(tree.join(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(tree.join(target), tree.join(link)).unwrap();
    }
    let (users, projects) =
        ("user: home/.agents/skills/a/SKILL.md", "project: repository/.agents/skills/c/SKILL.md");
    assert_eq!(places(&tree, &list(&tree, "repository")), [projects, users], "by trust");
    let both = "project: repository/.agents/skills/b/SKILL.md";
    for (links, expected) in
        [("never", &[][..]), ("within_root", &[projects]), ("follow", &[projects, both])]
    {
        tree.write("policy.yaml", format!("discovery: {{ links: {links} }}\n"));
        let policy = tree.join("policy.yaml").display().to_string();
        let args = ["list", "--config", &policy, "--format", "json"];
        let listed = at(&tree, "repository").run(&args).json();
        assert_eq!(places(&tree, &listed), expected, "{links}");
    }
}

/// A package is one, however many clients have a link to it.
#[test]
fn package_linked_twice_is_one_skill() {
    let tree = machine();
    put(&tree, "common", "shared");
    tree.write("common/shared/scripts/run.sh", "echo\n");
    for place in ["home/.agents/skills", "home/.prowess/skills"] {
        fs::create_dir_all(tree.join(place)).unwrap();
        std::os::unix::fs::symlink(tree.join("common/shared"), tree.join(place).join("shared"))
            .unwrap();
    }
    tree.write("policy.yaml", "registry: { collision: error }\n");
    let policy = tree.join("policy.yaml").display().to_string();
    let listed = at(&tree, "home").run(&["list", "--config", &policy, "--format", "json"]).json();
    let found = listed["diagnostics"].as_array().unwrap().iter();
    let codes: Vec<_> = found.map(|found| found["code"].as_str().unwrap()).collect();
    assert_eq!(codes, Vec::<&str>::new(), "two links to one directory are one skill");
    assert_eq!(places(&tree, &listed).len(), 1);
}

#[test]
fn missing_default_directory_is_not_reported() {
    let ran = Program::new().run(&[]);
    assert!(ran.text().contains("3 skills"), "the program's own skills are always there");
    assert_eq!(ran.stderr, "", "a missing directory of skills is no finding");
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
fn roots_of_two_layers_follow_the_layers_not_their_order() {
    let (low, high) = (Tree::new(""), Tree::new(""));
    put(&low, "", "same");
    put(&high, "", "same");
    let layered = |first: (&str, &Path), second: (&str, &Path)| -> Ran {
        let program = Program::new().root(first.0, first.1).root(second.0, second.1);
        program.run(&["list", "--format", "json"])
    };
    let (user, project) = (("user", low.path()), ("project", high.path()));
    for ran in [layered(user, project), layered(project, user)] {
        let listed = ran.json();
        assert_eq!(listed["skills"][0]["layer"], "project");
        assert_eq!(listed["shadowed"][0]["layer"], "user");
        assert_eq!(listed["diagnostics"][0]["code"], "skill-copy", "both have the same text");
    }
}

#[test]
fn lower_layer_of_one_name_is_shadowed() {
    let tree = Tree::new(Tree::SAME_NAME_IN_TWO_LAYERS);
    let program = ["user", "project"]
        .iter()
        .fold(Program::new(), |program, layer| program.root(layer, &tree.join(layer)));
    let listed = program.run(&["list", "--format", "json"]).json();
    assert_eq!(places(&tree, &listed), ["project: project/pdf/SKILL.md"]);
    assert_eq!(listed["shadowed"][0]["location"], tree.join("user/pdf/SKILL.md").to_str().unwrap());
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
    for file in fs::read_dir(&cache).unwrap() {
        fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    let damaged = here().run(&["list", "--format", "json"]).json();
    assert_eq!(damaged["diagnostics"][0]["code"], "cache-ignored", "{damaged}");
    assert_eq!(damaged["skills"], without["skills"], "the skills are read again");
}
