//! Bodies in the result of a load, for clients whose instructions cannot change.

use expect_test::expect_file;
use prowess_core::{BodyDelivery, Content, DeliveryPolicy};
use serde_json::json;

use crate::fixture::{Host, Setup, skill_md, text};

fn delivering() -> Setup {
    let delivery = DeliveryPolicy { bodies: BodyDelivery::ToolResult, ..DeliveryPolicy::default() };
    Setup { delivery, ..Setup::default() }
}

fn parts(host: &Host, names: &[&str]) -> Vec<String> {
    let answer = host.done("skills_load", json!({ "names": names }));
    let part = |content: Content| match content {
        Content::Text { text } => text,
        Content::Blob { .. } => panic!("a body is text"),
    };
    answer.result.content.into_iter().map(part).collect()
}

#[test]
fn by_default_the_result_has_no_body() {
    let host = Host::new(Setup::default());
    let answer = host.done("skills_load", json!({ "names": ["alpha", "beta"] }));
    assert_eq!(answer.result.content.len(), 1, "the receipt is all there is");
    assert!(!text(&answer).contains("# Alpha"), "the body waits for the next turn");
}

#[test]
fn a_body_comes_after_the_receipt_with_its_place_and_files() {
    let host = Host::new(delivering());
    let parts = parts(&host, &["beta", "alpha", "pdf-processing"]);
    assert!(!parts[3].contains("<skill_resources>"), "it has no other files: {}", parts[3]);
    assert_eq!(parts.len(), 4, "the receipt and a part for each skill");
    assert!(
        parts[1].starts_with("<skill_content-5f3a9c1e77b04d28 name=\"beta\">\nBeta body\n"),
        "{}",
        parts[1]
    );
    let expected = expect_file!["../data/bodies.txt"];
    expected.assert_eq(&parts[2]);
}

#[test]
fn the_list_of_files_is_bounded_and_says_so() {
    let mut setup = delivering();
    setup.policy.resources_listed = 2;
    let parts = parts(&Host::new(setup), &["alpha"]);
    assert!(parts[1].contains("<file>large.txt</file>\nThere are more files than these.\n"));
    assert!(!parts[1].contains("other.txt"), "no more than two are named");
}

#[test]
fn what_is_left_out_of_the_list_is_named() {
    let (skill, token) = (skill_md("alpha", "Body"), format!("ghp_{}", "a0B1c2D3e4F5".repeat(3)));
    let named = format!("alpha/{token}.md");
    let large = "text ".repeat(60 << 10);
    let files: [(&str, &[u8]); 8] = [
        ("alpha/SKILL.md", skill.as_bytes()),
        ("alpha/.env", b"A=b"),
        ("alpha/kit.tar.xz", b"\xfd7zXZ\0"),
        ("alpha/node_modules/a/a.js", b"text"),
        ("alpha/node_modules/b.js", b"text"),
        ("alpha/refs/gh.md", token.as_bytes()),
        (&named, b"text"),
        ("alpha/refs/large.md", large.as_bytes()),
    ];
    let parts = parts(&Host::with(delivering(), &files), &["alpha"]);
    let expected = "<skill_resources>\n<file>refs/large.md</file>\nLeft out, as they may hold \
                    credentials or belong to one machine: .env, [REDACTED].md, kit.tar.xz, \
                    node_modules/, refs/gh.md\n</skill_resources>";
    assert!(parts[1].contains(expected), "{}", parts[1]);
}

#[test]
fn a_body_that_the_session_did_not_take_is_not_given() {
    let mut host = Host::new(delivering());
    host.session.keeps = true;
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.source.change("alpha/SKILL.md", skill_md("alpha", "Another body"));
    let answer = host.done("skills_load", json!({ "names": ["beta", "alpha"], "mode": "add" }));
    assert_eq!(answer.result.content.len(), 2, "the receipt and the body of beta");
    assert!(!text(&answer).contains("Another body"), "the model reads what is active");
}
