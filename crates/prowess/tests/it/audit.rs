//! The audit of a whole runtime: approvals, limits and traces.

use std::sync::Arc;
use std::time::Duration;

use prowess::audit::{AuditEntry, MemoryLog, Metrics, Redactor, Secrets};
use prowess::session::{MemoryApprovals, SessionHandle};
use prowess::{
    ApprovalDecision, ApprovalScope, ApprovalStore, ApprovalStoreExt as _, ApprovalVerdict,
    CallOrigin, Clock as _, Policies, Runtime, RuntimeBuilder, ToolCall, ToolResult,
};
use prowess_testkit::{ManualClock, ShellRunner, Tree};
use serde_json::{Value, json};

const SKILL: &str = include_str!("../data/pdf.txt");

/// A runtime with a log in memory and a clock that a test moves.
struct Host {
    runtime: Runtime,
    session: SessionHandle,
    clock: Arc<ManualClock>,
    log: Arc<MemoryLog>,
    _tree: Tree,
}

impl Host {
    fn new(change: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {
        let tree = Tree::new(SKILL);
        let clock = Arc::new(ManualClock::default());
        let log = Arc::new(MemoryLog::default());
        let builder = Runtime::builder().clock(clock.clone()).audit(log.clone());
        let builder = change(builder.skills_directory("user", tree.path()));
        let runtime = builder.build().expect("the runtime is complete");
        let origin = CallOrigin { agent: Some("scribe".to_owned()), ..CallOrigin::default() };
        let session = runtime.open_session().expect("the store is in memory");
        Self { runtime, session: session.with_origin(origin), clock, log, _tree: tree }
    }

    fn load(&self) {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let answer = turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
        assert!(!answer.result.is_error, "{answer:?}");
    }

    /// Calls a tool of the host; returns the code of a refusal.
    fn bash(&self, command: &str) -> Option<String> {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let answer = self.runtime.guard(&self.session, &call, || ToolResult::text("ran"));
        answer.expect("the session is open").result.code.map(|code| code.to_string())
    }

    fn decide(&self, verdict: ApprovalVerdict) {
        let approvals = self.runtime.approvals();
        let page = approvals.list(None, std::num::NonZeroUsize::MAX).expect("memory");
        let at = self.clock.now();
        let entry = page.iter().max_by_key(|entry| entry.asked).expect("one is pending");
        let decision = ApprovalDecision { verdict, by: "ada".to_owned(), at };
        approvals.decide(&entry.id, &decision).expect("it is possible");
    }

    fn events(&self) -> Vec<Value> {
        let entries = self.log.entries();
        entries.iter().map(|entry: &AuditEntry| entry.to_json(&Redactor::default())).collect()
    }

    fn events_of(&self, name: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event"] == name).collect()
    }
}

fn grant(scope: ApprovalScope) -> ApprovalVerdict {
    ApprovalVerdict::Grant { scope, expires: None }
}

#[test]
fn approval_is_audited_from_request_to_use() {
    let host = Host::new(|builder| builder);
    host.load();
    assert_eq!(host.bash("git push").as_deref(), Some("approval-required"));
    host.decide(grant(ApprovalScope::Once));
    assert_eq!(host.bash("git push"), None);
    let approvals = host.events_of("approval");
    let actions: Vec<_> = approvals.iter().map(|event| event["action"].clone()).collect();
    assert_eq!(actions, ["asked", "granted", "spent"]);
    let run = &host.events_of("skill_activated")[0]["correlation_id"];
    for of_call in [&approvals[0], &approvals[2]] {
        assert_eq!(of_call["agent_id"], "scribe", "{of_call}");
        assert_eq!(of_call["correlation_id"], *run, "it is a part of the skill's run");
    }
    assert_eq!(approvals[1]["by"], "ada");
    let id = &approvals[0]["approval_id"];
    let refused = &host.events_of("tool_call_refused")[0];
    assert_eq!(refused["decision"]["approval"], *id, "the refused call waits for it: {refused}");
    let ran = &host.events_of("tool_execution_in_skill")[0];
    assert_eq!(ran["decision"]["approval"], *id, "the call ran by it: {ran}");
}

#[test]
fn old_approvals_are_removed_by_a_later_request() {
    const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
    let store = Arc::new(MemoryApprovals::new());
    let host = Host::new(|builder| builder.approvals(store.clone()));
    let count = || store.list(None, std::num::NonZeroUsize::MAX).expect("memory").len();
    assert!(host.bash("git push").is_some());
    host.clock.advance(WEEK);
    assert!(host.bash("git pull").is_some());
    assert_eq!(count(), 2, "a request is kept for a week after it has expired in an hour");
    host.clock.advance(Duration::from_secs(59 * 60));
    assert!(host.bash("git fetch").is_some());
    assert_eq!(count(), 3, "nothing is removed within an hour after the last cleanup");
    host.clock.advance(Duration::from_secs(2 * 60));
    assert!(host.bash("git log -p").is_some());
    assert_eq!(count(), 3, "the first one is gone");
    let expired = host.events_of("approval");
    let expired: Vec<_> = expired.iter().filter(|event| event["action"] == "expired").collect();
    assert_eq!(expired.len(), 1, "{expired:?}");
    assert_eq!(expired[0]["timestamp"], "2026-01-01T01:00:00Z", "the time of its expiry");
}

/// Runs a script that prints its argument, and returns the result for the model.
fn printed_by_script(redactor: Redactor, argument: &str) -> String {
    let tree = Tree::new("");
    tree.write("echo/SKILL.md", "---\nname: echo\ndescription: Prints.\n---\n");
    tree.write("echo/scripts/print.sh", "echo \"printed $1\"\necho \"token=$1\" >&2\n");
    let builder = Runtime::builder().script_runner(Arc::new(ShellRunner)).redactor(redactor);
    let runtime = builder.skills_directory("user", tree.path()).build();
    let runtime = runtime.expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let call = |name: &str, arguments| {
        let turn = runtime.turn(&session).expect("the session is open");
        turn.call_as_user(&ToolCall::new(name, arguments)).result
    };
    call("skills_load", json!({ "names": ["echo"] }));
    let run = json!({ "skill": "echo", "path": "scripts/print.sh", "args": [argument] });
    let result = call("skills_run", run);
    assert!(!result.is_error, "{result:?}");
    format!("{:?}", result.content)
}

#[test]
fn secrets_of_the_host_are_not_in_the_output_of_scripts() {
    const VALUE: &str = "correct-horse-battery";
    let redactor = Redactor::default();
    let secrets = Secrets::new(|_| Some(VALUE.to_owned()), redactor.clone());
    let shown = printed_by_script(redactor.clone(), VALUE);
    assert!(shown.contains(VALUE), "nothing is a secret yet: {shown}");
    let secret = secrets.get("crm").expect("it is provided");
    let shown = printed_by_script(redactor, secret.expose());
    assert!(!shown.contains(VALUE), "{shown}");
    for part in ["printed [REDACTED]", "token=[REDACTED]"] {
        assert!(shown.contains(part), "{shown}");
    }
    let other = printed_by_script(Redactor::default(), "other");
    assert!(other.contains("token=other"), "data of scripts stays as it is: {other}");
}

#[test]
fn audience_of_the_policies_is_in_the_audit() {
    let policies = Policies::from_yaml("audience: { agent: clerk, tenant: acme }");
    let host = Host::new(|builder| builder.policies(policies.expect("they are valid")));
    let session = host.runtime.open_session().expect("memory");
    for session in [&session, &host.session] {
        let turn = host.runtime.turn(session).expect("the session is open");
        turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
    }
    let origin = |event: &Value| [event["agent_id"].clone(), event["tenant_id"].clone()];
    let origins: Vec<_> = host.events_of("skill_activated").iter().map(origin).collect();
    assert_eq!(origins, [["clerk", "acme"], ["scribe", "acme"]], "a host may name another agent");
}

#[test]
fn metrics_are_sink_and_tracker() {
    let metrics = Arc::new(Metrics::new());
    let policies = Policies::from_yaml("prompt: { model_family: claude }").expect("it is a key");
    let builder = |builder: RuntimeBuilder| builder.policies(policies).audit(metrics.clone());
    let host = Host::new(|it| builder(it).cost_tracker(metrics.clone()));
    host.load();
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    turn.call(&ToolCall::new("skills_read", json!({ "path": "references/none.md" })));
    let text = metrics.render();
    for name in [
        "skill_path_resolution_failures",
        "script_read_attempts",
        "tool_restriction_violations",
        "average_tokens_per_skill_execution",
        "script_execution_success_rate",
    ] {
        assert!(text.contains(name), "{name} is a metric:\n{text}");
    }
    assert!(text.contains("model=\"claude\""), "no host has named another one:\n{text}");
}
