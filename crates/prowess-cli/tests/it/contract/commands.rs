//! What commands do beside printing their document.

use std::collections::BTreeSet;

use prowess_testkit::Tree;
use serde_json::Value;

use super::tree;
use crate::program::Program;
use crate::{plain_skill, run, skill_md};

#[test]
fn tools_are_listed_without_a_name() {
    let tree = tree();
    let listed = run(tree.path(), &["call", "--format", "json"]).json();
    let tools = listed["tools"].as_array().expect("a list");
    let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"skills_load") && names.contains(&"skills_read"), "{names:?}");
    let text = run(tree.path(), &["call"]);
    assert!(text.text().starts_with("skills_load "), "{}", text.stdout);
    let unknown = run(tree.path(), &["call", "nosuch"]);
    assert!(
        unknown.stderr.contains("`prowess call` without a name lists the tools"),
        "{unknown:?}"
    );
    let explain = run(tree.path(), &["call", "--explain"]);
    assert_eq!(explain.code, Some(2), "there is nothing to explain without a tool");
}

#[test]
fn change_detection_follows_the_policy() {
    let tree = tree();
    for (mode, changes) in
        [("watch", "watched"), ("poll", "polled"), ("ttl", "aged"), ("manual", "manual")]
    {
        let refresh = format!("refresh: {{ mode: {mode}, ttl_seconds: 1 }}");
        let config = Tree::new(&format!("//- /prowess.yaml\n{refresh}\n"));
        let program = Program::new().root("user", tree.path());
        let program = program.config(&config.join("prowess.yaml"));
        let checked = program.run(&["doctor", "--format", "json"]).json();
        let root = &checked["roots"][0];
        assert_eq!(root["changes"], changes, "{mode}: {checked}");
        let is_aged = root["reason"].as_str().is_some_and(|it| it.contains("60 s after"));
        assert_eq!(is_aged, mode == "ttl", "the time is that of `cool_down_seconds`: {root}");
    }
}

#[test]
fn doctor_has_every_error_that_validate_has() {
    let tree = tree();
    tree.write("linked/SKILL.md", skill_md("name: linked\ndescription: Use it.\ncolour: red"));
    tree.write("yaml/SKILL.md", "---\nname: yaml\n- x\n---\nBody\n");
    tree.write("upper/SKILL.md", skill_md("name: Upper\ndescription: Use it."));
    tree.write("empty/SKILL.md", "");
    let doctor = run(tree.path(), &["doctor", "--format", "json"]).json();
    let root = tree.path().display().to_string();
    let validated = Program::new().run(&["validate", &root, "--format", "json"]).json();
    let authoring = &doctor["authoring"][0];
    for kind in ["errors", "warnings"] {
        assert_eq!(authoring[kind], validated["summary"][kind], "the same number of {kind}");
    }
    let packages = validated["packages"].as_array().expect("a list").iter();
    let lists = packages.map(|package| &package["diagnostics"]);
    let errors = findings(lists.chain([&validated["diagnostics"]]), &["error"]);
    let shown =
        findings([&doctor["diagnostics"], &authoring["diagnostics"]], &["error", "warning"]);
    assert!(errors.is_subset(&shown), "doctor has {errors:?}: {doctor:#}");
    assert!(errors.len() >= 4, "there are several kinds: {errors:?}");
}

/// Returns the (code, path) of each finding of these severities in some lists.
fn findings<'f>(
    lists: impl IntoIterator<Item = &'f Value>,
    severities: &[&str],
) -> BTreeSet<(&'f str, &'f str)> {
    let found = lists.into_iter().flat_map(|list| list.as_array().expect("a list"));
    let text = |found: &'f Value, key: &str| found[key].as_str().unwrap_or_default();
    let meant = found.filter(|found| severities.contains(&text(found, "severity")));
    meant.map(|found| (text(found, "code"), text(found, "path"))).collect()
}

/// The overview counts them, and `list` has the reason of each.
#[test]
fn skills_that_are_not_offered_have_their_reason() {
    let tree = Tree::new("//- /repository/.git/HEAD\nref: refs/heads/main\n");
    let needs = "name: needs\ndescription: x\nmetadata:\n  openclaw:\n    requires:\n      \
                 bins: [no-such-program]";
    tree.write("home/.agents/skills/needs/SKILL.md", skill_md(needs));
    tree.write("repository/.agents/skills/theirs/SKILL.md", plain_skill("theirs"));
    let run = |args: &[&str]| {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.working_in(&tree.join("repository")).run(args)
    };
    let overview = run(&[]);
    assert!(overview.text().contains("\n1 hidden, 1 not ready, "), "{overview:?}");
    let listed = run(&["list"]);
    for (id, reason) in [("theirs", "hidden: the folder `"), ("needs", "not-ready: ")] {
        let line = listed.text().lines().find(|line| line.starts_with(id)).unwrap_or_default();
        assert!(line.contains(reason), "{line}");
    }
}

