//! The MCP servers of the configuration, as sources.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use prowess::{Layer, McpServerSettings, RuntimeBuilder, SystemClock, Trust};
use prowess_source_mcp::{Label, McpOptions, McpServer, McpSource, ServerCommand};
use prowess_source_remote::HttpOptions;

use crate::failure::Failure;
use crate::install_place::http_options;
use crate::terminal::plain;

/// The variables that every server gets from the environment.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// The parts of the time of a request that the first answer waits for a slow server: less where
/// the skills that come later are announced, as `serve` does.
const PART: u32 = 10;
const PART_IF_ANNOUNCED: u32 = 40;

/// Adds the source of a server. Nothing is started or connected yet.
pub(crate) fn add(
    builder: RuntimeBuilder,
    label: &str,
    settings: &McpServerSettings,
    is_announced: bool,
) -> Result<RuntimeBuilder, Failure> {
    let invalid = |reason: String| {
        let message = format!("`sources.mcp.{}`: {reason}", plain(label));
        Failure::usage(
            "config-invalid",
            message,
            "`prowess config init --print` explains every key",
        )
    };
    let named = Label::new(label).map_err(|error| invalid(error.to_string()))?;
    let server = server(settings)?.map_err(|reason| invalid(reason.to_owned()))?;
    let timeout = Duration::from_secs(settings.timeout_seconds.max(1));
    let options = McpOptions {
        timeout,
        patience: Some(timeout / if is_announced { PART_IF_ANNOUNCED } else { PART }),
        interval: Duration::from_secs(settings.interval_seconds.max(1)),
        named_skills: settings.skills.clone(),
        ..McpOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let source = McpSource::new(&named, server, clock, options);
    let source = Arc::new(source.map_err(|error| invalid(error.to_string()))?);
    Ok(match &settings.layer {
        Some(layer) => builder.source(layer, source),
        None => {
            let layer = format!("mcp-{named}");
            builder
                .lowest_layer(Layer::new(layer.as_str(), Trust::Untrusted))
                .source(&layer, source)
        }
    })
}

/// Returns the server of settings, or the reason why they name none.
fn server(settings: &McpServerSettings) -> Result<Result<McpServer, &'static str>, Failure> {
    let McpServerSettings { command, url, .. } = settings;
    Ok(match (command.split_first(), url) {
        (Some((program, arguments)), None) => Ok(McpServer::Command(ServerCommand {
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            environment: environment(settings),
            directory: None,
        })),
        (None, Some(url)) => {
            let naming = Some("the key `hosts` of the server".to_owned());
            let http = HttpOptions { naming, ..http_options(&settings.hosts)? };
            Ok(McpServer::Url { url: url.clone(), http })
        }
        (Some(_), Some(_)) => Err("a server has a command or a URL, not both"),
        (None, None) => Err("a server needs a command or a URL"),
    })
}

fn environment(settings: &McpServerSettings) -> Vec<(OsString, OsString)> {
    let passed = settings.pass_environment.iter().map(String::as_str);
    let passed = VARIABLES.into_iter().chain(passed);
    let passed = passed.filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let set = settings.environment.iter().map(|(name, value)| (name.into(), value.into()));
    passed.chain(set).collect()
}
