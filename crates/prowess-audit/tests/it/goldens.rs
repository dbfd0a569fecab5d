//! Events as they are written.

use expect_test::expect;
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
    expect![[r#"
        {"event":"skill_activated","timestamp":"2026-01-01T00:00:00Z","skill_name":"pdf","allowed_tools":["Read","Bash(git:*)"],"agent_id":"agent-1","task_id":"task-2","tenant_id":"tenant-3","session_id":"talk","correlation_id":"628d3158260bb4f2208b50e45c682798","location":"/skills/pdf/SKILL.md","layer":"user","digest":"sha256:c35b21d6ca39aa7cc3b79a705d989f1a6e88b99ab43988d74048799e3db926a3","version":"1.10"}
        {"event":"tool_call_intended","timestamp":"2026-01-01T00:00:01.5Z","skill_name":"pdf","tool_name":"Read","tool_allowed":true,"agent_id":"agent-1","task_id":"task-2","tenant_id":"tenant-3","session_id":"talk","correlation_id":"628d3158260bb4f2208b50e45c682798","call":1,"caller":"model","generation":7,"decision":{"verdict":"allowed"}}
        {"event":"tool_execution_in_skill","timestamp":"2026-01-01T00:00:01.5Z","skill_name":"pdf","tool_name":"Read","tool_allowed":true,"agent_id":"agent-1","task_id":"task-2","tenant_id":"tenant-3","session_id":"talk","correlation_id":"628d3158260bb4f2208b50e45c682798","call":1,"caller":"model","generation":7,"decision":{"verdict":"allowed"},"outcome":"done","duration_ms":12}
        {"event":"tool_restriction_violated","timestamp":"2026-01-01T00:00:01.5Z","skill_name":"pdf","tool_name":"Write","tool_allowed":false,"agent_id":"agent-1","task_id":"task-2","tenant_id":"tenant-3","session_id":"talk","correlation_id":"628d3158260bb4f2208b50e45c682798","call":2,"caller":"model","generation":7,"decision":{"verdict":"denied","rule":"Read Bash(git:*)","skill":"pdf","location":"SKILL.md:4:16"},"error":"`Write` is not in the allowed-tools of `pdf`","outcome":"refused","code":"tool-not-allowed","duration_ms":0}
        {"event":"skill_deactivated","timestamp":"2026-01-01T00:00:12.5Z","skill_name":"pdf","duration_seconds":12.5,"cause":"task_completed","agent_id":"agent-1","task_id":"task-2","tenant_id":"tenant-3","session_id":"talk","correlation_id":"628d3158260bb4f2208b50e45c682798"}
    "#]].assert_eq(&(written.join("\n") + "\n"));
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
    expect![[r#"
        {"event":"session_resumed","timestamp":"2026-01-01T00:01:00Z","session_id":"talk","loaded":[{"skill_name":"pdf","correlation_id":"628d3158260bb4f2208b50e45c682798","activated":"2026-01-01T00:00:00Z"}]}
        {"event":"approval","timestamp":"2026-01-01T00:00:00Z","action":"granted","approval_id":"a1","tool_name":"Bash","skill_name":"pdf","scope":"session","by":"ada","package":"sha256:bc4a71180870f7945155fbb02f4b0a2e3faa2a62d6d31b7039013055ed19869a","arguments":{"command_prefix":["git","push"]},"agent_id":null,"task_id":null,"tenant_id":"tenant-3","session_id":"talk","correlation_id":null}
        {"event":"plugin","timestamp":"2026-01-01T00:00:00Z","action":"rejected","plugin":"/plugins/notes.so","digest":null,"error":"`/plugins/notes.so` is not trusted; nothing was executed"}
        {"event":"trust","timestamp":"2026-01-01T00:00:00Z","action":"revoked","name":"/home/a` by bob","by":"ada"}
    "#]].assert_eq(&(written.join("\n") + "\n"));
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
