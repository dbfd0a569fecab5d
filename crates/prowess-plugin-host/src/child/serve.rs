//! The plugin's own process: it puts itself into bounds, opens the library and answers.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use prowess_core::{SkillSource, Tool};
use serde_json::Value;

use super::confine::{bounds, take_socket};
use super::frame::{REQUEST_BYTES, read};
use super::handover;
use super::protocol::{Hello, Offer, OfferedSource, OfferedTool, PROTOCOL, Reply, Request};
use super::server::{Out, Server, send};
use crate::{PluginError, PluginLimits};

/// What a process is asked to open.
#[derive(Debug)]
pub struct ChildRequest {
    /// The verified bytes.
    pub library: OwnedFd,
    /// The plugin's file as the operator knows it, for messages.
    pub file: std::path::PathBuf,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// How long and how much; the host sees to these as well.
    pub limits: PluginLimits,
}

/// What an opened plugin offers.
#[derive(Clone, Default)]
pub struct ChildPlugin {
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Vec<Arc<dyn Tool>>,
}

/// Serves one plugin over standard input, which the host has made a socket, until the host goes. `open`
/// opens the library, when this process is in its bounds already.
///
/// By then, standard output leads to standard error: a plugin that prints disturbs nobody.
pub fn serve_child(
    open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>,
) -> ExitCode {
    match serve(open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "prowess plugin process: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>) -> io::Result<()> {
    let mut socket = take_socket()?;
    let library = handover::receive(&socket)?;
    let Some((hello, _)) = read::<Hello>(&mut socket, REQUEST_BYTES, 0)? else {
        return Ok(());
    };
    let out = Arc::new(Mutex::new(socket.try_clone()?));
    if hello.protocol != PROTOCOL {
        let reason = format!("speaks the protocol {PROTOCOL}, and the host {}", hello.protocol);
        return refuse(&out, "plugin-protocol-broken", reason, "install both from one release");
    }
    bounds(&hello.limits)?;
    let request = ChildRequest {
        library,
        file: hello.file.into(),
        config: hello.config,
        limits: hello.limits,
    };
    let plugin = match open(request) {
        Ok(plugin) => plugin,
        Err(error) => return refuse(&out, error.kind.as_str(), error.reason, &error.help),
    };
    send(&out, &Reply::Ready(offer(&plugin)), &[])?;
    let server = Arc::new(Server::new(plugin, out));
    // Nothing stands beside a request.
    while let Some((request, _)) = read::<Request>(&mut socket, REQUEST_BYTES, 0)? {
        server.take(request);
    }
    Ok(())
}

fn offer(plugin: &ChildPlugin) -> Offer {
    let source = |source: &Arc<dyn SkillSource>| OfferedSource {
        name: source.name().into(),
        root: source.root().into(),
    };
    let nothing = prowess_core::Catalog::empty();
    let tool = |tool: &Arc<dyn Tool>| {
        let definition = tool.definition(&nothing);
        OfferedTool {
            name: definition.name,
            description: definition.description,
            input_schema: definition.input_schema,
            accepts: tool.accepts(&nothing),
            is_offered: tool.is_offered(&nothing),
        }
    };
    Offer {
        protocol: PROTOCOL,
        sources: plugin.sources.iter().map(source).collect(),
        tools: plugin.tools.iter().map(tool).collect(),
    }
}

fn refuse(out: &Out, code: &str, reason: String, help: &str) -> io::Result<()> {
    send(out, &Reply::Refused { code: code.into(), reason, help: help.into() }, &[])
}
