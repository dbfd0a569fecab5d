//! `prowess run --shell`: commands in the sandbox over files in memory, by the tool that a model
//! has.

use std::io::{self, Read as _};
use std::process::ExitCode;

use prowess::tools::{SkillTools, Surface};
use prowess::{CallOptions, Caller, Policies};
use serde_json::{Value, json};

use crate::args::{Global, Run};
use crate::commands::approvals::next_step_of_later;
use crate::commands::conversation::{Conversation, call, tool_name, words};
use crate::failure::Failure;
use crate::interrupt::{INTERRUPTED, Interrupt};
use crate::output::{DIM, Output};
use crate::policies::policies;
use crate::runtime::{builder_with, built};
use crate::terminal::plain_lines;

/// The exit code if a command did not run, as `env` has it.
const NOT_RUN: u8 = 125;
/// The most bytes of standard input that are read: more than any policy lets a command have.
const MOST_INPUT: u64 = 16 << 20;

pub(crate) fn run(global: &Global, args: &Run, output: &Output) -> Result<ExitCode, Failure> {
    let policies = with_shell(policies(global)?);
    let plugins = crate::plugins::load_audited(global, &policies)?;
    let runtime = built(global, builder_with(global, policies, &plugins)?)?;
    let conversation = Conversation::open(&runtime)?;
    conversation.load(&args.load)?;
    let command = match &args.command {
        Some(command) => command.clone(),
        None => read_input()?,
    };
    let interrupt = Interrupt::watch();
    let execute = tool_name(&runtime, SkillTools::EXECUTE);
    let execute = call(&execute, json!({ "command": command }));
    let cancel = Some(&interrupt.cancel);
    let options = CallOptions { caller: Caller::User, cancel, ..CallOptions::default() };
    let answer = conversation.turn()?.call_with(&execute, options);
    let result = answer.result;
    if result.is_error {
        let code = result.code.as_ref().map_or("tool-failed", |code| code.as_str());
        let help = answer.approval.as_ref().map_or_else(
            || "`prowess call sandbox_execute --explain` says what the gate allows".to_owned(),
            |approval| next_step_of_later("run --shell", approval),
        );
        output.failure(&Failure::new(code, words(&result), help));
        return Ok(NOT_RUN.into());
    }
    print(&result.structured.unwrap_or_default(), &interrupt, output)
}

/// Adds the shell to the tools, which a model has only by the configuration.
fn with_shell(mut policies: Policies) -> Policies {
    let surfaces = &mut policies.tools.surfaces;
    if !surfaces.contains(&Surface::Shell) {
        surfaces.push(Surface::Shell);
    }
    policies
}

/// Reads a script from standard input.
fn read_input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MOST_INPUT).read_to_string(&mut text);
    read.map_err(|error| {
        let message = format!("standard input cannot be read: {error}");
        Failure::new("input-invalid", message, "pass commands as UTF-8 text, or use `-c COMMAND`")
    })?;
    Ok(text)
}

/// Prints the result of a command, and returns its exit code.
fn print(ended: &Value, interrupt: &Interrupt, output: &Output) -> Result<ExitCode, Failure> {
    if output.is_text() {
        let text = |key: &str| match ended[key].as_str().unwrap_or_default() {
            "" => String::new(),
            text => plain_lines(text).into_owned() + "\n",
        };
        output.data(&text("output"))?;
        output.error_text(&text("error"));
    } else {
        output.json(ended)?;
    }
    if ended["truncated"] == true {
        output.remark(&format!("{DIM}a part of the output was dropped{DIM:#}\n"));
    }
    if interrupt.is_requested() {
        output.remark(&format!("{DIM}interrupted: the command was ended{DIM:#}\n"));
        return Ok(INTERRUPTED.into());
    }
    if let Some(reason) = ended["stopped"].as_str() {
        output.remark(&format!("{DIM}ended: {reason}{DIM:#}\n"));
    }
    let code = ended["exitCode"].as_u64().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(u8::MAX).into())
}
