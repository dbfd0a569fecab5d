//! The spans and events of a conversation, received by a real subscriber.

use std::sync::Arc;

use prowess::registry::ReloadCause;
use prowess::{Clock, Policies, Runtime, ToolCall};
use prowess_testkit::{ManualClock, TraceCollector, Traced, Tree, traced};
use serde_json::json;

const SKILL: &str = include_str!("../data/pdf.txt");

/// Returns the one span or event with this name.
fn only(collector: &TraceCollector, name: &str) -> Traced {
    let [one] = <[Traced; 1]>::try_from(collector.named(name)).expect("there is one of this name");
    one
}

fn runtime(tree: &Tree, policies: Policies, clock: &Arc<ManualClock>) -> Runtime {
    let clock: Arc<dyn Clock> = clock.clone();
    let builder = Runtime::builder().policies(policies).clock(clock);
    builder.skills_directory("user", tree.path()).build().expect("the runtime is complete")
}

#[test]
fn conversation_has_spans_of_reload_turn_and_call() {
    let tree = Tree::new(SKILL);
    let ((), collector) = traced(|| {
        let runtime = runtime(&tree, Policies::default(), &Arc::default());
        let session = runtime.open_session().expect("memory");
        let turn = runtime.turn(&session).expect("the session is open");
        turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
        turn.call(&ToolCall::new("skills_lod", json!({})));
    });
    let reload = only(&collector, "reload");
    assert_eq!(reload.fields["cause"], "start", "the first scan starts the runtime");
    let scan = only(&collector, "scan");
    assert_eq!(scan.parent, Some("reload"), "a scan is a part of its reload");
    assert_eq!(scan.fields["added"], "1", "the span has the result of the scan: {scan:?}");
    assert_eq!(only(&collector, "resolve").parent, Some("reload"));
    let swap = only(&collector, "swap");
    assert_eq!((&*swap.fields["generation"], &*swap.fields["skills"]), ("1", "1"));
    let turn = only(&collector, "turn");
    assert_eq!(turn.fields["generation"], "1", "the span has the catalog that the turn pins");
    let calls = collector.named("call");
    let [load, unknown] = &calls[..] else { panic!("each call has a span: {calls:?}") };
    assert_eq!(load.parent, Some("turn"), "a call is a part of its turn");
    assert_eq!((&*load.fields["tool"], &*load.fields["outcome"]), ("skills.load", "done"));
    assert_eq!(unknown.fields["outcome"], "refused");
    assert_eq!(unknown.fields["code"], "unknown-tool");
    assert!(!unknown.fields.contains_key("tool"), "a name that the model made up is not traced");
}

#[test]
fn audit_events_are_traced_without_a_sink() {
    let tree = Tree::new(SKILL);
    let ((), collector) = traced(|| {
        let runtime = runtime(&tree, Policies::default(), &Arc::default());
        let session = runtime.open_session().expect("memory");
        let turn = runtime.turn(&session).expect("the session is open");
        turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
        session.end_task().expect("the session is open");
    });
    assert_eq!(only(&collector, "skill_activated").fields["skill"], "pdf");
    assert_eq!(only(&collector, "tool_execution").parent, Some("call"));
    let ended = only(&collector, "skill_deactivated");
    assert_eq!(ended.fields["cause"], "on task completion");
}

/// The ids that the runtime chooses; a client may have got one from its host.
#[test]
fn random_session_ids_are_in_no_trace_and_no_log() {
    let tree = Tree::new(SKILL);
    let path = tree.join("log/audit.jsonl");
    let (id, collector) = traced(|| {
        let clock = Arc::new(ManualClock::default());
        let options = prowess::audit::LogOptions::default();
        let log = prowess::audit::JsonLinesLog::open(&path, options, Default::default(), clock);
        let builder = Runtime::builder().audit(Arc::new(log.expect("there is room")));
        let runtime = builder.skills_directory("user", tree.path()).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("memory");
        let call = |name: &str, arguments| {
            let turn = runtime.turn(&session).expect("the session is open");
            turn.call(&ToolCall::new(name, arguments))
        };
        call("skills_load", json!({ "names": ["pdf"] }));
        call("skills_read", json!({ "path": "none.md" }));
        call("unknown", json!({}));
        let remove = ToolCall::new("Bash", json!({ "command": "rm x" }));
        let asked = runtime.guard(&session, &remove, || unreachable!("it has no grant"));
        assert!(asked.expect("the session is open").approval.is_some());
        runtime.resume_session(session.id()).expect("it is open");
        session.end_task().expect("the session is open");
        let turn = runtime.turn(&session).expect("the session is open");
        runtime.close_session(session.id()).expect("memory");
        turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
        session.id().clone()
    });
    let log = std::fs::read_to_string(&path).expect("the log was written");
    let events = ["session_resumed", "skill_deactivated", "approval", "tool_call_intended"];
    assert!(events.iter().all(|event| log.contains(event)), "{log}");
    for text in [log, format!("{collector:?}")] {
        assert!(!text.contains(id.as_str()), "{text}");
        assert!(text.contains(&*id.log_name()), "one session has one name: {text}");
    }
}

#[test]
fn reload_names_its_cause() {
    let tree = Tree::new(SKILL);
    let clock = Arc::new(ManualClock::default());
    let ((), collector) = traced(|| {
        let yaml = "refresh: { mode: ttl, ttl_seconds: 10, cool_down_seconds: 0 }";
        let policies = Policies::from_yaml(yaml).expect("the policies are good");
        let runtime = runtime(&tree, policies, &clock);
        assert_eq!(runtime.reload().cause, ReloadCause::Manual);
        assert_eq!(runtime.reload_for(ReloadCause::Signal).cause, ReloadCause::Signal);
        let session = runtime.open_session().expect("memory");
        clock.advance(std::time::Duration::from_secs(11));
        runtime.turn(&session).expect("the session is open");
    });
    let reloads = collector.named("reload");
    let causes: Vec<_> = reloads.iter().map(|reload| &*reload.fields["cause"]).collect();
    assert_eq!(causes, ["start", "manual", "signal", "ttl"]);
    assert_eq!(reloads[3].parent, Some("turn"), "the turn waited for it");
}
