//! The arguments of `serve`.

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::store::StoreUrl;

/// Whether the options of HTTP are left out of the help, because this build refuses them.
const WITHOUT_HTTP: bool = !cfg!(feature = "http");

/// Whether the option of the page is left out of the help, because this build refuses it.
const WITHOUT_WEB: bool = !cfg!(feature = "web");

/// Whether the option of the database is left out of the help, because this build refuses it.
pub(super) const WITHOUT_STORE: bool = !cfg!(feature = "postgres");

/// The options that the page has no use for.
const OF_OTHERS: [&str; 12] = [
    "token_file", "oauth_issuer", "oauth_scope", "oauth_resource", "tls_cert", "tls_key",
    "allow_origin", "rate", "client_connections", "client_sessions", "approvals", "store",
];

/// The arguments of `serve`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("address").args(["http", "web"])))]
pub(crate) struct Serve {
    /// Serve many clients over Streamable HTTP at this address instead, such as 127.0.0.1:8080; the
    /// protocol is at `/mcp`
    #[arg(long, value_name = "ADDR", value_parser = address, hide = WITHOUT_HTTP)]
    pub(crate) http: Option<SocketAddr>,
    /// File with the token that HTTP clients send, also from the environment variable
    /// `PROWESS_HTTP_TOKEN`; this or an issuer is needed unless ADDR is a loopback address
    #[arg(long, value_name = "FILE", requires = "http", hide = WITHOUT_HTTP)]
    pub(crate) token_file: Option<PathBuf>,
    /// Authorization server of OAuth 2.1 whose tokens HTTP clients may send
    #[arg(long, value_name = "URL", requires = "http", hide = WITHOUT_HTTP)]
    pub(crate) oauth_issuer: Option<String>,
    /// Scope that these tokens need; repeatable
    #[arg(long, value_name = "SCOPE", requires = "oauth_issuer", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) oauth_scope: Vec<String>,
    /// URL by which clients reach the server, for which these tokens have to be, such as
    /// `https://skills.example/mcp` [default: `/mcp` at ADDR if it is a loopback address]
    #[arg(long, value_name = "URL", requires = "oauth_issuer", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) oauth_resource: Option<String>,
    /// File with the server's certificate and those of its authorities, in PEM; encrypts
    /// connections
    #[arg(
        long,
        value_name = "FILE",
        requires = "http",
        requires = "tls_key",
        hide_short_help = true,
        hide = WITHOUT_HTTP
    )]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another name by which HTTP clients or the browser reach the server, with its port if it has
    /// one, such as `localhost:9000`; repeatable
    #[arg(long, value_name = "HOST", requires = "address", hide_short_help = true, hide = WITHOUT_HTTP && WITHOUT_WEB)]
    pub(crate) allow_host: Vec<String>,
    /// Origin of pages that may use the server, such as `https://app.example`; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) allow_origin: Vec<String>,
    /// Maximum number of HTTP requests per second of one client address
    #[arg(long, value_name = "N", requires = "http", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) rate: Option<NonZeroU32>,
    /// Maximum number of open HTTP connections of one client address, such as that of a reverse
    /// proxy; a further one is refused with 429 [default: 384 of 512]
    #[arg(long, value_name = "N", requires = "http", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) client_connections: Option<NonZeroUsize>,
    /// Maximum number of sessions of one user of the authorization server, or else of one client
    /// address; a further one is refused with 503 [default: 512 of 1024]
    #[arg(long, value_name = "N", requires = "http", hide_short_help = true, hide = WITHOUT_HTTP)]
    pub(crate) client_sessions: Option<NonZeroUsize>,
    /// Serve a page for the operator at this loopback address instead, such as 127.0.0.1:8081
    ///
    /// It has what waits for a decision, the skills and the audit. A URL is printed that works
    /// once. From another machine, it is reached through `ssh -L 8081:127.0.0.1:8081 HOST`; with
    /// another local port, or a proxy that signs people in, by its name in `--allow-host`.
    /// To return a skill to a version, to commit an acceptance with git and to let an approval
    /// expire, use `history restore`, `proposals accept --commit` and `approvals grant --for`.
    #[arg(long, value_name = "ADDR", value_parser = address, conflicts_with_all = OF_OTHERS, hide = WITHOUT_WEB)]
    pub(crate) web: Option<SocketAddr>,
    /// People who decide on calls that a person has to approve [default: client, or host for an
    /// address that other machines can reach]
    #[arg(long, value_name = "WHO", value_enum)]
    pub(crate) approvals: Option<Approvers>,
    /// Database for the sessions, the approvals and, with `audit: { log: keep }`, the audit of many
    /// servers, such as `postgres://prowess@db/prowess`; its password is in `PGPASSWORD` or
    /// `PGPASSFILE`
    #[arg(long, value_name = "URL", hide_short_help = true, hide = WITHOUT_STORE)]
    pub(crate) store: Option<StoreUrl>,
    /// Format of the log on standard error [default: text, or json with `--format json`]
    ///
    /// `PROWESS_LOG` sets its level: error, warn, info (each request, reload and decision), debug
    /// or off. Without it, a server over HTTP logs at `info`, one for a single client at `warn`,
    /// with its start and its end.
    #[arg(long, value_name = "FORMAT", value_enum, hide_short_help = true)]
    pub(crate) log: Option<LogFormat>,
}

/// Reads the address of a server. The error has one that can be used.
fn address(written: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = written.replacen("localhost:", "127.0.0.1:", 1).parse() {
        return Ok(address);
    }
    let port = written.trim_end_matches('/').trim_end_matches("/mcp").rsplit(':').next();
    let port: u16 = port.and_then(|port| port.parse().ok()).unwrap_or(8080);
    Err(format!(
        "write an IP address with its port: `127.0.0.1:{port}` for clients of this machine, or \
         `0.0.0.0:{port}` with `--http` for those of others, too"
    ))
}

/// The format of a log's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// The time in UTC, the level, the event, and its fields as `name=value`
    Text,
    /// One JSON object
    Json,
}

/// The people who decide on calls that a person has to approve.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Approvers {
    /// The user of the client, if it shows questions, and `prowess approvals`
    Client,
    /// `prowess approvals` alone
    Host,
}

#[cfg(test)]
mod tests {
    #[test]
    fn mistaken_address_gets_one_that_works() {
        for (written, expected) in [
            ("localhost:80", "127.0.0.1:80"),
            ("[::1]:80", "[::1]:80"),
            (":80", "`127.0.0.1:80`"),
            ("81", "`0.0.0.0:81`"),
            ("http://10.0.0.1:82/mcp", "`127.0.0.1:82`"),
            ("127.0.0.1", "`127.0.0.1:8080`"),
            ("0.0.0.0:99999", "`0.0.0.0:8080`"),
        ] {
            let read = super::address(written).map_or_else(|error| error, |it| it.to_string());
            assert!(read.contains(expected), "{written}: {read}");
        }
    }
}
