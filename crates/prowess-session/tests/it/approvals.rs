//! Tests of the approval kit: the memory store passes it, and a store with any one fault fails it.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use prowess_core::{
    Approval, ApprovalDecision, ApprovalEntry, ApprovalError, ApprovalId, ApprovalQuery,
    ApprovalRequest, ApprovalScope, ApprovalState, ApprovalStore, ApprovalStoreError,
    ApprovalStoreExt, ApprovalVerdict, ArgumentPattern, Asked, DecisionError, NewApproval,
    OperationId, SessionId, Spend, Timestamp,
};
use prowess_session::MemoryApprovals;
use prowess_testkit::{check_approval_store, rows};

#[test]
fn memory_store_passes() {
    let report = check_approval_store(&MemoryApprovals::new());
    assert!(report.is_passed(), "{report}");
    assert_eq!(report.rules.len(), 16, "each rule is a row");
}

/// A race that a fault loses may not happen in one run of the kit, on a busy machine.
const RUNS: usize = 20;

#[test]
fn each_fault_breaks_its_rule() {
    for [fault, rule] in rows(include_str!("../data/faults.txt"), "approvals") {
        let fault = &*fault;
        let was_found = (0..RUNS).any(|_| {
            let report = check_approval_store(&Faulty { inner: MemoryApprovals::new(), fault });
            report.failures().any(|failure| failure == rule)
        });
        assert!(was_found, "{fault:?} breaks the rule `{rule}`");
    }
}

#[test]
fn broken_rule_has_its_reason() {
    let store = Faulty { inner: MemoryApprovals::new(), fault: "ask-takes-large-requests" };
    let report = check_approval_store(&store).to_string();
    let row = report.lines().find(|row| row.contains("large-requests-are-not-stored"));
    let row = row.expect("each rule is a row");
    assert!(row.starts_with("FAILED") && row.contains("the size has a limit"), "{row}");
}

/// A store with a fault of `faults.txt`.
struct Faulty<'f> {
    inner: MemoryApprovals,
    fault: &'f str,
}

type Stored<T> = Result<T, ApprovalStoreError>;

impl Faulty<'_> {
    fn all(&self) -> Stored<Vec<ApprovalEntry>> {
        self.inner.list(None, NonZeroUsize::MAX)
    }

    fn force(&self, entry: ApprovalEntry) -> Stored<bool> {
        let stored = self.inner.load(&entry.id)?;
        stored.map_or(Ok(false), |stored| self.inner.replace(entry, stored.version))
    }

    fn pending(new: NewApproval) -> ApprovalEntry {
        new.admit([]).expect("there is room")
    }
}

impl ApprovalStore for Faulty<'_> {
    fn ask(&self, mut new: NewApproval) -> Stored<Asked> {
        match self.fault {
            "ask-stores-nothing" => Ok(Asked::Entry(Box::new(Self::pending(new)))),
            "ask-stores-again" | "ask-has-no-limit" => {
                let is_known = |entry: &ApprovalEntry| {
                    entry.request == new.request
                        && entry.session == new.session
                        && entry.is_open(new.now)
                };
                let known = self.all()?.into_iter().find(is_known);
                if let Some(known) = known.filter(|_| self.fault == "ask-has-no-limit") {
                    return Ok(Asked::Entry(Box::new(known)));
                }
                // A session of its own has no other requests, so it has room.
                let session = new.session.clone();
                let own = format!("{}-{}", session, new.id.as_str().len());
                new.session = SessionId::new(own + new.id.as_str()).expect("an id");
                let Asked::Entry(entry) = self.inner.ask(new)? else { unreachable!("it has room") };
                let entry = ApprovalEntry { session, ..*entry };
                self.force(entry.clone())?;
                Ok(Asked::Entry(Box::new(entry)))
            }
            "ask-mixes-sessions" => {
                let known = self.all()?.into_iter().find(|entry| entry.request == new.request);
                known.map_or_else(|| self.inner.ask(new), |known| Ok(Asked::Entry(Box::new(known))))
            }
            "ask-limits-all-sessions" => match self.inner.ask(new)? {
                Asked::Entry(_) if self.all()?.len() > NewApproval::MAX_PENDING => {
                    Ok(Asked::TooMany)
                }
                other => Ok(other),
            },
            "ask-takes-large-requests" => {
                let request = new.request.clone();
                if request.size() > NewApproval::MAX_SIZE {
                    new.request.arguments = ArgumentPattern::Any;
                }
                let Asked::Entry(entry) = self.inner.ask(new)? else { return Ok(Asked::TooMany) };
                let entry = ApprovalEntry { request, ..*entry };
                self.force(entry.clone())?;
                Ok(Asked::Entry(Box::new(entry)))
            }
            "ask-takes-any-id" if self.inner.load(&new.id)?.is_some() => {
                let entry = Self::pending(new);
                self.force(entry.clone())?;
                Ok(Asked::Entry(Box::new(entry)))
            }
            _ => self.inner.ask(new),
        }
    }

    fn load(&self, id: &ApprovalId) -> Stored<Option<ApprovalEntry>> {
        let entry = self.inner.load(id)?;
        // Gives other threads time between reading and writing, without sleeping.
        if self.fault == "replace-checks-first" {
            (0..1_000).for_each(|_| std::thread::yield_now());
        }
        Ok(entry)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Stored<bool> {
        match self.fault {
            "replace-compares-nothing" | "replace-checks-first" => self.force(entry),
            "replace-stores-nothing" => Ok(true),
            _ => self.inner.replace(entry, expected),
        }
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Stored<Vec<Approval>> {
        let changed = |mut entry: ApprovalEntry| {
            match self.fault {
                "find-mixes-tenants" => entry.request.tenant = query.tenant.map(Into::into),
                "find-ignores-expiry" => entry.expires = None,
                "find-keeps-revoked" => {
                    if let ApprovalState::Revoked { by, at } = entry.state {
                        let scope = ApprovalScope::Session;
                        entry.state = ApprovalState::Granted { scope, by, at };
                    }
                }
                "find-forgets-scopes" => {
                    if let ApprovalState::Granted { scope, .. } = &mut entry.state {
                        *scope = ApprovalScope::Session;
                    }
                }
                _ => {}
            }
            entry.approval_for(query)
        };
        Ok(self.all()?.into_iter().filter_map(changed).collect())
    }

    fn list(&self, after: Option<&ApprovalId>, limit: NonZeroUsize) -> Stored<Vec<ApprovalEntry>> {
        match self.fault {
            "list-ignores-limit" => self.inner.list(after, NonZeroUsize::MAX),
            "list-skips" if after.is_some() => {
                Ok(self.inner.list(after, limit)?.into_iter().skip(1).collect())
            }
            _ => self.inner.list(after, limit),
        }
    }

    fn remove_finished(&self, before: Timestamp) -> Stored<Vec<ApprovalEntry>> {
        match self.fault {
            "remove-takes-granted" => self.inner.remove_finished(Timestamp(u64::MAX)),
            "remove-takes-nothing" => Ok(Vec::new()),
            "remove-returns-nothing" => {
                self.inner.remove_finished(before)?;
                Ok(Vec::new())
            }
            _ => self.inner.remove_finished(before),
        }
    }
}

/// A store in which something happens just before a change, once.
struct Interrupted<'a> {
    inner: &'a MemoryApprovals,
    interruption: Mutex<Option<Interruption>>,
}

