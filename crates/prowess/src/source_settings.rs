//! The sources that a configuration names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The sources that programs add to those of the machine. A host of the library adds its own, with
/// [`RuntimeBuilder::source`](crate::RuntimeBuilder::source).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceSettings {
    /// The MCP servers whose skills are offered, by the label that the operator gives each: lower-
    /// case letters, digits and hyphens. By default none.
    pub mcp: BTreeMap<String, McpServerSettings>,
}

/// An MCP server: a command or a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerSettings {
    /// The program that is started, and its arguments. By default, there is none.
    pub command: Vec<String>,
    /// The URL of a server over Streamable HTTP. By default, there is none.
    pub url: Option<String>,
    /// Variables of the program's environment, besides those of the system: `PATH`, `HOME`, `LANG`,
    /// `LC_ALL` and `TMPDIR`. By default none.
    pub environment: BTreeMap<String, String>,
    /// The names of variables that the program gets from the environment, such as a token's. By
    /// default none.
    pub pass_environment: Vec<String>,
    /// The hosts that may be in a private network and may be reached by plain `http`. By default
    /// none.
    pub hosts: Vec<String>,
    /// The URIs of skills that the listing of the server may leave out, such as
    /// `skill://acme/refunds/SKILL.md`. By default none.
    pub skills: Vec<String>,
    /// The layer of the skills. By default an untrusted one, `mcp-LABEL`, below all others.
    pub layer: Option<String>,
    /// The number of seconds that one request may take. By default 10. A command waits a tenth of
    /// it for a slow server, and the first answer of `serve` a fortieth.
    pub timeout_seconds: u64,
    /// The age of the listing, in seconds, from which it is read again. By default 300. No key of a
    /// file: a server that changes its list reports it.
    #[serde(skip)]
    pub interval_seconds: u64,
}

impl Default for McpServerSettings {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            url: None,
            environment: BTreeMap::new(),
            pass_environment: Vec::new(),
            hosts: Vec::new(),
            skills: Vec::new(),
            layer: None,
            timeout_seconds: 10,
            interval_seconds: 300,
        }
    }
}
