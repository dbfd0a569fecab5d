//! Events as they are written.

use expect_test::expect_file;
use prowess_audit::{AuditEntry, Redactor};
use prowess_core::{
    AllowedTools, AuditEvent, Code, DeactivationCause, Outcome, RuntimeEvent, SkillActivation,
};
use serde_json::{Value, json};

use crate::fixture::{
    activated, approved, deactivated, denied, done, intent, rejected_plugin, resumed, trusted,
};

#[test]
fn run_of_a_skill_is_written_field_by_field() {
    let entries = [
        AuditEntry::Runtime(activated()),
        AuditEntry::Intent(intent(1)),
        AuditEntry::Call(done(1)),
        AuditEntry::Call(denied(2)),
        AuditEntry::Runtime(deactivated(DeactivationCause::TaskCompleted)),
    ];
    let written = entries.map(|entry| entry.to_json(&Redactor::default()).to_string());
    expect_file!["../data/goldens-skill.txt"].assert_eq(&(written.join("\n") + "\n"));
}

/// A list that is left out limits nothing, and an empty one allows no tool.
#[test]
fn every_tool_differs_from_none() {
    let written = |allowed_tools| {
        let RuntimeEvent::SkillActivated(event) = activated() else { panic!("a load") };
        let event = SkillActivation { allowed_tools, ..event };
        let entry = AuditEntry::Runtime(RuntimeEvent::SkillActivated(event));
        entry.to_json(&Redactor::default())["allowed_tools"].clone()
    };
    assert_eq!([AllowedTools::Absent, AllowedTools::Empty].map(written), [Value::Null, json!([])]);
}

/// The events that belong to no call.
#[test]
fn changes_of_the_runtime_are_written_field_by_field() {
    let events = [resumed(), approved(), rejected_plugin(), trusted()].map(AuditEntry::Runtime);
    let written = events.map(|event| event.to_json(&Redactor::default()).to_string());
    expect_file!["../data/goldens-runtime.txt"].assert_eq(&(written.join("\n") + "\n"));
}

#[test]
fn name_of_a_call_follows_its_end() {
    let name = |outcome: Outcome, skill: Option<&str>| {
        let mut event = AuditEvent { outcome, ..done(1) };
        event.intent.skill = skill.map(str::to_owned);
        AuditEntry::Call(event).to_json(&Redactor::default())["event"].clone()
    };
    let refused = || Outcome::Refused(Code::new("tool-unknown"));
    let failed = || Outcome::Failed(Code::new("tool-failed"));
    for (outcome, skill, expected) in [
        (Outcome::Done, Some("pdf"), "tool_execution_in_skill"),
        (Outcome::Done, None, "tool_execution"),
        (failed(), Some("pdf"), "tool_execution_in_skill"),
        (failed(), None, "tool_execution"),
        (refused(), Some("pdf"), "tool_call_refused"),
        (refused(), None, "tool_call_refused"),
    ] {
        let described = format!("{outcome:?} of {skill:?}");
        assert_eq!(name(outcome, skill), expected, "{described}");
    }
}
