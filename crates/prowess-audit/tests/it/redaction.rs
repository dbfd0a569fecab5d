//! Secrets in texts.

use std::borrow::Cow;

use proptest::prelude::*;
use prowess_audit::{AuditEntry, JsonLinesLog, LogOptions, Redactor, Secrets};
use prowess_core::{AuditEvent, AuditSink, CallIntent};

use crate::fixture::{Place, denied, intent};

#[test]
fn secrets_are_removed_by_their_names_and_formats() {
    // Each line has a text, and what is left of it if that is another one.
    for line in include_str!("../data/redaction.jsonl").lines() {
        let [text, expected]: [String; 2] = serde_json::from_str(line).expect("two texts");
        let expected = if expected.is_empty() { &text } else { &expected };
        assert_eq!(Redactor::default().redact(&text), **expected, "{text}");
    }
}

#[test]
fn registered_secrets_are_removed_wherever_they_are() {
    let redactor = Redactor::new(["s3cr3t-value", "", "s3cr3t-value-longer"]);
    let cases = [
        ("xs3cr3t-valuex", "x[REDACTED]x"),
        ("s3cr3t-value-longer!", "[REDACTED]!"),
        ("cut off: s3cr3t-v", "cut off: [REDACTED]"),
        ("not: s3cr", "not: s3cr"),
        ("s3cr3t", "[REDACTED]"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(redactor.redact(text), expected);
    }
    assert_eq!(format!("{redactor:?}"), "Redactor(2 secrets)", "it does not show them");
}

#[test]
fn long_lines_of_a_registered_secret_are_removed_alone() {
    let redactor = Redactor::new(["twelve bytes\neleven byte\n"]);
    let text = "twelve bytes, eleven byte, and the rest";
    assert_eq!(redactor.redact(text), "[REDACTED], eleven byte, and the rest");
}

#[test]
fn text_without_secrets_is_not_copied() {
    for text in ["a plain text", "token=", ""] {
        let redactor = Redactor::new(["hunter2-of-the-host"]);
        assert!(matches!(redactor.redact(text), Cow::Borrowed(_)), "{text:?}");
    }
}

#[test]
fn every_text_of_an_event_is_redacted() {
    let mut event: AuditEvent = denied(1);
    event.error = Some("the command `deploy --token tok-77` with hunter2 is refused".to_owned());
    event.intent.tool = "hunter2".to_owned();
    event.intent.resource = Some("files/hunter2".to_owned());
    event.intent.skills.push(prowess_core::AuditedSkill {
        typed: "password=p4ss".to_owned(),
        ..prowess_core::AuditedSkill::default()
    });
    if let Some(decision) = &mut event.intent.decision {
        decision.rule = Some("Bash(curl -H hunter2:*)".to_owned());
    }
    let written = AuditEntry::Call(event).to_json(&Redactor::new(["hunter2"])).to_string();
    for secret in ["hunter2", "tok-77", "p4ss"] {
        assert!(!written.contains(secret), "`{secret}` is in {written}");
    }
    assert!(written.contains("--token [REDACTED]"), "{written}");
}

proptest! {
    #[test]
    fn any_text_is_redacted_without_a_panic(
        before in "\\PC{0,20}",
        name in "(api_key|password|token|my-secret)",
        separator in "( ?[=:] ?|=\"|: ')",
        secret in "[A-Z0-9]{12}",
        after in "\\PC{0,20}",
    ) {
        let text = format!("{before} {name}{separator}{secret} {after}");
        let redacted = Redactor::default().redact(&text).into_owned();
        prop_assert!(!redacted.contains(&secret), "{redacted}");
        prop_assert!(redacted.contains(&name), "{redacted}");
    }
}

#[test]
fn registered_secrets_alone_are_removed_from_data() {
    let redactor = Redactor::new(["hunter2-of-the-host"]);
    let text = r#"{"token": 5, "password": "p1", "note": "hunter2-of-the-host"}"#;
    let expected = r#"{"token": 5, "password": "p1", "note": "[REDACTED]"}"#;
    assert_eq!(redactor.redact_registered(text), expected);
}

/// A tool that gets a secret while its log is open.
#[test]
fn provided_secret_is_never_written() {
    const VALUE: &str = "correct-horse-battery";
    let place = Place::new();
    let redactor = Redactor::default();
    let secrets = Secrets::new(|_| Some(VALUE.to_owned()), redactor.clone());
    let clock = place.clock.clone();
    let log = JsonLinesLog::open(&place.path, LogOptions::default(), redactor, clock);
    let log = log.expect("there is room");
    let secret = secrets.get("crm").expect("it is provided");
    assert_eq!(format!("{secret:?}"), "Secret([REDACTED])");
    let resource = Some(format!("notes/{}.md", secret.expose()));
    log.intend(&CallIntent { resource, ..intent(1) }).expect("there is room");
    let text = place.text();
    assert!(!text.contains(VALUE) && text.contains("notes/[REDACTED].md"), "{text}");
}
