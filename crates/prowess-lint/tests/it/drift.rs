//! Changes around a skill since its instructions.

use prowess_core::{Cancel, Code};
use prowess_lint::codes::{
    DEPENDENCY_INVALID, DEPENDENCY_MISSING, DEPENDENCY_VERSION, SKILL_STALE,
};
use prowess_lint::{Dependency, DependencyKind, Fact, LintOptions, NoProgress, check_tree};

use crate::fixture::{BODY, memory};

const CODES: [Code; 4] = [SKILL_STALE, DEPENDENCY_MISSING, DEPENDENCY_VERSION, DEPENDENCY_INVALID];

/// The facts that a host has.
fn fact(dependency: &Dependency<'_>) -> Option<Fact> {
    assert!(dependency.package.ends_with("/notes"), "{dependency:?}");
    let version = |text: &str| Some(Fact::Version(text.to_owned()));
    match (dependency.kind, dependency.name) {
        (DependencyKind::Files, "src/*.rs") => Some(Fact::Changed {
            since: dependency.verified.unwrap_or("2026-01-01").to_owned(),
            file: "src/a.rs".to_owned(),
            commit: Some("3f2a1b9 (Rename)".to_owned()),
        }),
        (DependencyKind::Files, "gone.yaml" | "my dir/a.md") => Some(Fact::Missing),
        (DependencyKind::Url, "https://example.com/gone") => Some(Fact::Missing),
        (DependencyKind::Mention, "src/gone.rs" | "docs/open.md") => Some(Fact::Missing),
        (DependencyKind::Mention, "src/old.rs") => Some(Fact::Changed {
            since: "2026-01-01".to_owned(),
            file: "src/old.rs".to_owned(),
            commit: Some("3f2a1b9 (Rename)".to_owned()),
        }),
        (DependencyKind::Command, "git") => version("git version 2.43.0.windows.1"),
        (DependencyKind::Command, "node") => version("v20.1.0\n"),
        (DependencyKind::Command, "tool") => version("a tool2 by b3\n2019"),
        (DependencyKind::Command, "less") => version("less v551 (GNU)\n2019"),
        (DependencyKind::Skill, "forms") => version("1.2"),
        (DependencyKind::Skill, "none") => Some(Fact::Missing),
        _ => None,
    }
}

#[test]
fn facts_about_dependencies_become_hints() {
    for line in include_str!("../data/drift.jsonl").lines() {
        let (metadata, expected): (String, Vec<(String, String)>) =
            serde_json::from_str(line).expect("a key and findings");
        let text = format!(
            "---\nname: notes\ndescription: Use when asked.\nmetadata:\n  {metadata}\n---\n{BODY}"
        );
        let options = LintOptions { facts: &fact, ..LintOptions::default() };
        let source = memory(&[("notes/SKILL.md", text)]);
        let checked = check_tree(&source, &options, &NoProgress, &Cancel::default());
        let checked = checked.expect("it is in memory");
        let found: Vec<_> = checked
            .diagnostics()
            .filter(|it| CODES.contains(&it.code))
            .map(|it| {
                assert_eq!(it.severity.as_str(), "hint", "a change is never an error");
                assert_eq!(it.line, Some(5), "it is at the key");
                (it.code.as_str().to_owned(), it.message.clone())
            })
            .collect();
        assert_eq!(found, expected, "{metadata}");
    }
}

/// Returns the findings about a skill, with the columns of their places.
fn found(text: &str) -> Vec<(String, String, u32)> {
    let options = LintOptions { facts: &fact, today: Some("2026-06-01"), ..LintOptions::default() };
    let source = memory(&[("notes/SKILL.md", text.to_owned())]);
    let checked = check_tree(&source, &options, &NoProgress, &Cancel::default());
    let checked = checked.expect("it is in memory");
    let found = checked.diagnostics().filter(|it| CODES.contains(&it.code));
    let shown = found.map(|it| {
        let column = it.column.expect("it has a place");
        (it.message.clone(), it.help.to_string(), column)
    });
    shown.collect()
}

#[test]
fn nothing_is_dropped_in_silence() {
    for line in include_str!("../data/drift-unclear.txt").lines() {
        let parts: Vec<_> = line.split(" ¦ ").collect();
        let [metadata, message, help, column] = parts[..] else { panic!("{line}") };
        let text = format!(
            "---\nname: notes\ndescription: Use when asked.\nmetadata:\n  {metadata}\n---\n{BODY}"
        );
        let found = found(&text);
        let [(said, next, at), ..] = &found[..] else { panic!("{metadata}: {found:?}") };
        assert_eq!(found.len(), if metadata.contains("bb") { 2 } else { 1 }, "{found:?}");
        assert!(said.starts_with(message) && next.contains(help), "{metadata}: {found:?}");
        assert_eq!(at.to_string(), column, "{metadata}: {found:?}");
    }
    for metadata in [
        "depends: a",
        "dependencies: [a]",
        "last-modified: yesterday",
        "version: 1",
        "last-verified: 2024-02-29",
        "last-verified: 2026-06-01",
        "verified: true",
    ] {
        let text = format!(
            "---\nname: notes\ndescription: Use when asked.\nmetadata:\n  {metadata}\n---\n{BODY}"
        );
        assert!(found(&text).is_empty(), "{metadata}");
    }
    let many = "a ".repeat(65);
    let text =
        format!("---\nname: notes\ndescription: D\nmetadata:\n  depends-on-files: {many}\n---\n");
    assert!(found(&text)[0].0.contains("more than 64 items"));
}

#[test]
fn removed_files_that_the_body_names_are_a_hint() {
    for row in include_str!("../data/removed.jsonl").lines() {
        let (line, message): (String, Option<String>) = serde_json::from_str(row).expect("JSON");
        let head = "---\nname: notes\ndescription: Use when asked.\n---\n";
        let found = found(&format!("{head}{BODY}\n{line}\n"));
        let said: Vec<_> = found.iter().map(|it| it.0.as_str()).collect();
        match message {
            Some(message) => assert!(said.len() == 1 && said[0].starts_with(&*message), "{said:?}"),
            None => assert!(said.is_empty(), "{line}: {said:?}"),
        }
    }
}
