//! `prowess mcp`: how clients of the Model Context Protocol start this program, and a small client.

#[cfg(feature = "mcp-sources")]
mod call;
mod client_file;
mod clients;
mod entries;
mod filters;
mod install;
mod own_command;
mod process;
mod start;
mod test;
mod variables;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use prowess_source_remote::LocalSource;
use prowess_text::shell_path;
use serde_json::json;

use crate::args::{Global, Mcp, McpScope, Setting};
use crate::failure::Failure;
#[cfg(not(feature = "mcp-sources"))]
use crate::features;
use crate::output::Output;
use crate::paths::{absolute, surroundings, working_directory};
use crate::runtime;
use clients::{Client, Scope};
use own_command::{Installed, PROGRAM};

pub(crate) fn run(command: &Mcp, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    match command {
        Mcp::Config { client: None } => list(output)?,
        Mcp::Config { client: Some(name) } => print(&clients::find(name)?, global, output)?,
        Mcp::Install { client, scope, remove, yes } => {
            let client = clients::find(client)?;
            let scope = scope_of(&client, *scope)?;
            return install::run(&client, scope, [*remove, *yes], global, output);
        }
        Mcp::Test { client, scope, seconds, yes } => {
            let client = clients::find(client)?;
            let patience = Duration::from_secs(seconds.get());
            let scope = scope_of(&client, *scope)?;
            return test::run(&client, scope, patience, *yes, output);
        }
        #[cfg(feature = "mcp-sources")]
        Mcp::Call(args) => return call::run(args, output),
        #[cfg(not(feature = "mcp-sources"))]
        Mcp::Call(_) => return Err(features::lacks("mcp-sources", "mcp call")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the known clients.
pub(super) fn client_names() -> Vec<String> {
    clients::all().into_iter().map(|client| client.name).collect()
}

fn list(output: &Output) -> Result<(), Failure> {
    let names = client_names();
    output.result(&json!({ "clients": names }), |_| format!("{}\n", names.join("\n")))
}

fn scope_of(client: &Client, asked: McpScope) -> Result<Scope, Failure> {
    let scope = if asked.project { Scope::Project } else { client.usual_scope() };
    if client.has(scope) {
        return Ok(scope);
    }
    let message = format!("{} reads no file of a project", client.name);
    Err(Failure::usage("client-scope", message, "leave out `--project`"))
}

fn print(client: &Client, global: &Global, output: &Output) -> Result<(), Failure> {
    let line = server_line(client, client.usual_scope(), global)?;
    let (name, file) = (&client.name, client.places());
    let block = client
        .shape()
        .installed("", &line)
        .map_err(|fault| Failure::new("client-unknown", fault.message, "report this"))?;
    output.remark(&format!("{name} reads this from {file}\n"));
    remark_on_server(client, client.usual_scope(), global, output)?;
    let own = client.own_command(&line);
    if let Some(own) = &own {
        output.remark(&format!("its own command does the same: {own}\n"));
    }
    let value = json!({ "client": name, "file": file, "block": block, "command": own });
    output.result(&value, |_| block.clone())
}

/// Says what may be unexpected: how the program is started, and whose skills are served, where the
/// client does not start the server in the project that the user is in.
fn remark_on_server(
    client: &Client,
    scope: Scope,
    global: &Global,
    output: &Output,
) -> Result<(), Failure> {
    let installed = Installed::here()?;
    let remark = match scope {
        Scope::Project => installed.remark_on_name(),
        Scope::User => installed.command()?.1,
    };
    output.remark(&remark.map(|remark| format!("{remark}\n")).unwrap_or_default());
    let (name, starts_here) = (&client.name, client.starts_in_project);
    if scope == Scope::Project {
        if !starts_here && client.folder.is_none() && global.start.is_none() {
            output.remark(&format!(
                "where {name} does not start it in the project, it serves the skills of your home\n"
            ));
        }
        return Ok(());
    }
    let is_chosen = global.start.is_some() || !global.skills.root.is_empty();
    let around = surroundings()?;
    let project = around.project().filter(|project| Some(*project) != around.home.as_deref());
    if let Some(project) = project.filter(|_| !starts_here && !is_chosen) {
        let ways = if client.has(Scope::Project) { ", or install with `--project`" } else { "" };
        output.remark(&format!(
            "{name} may start it outside of this project, where it serves the skills of your home; \
             for those of the project add `-C {}`{ways}\n",
            shell_path(project)
        ));
    }
    Ok(())
}

/// Returns the command line that starts this program as a server. The file of a project is for
/// others, too, so it has nothing that is true on this machine alone.
fn server_line(client: &Client, scope: Scope, global: &Global) -> Result<Vec<String>, Failure> {
    // What a server would refuse is refused now, by the same reader.
    runtime::runtime(global)?;
    let project = match scope {
        Scope::Project => surroundings()?.project().map(Path::to_owned),
        Scope::User => None,
    };
    let command = match project {
        Some(_) => vec![PROGRAM.to_owned()],
        None => Installed::here()?.command()?.0,
    };
    Ok([command, server_arguments(client, project.as_deref(), global)?].concat())
}

/// Returns the arguments of a server with these options. A client of the user starts it in another
/// directory, so paths are absolute; in a project they are relative to where it works.
fn server_arguments(
    client: &Client,
    project: Option<&Path>,
    global: &Global,
) -> Result<Vec<String>, Failure> {
    if !global.skills.plugin.is_empty() {
        let help = "name them in the configuration under `plugins`, and pass it with `--config`";
        return Err(Failure::usage("usage", "plugins cannot be passed on", help));
    }
    let here = working_directory()?;
    let is_moved = global.start.is_some();
    let base = project.filter(|_| !is_moved).unwrap_or(&here);
    let path = |path: &Path| match project {
        Some(project) => shared_path(&absolute(path)?, project, base),
        None => text(&absolute(path)?),
    };
    let mut args = Vec::new();
    let start = match (project, &client.folder) {
        (Some(project), Some(folder)) => match &*shared_path(base, project, project)? {
            "." => Some(folder.clone()),
            below => Some(format!("{folder}/{below}")),
        },
        (Some(project), None) if is_moved => Some(shared_path(&here, project, project)?),
        (None, _) if is_moved => Some(text(&here)?),
        _ => None,
    };
    args.extend(start.into_iter().flat_map(|start| ["-C".to_owned(), start]));
    for root in &global.skills.root {
        let directory = path(&root.directory)?;
        let named = root.name.iter().map(|name| format!(" as {name}")).collect::<String>();
        args.extend(["--root".to_owned(), format!("{}={directory}{named}", root.layer)]);
    }
    for (option, file) in
        [("--config", &global.policies.config), ("--dynamic", &global.skills.dynamic)]
    {
        if let Some(file) = file {
            args.extend([option.to_owned(), path(file)?]);
        }
    }
    if let Some(preset) = &global.policies.preset {
        args.extend(["--preset".to_owned(), preset.clone()]);
    }
    if global.policies.no_config {
        args.push("--no-config".to_owned());
    }
    for Setting { key, value } in &global.policies.set {
        args.extend(["--set".to_owned(), format!("{key}={value}")]);
    }
    args.push("serve".to_owned());
    Ok(args)
}

/// Returns a path of a project relative to a directory of it.
fn shared_path(path: &Path, project: &Path, base: &Path) -> Result<String, Failure> {
    if !path.starts_with(project) {
        let message = format!(
            "`{}` is outside of the project, so other users of the project's file do not have it",
            path.display()
        );
        let help = "name something in the project, or leave out `--project`";
        return Err(Failure::usage("path-invalid", message, help));
    }
    let path = text(path)?;
    let local = LocalSource { path: &path, is_repository: false, directory: "" };
    let relative = local.relative_to(base);
    Ok(match relative.strip_prefix("./") {
        Some("") => ".".to_owned(),
        Some(below) => below.to_owned(),
        None => relative,
    })
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("`{}` is not UTF-8, which configurations need", path.display());
        Failure::usage("path-invalid", message, "rename it")
    })
}
