//! `prowess mcp install`: adds the server to a client's configuration.

use std::path::Path;
use std::process::ExitCode;

use prowess_dir::Permissions;
use prowess_text::marked_lines;
use serde_json::json;
use similar::TextDiff;

use super::client_file::{Backup, ClientFile};
use super::clients::{Client, Scope};
use super::entries::{Entry, entries};
use super::{remark_on_server, server_line};
use crate::args::Global;
use crate::commands::difference::colored;
use crate::failure::Failure;
use crate::output::Output;
use crate::paths::surroundings;
use crate::question::{can_ask, is_confirmed};
use crate::terminal::plain;

pub(super) fn run(
    client: &Client,
    scope: Scope,
    [remove, yes]: [bool; 2],
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let around = surroundings()?;
    let project = around.project().filter(|_| scope == Scope::Project);
    let file = ClientFile::read(client.file(scope)?, project)?;
    file.check()?;
    // Entries of the same file for this directory count before the one for all.
    let found = entries(client, scope).map(|(found, _)| found).unwrap_or_default();
    let local = found.into_iter().filter(|it| it.folder.is_some()).map(|it| it.shape);
    let shapes: Vec<_> = local.chain([client.shape()]).collect();
    let line = (!remove).then(|| server_line(client, scope, global)).transpose()?;
    let edited = |line: Option<&[String]>| {
        let text = shapes.iter().try_fold(file.text().to_owned(), |text, shape| match line {
            Some(line) => shape.installed(&text, line),
            None => shape.removed(&text),
        });
        text.map_err(|fault| file.unclear(&fault))
    };
    let text = edited(line.as_deref())?;
    let path = file.path.display().to_string();
    let name = &client.name;
    let option = if remove { " --remove" } else { "" };
    if !remove {
        remark_on_server(client, scope, global, output)?;
    }
    if text == file.text() {
        let value = json!({ "client": name, "file": path, "changed": false });
        output.result(&value, |_| {
            let state = if remove { "not" } else { "already" };
            format!("{state} installed in {}\n", plain(&path))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if output.is_text() {
        let old = if file.is_there() { path.as_str() } else { "/dev/null" };
        let part = |text: &str| {
            let parts = shapes.iter().map(|shape| shape.own_part(text));
            parts.collect::<Result<String, _>>().map_err(|fault| file.unclear(&fault))
        };
        let (before, after) = (part(file.text())?, part(&text)?);
        let diff = TextDiff::from_lines(&before, &after);
        let diff = diff.unified_diff().context_radius(9).header(old, &path).to_string();
        // The numbers would be those of the part.
        let lines = diff.split_inclusive('\n').filter(|line| !line.starts_with("@@ "));
        output.data(&colored(&marked_lines(&lines.collect::<String>())))?;
        if file.text().trim().len() > before.trim().len() {
            output.remark("what else is in the file stays, and is not shown\n");
        }
    }
    if !yes {
        if !can_ask(output) {
            let scope = if scope == client.usual_scope() { "" } else { " --project" };
            let help = format!(
                "to write it, run `prowess mcp install {name}{option}{scope} --yes`, with \
                                the other options of this command"
            );
            let message = format!("`{path}` is unchanged: there is no terminal to ask at");
            return Err(Failure::usage("confirmation-required", message, help));
        }
        if !is_confirmed(output, &format!("Write this to {}?", plain(&path))) {
            output.remark("nothing was written\n");
            return Ok(ExitCode::FAILURE);
        }
    }
    let (permissions, backup) = match scope {
        Scope::Project => (Permissions::Readable, Backup::InState),
        Scope::User => (Permissions::Private, Backup::NextToIt),
    };
    let others = edited(None).unwrap_or_default();
    let backup = file.replace(&text, &others, permissions, backup)?;
    let value = json!({ "client": name, "file": path, "changed": true, "backup": backup });
    output.result(&value, |_| written(client, scope, remove, &path, backup.as_deref()))?;
    // The same file may have another one for this project.
    let counts = entries(client, scope).ok().and_then(|(found, _)| found.into_iter().next());
    let is_written = |it: &Entry| it.file.path == file.path;
    if let Some(other) = counts.filter(|it| !remove && !is_written(it)) {
        let place = plain(&other.place()).into_owned();
        output.remark(&format!("in this directory, the entry in {place} counts before it\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn written(
    client: &Client,
    scope: Scope,
    remove: bool,
    path: &str,
    backup: Option<&Path>,
) -> String {
    let copy = backup.map(|backup| format!("the old file is {}", backup.display()));
    let copy = copy.map_or_else(String::new, |copy| format!("\n{}", plain(&copy)));
    let scope = if scope == client.usual_scope() { "" } else { " --project" };
    let name = &client.name;
    if remove {
        return format!("removed from {}{copy}\nrestart {name}\n", plain(path));
    }
    format!(
        "installed in {}{copy}\nrestart {name}, or see what it gets: prowess mcp test \
         {name}{scope}\n",
        plain(path),
    )
}
