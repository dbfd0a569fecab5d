//! Each call has an answer, and one event in the audit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prowess_core::{
    Caller, Catalog, Clock, Code, Outcome, Tool, ToolCall, ToolContext, ToolDefinition, ToolResult,
};
use prowess_testkit::{ManualClock, TestTool, TestTools};
use prowess_tools::{BuildError, ToolNaming, Toolbox};
use serde_json::{Value, json};

use crate::fixture::{CANARY, Host, Setup, check_error, skill_md, text};

/// Its schema changes under the toolbox's feet.
#[derive(Default)]
struct Fickle(AtomicUsize);

impl Tool for Fickle {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let schema = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => json!({ "type": "object" }),
            2 => json!({ "type": "nonsense" }),
            _ => panic!("enough"),
        };
        ToolDefinition {
            name: "fickle".to_owned(),
            description: "Never the same.".to_owned(),
            input_schema: schema,
        }
    }

    fn call(&self, _context: &ToolContext<'_>, _arguments: &Value) -> ToolResult {
        ToolResult::text("ran")
    }
}

/// A host with a tool that does what its argument says.
fn host() -> Host {
    let clock = Arc::new(ManualClock::default());
    let waited = Arc::clone(&clock);
    let wild =
        TestTool::new("wild", "Does it.", move |_, arguments| match arguments["do"].as_str() {
            Some("panic") => panic!("/home/{CANARY} is private"),
            Some("wait") => {
                waited.advance(Duration::from_millis(1500));
                ToolResult::text("waited")
            }
            Some("fail") => ToolResult::error(Code::new("no-luck"), "no luck; try again"),
            _ => ToolResult::text(arguments.to_string()),
        });
    let mut host = Host::new(Setup { tools: vec![Arc::new(wild)], ..Setup::default() });
    host.clock = clock;
    host
}

#[test]
fn an_unknown_tool_is_an_answer() {
    let host = host();
    let cases = [
        ("skills_lod", "no tool named `skills_lod`; did you mean `skills_load`?"),
        ("skills.load", "no tool named `skills.load`; did you mean `skills_load`?"),
        ("zzz", "no tool named `zzz`; call one of those that you were given"),
        ("", "no tool named ``; call one of those that you were given"),
        ("a\u{1b}[2Jb", "no tool named `a\\u{1b}[2Jb`; call one of those that you were given"),
    ];
    for (name, sentence) in cases {
        let answer = host.call(name, json!({}));
        check_error(&answer, "unknown-tool", sentence);
        assert_eq!(answer.tool, name, "the name as the model typed it");
    }
    let answer = host.call(&"x".repeat(1_000_000), json!({}));
    assert!(text(&answer).len() < 1000 && answer.tool.len() < 1000, "a huge name is cut");
}

#[test]
fn a_tool_that_panics_costs_its_own_call_and_nothing_else() {
    let host = host();
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let answer = host.call("wild", json!({ "do": "panic" }));
    check_error(
        &answer,
        "tool-failed",
        "`wild` broke down while it worked; try other arguments, or go on without it",
    );
    assert_eq!(host.active(), "alpha", "the session is as it was");
    host.done("wild", json!({}));
    host.done("skills_read", json!({ "path": "references/guide.md" }));
}

#[test]
fn a_schema_that_breaks_later_is_a_failed_call() {
    let fickle = Arc::new(Fickle::default());
    let host = Host::new(Setup { tools: vec![fickle], ..Setup::default() });
    for why in ["the schema is none", "asking for it panics"] {
        let answer = host.call("fickle", json!({}));
        assert_eq!(crate::fixture::code(&answer), Some("tool-failed"), "{why}");
    }
    let shown = host.toolbox.definitions(&host.catalog);
    assert_eq!(shown.len(), 3, "a tool that panics is not shown, the others are");
}

#[test]
fn a_cancelled_turn_runs_nothing() {
    let host = host();
    host.cancel.cancel();
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    check_error(&answer, "cancelled", "`skills_load` was not run: the turn was cancelled");
    assert_eq!(host.source.reads(), Vec::<String>::new());
    assert_eq!(host.audit.events()[0].outcome, Outcome::Refused(Code::new("cancelled")));
}

#[test]
fn the_duration_is_by_the_host_s_clock() {
    let host = host();
    let answer = host.done("wild", json!({ "do": "wait" }));
    assert_eq!(answer.duration, Duration::from_millis(1500));
    let refused = host.call("zzz", json!({}));
    assert_eq!(refused.duration, Duration::ZERO, "a refusal has a duration too");
    assert_eq!(host.clock.elapsed(), Duration::from_millis(1500));
}

