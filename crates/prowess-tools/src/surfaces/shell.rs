//! `sandbox_execute`: runs a shell command next to the mounted skills, if the host has a shell.

use std::sync::{Arc, PoisonError};

use prowess_core::{Catalog, ShellOutcome, ShellRequest, ToolResult};
use prowess_text::model_value;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill_tool::{Call, SkillTool, closed, text};
use crate::codes;
use crate::gate::Refusal;
use crate::names;
use crate::operations::Operations;

#[derive(Deserialize)]
pub(super) struct Arguments {
    command: String,
}

fn result(outcome: &ShellOutcome) -> Value {
    let ShellOutcome { sandbox, exit_code, stdout, stderr, truncated, stopped } = outcome;
    let mut value = json!({
        "exitCode": exit_code,
        "output": stdout.trim_end(),
        "error": stderr.trim_end(),
        "sandbox": sandbox,
    });
    if *truncated {
        value["truncated"] = json!(true);
    }
    if let Some(reason) = stopped {
        value["stopped"] = json!(reason);
        value["hint"] = json!("a limit ended the command; give it less work, or tell the user");
    }
    model_value(&mut value);
    value
}

pub(super) struct Execute;

impl SkillTool for Execute {
    const NAME: &'static str = names::EXECUTE;
    const DESCRIPTION: &'static str = "Run a command in the sandbox: a shell with the usual \
        programs for files and text, over a private file system in memory. Each skill is in a \
        directory of it, the `mountPath` of its result; run a script of a skill with `sh` and its \
        path. Files and variables stay for the next command. There is no network, and no other \
        language than the shell's.";
    const HAS_EFFECTS: bool = true;
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        let command = text("The command, which may have several lines");
        closed(json!({ "command": command }), &["command"])
    }

    fn timeout_ms(&self, _: &Operations) -> u64 {
        // The shell has a limit of its own, of ten minutes at most.
        600_000
    }

    /// The shell is one of its own: it runs without skills, too.
    fn is_offered(&self, operations: &Operations, _: &Catalog) -> bool {
        operations.shell.is_some()
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let Some(shell) = &operations.shell else {
            let message = "there is no sandbox here; read the skill's files with another tool, or \
                tell the user";
            return Err(Refusal::new(codes::SHELL_UNAVAILABLE, message));
        };
        let state = context.session.state()?;
        let command = &arguments.command;
        let refused = Arc::default();
        let rule = operations.read_rule(context, &refused)?;
        let (catalog, session, rule) = (context.catalog, &state.id, rule.as_ref());
        let request = ShellRequest { catalog, session, command, rule };
        let outcome = shell.execute(&request, context.cancel)?;
        let mut data = result(&outcome);
        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (places, refusals): (Vec<_>, Vec<_>) = refused.drain(..).unzip();
        if !places.is_empty() {
            data[names::REFUSED_READS] = places.into();
        }
        let first = refusals.into_iter().min_by_key(|it| it.code != codes::SCRIPT_READ_BLOCKED);
        let (code, error) = first.map_or((None, None), |it| (Some(it.code), it.error));
        let sandbox = Some(outcome.sandbox.clone());
        Ok(ToolResult { sandbox, code, error, ..ToolResult::data(data) })
    }
}
