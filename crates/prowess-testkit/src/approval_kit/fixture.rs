//! The session in which one rule is checked.

use std::num::NonZeroUsize;
use std::sync::Barrier;
use std::thread;

use prowess_core::{
    Approval, ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest,
    ApprovalScope, ApprovalStore, ApprovalStoreExt, ApprovalVerdict, ArgumentPattern, Asked,
    Digest, NewApproval, OperationId, SessionId, Spend, Timestamp,
};

/// The time of each request and decision.
pub(super) const NOW: u64 = 1_000;

/// The time at which everything expires, unless a rule says otherwise.
pub(super) const EXPIRY: u64 = 5_000;

/// The number of callers that race.
const RACERS: usize = 8;

/// A store, and the session and tool of one rule.
pub(super) struct Fixture<'a> {
    pub(super) store: &'a dyn ApprovalStore,
    session: SessionId,
    tool: String,
}

impl<'a> Fixture<'a> {
    pub(super) fn new(store: &'a dyn ApprovalStore, rule: &str) -> Self {
        Self { store, session: SessionId::new(rule).expect("it is an id"), tool: rule.to_owned() }
    }

    pub(super) fn id(&self, name: &str) -> ApprovalId {
        ApprovalId::new(format!("{}-{name}", self.session))
    }

    pub(super) fn other_session(&self) -> SessionId {
        SessionId::new(format!("{}-other", self.session)).expect("it is an id")
    }

    /// Returns a request that differs from others by its word.
    pub(super) fn new_approval(&self, name: &str, word: &str) -> NewApproval {
        let request = ApprovalRequest {
            tool: self.tool.clone(),
            arguments: ArgumentPattern::CommandPrefix(vec![word.to_owned()]),
            skill: Some("deploy".to_owned()),
            package: Some(Digest::of(b"package")),
            tenant: Some("acme".to_owned()),
        };
        NewApproval {
            id: self.id(name),
            request,
            session: self.session.clone(),
            preview: format!("run {word}"),
            now: Timestamp(NOW),
            expires: Timestamp(EXPIRY),
            log: None,
        }
    }

    pub(super) fn try_ask(&self, new: NewApproval) -> Asked {
        self.store.ask(new).expect("`ask` succeeds on a working store")
    }

    pub(super) fn ask(&self, new: NewApproval) -> ApprovalEntry {
        match self.try_ask(new) {
            Asked::Entry(entry) => *entry,
            other => panic!("the request is stored, not {other:?}"),
        }
    }

    pub(super) fn pending(&self, name: &str, word: &str) -> ApprovalEntry {
        self.ask(self.new_approval(name, word))
    }

    pub(super) fn load(&self, name: &str) -> Option<ApprovalEntry> {
        self.store.load(&self.id(name)).expect("`load` succeeds on a working store")
    }

    pub(super) fn replace(&self, entry: &ApprovalEntry, expected: u64) -> bool {
        let result = self.store.replace(entry.clone(), expected);
        result.expect("`replace` succeeds on a working store")
    }

    pub(super) fn grant(&self, name: &str, scope: ApprovalScope) -> ApprovalEntry {
        self.grant_until(name, scope, Some(Timestamp(EXPIRY)))
    }

    pub(super) fn grant_until(
        &self,
        name: &str,
        scope: ApprovalScope,
        expires: Option<Timestamp>,
    ) -> ApprovalEntry {
        self.decide(name, ApprovalVerdict::Grant { scope, expires })
    }

    pub(super) fn deny(&self, name: &str) {
        self.decide(name, ApprovalVerdict::Deny);
    }

    pub(super) fn revoke(&self, name: &str) {
        self.decide(name, ApprovalVerdict::Revoke);
    }

    fn decide(&self, name: &str, verdict: ApprovalVerdict) -> ApprovalEntry {
        let decision = ApprovalDecision { verdict, by: "ada".to_owned(), at: Timestamp(NOW) };
        let result = self.store.decide(&self.id(name), &decision);
        result.expect("the decision is possible")
    }

    pub(super) fn query(&self) -> ApprovalQuery<'_> {
        ApprovalQuery {
            tool: &self.tool,
            tenant: Some("acme"),
            session: &self.session,
            now: Timestamp(NOW),
        }
    }

    pub(super) fn find(&self) -> Vec<Approval> {
        self.find_by(&self.query())
    }

    pub(super) fn find_by(&self, query: &ApprovalQuery<'_>) -> Vec<Approval> {
        self.store.find(query).expect("`find` succeeds on a working store")
    }

    pub(super) fn spend(&self, name: &str, operation: u64) -> Spend {
        self.spend_by(name, &self.query(), operation)
    }

    pub(super) fn spend_by(&self, name: &str, query: &ApprovalQuery<'_>, operation: u64) -> Spend {
        let spent = self.store.spend(&self.id(name), query, OperationId(operation));
        spent.expect("`spend` succeeds on a working store")
    }

    pub(super) fn entries(&self) -> Vec<ApprovalEntry> {
        self.listed(NonZeroUsize::new(100).expect("it is not zero"))
    }

    /// Returns the stored entries of the session, read in pages.
    pub(super) fn listed(&self, limit: NonZeroUsize) -> Vec<ApprovalEntry> {
        let mut listed = self.all_listed(limit);
        listed.retain(|entry| entry.session == self.session);
        listed
    }

    /// Returns the number of all stored entries.
    pub(super) fn all_entries(&self) -> usize {
        self.all_listed(NonZeroUsize::MAX).len()
    }

    fn all_listed(&self, limit: NonZeroUsize) -> Vec<ApprovalEntry> {
        let mut listed: Vec<ApprovalEntry> = Vec::new();
        loop {
            let after = listed.last().map(|entry| &entry.id);
            let page = self.store.list(after, limit).expect("`list` succeeds on a working store");
            assert!(page.len() <= limit.get(), "a page has at most `limit` entries");
            let is_after = |entry: &ApprovalEntry| after.is_none_or(|id| entry.id > *id);
            assert!(page.iter().all(is_after), "a page starts after the last entry");
            if page.is_empty() {
                return listed;
            }
            listed.extend(page);
        }
    }
}

/// Runs `call` on several threads at the same time, and returns the results in order.
pub(super) fn race<T: Send>(call: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(RACERS);
    thread::scope(|scope| {
        let racers = (0..RACERS as u64).map(|racer| {
            let (start, call) = (&start, &call);
            scope.spawn(move || {
                start.wait();
                call(racer)
            })
        });
        let racers: Vec<_> = racers.collect();
        racers
            .into_iter()
            .map(|racer| racer.join().expect("a store works from any thread"))
            .collect()
    })
}
