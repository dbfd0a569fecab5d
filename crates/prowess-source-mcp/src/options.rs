//! The server of a source, and how it is used.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use prowess_source_remote::HttpOptions;

/// A server.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// A program that is started, and answers over its standard input and output.
    Command(ServerCommand),
    /// A server that answers over Streamable HTTP.
    Url {
        /// The URL of its endpoint.
        url: String,
        /// The rules of requests, with the credentials. The timeout is that of [`McpOptions`].
        http: HttpOptions,
    },
}

/// The command of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program: a path, or a name that is looked up in `PATH` of the environment.
    pub program: PathBuf,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// The whole environment: nothing of the host's is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory. By default the host's.
    pub directory: Option<PathBuf>,
}

/// Shows neither the arguments nor the environment, which may have secrets.
impl fmt::Debug for ServerCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerCommand")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

/// The options of a [`McpSource`](crate::McpSource).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpOptions {
    /// The maximum duration of one request. By default 10 seconds. A listing may take six times as
    /// long.
    pub timeout: Duration,
    /// How long the first catalog of a host waits for the server, as
    /// [`patience`](prowess_core::SkillSource::patience) says. By default `None`.
    pub patience: Option<Duration>,
    /// The age from which the listing is read again. By default five minutes. A program that
    /// reports a change is read at once.
    pub interval: Duration,
    /// The maximum number of skills of the listing. By default 20,000.
    pub skills: usize,
    /// The URIs of skills that the listing may leave out, each of a `SKILL.md`. By default none.
    /// The server is asked for each, by the skills extension.
    pub named_skills: Vec<String>,
}

impl Default for McpOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            patience: None,
            interval: Duration::from_secs(300),
            skills: 20_000,
            named_skills: Vec::new(),
        }
    }
}
