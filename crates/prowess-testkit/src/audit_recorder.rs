//! An audit sink that keeps what it receives.

use std::mem;
use std::sync::{Mutex, PoisonError};

use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, RuntimeEvent};

/// Keeps each intent, each call and each change of the runtime.
#[derive(Debug, Default)]
pub struct AuditRecorder {
    intents: Mutex<Vec<CallIntent>>,
    calls: Mutex<Vec<AuditEvent>>,
    changes: Mutex<Vec<RuntimeEvent>>,
}

impl AuditRecorder {
    /// Removes and returns the intents.
    pub fn take_intents(&self) -> Vec<CallIntent> {
        take(&self.intents)
    }

    /// Removes and returns the calls.
    pub fn take_calls(&self) -> Vec<AuditEvent> {
        take(&self.calls)
    }

    /// Removes and returns the changes of the runtime.
    pub fn take_changes(&self) -> Vec<RuntimeEvent> {
        take(&self.changes)
    }
}

impl AuditSink for AuditRecorder {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        push(&self.intents, intent.clone());
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        push(&self.calls, event.clone());
    }

    fn report(&self, event: &RuntimeEvent) {
        push(&self.changes, event.clone());
    }
}

fn take<T>(events: &Mutex<Vec<T>>) -> Vec<T> {
    mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner))
}

fn push<T>(events: &Mutex<Vec<T>>, event: T) {
    events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
}
