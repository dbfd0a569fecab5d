//! Sites and their indexes.

use prowess_core::{Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest};
use prowess_source_remote::{AnyRemote, HttpOptions};

use crate::server::Server;

fn resolve(server: &Server, source: &str) -> Result<Vec<RemoteArtifact>, RemoteError> {
    let named_hosts = vec![server.host.clone()];
    let remote = AnyRemote::new(HttpOptions { named_hosts, ..HttpOptions::default() });
    remote.resolve(&RemoteRequest::latest(source), &Cancel::default())
}

fn index(url: &str) -> String {
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    format!(
        r#"{{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
        {{"name": "pdf", "type": "skill-md", "description": "A.", "url": "{url}", "digest": "sha256:{digest}"}}]}}"#
    )
}

#[test]
fn urls_of_an_index_are_relative_to_it() {
    let server = Server::new();
    let page = resolve(&server, &server.url("/team/skills/tree/main/pdf")).unwrap_err();
    assert!(page.message.contains("write `git+`"), "{page}");
    for (url, expected) in [
        ("pdf/SKILL.md", "/.well-known/agent-skills/pdf/SKILL.md"),
        ("/pdf/SKILL.md", "/pdf/SKILL.md"),
        ("../../pdf/SKILL.md?v=1#part", "/pdf/SKILL.md?v=1"),
    ] {
        server.on_get("/.well-known/agent-skills/index.json", index(url));
        let artifacts = resolve(&server, &server.url("/any/page")).unwrap();
        assert_eq!(artifacts[0].location, server.url(expected));
        assert_eq!(artifacts[0].name.as_deref(), Some("pdf"));
    }
    server.on_get("/.well-known/agent-skills/index.json", index("https://example.com/SKILL.md"));
    let artifacts = resolve(&server, &server.url("")).unwrap();
    assert_eq!(artifacts[0].location, "https://example.com/SKILL.md");
}

#[test]
fn urls_of_a_redirected_index_are_relative_to_where_it_is() {
    let (server, other) = (Server::new(), Server::new());
    let named_hosts = vec![server.host.clone(), other.host.clone()];
    let remote = AnyRemote::new(HttpOptions { named_hosts, ..HttpOptions::default() });
    let resolve = || remote.resolve(&RemoteRequest::latest(server.url("")), &Cancel::default());
    let path = "/.well-known/agent-skills/index.json";
    server.redirect(path, &other.url("/a/index.json"));
    other.on_get("/a/index.json", index("pdf/SKILL.md"));
    assert_eq!(resolve().unwrap()[0].location, other.url("/a/pdf/SKILL.md"));
    // The older index has no URLs; its files are next to it.
    let server_of_files = "/.well-known/skills/index.json";
    server.on_raw(path, "HTTP/1.1 404 Gone\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    server.redirect(server_of_files, &other.url("/b/list"));
    other.on_get("/b/list", r#"{"skills": [{"name": "pdf", "files": ["SKILL.md"]}]}"#);
    other.on_get("/b/pdf/SKILL.md", "text");
    let found = resolve().unwrap();
    let fetched = remote.fetch(&found[0], 10_000, &Cancel::default()).unwrap();
    assert_eq!(Some(prowess_core::Digest::of(&fetched)), found[0].digest);
}

#[test]
fn invalid_index_is_not_read_in_part() {
    let server = Server::new();
    let path = "/.well-known/agent-skills/index.json";
    let valid = index("SKILL.md");
    for text in [
        "<html>".to_owned(),
        "{}".to_owned(),
        valid.replace("0.2.0", "9.0.0"),
        valid.replace("\"pdf\"", "\"../pdf\""),
        valid.replace("sha256:", "md5:"),
        valid.replace(
            "\"digest\"",
            &format!("\"digest\": \"sha256:{}\", \"digest\"", "a".repeat(64)),
        ),
        index("ftp://example.com/SKILL.md").replace("ftp", "data"),
    ] {
        server.on_get(path, text.clone());
        let kind = resolve(&server, &server.url("")).map_err(|error| error.kind);
        let is_refused =
            matches!(kind, Err(RemoteErrorKind::Invalid | RemoteErrorKind::Unsupported));
        assert!(is_refused, "{text}: {kind:?}");
    }
}

#[test]
fn other_sources_are_unsupported() {
    let server = Server::new();
    for source in
        ["pdf", "ftp://example.com/a.zip", "https://", "https:///a.zip", "git@example.com:a"]
    {
        let kind = resolve(&server, source).map_err(|error| error.kind);
        assert_eq!(kind, Err(RemoteErrorKind::Unsupported), "{source}");
    }
    let error = resolve(&server, "https://user:s3cr3t@example.com/a.zip").unwrap_err();
    assert_eq!(error.kind, RemoteErrorKind::Unsupported);
    assert!(!error.message.contains("s3cr3t"), "{error}");
}

#[test]
fn index_of_files_is_read_where_there_is_no_other() {
    let server = Server::new();
    let path = "/.well-known/skills/index.json";
    let index = |files: &str| {
        format!(r#"{{"skills": [{{"name": "pdf", "description": "A.", "files": [{files}]}}]}}"#)
    };
    server.on_get("/.well-known/skills/pdf/SKILL.md", "text");
    server.on_get(path, index(r#""SKILL.md""#));
    let artifacts = resolve(&server, &server.url("")).unwrap();
    assert_eq!(artifacts[0].name.as_deref(), Some("pdf"));
    let many = vec![r#""a""#; 1_001].join(",");
    for (text, kind) in [
        (index(r#""SKILL.md", "missing.md""#), RemoteErrorKind::NotFound),
        (index(r#""../../secret""#), RemoteErrorKind::Invalid),
        (index(r#""/etc/passwd""#), RemoteErrorKind::Invalid),
        (index(r#""SKILL.md", "skill.md""#), RemoteErrorKind::Invalid),
        (index(r#""a?b""#), RemoteErrorKind::Invalid),
        (index(""), RemoteErrorKind::Invalid),
        (index(&many), RemoteErrorKind::TooLarge),
        (index(r#""SKILL.md""#).replace("\"pdf\"", "\"..\""), RemoteErrorKind::Invalid),
        ("[]".to_owned(), RemoteErrorKind::Invalid),
    ] {
        server.on_get(path, text.clone());
        let found = resolve(&server, &server.url("")).map_err(|error| error.kind);
        assert_eq!(found, Err(kind), "{}", &text[..text.len().min(120)]);
    }
    let asked = server.requests();
    let is_outside = |lines: &Vec<String>| lines[0].contains("secret") || lines[0].contains("etc");
    assert!(!asked.iter().any(is_outside), "names are checked before they are requested");
    server.on_get("/.well-known/agent-skills/index.json", "{}");
    let newer = resolve(&server, &server.url("")).map_err(|error| error.kind);
    assert_eq!(
        newer,
        Err(RemoteErrorKind::Invalid),
        "a broken index is not replaced by an older one"
    );
}
