//! `skills.run`: runs a script of a skill, if the host has a runner.

use std::collections::BTreeMap;
use std::time::Duration;

use prowess_core::{
    Catalog, Code, ReadLimit, Record, ResourcePath, ScriptOutcome, ScriptRequest, SourceErrorKind,
    ToolContext, ToolResult,
};
use prowess_text::{enumerated, model_value, quoted};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::content::script_file::is_below;
use crate::content::script_hint::{hint, was_cancelled};
use crate::gate::Refusal;
use crate::lookup::package::announcement;
use crate::lookup::reference::resolved_file;
use crate::names;
use crate::operations::Operations;
use crate::surfaces::skill_tool::{Call, SkillTool, closed, text};

#[derive(Deserialize)]
pub(crate) struct Arguments {
    skill: Option<String>,
    path: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    workdir: Option<String>,
}

impl Arguments {
    fn resolved(self) -> Self {
        let (skill, path) = resolved_file(self.skill, self.path);
        Self { skill, path, ..self }
    }
}

/// Refuses files outside of the policy's directories, which are no scripts.
fn check_script(directories: &[String], path: &ResourcePath) -> Result<(), Refusal> {
    if is_below(directories, path) {
        return Ok(());
    }
    let path = quoted(path.as_str());
    let allowed = enumerated(directories.iter().map(String::as_str), "and");
    let message = format!("{path} may not be run; only files under {allowed} may");
    Err(Refusal::new(codes::PATH_NOT_ALLOWED, message))
}

/// Returns the refusal of a call of `skills.run` where no script can be run with any approval.
pub fn no_runner() -> Refusal {
    let message = "no script can be run here; follow the skill's instructions without it, or tell \
                   the user";
    Refusal::new(codes::SCRIPTS_UNAVAILABLE, message)
}

/// Returns why the script that the arguments of `skills.run` name cannot be run with any approval:
/// it is no script, or the package does not have it. A person is not asked about such a call.
pub fn unrunnable_script(
    catalog: &Catalog,
    record: Record<'_>,
    directories: &[String],
    arguments: &Value,
) -> Option<Refusal> {
    let path = Arguments::deserialize(arguments).ok()?.resolved().path;
    let path = match ResourcePath::new(&path) {
        Ok(path) => path,
        Err(error) => return Some(error.into()),
    };
    if let Err(refusal) = check_script(directories, &path) {
        return Some(refusal);
    }
    // A file with content is too large, and is not read.
    let error = catalog.read(record, &path, ReadLimit(0)).err()?;
    (error.kind != SourceErrorKind::TooLarge).then(|| {
        let message = match error.kind {
            SourceErrorKind::Changed => error.message,
            _ => format!("{error}; list the skill's files to find the script"),
        };
        Refusal::new(Code::new(error.kind.as_str()), message)
    })
}

/// How many bytes of a result the fields beside the output may take.
const FIELD_BYTES: usize = 1024;

/// Leaves out the middle of what was printed, so that a client that keeps this many bytes of a
/// result keeps its start, its end and what is said about it.
fn fitted(mut outcome: ScriptOutcome, most: usize) -> ScriptOutcome {
    let room = most.saturating_sub(FIELD_BYTES);
    let ScriptOutcome { stdout, stderr, .. } = &mut outcome;
    if escaped_bytes(stdout) + escaped_bytes(stderr) > room {
        let errors = cut(stderr, room / 3);
        let printed = cut(stdout, room - escaped_bytes(stderr).min(room));
        outcome.stderr_dropped += errors;
        outcome.stdout_dropped += printed;
        outcome.truncated = true;
    }
    outcome
}

fn escaped_bytes(text: &str) -> usize {
    json!(text).to_string().len()
}

/// Cuts the middle out of a text that is longer than `most` as JSON, and returns its bytes.
fn cut(text: &mut String, most: usize) -> u64 {
    let mut keep = text.len();
    let mut left_out = 0;
    let mut short = text.clone();
    while escaped_bytes(&short) > most && keep > 1 {
        keep = (keep * most / escaped_bytes(&short).max(1)).min(keep * 7 / 8);
        let (head, tail) = (keep / 2, text.len() - keep / 2);
        let (head, tail) = (text.floor_char_boundary(head), text.ceil_char_boundary(tail));
        left_out = tail - head;
        short = format!("{}\n[{left_out} bytes are left out]\n{}", &text[..head], &text[tail..]);
    }
    *text = short;
    left_out as u64
}

