//! A load parses a `SKILL.md` by the rules that its catalog was made by.

use prowess::{Policies, Runtime, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

const GOOD: &str = "---\nname: pdf\ndescription: Fills forms.\n---\nFirst body.\n";

fn runtime(tree: &Tree, registry: &str) -> Runtime {
    let yaml = format!("registry: {{ {registry} }}\nrefresh: {{ mode: manual }}");
    let policies = Policies::from_yaml(&yaml).expect("the policies are good");
    let builder = dynamic::builder().policies(policies).skills_directory("user", tree.path());
    builder.build().expect("the runtime is complete")
}

fn load(runtime: &Runtime, name: &str) -> ToolResult {
    let session = runtime.open_session().expect("a session");
    let turn = runtime.turn(&session).expect("a turn");
    turn.call(&ToolCall::new("skills_load", json!({ "names": [name] }))).result
}

/// Replaces a good version by another, and checks what a load of the kept skill says.
#[track_caller]
fn check_kept(registry: &str, text: &str, error: &str) {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", GOOD);
    let runtime = runtime(&tree, registry);
    assert!(!load(&runtime, "pdf").is_error, "the good version can be loaded");
    tree.write("pdf/SKILL.md", text);
    let catalog = runtime.reload().catalog;
    assert!(catalog.get("pdf").is_some(), "the last good version is kept");
    let refused = load(&runtime, "pdf");
    assert!(refused.is_error, "a version that the registry rejects is not loaded");
    let answer = format!("{:?}", refused.content);
    assert!(answer.contains(error), "the answer names the error: {answer}");
}

#[test]
fn kept_skill_names_the_errors_of_its_file() {
    let text = "---\nname: pdf\ndescription: x\nname: two\n---\n";
    check_kept("", text, "4:1: error[yaml-duplicate-key]");
}

#[test]
fn load_refuses_what_the_profile_refuses() {
    let text = "---\nname: pdf\ndescription: x\ncolour: red\n---\nSecond body.\n";
    check_kept("profile: spec", text, "4:1: error[unknown-field]");
}

#[test]
fn load_refuses_what_the_limits_refuse() {
    let text = "---\nname: pdf\ndescription: Is long.\n---\nSecond body,\nof two lines.\n";
    let registry = "limits: { body_lines: { max: 1, severity: error } }";
    check_kept(registry, text, "error[body-too-long]");
}

#[test]
fn load_accepts_the_names_that_the_rule_accepts() {
    let tree = Tree::new("");
    tree.write("words/SKILL.md", "---\nname: Two Words\ndescription: x\n---\nBody\n");
    let runtime = runtime(&tree, "name_rule: any");
    let loaded = load(&runtime, "Two Words");
    assert!(!loaded.is_error, "{:?}", loaded.content);
}
