//! A log in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, RuntimeEvent};

use crate::AuditEntry;

/// Keeps the newest entries in memory, for tests and for hosts that show them.
#[derive(Debug)]
pub struct MemoryLog {
    entries: Mutex<VecDeque<AuditEntry>>,
    limit: usize,
}

impl MemoryLog {
    /// Creates a log that keeps the newest `limit` entries.
    pub fn new(limit: usize) -> Self {
        Self { entries: Mutex::default(), limit }
    }

    /// Returns the entries, the oldest first.
    pub fn entries(&self) -> Vec<AuditEntry> {
        self.lock().iter().cloned().collect()
    }

    fn push(&self, entry: AuditEntry) {
        let mut entries = self.lock();
        if entries.len() >= self.limit {
            entries.pop_front();
        }
        entries.push_back(entry);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<AuditEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps 10,000 entries.
impl Default for MemoryLog {
    fn default() -> Self {
        Self::new(10_000)
    }
}

impl AuditSink for MemoryLog {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        self.push(AuditEntry::Intent(intent.clone()));
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        self.push(AuditEntry::Call(event.clone()));
    }

    fn report(&self, event: &RuntimeEvent) {
        self.push(AuditEntry::Runtime(event.clone()));
    }
}
