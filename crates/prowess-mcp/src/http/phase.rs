//! The life of a server.

/// The phase of a server, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// There is no catalog yet. Requests wait for it.
    Starting,
    /// Requests are answered.
    Serving,
    /// Requests are answered, and probes say that the server ends.
    Leaving,
    /// Running requests finish, and further ones are refused.
    Draining,
    /// Connections are closed.
    Ended,
}
