//! Labels, URLs and what is shown of them.

use std::sync::Arc;

use prowess_core::SkillSource;
use prowess_source_mcp::{Error, Label, McpOptions, McpServer, McpSource, ServerCommand};
use prowess_source_remote::HttpOptions;
use prowess_testkit::ManualClock;

fn url(url: &str) -> Result<McpSource, Error> {
    let server = McpServer::Url { url: url.to_owned(), http: HttpOptions::default() };
    let clock = Arc::new(ManualClock::default());
    McpSource::new(&Label::new("team").unwrap(), server, clock, McpOptions::default())
}

#[test]
fn labels_are_plain_words() {
    for label in ["team", "a", "team-2", "0"] {
        assert_eq!(Label::new(label).unwrap().to_string(), label);
    }
    let long = "a".repeat(33);
    for label in ["", "Team", "a b", "a/b", "..", "a.b", "ä", "a\u{202e}", "a\n", &long] {
        assert!(label.parse::<Label>().is_err(), "{label:?} is no label");
    }
}

#[test]
fn urls_follow_the_rules_of_remotes() {
    assert!(url("https://skills.example.com/mcp").is_ok());
    for refused in [
        "http://skills.example.com/mcp",
        "http://127.0.0.1:8000/mcp",
        "https://user:word@skills.example.com/mcp",
        "file:///etc/passwd",
        "skills.example.com",
        "",
    ] {
        let error = url(refused).expect_err(refused);
        assert!(!error.to_string().contains("word@"), "no credentials in {error}");
    }
}

#[test]
fn private_addresses_have_to_be_named() {
    let source = url("https://127.0.0.1:9/mcp").unwrap();
    let error = prowess_testkit::ScanRecorder::scan(&source).unwrap_err();
    assert!(error.message.contains("private network"), "{error}");
}

#[test]
fn secrets_of_a_command_are_not_shown() {
    let command = |secret: &str| ServerCommand {
        program: "server".into(),
        arguments: vec![format!("--token={secret}").into()],
        environment: vec![("TOKEN".into(), secret.into())],
        directory: None,
    };
    assert!(!format!("{:?}", command("s3cr3t")).contains("s3cr3t"));
    let key = |secret| {
        let server = McpServer::Command(command(secret));
        let (label, clock) = (Label::new("team").unwrap(), Arc::new(ManualClock::default()));
        McpSource::new(&label, server, clock, McpOptions::default()).unwrap().cache_key().unwrap()
    };
    assert!(!key("s3cr3t").contains("s3cr3t"));
    assert_ne!(key("one"), key("other"), "another command is another server");
}

#[test]
fn page_of_codes_has_each_meaning() {
    let page =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../prowess-cli/DIAGNOSTICS.md");
    let page = std::fs::read_to_string(page).unwrap();
    for entry in prowess_source_mcp::codes::ALL {
        let row = format!("| `{}` | {} |", entry.code, entry.meaning);
        assert!(page.contains(&row), "DIAGNOSTICS.md has `{}` with its meaning", entry.code);
    }
}
