//! The errors of the server.

use std::io;
use std::net::SocketAddr;

/// The reason why the page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// Other machines can reach the address.
    #[error("`{0}` is not a loopback address, and a browser cannot send the token of `--http`")]
    NotLoopback(SocketAddr),
    /// The operating system refuses the port, or has no random bytes.
    #[error(transparent)]
    System(#[from] io::Error),
}
