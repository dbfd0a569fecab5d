//! `prowess approvals`: lists the tool calls that wait for a person, and decides on them.

mod find;
mod shown;
mod watch;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use prowess::session::AuditedApprovals;
use prowess::state::ApprovalDatabase;
use prowess::{
    ApprovalDecision, ApprovalEntry, ApprovalError, ApprovalId, ApprovalLog, ApprovalScope,
    ApprovalState, ApprovalStore, ApprovalStoreError, ApprovalStoreExt, ApprovalVerdict, AuditLog,
    AuditPolicy, AuditSink, Clock, DecisionError, NoAudit, SystemClock, Timestamp,
};
use prowess_audit::JsonLinesLog;
use serde::Serialize;

use crate::args::{ApprovalGrant, Approvals, Global, GrantScope};
use crate::audit_log;
use crate::command_session::is_of_command;
use crate::commands::audit::located;
use crate::failure::{Failure, Place};
use crate::output::Output;
use crate::paths;
use crate::policies::policies;
use crate::store::{self, StoreUrl};
use crate::terminal::plain;
use crate::user::user;

use shown::Shown;

/// The code of a decision that the state of an approval does not allow.
const APPROVAL_STATE: &str = "approval-state";

/// The output of `approvals --format json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Granted(Shown),
    Denied(Shown),
    Revoked(Shown),
    Approval(Shown),
    Approvals(Vec<Shown>),
}

/// Returns the commands that decide on a pending approval.
pub(crate) fn next_step(id: &ApprovalId) -> String {
    format!(
        "The user decides with `prowess approvals grant {id}` or `prowess approvals deny {id}`, \
         after `prowess approvals list` has shown the call."
    )
}

/// Like [`next_step`], of a server that shares a database. Its URL is not for clients.
#[cfg(feature = "http")]
pub(crate) fn next_step_in_store(id: &ApprovalId) -> String {
    format!(
        "The user decides with `prowess approvals grant {id} --store URL` or `prowess approvals \
         deny {id} --store URL`, the URL being that of the server's database, after `prowess \
         approvals list --store URL` has shown the call."
    )
}

/// Like [`next_step`], of a command that is a session of its own each time.
pub(crate) fn next_step_of_later(command: &str, id: &ApprovalId) -> String {
    format!(
        "once `prowess approvals list` has shown the call, `prowess approvals grant {id}` allows \
         the next such `prowess {command}`, with `--scope always` each later one, and `prowess \
         approvals deny {id}` refuses it"
    )
}

