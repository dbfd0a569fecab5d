//! Stores with one fault each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, SessionSummary,
    StoreError, StoredContent, StoredSession, Timestamp,
};
use prowess_session::MemoryStore;

/// A memory store with a fault of `faults.txt`.
pub(crate) struct FaultyStore {
    inner: MemoryStore,
    fault: Option<String>,
    home: ThreadId,
    /// The number of calls between the comparison and the swap.
    inside: AtomicUsize,
    seen: Mutex<Seen>,
}

/// The state of the faults.
#[derive(Default)]
struct Seen {
    first: BTreeMap<SessionId, StoredSession>,
    operations: Vec<(SessionId, OperationId)>,
    contents: BTreeMap<ContentKey, Arc<str>>,
    deleted_contents: Vec<ContentKey>,
    pages: usize,
}

impl FaultyStore {
    pub(crate) fn new(fault: Option<&str>) -> Self {
        Self {
            inner: MemoryStore::new(),
            fault: fault.map(str::to_owned),
            home: thread::current().id(),
            inside: AtomicUsize::new(0),
            seen: Mutex::default(),
        }
    }

    fn has(&self, fault: &str) -> bool {
        self.fault.as_deref() == Some(fault)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a session whatever is stored.
    fn overwrite(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
    ) -> Result<PutOutcome, StoreError> {
        let stored = self.inner.load(&session.id)?.map(|stored| stored.operation);
        self.inner.put(session, new, stored)
    }

    fn remove(&self, id: &SessionId) -> Result<Option<RemovedSession>, StoreError> {
        let Some(session) = self.inner.load(id)? else { return Ok(None) };
        let texts = self.inner.contents(&session.contents)?;
        let is_removed = self.inner.delete(id, session.operation)?;
        Ok(is_removed.then_some(RemovedSession { session, texts }))
    }

    /// Yields to another thread between the comparison and the swap.
    fn put_without_lock(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let stored = self.inner.load(&session.id)?.map(|stored| stored.operation);
        if stored != expected {
            return self.inner.put(session, new, expected);
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        for _ in 0..5_000 {
            if self.inside.load(Ordering::SeqCst) > 1 {
                break;
            }
            thread::yield_now();
        }
        let stored = self.overwrite(session, new);
        self.inside.store(0, Ordering::SeqCst);
        stored
    }

    /// Stores a session with an earlier last use than the stored one.
    fn put_back(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let stored = self.inner.load(&session.id)?.map(|stored| stored.operation);
        if stored == expected && expected.is_some() {
            self.remove(&session.id)?;
            return self.inner.put(session, new, None);
        }
        self.inner.put(session, new, expected)
    }

    /// Replaces the texts of a session, as if each was stored with the session alone.
    fn hide_contents(&self, keys: &[ContentKey]) {
        self.seen().deleted_contents.extend(keys);
    }

    fn is_hidden(&self, key: ContentKey) -> bool {
        self.seen().deleted_contents.contains(&key)
    }

    fn remember(&self, session: &StoredSession, new: &[StoredContent], is_stored: bool) {
        let mut seen = self.seen();
        if is_stored {
            seen.operations.push((session.id.clone(), session.operation));
            seen.first.entry(session.id.clone()).or_insert_with(|| session.clone());
        }
        for content in new {
            seen.contents.insert(content.key(), content.text().clone());
            seen.deleted_contents.retain(|key| *key != content.key());
        }
    }

    fn lower(&self, id: &SessionId) -> SessionId {
        if self.has("ignores-case") {
            return SessionId::new(id.as_str().to_lowercase()).expect("it has the same letters");
        }
        id.clone()
    }

    fn all(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.inner.list(None, usize::MAX)
    }

    fn put_with_fault(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let stored = self.inner.load(&session.id)?;
        let is_repeated = stored.as_ref().is_some_and(|old| old.operation == session.operation);
        match self.fault.as_deref() {
            Some("reports-conflicts-only") => {
                self.inner.put(session, new, expected)?;
                Ok(PutOutcome::Conflict)
            }
            Some("overwrites-as-new") if expected.is_none() => self.overwrite(session, new),
            Some("ignores-expected") if stored.is_some() && expected.is_some() => {
                self.overwrite(session, new)
            }
            Some("stores-in-conflict") if stored.is_some() && !is_repeated => {
                let outcome = self.inner.put(session, new, expected)?;
                self.overwrite(session, new)?;
                Ok(outcome)
            }
            Some("creates-with-expected") if stored.is_none() => self.inner.put(session, new, None),
            Some("compares-before-locking") => self.put_without_lock(session, new, expected),
            Some("forgets-operations") if is_repeated => Ok(PutOutcome::Conflict),
            Some("remembers-all-operations")
                if self.seen().operations.contains(&(session.id.clone(), session.operation)) =>
            {
                Ok(PutOutcome::AlreadyStored)
            }
            Some("contents-per-session") => {
                let has_all = session.contents.iter().all(|key| {
                    let is_passed = new.iter().any(|content| content.key() == *key);
                    is_passed || stored.as_ref().is_some_and(|old| old.contents.contains(key))
                });
                if !has_all {
                    return Err(StoreError::new("a text is missing"));
                }
                self.inner.put(session, new, expected)
            }
            Some("replaces-contents") => {
                let outcome = self.inner.put(session, new, expected)?;
                if let (PutOutcome::Stored, Some(old)) = (outcome, stored) {
                    self.hide_contents(&old.contents);
                }
                Ok(outcome)
            }
            Some("accepts-missing-contents") => {
                let missing = session.contents.iter().map(|key| format!("{key:?}"));
                let missing: Vec<_> = missing.map(StoredContent::new).collect();
                let outcome = self.inner.put(session, new, expected);
                if outcome.is_ok() {
                    return outcome;
                }
                let contents = missing.iter().map(StoredContent::key).collect();
                let session = StoredSession { contents, ..session.clone() };
                self.inner.put(&session, &missing, expected)
            }
            Some("put-keeps-last-use") if stored.is_some() => {
                let old = stored.expect("it was checked");
                let (touched, expires) = (old.touched, old.expires);
                let session = StoredSession { touched, expires, ..session.clone() };
                self.inner.put(&session, new, expected)
            }
            Some("put-moves-back") => self.put_back(session, new, expected),
            Some("deleted-comes-back") if stored.is_none() => self.inner.put(session, new, None),
            _ => self.inner.put(session, new, expected),
        }
    }
}

impl SessionStore for FaultyStore {
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        match self.fault.as_deref() {
            Some("loads-nothing") => Ok(None),
            Some("loads-in-one-thread") if thread::current().id() != self.home => Ok(None),
            _ => self.inner.load(&self.lower(id)),
        }
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        let mut texts = self.inner.contents(keys)?;
        for (key, text) in keys.iter().zip(&mut texts) {
            if self.is_hidden(*key) {
                *text = None;
            }
        }
        match self.fault.as_deref() {
            Some("sorts-contents") => texts.sort(),
            Some("drops-unknown-contents") => texts.retain(Option::is_some),
            Some("keeps-contents" | "keeps-replaced-contents" | "stores-contents-first") => {
                let seen = self.seen();
                texts = keys.iter().map(|key| seen.contents.get(key).cloned()).collect();
            }
            _ => {}
        }
        Ok(texts)
    }

    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let outcome = self.put_with_fault(session, new, expected)?;
        self.remember(session, new, outcome == PutOutcome::Stored);
        Ok(outcome)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        let stored = self.inner.load(id)?;
        match (self.fault.as_deref(), stored) {
            (Some("touches-nothing"), stored) => Ok(stored.is_some()),
            (Some("touch-changes-operation"), Some(stored)) => {
                let operation = OperationId(stored.operation.0 + 1_000);
                let next = StoredSession { operation, touched: at, expires, ..stored };
                self.overwrite(&next, &[]).map(|_| true)
            }
            (Some("touch-moves-back"), Some(stored)) => {
                let next = StoredSession { touched: at, expires, ..stored };
                self.put_back(&next, &[], Some(next.operation)).map(|_| true)
            }
            (Some("touch-always-succeeds"), _) => self.inner.touch(id, at, expires).map(|_| true),
            _ => self.inner.touch(id, at, expires),
        }
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        match self.fault.as_deref() {
            Some("list-is-unordered") => {
                self.inner.list(after, limit).map(|page| page.into_iter().rev().collect())
            }
            Some("list-pages-by-offset") => {
                let mut seen = self.seen();
                seen.pages = if after.is_some() { seen.pages + 1 } else { 0 };
                let skipped = seen.pages.saturating_mul(limit);
                drop(seen);
                Ok(self.all()?.into_iter().skip(skipped).take(limit).collect())
            }
            Some("list-shows-deleted") => {
                let seen = self.seen();
                let later = seen.first.values().filter(|session| Some(&session.id) > after);
                Ok(later.take(limit).map(SessionSummary::from).collect())
            }
            _ => self.inner.list(after, limit),
        }
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        match self.fault.as_deref() {
            Some("expires-one-late") => {
                self.inner.expire_before(Timestamp(now.0.saturating_sub(1)))
            }
            Some("expires-without-texts") => {
                let mut removed = self.inner.expire_before(now)?;
                removed.iter_mut().for_each(|removed| removed.texts.clear());
                Ok(removed)
            }
            Some("expires-everything") => self.inner.expire_before(Timestamp(u64::MAX)),
            Some("expires-by-creation") => {
                let seen: Vec<_> = self.seen().first.values().cloned().collect();
                let expired = seen.iter().filter(|first| first.expires.is_some_and(|at| at <= now));
                expired.filter_map(|first| self.remove(&first.id).transpose()).collect()
            }
            _ => self.inner.expire_before(now),
        }
    }