/// A directory of skills is as good as one skill.
#[test]
fn directories_of_skills_are_taken() {
    let tree = Tree::new("");
    for name in ["one", "two"] {
        tree.write(&format!("shelf/{name}/SKILL.md"), plain_skill(name));
    }
    let shelf = tree.join("shelf").display().to_string();
    let read = run(tree.path(), &["read-properties", &shelf]).json();
    let names = |key: usize| read["skills"][key]["properties"]["name"].clone();
    assert_eq!((names(0), names(1)), ("one".into(), "two".into()), "{read}");
    let prompt = run(tree.path(), &["to-prompt", &shelf, "--format", "json"]).json();
    let prompt = prompt["prompt"].as_str().expect("the document is an object");
    assert_eq!(prompt.matches("<skill>").count(), 2, "{prompt}");
}

/// The rules of the body are those of the vendors' crate; the command fills its places.
#[cfg(feature = "vendor")]
#[test]
fn request_body() {
    let arguments = ["prompt", "--load", "pdf", "--vendor", "anthropic", "--rules", "Be kind."];
    let tree = tree();
    let ran = run(tree.path(), &[&arguments[..], &["--message", "Hi"]].concat());
    let body: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    let tools = body["tools"].as_array().expect("tools are a list").iter();
    let tools: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap_or_default()).collect();
    assert_eq!(tools, ["skills_load", "skills_unload", "skills_read"]);
    let system = |at: usize| body["system"][at]["text"].as_str().unwrap_or_default();
    assert_eq!(system(0), "Be kind.");
    assert!(system(1).contains("<name>pdf</name>") && system(2).contains("# Forms"), "{body:#}");
    assert_eq!(body["messages"][0]["content"][0]["text"], "Hi", "{body:#}");
    assert!(ran.stderr.contains("add `--model`"), "what is missing is named: {}", ran.stderr);
}

/// Lines end at the width of a terminal, and a pipe has none, whatever `COLUMNS` says.
#[test]
fn a_pipe_gets_whole_descriptions() {
    let tree = Tree::new("");
    let description = format!("Use when {}asked.", "very kindly ".repeat(70));
    tree.write("long/SKILL.md", skill_md(&format!("name: long\ndescription: {description}")));
    for args in [&["list"][..], &["search", "kindly"]] {
        let program = Program::new().root("user", tree.path()).variable("COLUMNS", "80");
        let ran = program.run(args);
        assert!(ran.text().contains(&description), "{args:?}: {}", ran.stdout);
    }
}

#[test]
fn list_is_filtered_and_sorted() {
    let tree = Tree::new("");
    for (name, more) in [("pdf", ""), ("notes", "\ndisable-model-invocation: true")] {
        let frontmatter = format!("name: {name}\ndescription: Helps with {name}.{more}");
        tree.write(&format!("{name}/SKILL.md"), skill_md(&frontmatter));
    }
    let ids = |args: &[&str]| {
        let listed = run(tree.path(), &[&["list", "--format", "json"], args].concat()).json();
        let skills = listed["skills"].as_array().expect("a list").iter();
        skills.map(|skill| skill["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (args, expected) in [
        (&["--layer", "user"][..], &["pdf", "notes"][..]),
        (&["--layer", "embedded", "Helps"], &[]),
        (&["--hidden"], &["notes"]),
        (&["WITH NOTES"], &["notes"]),
        (&["--layer", "user", "--sort", "tokens"], &["notes", "pdf"]),
    ] {
        assert_eq!(ids(args), expected, "{args:?}");
    }
    let unknown = run(tree.path(), &["list", "--layer", "nosuch"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("the layers are "), "{unknown:?}");
    let grouped = run(tree.path(), &["list", "--sort", "directory"]);
    let heading = format!("user  {}", tree.path().display());
    assert!(grouped.text().lines().any(|line| line == heading), "{}", grouped.text());
    // The numbers are those of the lines.
    for args in [&["list", "--hidden"][..], &["list"]] {
        let off = Program::new().run(args);
        assert!(off.stderr.contains("3 skills, 3 not offered"), "{off:?}");
    }
    let listed = run(super::tree().path(), &["list"]);
    assert!(listed.stderr.contains(", 1 shadowed"), "{listed:?}");
}
