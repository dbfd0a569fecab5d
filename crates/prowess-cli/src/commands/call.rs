//! `prowess call`: one tool call, as a model makes it.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::gating::{Decision, Reason};
use prowess::tools::codes::UNKNOWN_TOOL;
use prowess::{ApprovalId, Code, Content, Diagnostic, Runtime, ToolDefinition};
use serde::Serialize;
use serde_json::Value;

use crate::args::Global;
use crate::commands::approvals::next_step_of_later;
use crate::commands::conversation::{self, Conversation, words};
use crate::commands::own_copies::announce;
use crate::failure::Failure;
use crate::features;
use crate::output::{DIM, ID, Output};
use crate::runtime;
use crate::terminal::{columns_behind, fitted, padded, plain, plain_lines, width, wrapped};

/// The output of `call --format json`.
#[derive(Serialize)]
struct Called {
    tool: String,
    is_error: bool,
    code: Option<Code>,
    /// The failure with its code and its facts, as frameworks with one class of errors write it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    content: Vec<Content>,
    duration_ms: u128,
    /// The pending approval, if a person has to approve the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<ApprovalId>,
}

/// The output of `call --explain --format json`.
#[derive(Serialize)]
struct Decided<'d> {
    #[serde(flatten)]
    decision: &'d Decision,
    /// As in [`Called`].
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Returns an error if a tool was left out because this program lacks a feature.
fn check_features(runtime: &Runtime, tool: &str) -> Result<(), Failure> {
    let catalog = runtime.catalog();
    // A model sees the names in another spelling.
    let spelled = |name: &str| name.replace(['.', '-'], "_");
    let is_meant = |it: &&Diagnostic| {
        let named = it.message.strip_prefix("the tool `").and_then(|rest| rest.split('`').next());
        it.code.as_str() == features::CODE && named.map(spelled) == Some(spelled(tool))
    };
    let found = catalog.diagnostics().find(is_meant);
    found.map_or(Ok(()), |it| Err(Failure::usage(features::CODE, &*it.message, &*it.help)))
}

/// Runs the command. A refused or failed call is a result too: it is printed with exit code 1.
pub(crate) fn run(
    global: &Global,
    tool: &str,
    json: &str,
    load: &[String],
    message: Option<&str>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let arguments = arguments(json)?;
    let runtime = runtime::audited(global)?;
    check_features(&runtime, tool)?;
    announce(&runtime.catalog(), output);
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let answer = conversation.turn_with(message)?.call(&conversation::call(tool, arguments));
    let text = words(&answer.result);
    let called = Called {
        tool: answer.tool,
        is_error: answer.result.is_error,
        error: answer.result.failure().map(|error| error.to_string()),
        code: answer.result.code,
        content: answer.result.content,
        duration_ms: answer.duration.as_millis(),
        approval: answer.approval,
    };
    output.result(&called, |_| {
        let lines = plain_lines(&text);
        lines.lines().map(|line| wrapped(line, columns_behind(0), 0) + "\n").collect()
    })?;
    if let Some(code) = &called.code {
        output.remark(&format!("{DIM}refused or failed: {code}{DIM:#}\n"));
    }
    if called.code.as_ref().is_some_and(|code| *code == UNKNOWN_TOOL) {
        output.remark("`prowess call` without a name lists the tools\n");
    }
    if let Some(approval) = &called.approval {
        output.remark(&format!("{}\n", next_step_of_later("call", approval)));
    }
    Ok(ExitCode::from(u8::from(called.is_error)))
}

/// The output of `call --format json` without a tool.
#[derive(Serialize)]
struct Tools {
    tools: Vec<ToolDefinition>,
}

/// Lists the tools that a model may call, after some skills were loaded.
pub(crate) fn tools(
    global: &Global,
    load: &[String],
    message: Option<&str>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let mut tools = conversation.turn_with(message)?.tools();
    for tool in &mut tools {
        tool.name = conversation::tool_name(&runtime, &tool.name);
    }
    output.result(&Tools { tools }, tools_text)?;
    output.remark("`prowess call NAME JSON` calls one; `--format json` shows their arguments\n");
    Ok(ExitCode::SUCCESS)
}

fn tools_text(tools: &Tools) -> String {
    let names = tools.tools.iter().map(|tool| width(&plain(&tool.name))).max().unwrap_or(0);
    let mut text = String::new();
    for tool in &tools.tools {
        let name = padded(&plain(&tool.name), names);
        let sentence = tool.description.split_inclusive(". ").next().unwrap_or_default();
        let _ = writeln!(text, "{ID}{name}{ID:#}  {}", fitted(sentence, names + 2));
    }
    text
}

/// Reads the arguments of a call.
pub(crate) fn arguments(json: &str) -> Result<Value, Failure> {
    serde_json::from_str(json).map_err(|error| {
        let message = format!("the arguments are not JSON: {error}");
        Failure::usage("arguments-invalid", message, "pass one JSON object, in single quotes")
    })
}

/// Prints the decision of the gate about a call, which is not run. A call that may not run now has
/// exit code 1.
pub(crate) fn explain(
    global: &Global,
    tool: &str,
    json: &str,
    load: &[String],
    message: Option<&str>,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let arguments = arguments(json)?;
    let runtime = runtime::runtime(global)?;
    check_features(&runtime, tool)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(load)?;
    let decision = conversation.turn_with(message)?.explain(tool, &arguments)?;
    let error = match &decision {
        Decision::Deny { refusal, .. } => Some(refusal.error.to_string()),
        _ => None,
    };
    output.result(&Decided { decision: &decision, error }, |_| format!("{decision}\n"))?;
    if decision.is_ask() && decision.grounds().reason == Reason::Ungranted {
        output.remark(
            "nothing allows this call and nothing forbids it, so a person decides; `prowess config \
             set gate.ungranted deny` refuses such calls, and `gate.ceiling.deny` names those that \
             never run\n",
        );
    }
    Ok(ExitCode::from(u8::from(!decision.is_allowed())))
}