fn result(
    path: &ResourcePath,
    outcome: &ScriptOutcome,
    note: Option<String>,
    was_cancelled: bool,
) -> ToolResult {
    let ScriptOutcome { exit_code, stdout, stderr, duration, timed_out, truncated, .. } = outcome;
    let mut value = json!({
        "path": path.as_str(),
        "exit_code": exit_code,
        "stdout": stdout,
        "stderr": stderr,
        "duration_ms": u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        "timed_out": timed_out,
        "truncated": truncated,
    });
    if let Some(signal) = outcome.signal {
        value["signal"] = json!(signal);
    }
    if let Some(limit) = outcome.limit {
        value["limit"] = json!(limit);
    }
    if *truncated {
        let ScriptOutcome { stdout_dropped, stderr_dropped, .. } = outcome;
        value["dropped_bytes"] = json!({ "stdout": stdout_dropped, "stderr": stderr_dropped });
    }
    if let Some(isolation) = &outcome.isolation {
        value["isolation"] = json!(isolation);
    }
    if let Some(note) = note {
        value["note"] = json!(note);
    }
    if let Some(hint) = hint(outcome, was_cancelled) {
        value["hint"] = json!(hint);
    }
    if !outcome.network.is_empty() {
        value["network"] = json!(outcome.network);
    }
    model_value(&mut value);
    let refused_hosts = outcome.network.refused.clone();
    let isolation = outcome.isolation.as_ref().map(|isolation| isolation.level.clone());
    let signal = || if *timed_out { 124 } else { 128 + outcome.signal.unwrap_or_default() };
    let exit = Some(exit_code.unwrap_or_else(signal)).filter(|code| *code != 0);
    ToolResult { refused_hosts, isolation, exit, ..ToolResult::data(value) }
}

pub(crate) struct Run;

impl SkillTool for Run {
    const NAME: &'static str = names::RUN;
    const DESCRIPTION: &'static str = "Run a script that belongs to an active skill. Do this when \
        the skill's instructions tell you to, with the path that they name. The result has the exit \
        code and the output; an exit code other than 0 is a result too, so read the output.";
    type Arguments = Arguments;

    fn schema(&self, _: &Operations) -> Value {
        let properties = json!({
            "skill": text("The skill that the script belongs to; by default the one loaded last"),
            "path": text("The script's path, relative to the skill's directory"),
            "args": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The arguments of the script",
            },
            "env": {
                "type": "object",
                "description": "Environment variables of the script, each a text",
            },
            "workdir": text("The directory that the script starts in"),
        });
        closed(properties, &["path"])
    }

    fn subject<'c>(
        &self,
        operations: &Operations,
        context: &ToolContext<'c>,
        arguments: &Value,
    ) -> Option<Record<'c>> {
        let arguments = Arguments::deserialize(arguments).ok()?.resolved();
        let gate = operations.policy.run_gate;
        operations.record_for(context, arguments.skill.as_deref(), gate, "run").ok()
    }

    fn timeout_ms(&self, operations: &Operations) -> u64 {
        operations.policy.script_seconds.saturating_mul(1000)
    }

    fn is_offered(&self, operations: &Operations, catalog: &Catalog) -> bool {
        operations.runner.is_some() && !catalog.is_empty()
    }

    fn run(&self, call: &Call<'_>, arguments: Arguments) -> Result<ToolResult, Refusal> {
        let Call { operations, context } = *call;
        let Some(runner) = &operations.runner else { return Err(no_runner()) };
        let policy = &operations.policy;
        let Arguments { skill, path, args, env, workdir } = arguments.resolved();
        let record = operations.record_for(context, skill.as_deref(), policy.run_gate, "run")?;
        let path = ResourcePath::new(&path)?;
        check_script(&policy.script_directories, &path)?;
        let request = ScriptRequest {
            catalog: context.catalog,
            record,
            path: &path,
            arguments: &args,
            environment: &env,
            working_directory: workdir.as_deref(),
            input: &[],
            approved: context.approved,
            progress: context.progress,
        };
        let time_limit = Duration::from_secs(policy.script_seconds);
        let note = announcement(record);
        let outcome = runner.run(&request, time_limit, context.cancel)?;
        let outcome = match context.result_bytes {
            Some(most) => fitted(outcome, most),
            None => outcome,
        };
        let was_cancelled = was_cancelled(&outcome, context.cancel.is_cancelled());
        let result = result(&path, &outcome, note, was_cancelled);
        if !was_cancelled {
            return Ok(result);
        }
        // Its output is kept, but the work was not done.
        Ok(ToolResult { is_error: true, code: Some(codes::CANCELLED), ..result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_fits_what_a_client_keeps() {
        let lines = |word: &str, count: usize| -> String {
            (0..count).map(|line| format!("{word} \"{line}\" é\n")).collect()
        };
        for (printed, errors) in [(4000, 0), (0, 4000), (4000, 4000), (4000, 2), (3, 3)] {
            let outcome = ScriptOutcome {
                stdout: lines("out", printed),
                stderr: lines("err", errors),
                ..ScriptOutcome::default()
            };
            let fitted = fitted(outcome.clone(), 7000);
            let path = ResourcePath::new("scripts/a.sh").expect("a path");
            let result = result(&path, &fitted, None, false);
            let length = serde_json::to_string(&result.content).expect("JSON").len();
            assert!(length <= 8000, "{printed} {errors}: {length}");
            assert_eq!(fitted == outcome, printed + errors < 100, "short output is whole");
            for (text, whole) in
                [(&fitted.stdout, &outcome.stdout), (&fitted.stderr, &outcome.stderr)]
            {
                assert_eq!(text.lines().next(), whole.lines().next(), "its start");
                assert_eq!(text.lines().last(), whole.lines().last(), "and its end");
            }
        }
    }
}
