//! Hostile paths at `skills.read`. What links and special files do is the source's part: here its
//! answer reaches the model as a refusal.

use prowess_core::SourceErrorKind;
use serde_json::json;

use crate::fixture::{CANARY, Host, Setup, code, text};

/// A host on which files lie outside of `alpha` that a path could be after.
fn host() -> Host {
    let alpha = crate::fixture::skill_md("alpha", "Body");
    let secret = CANARY.as_bytes();
    let files: [(&str, &[u8]); 6] = [
        ("alpha/SKILL.md", alpha.as_bytes()),
        ("alpha/references/guide.md", b"Guide"),
        ("alpha/caf\u{e9}.md", b"composed"),
        ("alpha/cafe\u{301}.md", b"decomposed"),
        ("CANARY", secret),
        ("alphabet/CANARY", secret),
    ];
    let host = Host::with(Setup::default(), &files);
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host
}

fn check(path: &str, expected: &str) {
    let host = host();
    let answer = host.call("skills_read", json!({ "skill": "alpha", "path": path }));
    assert_eq!(code(&answer), Some(expected), "the path {path:?}: {}", text(&answer));
    assert!(!text(&answer).contains(CANARY), "the path {path:?} reaches nothing outside");
}

#[test]
fn a_path_that_climbs_out_is_refused() {
    for path in [
        "../CANARY",
        "references/../../CANARY",
        "./../CANARY",
        "..",
        "../alphabet/CANARY",
        "references/../../alpha/../CANARY",
        "/CANARY",
        "//CANARY",
        "/etc/passwd",
        "..\\CANARY",
        ".\\..\\..\\CANARY",
        "C:\\x",
        "C:x",
        "\\\\srv\\share\\x",
    ] {
        check(path, "path-escape");
    }
}

#[test]
fn a_path_that_stays_inside_is_normalised() {
    let cases = [
        ("references/guide.md", "Guide"),
        ("./references/guide.md", "Guide"),
        ("references//guide.md", "Guide"),
        ("nowhere/../references/guide.md", "Guide"),
    ];
    let host = host();
    for (path, content) in cases {
        assert_eq!(text(&host.done("skills_read", json!({ "path": path }))), content, "{path}");
    }
    let answer = host.done("skills_read", json!({ "path": "references/../SKILL.md" }));
    assert!(text(&answer).ends_with("Body\n"), "the skill's own file is inside it");
}

#[test]
fn a_path_is_its_bytes() {
    for path in [
        "%2e%2e/CANARY",
        "..%2fCANARY",
        "..%252fCANARY",
        "\u{ff0e}\u{ff0e}/CANARY",
        "\u{2024}\u{2024}/CANARY",
        "~/.ssh",
        "...",
        "references/guide.md\n",
        "REFERENCES/guide.md",
        "CON",
        "aux.txt",
        "trail. ",
        "x.md::$DATA",
    ] {
        check(path, "resource-not-found");
    }
    let host = host();
    for (path, content) in [("caf\u{e9}.md", "composed"), ("cafe\u{301}.md", "decomposed")] {
        assert_eq!(text(&host.done("skills_read", json!({ "path": path }))), content, "{path:?}");
    }
}

#[test]
fn a_path_that_names_no_file_is_refused() {
    for path in ["", ".", "./", "references", "references/", "references/.."] {
        check(path, "not-a-file");
    }
}

#[test]
fn a_path_that_is_none_is_refused() {
    check("references/\0", "invalid-path");
    check(&"a/".repeat(10_000), "invalid-path");
}

#[test]
fn what_a_source_finds_behind_links_and_special_files_is_refused() {
    let cases = [
        ("link", SourceErrorKind::Escape, "path-escape"),
        ("d/CANARY", SourceErrorKind::Escape, "path-escape"),
        ("l1", SourceErrorKind::Loop, "symlink-loop"),
        ("ref.md", SourceErrorKind::NotRegular, "not-a-file"),
    ];
    for (path, kind, expected) in cases {
        let host = host();
        host.source.fail(&format!("alpha/{path}"), kind);
        let answer = host.call("skills_read", json!({ "skill": "alpha", "path": path }));
        assert_eq!(code(&answer), Some(expected), "the path {path:?}: {}", text(&answer));
        assert!(!text(&answer).contains(CANARY), "the source's words stay with the host");
    }
}
