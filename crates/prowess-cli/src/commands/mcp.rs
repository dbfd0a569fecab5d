//! `prowess mcp`: how clients of the Model Context Protocol start this program, and a small client.
//!
//! The blocks are data next to this file.

#[cfg(feature = "mcp-sources")]
mod call;

use std::path::Path;
use std::process::ExitCode;

use prowess::text::{enumerated, quoted};
use serde::Deserialize;
use serde_json::json;

use crate::args::{Global, Mcp, Setting};
use crate::failure::Failure;
#[cfg(not(feature = "mcp-sources"))]
use crate::features;
use crate::output::Output;
use crate::paths::{absolute, working_directory};
use crate::plugins::this_program;

const CLIENTS: &str = include_str!("mcp/clients.json");

/// The blocks by the name of their file.
const BLOCKS: [(&str, &str); 6] = [
    ("codex.toml", include_str!("mcp/codex.toml")),
    ("goose.yaml", include_str!("mcp/goose.yaml")),
    ("mcp-servers.json", include_str!("mcp/mcp-servers.json")),
    ("opencode.json", include_str!("mcp/opencode.json")),
    ("vscode.json", include_str!("mcp/vscode.json")),
    ("zed.json", include_str!("mcp/zed.json")),
];

/// A client, and where its configuration is.
#[derive(Deserialize)]
struct Client {
    name: String,
    block: String,
    file: String,
}

pub(crate) fn run(command: &Mcp, global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let client = match command {
        Mcp::Config { client } => client,
        #[cfg(feature = "mcp-sources")]
        Mcp::Call(args) => return call::run(args, output),
        #[cfg(not(feature = "mcp-sources"))]
        Mcp::Call(_) => return Err(features::lacks("mcp-sources", "mcp call")),
    };
    let clients: Vec<Client> = serde_json::from_str(CLIENTS).expect("a test reads the list");
    match client {
        None => list(&clients, output)?,
        Some(name) => print(find(&clients, name)?, global, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(clients: &[Client], output: &Output) -> Result<(), Failure> {
    let names: Vec<_> = clients.iter().map(|client| client.name.as_str()).collect();
    output.result(&json!({ "clients": names }), |_| format!("{}\n", names.join("\n")))
}

fn find<'c>(clients: &'c [Client], name: &str) -> Result<&'c Client, Failure> {
    clients.iter().find(|client| client.name == name).ok_or_else(|| {
        let names = enumerated(clients.iter().map(|client| client.name.as_str()), "and");
        let help =
            format!("the known clients are {names}; the blocks of most others look like one");
        Failure::usage("client-unknown", format!("no client named {}", quoted(name)), help)
    })
}

fn print(client: &Client, global: &Global, output: &Output) -> Result<(), Failure> {
    let Client { name, block, file } = client;
    let command = text(&this_program()?)?;
    let args = server_arguments(global)?;
    let block = BLOCKS.iter().find(|(file, _)| file == block).expect("a test reads each block").1;
    let line: Vec<_> = [&command].into_iter().chain(&args).collect();
    // JSON texts and lists are valid in TOML and YAML too.
    let block = block
        .replace("{command}", &json!(command).to_string())
        .replace("{args}", &json!(args).to_string())
        .replace("{line}", &json!(line).to_string());
    output.remark(&format!("{name} reads this from {file}\n"));
    let value = json!({ "client": name, "file": file, "block": block });
    output.result(&value, |_| block.clone())
}

/// Returns the arguments of a server with these options. A client starts it in another directory,
/// so paths are absolute.
fn server_arguments(global: &Global) -> Result<Vec<String>, Failure> {
    if !global.skills.plugin.is_empty() {
        let help = "name them in the configuration under `plugins`, and pass it with `--config`";
        return Err(Failure::usage("usage", "plugins cannot be passed on", help));
    }
    let mut args = Vec::new();
    for root in &global.skills.root {
        let directory = text(&absolute(&root.directory)?)?;
        args.extend(["--root".to_owned(), format!("{}={directory}", root.layer)]);
    }
    for (option, file) in
        [("--config", &global.policies.config), ("--dynamic", &global.skills.dynamic)]
    {
        if let Some(file) = file {
            args.extend([option.to_owned(), text(&absolute(file)?)?]);
        }
    }
    if let Some(preset) = &global.policies.preset {
        args.extend(["--preset".to_owned(), preset.clone()]);
    }
    if global.start.is_some() {
        args.extend(["-C".to_owned(), text(&working_directory()?)?]);
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

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("`{}` is not UTF-8, which configurations need", path.display());
        Failure::usage("path-invalid", message, "rename it")
    })
}
