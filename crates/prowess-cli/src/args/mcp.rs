//! The arguments of `mcp`.

use clap::Subcommand;

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
}
