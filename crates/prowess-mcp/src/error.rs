//! The reasons why serving ends early.

use rmcp::service::ServerInitializeError;

/// An error that ends the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The runtime delivers bodies in the instructions, which a client gets once, in the handshake.
    #[error(
        "the runtime delivers bodies in instructions, where no client sees them; \
         pass its policies through `prowess_mcp::adapt`, or set `delivery.bodies` to `tool_result`"
    )]
    BodyDelivery,
    /// The session store failed.
    #[error(transparent)]
    Runtime(#[from] prowess::Error),
    /// The operating system refused a resource that the server needs.
    #[error("the server could not be started: {0}")]
    System(#[from] std::io::Error),
    /// A server at an address that other machines reach has no token and no authorization server.
    #[cfg(feature = "http")]
    #[error("other machines can reach {0}, so clients need a token there")]
    TokenRequired(std::net::SocketAddr),
    /// The authorization server cannot be used.
    #[cfg(feature = "http")]
    #[error("the authorization server cannot be used: {0}")]
    OAuth(String),
    /// The certificate or its key cannot be used.
    #[cfg(feature = "tls")]
    #[error("the certificate cannot be used: {0}")]
    Tls(String),
    /// The token is too easy to guess, or cannot be sent.
    #[cfg(feature = "http")]
    #[error("a token needs at least 16 characters, all of them visible ASCII")]
    WeakToken,
    /// The client does not speak the protocol.
    #[error("the handshake with the client failed: {0}")]
    Handshake(#[from] Box<ServerInitializeError>),
    /// The connection's task failed.
    #[error("the connection failed: {0}")]
    Connection(#[from] tokio::task::JoinError),
}
