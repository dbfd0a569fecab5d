//! An `AuditSink` of the host: it receives the intent of each call before it runs, the outcome, and
//! each change of the runtime.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use prowess::{AuditError, AuditEvent, AuditSink, CallIntent, Error, RuntimeEvent, ToolCall};
use serde_json::json;

/// Stands for a collector of logs.
struct Print;

impl AuditSink for Print {
    fn intend(&self, intent: &CallIntent) -> Result<(), AuditError> {
        println!("{} is about to run", intent.tool);
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        println!("{}: {:?}", event.intent.tool, event.outcome);
    }

    fn report(&self, event: &RuntimeEvent) {
        if let RuntimeEvent::SkillActivated(activation) = event {
            println!("{} is loaded", activation.skill);
        }
    }
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().audit(Arc::new(Print)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["tea"] })));
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["coffee"] })));
    Ok(())
}
