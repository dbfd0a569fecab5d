//! Several sinks as one.

use std::sync::Arc;

use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent, RuntimeEvent};

/// Passes each event to several sinks, in their order. An intent is stored once every sink has
/// stored it: the first error is the result, and the later sinks still receive the intent.
#[derive(Clone, Default)]
pub struct Fanout(pub Vec<Arc<dyn AuditSink>>);

impl AuditSink for Fanout {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        let mut result = Ok(());
        for sink in &self.0 {
            result = result.and(sink.intend(intent));
        }
        result
    }

    fn record(&self, event: &AuditEvent) {
        self.0.iter().for_each(|sink| sink.record(event));
    }

    fn report(&self, event: &RuntimeEvent) {
        self.0.iter().for_each(|sink| sink.report(event));
    }

    fn store(&self, event: &RuntimeEvent) -> Result<(), AuditError> {
        // Each sink has the event, also behind one that fails.
        let stored: Vec<_> = self.0.iter().map(|sink| sink.store(event)).collect();
        stored.into_iter().collect()
    }

    fn location(&self) -> Option<String> {
        self.0.iter().find_map(|sink| sink.location())
    }
}
