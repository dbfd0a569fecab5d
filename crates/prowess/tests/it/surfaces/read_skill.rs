//! The tools that read skills without loading them.

use prowess::Content;
use serde_json::{Value, json};

use super::{Place, check, texts};
use crate::scripted::Agent;

/// A worker sees the catalog, reads a skill and applies it.
#[test]
fn worker_reads_a_skill_without_loading_it() {
    let place = Place::of("yodoca");
    let mut agent = Agent::new(&place.runtime);
    let (prompt, read) = agent.succeed("read_skill", json!({ "skill_id": "code-review" }));
    assert!(prompt.contains("code-review"), "the catalog is in the prompt");
    let [Content::Text { text: head }, Content::Text { text: body }] = &read.content[..] else {
        panic!("the content is a head and a body")
    };
    let file = std::fs::read_to_string(place.tree.join("skills/code-review/SKILL.md"));
    let file = file.expect("it is there");
    let tokens = file.chars().count().div_ceil(4);
    let expected = format!(
        "Skill loaded: code-review (approx. {tokens} tokens)\n\
         This skill requires: test-skill. Load it first if you haven't already."
    );
    assert_eq!(*head, expected);
    assert!(body.contains(file.trim_end()), "the whole file is there: {body}");
    assert!(agent.active().is_empty(), "neither it nor what it requires is loaded");
    let arguments = json!({ "skill_id": "code-review", "path": "templates/report.md" });
    let resource = agent.succeed("read_skill_resource", arguments).1;
    assert_eq!(texts(&resource), "# Report\n", "the template that the skill names");
    let second = agent.succeed("read_skill", json!({ "skill_id": "test-skill" })).1;
    assert!(!texts(&second).contains("requires"), "a skill without requirements has no hint");
}

#[test]
fn list_skills_lists_and_filters() {
    let place = Place::of("yodoca");
    let list = |arguments: Value| {
        let answer = Agent::new(&place.runtime).succeed("list_skills", arguments).1;
        let skills = answer.structured.expect("it is data")["skills"].clone();
        let skills = skills.as_array().expect("it is a list").clone();
        skills.into_iter().map(|skill| skill["id"].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(json!({})), r#""code-review" "test-skill""#);
    assert_eq!(list(json!({ "query": "" })), r#""code-review" "test-skill""#);
    assert_eq!(list(json!({ "query": "tests" })), r#""test-skill""#);
    let text = texts(&Agent::new(&place.runtime).succeed("list_skills", json!({})).1);
    assert!(text.contains("Runs tests. Use when tests are to be run."), "{text}");
}

#[test]
fn read_skill_resource_stays_in_the_skill() {
    let place = Place::of("yodoca");
    let outside =
        ["../outside.txt", "templates/../../x", "/etc/passwd", "..\\x", "C:\\x", "\\\\h\\x"];
    for path in outside {
        let arguments = json!({ "skill_id": "code-review", "path": path });
        let text = "Path traversal detected";
        check(&place, "read_skill_resource", arguments, Some("path-escape"), text);
    }
    #[cfg(unix)]
    {
        let link = place.tree.join("skills/code-review/link.txt");
        std::os::unix::fs::symlink(place.tree.join("secret.txt"), link).expect("links are allowed");
        let arguments = json!({ "skill_id": "code-review", "path": "link.txt" });
        let text = "Path traversal detected";
        check(&place, "read_skill_resource", arguments, Some("path-escape"), text);
    }
    let unknown = "Skill 'cod-review' not found. Did you mean 'code-review'?";
    let arguments = json!({ "skill_id": "cod-review", "path": "a" });
    check(&place, "read_skill_resource", arguments, Some("skill-not-found"), unknown);
    let arguments = json!({ "skill_id": "cod-review" });
    check(&place, "read_skill", arguments, Some("skill-not-found"), unknown);
    let file = json!({ "path": "skill://code-review/templates/report.md" });
    check(&place, "read_skill_resource", file, None, "# Report\n");
}
