//! Skills of an MCP server as a source.
//!
//! ```json
//! {"label": "docs", "url": "https://skills.example.com/mcp", "token_file": "/run/secrets/docs"}
//! ```
//!
//! In a process of its own the plugin needs the right to use the network for a URL:
//! `rights: { network: true }`. A command of its own runs with the rights of the plugin.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
use prowess_source_mcp::{Label, McpOptions, McpServer, McpSource, ServerCommand};
use prowess_source_remote::{Credentials, HttpOptions};
use serde::Deserialize;

/// The operator's configuration.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The name of the server: lower-case letters, digits and hyphens.
    label: String,
    /// The program that is started, and its arguments; or none, for a URL.
    #[serde(default)]
    command: Vec<String>,
    /// The whole environment of the program.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The URL of a server over Streamable HTTP; or none, for a command.
    #[serde(default)]
    url: Option<String>,
    /// The file with the token for the URL, absolute.
    #[serde(default)]
    token_file: Option<PathBuf>,
    /// The hosts that may be in a private network and may be reached by plain `http`.
    #[serde(default)]
    hosts: Vec<String>,
    /// The URIs of skills that the listing of the server may leave out.
    #[serde(default)]
    skills: Vec<String>,
    /// The number of seconds that one request may take.
    #[serde(default = "ten_seconds")]
    timeout_seconds: u64,
    /// The age of the listing, in seconds, from which it is read again.
    #[serde(default = "five_minutes")]
    interval_seconds: u64,
}

fn ten_seconds() -> u64 {
    10
}

fn five_minutes() -> u64 {
    300
}

struct Mcp;

impl Plugin for Mcp {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        let invalid = |error: prowess_source_mcp::Error| Error::config(error.to_string());
        let label = Label::new(&config.label).map_err(invalid)?;
        let options = McpOptions {
            timeout: Duration::from_secs(config.timeout_seconds.max(1)),
            interval: Duration::from_secs(config.interval_seconds.max(1)),
            named_skills: config.skills.clone(),
            ..McpOptions::default()
        };
        let server = server(config)?;
        let source = McpSource::new(&label, server, Arc::new(host), options).map_err(invalid)?;
        Ok(Registration::new().source(source))
    }
}

fn server(config: Config) -> Result<McpServer, Error> {
    match (config.command.split_first(), config.url) {
        (Some((program, arguments)), None) => Ok(McpServer::Command(ServerCommand {
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            environment: config
                .environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            directory: None,
        })),
        (None, Some(url)) => {
            let credentials = config.token_file.map(|file| token(&file)).transpose()?;
            let named_hosts = config.hosts;
            let naming = Some("the key `hosts`".to_owned());
            let http = HttpOptions { named_hosts, naming, credentials, ..HttpOptions::default() };
            Ok(McpServer::Url { url, http })
        }
        _ => Err(Error::config("a server has either a `command` or a `url`")),
    }
}

/// Returns the token of a file as credentials.
fn token(file: &std::path::Path) -> Result<Credentials, Error> {
    let unreadable =
        |reason: String| Error::config(format!("`token_file` is `{}`, {reason}", file.display()));
    if !file.is_absolute() {
        return Err(unreadable("which is not absolute".to_owned()));
    }
    let text = fs::read_to_string(file)
        .map_err(|error| unreadable(format!("which cannot be read: {error}")))?;
    let value = format!("Bearer {}", text.trim());
    Ok(Arc::new(move |_| Some(value.clone())))
}

/// The schema of [`Config`]; the tests of the plugin host compare its fields.
const SCHEMA: &str = include_str!("../config.schema.json");

export_plugin!(Mcp, kinds = ["source"], config_schema = SCHEMA);
