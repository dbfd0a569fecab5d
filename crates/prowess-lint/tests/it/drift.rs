//! Changes around a skill since its instructions.

use prowess_core::{Cancel, Code};
use prowess_lint::codes::{DEPENDENCY_MISSING, DEPENDENCY_VERSION, SKILL_STALE};
use prowess_lint::{Dependency, DependencyKind, Fact, LintOptions, NoProgress, check_tree};

use crate::fixture::{BODY, memory};

const CODES: [Code; 3] = [SKILL_STALE, DEPENDENCY_MISSING, DEPENDENCY_VERSION];

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
        (DependencyKind::Files, "gone.yaml") => Some(Fact::Missing),
        (DependencyKind::Command, "git") => version("git version 2.43.0.windows.1"),
        (DependencyKind::Command, "node") => version("v20.1.0\n"),
        (DependencyKind::Command, "tool") => version("a tool"),
        (DependencyKind::Skill, "forms") => version("1.2"),
        (DependencyKind::Skill, "none") => Some(Fact::Missing),
        _ => None,
    }
}

#[test]
fn facts_about_dependencies_become_hints() {
    let stale = |day: &str| {
        let after = "`src/a.rs` changed in 3f2a1b9 (Rename)";
        vec![("skill-stale", format!("stale since {day}: {after}"))]
    };
    let missing = |name: &str| {
        vec![("dependency-missing", format!("the skill depends on `{name}`, which is not here"))]
    };
    let version = |message: &str| vec![("dependency-version", message.to_owned())];
    for (metadata, expected) in [
        ("depends-on-files: README.md", vec![]),
        ("depends-on-files: src/*.rs README.md", stale("2026-01-01")),
        ("depends-on-files: src/*.rs\n  last-verified: 2026-02-02", stale("2026-02-02")),
        ("depends-on-files: src/*.rs\n  last_verified: 2026-03-03", stale("2026-03-03")),
        ("depends-on-files: gone.yaml", missing("gone.yaml")),
        ("depends-on-files: [src/*.rs]", vec![]),
        ("depends-on-commands: git git@^2.40 node@>=18,<21 tool@^9 other@^1", vec![]),
        (
            "depends-on-commands: node@^18",
            version("the skill is for `node` ^18, and here is 20.1.0"),
        ),
        ("depends-on-skills: forms@^1.1 unknown", vec![]),
        ("depends-on-skills: forms@^2", version("the skill is for `forms` ^2, and here is 1.2")),
        ("depends-on-skills: none@^2", missing("none")),
    ] {
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
                (it.code.as_str(), it.message.clone())
            })
            .collect();
        assert_eq!(found, expected, "{metadata}");
    }
}
