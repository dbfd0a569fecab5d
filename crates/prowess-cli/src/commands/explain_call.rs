//! `prowess explain-call`: the decision of the gate about a call, which is not run.

use std::process::ExitCode;

use crate::args::Global;
use crate::commands::call::arguments;
use crate::commands::conversation::Conversation;
use crate::failure::Failure;
use crate::output::Output;
use crate::runtime;

/// Runs the command. A call that may not run now has exit code 1.
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
    let decision = conversation.turn()?.explain(tool, &arguments)?;
    output.result(&decision, |_| format!("{decision}\n"))?;
    Ok(ExitCode::from(u8::from(!decision.is_allowed())))
}
