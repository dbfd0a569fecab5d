//! Paths at `skills.read`. The rules of paths are the core's, and what is behind links is the
//! source's part: here their answers reach the model as refusals.

use serde_json::json;

use crate::fixture::{CANARY, Host, Setup, code, skill_md, text};

/// A host with files outside of `alpha` that a path could mean.
fn host() -> Host {
    let alpha = skill_md("alpha", "Body");
    let files: [(&str, &[u8]); 5] = [
        ("alpha/SKILL.md", alpha.as_bytes()),
        ("alpha/references/guide.md", b"Guide"),
        ("alpha/caf\u{e9}.md", b"composed"),
        ("CANARY", CANARY.as_bytes()),
        ("alphabet/CANARY", CANARY.as_bytes()),
    ];
    let host = Host::with(Setup::default(), &files);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host
}

#[test]
fn paths_outside_are_refused() {
    let host = host();
    let long = "a/".repeat(10_000);
    for (path, expected) in [
        ("../CANARY", "path-escape"),
        ("references/../../alpha/../CANARY", "path-escape"),
        ("/CANARY", "path-escape"),
        ("..\\CANARY", "path-escape"),
        ("C:\\x", "path-escape"),
        ("%2e%2e/CANARY", "resource-not-found"),
        ("\u{ff0e}\u{ff0e}/CANARY", "resource-not-found"),
        ("REFERENCES/guide.md", "resource-not-found"),
        ("cafe\u{301}.md", "resource-not-found"),
        ("", "not-a-file"),
        ("references", "not-a-file"),
        ("references/..", "not-a-file"),
        ("references/\0", "invalid-path"),
        (&long, "invalid-path"),
    ] {
        let answer = host.call("skills_read", json!({ "skill": "alpha", "path": path }));
        assert_eq!(code(&answer), Some(expected), "the path {path:?}: {}", text(&answer));
        assert!(!text(&answer).contains(CANARY), "the path {path:?} reaches nothing outside");
    }
}

#[test]
fn paths_inside_are_normalised() {
    let host = host();
    for (path, content) in [
        ("./references/guide.md", "Guide"),
        ("nowhere/../references//guide.md", "Guide"),
        ("caf\u{e9}.md", "composed"),
    ] {
        assert_eq!(text(&host.done("skills_read", json!({ "path": path }))), content, "{path}");
    }
    let answer = host.done("skills_read", json!({ "path": "references/../SKILL.md" }));
    assert!(text(&answer).ends_with("Body\n"), "the skill's own file is inside it");
}
