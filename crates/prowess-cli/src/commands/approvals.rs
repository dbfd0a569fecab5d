//! `prowess approvals`: lists the tool calls that wait for a person, and decides on them.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use prowess::session::AuditedApprovals;
use prowess::state::{ApprovalDatabase, rfc3339};
use prowess::{
    ApprovalDecision, ApprovalEntry, ApprovalError, ApprovalId, ApprovalScope, ApprovalState,
    ApprovalStore, ApprovalStoreError, ApprovalStoreExt, ApprovalVerdict, ArgumentPattern,
    AuditSink, Clock, DecisionError, Digest, NoAudit, SystemClock, Timestamp,
};
use serde::Serialize;

use crate::args::{ApprovalGrant, Approvals, Global, GrantScope};
use crate::audit_log::audit_sink;
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::paths;
use crate::policies::policies;
use crate::terminal::{one_line, plain};

/// The number of entries that are read at once.
const PAGE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");

/// The maximum width of a call on a line.
const WIDTH: usize = 160;

/// The number of characters of a digest that are shown: `sha256:` and 12 digits.
const SHORT_DIGEST: usize = 19;

/// The output of `approvals --format json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Granted(Shown),
    Denied(Shown),
    Revoked(Shown),
    Approvals(Vec<Shown>),
}

/// One entry, with its times as text.
#[derive(Serialize)]
struct Shown {
    id: ApprovalId,
    state: &'static str,
    tool: String,
    arguments: String,
    preview: String,
    skill: Option<String>,
    package: Option<Digest>,
    tenant: Option<String>,
    session: String,
    scope: Option<ApprovalScope>,
    asked: String,
    expires: Option<String>,
    by: Option<String>,
}

/// Returns the commands that decide on a pending approval.
pub(crate) fn next_step(id: &ApprovalId) -> String {
    format!(
        "The user decides with `prowess approvals grant {id}` or `prowess approvals deny {id}`, \
         after `prowess approvals list` has shown the call."
    )
}

pub(crate) fn run(
    command: &Approvals,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let now = SystemClock::default().now();
    let decide = |id: &str, verdict| {
        let audit = audit(global, output)?;
        decide(id, verdict, now, audit)
    };
    let answer = match command {
        Approvals::List => Answer::Approvals(list(now)?),
        Approvals::Grant(grant) => Answer::Granted(decide(&grant.id, verdict(grant, now))?),
        Approvals::Deny { id } => Answer::Denied(decide(id, ApprovalVerdict::Deny)?),
        Approvals::Revoke { id } => Answer::Revoked(decide(id, ApprovalVerdict::Revoke)?),
    };
    output.result(&answer, text)?;
    Ok(ExitCode::SUCCESS)
}

fn verdict(grant: &ApprovalGrant, now: Timestamp) -> ApprovalVerdict {
    let scope = match grant.scope {
        GrantScope::Once => ApprovalScope::Once,
        GrantScope::Session => ApprovalScope::Session,
        GrantScope::Always => ApprovalScope::Always,
    };
    let expires = grant.lifetime.map(|lifetime| Timestamp(now.0.saturating_add(lifetime.0)));
    ApprovalVerdict::Grant { scope, expires }
}

fn list(now: Timestamp) -> Result<Vec<Shown>, Failure> {
    let Some(database) = open()? else { return Ok(Vec::new()) };
    let mut entries: Vec<ApprovalEntry> = Vec::new();
    loop {
        let after = entries.last().map(|entry| &entry.id);
        let page = database.list(after, PAGE).map_err(|error| unusable(&error))?;
        if page.is_empty() {
            break;
        }
        entries.extend(page);
    }
    entries.sort_by_key(|entry| entry.asked);
    Ok(entries.into_iter().map(|entry| shown(entry, now)).collect())
}

fn decide(
    id: &str,
    verdict: ApprovalVerdict,
    now: Timestamp,
    audit: Arc<dyn AuditSink>,
) -> Result<Shown, Failure> {
    let id = ApprovalId::new(id);
    let Some(database) = open()? else { return Err(refused(ApprovalError::NotFound(id))) };
    // A name for the record; the file's permissions decide who may change it.
    let by = std::env::var("USER").unwrap_or_else(|_| "command line".to_owned());
    let approvals = AuditedApprovals::new(Arc::new(database), audit);
    let entry = approvals.decide(&id, &ApprovalDecision { verdict, by, at: now });
    entry.map(|entry| shown(entry, now)).map_err(refused)
}

/// Returns the audit log if the configuration has one and no other program is writing it. The
/// program that does records who has granted an approval when a call uses it.
fn audit(global: &Global, output: &Output) -> Result<Arc<dyn AuditSink>, Failure> {
    match audit_sink(&policies(global)?) {
        Ok(audit) => Ok(audit),
        Err(failure) => {
            output.remark(&format!("the decision is not in the audit log: {}\n", failure.message));
            Ok(Arc::new(NoAudit))
        }
    }
}

