//! `prowess run SKILL`: the scripts of a skill, each with the command that runs it.

use std::process::ExitCode;

use prowess::{Caller, Turn};
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
    directories: &[String],
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
    let listing = catalog.list(record, MOST_FILES).map_err(|error| none(error.to_string()))?;
    let is_script = |path: &str| {
        let mut directories = directories.iter().map(|directory| directory.trim_end_matches('/'));
        directories.any(|it| path.strip_prefix(it).is_some_and(|rest| rest.starts_with('/')))
    };
    let paths = listing.resources.iter().map(|resource| resource.path.as_str());
    let paths: Vec<_> = paths.filter(|path| is_script(path)).collect();
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
