//! Tools of prowess for rig, and tools of rig behind the gate of prowess.

use std::sync::Arc;

use prowess::{Code, Dispatched, Outcome, ToolCall, ToolDefinition, ToolResult};
use rig_core::message::{ToolName, ToolResultContent};
use rig_core::serde_json::Value;
use rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};

use crate::RigSkills;

/// The code of a tool of rig that failed without one.
const FAILED: Code = Code::new("tool-failed");

type Answer = Result<ToolOutput, ToolExecutionError>;

impl RigSkills {
    /// Returns a tool of prowess. No tool of prowess has an empty name.
    pub(crate) fn tool(&self, definition: ToolDefinition) -> Option<DynamicTool> {
        let ToolDefinition { name, description, input_schema } = definition;
        let (skills, tool) = (self.clone(), ToolName::new(name).ok()?);
        let name = tool.clone();
        let call = move |arguments: Value| {
            let (skills, call) = (skills.clone(), ToolCall::new(name.as_str(), arguments));
            Box::pin(async move {
                let dispatched = skills.blocking(move |skills| Ok(skills.turn()?.call(&call)));
                answer(dispatched.await.map_err(unavailable)?)
            }) as _
        };
        Some(DynamicTool::new(tool, description, input_schema, call))
    }

    /// Returns the tool behind the gate: its calls run if a loaded skill or the operator grants
    /// them, or once a person has approved them, and the audit has each. A call without a grant
    /// waits in [`Runtime::approvals`](prowess::Runtime::approvals), and the model reads so.
    #[must_use]
    pub fn guarded(&self, tool: DynamicTool) -> DynamicTool {
        let definition = tool.definition();
        let (skills, tool) = (self.clone(), Arc::new(tool));
        let call = move |arguments: Value| {
            let (skills, tool) = (skills.clone(), Arc::clone(&tool));
            let call = ToolCall::new(tool.name().as_str(), arguments.clone());
            Box::pin(async move {
                let admitted = skills.blocking(move |skills| Ok(skills.turn()?.admit(&call))).await;
                let permit = match admitted.map_err(unavailable)? {
                    Ok(permit) => permit,
                    Err(refused) => return answer(*refused),
                };
                // If rig drops this future, it drops the permit, and the call was cancelled.
                let ran = tool.execute(arguments).await;
                let result = audited(&ran);
                let finished = skills.blocking(move |_| permit.finish(result)).await;
                // Only hooks of skills add to a result.
                let is_same = finished.result == audited(&ran);
                if is_same { ran } else { answer(finished) }
            }) as _
        };
        let rig_core::completion::ToolDefinition { name, description, parameters } = definition;
        DynamicTool::new(name, description, parameters, call)
    }
}

/// Returns the result of a tool of rig as the audit, the hooks and the costs have it.
fn audited(ran: &Answer) -> ToolResult {
    match ran {
        Ok(output) => ToolResult::text(output.render()),
        Err(error) => ToolResult::error(FAILED, error.model_output().render()),
    }
}

fn answer(dispatched: Dispatched) -> Answer {
    let Dispatched { result, outcome, .. } = dispatched;
    let texts: Vec<_> = result.texts().map(ToolResultContent::text).collect();
    let output =
        if texts.is_empty() { Ok(ToolOutput::text("")) } else { ToolOutput::content(texts) }?;
    let message = || result.message().unwrap_or_default().to_owned();
    let error = match outcome {
        Outcome::Done => return Ok(output),
        Outcome::Refused(code) => ToolExecutionError::refused(message()).with_code(code.as_str()),
        Outcome::Failed(code) => ToolExecutionError::other(message()).with_code(code.as_str()),
    };
    Err(error.with_model_output(output))
}

fn unavailable(error: prowess::Error) -> ToolExecutionError {
    ToolExecutionError::from_error(error)
}
