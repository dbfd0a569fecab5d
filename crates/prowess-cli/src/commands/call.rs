//! `prowess call`: one tool call, as a model makes it.

use std::process::ExitCode;

use prowess::{ApprovalId, Code, Content};
use serde::Serialize;
use serde_json::Value;

use crate::args::Global;
use crate::commands::conversation::{self, Conversation, words};
use crate::failure::Failure;
use crate::output::{DIM, Output};
use crate::runtime;
use crate::terminal::plain_lines;

/// The output of `call --format json`.
#[derive(Serialize)]
struct Called {
    tool: String,
    is_error: bool,
    code: Option<Code>,
    content: Vec<Content>,
    duration_ms: u128,
    /// The pending approval, if a person has to approve the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<ApprovalId>,
}

/// Runs the command. A refused or failed call is a result too: it is printed with exit code 1.
pub(crate) fn run(
    global: &Global,
    tool: &str,
    json: &str,
    load: &[String],
    output: &Output,
) -> Result<ExitCode, Failure> {
    let arguments = arguments(json)?;
    let runtime = runtime::runtime(global)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let answer = conversation.turn()?.call(&conversation::call(tool, arguments));
    let text = words(&answer.result);
    let called = Called {
        tool: answer.tool,
        is_error: answer.result.is_error,
        code: answer.result.code,
        content: answer.result.content,
        duration_ms: answer.duration.as_millis(),
        approval: answer.approval,
    };
    output.result(&called, |_| plain_lines(&text).into_owned() + "\n")?;
    if let Some(code) = &called.code {
        output.remark(&format!("{DIM}refused or failed: {code}{DIM:#}\n"));
    }
    if let Some(approval) = &called.approval {
        output.remark(&format!("{}\n", next_step(approval)));
    }
    Ok(ExitCode::from(u8::from(called.is_error)))
}

/// Returns the commands that decide on the pending approval. An approval for one session would
/// cover no later call.
fn next_step(id: &ApprovalId) -> String {
    format!(
        "Each `prowess call` is a session of its own. After `prowess approvals list` has shown the \
         call, `prowess approvals grant {id} --scope always` allows it in later ones, and \
         `prowess approvals deny {id}` refuses it."
    )
}

/// Reads the arguments of a call.
pub(crate) fn arguments(json: &str) -> Result<Value, Failure> {
    serde_json::from_str(json).map_err(|error| {
        let message = format!("the arguments are not JSON: {error}");
        Failure::usage("arguments-invalid", message, "pass one JSON object, in single quotes")
    })
}
