//! Whole conversations of different kinds of hosts, through the public interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{
    ApprovalDecision, ApprovalScope, ApprovalStoreExt as _, ApprovalVerdict, CallOrigin, Code,
    Content, DeactivationCause, Layer, Outcome, Policies, Runtime, RuntimeEvent, Timestamp,
    ToolCall, ToolResult, Trust,
};
use prowess_audit::{AuditEntry, MemoryLog};
use prowess_testkit::{ManualClock, Tree};
use serde_json::{Value, json};

use crate::dynamic;

const SHELF: &str = include_str!("../data/flows.txt");

/// A host with an audit in memory, and one session.
struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
    log: Arc<MemoryLog>,
}

impl Host {
    fn of(preset: &str) -> Self {
        let mut policies = Policies::preset(preset).expect("there is one");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let tree = Tree::new(SHELF);
        let log = Arc::new(MemoryLog::default());
        let builder = dynamic::builder().policies(policies).audit(log.clone());
        let builder = builder.clock(Arc::new(ManualClock::default()));
        #[cfg(unix)]
        let builder = builder.script_runner(Arc::new(prowess_testkit::ShellRunner));
        let runtime = builder.skills_directory("personal", tree.join("skills")).build();
        let runtime = runtime.expect("the policies fit together");
        let session = runtime.open_session().expect("the store is in memory");
        let origin = CallOrigin { task: Some("task-7".to_owned()), ..CallOrigin::default() };
        let session = session.with_origin(origin);
        Self { tree, runtime, session, log }
    }

    fn call(&self, tool: &str, arguments: Value) -> prowess::tools::Dispatched {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(tool, arguments))
    }

    #[track_caller]
    fn succeed(&self, tool: &str, arguments: Value) -> ToolResult {
        let result = self.call(tool, arguments).result;
        assert!(!result.is_error, "{result:?}");
        result
    }

    /// Runs a command with the host's own shell, as far as the gate permits it.
    fn bash(&self, command: &str, run: impl FnOnce() -> ToolResult) -> ToolResult {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        self.runtime.guard(&self.session, &call, run).expect("the session is open").result
    }

    fn active(&self) -> Vec<String> {
        let state = self.session.state().expect("the session is open");
        state.active.iter().map(|skill| skill.id.clone()).collect()
    }

    /// The skills that were deactivated, with the reasons.
    fn deactivated(&self) -> Vec<(String, DeactivationCause)> {
        let entries = self.log.entries().into_iter();
        let found = entries.filter_map(|entry| match entry {
            AuditEntry::Runtime(RuntimeEvent::SkillDeactivated(event)) => {
                Some((event.skill, event.cause))
            }
            _ => None,
        });
        found.collect()
    }
}