    fn expire_one(&self, _: &SessionId, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        let is_faulty = self.has("expires-none-alone");
        if is_faulty { Ok(Vec::new()) } else { self.expire_before(now) }
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        let mut all = self.all()?;
        let excess = all.len().saturating_sub(most);
        match self.fault.as_deref() {
            Some("evicts-the-most-recent") => {
                all.sort_by_key(|summary| std::cmp::Reverse(summary.touched));
            }
            Some("evicts-by-creation") => {
                let seen = self.seen();
                all.sort_by_key(|summary| seen.first.get(&summary.id).map(|first| first.touched));
            }
            Some("evicts-the-named") => all.sort_by_key(|summary| summary.touched),
            _ => return self.inner.evict(most, keep),
        }
        let is_kept = |id: &SessionId| id == keep && !self.has("evicts-the-named");
        let evicted = all.iter().filter(|summary| !is_kept(&summary.id)).take(excess);
        evicted.filter_map(|summary| self.remove(&summary.id).transpose()).collect()
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        match self.fault.as_deref() {
            Some("deletes-nothing") => Ok(self.inner.load(id)?.is_some()),
            Some("delete-always-succeeds") => self.inner.delete(id, expected).map(|_| true),
            Some("delete-ignores-expected") => Ok(self.remove(id)?.is_some()),
            Some("deletes-shared-contents") => {
                if let Some(stored) = self.inner.load(id)? {
                    self.hide_contents(&stored.contents);
                }
                self.inner.delete(id, expected)
            }
            _ => self.inner.delete(id, expected),
        }
    }
}