pub(crate) fn run(
    command: Option<&Approvals>,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    store::check(global.store.as_ref(), "approvals")?;
    if let Some(Approvals::Watch) = command {
        return watch::run(global, output);
    }
    output.result(&answer(command, global, output)?, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what a command prints, after its decision.
pub(crate) fn answer(
    command: Option<&Approvals>,
    global: &Global,
    output: &Output,
) -> Result<Answer, Failure> {
    let now = now();
    let decide = |id: &str, verdict| decide(id, verdict, global, output);
    Ok(match command {
        None | Some(Approvals::Watch) => list(false, now, global, output)?,
        Some(Approvals::List { all }) => list(*all, now, global, output)?,
        Some(Approvals::Show { id }) => Answer::Approval(show(id, global)?),
        Some(Approvals::Grant(grant)) => Answer::Granted(decide(&grant.id, verdict(grant, now))?),
        Some(Approvals::Deny { id }) => Answer::Denied(decide(id, ApprovalVerdict::Deny)?),
        Some(Approvals::Revoke { id }) => Answer::Revoked(decide(id, ApprovalVerdict::Revoke)?),
    })
}

fn now() -> Timestamp {
    SystemClock::default().now()
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

/// Lists the pending approvals, or all, in the order in which they were asked for.
fn list(is_all: bool, now: Timestamp, global: &Global, output: &Output) -> Result<Answer, Failure> {
    let Some(database) = open(global.store.as_ref())? else {
        return Ok(Answer::Approvals(Vec::new()));
    };
    let entries = find::all(&*database)?;
    let pending = |entry: &&ApprovalEntry| shown::state(entry, now) == "pending";
    let ids: Vec<_> = entries.iter().filter(pending).map(|entry| entry.id.clone()).collect();
    let numbers = database.numbers(&ids).map_err(|error| unusable(&error))?;
    let granted = entries.iter().filter(|entry| shown::state(entry, now) == "granted").count();
    if !is_all && granted > 0 && output.shows_remarks() {
        let count = crate::output::counted(granted, "approval");
        output.remark(&format!("{count} in force: see `prowess approvals list --all`\n"));
    }
    let listed = entries.into_iter().filter(|entry| is_all || pending(&entry));
    let shown = |entry: ApprovalEntry| {
        let number = numbers.get(&entry.id).copied();
        Shown::new(entry, number, now)
    };
    Ok(Answer::Approvals(listed.map(shown).collect()))
}

/// Returns the numbers that a person was shown.
pub(super) fn numbers(global: &Global, output: &Output) -> Result<Vec<String>, Failure> {
    let Answer::Approvals(all) = list(true, now(), global, output)? else { return Ok(Vec::new()) };
    Ok(all.iter().filter_map(|shown| shown.number).map(|number| number.to_string()).collect())
}

/// Checks that the approvals can be read.
pub(crate) fn check() -> Result<(), Failure> {
    open(None)?.map_or(Ok(()), |database| find::all(&*database).map(drop))
}

fn show(id: &str, global: &Global) -> Result<Shown, Failure> {
    let database = open(global.store.as_ref())?.ok_or_else(|| find::not_found(id))?;
    let (entry, number) = find::one(&*database, id, now())?;
    Ok(Shown::new(entry, number, now()))
}

fn decide(
    id: &str,
    verdict: ApprovalVerdict,
    global: &Global,
    output: &Output,
) -> Result<Shown, Failure> {
    let database = open(global.store.as_ref())?.ok_or_else(|| find::not_found(id))?;
    let (entry, number) = find::one(&*database, id, now())?;
    if matches!(verdict, ApprovalVerdict::Grant { scope: ApprovalScope::Session, .. })
        && is_of_command(&entry.session)
    {
        let message = "the session of this call has ended with its command";
        return Err(Failure::usage("approval-unbound", message, "use `--scope once` or `always`"));
    }
    let decided = decide_on(&entry, verdict, database, global, output)?;
    if let ApprovalState::Denied { by, .. } = &entry.state {
        output.remark(&format!("this replaces the refusal by {}\n", plain(by)));
    }
    Ok(Shown::new(decided, number, now()))
}

/// Records the answer of the person at a terminal to one call, and returns its entry. Another
/// person may have decided while it was asked: a call runs if both allow it, and a *no* of either
/// stands. Without an answer, a request expires that nothing waits for any more.
pub(crate) fn record_answer(
    id: &ApprovalId,
    said: Option<bool>,
    global: &Global,
    output: &Output,
) -> Result<ApprovalEntry, Failure> {
    let once = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    let database = open(global.store.as_ref())?.ok_or_else(|| find::not_found(id.as_str()))?;
    loop {
        let (entry, _) = find::one(&*database, id.as_str(), now())?;
        let verdict = match (said, &entry.state) {
            (Some(true), ApprovalState::Pending) => once,
            (Some(true), ApprovalState::Granted { .. }) => return Ok(entry),
            (Some(true), state) => {
                let (state, by) = (state.word(), state.by().map(str::to_owned));
                return Err(refused(DecisionError::State { id: entry.id, state, by }.into()));
            }
            // It counts no longer.
            (Some(false), _) if entry.is_expired(now()) => return Ok(entry),
            (Some(false), ApprovalState::Pending) => ApprovalVerdict::Deny,
            (Some(false), ApprovalState::Granted { .. }) => ApprovalVerdict::Revoke,
            (None, ApprovalState::Pending) => {
                let version = entry.version + 1;
                let over = ApprovalEntry { version, expires: Some(now()), ..entry.clone() };
                match database.replace(over, entry.version).map_err(|error| unusable(&error))? {
                    true => return Ok(entry),
                    false => continue,
                }
            }
            _ => return Ok(entry),
        };
        let decided = decide_on(&entry, verdict, Arc::clone(&database), global, output);
        match decided {
            // Another person has decided since it was read.
            Err(failure) if failure.code == APPROVAL_STATE => {}
            decided => return decided,
        }
    }
}

/// Decides on an approval as it was shown, and records that in the log of the host that asked for
/// it, or else in that of the configuration; in a database always, and before.
fn decide_on(
    entry: &ApprovalEntry,
    verdict: ApprovalVerdict,
    database: Arc<dyn Numbered>,
    global: &Global,
    output: &Output,
) -> Result<ApprovalEntry, Failure> {
    let settings = policies(global)?.audit;
    let of_log = |log: &ApprovalLog| log.policy == AuditPolicy::Required;
    let is_required = settings.policy == AuditPolicy::Required
        && (settings.log == AuditLog::Keep || global.store.is_some())
        || entry.log.as_ref().is_some_and(of_log);
    #[cfg(feature = "postgres")]
    if let Some(store) = &global.store {
        let audit = store::audit_of(store, entry.log.as_ref())?;
        let recorded =
            AuditedApprovals::new(Arc::clone(&database) as _, audit, AuditPolicy::Required);
        let decision = decision(verdict);
        return match recorded.answer(entry, &decision) {
            Err(error @ ApprovalError::Store(_)) if !is_required => {
                let decided = database.answer(entry, &decision).map_err(refused)?;
                unrecorded(&error.to_string(), output);
                Ok(decided)
            }
            decided => decided.map_err(refused),
        };
    }
    let opened = match &entry.log {
        Some(log) => Some(audit_log::open(Path::new(&log.location))),
        None if settings.log == AuditLog::Keep => Some(audit_log::open(&located(&None)?)),
        None => None,
    };
    let log: Option<Arc<JsonLinesLog>> = match opened {
        Some(Ok(log)) => Some(Arc::new(log)),
        Some(Err(failure)) if is_required => return Err(failure),
        Some(Err(failure)) => {
            unrecorded(&failure.message, output);
            None
        }
        None => None,
    };
    let audit: Arc<dyn AuditSink> = match &log {
        Some(log) => Arc::clone(log) as _,
        None => Arc::new(NoAudit),
    };
    let policy = if is_required { AuditPolicy::Required } else { AuditPolicy::BestEffort };
    let approvals = AuditedApprovals::new(database, audit, policy);
    let decided = approvals.answer(entry, &decision(verdict)).map_err(refused)?;
    if log.is_some_and(|log| log.lost() > 0) {
        unrecorded("it cannot be written", output);
    }
    Ok(decided)
}

/// Says that a decision that was made is not recorded, also where remarks are not wanted.
fn unrecorded(reason: &str, output: &Output) {
    output.notice(&format!("the decision is not in the audit log: {reason}\n"));
}

fn decision(verdict: ApprovalVerdict) -> ApprovalDecision {
    ApprovalDecision { verdict, by: user(), at: now() }
}

/// Opens the database; returns `None` if there is none yet.
fn open(store: Option<&StoreUrl>) -> Result<Option<Arc<dyn Numbered>>, Failure> {
    #[cfg(feature = "postgres")]
    if let Some(url) = store {
        return Ok(Some(store::database(url)?));
    }
    // Without the feature, the command is refused before.
    let _ = store;
    let surroundings = paths::surroundings()?;
    let path = paths::state_database(&surroundings);
    let path = path.ok_or_else(|| paths::without_home("the database of approvals"))?;
    // A link to nowhere is there, and is refused; so is what cannot be looked at.
    if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let database = ApprovalDatabase::open(path);
    let database = database.map(|database| Some(Arc::new(database) as Arc<dyn Numbered>));
    database.map_err(|found| {
        let place = found.path.map(|path| Place { path: path.into(), line: None, column: None });
        Failure::new(found.code.as_str(), found.message, found.help).at(place)
    })
}

/// Approvals that people name by numbers.
pub(super) trait Numbered: ApprovalStore {
    /// Returns the numbers of all approvals, after these have got one.
    fn numbers(&self, ids: &[ApprovalId]) -> Result<BTreeMap<ApprovalId, u64>, ApprovalStoreError>;

    /// Returns a number that differs from the last one if another program has changed them.
    fn changes(&self) -> Result<i64, ApprovalStoreError>;
}

impl Numbered for ApprovalDatabase {
    fn numbers(&self, ids: &[ApprovalId]) -> Result<BTreeMap<ApprovalId, u64>, ApprovalStoreError> {
        self.numbers(ids)
    }

    fn changes(&self) -> Result<i64, ApprovalStoreError> {
        self.changes()
    }
}

#[cfg(feature = "postgres")]
impl Numbered for prowess_postgres::Database {
    fn numbers(&self, _: &[ApprovalId]) -> Result<BTreeMap<ApprovalId, u64>, ApprovalStoreError> {
        Ok(self.approval_numbers()?)
    }

    fn changes(&self) -> Result<i64, ApprovalStoreError> {
        Ok(self.approval_changes()?)
    }
}

fn refused(error: ApprovalError) -> Failure {
    let message = error.to_string();
    let list = "see `prowess approvals list --all`";
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
            APPROVAL_STATE,
            message,
            "revoke it; the next such call is a new request, which can be granted differently",
        ),
        _ => Failure::new(APPROVAL_STATE, message, list),
    }
}

fn unusable(error: &ApprovalStoreError) -> Failure {
    let help = "follow the message, and run the command again";
    Failure::new("approval-store-failed", error.to_string(), help)
}

fn text(answer: &Answer) -> String {
    match answer {
        Answer::Granted(entry) | Answer::Denied(entry) | Answer::Revoked(entry) => entry.text(),
        Answer::Approval(entry) => entry.whole(),
        Answer::Approvals(entries) if entries.is_empty() => {
            "no tool call waits for an approval\n".to_owned()
        }
        Answer::Approvals(entries) => entries.iter().map(Shown::text).collect(),
    }
}
