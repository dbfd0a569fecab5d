//! Skills and their tools over the Model Context Protocol.
//!
//! ```no_run
//! let server = prowess_mcp::StdioServer::new()?;
//! let runtime = prowess::Runtime::builder()
//!     .policies(prowess_mcp::policies())
//!     .default_skills()
//!     .build()?;
//! server.serve(runtime)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server cannot change a client's instructions after the handshake, so the catalog is part of
//! the server's instructions and a loaded body is part of the result of the call that loads it.
//! Each connection has a session of its own: skills that one client loads are not active for
//! another. When the catalog changes, each client gets one `notifications/tools/list_changed`, or
//! one per subscription from revision 2026-07-28 on.
#![forbid(unsafe_code)]

mod approval_hint;
mod changes;
mod conversation;
mod convert;
mod error;
mod hangup;
mod requests;
mod server;
mod stdio;
mod transport;

use prowess::{BodyDelivery, Policies};

pub use approval_hint::ApprovalHint;
pub use error::ServeError;
pub use server::SkillServer;
pub use stdio::StdioServer;
pub use transport::LineTransport;

/// Returns the standard policies, adapted to the protocol by [`adapt`].
pub fn policies() -> Policies {
    adapt(Policies::default())
}

/// Adapts policies to the protocol: bodies are delivered in tool results, and files of every
/// visible skill can be read unless the policies choose a read gate themselves.
///
/// Reads do not depend on an earlier load because some clients start one server per call.
pub fn adapt(policies: Policies) -> Policies {
    let mut policies = policies.with_body_delivery(BodyDelivery::ToolResult);
    policies.tools.read_gate.get_or_insert(prowess::tools::ReadGate::Known);
    policies
}
