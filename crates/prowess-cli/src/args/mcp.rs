//! The arguments of `mcp`.

use std::num::NonZeroU64;

use clap::{Args, Subcommand};

/// The commands about clients of the Model Context Protocol.
#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// Print the block of a client's configuration that starts this program as its server
    ///
    /// The options of this command line, such as `--root`, are those of the server. The file that
    /// the block belongs to is printed on standard error.
    Config {
        /// Name of the client; without it, the names of all clients are listed
        #[arg(long, value_name = "NAME")]
        client: Option<String>,
    },
    /// Add this program to a client's configuration, after it has shown the change and asked
    ///
    /// The options of this command line, such as `--root` and `-C`, are those of the server. Every
    /// other byte of the file is kept, and a copy of the old file: next to your own, and among your
    /// state for that of a project, which others use too. That one gets the name of this program
    /// and relative paths.
    ///
    /// An editor on another machine reads the file of the project. Mistral Vibe has its servers in
    /// an array, which is not written; `prowess mcp config --client vibe` says what to append.
    Install {
        /// Name of the client; `prowess mcp config` lists them
        client: String,
        #[command(flatten)]
        scope: McpScope,
        /// Remove the entry again, and nothing else
        #[arg(long)]
        remove: bool,
        /// Write without a question
        #[arg(long, short)]
        yes: bool,
    },
    /// Start the server as a client's configuration says, and list what a model sees
    ///
    /// Without `--project`, that is the entry which counts in this directory. The server has the
    /// environment of this shell, of which a client may pass on less.
    Test {
        /// Name of the client; `prowess mcp config` lists them
        client: String,
        #[command(flatten)]
        scope: McpScope,
        /// Number of seconds in which the server has to answer each request
        #[arg(long, value_name = "N", default_value = "10")]
        seconds: NonZeroU64,
        /// Start what the file of a project names without a question
        #[arg(long, short)]
        yes: bool,
    },
    /// Send one request to a server, and print its result as JSON
    ///
    /// The server is the command after `--`, which is started for the request, or the one at
    /// `--url`. Examples: `prowess mcp call tools/list -- prowess serve`, and `prowess mcp call
    /// resources/read '{"uri": "skill://pdf/SKILL.md"}' --url http://127.0.0.1:8080/mcp`.
    #[command(hide = !cfg!(feature = "mcp-sources"))]
    Call(McpCall),
}

/// Which file of a client is meant.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct McpScope {
    /// The file of this project, not the user's
    #[arg(long)]
    pub(crate) project: bool,
}

/// The arguments of `mcp call`.
#[derive(Debug, Args)]
pub(crate) struct McpCall {
    /// Method, such as `tools/list`, `tools/call` or `resources/read`
    pub(crate) method: String,
    /// Parameters of the method, a JSON object
    pub(crate) params: Option<String>,
    /// URL of a server that is running; its token is read from the environment variable
    /// `PROWESS_HTTP_TOKEN`
    #[arg(long, value_name = "URL", conflicts_with = "server")]
    pub(crate) url: Option<String>,
    /// Number of seconds in which the server has to answer
    #[arg(long, value_name = "N", default_value = "60")]
    pub(crate) seconds: NonZeroU64,
    /// Command that starts a server on standard input and output
    #[arg(last = true, value_name = "SERVER")]
    pub(crate) server: Vec<String>,
}
