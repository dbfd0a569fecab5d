//! Servers whose listings attack, or break the rules of the extension.

use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{PackagePath, SkillSource};
use prowess_testkit::ScanRecorder;
use serde_json::{Value, json};

use crate::peer::{Answer, Peer, with_capabilities, with_extension};
use crate::skills::{Skills, entry, read};

/// Lists a good skill and one more entry, and checks what is reported.
fn check(what: &str, hostile: Value, expected: &str) {
    let skills = Skills::default();
    skills.publish("good", "Help.", &[]);
    skills.list(hostile);
    let peer = skills.peer();
    let source = peer.source();
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.packages(), ["good"], "{what}: a bad entry hides no good one");
    assert_eq!(scan.problem_lines(source.root()), [expected], "{what}");
    let problem = &scan.problems[0];
    assert!(!problem.help.is_empty() && problem.message.len() < 1000, "{what}: {problem}");
}

#[test]
fn entries_that_break_the_rules_are_reported() {
    for line in include_str!("../data/hostile-entries.jsonl").lines() {
        let line = line.replace("HUGE", &"x".repeat(70_000));
        let (what, place, value, expected): (String, String, Value, String) =
            serde_json::from_str(&line).unwrap();
        let mut bad = entry("bad", &[("SKILL.md", b"x"), ("a.md", b"y")]);
        *bad.pointer_mut(&place).unwrap() = value;
        check(&what, bad, &expected);
    }
    let many: Vec<_> = (0..512).map(|number| format!("{number}.md")).collect();
    let many: Vec<_> = many.iter().map(|name| (&**name, &b""[..])).collect();
    let many = [&[("SKILL.md", &b"x"[..])], &many[..]].concat();
    check("513 files", entry("bad", &many), "error mcp-skill-too-large /bad/SKILL.md");
}

#[test]
fn two_skills_at_one_path_are_reported() {
    let skills = Skills::pdf();
    // The same path in another spelling.
    let mut other = entry("pdf", &[("SKILL.md", b"")]);
    other["uri"] = "skill://%70df/SKILL.md".into();
    other["resources"][0]["uri"] = "skill://%70df/SKILL.md".into();
    skills.list(other);
    let peer = skills.peer();
    let source = peer.source();
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.packages(), ["pdf"]);
    let expected = ["error mcp-skill-duplicate /pdf/SKILL.md"];
    assert_eq!(scan.problem_lines(source.root()), expected, "none is dropped silently");
}

#[test]
fn skill_that_becomes_invalid_keeps_its_last_version() {
    let skills = Skills::pdf();
    let peer = skills.peer();
    let source = peer.source();
    let first = ScanRecorder::scan(&source).unwrap();
    let pdf = PackagePath::new("pdf").unwrap();
    let good = source.list(&pdf, 1).unwrap();
    let mut dynamic = entry("pdf", &[("SKILL.md", b"x")]);
    dynamic["resources"] = json!("dynamic");
    skills.list(dynamic);
    skills.serve("skill://pdf/SKILL.md", "other");
    // A read that finds another file makes the source list again.
    read(&source, "pdf", "SKILL.md").unwrap_err();
    let next = first.next().record(&source).unwrap();
    assert_eq!(next.unchanged, ["pdf"], "a version that cannot be used replaces none that can");
    let lines = next.problem_lines(source.root());
    let expected =
        ["error mcp-file-changed /pdf/SKILL.md", "error mcp-skill-dynamic /pdf/SKILL.md"];
    assert_eq!(lines, expected);
    assert_eq!(source.list(&pdf, 1).unwrap(), good);
}

/// Returns the problems of a server whose pages these are, by number.
fn paged(page: impl Fn(usize) -> Value + Send + Sync + 'static) -> (usize, Vec<String>) {
    let count = AtomicUsize::new(0);
    let peer = Peer::new(with_extension(move |_| {
        Answer::Result(page(count.fetch_add(1, Ordering::SeqCst)))
    }));
    let source = peer.source();
    let scan = ScanRecorder::scan(&source).unwrap();
    (scan.found.len(), scan.problem_lines(source.root()))
}

#[test]
fn pages_end() {
    let truncated = vec!["error mcp-listing-truncated ".to_owned()];
    let skill = |number| entry(&format!("skill-{number}"), &[("SKILL.md", b"")]);
    let circle = paged(move |number| json!({ "skills": [skill(number)], "nextCursor": "same" }));
    assert_eq!(circle, (2, truncated.clone()), "a cursor that comes again ends the list");
    let pages = paged(|number| json!({ "skills": [], "nextCursor": number.to_string() }));
    assert_eq!(pages, (0, truncated.clone()), "pages without end are not read without end");
    let many = paged(move |number| {
        let skills: Value = (0..1000).map(|index| skill(1000 * number + index)).collect();
        json!({ "skills": skills, "nextCursor": number.to_string() })
    });
    assert_eq!(many, (20_000, truncated.clone()), "skills without end are not read without end");
    let heavy = paged(move |number| {
        let mut skill = skill(number);
        skill["frontmatter"]["x"] = "x".repeat(60_000).into();
        json!({ "skills": [skill], "nextCursor": number.to_string() })
    });
    assert!(heavy.0 < 1000 && heavy.1 == truncated, "memory has a limit: {heavy:?}");
    let errors =
        paged(|number| json!({ "skills": vec![json!({}); 600], "nextCursor": number.to_string() }));
    assert_eq!((errors.0, errors.1.len()), (0, 1001), "the findings have a limit");
}

#[test]
fn servers_without_skills_are_reported() {
    let peer = Peer::new(with_capabilities(json!({ "tools": {} }), |_| Answer::Silence));
    let source = peer.source();
    let scan = ScanRecorder::scan(&source).unwrap();
    assert_eq!(scan.problem_lines(source.root()), ["warning mcp-no-skills "]);
}
