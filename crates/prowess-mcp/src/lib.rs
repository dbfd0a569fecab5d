//! Skills and their tools over the Model Context Protocol.
//!
//! ```no_run
//! let runtime = prowess::Runtime::builder()
//!     .policies(prowess_mcp::policies())
//!     .default_skills()
//!     .build()?;
//! prowess_mcp::serve_stdio(runtime)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server cannot change a client's instructions once they are given, so the catalog comes with the
//! server's instructions and a loaded body comes in the result of the call that loads it. Each
//! connection is one conversation: what one client loads, no other sees. When the catalog changes, each
//! client is told that its list of tools is another one; the instructions stay as they were given.
#![forbid(unsafe_code)]

mod changes;
mod convert;
#[cfg(unix)]
mod hangup;
mod server;

use std::sync::Arc;

use prowess::{BodyDelivery, Policies, Runtime};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio;

pub use server::SkillServer;

/// The standard policies with what the protocol needs: bodies in the results of tools, and names
/// that each vendor takes.
pub fn policies() -> Policies {
    Policies::default().with_body_delivery(BodyDelivery::ToolResult)
}

/// Serves one client on standard input and output until it closes them, if need be before it has
/// said a word. Calls that are still running then are cancelled. At a hangup, the signal `SIGHUP`, every
/// source is scanned again, as services do it.
///
/// # Errors
///
/// No conversation can be opened, or the client does not speak the protocol.
pub fn serve_stdio(runtime: Runtime) -> Result<(), ServeError> {
    let runtime = Arc::new(runtime);
    let server = SkillServer::new(Arc::clone(&runtime))?;
    let asynchronous = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    asynchronous.block_on(async {
        #[cfg(unix)]
        hangup::reload_at(runtime)?;
        match server.serve(stdio()).await {
            Ok(running) => drop(running.waiting().await?),
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(ServeError::Greeting(Box::new(error))),
        }
        Ok(())
    })
}

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No conversation can be opened.
    #[error(transparent)]
    Runtime(#[from] prowess::Error),
    /// The operating system refuses.
    #[error("the server could not be started: {0}")]
    System(#[from] std::io::Error),
    /// The client does not speak the protocol.
    #[error("the client could not be greeted: {0}")]
    Greeting(#[from] Box<ServerInitializeError>),
    /// The connection's task failed.
    #[error("the connection failed: {0}")]
    Connection(#[from] tokio::task::JoinError),
}