/// The event before a change.
enum Interruption {
    /// Another host uses the approval.
    Spend(OperationId),
    /// The change is stored, and the answer is lost.
    LostAnswer,
}

impl ApprovalStore for Interrupted<'_> {
    fn ask(&self, new: NewApproval) -> Stored<Asked> {
        self.inner.ask(new)
    }

    fn load(&self, id: &ApprovalId) -> Stored<Option<ApprovalEntry>> {
        self.inner.load(id)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Stored<bool> {
        let interruption = self.interruption.lock().expect("no test panics in it").take();
        match interruption {
            Some(Interruption::Spend(operation)) => {
                assert_eq!(spend(self.inner, operation), Ok(Spend::Allowed));
            }
            Some(Interruption::LostAnswer) => {
                self.inner.replace(entry, expected)?;
                return Err(ApprovalStoreError("the answer is lost".into()));
            }
            None => {}
        }
        self.inner.replace(entry, expected)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Stored<Vec<Approval>> {
        self.inner.find(query)
    }

    fn list(&self, after: Option<&ApprovalId>, limit: NonZeroUsize) -> Stored<Vec<ApprovalEntry>> {
        self.inner.list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Stored<Vec<ApprovalEntry>> {
        self.inner.remove_finished(before)
    }
}

fn spend(store: &dyn ApprovalStore, operation: OperationId) -> Stored<Spend> {
    let session = SessionId::new("s").expect("it is an id");
    let query = ApprovalQuery { tool: "Bash", tenant: None, session: &session, now: Timestamp(3) };
    store.spend(&ApprovalId::new("a"), &query, operation)
}

fn decide(
    store: &dyn ApprovalStore,
    verdict: ApprovalVerdict,
) -> Result<ApprovalEntry, ApprovalError> {
    let decision = ApprovalDecision { verdict, by: "ada".into(), at: Timestamp(2) };
    store.decide(&ApprovalId::new("a"), &decision)
}

/// Returns a store with an approval for one call.
fn granted() -> MemoryApprovals {
    let store = MemoryApprovals::new();
    let request = ApprovalRequest {
        tool: "Bash".into(),
        arguments: ArgumentPattern::Any,
        skill: None,
        package: None,
        tenant: None,
    };
    let new = NewApproval {
        id: ApprovalId::new("a"),
        request,
        session: SessionId::new("s").expect("it is an id"),
        preview: String::new(),
        now: Timestamp(1),
        expires: Timestamp(10),
        log: None,
    };
    store.ask(new).expect("memory does not fail");
    let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    decide(&store, verdict).expect("it is pending");
    store
}

#[test]
fn overtaken_spend_is_refused() {
    let inner = granted();
    let interruption = Mutex::new(Some(Interruption::Spend(OperationId(2))));
    let store = Interrupted { inner: &inner, interruption };
    assert_eq!(spend(&store, OperationId(1)), Ok(Spend::SpentByAnother));
}

#[test]
fn overtaken_decision_is_made_again() {
    let inner = granted();
    let interruption = Mutex::new(Some(Interruption::Spend(OperationId(2))));
    let store = Interrupted { inner: &inner, interruption };
    let revoked = decide(&store, ApprovalVerdict::Revoke);
    let is_refused = matches!(revoked, Err(ApprovalError::Decision(DecisionError::State { .. })));
    assert!(is_refused, "what was spent in the meantime is not revoked: {revoked:?}");
}

#[test]
fn lost_answer_is_found_by_its_operation() {
    let inner = granted();
    let interruption = Mutex::new(Some(Interruption::LostAnswer));
    let store = Interrupted { inner: &inner, interruption };
    assert!(spend(&store, OperationId(1)).is_err(), "the host does not know whether it may run");
    assert_eq!(spend(&store, OperationId(2)), Ok(Spend::SpentByAnother));
    assert_eq!(spend(&store, OperationId(1)), Ok(Spend::Allowed), "it was its own use");
}