/// Opens the database; returns `None` if there is none yet.
fn open() -> Result<Option<ApprovalDatabase>, Failure> {
    let surroundings = paths::surroundings()?;
    let path = paths::state_database(&surroundings);
    let path = path.ok_or_else(|| paths::without_home("the database of approvals"))?;
    // A link to nowhere is there, and is refused.
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let database = ApprovalDatabase::open(path);
    database.map(Some).map_err(|found| Failure::new(found.code.as_str(), found.message, found.help))
}

fn shown(entry: ApprovalEntry, now: Timestamp) -> Shown {
    let is_expired = entry.is_expired(now)
        && matches!(entry.state, ApprovalState::Pending | ApprovalState::Granted { .. });
    let state = if is_expired { "expired" } else { entry.state.word() };
    let (scope, by) = match entry.state {
        ApprovalState::Granted { scope, by, .. } => (Some(scope), Some(by)),
        ApprovalState::Denied { by, .. } | ApprovalState::Revoked { by, .. } => (None, Some(by)),
        ApprovalState::Spent { .. } => (Some(ApprovalScope::Once), None),
        _ => (None, None),
    };
    Shown {
        id: entry.id,
        state,
        tool: entry.request.tool,
        arguments: words(&entry.request.arguments),
        preview: entry.preview,
        skill: entry.request.skill,
        package: entry.request.package,
        tenant: entry.request.tenant,
        session: entry.session.to_string(),
        scope,
        asked: rfc3339(entry.asked),
        expires: entry.expires.map(rfc3339),
        by,
    }
}

/// Returns the arguments that are covered, in words.
fn words(arguments: &ArgumentPattern) -> String {
    match arguments {
        ArgumentPattern::Any => "any arguments".to_owned(),
        ArgumentPattern::Exact(_) => "exactly these arguments".to_owned(),
        ArgumentPattern::CommandPrefix(words) => {
            format!("commands that begin with `{}`", words.join(" "))
        }
        _ => "arguments that this version cannot show".to_owned(),
    }
}

fn refused(error: ApprovalError) -> Failure {
    let message = error.to_string();
    let list = "see `prowess approvals list`";
    match error {
        ApprovalError::NotFound(_) => Failure::usage("approval-not-found", message, list),
        ApprovalError::Decision(DecisionError::Expired(_)) => {
            Failure::new("approval-expired", message, "make the call again, which asks again")
        }
        ApprovalError::Decision(DecisionError::Unbound(_)) => {
            Failure::usage("approval-unbound", message, "use `--scope once`")
        }
        ApprovalError::Store(error) => unusable(&error),
        ApprovalError::Decision(DecisionError::State { state: "granted", .. }) => Failure::new(
            "approval-state",
            message,
            "revoke it; the next such call is a new request, which can be granted differently",
        ),
        _ => Failure::new("approval-state", message, list),
    }
}

fn unusable(error: &ApprovalStoreError) -> Failure {
    let help = "follow the message, and run the command again";
    Failure::new("approval-store-failed", error.to_string(), help)
}

fn text(answer: &Answer) -> String {
    match answer {
        Answer::Granted(entry) | Answer::Denied(entry) | Answer::Revoked(entry) => line(entry),
        Answer::Approvals(entries) if entries.is_empty() => {
            "no tool call waits for an approval, and none is approved\n".to_owned()
        }
        Answer::Approvals(entries) => entries.iter().map(line).collect(),
    }
}

/// Returns an entry on two lines: the call, and what the approval is bound to.
fn line(entry: &Shown) -> String {
    let id = plain(entry.id.as_str());
    let arguments = one_line(&entry.arguments, WIDTH);
    let mut text = format!(
        "{ID}{id}{ID:#}  {}  {}: {arguments}\n",
        entry.state,
        one_line(&entry.tool, WIDTH),
    );
    if !entry.preview.is_empty() {
        let _ = writeln!(text, "  {}", one_line(&entry.preview, WIDTH));
    }
    let scope = entry.scope.map(|scope| match scope {
        ApprovalScope::Once => "one call",
        ApprovalScope::Session => "this session",
        ApprovalScope::Always => "every session",
    });
    let digest = entry.package.map(|digest| digest.to_string());
    let package = digest.as_ref().and_then(|digest| digest.get(..SHORT_DIGEST));
    let parts = [
        ("skill", entry.skill.as_deref()),
        ("package", package),
        ("tenant", entry.tenant.as_deref()),
        ("session", Some(entry.session.as_str())),
        ("for", scope),
        ("by", entry.by.as_deref()),
        ("expires", entry.expires.as_deref()),
    ];
    let parts = parts
        .iter()
        .filter_map(|(word, part)| part.map(|part| format!("{word} {}", one_line(part, WIDTH))));
    let _ = writeln!(text, "  {DIM}{}{DIM:#}", parts.collect::<Vec<_>>().join(", "));
    text
}
