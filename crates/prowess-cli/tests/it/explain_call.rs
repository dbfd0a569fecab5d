//! `prowess call --explain`: whether a call may run, and why.

use prowess_testkit::Tree;

use crate::program::{Program, Ran};

const SKILLS: &str = "
//- /release/SKILL.md
---
name: release
description: Makes releases.
allowed-tools: Read Bash(git:*)
---
Body
";

/// Explains a call of `Bash` after the skill was loaded.
fn explain(tree: &Tree, command: &str, further: &[&str]) -> Ran {
    let json = serde_json::json!({ "command": command }).to_string();
    let arguments = ["call", "--explain", "Bash", &json, "--load", "release"];
    Program::new().root("user", tree.path()).run(&[&arguments, further].concat())
}

#[test]
fn granted_calls_name_their_rule() {
    let tree = Tree::new(SKILLS);
    let ran = explain(&tree, "git status", &[]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.text().starts_with("allow: `Bash` is covered by `allowed-tools`"),
        "{}",
        ran.text()
    );
    let rule = format!("{}:4:21\n   | Bash(git:*)\n", tree.join("release/SKILL.md").display());
    assert!(ran.text().contains(&rule), "the rule has its line and column: {}", ran.text());
}

#[test]
fn other_calls_name_position_and_reason() {
    let tree = Tree::new(SKILLS);
    let ran = explain(&tree, "git log > file", &[]);
    assert_eq!(ran.code, Some(1));
    let place = format!("{}:4:21", tree.join("release/SKILL.md").display());
    assert!(ran.stdout.contains(&place), "{}", ran.stdout);
    let decision = explain(&tree, "git log > file", &["--format", "json"]).json();
    assert_eq!(decision["decision"], "ask");
    assert_eq!(decision["grounds"]["rules"][0]["line"], 4);
}

#[test]
fn explained_calls_are_not_run() {
    let tree = Tree::new(SKILLS);
    let load = ["call", "skills_load", r#"{"names": ["release"]}"#, "--explain"];
    let ran = Program::new().root("user", tree.path()).run(&load);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.text(), "allow: `skills.load` manages skills, which is always possible\n");
}
