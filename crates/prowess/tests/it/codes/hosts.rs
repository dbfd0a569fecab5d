//! Hosts with something that a call alone does not show, and the result of one call.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;

use prowess::gating::{ToolKind, check_rules};
use prowess::session::ForkRequest;
use prowess::vendor::WireFormat;
use prowess::{
    AllowedTools, Approval, ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery,
    ApprovalStore, ApprovalStoreError, ApprovalStoreExt as _, ApprovalVerdict, Asked, AuditError,
    AuditEvent, AuditSink, CallIntent, Cancel, Code, NewApproval, Policies, RateLimited,
    RateLimiter, RuntimeBuilder, SessionId, Timestamp, ToolCall,
};
use prowess_testkit::{TestTool, TestTools, Tree};
use serde_json::json;

use super::calls::{builder, dispatch, refused, tree};

type Failed = Option<(Code, String)>;

/// Two skills.
pub(super) const TWO: &str = include_str!("../../data/codes-hosts.txt");

pub(super) const LOAD: (&str, &str) = ("skills_load", r#"{"names": ["pdf"]}"#);
const REMOVE: (&str, &str) = ("Bash", r#"{"command": "rm forms.pdf"}"#);

/// Makes one call of a host.
fn call(
    policies: &str,
    host: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    call: (&str, &str),
) -> Failed {
    let tree = tree(TWO);
    let runtime = host(builder(&tree, policies)).build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    refused(dispatch(&runtime.turn(&session).expect("it is open"), call))
}

/// Makes a call of a host that sets policies itself.
pub(super) fn by(set: fn(&mut Policies), made: (&str, &str)) -> Failed {
    let mut policies = Policies::default();
    set(&mut policies);
    call("", |builder| builder.policies(policies), made)
}

/// Makes a call after files have changed that the catalog was built from.
pub(super) fn after(files: &str, changed: fn(&Tree), call: (&str, &str)) -> Failed {
    let tree = tree(files);
    let policies = "tools: { read_gate: known }";
    let runtime = builder(&tree, policies).build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    changed(&tree);
    refused(dispatch(&runtime.turn(&session).expect("it is open"), call))
}

pub(super) fn panicking_tool() -> Failed {
    let weather = || TestTool::new("weather", "Weather.", |_, _| panic!("the example panics"));
    let tools = || Arc::new(TestTools::one(weather()));
    call("", |builder| builder.tools(tools()), ("weather", "{}"))
}

/// A store of approvals that fails.
struct Locked;

fn locked<T>() -> Result<T, ApprovalStoreError> {
    Err(ApprovalStoreError("the database is locked".to_owned()))
}

impl ApprovalStore for Locked {
    fn ask(&self, _: NewApproval) -> Result<Asked, ApprovalStoreError> {
        locked()
    }

    fn load(&self, _: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        locked()
    }

    fn replace(&self, _: ApprovalEntry, _: u64) -> Result<bool, ApprovalStoreError> {
        locked()
    }

    fn find(&self, _: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        locked()
    }

    fn list(
        &self,
        _: Option<&ApprovalId>,
        _: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        locked()
    }

    fn remove_finished(&self, _: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        locked()
    }
}

pub(super) fn locked_approvals() -> Failed {
    call("", |builder| builder.approvals(Arc::new(Locked)), REMOVE)
}

struct NoCalls;

impl RateLimiter for NoCalls {
    fn admit(&self, _: &CallIntent) -> Result<(), RateLimited> {
        Err(RateLimited { retry_after: Some(std::time::Duration::from_secs(60)) })
    }
}

pub(super) fn limited() -> Failed {
    call("", |builder| builder.rate_limiter(Arc::new(NoCalls)), LOAD)
}

struct FullDisk;

impl AuditSink for FullDisk {
    fn intend(&self, _: &CallIntent) -> Result<(), AuditError> {
        Err(AuditError("no space left on device".to_owned()))
    }

    fn record(&self, _: &AuditEvent) {}
}

pub(super) fn full_audit() -> Failed {
    let policies = "audit: { policy: required }";
    call(policies, |builder| builder.audit(Arc::new(FullDisk)), LOAD)
}

pub(super) fn cancelled() -> Failed {
    let tree = tree(TWO);
    let runtime = builder(&tree, "").build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let cancel = Cancel::default();
    cancel.cancel();
    let call = ToolCall::new(LOAD.0, json!({ "names": ["pdf"] }));
    let turn = runtime.turn(&session).expect("it is open");
    refused(turn.call_until(&call, &cancel))
}

pub(super) fn broken_arguments() -> Failed {
    let message = json!({ "role": "assistant", "tool_calls": [{
        "id": "call_1",
        "type": "function",
        "function": { "name": "skills_load", "arguments": "{\"names\": [\"pdf\"]" },
    }] });
    let received = WireFormat::OpenAiChat.calls(&message, &[]).into_iter().next()?;
    let result = received.call.err()?;
    Some((result.code.clone()?, result.message()?.to_owned()))
}

pub(super) fn denied() -> Failed {
    let tree = tree(TWO);
    let runtime = builder(&tree, "").build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let remove = || dispatch(&runtime.turn(&session).expect("it is open"), REMOVE);
    let verdict = ApprovalVerdict::Deny;
    let decision = ApprovalDecision { verdict, by: "ann".to_owned(), at: Timestamp(0) };
    runtime.approvals().decide(&remove().approval?, &decision).expect("it is pending");
    refused(remove())
}

pub(super) fn narrowed() -> Failed {
    let tree = tree(TWO);
    let runtime = builder(&tree, "").build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let allowed = Some(BTreeSet::from(["tables".to_owned()]));
    let child = session.fork(&ForkRequest { allowed, ..ForkRequest::default() });
    let child = child.expect("the store is in memory");
    refused(dispatch(&runtime.turn(&child).expect("it is open"), LOAD))
}

pub(super) fn closed() -> Failed {
    let tree = tree(TWO);
    let runtime = builder(&tree, "").build().expect("it is complete");
    let id = SessionId::new("chat-1").expect("a valid id");
    let session = runtime.open_session_with(id).expect("the store is in memory");
    let turn = runtime.turn(&session).expect("it is open");
    runtime.close_session(session.id()).expect("the store is in memory");
    refused(dispatch(&turn, LOAD))
}

pub(super) fn hard_link() -> Failed {
    let tree = tree("//- /project/pdf/SKILL.md\n---\nname: pdf\ndescription: x\n---\n//- /a\nx\n");
    let references = tree.join("project/pdf/references");
    fs::create_dir(&references).expect("there is room");
    fs::hard_link(tree.join("a"), references.join("fields.md")).expect("it is on one disk");
    let runtime = builder(&tree, "tools: { read_gate: known }").build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let read = ("skills_read", r#"{"skill": "pdf", "path": "references/fields.md"}"#);
    refused(dispatch(&runtime.turn(&session).expect("it is open"), read))
}

/// Returns the warning about a rule of `Bash` that grants nothing.
pub(super) fn rule(rule: &str) -> Failed {
    let rules = AllowedTools::parse_all(&[rule]).expect("it is of the form of a rule");
    let kind = ToolKind::Shell { command: "command", harmless: &[] };
    let warning = check_rules(rules.rules(), &[], kind).into_iter().next()?;
    Some((warning.code.clone(), format!("{warning}\n  help: {}", warning.help)))
}
