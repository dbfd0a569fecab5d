//! `prowess run SKILL`: the scripts of a skill, each with the command that runs it.

use std::process::ExitCode;

use prowess::{Caller, Runtime, Turn};
use prowess_text::{counted, shell_word};
use serde_json::json;

use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::plain;

/// The most files of a package that are looked at.
const MOST_FILES: usize = 10_000;

pub(super) fn list(
    turn: &Turn,
    id: &str,
    runtime: &Runtime,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let catalog = turn.catalog();
    let none = |message: String| {
        Failure::new(
            "no-scripts",
            message,
            format!("see its files by `prowess show {}`", shell_word(id)),
        )
    };
    let record = catalog.find(id, Caller::User).found();
    let record = record.ok_or_else(|| none(format!("no skill named `{}`", plain(id))))?;
    let scripts = runtime.scripts(catalog, record, MOST_FILES);
    let scripts = scripts.map_err(|error| none(error.to_string()))?;
    let paths: Vec<_> = scripts.iter().map(prowess::ResourcePath::as_str).collect();
    if paths.is_empty() {
        return Err(none(format!("skill `{}` has no scripts", plain(record.id()))));
    }
    let id = record.id();
    let command = |path: &str| format!("prowess run {} {}", shell_word(id), shell_word(path));
    let scripts: Vec<_> =
        paths.iter().map(|path| json!({ "path": path, "command": command(path) })).collect();
    output.result(&json!({ "skill": id, "scripts": scripts }), |_| {
        let lines = paths.iter().map(|path| format!("  {}\n", command(path))).collect::<String>();
        format!(
            "{} of {}; arguments of one go behind `--`:\n{lines}",
            counted(paths.len(), "script"),
            plain(id)
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