#[test]
fn an_answer_is_written_as_the_command_line_shows_it() {
    let host = host();
    let written = |name: &str, arguments| {
        serde_json::to_string(&host.call(name, arguments)).expect("an answer is plain data")
    };
    assert_eq!(
        written("wild", json!({ "do": "wait" })),
        r#"{"tool":"wild","is_error":false,"code":null,"content":[{"type":"text","text":"waited"}],"duration_ms":1500}"#
    );
    assert_eq!(
        written("wild", json!({ "do": "fail" })),
        r#"{"tool":"wild","is_error":true,"code":"no-luck","content":[{"type":"text","text":"no luck; try again"}],"duration_ms":0}"#
    );
}

#[test]
fn the_audit_gets_each_call_once_refusals_included() {
    let refused = |code| Outcome::Refused(Code::new(code));
    let failed = |code| Outcome::Failed(Code::new(code));
    let wild = |action: &str| json!({ "do": action });
    // A field of a stranger's tool means what that tool says, and this one names no skill.
    let named = json!({ "do": "fail", "names": ["alpha"], "skill": "beta" });
    let outside = json!({ "skill": "beta", "path": "../x" });
    let both = json!({ "names": ["alpha", "beta"] });
    let alpha = json!({ "names": ["alpha"] });
    let unknown = json!({ "names": ["zzz"] });
    let cases: [(&str, Value, &str, &[&str], Outcome); 9] = [
        ("skills_load", both, "skills.load", &["alpha", "beta"], Outcome::Done),
        ("skills_load", unknown, "skills.load", &["zzz"], failed("skill-not-found")),
        ("skills_load", json!({ "names": 1 }), "skills.load", &[], refused("invalid-arguments")),
        ("skills_read", outside, "skills.read", &["beta"], failed("path-escape")),
        ("skills_unload", json!({ "all": true }), "skills.unload", &[], Outcome::Done),
        ("skill_load", alpha, "skill_load", &[], refused("unknown-tool")),
        ("wild", named, "wild", &[], failed("no-luck")),
        ("wild", wild("panic"), "wild", &[], failed("tool-failed")),
        ("wild", wild("fail"), "wild", &[], failed("no-luck")),
    ];
    let host = host();
    for (at, (name, arguments, tool, skills, outcome)) in cases.into_iter().enumerate() {
        host.clock.advance(Duration::from_secs(1));
        host.call(name, arguments.clone());
        let events = host.audit.events();
        assert_eq!(events.len(), at + 1, "one event for {name} {arguments}");
        let event = &events[at];
        assert_eq!(event.outcome, outcome, "{name} {arguments}");
        let event = &event.intent;
        assert_eq!(event.tool, tool, "{name} {arguments}");
        let typed: Vec<_> = event.skills.iter().map(|skill| skill.typed.as_str()).collect();
        assert_eq!(typed, skills, "the skills that the model typed");
        assert_eq!(event.caller, Caller::Model, "who made the call");
        assert_eq!(event.session.as_str(), "talk");
        assert_eq!(event.generation, 7, "the generation that the turn had pinned");
        assert_eq!(event.at, host.clock.now());
    }
}

#[test]
fn the_audit_says_who_called_and_which_version_of_which_skill_was_meant() {
    let alpha = b"---\nname: alpha\ndescription: a\nmetadata: { version: 1.10 }\n---\nAlpha\n";
    let beta = skill_md("beta", "Beta");
    let files: [(&str, &[u8]); 2] = [("alpha/SKILL.md", alpha), ("beta/SKILL.md", beta.as_bytes())];
    let host = Host::with(Setup::default(), &files);
    let names = json!({ "names": ["alpha", "user:beta", "gamma"] });
    let context = ToolContext { caller: Caller::User, ..host.context() };
    host.toolbox.dispatch(&context, &ToolCall::new("skills_load", names));
    let event = host.audit.events().pop().expect("the call was recorded");
    let expected = json!({
        "at": 1_767_225_600_000_u64,
        "call": 1,
        "session": "talk",
        "origin": {},
        "correlation": "ce7611e7481e75f085f6902050b40918",
        "tool": "skills.load",
        "caller": "user",
        "skills": [
            { "typed": "alpha", "id": "alpha", "layer": "user", "version": "1.10" },
            { "typed": "user:beta", "id": "beta", "layer": "user" },
            { "typed": "gamma" },
        ],
        "decision": { "verdict": "allowed" },
        "generation": 7,
        "outcome": "failed",
        "code": "skill-not-found",
        "duration": { "secs": 0, "nanos": 0 },
    });
    assert_eq!(serde_json::to_value(&event).expect("an event is data"), expected);
}

#[test]
fn a_tool_that_panics_when_it_is_asked_what_it_is_is_refused() {
    let tool = TestTools::one(Fickle(AtomicUsize::new(3)));
    let built = Toolbox::builder(ToolNaming::default()).provider(&tool).build();
    assert_eq!(built.err(), Some(BuildError::Panicked));
}
