//! Several sinks as one.

use std::sync::Arc;

use prowess_audit::{Fanout, MemoryLog};
use prowess_core::{AuditError, AuditEvent, AuditSink, CallIntent};

use crate::fixture::intent;

/// A sink that stores nothing.
struct Full(&'static str);

impl AuditSink for Full {
    fn intend(&self, _: &CallIntent) -> Result<(), AuditError> {
        Err(AuditError(self.0.to_owned()))
    }

    fn record(&self, _: &AuditEvent) {}
}

#[test]
fn first_error_is_returned_and_every_sink_is_called() {
    let log = Arc::new(MemoryLog::default());
    let fanout = |sinks: Vec<Arc<dyn AuditSink>>| Fanout(sinks).intend(&intent(1));
    assert_eq!(fanout(vec![]), Ok(()));
    assert_eq!(fanout(vec![log.clone(), log.clone()]), Ok(()));
    let full = |name| Arc::new(Full(name)) as Arc<dyn AuditSink>;
    let failed = fanout(vec![full("one"), log.clone(), full("two"), log.clone()]);
    assert_eq!(failed, Err(AuditError("one".to_owned())));
    assert_eq!(log.entries().len(), 4, "each log has the intent of each call");
}
