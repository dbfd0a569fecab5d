//! An HTTP server over one runtime: each chat of the host is one session of prowess.
//!
//! `cargo run -p async-host` serves the default skills on a free port and prints its address:
//!
//! ```text
//! curl -X PUT  http://ADDRESS/chats/42
//! curl         http://ADDRESS/chats/42/prompt
//! curl -X POST http://ADDRESS/chats/42/calls -H 'content-type: application/json' \
//!      -d '{"name": "skills_load", "arguments": {"names": ["skill-writing"]}}'
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

mod server;

use prowess::{Policies, Runtime};
use tokio::net::TcpListener;

/// Returns a runtime that grants the tool of this server. Without the grant, a person is asked.
fn runtime() -> Result<Runtime, Box<dyn std::error::Error>> {
    let policies = Policies::from_yaml("gate: { grant: [connect] }")?;
    Ok(Runtime::builder().policies(policies).default_skills().build()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Building scans the skill directories, so it happens before the first request.
    let runtime = runtime()?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, server::router(runtime)).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
