//! A tool's call in the plugin's process, away from the conversation that it belongs to.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prowess_core::{
    ActiveSkill, Boundary, Caller, Cancel, Catalog, Clock, Code, LoadMode, Receipt, Session,
    SessionError, SessionId, SessionState, StoreError, Timestamp, Tool, ToolContext, ToolResult,
    Unload,
};
use serde_json::Value;

/// Calls a tool. It sees its arguments, who calls, and which conversation it is called in, and nothing
/// else of it.
pub(crate) fn call_alone(
    tool: &dyn Tool,
    arguments: &Value,
    session: String,
    caller: Caller,
    cancel: &Cancel,
) -> ToolResult {
    let id = match SessionId::new(session) {
        Ok(id) => id,
        Err(error) => return ToolResult::error(Code::new(error.code()), error.to_string()),
    };
    let clock = ProcessClock::default();
    let session = SessionElsewhere { id, now: clock.now() };
    let context = ToolContext {
        catalog: &Arc::new(Catalog::empty()),
        session: &session,
        caller,
        clock: &clock,
        cancel,
        boundary: &Boundary::default(),
    };
    tool.call(&context, arguments)
}

/// The clock of a plugin's own process.
pub struct ProcessClock(Instant);

impl Default for ProcessClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

struct SessionElsewhere {
    id: SessionId,
    now: Timestamp,
}

impl Session for SessionElsewhere {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        Ok(SessionState::new(self.id.clone(), self.now))
    }

    fn load(&self, _: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        Err(refused())
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        Err(refused())
    }
}

fn refused() -> SessionError {
    SessionError::Store(StoreError(
        "what a conversation has loaded stays with its host, and this tool is a plugin's".into(),
    ))
}
