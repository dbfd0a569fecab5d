//! The state that all sessions of one store share.

use std::sync::Arc;

use prowess_core::{AuditSink, Clock, SessionState, SessionStore};

use crate::SessionPolicy;

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: SessionPolicy,
    pub(crate) audit: Arc<dyn AuditSink>,
}

impl Shared {
    /// Returns whether the session was unused for longer than the policy allows.
    pub(crate) fn is_expired(&self, state: &SessionState) -> bool {
        self.policy.is_expired(self.clock.now().since(state.touched))
    }
}