fn text(result: &ToolResult) -> String {
    let text = |part: &Content| match part {
        Content::Text { text } => text.clone(),
        Content::Blob { data, .. } => data.clone(),
    };
    result.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn done() -> ToolResult {
    ToolResult::text("done")
}

/// The index is built, the model reads a description, activates the skill, and a tool outside of
/// the skill's list is refused.
#[test]
fn active_skill_refuses_other_tools() {
    let host = Host::of("omniforge");
    let turn = host.runtime.turn(&host.session).expect("the session is open");
    let shown = format!("{}{:?}", turn.prompt().text, turn.tools());
    assert!(shown.contains("Deploys to a cluster."), "the model sees the description: {shown}");
    assert!(!shown.contains("references/steps.md"), "and no instructions");
    assert!(!host.bash("rm -r build", done).is_error, "nothing is limited yet");

    let activated = host.succeed("skill", json!({ "skill_name": "kubernetes-deploy" }));
    let data = activated.structured.expect("it is data");
    assert_eq!(data["allowed_tools"], json!(["Bash(kubectl:*)", "Read"]));
    let base = host.tree.join("skills/kubernetes-deploy");
    assert_eq!(data["base_path"], base.to_string_lossy().as_ref());

    assert!(!host.bash("kubectl get pods", done).is_error, "the skill lists it");
    let refused = host.bash("rm -r build", || panic!("it must not run"));
    assert_eq!(refused.code, Some(Code::new("skill-tool-not-allowed")), "{refused:?}");
    let denied = |entry: &AuditEntry| match entry {
        AuditEntry::Call(event) => {
            event.error.is_some() && event.intent.skill.as_deref() == Some("kubernetes-deploy")
        }
        _ => false,
    };
    assert!(host.log.entries().iter().any(denied), "the refusal is in the audit");
}

/// The six steps of an agent's builder: discover, extract, match, load, execute, log.
#[cfg(unix)]
#[test]
fn agent_discovers_matches_loads_runs_and_logs() {
    let host = Host::of("boxxy");
    let catalog = host.runtime.catalog();
    let found: Vec<_> = catalog.skills().map(|skill| skill.id().to_owned()).collect();
    assert_eq!(found, ["kubernetes-deploy", "notes"], "skills are discovered");
    let record = catalog.get("kubernetes-deploy").expect("it was found");
    assert!(record.description().starts_with("Deploys"), "metadata is extracted");
    let best = host.runtime.search(&catalog, "deploy to the cluster", 1);
    assert_eq!(best[0].record.id(), "kubernetes-deploy", "the request matches a skill");

    let loaded = host.succeed("skills_load", json!({ "names": ["kubernetes-deploy"] }));
    assert!(text(&loaded).contains("then run scripts/count.sh"), "the instructions are loaded");
    let file = json!({ "skill": "kubernetes-deploy", "path": "references/steps.md" });
    assert_eq!(text(&host.succeed("skills_read", file)), "First the namespace.\n");

    let script = json!({
        "skill": "kubernetes-deploy", "path": "scripts/count.sh", "args": ["3"],
    });
    let asked = host.call("skills_run", script.clone());
    assert_eq!(asked.result.code, Some(Code::new("approval-required")), "a person is asked");
    let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    let decision = ApprovalDecision { verdict, by: "ann".to_owned(), at: Timestamp(0) };
    let id = asked.approval.expect("the host gets the pending approval");
    host.runtime.approvals().decide(&id, &decision).expect("it is pending");
    let ran = host.succeed("skills_run", script).structured.expect("it is data");
    assert_eq!((&ran["exit_code"], &ran["stdout"]), (&json!(0), &json!("3 pods\n")));

    let entries = host.log.entries();
    let calls: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry {
            AuditEntry::Call(event) => {
                assert_eq!(event.intent.origin.task.as_deref(), Some("task-7"));
                Some((&*event.intent.tool, matches!(event.outcome, Outcome::Done)))
            }
            _ => None,
        })
        .collect();
    let expected =
        [("skills.load", true), ("skills.read", true), ("skills.run", false), ("skills.run", true)];
    assert_eq!(calls, expected, "each step is in the log, in its order");
}

#[test]
fn restriction_survives_a_tool_that_panics() {
    let host = Host::of("omniforge");
    host.succeed("skill", json!({ "skill_name": "kubernetes-deploy" }));
    let broken = host.bash("kubectl get pods", || panic!("the tool breaks"));
    assert_eq!(broken.code, Some(Code::new("tool-failed")));
    assert_eq!(host.active(), ["kubernetes-deploy"], "the skill is still active");
    assert!(host.bash("curl example.org", || panic!("it must not run")).is_error);
}

#[test]
fn skills_are_deactivated_in_the_order_of_the_stack() {
    let host = Host::of("omniforge");
    for name in ["kubernetes-deploy", "notes"] {
        host.succeed("skill", json!({ "skill_name": name }));
    }
    assert!(host.bash("rm file", done).is_error, "the unrestricted skill on top lifts no limit");
    let deactivate = |name| json!({ "skill_name": name, "action": "deactivate" });
    let early = host.call("skill", deactivate("kubernetes-deploy")).result;
    assert!(text(&early).contains("skill `notes` must be deactivated first"), "{early:?}");
    host.succeed("skill", deactivate("notes"));
    host.succeed("skill", deactivate("kubernetes-deploy"));
    let nothing = host.call("skill", deactivate("notes")).result;
    assert!(text(&nothing).contains("No active skills to deactivate"), "{nothing:?}");
    assert!(!host.bash("rm file", done).is_error, "no limit lingers");
}

#[test]
fn skills_are_deactivated_when_a_task_ends() {
    for fails in [false, true] {
        let host = Host::of("omniforge");
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _task = host.session.task();
            host.succeed("skill", json!({ "skill_name": "kubernetes-deploy" }));
            host.succeed("skill", json!({ "skill_name": "notes" }));
            assert!(!fails, "the task breaks");
        }));
        assert_eq!(ended.is_err(), fails);
        assert!(host.active().is_empty(), "nothing stays active");
        let expected = ["notes", "kubernetes-deploy"]
            .map(|skill| (skill.to_owned(), DeactivationCause::TaskCompleted));
        assert_eq!(host.deactivated(), expected, "the audit has the reason, from the top");
        assert!(!host.bash("rm file", done).is_error, "no limit lingers");
    }
}
