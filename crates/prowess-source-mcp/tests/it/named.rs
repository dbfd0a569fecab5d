//! Skills that the host names by their URIs.

use std::sync::Arc;

use prowess_core::SkillSource;
use prowess_source_mcp::{Error, Label, McpOptions, McpServer, McpSource};
use prowess_source_remote::HttpOptions;
use prowess_testkit::{ManualClock, ScanRecorder};

use crate::peer::{Answer, Peer, with_extension};
use crate::resources::Files;
use crate::skills::{Skills, entry, read, skill_md};

fn source(server: McpServer, uris: &[&str]) -> Result<McpSource, Error> {
    let named_skills = uris.iter().copied().map(str::to_owned).collect();
    let options = McpOptions { named_skills, ..McpOptions::default() };
    let clock = Arc::new(ManualClock::default());
    McpSource::new(&Label::new("team").unwrap(), server, clock, options)
}

/// Scans a source of these named skills, and returns the packages and the problems.
fn check(peer: &Peer, uris: &[&str]) -> (Vec<String>, Vec<String>) {
    let source = source(peer.server(), uris).unwrap();
    let scan = ScanRecorder::scan(&source).unwrap();
    let packages = scan.packages().iter().map(ToString::to_string).collect();
    let problems = scan.problem_lines(source.root());
    (packages, problems.iter().map(ToString::to_string).collect())
}

#[test]
fn skill_that_is_not_listed_is_used() {
    let skills = Skills::pdf();
    skills.publish("acme/refunds", "Refund.", &[("a.md", b"A")]);
    skills.unlist("skill://acme/refunds/SKILL.md");
    let peer = skills.peer();
    assert_eq!(check(&peer, &[]).0, ["pdf"], "the listing leaves it out");
    let uris = ["skill://acme/refunds/SKILL.md", "skill://pdf/SKILL.md"];
    let source = source(peer.server(), &uris).unwrap();
    let before = peer.methods().len();
    assert_eq!(ScanRecorder::scan(&source).unwrap().packages(), ["acme/refunds", "pdf"]);
    assert_eq!(
        peer.methods()[before..],
        ["server/discover", "skills/list", "skills/get"],
        "only the one that is not listed is asked for"
    );
    let read = |path| read(&source, "acme/refunds", path);
    assert_eq!(read("SKILL.md").unwrap(), skill_md("refunds", "Refund.").as_bytes());
    assert_eq!(read("a.md").unwrap(), b"A");
    skills.serve("skill://acme/refunds/a.md", "B");
    read("a.md").expect_err("its files are compared with the entry");
}

#[test]
fn unknown_skill_is_reported() {
    let skills = Skills::pdf();
    let (packages, problems) = check(&skills.peer(), &["skill://none/SKILL.md"]);
    assert_eq!(packages, ["pdf"]);
    assert_eq!(problems, ["error mcp-skill-unknown "]);
}

#[test]
fn server_without_the_extension_has_no_named_skills() {
    let files = Files::default();
    files.serve("skill://pdf/SKILL.md", skill_md("pdf", "Fill.").as_bytes());
    let (packages, problems) = check(&files.peer(), &["skill://none/SKILL.md"]);
    assert_eq!(packages, ["pdf"]);
    assert_eq!(problems, ["error mcp-skill-unknown "]);
}

#[test]
fn another_entry_is_not_used() {
    for (answer, code) in [
        (entry("notes", &[("SKILL.md", b"x")]), "mcp-skill-invalid"),
        (serde_json::json!({}), "mcp-skill-invalid"),
        (
            serde_json::json!({ "uri": "skill://pdf/SKILL.md", "resources": "dynamic" }),
            "mcp-skill-invalid",
        ),
    ] {
        let skills = Skills::default();
        let served = answer.clone();
        let peer = Peer::new(with_extension(move |request| match request["method"].as_str() {
            Some("skills/get") => Answer::Result(serde_json::json!({ "skill": served })),
            _ => skills.answer(request),
        }));
        let (packages, problems) = check(&peer, &["skill://pdf/SKILL.md"]);
        assert_eq!(packages, [""; 0], "{answer}");
        assert_eq!(problems, [format!("error {code} /pdf/SKILL.md")], "{answer}");
    }
}

#[test]
fn uris_of_no_skill_are_refused() {
    for uri in ["", "pdf", "skill://pdf", "skill://pdf/readme.md", "skill://../SKILL.md"] {
        let server = McpServer::Url {
            url: "https://skills.example.com/mcp".to_owned(),
            http: HttpOptions::default(),
        };
        let error = source(server, &[uri]).expect_err(uri);
        assert!(matches!(error, Error::SkillUri(_)), "{uri:?}: {error}");
    }
}
